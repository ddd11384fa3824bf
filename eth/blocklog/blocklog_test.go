// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blocklog

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/validators"
	"gwon/core/rules"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// start is the timestamp of block 0.
const start = 1_800_000_000

// fakeChain holds headers of four validators, whose seals are not signed.
type fakeChain struct {
	config  *gethparams.ChainConfig
	headers []*types.Header
	set     *validators.Set
}

func address(n int64) common.Address { return common.BigToAddress(big.NewInt(n)) }

func newFakeChain() *fakeChain {
	policy := validators.RoundRobin
	members := make([]validators.Validator, 4)
	for i := range members {
		members[i].Address = address(int64(i + 1))
	}
	return &fakeChain{
		config: &gethparams.ChainConfig{ChainID: big.NewInt(8283), Anzeon: &gethparams.AnzeonConfig{
			WBFT: &gethparams.WBFTConfig{
				RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 1000, ProposerPolicy: &policy,
			},
		}},
		headers: []*types.Header{{Number: new(big.Int), Time: start, Extra: new(types.WBFTExtra).Encode()}},
		set:     validators.NewSet(members),
	}
}

func (c *fakeChain) Config() *gethparams.ChainConfig { return c.config }

func (c *fakeChain) GetHeaderByNumber(number uint64) *types.Header {
	if number >= uint64(len(c.headers)) {
		return nil
	}
	return c.headers[number]
}

func (c *fakeChain) SubscribeChainHeadEvent(chan<- gethcore.ChainHeadEvent) event.Subscription {
	return event.NewSubscription(func(<-chan struct{}) error { return nil })
}

// extend adds a block of a round, seconds after its parent, whose parent was sealed by these validators.
func (c *fakeChain) extend(round uint32, seconds uint64, parentSealers ...int) *types.Header {
	parent := c.headers[len(c.headers)-1]
	extra := &types.WBFTExtra{Round: round}
	var last common.Address
	if parent.Number.Sign() > 0 {
		last = parent.Coinbase
		extra.PrevCommittedSeal = &types.WBFTSeal{
			Sealers: validators.EncodeSealers(parentSealers), Signature: make([]byte, 96),
		}
	}
	header := &types.Header{
		ParentHash: parent.Hash(), Number: new(big.Int).Add(parent.Number, common.Big1), Time: parent.Time + seconds,
		GasLimit: 100, GasUsed: 30, Extra: extra.Encode(),
		Coinbase: c.set.Proposer(validators.RoundRobin, last, uint64(round)),
	}
	c.headers = append(c.headers, header)
	return header
}

func (c *fakeChain) log() *Log {
	return New(c, func(*types.Header) (*validators.Set, error) { return c.set, nil }, address(1))
}

// follow has the log follow a head at the time of its timestamp.
func follow(t *testing.T, l *Log, head *types.Header) {
	t.Helper()
	must.Do(t, l.follow(head, time.Unix(int64(head.Time), 0)))
}

// capture collects the log while the test runs.
func capture(t *testing.T) *bytes.Buffer {
	t.Helper()
	out := new(bytes.Buffer)
	expect.Log(t, log.NewTerminalHandler(out, false))
	return out
}

// Each round before that of a block is a missed proposal of the validator whose turn it was (spec wbft 3.3).
func TestMissedProposals(t *testing.T) {
	out, c := capture(t), newFakeChain()
	l := c.log()
	follow(t, l, c.extend(0, 1))
	first := c.headers[1].Coinbase
	follow(t, l, c.extend(2, 5, 0, 1, 2, 3))
	for round := range uint64(2) {
		who := c.set.Proposer(validators.RoundRobin, first, round)
		want := fmt.Sprintf("number=2 round=%d validator=%v", round, who)
		expect.That(t, strings.Contains(out.String(), want), "the log lacks %q:\n%s", want, out)
	}
	expect.Equal(t, strings.Count(out.String(), "Proposal missed"), 2, "lines")
}

// A validator that is down gets one line a minute, with the number of turns that it has missed. Another one is named at
// once.
func TestMissedProposalsOfStoppedValidator(t *testing.T) {
	out, c := capture(t), newFakeChain()
	l := c.log()
	follow(t, l, c.extend(0, 1))
	for range 90 { // each fourth block is late by a round, two seconds later
		follow(t, l, c.extend(0, 1, 0, 1, 2))
		follow(t, l, c.extend(0, 1, 0, 1, 2))
		follow(t, l, c.extend(1, 3, 0, 1, 2))
	}
	lines := regexp.MustCompile(`Proposal missed.*validator=(\S+).*missed=(\d+)`).FindAllStringSubmatch(out.String(), -1)
	told, counted := make(map[string]int), 0
	for _, line := range lines {
		n := must.Get(strconv.Atoi(line[2]))(t)
		told[line[1]]++
		counted += n
	}
	const most = 90*5/60 + 1 // of each validator
	for validator, n := range told {
		expect.That(t, n <= most, "%d lines about %s in 450 seconds, want %d at most", n, validator, most)
	}
	expect.That(t, len(told) != 0 && counted >= 90-12*len(told), "%d of 90 missed proposals are told", counted)
}

