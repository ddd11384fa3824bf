// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// What is known is found by the bytes of a message, whatever the type of the transaction, and is not decoded; the rest
// arrives as it was sent. All that is dropped is noted for the peer (EIP-2718 for the hashes, spec network 5 no. 10).
func TestUnheard(t *testing.T) {
	key := must.Get(crypto.ToECDSA(common.BigToHash(common.Big1).Bytes()))(t)
	signer := types.NewAnzeonSigner(big.NewInt(8283))
	delegated := must.Get(types.WrapFeeDelegated(types.MustSignNewTx(key, signer,
		&types.DynamicFeeTx{ChainID: big.NewInt(8283), Nonce: 9}), common.Address{1}))(t)
	txs := []*types.Transaction{delegated}
	for nonce := range uint64(2) {
		txs = append(txs, types.MustSignNewTx(key, signer, &types.LegacyTx{Nonce: nonce, GasPrice: common.Big1}),
			types.MustSignNewTx(key, signer, &types.DynamicFeeTx{ChainID: big.NewInt(8283), Nonce: nonce}))
	}
	for mask := range 1 << len(txs) { // every choice of known ones
		packet, known, marked := new(protocol.TransactionsPacket), make(map[common.Hash]bool), make(map[common.Hash]bool)
		var want []common.Hash
		for i, tx := range txs {
			must.Do(t, packet.Append(tx))
			if mask>>i&1 == 1 {
				known[tx.Hash()] = true
			} else {
				want = append(want, tx.Hash())
			}
		}
		fresh, hashes, err := unheard(packet, func(hash common.Hash) bool { return known[hash] },
			func(hash common.Hash) { marked[hash] = true })
		must.Do(t, err)
		have, err := fresh.Items()
		must.That(t, err == nil && len(have) == len(want) && len(marked) == len(known),
			"mask %b: %d new of %d, %d marked of %d, %v", mask, len(have), len(want), len(marked), len(known), err)
		expect.Slice(t, hashes, want, "mask %b: hashes", mask)
		for i, tx := range have {
			expect.Equal(t, tx.Hash(), want[i], "mask %b: transaction %d is another one", mask, i)
		}
		for hash := range known {
			expect.That(t, marked[hash], "mask %b: a known transaction is not noted for the peer", mask)
		}
	}
	// What is no transaction is left to the decoder, unless it is too short for any.
	least := must.Get(rlp.EncodeToBytes(types.NewTx(&types.LegacyTx{})))(t)
	another := must.Get(rlp.EncodeToBytes(types.NewTx(&types.LegacyTx{Nonce: 1})))(t)
	for _, tt := range []struct {
		raw  []byte
		want bool
	}{
		{another, true}, {append([]byte{0x8a}, make([]byte, 10)...), true}, {append([]byte{0xc9}, make([]byte, 9)...), true},
		{append([]byte{0xc8}, make([]byte, 8)...), false}, {append([]byte{0x88}, make([]byte, 8)...), false},
		{[]byte{0xc0}, false}, {[]byte{0x80}, false}, {[]byte{0x05}, false},
	} {
		odd := new(protocol.TransactionsPacket)
		for _, raw := range [][]byte{least, tt.raw} {
			must.Do(t, odd.AppendRaw(raw))
		}
		fresh, _, err := unheard(odd, func(common.Hash) bool { return false }, func(common.Hash) {})
		expect.That(t, (err == nil) == tt.want && (err != nil || fresh.Len() == 2), "%x: %v", tt.raw, err)
	}
	expect.That(t, len(least) == shortest, "the shortest transaction has %d bytes", len(least))
}

// A transaction that comes twice in a message ends the connection, whether or not it is known.
// spec: network 2.4
func TestUnheardTwice(t *testing.T) {
	for _, test := range []struct {
		name         string
		nonces       []uint64
		known, twice bool
	}{
		{"once each", []uint64{1, 2, 3}, false, false}, {"once each, known", []uint64{1, 2, 3}, true, false},
		{"twice", []uint64{1, 2, 1}, false, true}, {"twice, known", []uint64{1, 2, 2}, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			packet := new(protocol.TransactionsPacket)
			for _, nonce := range test.nonces {
				must.Do(t, packet.Append(types.NewTx(&types.LegacyTx{Nonce: nonce})))
			}
			_, _, err := unheard(packet, func(common.Hash) bool { return test.known }, func(common.Hash) {})
			expect.That(t, (err != nil) == test.twice, "error %v", err)
		})
	}
}

// Announced transactions that are known are not asked for; the others keep their types and sizes.
func TestUnasked(t *testing.T) {
	packet := &protocol.NewPooledTransactionHashesPacket71{Types: []byte{2, 22, 0, 4}, Sizes: []uint32{10, 20, 30, 40},
		Hashes: []common.Hash{{1}, {2}, {3}, {4}}}
	have := unasked(packet, func(hash common.Hash) bool { return hash[0]%2 == 1 })
	want := &protocol.NewPooledTransactionHashesPacket71{Types: []byte{22, 4}, Sizes: []uint32{20, 40},
		Hashes: []common.Hash{{2}, {4}}}
	expect.Deep(t, have, want, "asked for")
	none := unasked(packet, func(common.Hash) bool { return true })
	expect.That(t, len(none.Hashes) == 0, "asked for %v", none.Hashes)
}
