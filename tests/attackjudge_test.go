// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Bounds of the judge. Each is a ratio to a control of the same time, or counts what does not depend on the machine.
const (
	// maxGrowth is the memory in MiB that an attacked node may have over the control, which has the same chain: twice,
	// for the garbage collector, what clients send and do not read (192 MiB) and what two workers make (128 MiB each).
	maxGrowth = 896
	// maxFiles and maxGoroutines are what 4,096 connections of clients take, and what a node has besides.
	maxFiles      = 4096 + 512
	maxGoroutines = 3*4096 + 2048
	// maxBehind is how many blocks an attacked node may be behind the control.
	maxBehind = 5
	// maxLog bounds in bytes what a node writes to its log for each minute of an attack, and maxStored what its directory
	// grows by over that of the control: tables that are merged, evidence, and the journal of submissions (16 MiB).
	maxLog    = 512 << 10
	maxStored = 96 << 20
	// An honest client gets as many answers to each call as at the control, up to a tenth. It waits at most slower times
	// as long, or half of the time of a block for half of its calls, and four blocks for nine tenths. Answers, pace and
	// processor time are judged by make attacks alone, which nothing else runs beside: make test judges memory, files,
	// goroutines, disk and recovery.
	slower   = 8
	halfWait = 500 * time.Millisecond
	mostWait = 4 * time.Second
	// One validator's flood takes from the others what its silence takes, up to a half, and a sixth of a core.
	maxShare = 1.5
	oneSixth = 1.0 / 6
	// Blocks take at most maxSlower times as long as without the attack, and three timeouts of a round on top.
	maxSlower     = 2
	roundTimeouts = 3 * 2 * time.Second
	// recoveryBlocks is how many blocks the network may make until an attacked node does as the control does.
	recoveryBlocks = 5

	probePause  = 50 * time.Millisecond // between the calls of an honest client
	probeWait   = 5 * time.Second       // of an honest client for an answer
	samplePause = 200 * time.Millisecond
)

// probe is an honest client of a node. It has an address of its own.
type probe struct {
	url     string
	client  *http.Client
	mu      sync.Mutex
	asked   int
	waits   []time.Duration // of calls that were answered
	got     map[string]int  // answers by call
	refused map[string]int  // what other answers said
	heads   atomic.Int64    // that its subscriptions have brought
	gaps    atomic.Int64    // heads that did not follow the one before
}

func newProbe(url string) *probe {
	return &probe{
		url: url, client: &http.Client{Timeout: probeWait, Transport: &http.Transport{}}, refused: make(map[string]int),
		got: make(map[string]int),
	}
}

