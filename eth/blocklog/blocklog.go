// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blocklog

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/validators"
	"gwon/core/rules"
	"gwon/internal/feed"
)

const longest = 1024 // blocks between two heads that are looked at one by one

// Chain is the part of core.BlockChain that a Log uses.
type Chain interface {
	Config() *gethparams.ChainConfig
	GetHeaderByNumber(number uint64) *types.Header
	SubscribeChainHeadEvent(ch chan<- gethcore.ChainHeadEvent) event.Subscription
}

// Log follows a chain.
type Log struct {
	chain Chain
	set   func(*types.Header) (*validators.Set, error) // in charge of sealing a block
	self  common.Address

	// Run owns what follows.
	last   *types.Header // newest block that was looked at; nil for none
	sum    summary
	missed map[common.Address]missed // by validator, for at most a minute after its last line
}

// missed is what the log has told about missed proposals of a validator.
type missed struct {
	told  uint64 // timestamp of the block with the last line
	since int    // missed proposals after that line
}

// summary counts blocks since the last line.
type summary struct {
	blocks, gas, capacity uint64
	late                  uint64 // blocks of a round above 0
	longest               uint64 // interval in seconds
	began                 uint64 // timestamp of the parent of the first block
	sealed                uint64 // blocks that this node has sealed
	missedProposals       map[common.Address]uint64
	missedSeals           map[common.Address]uint64
}

func newSummary() summary {
	return summary{missedProposals: make(map[common.Address]uint64), missedSeals: make(map[common.Address]uint64)}
}

// New returns a log of the node with address self. set returns the validators in charge of sealing a block.
func New(chain Chain, set func(*types.Header) (*validators.Set, error), self common.Address) *Log {
	return &Log{chain: chain, set: set, self: self, sum: newSummary(), missed: make(map[common.Address]missed)}
}

// Run follows the head until ctx ends.
func (l *Log) Run(ctx context.Context) {
	heads, sub := feed.Relay(l.chain.SubscribeChainHeadEvent, 1)
	defer sub.Unsubscribe()
	ticker := time.Tick(10 * time.Minute)
	for {
		select {
		case head := <-heads:
			if err := l.follow(head.Header, time.Now()); err != nil {
				log.Debug("Block not summarized", "number", head.Header.Number, "err", err)
			}
		case <-ticker:
			if keys := l.summarize(); keys != nil {
				log.Info("Blocks summarized", keys...)
			}
		case <-ctx.Done():
			return
		case err := <-sub.Err():
			if err != nil {
				log.Warn("Blocks not told any more", "err", err)
			}
			return
		}
	}
}

// follow looks at the blocks since the last head, if the head is new.
func (l *Log) follow(head *types.Header, now time.Time) error {
	number := head.Number.Uint64()
	if number == 0 || now.Sub(time.Unix(int64(head.Time), 0)) > rules.RecentHead {
		l.last = nil
		return nil
	}
	if l.last == nil || l.last.Number.Uint64() >= number || number-l.last.Number.Uint64() > longest {
		l.last = l.chain.GetHeaderByNumber(number - 1)
	}
	for l.last != nil && l.last.Number.Uint64() < number {
		child := l.chain.GetHeaderByNumber(l.last.Number.Uint64() + 1)
		parent := l.last
		l.last = child
		if child == nil || child.ParentHash != parent.Hash() {
			l.last = nil
			return nil
		}
		if err := l.add(parent, child); err != nil {
			return err
		}
	}
	return nil
}

// add counts a block, the proposals that were missed before it, and the seals of its parent.
func (l *Log) add(parent, header *types.Header) error {
	extra, err := header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("extra data: %w", err)
	}
	set, err := l.set(header)
	if err != nil {
		return fmt.Errorf("validators: %w", err)
	}
	s := &l.sum
	if s.blocks == 0 {
		s.began = parent.Time
	}
	s.blocks++
	s.gas, s.capacity = s.gas+header.GasUsed, s.capacity+header.GasLimit
	s.longest = max(s.longest, header.Time-parent.Time)
	if extra.Round > 0 {
		s.late++
	}
	policy := *l.chain.Config().WBFTAt(header.Number.Uint64()).ProposerPolicy
	for round, validator := range set.Skipped(policy, parent, uint64(extra.Round)) {
		s.missedProposals[validator]++
		l.tellMissed(header, round, validator)
	}
	return l.addSeals(parent, extra)
}

// tellMissed writes the first missed proposal of a validator at once, and then one line a minute with their number. A
// validator that is down misses every turn, which would be some 28,000 lines a day in a network of four.
func (l *Log) tellMissed(header *types.Header, round int, validator common.Address) {
	m, known := l.missed[validator]
	m.since++
	if known && header.Time < m.told+60 {
		l.missed[validator] = m
		return
	}
	log.Warn("Proposal missed", "number", header.Number, "round", round, "validator", validator,
		"proposer", header.Coinbase, "missed", m.since)
	l.missed[validator] = missed{told: header.Time}
}

// addSeals counts who has not sealed a block, by what its child carries: late seals are in there too.
func (l *Log) addSeals(parent *types.Header, child *types.WBFTExtra) error {
	if parent.Number.Sign() == 0 || child.PrevCommittedSeal == nil {
		return nil
	}
	set, err := l.set(parent)
	if err != nil {
		return fmt.Errorf("validators: %w", err)
	}
	sealed, err := set.Sealed(child.PrevCommittedSeal)
	if err != nil {
		return fmt.Errorf("seals: %w", err)
	}
	for i, address := range set.Addresses() {
		switch {
		case !sealed[i]:
			l.sum.missedSeals[address]++
		case address == l.self:
			l.sum.sealed++
		}
	}
	return nil
}

// summarize returns the keys and values of the blocks since the last summary, nil for no block.
func (l *Log) summarize() []any {
	s := l.sum
	l.sum = newSummary()
	if s.blocks == 0 || l.last == nil {
		return nil
	}
	mean := float64(l.last.Time-s.began) / float64(s.blocks)
	keys := []any{
		"blocks", s.blocks, "number", l.last.Number, "interval", fmt.Sprintf("%.2fs", mean),
		"longest", fmt.Sprintf("%ds", s.longest), "gas", fmt.Sprintf("%d%%", s.gas*100/max(1, s.capacity)),
		"laterRounds", s.late, "missedProposals", counts(s.missedProposals), "missedSeals", counts(s.missedSeals),
	}
	if s.sealed+s.missedSeals[l.self] > 0 {
		keys = append(keys, "ownSeals", fmt.Sprintf("%d/%d", s.sealed, s.sealed+s.missedSeals[l.self]))
	}
	return keys
}

// counts writes how often each validator was counted, the most frequent first.
func counts(list map[common.Address]uint64) string {
	if len(list) == 0 {
		return "none"
	}
	order := slices.SortedFunc(maps.Keys(list), func(a, b common.Address) int {
		return cmp.Or(cmp.Compare(list[b], list[a]), a.Cmp(b))
	})
	parts := make([]string, len(order))
	for i, address := range order {
		parts[i] = fmt.Sprintf("%s:%d", address.Hex(), list[address])
	}
	return strings.Join(parts, ",")
}
