// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
)

// searchedBlocks is how far back own seals are looked for that the vote log does not know of. A validator that signs has a seal in
// one of so many blocks, or is not heard: what it signed before them is decided.
const searchedBlocks = 4096

// WaitingMessage is what the log says while this validator waits because votes of its key are lost.
const WaitingMessage = "THIS VALIDATOR WAITS: VOTES OF ITS KEY ARE LOST"

// FloorMessage is what the log says while this validator waits for the block with which its vote log begins.
const FloorMessage = "THIS VALIDATOR WAITS: ITS VOTE LOG BEGINS LATER"

var waitingGauge = metrics.NewRegisteredGauge("wbft/waiting", nil)

// restore gives the state machine what is in an open vote log.
func (d *Driver) restore(voteLog *votelog.Log, head *types.Header) error {
	sequences := voteLog.Sequences()
	if voteLog.Origin() == nil { // it has just been made
		if err := voteLog.SetOrigin(votelog.Origin{Since: d.present(head)}); err != nil {
			return err
		}
	}
	d.searched = voteLog.Floor()
	if n := len(sequences); n > 0 {
		d.searched = max(d.searched, sequences[n-1].Number)
	}
	if d.searched > 0 {
		d.searched-- // what is below was looked at when the log came so far
	}
	before := *voteLog.Origin()
	if err := d.searchLost(voteLog, head); err != nil {
		return err
	}
	// What the operator says holds for a wait that began before this start, too.
	if *voteLog.Origin() == before && isAccounted(before, head) && d.toldToSign(head) {
		if err := voteLog.SetOrigin(votelog.Origin{Since: d.present(head)}); err != nil {
			return err
		}
	}
	origin := voteLog.Origin()
	rec := core.Restored{Floor: voteLog.Floor(), Complete: origin.Since == 0, Since: origin.Since, Lost: origin.Lost}
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
	d.core.Restore(rec)
	return nil
}

// present is the time, in seconds since 1970, and not before the head: a clock that is far behind must not make the past look like the
// future.
func (d *Driver) present(head *types.Header) uint64 {
	return max(uint64(max(d.cfg.Engine.now().Unix(), 1)), head.Time)
}

// searchLost looks through the blocks that have come since it did so last for seals of this key that the vote log does not know of. If
// there are some the log was lost, or is an old one: what the key has signed for the next block, if anything, is not known.
func (d *Driver) searchLost(voteLog *votelog.Log, head *types.Header) error {
	number := head.Number.Uint64()
	from := max(d.searched, number-min(number, searchedBlocks)) + 1
	d.searched = max(d.searched, number) // the chain may be below, after removedb
	search := sealSearch{driver: d}
	for n := number; n >= from; n-- {
		header := d.cfg.Chain.GetHeaderByNumber(n)
		if header == nil {
			return nil // a snap sync leaves out what is far back
		}
		for _, sealed := range search.ownSeals(header) {
			if sealed >= from && !voteLog.Knows(sealed) && !isAccounted(*voteLog.Origin(), header) {
				return d.votesLost(voteLog, head, sealed)
			}
		}
	}
	return nil
}

// isAccounted tells whether votes for a block are known to be lost already.
func isAccounted(o votelog.Origin, header *types.Header) bool {
	return o.Lost && !core.MadeAfter(header, o.Since)
}

// votesLost notes that votes of this key are lost, so that nothing is signed until none of them can be contradicted, or, where the operator
// says so, that the network needs this validator all the same.
func (d *Driver) votesLost(voteLog *votelog.Log, head *types.Header, sealed uint64) error {
	origin := votelog.Origin{Since: d.present(head), Lost: !d.toldToSign(head, "sealed", sealed)}
	if err := voteLog.SetOrigin(origin); err != nil {
		return err
	}
	d.core.VotesLost(origin.Since, origin.Lost)
	return nil
}

// toldToSign tells whether the operator wants this validator to sign the block after the head in spite of votes that are lost. It logs what
// it was told.
func (d *Driver) toldToSign(head *types.Header, why ...any) bool {
	next := head.Number.Uint64() + 1
	switch d.cfg.SignFrom {
	case 0:
		return false
	case next:
		log.Warn("Votes of this validator are lost; it signs all the same, as it was told", append(why, "from", next)...)
		return true
	}
	log.Error("Votes of this validator are lost; the block that it was told to sign from is not the next one", "told", d.cfg.SignFrom, "next", next)
	return false
}

