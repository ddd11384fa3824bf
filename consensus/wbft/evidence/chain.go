// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/validators"
)

// ErrNoBlock is returned for a block that a database does not have.
var ErrNoBlock = errors.New("is not in the chain there")

// storedHeader returns the canonical header of a number. The error wraps ErrNoBlock.
func storedHeader(db ethdb.Reader, number uint64) (*types.Header, error) {
	header := rawdb.ReadHeader(db, rawdb.ReadCanonicalHash(db, number), number)
	if header == nil {
		return nil, fmt.Errorf("block %d %w", number, ErrNoBlock)
	}
	return header, nil
}

// StoredSet returns the validators of a sequence, at least 1, of the chain in a database (spec wbft 3.4). The error
// wraps ErrNoBlock where the chain ends before the sequence.
func StoredSet(db ethdb.Reader, config *params.ChainConfig, sequence uint64) (*validators.Set, error) {
	epoch, err := storedHeader(db, config.LastEpochBlock(sequence-1))
	if err != nil {
		return nil, err
	}
	x, err := epoch.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("extra data of block %d: %w", epoch.Number, err)
	}
	set, err := validators.FromEpochInfo(x.EpochInfo)
	if err != nil {
		return nil, fmt.Errorf("epoch block %d: %w", epoch.Number, err)
	}
	return set, nil
}
