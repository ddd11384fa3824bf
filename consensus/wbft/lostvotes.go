// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
)

// WaitingMessage is the log message of a validator that waits because votes of its key are lost.
const WaitingMessage = "THIS VALIDATOR WAITS: VOTES OF ITS KEY ARE LOST"

// FloorMessage is the log message of a validator that waits for the low watermark of its vote log.
const FloorMessage = "THIS VALIDATOR WAITS: ITS VOTE LOG BEGINS LATER"

var waitingGauge = metrics.NewRegisteredGauge("wbft/waiting", nil)

// restore loads the records of an open vote log into the core.
func (r *run) restore(head *types.Header) error {
	sequences := r.voteLog.Sequences()
	if r.voteLog.Origin() == nil { // it has just been made
		if err := r.voteLog.SetOrigin(votelog.Origin{Since: r.present(head)}); err != nil {
			return err
		}
	}
	r.searched = r.voteLog.Floor()
	if n := len(sequences); n > 0 {
		r.searched = max(r.searched, sequences[n-1].Number)
	}
	if r.searched > 0 {
		r.searched-- // what is below was looked at when the log came so far
	}
	before := *r.voteLog.Origin()
	if err := r.searchLost(head); err != nil {
		return err
	}
	// SignFrom also ends a wait that began before this start.
	if *r.voteLog.Origin() == before && isAccounted(before, head) && r.toldToSign(head) {
		if err := r.voteLog.SetOrigin(votelog.Origin{Since: r.present(head)}); err != nil {
			return err
		}
	}
	origin := r.voteLog.Origin()
	rec := core.Restored{
		LowWatermark: r.voteLog.Floor(),
		Complete:     origin.Since == 0,
		Since:        origin.Since,
		Lost:         origin.Lost,
	}
	for _, s := range sequences {
		r := core.RestoredSequence{Sequence: s.Number}
		for _, v := range s.Records {
			r.Votes = append(r.Votes, core.Vote(v))
		}
		if s.Lock != nil {
			r.Lock = s.Lock.Certificate
		}
		rec.Sequences = append(rec.Sequences, r)
	}
	r.core.Restore(rec)
	return nil
}

// AuthorOf returns the signer of a recorded message. The error says that record and message differ.
func AuthorOf(r votelog.Record) (common.Address, error) {
	m, err := messages.Decode(r.Code, r.Payload)
	if err != nil {
		return common.Address{}, err
	}
	if view := (messages.View{Sequence: r.Sequence, Round: r.Round}); m.View() != view || signing.Subject(m) != r.Digest {
		return common.Address{}, fmt.Errorf("it is recorded as one of view %v for %v, and is of view %v for %v", view,
			r.Digest, m.View(), signing.Subject(m))
	}
	return m.Signer()
}

// present returns the time in seconds since 1970, at least the time of the head. The bound protects against a clock
// that is far behind.
func (r *run) present(head *types.Header) uint64 {
	return max(uint64(max(r.cfg.Engine.now().Unix(), 1)), head.Time)
}

// searchLost searches new blocks for own seals that the vote log lacks. Such a seal proves that the vote log was lost
// or is an old copy, so votes for the next block are unknown. An active validator has a seal in one of 4,096 blocks;
// earlier sequences are decided.
func (r *run) searchLost(head *types.Header) error {
	number := head.Number.Uint64()
	from := max(r.searched, number-min(number, 4096)) + 1
	r.searched = max(r.searched, number) // the chain may be below, after removedb
	search := sealSearch{driver: r.driver}
	for n := number; n >= from; n-- {
		header := r.cfg.Chain.GetHeaderByNumber(n)
		if header == nil {
			return nil // a snap sync leaves out what is far back
		}
		for _, sealed := range search.ownSeals(header) {
			if sealed >= from && !r.voteLog.Knows(sealed) && !isAccounted(*r.voteLog.Origin(), header) {
				return r.votesLost(head, sealed)
			}
		}
	}
	return nil
}

