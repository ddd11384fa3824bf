// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/tracker"
	"github.com/ethereum/go-ethereum/rlp"
)

// receiptList68 is the receipts of a block in eth/68: each in its consensus form with its bloom, a typed one as a byte
// string (spec network 2.2).
type receiptList68 = rlp.RawList[rlp.RawValue]

// ReceiptsPacket68 answers GetReceipts.
type ReceiptsPacket68 struct {
	RequestId uint64
	List      rlp.RawList[receiptList68]
}

func handleGetReceipts68(backend Backend, msg Decoder, peer *Peer) error {
	var query GetReceiptsPacket69
	if err := msg.Decode(&query); err != nil {
		return fmt.Errorf("GetReceipts: %w", err)
	}
	list, err := serviceGetReceiptsQuery68(backend.Chain(), query.GetReceiptsRequest)
	if err != nil {
		return fmt.Errorf("GetReceipts: %w", err)
	}
	return p2p.Send(peer.rw, ReceiptsMsg, &ReceiptsPacket68{query.RequestId, list})
}

// serviceGetReceiptsQuery68 collects receipts block by block, in order and without unknown hashes. It counts bytes with
// blooms, which can be most of an answer, and never exceeds the size of a message (spec network 2.3).
func serviceGetReceiptsQuery68(chain *core.BlockChain, query GetReceiptsRequest) (rlp.RawList[receiptList68], error) {
	var (
		out   rlp.RawList[receiptList68]
		limit = uint64(maxMessageSize - 1024) // leaves room for the request id and the heads of the lists
	)
	for lookups := range query {
		if out.Size() >= softResponseLimit || out.Len() >= maxReceiptsServe || lookups >= 2*maxReceiptsServe {
			break
		}
		blocks := ServiceGetReceiptsQuery69(chain, query[lookups:lookups+1])
		lists, err := blocks.Items()
		if err != nil {
			return out, err
		}
		if len(lists) == 0 {
			continue
		}
		enc, err := lists[0].encode68()
		if err != nil {
			return out, fmt.Errorf("receipts of block %x: %w", query[lookups], err)
		}
		if len(enc) == 1 && !hasNoReceipts(chain, query[lookups]) {
			break // not stored here: no peer could give them when the block came
		}
		if out.Size()+uint64(len(enc)) > limit {
			break
		}
		if err := out.AppendRaw(enc); err != nil {
			return out, err
		}
	}
	return out, nil
}

// hasNoReceipts reports whether a block has no receipts by its header.
func hasNoReceipts(chain *core.BlockChain, hash common.Hash) bool {
	header := chain.GetHeaderByHash(hash)
	return header != nil && header.ReceiptHash == types.EmptyReceiptsHash
}

// skipOverlong treats an answer that is larger than a message as an empty one, and reports whether msg is such an
// answer. Honest nodes send them because go-stablenet ends an answer after the item that exceeds 2 MiB, whatever its
// size.
func skipOverlong(peer *Peer, msg p2p.Msg) (bool, error) {
	var dispatch func(id uint64) error
	switch {
	case peer.version != ETH68:
		return false, nil
	case msg.Code == ReceiptsMsg:
		dispatch = func(id uint64) error { return dispatchReceipts(id, nil, peer) }
	case msg.Code == BlockBodiesMsg:
		dispatch = func(id uint64) error {
			return peer.dispatchResponse(&Response{id: id, code: BlockBodiesMsg, Res: new(BlockBodies68)}, nil)
		}
	default:
		return false, nil
	}
	stream := rlp.NewStream(msg.Payload, uint64(msg.Size))
	if _, err := stream.List(); err != nil {
		return true, fmt.Errorf("overlong answer %#x: %w", msg.Code, err)
	}
	id, err := stream.Uint64()
	if err != nil {
		return true, fmt.Errorf("overlong answer %#x: request: %w", msg.Code, err)
	}
	if err := peer.tracker.Fulfil(tracker.Response{ID: id, MsgCode: msg.Code}); err != nil {
		return true, fmt.Errorf("overlong answer %#x: %w", msg.Code, err)
	}
	peer.Log().Debug("Answer skipped", "code", msg.Code, "bytes", msg.Size, "most", maxMessageSize)
	return true, dispatch(id)
}

