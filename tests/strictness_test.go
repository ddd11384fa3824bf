// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"crypto/rand"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"gwon/consensus/wbft/messages"
	"gwon/internal/must"
)

// raw sends bytes as a message.
func raw(rw p2p.MsgWriter, code uint64, payload []byte) error {
	return rw.WriteMsg(p2p.Msg{Code: code, Size: uint32(len(payload)), Payload: bytes.NewReader(payload)})
}

// A message that the protocol does not allow costs the peer its connection, and never more than that; what it allows
// to ignore costs nothing (spec network 2.2 to 2.6, 3, 6).
func TestForbiddenMessages(t *testing.T) {
	c := oneNode(t)
	key, to := emptyAccount(t)
	tx := func(data types.TxData) *types.Transaction {
		return must.Get(types.SignNewTx(key, types.NewCancunSigner(big.NewInt(chainID)), data))(t)
	}
	transfer := tx(&types.LegacyTx{To: &to, Gas: 21000, GasPrice: common.Big1})
	many := make([]*types.Transaction, 5001) // short enough that the message is read
	for i := range many {
		many[i] = types.NewTx(&types.LegacyTx{Nonce: uint64(i)})
	}
	blob := tx(&types.BlobTx{ChainID: uint256.NewInt(chainID), To: to, BlobHashes: []common.Hash{{1}}})
	noise := make([]byte, messages.MaxSize+1) // does not compress
	rand.Read(noise)
	head := c.block(t, 0, "latest")
	block := func(change func(*types.Header)) []any {
		header := &types.Header{
			ParentHash: head.Hash, UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash,
			ReceiptHash: types.EmptyReceiptsHash,
			Difficulty:  common.Big1, Number: new(big.Int).SetUint64(uint64(head.Number) + 20), GasLimit: 105_000_000,
			BaseFee: common.Big1,
			Time:    uint64(head.Time) + 20, Extra: []byte{0xc0},
		}
		change(header)
		return []any{[]any{header, []any{}, []any{}}, big.NewInt(100)}
	}
	send := func(code uint64, value any) func(*link) error {
		return func(l *link) error { return p2p.Send(l.eth, code, value) }
	}
	junk := func(code uint64) func(*link) error {
		return func(l *link) error { return raw(l.eth, code, []byte("junk")) }
	}
	consensus := func(code uint64, payload []byte) func(*link) error {
		return func(l *link) error { return raw(l.istanbul, code, payload) }
	}
	for _, test := range []struct {
		name    string
		say     func(*link) error
		allowed bool
	}{
		{"second Status", send(protocol.StatusMsg, []any{}), false},
		{"undecodable announcement", junk(protocol.NewBlockHashesMsg), false},
		{"undecodable transactions", junk(protocol.TransactionsMsg), false},
		{"undecodable request", junk(protocol.GetBlockHeadersMsg), false},
		{"undecodable block", junk(protocol.NewBlockMsg), false},
		{"undecodable transaction announcement", junk(protocol.NewPooledTransactionHashesMsg), false},
		{"code 0x0b", send(0x0b, []any{}), false},
		{"code 0x0e", send(0x0e, []any{}), false},
		{"answer to nothing", send(protocol.BlockHeadersMsg, []any{uint64(77), []any{}}), false},
		{"more than 5000 transactions", send(protocol.TransactionsMsg, many), false},
		{"the same transaction twice", send(protocol.TransactionsMsg, []*types.Transaction{transfer, transfer}), false},
		{"blob transaction", send(protocol.TransactionsMsg, []*types.Transaction{blob}), false},
		{"announcement of unequal lists", send(protocol.NewPooledTransactionHashesMsg,
			[]any{[]byte{2}, []uint32{}, []common.Hash{{1}}}), false},
		{"message above 10 MiB", func(l *link) error { return raw(l.eth, protocol.TransactionsMsg, noise) }, false},
		{"block with a total difficulty of 101 bits", send(protocol.NewBlockMsg, []any{
			block(func(*types.Header) {})[0], new(big.Int).Lsh(common.Big1, 100),
		}), false},
		{"block with an extra of more than 100 KiB, which others may have decided",
			send(protocol.NewBlockMsg, block(func(h *types.Header) { h.Extra = make([]byte, 100<<10+1) })), true},
		{"block with a number of 65 bits", send(protocol.NewBlockMsg,
			block(func(h *types.Header) { h.Number = new(big.Int).Lsh(common.Big1, 64) })), false},
		{"block without seals on the head's child", func(l *link) error {
			now := c.block(t, 0, "latest") // the chain has gone on
			return send(protocol.NewBlockMsg, block(func(h *types.Header) {
				h.ParentHash, h.Time = now.Hash, uint64(now.Time)+1
				h.Number.SetUint64(uint64(now.Number) + 1)
			}))(l)
		}, false},
		{"consensus message above 10 MiB", consensus(messages.CodePrePrepare, noise), false},

		{"block without a base fee", send(protocol.NewBlockMsg, block(func(h *types.Header) { h.BaseFee = nil })), false},
		{"block with another body", send(protocol.NewBlockMsg, block(func(h *types.Header) { h.TxHash = common.Hash{1} })),
			false},
		{"block of difficulty 0", send(protocol.NewBlockMsg, block(func(h *types.Header) { h.Difficulty = new(big.Int) })),
			false},
		{"block with another total difficulty than its own",
			send(protocol.NewBlockMsg, block(func(h *types.Header) { h.Number.SetUint64(1 << 50) })), false},
		{"empty announcement", send(protocol.NewBlockHashesMsg, []any{}), true},
		{"announcement of what does not exist", send(protocol.NewBlockHashesMsg,
			protocol.NewBlockHashesPacket{{Hash: common.Hash{1}, Number: uint64(head.Number) + 1}}), true},
		{"consensus message of noise", consensus(messages.CodePrepare, noise[:1000]), true},
		{"consensus message of nothing", consensus(messages.CodeRoundChange, nil), false},
		{"consensus message of an empty list", consensus(messages.CodePrePrepare, rlp.EmptyList), true},
		{"legacy wrapper", consensus(0x11, []byte{0x80}), true},
		{"legacy wrapper of a list", consensus(0x11, rlp.EmptyList), false},
		{"block on the consensus protocol", consensus(0x07, []byte{0xc0}), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := must.Get(newOutsider(t, nil).dial(t.Context(), c.node(0)))(t)
			must.Do(t, test.say(l))
			if test.allowed { // a request is answered, so what came before it was read
				err := p2p.Send(l.eth, protocol.GetBlockHeadersMsg, []any{uint64(1), []any{uint64(0), uint64(1), uint64(0), false}})
				must.Do(t, err)
			}
			timeout := time.After(patience)
			for {
				select {
				case code := <-l.heard:
					if test.allowed && code == protocol.BlockHeadersMsg {
						return
					}
				case <-l.closed:
					must.That(t, !test.allowed, "the peer was dropped")
					return
				case <-timeout:
					t.Fatal("nothing happened")
				}
			}
		})
	}
	// The node is well: it decides more blocks.
	now := must.Get(c.head(0))(t)
	c.awaitHead(t, now+2, 0)
}
