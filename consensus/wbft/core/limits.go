// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
)

// This file holds the bounds on what the core examines and keeps for others. Those on one message are in messages,
// those on messages that wait for the core in package wbft, and those on one connection in eth/session.

const (
	// roundWindow is the number of rounds above the current one of which votes and proposals are kept (spec wbft 5.4),
	// and below it of which they still count towards a decision.
	roundWindow = 10

	// maxFreeBytes bounds in bytes what is free in the extra data of a new proposal: the client text, of which both
	// clients write 32 bytes (spec wbft 1.3), and zeros behind the bitmaps of the previous seals, which both clients
	// leave out (spec wbft 2.5). They cost their proposer nothing, and no node can prune them.
	maxFreeBytes = 1024

	// maxRejected bounds the invalid proposals of one view that are executed. An honest proposer makes one proposal.
	maxRejected = 2

	// aheadSteps is the number of blocks for which the gas limit may have grown in a block of the next sequence.
	aheadSteps = 2
)

// Bounds on useless messages of deliverers (deliveries.go).
const (
	// smallMessage is a size in bytes above that of a message without block, certificate and justification. Only
	// larger messages are costly.
	smallMessage = 512

	// maxUseless bounds the large useless messages of a deliverer that are screened in one round. An honest one relays
	// at most one a round that go-stablenet accepts and this client does not.
	maxUseless = 4

	// strangersUseless and maxStrangersUseless bound those of all nodes outside the set together. Above the first
	// number each node has one, above the second none. Identities cost nothing, so their number is no bound.
	strangersUseless    = 64
	maxStrangersUseless = 1024

	// maxFailures bounds the failed unsigned parts that a deliverer may send in a sequence. An honest author sends
	// none (docs/adr/0006-unsigned-parts-accuse-nobody.md).
	maxFailures = 2

	// maxNamed bounds the signatures whose relayers are named, of all relayers together, in memory.
	maxNamed = 1 << 16

	// failureMemory is the number of sequences for which the failures of an author are remembered.
	failureMemory = 16
)

// Bounds on what is kept. One sender has messages.ShareBytes of the backlog: the largest proposal and every vote in the
// window fit.
const (
	// maxMemberBytes bounds the early messages of all validators together. An honest set has one proposal of 10 MiB
	// under way and small votes. Without room the validator with most loses a message; one below its equal share loses
	// none.
	maxMemberBytes = 64 << 20

	// maxStrangers and maxStrangerBytes bound early messages of senders outside the known sets, all together and in each
	// sequence. They may be validators of the next epoch (spec wbft 9.2 no. 5).
	maxStrangers     = 64
	maxStrangerBytes = 2 * messages.ShareBytes

	// maxBlocks bounds the proposals of a sequence that are kept with their encoding: one for each round in which votes
	// still count, and some from certificates. A forgotten one is examined again.
	maxBlocks = roundWindow + 6

	// maxCertificates bounds the certificates of a sequence that are kept. In a round a quorum prepares one block.
	maxCertificates = 2 * roundWindow

	// maxProven bounds the verified PREPAREs that are kept, for each validator. An honest one sends one a round.
	maxProven = 4 * roundWindow

	// maxGaps bounds the pairs of validators that are remembered.
	maxGaps = 4096
)

// checkFresh returns an error for a new proposal that would be too large once n validators change rounds with it or
// have sealed it. docs/consensus.md lists these bounds. A prepared block has none: it may be decided elsewhere.
func checkFresh(block *types.Block, size, n int) error {
	if most := messages.MaxProposal(n); size > most {
		return fmt.Errorf("block has %d bytes, at most %d are allowed among %d validators", size, most, n)
	}
	x, err := block.Header().WBFTExtra()
	if err != nil {
		return nil // the gate returns this error
	}
	zeros := rules.SealPadding(x.PrevPreparedSeal) + rules.SealPadding(x.PrevCommittedSeal)
	if free := len(x.Vanity) + zeros; free > maxFreeBytes {
		return fmt.Errorf("the extra data has %d bytes of client text and %d zeros behind previous seals, at most %d "+
			"together are allowed", len(x.Vanity), zeros, maxFreeBytes)
	}
	sealed, err := rules.SealedBlockSize(block.Header(), size, n)
	if err != nil {
		return err
	}
	if sealed > rules.MaxBlock {
		return fmt.Errorf("block sealed by %d validators has %d bytes, at most %d are allowed", n, sealed, rules.MaxBlock)
	}
	if sealed := rules.SealedExtraSize(x, n); sealed > rules.MaxExtra {
		return fmt.Errorf("extra data sealed by %d validators has %d bytes, at most %d are allowed",
			n, sealed, rules.MaxExtra)
	}
	return nil
}

// fits reports whether a payload can be sent. A receiver ends the connection for a larger one (spec wbft 4.1).
func fits(payload []byte) bool { return len(payload) <= messages.Limit() }

// unsendable returns the effect that replaces a message above the limit.
func (c *Core) unsendable(code uint64, payload []byte) Failed {
	return Failed{Err: fmt.Errorf("message %#x of sequence %d, round %d has %d bytes, at most %d can be sent",
		code, c.sequence, c.round, len(payload), messages.Limit())}
}
