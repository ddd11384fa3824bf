// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// judge checks what a run of TestSurvive promises, when all hosts are back.
func (o *operators) judge(t *testing.T, dealt []struck) {
	t.Helper()
	head := o.settle(t)
	if into := head % surviveEpoch; into < surviveEpoch/2 { // a former validator has time to seal what it must not
		head += surviveEpoch/2 - into
	}
	o.cluster.judge(t, head, o.running()...)
	o.judgeSwitches(t, dealt, head)
	o.judgePace(t, dealt, head)
	o.judgeRules(t, head)
	o.judgeMessages(t, head)
}

// judgeRules has a new process verify and execute the chain by the rules that both clients share, with each change of
// the set (spec wbft 7.1).
func (o *operators) judgeRules(t *testing.T, head uint64) {
	t.Helper()
	const source = 2
	o.stop(t, source)
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "blocks")
	for _, args := range [][]string{
		{"export", "--datadir", o.node(source).Dir, file, "1", fmt.Sprint(head)},
		{"init", "--datadir", dir, filepath.Join(o.network.Dir, "genesis.json")},
		{"import", "--datadir", dir, file},
	} {
		_, stderr, err := gwonFor(t, rulesTime, t.TempDir(), args...)
		expect.That(t, err == nil, "%s: %v: %s", args[0], err, stderr)
	}
}

// rulesTime is for the import of some thousand blocks.
const rulesTime = 10 * time.Minute

// sets returns the hosts of each epoch up to a block, by operator.
func (o *operators) sets(t *testing.T, head uint64) (list [][]*host) {
	t.Helper()
	for number := uint64(1); number <= head; number += surviveEpoch {
		set := must.Get(o.set(0, hexutil.Uint64(number)))(t)
		must.That(t, !slices.Contains(set, nil), "block %d: an operator has no host in the set", number)
		list = append(list, set)
	}
	return list
}

// setAt returns the one of the sets that seals a block.
func setAt(sets [][]*host, number uint64) []*host {
	return sets[min(int((number-1)/surviveEpoch), len(sets)-1)]
}

// judgeSwitches checks that sets change for absences only, and that the former host waits.
func (o *operators) judgeSwitches(t *testing.T, dealt []struck, head uint64) {
	t.Helper()
	sets, switches := o.sets(t, head), 0
	for epoch := 1; epoch < len(sets); epoch++ {
		border := uint64(epoch) * surviveEpoch
		for operator, h := range sets[epoch] {
			former := sets[epoch-1][operator]
			if h == former {
				continue
			}
			switches++
			if !o.wasAbsent(t, former, border) {
				t.Errorf("host %d is replaced from block %d on, without an absence of %d blocks before", former.index,
					border+1, surviveAbsence)
			}
		}
	}
	wanted, slowest := 0, uint64(0)
	for _, s := range dealt {
		if s.joined > 0 {
			wanted++
			slowest = max(slowest, s.joined-s.from)
		}
	}
	expect.That(t, switches >= wanted, "%d switches in the chain, %d losses", switches, wanted)
	t.Logf("%d switches, %d of them wanted, the slowest within %d blocks", switches, wanted, slowest)

	last, border := sets[len(sets)-1], uint64(len(sets)-1)*surviveEpoch
	for _, h := range o.hosts {
		// The first block of the epoch has late seals of the former set.
		expect.That(t, last[h.operator] == h || o.signs(t, h, border+2, head) == 0, "host %d is in no set and seals", h.index)
	}
}

// wasAbsent reports whether a host has missed as many blocks in a row as make an absence, in the two epochs before a
// border.
func (o *operators) wasAbsent(t *testing.T, h *host, border uint64) bool {
	t.Helper()
	for to := border; to+2*surviveEpoch > border && to > surviveAbsence; to-- {
		if o.signs(t, h, to-surviveAbsence+1, to) == 0 {
			return true
		}
	}
	return false
}

// signs returns how often a host has sealed or proposed blocks, late seals included.
func (o *operators) signs(t *testing.T, h *host, from, to uint64) (count uint64) {
	t.Helper()
	var status struct {
		SealerActivity struct {
			Total map[common.Address]uint64 `json:"total"`
		} `json:"sealerActivity"`
		Author map[common.Address]uint64 `json:"author"`
	}
	o.must(t, 0, &status, "istanbul_status", hexutil.Uint64(from), hexutil.Uint64(to))
	address := o.node(h.index).Address
	return status.SealerActivity.Total[address] + status.Author[address]
}

const (
	// surviveWindow is the length of a window in which the pace is judged, in blocks of a second each.
	surviveWindow = 60
	// surviveCost is how many seconds a fault may cost: two turns of its host in the set, until the others know of its
	// absence, each with the timeout of a round, and the second that a timestamp is cut to.
	surviveCost = 5
)

