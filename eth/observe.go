// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/eth/observer"
)

// newObserver returns the observer of the chain, or nil for a node without metrics.
func (s *Service) newObserver() *observer.Observer {
	if !metrics.Enabled() {
		return nil
	}
	return observer.New(observer.Config{
		Chain: s.chain,
		Self:  s.address,
		SetOf: s.ValidatorsForHeader,
		SetAfter: func(head *types.Header) (*validators.Set, error) {
			return s.engine.ValidatorsAfter(s.chain, head)
		},
		Next: s.nextValidators,
		State: func() observer.State {
			return observer.State{
				Sealing: s.Sealing(), Halted: s.driver.Halted(), Muted: s.driver.Muted(), Waiting: s.driver.Waiting(),
			}
		},
		Now: time.Now,
	})
}

// nextValidators returns the registered validators with a BLS key in the state of a block. They are the next epoch's
// validators if the block is its epoch block (spec wbft 3.5).
func (s *Service) nextValidators(head *types.Header) ([]common.Address, error) {
	state, err := s.chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return nil, fmt.Errorf("state of block %d: %w", head.Number, err)
	}
	contract := s.chain.Config().SystemContractsAt(head.Number.Uint64()).GovValidator.Address
	list, err := core.ValidatorList(state, contract)
	if err != nil {
		return nil, err
	}
	next := make([]common.Address, 0, len(list))
	for _, address := range list {
		key, err := core.BLSKey(state, contract, address)
		if err != nil {
			return nil, err
		}
		if len(key) > 0 {
			next = append(next, address)
		}
	}
	return next, nil
}
