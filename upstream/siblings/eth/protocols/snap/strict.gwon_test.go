// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snap

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rlp"
)

// taking is the backend of a node that takes every answer.
type taking struct{ Backend }

func (taking) Handle(*Peer, Packet) error { return nil }

// lost is a connection on which everything that is written is lost.
type lost struct{}

func (lost) ReadMsg() (p2p.Msg, error)  { select {} }
func (lost) WriteMsg(msg p2p.Msg) error { return msg.Discard() }

// Lists of more than twice the bytes asked for, more than 128 proof nodes and answers that nobody has asked for, end the connection; the largest ones that are allowed do not.
// spec: network 2.4
func TestAnswersThatEndTheConnection(t *testing.T) {
	const asked, id = 4096, 7
	body := rlp.RawValue(mustEncode(t, []any{uint64(1), uint64(1), []byte{}, []byte{}}))
	account := func(n int) any { return []any{common.BigToHash(big.NewInt(int64(n))), body} }
	slots := func(n int) any { return []any{[]any{common.BigToHash(big.NewInt(int64(n))), []byte{1}}} }
	// list returns as many items, in order, as fit into a number of bytes.
	list := func(item func(n int) any, size int) rlp.RawValue {
		one := mustEncode(t, item(0))
		w := rlp.NewEncoderBuffer(nil)
		l := w.List()
		for n := len(one); n <= size; n += len(one) {
			w.Write(mustEncode(t, item(n)))
		}
		w.ListEnd(l)
		return w.ToBytes()
	}
	proof := func(n int) rlp.RawValue {
		nodes := make([][]byte, n)
		for i := range nodes {
			nodes[i] = []byte{0xc0}
		}
		return mustEncode(t, nodes)
	}
	for _, kind := range []struct {
		name   string
		code   uint64
		handle func(Backend, Decoder, *Peer) error
		ask    func(*Peer) error
		list   func(size int) rlp.RawValue
	}{
		{"AccountRange", AccountRangeMsg, handleAccountRange,
			func(p *Peer) error {
				return p.RequestAccountRange(id, common.Hash{}, common.Hash{}, common.MaxHash, asked)
			},
			func(size int) rlp.RawValue { return list(account, size) }},
		{"StorageRanges", StorageRangesMsg, handleStorageRanges,
			func(p *Peer) error {
				return p.RequestStorageRanges(id, common.Hash{}, []common.Hash{{1}}, nil, nil, asked)
			},
			func(size int) rlp.RawValue { return list(slots, size) }},
	} {
		for _, test := range []struct {
			name   string
			id     uint64
			size   int
			proofs int
			ends   bool
		}{
			{"twice as many bytes", id, 2 * asked, 2, false},
			{"more than twice as many bytes", id, 2*asked + 200, 2, true},
			{"128 proof nodes", id, 100, 128, false},
			{"129 proof nodes", id, 100, 129, true},
			{"not asked for", id + 1, 100, 2, true},
		} {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				peer := NewFakePeer(SNAP1, "strict peer", lost{})
				defer peer.Close()
				if err := kind.ask(peer); err != nil {
					t.Fatal(err)
				}
				payload := mustEncode(t, []any{test.id, kind.list(test.size), proof(test.proofs)})
				msg := p2p.Msg{Code: kind.code, Size: uint32(len(payload)), Payload: bytes.NewReader(payload)}
				if err := kind.handle(taking{}, msg, peer); (err != nil) != test.ends {
					t.Errorf("error %v", err)
				}
			})
		}
	}
}

func mustEncode(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := rlp.EncodeToBytes(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