// encode68 returns the list with blooms.
func (rl *ReceiptList) encode68() ([]byte, error) {
	var (
		bloomBuf [6]byte
		buf      bytes.Buffer
		w        = rlp.NewEncoderBuffer(nil)
		outer    = w.List()
	)
	for it := rl.items.ContentIterator(); it.Next(); {
		var r Receipt
		if err := r.decode(it.Value()); err != nil {
			return nil, err
		}
		buf.Reset()
		r.encodeForHash(&bloomBuf, &buf)
		if r.TxType == types.LegacyTxType {
			w.Write(buf.Bytes())
		} else {
			w.WriteBytes(buf.Bytes())
		}
	}
	w.ListEnd(outer)
	return w.ToBytes(), nil
}

func handleReceipts68(backend Backend, msg Decoder, peer *Peer) error {
	id, items, err := readAnswer(msg, peer, ReceiptsMsg)
	if err != nil {
		return fmt.Errorf("message Receipts: %w", err)
	}
	lists := make([]*ReceiptList, len(items))
	for i, raw := range items {
		if lists[i], err = decodeReceiptList68(raw); err != nil {
			return fmt.Errorf("message Receipts: list %d: %w", i, err)
		}
	}
	return dispatchReceipts(id, lists, peer)
}

// decodeReceiptList68 drops the blooms. They need no check of their own because the receipts root of the answer is
// computed from blooms that are made from the logs.
func decodeReceiptList68(raw []byte) (*ReceiptList, error) {
	out := new(ReceiptList)
	it, err := rlp.NewListIterator(raw)
	if err != nil {
		return nil, err
	}
	for i := 0; it.Next(); i++ {
		enc, err := decodeReceipt68(it.Value())
		if err != nil {
			return nil, fmt.Errorf("receipt %d: %w", i, err)
		}
		if err := out.items.AppendRaw(enc); err != nil {
			return nil, fmt.Errorf("receipt %d: %w", i, err)
		}
	}
	return out, it.Err()
}

// decodeReceipt68 turns a receipt with bloom into [type, status or root, cumulative gas, logs].
func decodeReceipt68(raw []byte) ([]byte, error) {
	kind, content, rest, err := rlp.Split(raw)
	if err != nil {
		return nil, err
	}
	if len(rest) != 0 {
		return nil, errors.New("bytes after the receipt")
	}
	txType := byte(types.LegacyTxType)
	if kind != rlp.List {
		if len(content) == 0 || content[0] == types.LegacyTxType || content[0] > 0x7f {
			return nil, errors.New("byte string without a transaction type")
		}
		txType = content[0]
		if content, rest, err = rlp.SplitList(content[1:]); err != nil {
			return nil, fmt.Errorf("type %d: %w", txType, err)
		}
		if len(rest) != 0 {
			return nil, fmt.Errorf("type %d: bytes after the receipt", txType)
		}
	}
	_, afterStatus, err := rlp.SplitString(content)
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	_, afterGas, err := rlp.SplitUint64(afterStatus)
	if err != nil {
		return nil, fmt.Errorf("cumulative gas: %w", err)
	}
	bloom, logs, err := rlp.SplitString(afterGas)
	if err != nil {
		return nil, fmt.Errorf("bloom: %w", err)
	}
	if len(bloom) != types.BloomByteLength {
		return nil, fmt.Errorf("bloom has %d bytes, want %d", len(bloom), types.BloomByteLength)
	}
	statusAndGas := content[:len(content)-len(afterGas)]

	w := rlp.NewEncoderBuffer(nil)
	l := w.List()
	w.WriteUint64(uint64(txType))
	w.Write(statusAndGas)
	w.Write(logs)
	w.ListEnd(l)
	enc := w.ToBytes()
	var r Receipt
	if err := r.decode(enc); err != nil { // lengths, and nothing after the logs
		return nil, err
	}
	return enc, nil
}
