// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/metrics"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// start is the timestamp of block 0.
const start = 1_700_000_000

// fakeChain holds headers whose seals are not signed.
type fakeChain struct {
	config  *gethparams.ChainConfig
	headers []*types.Header
	set     *validators.Set
	clock   time.Time
}

func (c *fakeChain) Config() *gethparams.ChainConfig { return c.config }
func (c *fakeChain) CurrentBlock() *types.Header     { return c.headers[len(c.headers)-1] }

func (c *fakeChain) GetHeaderByNumber(number uint64) *types.Header {
	if number >= uint64(len(c.headers)) {
		return nil
	}
	return c.headers[number]
}

func (c *fakeChain) SubscribeChainEvent(chan<- gethcore.ChainEvent) event.Subscription {
	return event.NewSubscription(func(<-chan struct{}) error { return nil })
}

// addresses returns n validators: 0x…01, 0x…02 and so on.
func addresses(n int) []common.Address {
	list := make([]common.Address, n)
	for i := range list {
		list[i] = common.BigToAddress(big.NewInt(int64(i + 1)))
	}
	return list
}

func setOf(list ...common.Address) *validators.Set {
	members := make([]validators.Validator, len(list))
	for i, address := range list {
		members[i].Address = address
	}
	return validators.NewSet(members)
}

func newFakeChain(n int) *fakeChain {
	policy := validators.RoundRobin
	config := &gethparams.ChainConfig{ChainID: big.NewInt(8283), Anzeon: &gethparams.AnzeonConfig{
		WBFT: &gethparams.WBFTConfig{
			RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 10, ProposerPolicy: &policy,
		},
	}}
	genesis := &types.Header{Number: new(big.Int), Time: start, Extra: new(types.WBFTExtra).Encode()}
	return &fakeChain{config, []*types.Header{genesis}, setOf(addresses(n)...), time.Unix(start, 0)}
}

// block describes the next block of a fake chain. The indices of sealers are those of the set.
type block struct {
	round   uint32
	own     []int // sealers of the COMMIT seal that is stored with it
	late    []int // sealers of the seal over the parent
	seconds uint64
}

func sealBy(indices []int) *types.WBFTSeal {
	return &types.WBFTSeal{Sealers: validators.EncodeSealers(indices), Signature: make([]byte, 96)}
}

// extend adds a block that is on time, and moves the clock to it.
func (c *fakeChain) extend(b block) *types.Header {
	parent := c.CurrentBlock()
	x := &types.WBFTExtra{Round: b.round, CommittedSeal: sealBy(b.own)}
	if parent.Number.Sign() > 0 {
		x.PrevCommittedSeal = sealBy(b.late)
	}
	header := &types.Header{
		ParentHash: parent.Hash(), Number: new(big.Int).Add(parent.Number, common.Big1),
		Time: parent.Time + max(b.seconds, 1), GasLimit: 100, GasUsed: 30, Extra: x.Encode(),
		Coinbase: c.set.Proposer(validators.RoundRobin, validators.LastProposer(parent), uint64(b.round)),
	}
	c.headers = append(c.headers, header)
	c.clock = time.Unix(int64(header.Time), 0)
	return header
}

func (c *fakeChain) observer(t *testing.T) *Observer {
	t.Helper()
	o := New(Config{
		Chain: c, Self: addresses(1)[0],
		SetOf:    func(*types.Header) (*validators.Set, error) { return c.set, nil },
		SetAfter: func(*types.Header) (*validators.Set, error) { return c.set, nil },
		Next:     func(*types.Header) ([]common.Address, error) { return addresses(4)[1:], nil },
		State:    func() State { return State{} },
		Now:      func() time.Time { return c.clock },
	})
	t.Cleanup(func() { o.families.keep(setOf(), 0) })
	return o
}

