// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/validators"
	"gwon/core/rules"
	"gwon/internal/feed"
)

const (
	// shortWindow and longWindow are the numbers of blocks over which participation is computed.
	shortWindow, longWindow = 100, 1000

	// maxReason bounds the bytes of a reason in a label.
	maxReason = 200
	// labelCut ends a reason that is longer.
	labelCut = " ..."
)

// Chain is the part of core.BlockChain that an Observer uses.
type Chain interface {
	Config() *gethparams.ChainConfig
	CurrentBlock() *types.Header
	GetHeaderByNumber(number uint64) *types.Header
	SubscribeChainEvent(ch chan<- gethcore.ChainEvent) event.Subscription
}

// State is this node's part in the consensus. The reasons are empty for a node that signs.
type State struct {
	Sealing                bool
	Halted, Muted, Waiting string
}

// Config tells an Observer what it observes.
type Config struct {
	Chain Chain
	Self  common.Address
	// SetOf returns the validators in charge of sealing a block; SetAfter those of its child.
	SetOf, SetAfter func(*types.Header) (*validators.Set, error)
	// Next returns the validators that the next epoch has if its list stays as it is after a block.
	Next  func(*types.Header) ([]common.Address, error)
	State func() State
	Now   func() time.Time
}

// Observer keeps the metrics of chain and node up to date.
type Observer struct {
	cfg      Config
	families *families

	// Owned by Run.
	last        *types.Header // newest block that was counted; nil for none
	short, long *window
	stopped     State  // as it was last published
	failure     string // last error in the log
}

// New returns an observer that has seen no block.
func New(cfg Config) *Observer {
	nodeInfo.Update(metrics.GaugeInfoValue{
		"address": strings.ToLower(cfg.Self.Hex()), "chainid": cfg.Chain.Config().ChainID.String(),
	})
	o := &Observer{cfg: cfg, families: newFamilies(), short: newWindow(shortWindow), long: newWindow(longWindow)}
	o.publishStopped("none", "")
	return o
}

// Steps returns the measurement of the consensus steps of this node, for the driver.
func (o *Observer) Steps() *Steps { return &Steps{delays: o.families, now: o.cfg.Now} }

// Run observes new blocks until ctx ends. 256 may wait. Transactions of older ones are not counted then.
func (o *Observer) Run(ctx context.Context) {
	events, sub := feed.Relay(o.cfg.Chain.SubscribeChainEvent, 256)
	defer sub.Unsubscribe()
	ticker := time.Tick(5 * time.Second)
	o.report(o.restart(o.cfg.Chain.CurrentBlock()))
	o.report(o.poll())
	for {
		select {
		case e := <-events:
			o.report(o.observe(e))
		case <-ticker:
			o.report(o.poll())
		case <-ctx.Done():
			return
		case err := <-sub.Err():
			o.report(err)
			return
		}
	}
}

// report logs an error unless it is the one before.
func (o *Observer) report(err error) {
	if err == nil {
		o.failure = ""
	} else if o.failure != err.Error() {
		o.failure = err.Error()
		log.Warn("Metrics of blocks not updated", "err", err)
	}
}

// observe counts a new block and those since the last one.
func (o *Observer) observe(e gethcore.ChainEvent) error {
	header, now := e.Header, o.cfg.Now()
	age := now.Sub(time.Unix(int64(header.Time), 0))
	if age > rules.RecentHead {
		return nil
	}
	if err := o.catchUp(header); err != nil {
		return err
	}
	parent := o.last
	if err := o.add(header); err != nil {
		return err
	}
	headTimeGauge.Update(int64(header.Time))
	delayTimer.Update(max(age, 0))
	gasUsedCounter.Inc(int64(header.GasUsed))
	gasLimitCounter.Inc(int64(header.GasLimit))
	countDelegated(e.Transactions, e.Receipts)
	if parent == nil || parent.Hash() != header.ParentHash {
		return nil
	}
	intervalTimer.Update(time.Duration(header.Time-parent.Time) * time.Second)
	countInterval(header.Time - parent.Time)
	return o.countSeals(parent, header)
}

