// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// ValidateBasic is the gate for blocks of an Anzeon chain that come from outside: pushed or fetched blocks,
// proposals, blocks in prepared certificates, and blocks from the vote log. It needs neither chain nor state.
//
// The hash of a block covers only its header without the seals, so a true header can come with any body. A block that
// passes has a header of this chain's form and exactly the body of the header. Two blocks that pass with one hash
// differ at most in their seals (spec wbft 1.4). An error accuses the deliverer, not the author of the header.
func ValidateBasic(block *types.Block) error {
	if block == nil {
		return errors.New("no block")
	}
	header := block.Header()
	if err := ValidateHeader(header); err != nil {
		return fmt.Errorf("malformed header: %w", err)
	}
	if n := len(block.Uncles()); n > 0 {
		return fmt.Errorf("surplus body: %d uncles", n)
	}
	if block.Withdrawals() != nil {
		return errors.New("surplus body: withdrawals")
	}
	if block.AccessList() != nil {
		return errors.New("surplus body: access list")
	}
	for i, tx := range block.Transactions() {
		if tx.BlobTxSidecar() != nil {
			return fmt.Errorf("surplus body: transaction %d has a blob sidecar", i)
		}
	}
	if root := types.DeriveSha(block.Transactions(), trie.NewStackTrie(nil)); root != header.TxHash {
		return fmt.Errorf("transactions have root %v, the header says %v", root, header.TxHash)
	}
	return nil
}

// ValidateHeader checks what every header of this chain has in common after block 0 (spec wbft 1).
func ValidateHeader(header *types.Header) error {
	switch {
	case header.Number == nil || !header.Number.IsUint64() || header.Number.Sign() == 0:
		return errors.New("block number out of range")
	case header.Difficulty == nil || !header.Difficulty.IsUint64() || header.Difficulty.Uint64() != 1:
		// With another difficulty the hash would not be free of the block's own seals (spec wbft 1.4).
		return errors.New("difficulty is not 1")
	case header.UncleHash != types.EmptyUncleHash:
		return errors.New("commits to uncles")
	case header.BaseFee == nil:
		return errors.New("no base fee")
	case header.WithdrawalsHash != nil || header.BlobGasUsed != nil || header.ExcessBlobGas != nil ||
		header.ParentBeaconRoot != nil || header.RequestsHash != nil || header.BlockAccessListHash != nil ||
		header.SlotNumber != nil:
		return errors.New("has fields of a fork that this chain does not have")
	}
	other := *header
	other.Extra = nil // has a bound of its own: a header that was proposed must pass once it is sealed, too
	if err := other.SanityCheck(); err != nil {
		return err
	}
	return checkExtra(header.Extra)
}
