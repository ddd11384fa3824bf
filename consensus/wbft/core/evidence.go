// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// contradiction reports two messages of one validator of which an honest one sends only one, with the headers of the blocks that they
// name: a message names no chain, but a header names its parent.
func (c *Core) contradiction(kind Fault, signer common.Address, first, second []byte, blocks ...common.Hash) {
	c.emit(Misbehaviour{Kind: kind, Signer: signer, Evidence: [][]byte{first, second}, Headers: c.headersOf(blocks...)})
}

// headersOf returns the headers of those blocks of the sequence that are known here, each once.
func (c *Core) headersOf(hashes ...common.Hash) []*types.Header {
	var headers []*types.Header
	for i, hash := range hashes {
		if block := c.blocks.byHash(hash); block != nil && (i == 0 || hash != hashes[0]) {
			headers = append(headers, block.Header())
		}
	}
	return headers
}

// findForgotten looks for a COMMIT of a validator that one of its ROUND-CHANGEs to a later round knows nothing of: who has sent a
// COMMIT was prepared in that round, and says so ever after (spec wbft 5.1, 5.7). Neither message tells which came first.
func (c *Core) findForgotten(index int) {
	if c.forgetful[index] {
		return
	}
	for _, round := range pendingRounds(c.rounds) {
		commit := c.rounds[round].commits.bySender[index]
		if commit == nil || commit.bad {
			continue
		}
		for _, target := range pendingRounds(c.changes) {
			ch := c.changes[target].bySender[index]
			if target <= round || ch == nil || preparedRound(ch.message) > round {
				continue
			}
			c.forgetful[index] = true
			c.emit(ForgottenCommit{
				Signer:   c.set().At(index).Address,
				Evidence: [][]byte{commit.payload, ch.message.EncodeWith(nil, nil)},
				Headers:  c.headersOf(commit.digest),
			})
			return
		}
	}
}
