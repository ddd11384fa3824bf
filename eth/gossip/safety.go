// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package gossip

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
)

// reportedConflicts is how many conflicting blocks are remembered, so that each is reported once however often it comes.
const reportedConflicts = 1024

// Safety judges blocks that a quorum has sealed and that do not fit this chain, whichever way they came: the network has
// decided something that this node cannot follow, and it must neither vote on nor keep quiet (spec wbft 7.5). It is safe for
// concurrent use.
type Safety struct {
	chain     *core.BlockChain
	engine    *wbft.Engine
	halt      func(reason string) // stops sealing
	violation func(reason string) // the same, and counts a violation of safety
	reported  *lru.Cache[common.Hash, struct{}]
}

// NewSafety returns what judges sealed blocks. halt stops sealing with a reason; violation does that too, and counts a violation of
// safety.
func NewSafety(chain *core.BlockChain, engine *wbft.Engine, halt, violation func(string)) *Safety {
	return &Safety{chain, engine, halt, violation, lru.NewCache[common.Hash, struct{}](reportedConflicts)}
}

// Halt stops sealing with a reason.
func (s *Safety) Halt(reason string) { s.halt(reason) }

// Refused reports a block with good seals that the chain did not accept, with the chain's error. The caller must not ask for
// errors that only tell that the node is being stopped.
func (s *Safety) Refused(block *types.Block, err error) {
	if errors.Is(err, core.ErrFinalReorg) { // the block itself, or one before it that was not known, forks the chain
		s.report(block.Header())
		return
	}
	s.halt(fmt.Sprintf("block %d [%v], sealed by a quorum, is refused here: %v", block.NumberU64(), block.Hash(), err))
}

// Conflict reports a header at a height that is decided, if a quorum has sealed it and another block is there: two quorums
// have voted for different blocks, whatever the header holds otherwise. The error tells that its seals are no good, which is
// its sender's fault; a header whose ancestors are not known here says nothing.
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

func (s *Safety) report(header *types.Header) {
	hash := header.Hash()
	if s.reported.Contains(hash) {
		return
	}
	s.reported.Add(hash, struct{}{})
	number := header.Number.Uint64()
	s.violation(fmt.Sprintf("safety violation: block %d is %v here, but a quorum has also sealed %v", number, s.chain.GetCanonicalHash(number), hash))
}