// isAccounted reports whether the votes for a block are recorded as lost.
func isAccounted(o votelog.Origin, header *types.Header) bool {
	return o.Lost && !core.MadeAfter(header, o.Since)
}

// votesLost records that votes of this key are lost. Nothing is signed until none of them can be contradicted, unless
// the operator has set SignFrom to the next block.
func (r *run) votesLost(head *types.Header, sealed uint64) error {
	origin := votelog.Origin{Since: r.present(head), Lost: !r.toldToSign(head, "sealed", sealed)}
	if err := r.voteLog.SetOrigin(origin); err != nil {
		return err
	}
	r.core.VotesLost(origin.Since, origin.Lost)
	return nil
}

// toldToSign reports whether SignFrom names the next block, and logs the decision.
func (r *run) toldToSign(head *types.Header, why ...any) bool {
	next := head.Number.Uint64() + 1
	switch r.cfg.SignFrom {
	case 0:
		return false
	case next:
		log.Warn("Signing resumed despite lost votes", append(why, "from", next)...)
		return true
	}
	log.Error("Signing not resumed", "reason", "--validator.signfrom does not name the next block",
		"signFrom", r.cfg.SignFrom, "next", next)
	return false
}

// AdoptedTolerance is the most that the clocks of validators may be ahead of that of a node which takes over the
// directory of another program. core.ClockTolerance is for a moment that is not known.
const AdoptedTolerance = 5 * time.Second

// AdoptedOrigin returns the origin of the vote log of a key whose last process kept none and has ended before a time,
// as the lock of its directory proves. head is the newest block in the directory. future is the seconds that a block
// may be ahead of a validator's clock (docs/consensus.md, Why the wait of rule 8 is sufficient).
func AdoptedOrigin(ended time.Time, head *types.Header, future uint64) votelog.Origin {
	until := max(uint64(max(ended.Unix(), 0)), head.Time) + uint64(AdoptedTolerance/time.Second) + future
	return votelog.Origin{Since: until - min(until, uint64(core.ClockTolerance/time.Second)), Lost: true}
}

// wait is the reason for a waiting validator.
type wait struct {
	message string // of the log
	reason  string
	lost    bool // votes are lost
}

// waitForLost returns the wait, before block next, for a block made after the votes were lost. next is 0 without a
// chain, which names no block to sign from.
func waitForLost(o votelog.Origin, next uint64) *wait {
	until := time.Unix(int64(o.Since), 0).Add(core.ClockTolerance)
	remedy := "get the chain first, then ask gwon status for the number of --validator.signfrom"
	if next > 0 { // a backup or an old copy may end before blocks that are final elsewhere
		remedy = fmt.Sprintf("ask all nodes, followers too: where none has a block after %d, start all that wait with "+
			"--validator.signfrom %d", next-1, next)
	}
	return &wait{
		WaitingMessage,
		fmt.Sprintf(
			"the vote log does not have what this key has signed on this chain; "+
				"it signs nothing before there is a block made after %s. "+
				"Should the network stand still without it, and only then, %s (docs/operate/runbooks/votes-lost.md)",
			until.UTC().Format(time.DateTime+" MST"),
			remedy,
		),
		true,
	}
}

// waitForLowWatermark returns the wait, before block next, for the low watermark of the vote log.
func waitForLowWatermark(floor, next uint64) *wait {
	return &wait{
		FloorMessage,
		fmt.Sprintf(
			"the vote log begins at block %d, and does not have what this key has signed for earlier ones; "+
				"it signs nothing before that block. The next one is %d. It goes on by itself when the chain is there. "+
				"Should the network not come so far, move votes.log away (docs/operate/runbooks/votes-begin-later.md)",
			floor,
			next,
		),
		false,
	}
}

// WaitingFor returns why a validator with this vote log would not sign the child of head, as Driver.Waiting does, or
// "". head is nil without a chain.
func WaitingFor(votes *votelog.Interchange, head *types.Header) string {
	s, next := &votes.Data[0], uint64(0)
	if head != nil {
		next = head.Number.Uint64() + 1
	}
	switch o := (votelog.Origin{Since: s.Since, Lost: s.Lost}); {
	case o.Lost && (head == nil || isAccounted(o, head)):
		return waitForLost(o, next).reason
	case max(next, 1) < s.Floor:
		return waitForLowWatermark(s.Floor, max(next, 1)).reason
	}
	return ""
}

