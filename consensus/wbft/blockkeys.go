// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

// BlockKeys returns the keys and values of a new block for the log: its seals out of the validators of set, the
// interval since its parent's timestamp, and the delay from its own timestamp to now.
func BlockKeys(chain consensus.ChainHeaderReader, block *types.Block, set *validators.Set, now time.Time) []any {
	header := block.Header()
	var round uint32
	sealers := 0
	if extra, err := header.WBFTExtra(); err == nil {
		round = extra.Round
		if seal := extra.CommittedSeal; seal != nil {
			indices, _ := validators.DecodeSealers(seal.Sealers, set.Len()) // verified before; none for a bad one
			sealers = len(indices)
		}
	}
	keys := []any{
		"number", header.Number, "hash", header.Hash(), "round", round, "seals", fmt.Sprintf("%d/%d", sealers, set.Len()),
	}
	parent := chain.GetHeader(header.ParentHash, header.Number.Uint64()-1)
	if parent != nil && parent.Time <= header.Time {
		keys = append(keys, "interval", time.Duration(header.Time-parent.Time)*time.Second)
	}
	delay := max(0, now.Sub(time.Unix(int64(header.Time), 0)))
	return append(keys, "delay", common.PrettyDuration(delay), "txs", len(block.Transactions()), "gas", header.GasUsed,
		"proposer", header.Coinbase)
}
