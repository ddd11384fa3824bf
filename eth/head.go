// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"fmt"
	"math/big"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"

	"gwon/core"
)

// watchHead follows the head of the chain until ctx ends.
func (s *Service) watchHead(ctx context.Context, heads <-chan gethcore.ChainHeadEvent, sub event.Subscription) {
	defer sub.Unsubscribe()
	for {
		select {
		case head := <-heads: // the current head may be newer and not on disk yet
			if err := s.followHead(head.Header); err != nil {
				log.Error("Chain head not applied", "err", err)
			}
		case <-ctx.Done():
			return
		case <-sub.Err(): //nolint:errcheck // the chain is closing
			return
		}
	}
}

// followHead gives the tip of the next block to the pool and its validators to the peer table.
func (s *Service) followHead(head *types.Header) error {
	set, err := s.engine.ValidatorsAfter(s.chain, head)
	if err != nil {
		return fmt.Errorf("validators after block %d: %w", head.Number, err)
	}
	s.peers.Follow(head, set)
	s.messages.Follow(set, time.Unix(int64(head.Time), 0))
	tip, err := s.governedTip(head)
	if err != nil {
		return err
	}
	if s.tip == nil || tip.Cmp(s.tip) != 0 {
		s.ethereum.TxPool().SetGasTip(tip)
		s.tip = tip
	}
	return nil
}

// governedTip returns the tip in wei that the child of head must carry (spec transactions 3.2).
func (s *Service) governedTip(head *types.Header) (*big.Int, error) {
	state, err := s.chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return nil, fmt.Errorf("state of block %d: %w", head.Number, err)
	}
	return core.GasTip(state, s.chain.Config().Anzeon.SystemContracts.GovValidator.Address), nil
}