// noteWaiting updates whether this validator waits, and logs changes.
func (r *run) noteWaiting() {
	if r.voteLog == nil {
		return
	}
	var now *wait
	switch next := r.core.Status().Sequence; {
	case r.core.Waits():
		now = waitForLost(*r.voteLog.Origin(), next)
	case r.core.BelowLowWatermark():
		now = waitForLowWatermark(r.voteLog.Floor(), next)
	}
	was := r.driver.waiting.Swap(now)
	switch {
	case now != nil && (was == nil || was.lost != now.lost):
		waitingGauge.Update(1)
		now.log()
	case now == nil && was != nil && was.lost:
		waitingGauge.Update(0)
		log.Info("Signing resumed", "sequence", r.core.Status().Sequence,
			"reason", "none of the lost votes can be contradicted any more")
	case now == nil && was != nil:
		waitingGauge.Update(0)
		log.Info("Signing resumed", "sequence", r.core.Status().Sequence,
			"reason", "the chain has reached the first block of the vote log")
	}
}

func (w *wait) log() {
	if w.lost {
		log.Error(w.message, "reason", w.reason)
	} else {
		log.Warn(w.message, "reason", w.reason) // as after removedb, while the chain comes again
	}
}

// Waiting returns why this validator waits, or "".
func (d *Driver) Waiting() string {
	if keeper := d.keeper(); keeper != nil && keeper.Away() != "" {
		return keeper.Away()
	}
	if w := d.waiting.Load(); w != nil {
		return w.reason
	}
	return ""
}

// sealSearch finds own seals in headers. It caches the index of this validator in the latest epoch.
type sealSearch struct {
	driver *Driver
	epoch  uint64
	known  bool
	size   int
	index  int // -1 outside the set
}

// ownSeals returns the numbers of blocks that this validator has signed by a header: the block and its parent.
func (s *sealSearch) ownSeals(header *types.Header) (numbers []uint64) {
	number := header.Number.Uint64()
	if number == 0 {
		return nil
	}
	x, err := header.WBFTExtra()
	if err != nil {
		return nil
	}
	if header.Coinbase == s.driver.address || s.sealed(number, x.PreparedSeal) || s.sealed(number, x.CommittedSeal) {
		numbers = append(numbers, number)
	}
	if number > 1 && (s.sealed(number-1, x.PrevPreparedSeal) || s.sealed(number-1, x.PrevCommittedSeal)) {
		numbers = append(numbers, number-1)
	}
	return numbers
}

// sealed reports whether a seal over a block includes this validator.
func (s *sealSearch) sealed(number uint64, seal *types.WBFTSeal) bool {
	if seal == nil || !s.find(number) {
		return false
	}
	indices, err := validators.DecodeSealers(seal.Sealers, s.size)
	if err != nil {
		return false
	}
	return slices.Contains(indices, s.index)
}

// find finds the index of this validator in the set of a block and reports whether there is one (spec wbft 3.1). The
// BLS keys are not needed.
func (s *sealSearch) find(number uint64) bool {
	epoch := s.driver.cfg.Engine.config.LastEpochBlock(number - 1)
	if !s.known || s.epoch != epoch {
		s.known, s.epoch, s.size, s.index = true, epoch, 0, -1
		if header := s.driver.cfg.Chain.GetHeaderByNumber(epoch); header != nil {
			if info, err := epochInfo(header); err == nil {
				s.size, s.index = len(info.Validators), indexIn(info, s.driver.address)
			}
		}
	}
	return s.index >= 0
}

// indexIn returns the index of a validator in epoch info; -1 for none.
func indexIn(info *types.EpochInfo, address common.Address) int {
	for i, c := range info.Validators {
		if uint64(c) < uint64(len(info.Candidates)) && info.Candidates[c].Address == address {
			return i
		}
	}
	return -1
}