// judgePace counts the seconds by which blocks came later than one a second. Each window with a quorum may have those
// of its faults, and twice the share that the machine takes where there is no fault.
func (o *operators) judgePace(t *testing.T, dealt []struck, head uint64) {
	t.Helper()
	chain := o.chain(t, 0, head)
	late := func(from, to uint64) uint64 {
		return uint64(chain[to].Time-chain[from].Time) - (to - from)
	}
	longest := func(from, to uint64) (seconds uint64) {
		for n := from + 1; n <= to; n++ {
			seconds = max(seconds, uint64(chain[n].Time-chain[n-1].Time))
		}
		return seconds
	}
	// Faults of each block: -1 for those without a quorum.
	faults := make([]int, head+1)
	quiet, quietLate := uint64(0), uint64(0)
	for i, s := range dealt {
		until := head
		if i+1 < len(dealt) {
			until = dealt[i+1].from
		}
		quiet, quietLate = quiet+until-s.to, quietLate+late(s.to, until)
		t.Logf("%3d s late in %3d blocks, longest interval %2d s; then %d s late in %d blocks: %s", late(s.from, s.to),
			s.to-s.from, longest(s.from, s.to), late(s.to, until), until-s.to, s)
		for n := s.from; n <= s.to; n++ {
			if faults[n] = i + 1; s.kind == halves {
				faults[n] = -1
			}
		}
	}
	share := float64(quietLate) / float64(quiet)
	worst, at := uint64(0), uint64(0)
	for n := dealt[0].from; n+surviveWindow <= head; n++ {
		window := slices.DeleteFunc(slices.Clone(faults[n:n+surviveWindow]), func(f int) bool { return f == 0 })
		window = slices.Compact(window)
		if slices.Contains(window, -1) {
			continue
		}
		l, may := late(n, n+surviveWindow), float64(surviveCost*len(window))+2*share*surviveWindow
		if float64(l) > may {
			t.Errorf("blocks %d to %d come %d s late, want at most %.0f s", n, n+surviveWindow, l, may)
		}
		if l > worst {
			worst, at = l, n
		}
	}
	begun := dealt[0].from
	t.Logf("%d s late in all %d blocks, without faults %d s in %d; worst window of %d blocks: %d s, from block %d on",
		late(begun, head), head-begun, quietLate, quiet, surviveWindow, worst, at)
}

// said is a message that a host has received.
type said struct {
	code    uint64
	message messages.Message
	payload []byte
}

// judgeMessages searches all recordings for contradictions and for messages of hosts that were not in the set.
func (o *operators) judgeMessages(t *testing.T, head uint64) {
	t.Helper()
	sets, chain := o.sets(t, head), o.chain(t, 0, head)
	type author struct {
		address  common.Address
		sequence uint64
	}
	all, distinct, calls := make(map[author][]said), 0, 0
	take := func(in core.Message) {
		calls++
		m, err := messages.Decode(in.Code, in.Payload)
		if err != nil {
			t.Errorf("a message of code %d: %v", in.Code, err)
			return
		}
		signer, err := m.Signer()
		if err != nil {
			t.Errorf("a message of code %d: %v", in.Code, err)
			return
		}
		by := author{signer, m.View().Sequence}
		if slices.ContainsFunc(all[by], func(s said) bool {
			return s.code == in.Code && bytes.Equal(s.message.SigningPayload(), m.SigningPayload())
		}) {
			return
		}
		all[by] = append(all[by], said{in.Code, m, in.Payload})
		distinct++
	}
	for _, h := range o.hosts {
		o.kill(t, h)
		files := must.Get(recording.Files(o.node(h.index).Dir))(t)
		for _, file := range files {
			expect.Error(t, readMessages(file, take), nil, "%s", file)
		}
	}
	for by, list := range all {
		if by.sequence > head {
			continue
		}
		var members []validators.Validator // without BLS keys: their seals are not judged
		for _, h := range setAt(sets, by.sequence) {
			members = append(members, validators.Validator{Address: o.node(h.index).Address})
		}
		set := validators.NewSet(members)
		if _, ok := set.Index(by.address); !ok {
			t.Errorf("%v has signed %d messages of sequence %d, in whose set it is not", by.address, len(list), by.sequence)
			continue
		}
		court := evidence.Court{Set: set, Genesis: chain[0].Hash, Parent: chain[by.sequence-1].Hash}
		for i, first := range list {
			for _, second := range list[i+1:] {
				verdict, found := contradiction(t, court, first, second)
				expect.That(t, !found, "%v in sequence %d: %s: %s", by.address, by.sequence, verdict.Label, verdict.Reason)
			}
		}
	}
	expect.That(t, distinct >= int(head)*surviveOperators,
		"%d messages of %d blocks: the recordings are not whole", distinct, head)
	t.Logf("%d messages in all recordings, %d of them distinct", calls, distinct)
}