// countDelegated counts transactions, and those whose fees another account pays.
func countDelegated(txs types.Transactions, receipts types.Receipts) {
	payers := make(map[common.Address]struct{})
	for i, tx := range txs {
		payer := tx.FeePayer()
		if payer == nil {
			continue
		}
		payers[*payer] = struct{}{}
		delegatedCounter.Inc(1)
		if i < len(receipts) {
			delegatedGasCounter.Inc(int64(receipts[i].GasUsed))
		}
	}
	transactionsCounter.Inc(int64(len(txs)))
	feePayersGauge.Update(int64(len(payers)))
}

// catchUp fills the windows with the blocks between the last one and the parent of header, from the chain.
func (o *Observer) catchUp(header *types.Header) error {
	number := header.Number.Uint64()
	if o.last == nil || o.last.Number.Uint64() >= number || number-o.last.Number.Uint64() > longWindow {
		return o.restart(o.cfg.Chain.GetHeaderByNumber(number - 1))
	}
	return o.fill(o.last.Number.Uint64()+1, number-1)
}

// restart forgets all blocks and fills the windows with those up to head. A head that is not known leaves them empty.
func (o *Observer) restart(head *types.Header) error {
	o.last, o.short, o.long = nil, newWindow(shortWindow), newWindow(longWindow)
	if head == nil {
		return nil
	}
	number := head.Number.Uint64()
	return o.fill(number-min(number, longWindow), number)
}

// fill adds the blocks of a range to the windows. What a snap sync has left out is skipped.
func (o *Observer) fill(from, to uint64) error {
	for number := from; number <= to; number++ {
		if header := o.cfg.Chain.GetHeaderByNumber(number); header == nil {
			o.last = nil
		} else if err := o.add(header); err != nil {
			return err
		}
	}
	return nil
}

// add enters the parent's seals into the windows, whose late ones the child carries, and moves to the child.
func (o *Observer) add(header *types.Header) error {
	parent := o.last
	o.last = header
	set, err := o.cfg.SetAfter(header)
	if err != nil {
		return fmt.Errorf("validators after block %d: %w", header.Number, err)
	}
	o.families.keep(set, header.Number.Uint64())
	newestGauge.Update(header.Number.Int64())
	if parent == nil || parent.Number.Sign() == 0 || parent.Hash() != header.ParentHash {
		return nil
	}
	block, err := o.sealsOf(parent, header)
	if err != nil {
		return err
	}
	o.short.add(block)
	o.long.add(block)
	for i, address := range block.set.Addresses() {
		if block.by[i] {
			o.families.lastSealed.with(address, func(g *metrics.Gauge) { g.Update(parent.Number.Int64()) })
		}
	}
	for _, address := range set.Addresses() {
		o.families.shareShort.with(address, func(g *metrics.GaugeFloat64) { g.Update(o.short.share(address)) })
		o.families.shareLong.with(address, func(g *metrics.GaugeFloat64) { g.Update(o.long.share(address)) })
	}
	return nil
}

// sealsOf returns who has sealed a block: the COMMIT seals that it was stored with, and those that its child carries
// (spec wbft 1.1).
func (o *Observer) sealsOf(block, child *types.Header) (seals, error) {
	set, err := o.cfg.SetOf(block)
	if err != nil {
		return seals{}, fmt.Errorf("validators of block %d: %w", block.Number, err)
	}
	own, err := block.WBFTExtra()
	if err != nil {
		return seals{}, fmt.Errorf("extra data of block %d: %w", block.Number, err)
	}
	late, err := child.WBFTExtra()
	if err != nil {
		return seals{}, fmt.Errorf("extra data of block %d: %w", child.Number, err)
	}
	sealed, err := set.Sealed(own.CommittedSeal, late.PrevCommittedSeal)
	if err != nil {
		return seals{}, fmt.Errorf("seals of block %d: %w", block.Number, err)
	}
	return seals{set: set, by: sealed}, nil
}

