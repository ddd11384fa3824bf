// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"gwon/internal/must"
)

// surviveTime is the environment variable with the time that TestSurvive lasts (make survive: half an hour).
const surviveTime = "GWON_TEST_SURVIVE_TIME"

const (
	surviveOperators = 4
	surviveEpoch     = 20 // blocks
	surviveAbsence   = 10 // blocks after which a stand-by takes the place
)

// blow is a fault of a schedule. Its host is the operator's one in the set, unless its kind says otherwise.
type blow struct {
	kind     string
	operator int
	beside   int           // operator whose stand-by is killed meanwhile, -1 for none
	lasts    time.Duration // of a fault that needs no switch
	pause    int           // blocks until the next one
}

// Faults of the host in the set that last until the stand-by has taken the place.
var losses = []string{"host killed", "host cut off", "host without packets", "host hangs", "signer killed",
	"signer cut off", "clock late"} // which judges each block too late to seal it

// Faults that pass.
var passing = []string{"host killed and started", "host hangs for a moment", "host cut off for a moment", "slow disk",
	"stand-by killed", "clock early", "both hosts killed", halves}

// halves is the fault during which there is no quorum.
const halves = "network in halves"

const wrongClock = 2 * time.Second

// scheduleOf returns the faults of a run, which depend on the seed alone. Each kind comes once before one comes again.
// At most one host of a set is hit at a time, but for the network in halves.
func scheduleOf(seed uint64, count int) (list []blow) {
	random := rand.New(rand.NewPCG(seed, 0))
	next := steps(random, slices.Concat(losses, passing))
	for len(list) < count {
		b := blow{
			kind: next(), operator: random.IntN(surviveOperators), beside: -1, pause: 3 + random.IntN(8),
			lasts: 2*time.Second + time.Duration(random.IntN(3000))*time.Millisecond,
		}
		if other := (b.operator + 1 + random.IntN(surviveOperators-1)) % surviveOperators; random.IntN(2) == 0 &&
			slices.Contains(losses, b.kind) {
			b.beside = other
		}
		switch b.kind {
		case "signer killed":
			b.operator %= 2 // the two with signers
		case "signer cut off":
			b.operator = 1 // the one with a signer on another machine
		case "both hosts killed", halves, "clock early":
			b.lasts += 10 * time.Second
		case "slow disk":
			b.lasts += 5 * time.Second
		}
		if b.beside == b.operator {
			b.beside = -1
		}
		list = append(list, b)
	}
	return list
}

// struck is a blow that was dealt, with numbers of blocks.
type struck struct {
	blow
	host             *host
	from, joined, to uint64 // head at its begin, first block of the stand-by, head when all were back
}

// TestSurvive: four operators have two hosts each, and two operators have their keys in signers, one by a socket and
// one by TLS. Hosts and signers are killed, cut off, hung, slow, or have a wrong clock, by a schedule of a seed. No
// validator contradicts itself, each loss is followed by a switch within two epochs and nothing else is, blocks go on
// at their pace while three operators have a host in the set, and a former validator that is back signs nothing.
// spec: system-contracts 3.2, wbft 3.4
func TestSurvive(t *testing.T) {
	if os.Getenv(surviveTime) == "" {
		t.Skipf("%s names no time, such as 30m", surviveTime)
	}
	lasts := testTime(t, surviveTime, 0)
	seed := seedOf(t)
	o := startOperators(t, surviveOperators, surviveEpoch, surviveAbsence)
	o.settle(t)
	for i, h := range o.hosts {
		if h.operator < 2 {
			o.useSigner(t, o.hosts[i], h.operator == 1)
			o.settle(t)
		}
	}
	var dealt []struck
	begun := time.Now()
	for _, b := range scheduleOf(seed, int(lasts/(10*time.Second))) {
		if time.Since(begun) > lasts {
			break
		}
		s := o.deal(t, b)
		t.Logf("%v: %s", time.Since(begun).Round(time.Second), s)
		dealt = append(dealt, s)
	}
	o.judge(t, dealt)
	t.Logf("seed %d, %d faults in %v", seed, len(dealt), time.Since(begun).Round(time.Second))
}