// ask posts a call.
func (p *probe) ask(call string) (says string) {
	request, err := http.NewRequest(http.MethodPost, p.url, strings.NewReader(call))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Forwarded-For", honestAddress)
	begun := time.Now()
	answer, err := p.client.Do(request)
	if err == nil {
		var body []byte
		body, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it was read
		if err == nil {
			var ok bool
			if ok, says = isResult(body); !ok {
				err = fmt.Errorf("%d %s", answer.StatusCode, says)
			}
		}
	}
	took := time.Since(begun)
	if err != nil {
		says = p.note(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked++; err == nil {
		p.waits = append(p.waits, took)
		p.got[call]++
	}
	return says
}

// subscribe counts heads until ctx ends, with a new subscription after each that ends.
func (p *probe) subscribe(ctx context.Context) {
	for ctx.Err() == nil {
		p.hear(ctx)
	}
}

func (p *probe) hear(ctx context.Context) {
	dialing, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	client, err := gethrpc.DialOptions(dialing, "ws"+strings.TrimPrefix(p.url, "http"),
		gethrpc.WithHeaders(http.Header{"X-Forwarded-For": {honestAddress}}))
	if err != nil {
		<-time.After(probePause)
		return
	}
	defer client.Close()
	list := make(chan *types.Header, 64)
	subscription, err := client.EthSubscribe(dialing, list, "newHeads")
	if err != nil {
		<-time.After(probePause)
		return
	}
	defer subscription.Unsubscribe()
	for number := uint64(0); ; {
		select {
		case head := <-list:
			if p.heads.Add(1); number > 0 && head.Number.Uint64() != number+1 {
				p.gaps.Add(1)
			}
			number = head.Number.Uint64()
		case err := <-subscription.Err():
			p.note(err)
			return
		case <-ctx.Done():
			return
		}
	}
}

// note counts what a call or a subscription has failed with.
func (p *probe) note(err error) string {
	says := fmt.Sprint(err)
	if at := strings.LastIndex(says, ": "); at >= 0 {
		says = says[at+2:] // without ports, so that equal ones are counted together
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused[says]++
	return says
}

// wait returns how long the given part of the calls that were answered has waited at most.
func (p *probe) wait(percent int) time.Duration {
	if len(p.waits) == 0 {
		return probeWait
	}
	slices.Sort(p.waits)
	return p.waits[min(len(p.waits)*percent/100, len(p.waits)-1)].Round(100 * time.Microsecond)
}

func (p *probe) String() string {
	return fmt.Sprintf("answered %d of %d, p50 %v, p90 %v, %d heads", len(p.waits), p.asked, p.wait(50), p.wait(90),
		p.heads.Load())
}

// judge watches what an attack does to nodes, and to a control of the same time.
type judge struct {
	*arena
	t      *testing.T
	row    *attack
	nodes  []int
	client *probe // of the first attacked node
	other  *probe // of the control
	stop   context.CancelFunc
	work   sync.WaitGroup

	peak       map[int]int   // MiB
	logs       map[int]int64 // bytes before
	stored     map[int]int64 // bytes of the directory before
	files      int           // most that an attacked node has open
	goroutines float64       // of an attacked node at the end of the attack
	behind     uint64
}

func (a *arena) newJudge(t *testing.T, row *attack, nodes []int) *judge {
	t.Helper()
	asked := nodes[0]
	if row.kills {
		asked = last - 1
	}
	j := &judge{
		arena: a, t: t, row: row, nodes: nodes, client: newProbe(a.node(asked).HTTP()),
		other: newProbe(a.node(a.control).HTTP()), peak: make(map[int]int), logs: make(map[int]int64),
		stored: map[int]int64{a.control: a.storedBytes(a.control)},
	}
	for _, i := range nodes {
		j.logs[i], j.stored[i] = logSize(a.cluster, i), a.storedBytes(i)
	}
	return j
}

// begin starts the honest clients and the measurements.
func (j *judge) begin(ctx context.Context) {
	ctx, j.stop = context.WithCancel(ctx)
	calls := append([]string{
		rpcCall("eth_blockNumber", ""), rpcCall("eth_getBalance", `"0x0000000000000000000000000000000000001000","latest"`),
		rpcCall("eth_call", `{"to":"0x0000000000000000000000000000000000001000","data":"0x18160ddd"},"latest"`),
		rpcCall("eth_getLogs", `{"fromBlock":"latest"}`),
	}, j.row.calls...)
	j.work.Go(func() {
		every(ctx, probePause, func(n int) {
			for _, p := range []*probe{j.client, j.other} {
				j.work.Go(func() { p.ask(calls[n%len(calls)]) })
			}
		})
	})
	j.work.Go(func() { j.client.subscribe(ctx) })
	j.work.Go(func() { j.other.subscribe(ctx) })
	j.work.Go(func() { every(ctx, samplePause, func(int) { j.sample(ctx) }) })
}

// every calls f until ctx ends.
func every(ctx context.Context, pause time.Duration, f func(n int)) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
			f(n)
		case <-ctx.Done():
			return
		}
	}
}

// end ends them, while the attack goes on.
func (j *judge) end() {
	for _, i := range j.nodes {
		if n, err := metricOf(j.metrics[i], "system_cpu_goroutines"); err == nil { // it may be starting
			j.goroutines = max(j.goroutines, n)
		}
	}
	j.stop()
	j.work.Wait()
	j.client.client.CloseIdleConnections()
	j.other.client.CloseIdleConnections()
}

