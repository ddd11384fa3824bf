// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// contradiction reports two messages of a validator of which an honest one sends only one. The headers of their blocks
// come with them: a message names no chain, but a header names its parent.
func (c *Core) contradiction(kind Fault, author common.Address, first, second []byte, blocks ...common.Hash) {
	evidence := [][]byte{first, second}
	c.emit(Misbehavior{Kind: kind, Author: author, Evidence: evidence, Headers: c.headersOf(blocks...)})
}

// headersOf returns the headers of the blocks of the sequence that are known here, each once.
func (c *Core) headersOf(hashes ...common.Hash) []*types.Header {
	var headers []*types.Header
	for i, hash := range hashes {
		if block := c.certs.blocks.byHash(hash); block != nil && (i == 0 || hash != hashes[0]) {
			headers = append(headers, block.Header())
		}
	}
	return headers
}

// findForgotten reports a COMMIT of a validator that one of its ROUND-CHANGEs to a later round leaves out. A sender of
// a COMMIT was prepared in that round, and claims so from then on (spec wbft 5.1, 5.7).
func (c *Core) findForgotten(index int) {
	if c.reportedForgotten[index] {
		return
	}
	for _, round := range sortedRounds(c.rounds) {
		commit := c.rounds[round].commits.bySender[index]
		if commit == nil || commit.bad {
			continue
		}
		for _, target := range sortedRounds(c.roundChanges) {
			ch := c.roundChanges[target].bySender[index]
			if target <= round || ch == nil || support(ch.message) > round {
				continue
			}
			c.reportedForgotten[index] = true
			c.emit(ForgottenCommit{
				Author:   c.set().At(index).Address,
				Evidence: [][]byte{commit.payload, ch.message.EncodeWith(nil, nil)},
				Headers:  c.headersOf(commit.digest),
			})
			return
		}
	}
}
