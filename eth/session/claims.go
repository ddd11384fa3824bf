// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"

	"gwon/core/rules"
)

// ErrClaim marks a claim that the peer could not prove.
var ErrClaim = errors.New("the peer cannot prove its claim")

// Claim returns the newest head that the peer claims, with its total difficulty (spec network 2.6). The claim is
// unproven.
func (ses *Session) Claim() (common.Hash, *big.Int) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return ses.head, new(big.Int).Set(ses.td)
}

// Raise moves the claimed head forward; a lower claim has no effect.
func (ses *Session) Raise(head common.Hash, td *big.Int) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if td.Cmp(ses.td) > 0 {
		ses.head, ses.td = head, new(big.Int).Set(td)
	}
}

// Lower reduces a claim above a block number to that number.
func (ses *Session) Lower(chain *gethcore.BlockChain, number uint64) {
	td := TotalDifficulty(chain, number)
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if td.Cmp(ses.td) < 0 {
		ses.td = td
	}
}

// ClaimedNumber returns the number of the newest block that a peer claims.
func (ses *Session) ClaimedNumber(chain *gethcore.BlockChain) uint64 {
	_, td := ses.Claim()
	return NumberAt(chain, td)
}

// TotalDifficulty returns the total difficulty at a block number, which may be above the head.
func TotalDifficulty(chain *gethcore.BlockChain, number uint64) *big.Int {
	return rules.TotalDifficulty(chain.Genesis().Difficulty(), number)
}

// NumberAt returns the block number with a total difficulty, 0 if no block of the chain can have it.
func NumberAt(chain *gethcore.BlockChain, td *big.Int) uint64 {
	if number := new(big.Int).Sub(td, chain.Genesis().Difficulty()); number.IsUint64() {
		return number.Uint64()
	}
	return 0
}