// countSeals counts the seals of a block and the proposals of its child by validator.
func (o *Observer) countSeals(block, child *types.Header) error {
	if block.Number.Sign() > 0 {
		s := o.long.blocks[len(o.long.blocks)-1]
		for i, address := range s.set.Addresses() {
			if s.by[i] {
				increment(o.families.sealsGiven, address)
			} else {
				increment(o.families.sealsMissed, address)
			}
		}
	}
	set, err := o.cfg.SetOf(child)
	if err != nil {
		return fmt.Errorf("validators of block %d: %w", child.Number, err)
	}
	extra, err := child.WBFTExtra()
	if err != nil {
		return fmt.Errorf("extra data of block %d: %w", child.Number, err)
	}
	rounds[min(int(extra.Round), len(rounds)-1)].Inc(1)
	policy := *o.cfg.Chain.Config().WBFTAt(child.Number.Uint64()).ProposerPolicy
	for _, validator := range set.Skipped(policy, block, uint64(extra.Round)) {
		increment(o.families.proposalsMissed, validator)
	}
	increment(o.families.proposalsMade, child.Coinbase)
	return nil
}

// poll publishes what changes without a block: the state of this node. It also publishes epoch and configuration.
func (o *Observer) poll() error {
	o.pollState()
	head := o.cfg.Chain.CurrentBlock()
	headTimeGauge.Update(int64(head.Time))
	set, err := o.cfg.SetAfter(head)
	if err != nil {
		return fmt.Errorf("validators after block %d: %w", head.Number, err)
	}
	validatorGauge.Update(flag(set.Contains(o.cfg.Self)))
	number, config := head.Number.Uint64(), o.cfg.Chain.Config()
	settings := config.WBFTAt(number + 1)
	periodGauge.Update(int64(settings.BlockPeriodSeconds))
	timeoutGauge.Update(int64(settings.RequestTimeoutSeconds))
	epochBlockGauge.Update(int64(config.LastEpochBlock(number)))
	nextEpochGauge.Update(int64(config.LastEpochBlock(number) + settings.EpochLength))
	epochSizeGauge.Update(int64(set.Len()))
	quorumGauge.Update(int64(set.Quorum()))
	next, err := o.cfg.Next(head)
	if err != nil {
		return fmt.Errorf("validators of the epoch after block %d: %w", head.Number, err)
	}
	staying := 0
	for _, address := range next {
		if set.Contains(address) {
			staying++
		}
	}
	nextSizeGauge.Update(int64(len(next)))
	joiningGauge.Update(int64(len(next) - staying))
	leavingGauge.Update(int64(set.Len() - staying))
	return nil
}

// pollState publishes why this node signs nothing. A change of labels makes a new series, so that the same state is
// published once.
func (o *Observer) pollState() {
	state := o.cfg.State()
	sealingGauge.Update(flag(state.Sealing))
	if state == o.stopped {
		return
	}
	o.stopped = state
	switch {
	case state.Halted != "":
		o.publishStopped("halted", state.Halted)
	case state.Muted != "":
		o.publishStopped("muted", state.Muted)
	case state.Waiting != "":
		o.publishStopped("waiting", state.Waiting)
	default:
		o.publishStopped("none", "")
	}
}

func (o *Observer) publishStopped(state, reason string) {
	stoppedInfo.Update(metrics.GaugeInfoValue{"state": state, "reason": label(reason)})
}

// label makes the first sentence of text a label that every exporter can write: printable ASCII without quotes and
// backslashes. Later sentences name heads and remedies. They would make a series of their own for each block.
func label(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return ' '
		}
		return r
	}, text)
	if first, _, more := strings.Cut(text, ". "); more {
		text = first
	}
	if len(text) <= maxReason {
		return text
	}
	text = text[:maxReason-len(labelCut)]
	if word := strings.LastIndexByte(text, ' '); word > 0 {
		text = text[:word]
	}
	return text + labelCut
}

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}
