// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Submissions fills in and submits transactions like the eth methods, for services in front of these methods.
type Submissions struct{ *transactions }

// NewSubmissions returns the submissions of a node.
func NewSubmissions(b Backend) *Submissions { return &Submissions{newTransactions(b)} }

// Fill completes the arguments to the transaction that the sender signs. A fee payer in the arguments is ignored.
func (s *Submissions) Fill(ctx context.Context, args Arguments) (*types.Transaction, error) {
	return s.fill(ctx, args)
}

// Submit adds a signed transaction to the pool and returns its hash.
func (s *Submissions) Submit(ctx context.Context, tx *types.Transaction) (common.Hash, error) {
	return s.submit(ctx, tx)
}