// readMessages gives the messages in a segment of a recording, also of one that a kill has torn.
func readMessages(file string, take func(core.Message)) error {
	segment, err := recording.OpenSegment(file)
	if err != nil {
		return err
	}
	err = segment.Inputs(func(input any) error {
		if m, ok := input.(core.Message); ok {
			take(m)
		}
		return nil
	})
	if errors.Is(err, recording.ErrTorn) {
		err = nil
	}
	return errors.Join(err, segment.Close())
}

// contradiction has two messages of an author judged in each way in which they may contradict each other.
func contradiction(t *testing.T, court evidence.Court, first, second said) (v evidence.Verdict, found bool) {
	t.Helper()
	kinds := map[uint64]evidence.Kind{
		messages.CodePrePrepare: evidence.TwoProposals, messages.CodePrepare: evidence.TwoPrepares,
		messages.CodeCommit: evidence.TwoCommits, messages.CodeRoundChange: evidence.TwoRoundChanges,
	}
	kind := kinds[first.code]
	switch {
	case first.code == messages.CodeRoundChange && second.code == messages.CodeCommit:
		first, second, kind = second, first, evidence.ForgottenCommit
	case first.code == messages.CodeCommit && second.code == messages.CodeRoundChange:
		kind = evidence.ForgottenCommit
	case first.code != second.code:
		return v, false
	}
	e := must.Get(evidence.New(kind, court.Genesis, first.payload, second.payload, nil, time.Now()))(t)
	v = evidence.Judge(e, court)
	return v, v.Label != evidence.Refused
}

// The schedule of a seed is the same each time, has all faults, and hits one host of a set at a time.
func TestSchedule(t *testing.T) {
	all := len(losses) + len(passing)
	list := scheduleOf(7, 3*all)
	expect.That(t, slices.Equal(list, scheduleOf(7, 3*all)) && !slices.Equal(list, scheduleOf(8, 3*all)),
		"the schedule does not depend on the seed alone")
	kinds := make(map[string]int)
	for _, b := range list {
		kinds[b.kind]++
		if strings.HasPrefix(b.kind, "signer") && b.operator > 1 || b.beside == b.operator ||
			b.beside >= 0 && !slices.Contains(losses, b.kind) {
			t.Errorf("impossible: %+v", b)
		}
	}
	for _, kind := range slices.Concat(losses, passing) {
		expect.That(t, kinds[kind] == 3, "%s comes %d times in %d faults", kind, kinds[kind], len(list))
	}
}

// Two votes of one view contradict each other, votes of two views do not, and a ROUND-CHANGE that does not know of a
// COMMIT does, whichever came first.
func TestContradiction(t *testing.T) {
	key, address := emptyAccount(t)
	set := validators.NewSet([]validators.Validator{{Address: address}})
	say := func(m messages.Message) said {
		must.Do(t, messages.Sign(m, key))
		return said{m.Code(), m, m.Encode()}
	}
	changeTo := func(round uint64) said {
		return say(&messages.RoundChange{SignedRoundChange: messages.SignedRoundChange{Sequence: 5, Round: round}})
	}
	seal := make([]byte, messages.SealLength)
	prepare := say(&messages.Prepare{Sequence: 5, Digest: common.Hash{1}, Seal: seal})
	commit := say(&messages.Commit{Sequence: 5, Round: 1, Digest: common.Hash{1}, Seal: seal})
	for _, test := range []struct {
		name          string
		first, second said
		want          bool
	}{
		{"two PREPAREs", prepare, say(&messages.Prepare{Sequence: 5, Digest: common.Hash{2}, Seal: seal}), true},
		{"two rounds", prepare, say(&messages.Prepare{Sequence: 5, Round: 1, Digest: common.Hash{2}, Seal: seal}), false},
		{"two COMMITs", commit, say(&messages.Commit{Sequence: 5, Round: 1, Digest: common.Hash{2}, Seal: seal}), true},
		{"PREPARE and COMMIT", prepare, commit, false},
		{"COMMIT forgotten", commit, changeTo(2), true},
		{"COMMIT of the later round", commit, changeTo(1), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, pair := range [][2]said{{test.first, test.second}, {test.second, test.first}} {
				v, found := contradiction(t, evidence.Court{Set: set}, pair[0], pair[1])
				expect.That(t, found == test.want, "%v, want %v: %s", found, test.want, v.Reason)
			}
		})
	}
}
