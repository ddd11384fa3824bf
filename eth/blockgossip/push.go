// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core/rules"
	"gwon/eth/session"
)

// A peer pushes each block once, about one a second; go-stablenet pushes a few twice (spec network 2.6). Honest peers
// push at most 25 blocks far behind, during a sync or from a stalled connection. Blocks far ahead come as long as this
// node is behind.
const (
	pushedAtOnce = 64
	pushedEach   = time.Second / 2
	staleEach    = 10 * time.Second // of those far behind
)

var (
	pushedMeter    = metrics.NewRegisteredMeter("gwon/import/refused/pushed", nil)
	staleMeter     = metrics.NewRegisteredMeter("gwon/import/refused/stale", nil)
	gasMeter       = metrics.NewRegisteredMeter("gwon/import/refused/gas", nil)
	malformedMeter = metrics.NewRegisteredMeter("gwon/import/malformed", nil)
)

// HandleNewBlock takes a block that a peer pushed. Its transactions are decoded last, when nothing else speaks against
// the block.
func (im *Importer) HandleNewBlock(ses *session.Session, packet *protocol.NewBlockPacket) error {
	if !ses.Pushed.Spend(pushedAtOnce, pushedEach) {
		pushedMeter.Mark(1)
		im.refuse(ses, fmt.Errorf("pushed more than %d blocks, and then one in %v", pushedAtOnce, pushedEach))
		return nil
	}
	outline, err := rules.OutlineBlock(packet.Block)
	if err == nil && len(outline.Header.Extra) > rules.MaxExtra {
		// No node of the network takes such a block by a push. Nodes that have it announce it, too.
		if !ses.Stale.Spend(pushedAtOnce, staleEach) {
			staleMeter.Mark(1)
			im.refuse(ses, fmt.Errorf("pushed more than %d blocks that no node takes, the last with %d bytes of extra data",
				pushedAtOnce, len(outline.Header.Extra)))
		}
		return nil
	}
	if err == nil {
		err = outline.Header.SanityCheck()
	}
	if err != nil {
		malformedMeter.Mark(1)
		im.refuse(ses, fmt.Errorf("pushed block is malformed: %w", err))
		return nil
	}
	header := outline.Header
	hash, number := header.Hash(), header.Number.Uint64()
	ses.Has(hash)
	if want := session.TotalDifficulty(im.chain, number); packet.TD.Cmp(want) != 0 {
		im.refuse(ses, fmt.Errorf("pushed block %d with total difficulty %v, it is %v", number, packet.TD, want))
		return nil
	}
	if !im.near(number) {
		if head := im.chain.CurrentBlock().Number.Uint64(); number < head && !ses.Stale.Spend(pushedAtOnce, staleEach) {
			staleMeter.Mark(1)
			im.refuse(ses, fmt.Errorf("pushed more than %d blocks that are long decided, then block %d, head is %d",
				pushedAtOnce, number, head))
			return nil
		}
		im.raise(ses, packet.TD, header)
		return nil
	}
	if im.has(hash, number) || im.queue.contains(hash, ses) {
		im.raise(ses, packet.TD, header)
		return nil
	}
	is := im.admit(ses, header)
	if is == forged {
		return nil
	}
	im.raise(ses, packet.TD, header)
	if is == open || is == sealed {
		im.receive(arrival{from: ses, sealed: is == sealed}, outline, packet.Block)
	}
	return nil
}

// receive decodes a block that a peer pushed, and keeps it if it passes the gate. Large ones are decoded one at a time:
// the memory for them is that of one, also when several peers push.
func (im *Importer) receive(a arrival, outline *rules.Outline, raw []byte) {
	header := outline.Header
	most := gasLimitAt(im.chain.CurrentBlock(), header.Number.Uint64())
	if err := outline.CheckGas(min(header.GasLimit, most)); err != nil {
		gasMeter.Mark(1)
		im.refuse(a.from, fmt.Errorf("pushed block %d is malformed: %w", header.Number, err))
		return
	}
	if len(raw) > 1<<20 { // large ones are decoded one at a time
		im.decoding.Lock()
		defer im.decoding.Unlock()
	}
	if !im.queue.room(a, im.child(header), len(raw)+outline.Transactions*rules.TransactionMemory) {
		im.shown(a, header)
		return
	}
	a.block = new(types.Block)
	if err := rlp.DecodeBytes(raw, a.block); err != nil {
		malformedMeter.Mark(1)
		im.refuse(a.from, fmt.Errorf("pushed block %d is malformed: %w", header.Number, err))
		return
	}
	if err := rules.ValidateBasic(a.block); err != nil {
		im.malformed(a.from, a.block, err)
		return
	}
	a.block = rules.TrimSeals(a.block)
	a.block.ReceivedAt, a.block.ReceivedFrom = time.Now(), a.from.Peer
	im.enqueue(a)
}

// gasLimitAt returns the highest gas limit that a block of a number can have above a head.
func gasLimitAt(head *types.Header, number uint64) uint64 {
	limit := rules.MaxGasLimit(head)
	for n := head.Number.Uint64() + 1; n < number; n++ {
		limit = rules.MaxGasLimit(&types.Header{GasLimit: limit})
	}
	return limit
}

// raise notes what the pushing peer certainly has: the parent (spec network 2.6).
func (im *Importer) raise(ses *session.Session, td *big.Int, header *types.Header) {
	ses.Raise(header.ParentHash, new(big.Int).Sub(td, header.Difficulty))
	im.ahead.Claimed()
}

// malformed handles a pushed block that fails the gate and has no wrong seals. go-stablenet compares uncles and
// transactions and verifies the seals before it relays a block, so none of its honest nodes sends such a block. It
// checks withdrawals only at the import, after the relay (spec network 2.6). A peer with a valid block and
// withdrawals may therefore be honest.
func (im *Importer) malformed(ses *session.Session, block *types.Block, reason error) {
	malformedMeter.Mark(1)
	if block.Withdrawals() != nil && block.AccessList() == nil {
		body := types.Body{Transactions: block.Transactions(), Uncles: block.Uncles()}
		sound := types.NewBlockWithHeader(block.Header()).WithBody(body)
		if rules.ValidateBasic(sound) == nil {
			ses.Peer.Log().Debug("Pushed block ignored", "number", block.Number(), "hash", block.Hash(), "err", reason)
			return
		}
	}
	im.refuse(ses, fmt.Errorf("pushed block %d is malformed: %w", block.Number(), reason))
}