// sample notes memory, open files, and how far a follower is behind. A node that is started again is left out.
func (j *judge) sample(ctx context.Context) {
	for _, i := range append([]int{j.control}, j.nodes...) {
		j.peak[i] = max(j.peak[i], j.resident(i))
		if files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", j.pid(i))); err == nil && i != j.control {
			j.files = max(j.files, len(files))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	if j.row.at == atPublic {
		there, err := j.number(ctx, j.control)
		if err != nil {
			return
		}
		if here, err := j.number(ctx, j.public); err == nil && there > here { // asked later
			j.behind = max(j.behind, there-here)
		}
	}
}

// storedBytes returns how much the files of a node have.
func (a *arena) storedBytes(i int) (bytes int64) {
	_ = filepath.WalkDir(a.node(i).Dir, func(_ string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil { // it may have been removed
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}

// cpuTime returns the time of processors that a process has used, zero for one that has ended.
func cpuTime(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	ticks := 0
	for _, field := range fields[11:13] { // user and system
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100 // Linux counts hundredths for programs
}

// judge prints what was seen and compares it with the bounds.
func (j *judge) judge(p *pace, said int64) {
	t := j.t
	t.Helper()
	peak := 0
	for _, i := range j.nodes {
		peak = max(peak, j.peak[i])
	}
	t.Logf("%d acts in %v; %d MiB (control %d); %d files, %v goroutines; %d blocks behind; a block each %v, %.0f %% of a "+
		"core; %v; control: %v", said, p.took.Round(100*time.Millisecond), peak, j.peak[j.control], j.files, j.goroutines,
		j.behind, p.each().Round(10*time.Millisecond), 100*p.share(), j.client, j.other)
	least := j.least(j.row)
	expect.That(t, said >= least, "the attackers have acted %d times, fewer than %d are no attack", said, least)
	most := j.peak[j.control] + maxGrowth
	expect.That(t, peak <= most, "memory: %d MiB, want %d at most (control %d)", peak, most, j.peak[j.control])
	if j.files > maxFiles || j.goroutines > maxGoroutines {
		t.Errorf("descriptors: %d, want %d at most; goroutines: %v, want %d at most", j.files, maxFiles, j.goroutines,
			maxGoroutines)
	}
	if j.judgesTime() {
		j.judgeAnswers()
	}
	expect.That(t, !j.judgesTime() || j.behind <= maxBehind,
		"sync: %d blocks behind the control, want %d at most", j.behind, maxBehind)
	for _, i := range j.nodes {
		most := int64(maxLog * max(1, p.took.Minutes()))
		if written := logSize(j.cluster, i) - j.logs[i]; written > most {
			t.Errorf("disk: %s has written %d bytes of log, want %d at most", j.node(i).Name, written, most)
		}
		grown, control := j.storedBytes(i)-j.stored[i], j.storedBytes(j.control)-j.stored[j.control]
		if grown > max(control, 0)+maxStored {
			t.Errorf("disk: %s has stored %d bytes, the control %d", j.node(i).Name, grown, control)
		}
	}
	if j.row.at == atValidators && j.judgesTime() {
		j.judgeValidators(p)
	}
	j.judgeRecovery()
}

// judgeAnswers compares what honest clients got with what others got at the control.
func (j *judge) judgeAnswers() {
	t := j.t
	t.Helper()
	for call, n := range j.other.got {
		expect.That(t, j.client.got[call] >= n*9/10-1,
			"answers: %d of %s, at the control %d; the others: %v", j.client.got[call], call, n, j.client.refused)
	}
	for _, bound := range []struct {
		percent int
		least   time.Duration
	}{{50, halfWait}, {90, mostWait}} {
		here, there := j.client.wait(bound.percent), j.other.wait(bound.percent)
		expect.That(t, here <= max(bound.least, slower*there),
			"answers: %d %% took %v at most, at the control %v", bound.percent, here, there)
	}
	here, there := j.client.heads.Load(), j.other.heads.Load()
	if here+maxBehind < there || here == 0 && there > 1 || j.client.gaps.Load() > 0 {
		t.Errorf("notifications: %d heads, %d of them not in order, at the control %d", here, j.client.gaps.Load(), there)
	}
}

// judgeValidators checks the pace of blocks, the links between validators that keep to the rules, and that none of
// these is accused, is silent or has halted.
func (j *judge) judgeValidators(p *pace) {
	t := j.t
	t.Helper()
	quiet := j.quiet[j.row.beside != ""]
	t.Logf("without the attack a block each %v, %.0f %% of a core", quiet.each().Round(10*time.Millisecond),
		100*quiet.share())
	if most := maxSlower*quiet.each()*time.Duration(max(p.blocks, 1)) + roundTimeouts; p.took > most && !j.row.kills {
		t.Errorf("pace: %d blocks in %v, want at most %v; without the attack a block each %v", p.blocks, p.took, most,
			quiet.each())
	}
	if j.row.beside == silence && !j.row.kills && p.share() > maxShare*quiet.share()+oneSixth {
		t.Errorf("computation: %.0f %% of a core, %.0f %% beside a silent validator", 100*p.share(), 100*quiet.share())
	}
	for i, before := range j.links {
		for name, link := range j.connected(t, i) {
			if j.row.beside != "" && name == j.node(last).Name {
				continue // nodes leave it for what some modes send
			}
			old := before[name].Network
			same := link.Network.LocalAddress == old.LocalAddress && link.Network.RemoteAddress == old.RemoteAddress
			if !same && !j.row.kills {
				t.Errorf("links: %s has lost its connection with %s in between", j.node(i).Name, name)
			}
		}
	}
	for i := range last {
		var status consensusStatus
		j.must(t, i, &status, "istanbul_consensusStatus")
		log := nodeLog(t, j.cluster, i)
		if status.Halted != "" || status.Muted != "" || strings.Contains(log, wbft.HaltedMessage) {
			t.Errorf("%s has stopped: %q %q", j.node(i).Name, status.Halted, status.Muted)
		}
		for _, line := range misbehaviorLine.FindAllString(log, -1) {
			for honest := range last {
				if strings.Contains(line, "signer="+j.node(honest).Address.Hex()) {
					t.Errorf("%s accuses %s, which is honest: %.200s", j.node(i).Name, j.node(honest).Name, line)
				}
			}
		}
	}
}

// judgeRecovery checks that the attacked nodes answer as before and are at the head, within some blocks.
func (j *judge) judgeRecovery() {
	t := j.t
	t.Helper()
	first := must.Get(j.number(t.Context(), j.control))(t)
	p := newProbe(j.client.url)
	defer p.client.CloseIdleConnections()
	for {
		there := must.Get(j.number(t.Context(), j.control))(t)
		here, err := j.number(t.Context(), j.nodes[0])
		says := fmt.Sprint(err)
		if err == nil && here+1 >= there {
			if says = p.ask(rpcCall("eth_getLogs", `{"fromBlock":"latest"}`)); says == "" {
				return
			}
		}
		if there > first+recoveryBlocks {
			t.Errorf("recovery: %d blocks after the attack %s is at block %d of %d and says: %s", there-first,
				j.node(j.nodes[0]).Name, here, there, says)
			return
		}
		time.Sleep(pollInterval)
	}
}
