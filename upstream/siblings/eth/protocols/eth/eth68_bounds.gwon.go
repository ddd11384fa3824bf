// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/tracker"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
)

// Bounds of single messages in bytes, far above what an honest node of either client sends (spec network 2.3, 2.5).
const (
	// maxPushedTransactions: a message of whole transactions is closed at 100 KiB, and its last transaction has at most
	// 4 KiB.
	maxPushedTransactions = 256 << 10

	// maxPooledTransactions: an answer is closed at 2 MiB, and its last transaction has at most 256 KiB.
	maxPooledTransactions = softResponseLimit + 512<<10

	// maxAnnounced: a message is closed at 3,200 hashes, each with its kind and size.
	maxAnnounced = 256 << 10

	// maxBlocksAnnounced: 1,500 blocks, of which a client announces one or two at a time.
	maxBlocksAnnounced = 64 << 10

	// maxQuery: 5,900 hashes, of which a client asks for 256 at a time and no more than 4,096 are looked up.
	maxQuery = 192 << 10

	// maxAsked is how many headers, bodies or lists of receipts a node asks for at a time at most.
	maxAsked = maxHeadersServe
)

// ErrTooLarge ends the connection to a peer that has sent a message larger than any honest one of its kind.
var ErrTooLarge = errors.New("message is larger than any of its kind")

// UnreadPacket stands for a message of whole transactions that is larger than any honest one and that was not read.
type UnreadPacket struct{ Size uint32 }

// Name implements Packet.
func (*UnreadPacket) Name() string { return "Transactions" }

// Kind implements Packet.
func (*UnreadPacket) Kind() byte { return TransactionsMsg }

// sizeOf returns the size of an encoded message in bytes.
func sizeOf(msg Decoder) uint32 {
	if m, ok := msg.(p2p.Msg); ok {
		return m.Size
	}
	return 0
}

// atMost returns a handler that ends the connection when a message of a kind has more bytes than a limit, before it is
// decoded.
func atMost(kind string, limit uint32, handle msgHandler) msgHandler {
	return func(backend Backend, msg Decoder, peer *Peer) error {
		if size := sizeOf(msg); size > limit {
			return fmt.Errorf("%s: %w: %d bytes, at most %d are allowed", kind, ErrTooLarge, size, limit)
		}
		return handle(backend, msg, peer)
	}
}

// handleTransactions68 leaves a message of absurd size to the backend, unread.
func handleTransactions68(backend Backend, msg Decoder, peer *Peer) error {
	if size := sizeOf(msg); size > maxPushedTransactions {
		return backend.Handle(peer, &UnreadPacket{size})
	}
	return handleTransactions(backend, msg, peer)
}

// handleBlockHeaders68 decodes headers that were asked for.
func handleBlockHeaders68(_ Backend, msg Decoder, peer *Peer) error {
	id, items, err := readAnswer(msg, peer, BlockHeadersMsg)
	if err != nil {
		return fmt.Errorf("BlockHeaders: %w", err)
	}
	headers := make(BlockHeadersRequest, len(items))
	for i, raw := range items {
		headers[i] = new(types.Header)
		if err := rlp.DecodeBytes(raw, headers[i]); err != nil {
			return fmt.Errorf("BlockHeaders: header %d: %w", i, err)
		}
	}
	hashes := func() any {
		list := make([]common.Hash, len(headers))
		for i := range headers {
			list[i] = headers[i].Hash()
		}
		return list
	}
	return peer.dispatchResponse(&Response{id: id, code: BlockHeadersMsg, Res: &headers}, hashes)
}

// handleGetBlockBodies68 answers with as many bodies as fit into a message. Upstream ends an answer after the body that
// exceeds its soft limit, so that a body of nearly 10 MiB behind others would make a message that ends the connection
// (spec network 2.3).
func handleGetBlockBodies68(backend Backend, msg Decoder, peer *Peer) error {
	var query GetBlockBodiesPacket
	if err := msg.Decode(&query); err != nil {
		return fmt.Errorf("GetBlockBodies: %w", err)
	}
	bodies := ServiceGetBlockBodiesQuery(backend.Chain(), query.GetBlockBodiesRequest)
	size := 0
	for i, body := range bodies {
		if size += len(body); size > maxMessageSize-1024 {
			bodies = bodies[:i]
			break
		}
	}
	return peer.ReplyBlockBodiesRLP(query.RequestId, bodies)
}

// BlockBodies68 are encoded bodies in answer to a request.
type BlockBodies68 []rlp.RawValue

// handleBlockBodies68 hands bodies on still encoded: who has asked for them compares each with its header first. Ten
// bytes become 400 when they are decoded, and the root of 10 MiB of the shortest transactions takes a second.
func handleBlockBodies68(_ Backend, msg Decoder, peer *Peer) error {
	id, items, err := readAnswer(msg, peer, BlockBodiesMsg)
	if err != nil {
		return fmt.Errorf("BlockBodies: %w", err)
	}
	return peer.dispatchResponse(&Response{id: id, code: BlockBodiesMsg, Res: (*BlockBodies68)(&items)}, nil)
}

// readAnswer reads an answer and checks that it was asked for. Its items stay encoded and share memory. No more of them
// are counted than any request asks for: ten million empty ones take a quarter of a second.
func readAnswer(msg Decoder, peer *Peer, code uint64) (request uint64, items []rlp.RawValue, err error) {
	var answer struct {
		RequestId uint64
		List      rlp.RawValue
	}
	if err := msg.Decode(&answer); err != nil {
		return 0, nil, err
	}
	content, _, err := rlp.SplitList(answer.List)
	if err != nil {
		return 0, nil, err
	}
	for len(content) > 0 {
		if len(items) == maxAsked {
			return 0, nil, fmt.Errorf("%w: more than %d items", ErrTooLarge, maxAsked)
		}
		_, _, rest, err := rlp.Split(content)
		if err != nil {
			return 0, nil, fmt.Errorf("item %d: %w", len(items), err)
		}
		items = append(items, content[:len(content)-len(rest):len(content)-len(rest)])
		content = rest
	}
	err = peer.tracker.Fulfil(tracker.Response{ID: answer.RequestId, MsgCode: code, Size: len(items)})
	return answer.RequestId, items, err
}

// Roots returns the transaction root and the hash of the uncles by which a header names the body.
func (b *BlockBody) Roots() (transactions, uncles common.Hash) {
	uncles = types.EmptyUncleHash
	if b.Uncles.Len() > 0 {
		uncles = crypto.Keccak256Hash(b.Uncles.Bytes())
	}
	return types.DeriveSha(newDerivableRawList(&b.Transactions, writeTxForHash), trie.NewStackTrie(nil)), uncles
}
