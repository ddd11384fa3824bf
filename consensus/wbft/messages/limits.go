// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"math"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/internal/scale"
)

// This file holds the bounds on one message, and the sizes that bounds on many messages are made of. Package core says
// in its limits.go which bounds are elsewhere.

const (
	// MaxSize is the largest payload of a message in bytes (spec wbft 4.1).
	MaxSize = 10 * 1024 * 1024

	// MaxStored bounds what is stored of a message, in bytes: it, a certificate of the same size, and a margin.
	MaxStored = 32 << 20

	// MaxSmall is the largest payload of a small message in bytes. Votes are small, and so are ROUND-CHANGEs without a
	// block.
	MaxSmall = 64 << 10

	// ShareBytes holds the largest message and the usual small ones of a node. A node has as many bytes wherever its
	// messages wait.
	ShareBytes = MaxSize + 1<<20

	// viewMessages is the number of messages that an honest validator has for a view: PRE-PREPARE, PREPARE, COMMIT,
	// ROUND-CHANGE, a better supported one, and a repetition. A connection brings those of all validators at most.
	viewMessages = 6

	// viewsAtOnce is the number of views whose messages may come at once. A connection without a frame for 30 s ends, and
	// a view lasts a second on average, so one that stood still brings those of 30 views.
	viewsAtOnce = 32

	// viewsRelayed is the number of views whose messages of one author are relayed at once. Rounds of absent proposers
	// take an eighth of a second.
	viewsRelayed = 8

	// MaxListLength bounds the lists of a justification. No list needs more items than there are validators.
	MaxListLength = 4096
)

// largestVote and largestChange are the encoded sizes in bytes of the largest PREPARE or COMMIT, and of the largest
// signed part of a ROUND-CHANGE.
var (
	largestVote = len(
		encode(
			voteWire{
				voteBody{math.MaxUint64, math.MaxUint32, common.Hash{}, make([]byte, SealLength)},
				make([]byte, SignatureLength),
			},
		),
	)
	largestChange = len(encode(signedRoundChangeWire{
		roundChangeBody{math.MaxUint64, math.MaxUint32, &PreparedClaim{Round: math.MaxUint32}}, make([]byte, SignatureLength),
	}))
)

// Allowance returns how many messages an honest node has for another one at once, among n validators, and the time in
// which one more is added.
func Allowance(n int) (burst int, each time.Duration) {
	n = max(n, 1)
	return viewsAtOnce * viewMessages * n, time.Second / time.Duration(viewMessages*n)
}

// Relayed returns how many messages of an author, of a size in bytes, a node relays at once, and the time in which one
// more is added. A large one counts as all messages of a view.
func Relayed(size int) (burst int, each time.Duration) {
	if size > MaxSmall {
		return viewsRelayed, time.Second
	}
	return viewsRelayed * viewMessages, time.Second / viewMessages
}

// Limit returns the size in bytes of the largest payload that a receiver accepts: MaxSize, or less in simulations.
func Limit() int { return scale.MaxMessage }

// MaxProposal returns the most bytes that the RLP of a proposal among n validators may have. Such a proposal fits into
// every later message: a PRE-PREPARE with the ROUND-CHANGEs and PREPAREs of all, which is the largest, a ROUND-CHANGE
// with their PREPAREs, and a NewBlock of eth, whose bound is MaxSize, too.
func MaxProposal(n int) int {
	block := Limit() / 2 // any size whose lists have headers as long as those of the largest block
	return Limit() - (justifiedSize(block, n) - block)
}

// justifiedSize returns the size of the largest PRE-PREPARE with a block, and ROUND-CHANGEs and PREPAREs of n
// validators.
func justifiedSize(block, n int) int {
	size := func(content int) int { return int(rlp.ListSize(uint64(content))) }
	body := size(rlp.IntSize(math.MaxUint64) + rlp.IntSize(math.MaxUint32) + block)
	signed := size(body + len(encode(make([]byte, SignatureLength))))
	return size(signed + size(size(n*largestChange)+size(n*largestVote)))
}