// value reads a counter or gauge of a validator, or of the node for index -1.
func value(t *testing.T, name string, index int) float64 {
	t.Helper()
	if index >= 0 {
		name = fmt.Sprintf("%s/%#x", name, addresses(index + 1)[index])
	}
	switch m := metrics.Get(name).(type) {
	case *metrics.Counter:
		return float64(m.Snapshot().Count())
	case *metrics.Gauge:
		return float64(m.Snapshot().Value())
	case *metrics.GaugeFloat64:
		return m.Snapshot().Value()
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// follow feeds the blocks of a chain to an observer as the chain does.
func follow(t *testing.T, o *Observer, headers ...*types.Header) {
	t.Helper()
	for _, header := range headers {
		must.Do(t, o.observe(gethcore.ChainEvent{Header: header}))
	}
}

// A seal counts once, whether the block itself or its child carries it. spec: wbft 1.1
func TestSealsByValidator(t *testing.T) {
	c := newFakeChain(4)
	o := c.observer(t)
	for range 4 {
		follow(t, o, c.extend(block{own: []int{0, 1, 2}, late: []int{0, 3}})) // blocks 1 to 3 get a late seal
	}
	follow(t, o, c.extend(block{own: []int{0, 1, 2}, late: []int{0, 1, 2}})) // block 4 gets none
	for i, want := range []struct{ given, missed, share, last float64 }{
		{4, 0, 1, 4}, {4, 0, 1, 4}, {4, 0, 1, 4}, {3, 1, 0.75, 3},
	} {
		t.Run(fmt.Sprint("validator ", i), func(t *testing.T) {
			for name, want := range map[string]float64{
				"gwon/validator/seals/given": want.given, "gwon/validator/seals/missed": want.missed,
				"gwon/validator/participation/100": want.share, "gwon/validator/participation/1000": want.share,
				"gwon/validator/sealed/last": want.last,
			} {
				expect.Equal(t, value(t, name, i), want, "%s", name)
			}
		})
	}
}

// A block of round 2 charges the proposers of rounds 0 and 1, and credits its own. spec: wbft 3.3
func TestProposalsByValidator(t *testing.T) {
	c := newFakeChain(4)
	o := c.observer(t)
	first := c.extend(block{own: []int{0, 1, 2}})
	follow(t, o, first, c.extend(block{round: 2, own: []int{0, 1, 2}, late: []int{0, 1, 2}, seconds: 9}))
	at, _ := c.set.Index(first.Coinbase)
	for i, want := range []struct{ made, missed float64 }{{1, 0}, {0, 1}, {0, 1}, {1, 0}} {
		i = (at + i) % 4
		expect.Equal(t, value(t, "gwon/validator/proposals/made", i), want.made, "proposals made by validator %d", i)
		expect.Equal(t, value(t, "gwon/validator/proposals/missed", i), want.missed, "proposals missed by validator %d", i)
	}
}

// Rounds, intervals and gas of new blocks are counted; a bucket of intervals holds those below it, too.
func TestBlockMetrics(t *testing.T) {
	c := newFakeChain(4)
	o := c.observer(t)
	follow(t, o, c.headers[0])
	before := make(map[string]float64)
	names := []string{"gwon/blocks/rounds/0", "gwon/blocks/rounds/more", "gwon/blocks/interval/bucket/1",
		"gwon/blocks/interval/bucket/5", "gwon/blocks/interval/bucket/more", "gwon/blocks/gas/used", "gwon/blocks/gas/limit"}
	for _, name := range names {
		before[name] = value(t, name, -1)
	}
	follow(t, o, c.extend(block{}), c.extend(block{round: 7, seconds: 4}))
	for i, want := range []float64{1, 1, 1, 2, 2, 60, 200} {
		expect.Equal(t, value(t, names[i], -1)-before[names[i]], want, "growth of %s", names[i])
	}
	expect.Equal(t, value(t, "gwon/head/time", -1), start+5, "time of the head")
}

// A restarted node has the participation of the blocks before at once, and counts none of them as new.
func TestWindowsAfterRestart(t *testing.T) {
	c := newFakeChain(4)
	for range 150 {
		c.extend(block{own: []int{0, 1, 2}, late: []int{0, 1, 2}})
	}
	for range 100 {
		c.extend(block{own: []int{1, 2, 3}, late: []int{1, 2, 3}})
	}
	o := c.observer(t)
	must.Do(t, o.restart(c.CurrentBlock()))
	for _, want := range []struct {
		name  string
		index int
		value float64
	}{
		{"gwon/validator/participation/100", 0, 0.01}, // block 150 is the parent of the first of the last hundred
		{"gwon/validator/participation/100", 3, 1},
		{"gwon/validator/participation/1000", 0, 150. / 249},
		{"gwon/validator/participation/1000", 3, 100. / 249},
		{"gwon/validator/seals/missed", 0, 0},
	} {
		expect.Equal(t, value(t, want.name, want.index), want.value, "%s of validator %d", want.name, want.index)
	}
}

// Blocks that a sync fetches are no new ones, but those between two new blocks are in the windows.
func TestOldBlocksAreNotCounted(t *testing.T) {
	c := newFakeChain(4)
	o := c.observer(t)
	all := block{own: []int{0, 1, 2, 3}, late: []int{0, 1, 2, 3}}
	follow(t, o, c.extend(all))
	for range 60 {
		c.extend(block{own: []int{0, 1, 2}, late: []int{0, 1, 2}})
	}
	follow(t, o, c.headers[2:20]...) // older than 30 s
	expect.Equal(t, value(t, "gwon/validator/seals/missed", 3), 0, "seals missed in old blocks")
	// No validator seems silent because of blocks whose seals are not counted.
	if newest, last := value(t, "gwon/blocks/newest", -1), value(t, "gwon/validator/sealed/last", 3); newest-last > 1 {
		t.Errorf("newest block %v, last seal in %v", newest, last)
	}
	follow(t, o, c.CurrentBlock())
	expect.Equal(t, value(t, "gwon/blocks/newest", -1), 61, "newest block")
	expect.Equal(t, value(t, "gwon/validator/participation/100", 3), 1./60, "participation")
}

// A validator that comes into charge has missed nothing yet, so that no alert fires about it.
func TestNewValidators(t *testing.T) {
	c := newFakeChain(3)
	o := c.observer(t)
	check := func(index int, sealed float64) {
		t.Helper()
		for name, want := range map[string]float64{
			"gwon/validator/participation/100": 1, "gwon/validator/participation/1000": 1,
			"gwon/validator/seals/missed": 0, "gwon/validator/sealed/last": sealed,
		} {
			expect.Equal(t, value(t, name, index), want, "%s of validator %d", name, index)
		}
	}
	follow(t, o, c.extend(block{own: []int{0, 1, 2}}))
	check(0, 0) // no block has a child yet
	c.set = setOf(addresses(4)...)
	follow(t, o, c.extend(block{own: []int{0, 1, 2}, late: []int{0, 1, 2}}))
	check(0, 1)
	o.families.keep(setOf(addresses(5)...), 2)
	check(4, 2)
}

// The metrics of a validator that is no longer in charge are unregistered.
func TestDepartedValidators(t *testing.T) {
	c := newFakeChain(4)
	o := c.observer(t)
	follow(t, o, c.extend(block{own: []int{0, 1, 2}}))
	c.set = setOf(addresses(4)[1:]...)
	follow(t, o, c.extend(block{own: []int{0, 1, 2}, late: []int{0}}))
	departed := fmt.Sprintf("%#x", addresses(1)[0])
	metrics.DefaultRegistry.Each(func(name string, _ any) {
		expect.That(t, !strings.HasSuffix(name, departed), "metric %s of a departed validator", name)
	})
	given := o.families.sealsGiven
	given.with(addresses(1)[0], func(*metrics.Counter) { t.Error("counted for a departed validator") })
	expect.Equal(t, len(given.members), 3, "members")
}

// The epoch, the changes of the next one and the configuration are published without a new block. spec: wbft 3.1
func TestEpochMetrics(t *testing.T) {
	c := newFakeChain(5)
	o := c.observer(t)
	for range 13 {
		c.extend(block{own: []int{0, 1, 2}, late: []int{0, 1, 2}})
	}
	must.Do(t, o.poll())
	for name, want := range map[string]float64{
		"gwon/epoch/block": 10, "gwon/epoch/next/block": 20, "gwon/epoch/validators": 5, "gwon/epoch/quorum": 4,
		"gwon/epoch/next/validators": 3, "gwon/epoch/next/joining": 0, "gwon/epoch/next/leaving": 2,
		"gwon/config/period": 1, "gwon/config/timeout": 2, "gwon/node/validator": 1,
	} {
		expect.Equal(t, value(t, name, -1), want, "%s", name)
	}
}

// The reason why a node signs nothing is a label that Prometheus can read: its first sentence, of bounded size, without
// a broken word.
func TestStoppedReason(t *testing.T) {
	c := newFakeChain(4)
	o := c.observer(t)
	for name, row := range map[string]struct {
		state      State
		is, reason string
	}{
		"none": {State{}, "none", ""},
		"sentence": {
			State{Waiting: "votes are lost; it waits. The next one is 7. Start it"}, "waiting", "votes are lost; it waits",
		},
		"point":      {State{Muted: "version 1.2 of votes.log."}, "muted", "version 1.2 of votes.log."},
		"characters": {State{Halted: "block \"1\"\n\\ is … refused"}, "halted", "block  1    is   refused"},
		"long":       {State{Halted: strings.Repeat("abcdefghi ", 100)}, "halted", strings.Repeat("abcdefghi ", 19) + "..."},
		"one word": {
			State{Halted: strings.Repeat("x", 1000)}, "halted", strings.Repeat("x", maxReason-len(labelCut)) + labelCut,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o.cfg.State = func() State { return State{Sealing: true} }
			o.pollState()
			o.cfg.State = func() State { return row.state }
			o.pollState()
			got := stoppedInfo.Snapshot().Value()
			expect.That(t, got["state"] == row.is && got["reason"] == row.reason && len(got["reason"]) <= maxReason,
				"state %q, reason %q of %d bytes, want %q", got["state"], got["reason"], len(got["reason"]), row.reason)
		})
	}
}

// The labels of a waiting validator are whole sentences, and stay the same from block to block. An alert that has to
// hold for minutes would begin again with other labels.
func TestWaitingReason(t *testing.T) {
	for name, signatory := range map[string]votelog.Signatory{
		"lost":         {Since: 1_795_768_000, Lost: true},
		"begins later": {Floor: 14_408_500},
	} {
		t.Run(name, func(t *testing.T) {
			var labels []string
			for number := range int64(2) {
				head := &types.Header{Number: big.NewInt(14_000_000 + number), Time: 1_795_768_000}
				reason := wbft.WaitingFor(&votelog.Interchange{Data: []votelog.Signatory{signatory}}, head)
				expect.That(t, label(reason) != "" && strings.HasPrefix(reason, label(reason)+". "),
					"label %q of %q", label(reason), reason)
				labels = append(labels, label(reason))
			}
			expect.Equal(t, labels[0], labels[1], "another block, another label: %q", labels)
		})
	}
}