// A round beyond the number of validators names each of them once.
func TestManyRounds(t *testing.T) {
	out, c := capture(t), newFakeChain()
	follow(t, c.log(), c.extend(1_000_000, 60))
	expect.Equal(t, strings.Count(out.String(), "Proposal missed"), 4, "lines for four validators")
}

// A summary counts all blocks between heads, and the next one starts at zero.
func TestSummary(t *testing.T) {
	capture(t)
	c := newFakeChain()
	l := c.log()
	follow(t, l, c.extend(0, 1))
	c.extend(0, 1, 0, 1, 2)
	c.extend(1, 4, 1, 2, 3)
	follow(t, l, c.extend(0, 2, 0, 1, 2))
	got := fmt.Sprint(l.summarize()...)
	for _, part := range []string{
		"blocks4 ", "interval2.00s", "longest4s", "gas30%", "laterRounds1",
		"missedSeals" + address(4).Hex() + ":2," + address(1).Hex() + ":1", "ownSeals2/3",
	} {
		expect.Contains(t, strings.ReplaceAll(got, " ", ""), strings.TrimSpace(part), "%q lacks %q", got, part)
	}
	keys := l.summarize()
	expect.That(t, keys == nil, "a second summary without blocks: %v", keys)
	follow(t, l, c.extend(0, 1, 0, 1, 2, 3))
	expect.Contains(t, fmt.Sprint(l.summarize()...), "none", "a summary without missed seals")
}

// Blocks of a sync are neither told nor summarized.
func TestOldBlocks(t *testing.T) {
	out, c := capture(t), newFakeChain()
	l := c.log()
	head := c.extend(3, 10)
	must.Do(t, l.follow(head, time.Unix(int64(head.Time), 0).Add(rules.RecentHead+time.Second)))
	keys := l.summarize()
	expect.That(t, keys == nil && out.Len() <= 0, "summary %v, log %s", keys, out)
}

// readers is a chain as BlockKeys sees it.
type readers struct {
	consensus.ChainHeaderReader
	chain *fakeChain
}

func (r readers) GetHeader(_ common.Hash, number uint64) *types.Header {
	return r.chain.GetHeaderByNumber(number)
}

// The page of keys has every key of the lines about blocks.
func TestKeysAreDocumented(t *testing.T) {
	capture(t)
	page := must.Get(os.ReadFile("../../docs/reference/log-keys.md"))(t)
	c := newFakeChain()
	l := c.log()
	head := c.extend(0, 1)
	follow(t, l, head)
	follow(t, l, c.extend(0, 1, 0))
	keys := wbft.BlockKeys(readers{chain: c}, types.NewBlockWithHeader(head), c.set, time.Unix(start+2, 0))
	keys = append(keys, l.summarize()...)
	must.That(t, len(keys) >= 30, "%d keys and values", len(keys))
	for i := 0; i < len(keys); i += 2 {
		expect.That(t, bytes.Contains(page, []byte(fmt.Sprintf("`%v`", keys[i]))),
			"docs/reference/log-keys.md lacks %v", keys[i])
	}
}

// The line of a block has its seals, its interval and its delay.
func TestBlockKeys(t *testing.T) {
	c := newFakeChain()
	head := c.extend(1, 3)
	extra := &types.WBFTExtra{Round: 1, CommittedSeal: &types.WBFTSeal{
		Sealers: validators.EncodeSealers([]int{0, 1, 3}), Signature: make([]byte, 96),
	}}
	head.Extra = extra.Encode()
	keys := wbft.BlockKeys(readers{chain: c}, types.NewBlockWithHeader(head), c.set, time.Unix(start+4, 0))
	got := fmt.Sprintln(keys...)
	for _, part := range []string{"number 1 ", "round 1 ", "seals 3/4 ", "interval 3s ", "delay 1s ",
		"txs 0 ", "gas 30 "} {
		expect.That(t, strings.Contains(got, part), "%q lacks %q", got, part)
	}
}