// wait is why a validator signs nothing for now.
type wait struct {
	message string // of the log
	reason  string
	lost    bool // votes are lost
}

// waitForLost is the wait for a block that was made after votes were lost, before block next.
func waitForLost(o votelog.Origin, next uint64) *wait {
	until := time.Unix(int64(o.Since), 0).Add(core.ClockTolerance)
	return &wait{WaitingMessage, fmt.Sprintf("the vote log does not have what this key has signed on this chain; it signs nothing before there is a block made after %s. "+
		"Should the network stand still without it, and only then, start all that wait with --validator.signfrom %d (docs/operate/runbooks/votes-lost.md)",
		until.UTC().Format(time.DateTime+" MST"), next), true}
}

// waitForFloor is the wait for the block with which the vote log begins, before block next.
func waitForFloor(floor, next uint64) *wait {
	return &wait{FloorMessage, fmt.Sprintf("the vote log begins at block %d, and does not have what this key has signed for earlier ones; it signs nothing before block %d, and "+
		"the next one is %d. It goes on by itself when the chain is there. Should the network not come so far, move votes.log away "+
		"(docs/operate/runbooks/votes-begin-later.md)", floor, floor, next), false}
}

// WaitingFor returns why a validator with this vote log signs nothing for the child of a block, in the words of Driver.Waiting, or "". The
// head is nil where there is no chain yet.
func WaitingFor(votes *votelog.Interchange, head *types.Header) string {
	s, next := &votes.Data[0], uint64(1)
	if head != nil {
		next = head.Number.Uint64() + 1
	}
	switch o := (votelog.Origin{Since: s.Since, Lost: s.Lost}); {
	case o.Lost && (head == nil || isAccounted(o, head)):
		return waitForLost(o, next).reason
	case next < s.Floor:
		return waitForFloor(s.Floor, next).reason
	}
	return ""
}

// noteWaiting looks whether this validator waits, and says it when that changes.
func (d *Driver) noteWaiting() {
	if d.voteLog == nil {
		return
	}
	var now *wait
	switch next := d.core.Status().Sequence; {
	case d.core.Waits():
		now = waitForLost(*d.voteLog.Origin(), next)
	case d.core.BelowFloor():
		now = waitForFloor(d.voteLog.Floor(), next)
	}
	was := d.waiting.Swap(now)
	switch {
	case now != nil && (was == nil || was.lost != now.lost):
		waitingGauge.Update(1)
		now.log()
	case now == nil && was != nil && was.lost:
		waitingGauge.Update(0)
		log.Info("This validator signs again: none of its lost votes can be contradicted any more", "sequence", d.core.Status().Sequence)
	case now == nil && was != nil:
		waitingGauge.Update(0)
		log.Info("This validator signs again: the chain is where its vote log begins", "sequence", d.core.Status().Sequence)
	}
}

func (w *wait) log() {
	if w.lost {
		log.Error(w.message, "reason", w.reason)
	} else {
		log.Warn(w.message, "reason", w.reason) // as after removedb, while the chain comes again
	}
}

// Waiting returns why this validator signs nothing for now, or "".
func (d *Driver) Waiting() string {
	if w := d.waiting.Load(); w != nil {
		return w.reason
	}
	return ""
}

// sealSearch finds own seals in headers; it remembers the place of this validator in the epoch looked at last.
type sealSearch struct {
	driver *Driver
	epoch  uint64
	known  bool
	size   int
	index  int // -1 outside the set
}

// ownSeals returns the numbers of the blocks that a header shows this validator to have signed: its own, and that of its parent.
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

// sealed tells whether a seal over a block has the part of this validator.
func (s *sealSearch) sealed(number uint64, seal *types.WBFTSeal) bool {
	if seal == nil || !s.find(number) {
		return false
	}
	indices, err := validators.DecodeSealers(seal.Sealers, s.size)
	if err != nil {
		return false
	}
	for _, i := range indices {
		if i == s.index {
			return true
		}
	}
	return false
}

// find looks up the place of this validator in the set of a block; false outside (spec wbft 3.1). The keys of the set are not needed.
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

// indexIn returns the place of a validator in epoch info; -1 for none.
func indexIn(info *types.EpochInfo, address common.Address) int {
	for i, c := range info.Validators {
		if uint64(c) < uint64(len(info.Candidates)) && info.Candidates[c].Address == address {
			return i
		}
	}
	return -1
}