func (s struck) String() string {
	text := fmt.Sprintf("%s, operator %d", s.kind, s.operator)
	if s.host != nil {
		text += fmt.Sprintf(", host %d", s.host.index)
	}
	if s.beside >= 0 {
		text += fmt.Sprintf(", beside the stand-by of operator %d", s.beside)
	}
	text += fmt.Sprintf(": from block %d to %d", s.from, s.to)
	if s.joined > 0 {
		text += fmt.Sprintf(", the stand-by seals from block %d on", s.joined)
	}
	return text
}

// deal has a fault happen, waits for what has to follow, ends the fault, and waits until all is well again.
func (o *operators) deal(t *testing.T, b blow) struck {
	t.Helper()
	set := must.Get(o.set(0, "pending"))(t)
	other := func(h *host) *host { return o.hosts[(h.index+o.count)%(2*o.count)] }
	s := struck{blow: b, host: set[b.operator]}
	witness := set[(b.operator+1)%o.count].index
	s.from = must.Get(o.head(witness))(t)
	h := s.host
	if b.beside >= 0 {
		o.kill(t, other(set[b.beside]))
	}
	end := o.begin(t, b, h, other(h))
	switch {
	case slices.Contains(losses, b.kind):
		s.joined = o.awaitSwitch(t, s, other(h), witness)
	default:
		time.Sleep(b.lasts) // a fault lasts by the clock
	}
	end()
	if b.beside >= 0 {
		o.start(t, other(set[b.beside]), 0)
	}
	s.to = o.settle(t)
	o.awaitHead(t, s.to+uint64(b.pause), 0)
	return s
}

// begin makes a fault begin, and returns what ends it.
func (o *operators) begin(t *testing.T, b blow, h, standBy *host) (end func()) {
	t.Helper()
	cut := func(f func(*wire)) func() {
		o.part([]int{h.index}, f)
		return func() { o.part([]int{h.index}, (*wire).heal) }
	}
	killed := func(list ...*host) func() {
		for _, h := range list {
			o.kill(t, h)
		}
		return func() {
			for _, h := range list {
				o.start(t, h, 0)
			}
		}
	}
	clock := func(off time.Duration) func() {
		killed(h)
		o.start(t, h, off)
		return func() { killed(h)() }
	}
	switch b.kind {
	case "host killed":
		return killed(h)
	case "host killed and started":
		killed(h)() // and that is all
		return func() {}
	case "stand-by killed":
		return killed(standBy)
	case "both hosts killed":
		return killed(h, standBy)
	case "host cut off", "host cut off for a moment":
		return cut((*wire).cut)
	case "host without packets":
		return cut((*wire).freeze)
	case "host hangs", "host hangs for a moment":
		return o.hang(t, h)
	case "signer killed":
		h.signer.kill()
		return func() { h.signer.start(t) }
	case "signer cut off":
		h.link.cut()
		return h.link.heal
	case "slow disk":
		return o.slow(t, h)
	case "clock late":
		return clock(-wrongClock)
	case "clock early":
		return clock(wrongClock)
	case halves:
		half := []int{b.operator, (b.operator + 1) % o.count}
		for _, i := range half {
			half = append(half, i+o.count)
		}
		o.part(half, (*wire).cut)
		return func() { o.part(half, (*wire).heal) }
	}
	t.Fatalf("no such fault: %s", b.kind)
	return nil
}

// awaitSwitch waits until a stand-by is in the set, and returns the first block that it may seal. It fails after two
// epochs.
func (o *operators) awaitSwitch(t *testing.T, s struck, standBy *host, witness int) uint64 {
	t.Helper()
	seen, since := s.from, time.Now()
	for {
		set, err := o.set(witness, "pending")
		var head uint64
		if err == nil {
			head, err = o.head(witness) // after the set, which is that of this block's epoch or of the one before
		}
		switch {
		case err != nil && time.Since(since) > patience:
			t.Fatalf("%s: host %d does not answer: %v", s, witness, err)
		case err == nil && set[s.operator] == standBy:
			// An epoch block names the set of the blocks after it.
			return head/surviveEpoch*surviveEpoch + 1
		case head > s.from+2*surviveEpoch:
			t.Fatalf("%s: no switch by block %d, two epochs later", s, head)
		case head > seen:
			seen, since = head, time.Now()
		case time.Since(since) > patience:
			t.Fatalf("%s: no block after %d in %v", s, seen, patience)
		}
		time.Sleep(10 * pollInterval)
	}
}
