// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"golang.org/x/time/rate"

	"gwon/consensus/wbft"
	"gwon/core"
	"gwon/core/rules"
)

// reminder is the shortest time between two log lines about one cause: forged history, or missing code, which fails
// every import.
const reminder = time.Minute

var forgedMeter = metrics.NewRegisteredMeter("gwon/safety/forged", nil)

// Safety handles blocks that a quorum has sealed and that do not fit the local chain, from any source. The network
// has decided a block that this node cannot follow, so it must not vote and must report it (spec wbft 7.5). It is
// safe for concurrent use.
type Safety struct {
	chain     *gethcore.BlockChain
	engine    *wbft.Engine
	halt      func(reason string)               // stops sealing
	violation func(reason string)               // the same, and counts a violation of safety
	reported  *lru.Cache[common.Hash, struct{}] // conflicting blocks, each of which is reported once
	refused   func(number uint64, rule error)   // is told of refused blocks

	rival           atomic.Pointer[string] // newest second block that a quorum has sealed
	forged, lacking rate.Sometimes         // lines of the log about forged history, and missing code
}

// NewSafety returns what judges sealed blocks. halt stops sealing with a reason; violation does that too, and counts a
// violation of safety.
func NewSafety(chain *gethcore.BlockChain, engine *wbft.Engine, halt, violation func(string)) *Safety {
	return &Safety{
		chain: chain, engine: engine, halt: halt, violation: violation,
		reported: lru.NewCache[common.Hash, struct{}](1024), refused: func(uint64, error) {},
		forged: rate.Sometimes{Interval: reminder}, lacking: rate.Sometimes{Interval: reminder},
	}
}

// Watch has a function told of each block that a quorum has sealed and that a rule refuses here. It is called before
// anything else.
func (s *Safety) Watch(refused func(number uint64, rule error)) { s.refused = refused }

// Halt stops sealing with a reason.
func (s *Safety) Halt(reason string) { s.halt(reason) }

// Refused reports a block with good seals that the chain did not accept, with the chain's error. The caller must not
// ask for errors that only tell that the node is being stopped.
func (s *Safety) Refused(block *types.Block, err error) {
	switch {
	case errors.Is(err, gethcore.ErrFinalReorg): // the block itself, or one before it that was not known, forks the chain
		s.report(block.Header())
		return
	case errors.Is(err, wbft.ErrOversized) && rules.SizeOf(block) == rules.Doubtful:
		s.refused(block.NumberU64(), wbft.ErrOversized)
		log.Warn("Sealed block refused", "number", block.Number(), "hash", block.Hash(), "bytes", uint64(block.Size()),
			"reason", err)
		return
	case errors.Is(err, core.ErrMissingCode): // the network is right, and goes on here once the code has come
		s.lacking.Do(func() {
			log.Error("The chain stands here until the contract code of an upgrade is supplied", "block", block.NumberU64(),
				"err", err)
		})
		return
	}
	s.refused(block.NumberU64(), err)
	s.halt(fmt.Sprintf("block %d [%v], sealed by a quorum, is refused here: %v", block.NumberU64(), block.Hash(), err))
}

// Conflict reports a header that a quorum has sealed at a decided height with another block: two quorums have decided
// differently. The error means that the seals are invalid, which is the sender's fault. A header with unknown
// ancestors is ignored.
func (s *Safety) Conflict(header *types.Header) error {
	number := header.Number.Uint64()
	if here := s.chain.GetCanonicalHash(number); number == 0 || here == (common.Hash{}) || here == header.Hash() {
		return nil
	}
	switch err := s.engine.Sealed(s.chain, []*types.Header{header}); {
	case err == nil:
		s.report(header)
		return nil
	case errors.Is(err, consensus.ErrUnknownAncestor):
		return nil
	default:
		return err
	}
}

// report handles a second block that a quorum has sealed. In this epoch or the previous one, the current validators
// have decided twice. An older one needs only the keys of former validators. Such history is refused and counted, and
// does not stop the current validators.
func (s *Safety) report(header *types.Header) {
	hash, number := header.Hash(), header.Number.Uint64()
	if s.reported.Contains(hash) {
		return
	}
	s.reported.Add(hash, struct{}{})
	here := s.chain.GetCanonicalHash(number)
	rival := fmt.Sprintf("block %d is %v here, but a quorum has also sealed %v", number, here, hash)
	s.rival.Store(&rival)
	if number > s.recent() {
		s.violation("safety violation: " + rival)
		return
	}
	forgedMeter.Mark(1)
	s.forged.Do(func() {
		log.Error("Forged history: old validator keys have sealed a second block", "number", number, "here", here, "other",
			hash)
	})
}

// Rival describes a second block that a quorum of present or former validators has sealed; empty for none since the
// start.
func (s *Safety) Rival() string {
	if rival := s.rival.Load(); rival != nil {
		return *rival
	}
	return ""
}

// recent returns the newest block of the epoch before the last completed one.
func (s *Safety) recent() uint64 {
	config, head := s.chain.Config(), s.chain.CurrentBlock().Number.Uint64()
	last := config.LastEpochBlock(head)
	if last == 0 {
		return 0
	}
	return config.LastEpochBlock(last - 1)
}
