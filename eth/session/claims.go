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

// ErrClaim marks a claim that its peer could not keep.
var ErrClaim = errors.New("the peer claims what it cannot show")

// Claim returns the newest head the peer says it has, with its total difficulty (spec network 2.6). Nothing of it is proven.
func (ses *Session) Claim() (common.Hash, *big.Int) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return ses.head, new(big.Int).Set(ses.td)
}

// Raise moves the peer's head forward; a lower claim changes nothing.
func (ses *Session) Raise(head common.Hash, td *big.Int) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if td.Cmp(ses.td) > 0 {
		ses.head, ses.td = head, new(big.Int).Set(td)
	}
}

// Lower takes back a claim of more than a block's number.
func (ses *Session) Lower(chain *gethcore.BlockChain, number uint64) {
	td := TotalDifficulty(chain, number)
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if td.Cmp(ses.td) < 0 {
		ses.td = td
	}
}

// ClaimedNumber returns the number of the newest block that a peer says it has.
func (ses *Session) ClaimedNumber(chain *gethcore.BlockChain) uint64 {
	_, td := ses.Claim()
	return NumberAt(chain, td)
}

// TotalDifficulty returns the total difficulty of the block of a chain with this number, whether the chain has it or not.
func TotalDifficulty(chain *gethcore.BlockChain, number uint64) *big.Int {
	return rules.TotalDifficulty(chain.Genesis().Difficulty(), number)
}

// NumberAt returns the number of the block with a total difficulty, 0 for a total difficulty that no block of the chain can have.
func NumberAt(chain *gethcore.BlockChain, td *big.Int) uint64 {
	if number := new(big.Int).Sub(td, chain.Genesis().Difficulty()); number.IsUint64() {
		return number.Uint64()
	}
	return 0
}
