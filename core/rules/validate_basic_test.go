// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/types/bal"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// sound returns a block with these transactions that the gate lets through, as far as they allow.
func sound(txs ...*types.Transaction) *types.Block {
	header := &types.Header{
		Number: common.Big1, Difficulty: common.Big1, GasLimit: 1, BaseFee: common.Big1, UncleHash: types.EmptyUncleHash,
		TxHash: types.DeriveSha(types.Transactions(txs), trie.NewStackTrie(nil)), Extra: new(types.WBFTExtra).Encode(),
	}
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
}

// The gate lets through a block whose header has the form of this chain and whose body is exactly the header's, and
// nothing else (spec wbft 1, network 2.2). Every row spoils one thing.
func TestValidateBasic(t *testing.T) {
	tx := func(nonce uint64) *types.Transaction {
		return types.NewTx(&types.LegacyTx{Nonce: nonce, To: &common.Address{1}, Gas: 21000, GasPrice: common.Big1})
	}
	delegated := types.NewTx(&types.FeeDelegateTx{FeePayer: &common.Address{2}})
	blob := func(sidecar *types.BlobTxSidecar) *types.Transaction {
		return types.NewTx(&types.BlobTx{ChainID: uint256.NewInt(1), BlobHashes: []common.Hash{{1}}, Sidecar: sidecar})
	}
	sidecar := types.NewBlobTxSidecar(0, []kzg4844.Blob{{}}, []kzg4844.Commitment{{}}, []kzg4844.Proof{{}})
	two := sound(tx(0), tx(1))
	spoil := func(change func(*types.Header)) *types.Block {
		header := two.Header()
		change(header)
		return types.NewBlockWithHeader(header).WithBody(*two.Body())
	}
	with := func(body types.Body) *types.Block { return two.WithBody(body) }
	withdrawing := func(list []*types.Withdrawal) *types.Block {
		return with(types.Body{Transactions: two.Transactions(), Withdrawals: list})
	}
	withBlob := func(sidecar *types.BlobTxSidecar) *types.Block {
		body := types.Body{Transactions: []*types.Transaction{blob(sidecar)}}
		return types.NewBlockWithHeader(sound(blob(nil)).Header()).WithBody(body)
	}
	over := new(big.Int).Lsh(common.Big1, 64)
	hash, zero := common.Hash{1}, uint64(0)
	extra := two.Extra()
	for _, test := range []struct {
		name  string
		block *types.Block
		want  string // in the error; empty for none
	}{
		{"two transactions", two, ""},
		{"no transactions", sound(), ""},
		{"fee delegation", sound(delegated), ""},
		{"blob transaction as it stands in blocks", withBlob(nil), ""}, // which type is allowed is for execution to say
		{"seals of its own", spoil(func(h *types.Header) {
			x, _ := types.DecodeWBFTExtra(h.Extra)
			seal := &types.WBFTSeal{Sealers: []byte{7}, Signature: make([]byte, sealLength)}
			x.Round, x.PreparedSeal, x.CommittedSeal = 3, seal, seal
			h.Extra = x.Encode()
		}), ""},
		{"no block", nil, "no block"},

		{"first transaction missing", with(types.Body{Transactions: two.Transactions()[1:]}), "root"},
		{"no transactions for a root", with(types.Body{}), "root"},
		{"transactions for the empty root", sound().WithBody(*two.Body()), "root"},
		{"surplus transaction", with(types.Body{Transactions: append(two.Transactions()[:2:2], tx(2))}), "root"},
		{"transaction twice", with(types.Body{Transactions: append(two.Transactions()[:2:2], tx(1))}), "root"},
		{"other order", with(types.Body{Transactions: types.Transactions{tx(1), tx(0)}}), "root"},
		{"uncle", with(types.Body{Transactions: two.Transactions(), Uncles: []*types.Header{two.Header()}}), "uncles"},
		{"empty withdrawals", withdrawing([]*types.Withdrawal{}), "withdrawals"},
		{"withdrawals", withdrawing([]*types.Withdrawal{{}}), "withdrawals"},
		{"access list", two.WithAccessListUnsafe(new(bal.BlockAccessList)), "access list"},
		{"sidecar", withBlob(sidecar), "sidecar"},

		{"no number", spoil(func(h *types.Header) { h.Number = nil }), "number"},
		{"number 0", spoil(func(h *types.Header) { h.Number = new(big.Int) }), "number"},
		{"number of 65 bits", spoil(func(h *types.Header) { h.Number = over }), "number"},
		{"no difficulty", spoil(func(h *types.Header) { h.Difficulty = nil }), "difficulty"},
		{"difficulty 0", spoil(func(h *types.Header) { h.Difficulty = new(big.Int) }), "difficulty"},
		{"difficulty 2", spoil(func(h *types.Header) { h.Difficulty = common.Big2 }), "difficulty"},
		{"difficulty 1 above 64 bits", spoil(func(h *types.Header) {
			h.Difficulty = new(big.Int).Add(over, common.Big1)
		}), "difficulty"},
		{"commits to uncles", spoil(func(h *types.Header) { h.UncleHash = hash }), "uncles"},
		{"no base fee", spoil(func(h *types.Header) { h.BaseFee = nil }), "base fee"},
		{"base fee of 257 bits", spoil(func(h *types.Header) { h.BaseFee = new(big.Int).Lsh(common.Big1, 256) }), "fee"},
		{"withdrawals root", spoil(func(h *types.Header) { h.WithdrawalsHash = &hash }), "fork"},
		{"blob gas", spoil(func(h *types.Header) { h.BlobGasUsed = &zero }), "fork"},
		{"excess blob gas", spoil(func(h *types.Header) { h.ExcessBlobGas = &zero }), "fork"},
		{"beacon root", spoil(func(h *types.Header) { h.ParentBeaconRoot = &hash }), "fork"},
		{"requests", spoil(func(h *types.Header) { h.RequestsHash = &hash }), "fork"},
		{"access list hash", spoil(func(h *types.Header) { h.BlockAccessListHash = &hash }), "fork"},
		{"slot number", spoil(func(h *types.Header) { h.SlotNumber = &zero }), "fork"},
		{"no extra data", spoil(func(h *types.Header) { h.Extra = nil }), "header"},
		{"foreign extra data", spoil(func(h *types.Header) { h.Extra = []byte("foreign") }), "header"},
		{"byte behind extra data", spoil(func(h *types.Header) {
			h.Extra = append(extra[:len(extra):len(extra)], 0)
		}), "header"},
		{"extra data above the limit", spoil(func(h *types.Header) {
			h.Extra = (&types.WBFTExtra{Vanity: make([]byte, maxDecidedExtra)}).Encode()
		}), "extra"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := ValidateBasic(test.block)
			expect.That(t, (err == nil) == (test.want == "") && (err == nil || strings.Contains(err.Error(), test.want)),
				"%v, want an error with %q", err, test.want)
		})
	}
}

// The blocks that nodes of the other client have pushed over the wire pass the gate, and their total difficulty is that
// of genesis, 1 on these networks, plus their number (spec network 1, 2.2). The recordings lie beside the codec of the
// messages.
func TestValidateRecordedBlocks(t *testing.T) {
	var recordings []struct{ Payload hexutil.Bytes }
	vectors.Load(t, "../../../upstream/siblings/eth/protocols/eth/testdata/eth68/eth-newBlock.json", &recordings)
	must.That(t, len(recordings) != 0, "no recordings")
	for i, r := range recordings {
		var packet struct {
			Block *types.Block
			TD    *big.Int
		}
		must.Do(t, rlp.DecodeBytes(r.Payload, &packet))
		expect.Error(t, ValidateBasic(packet.Block), nil, "block %d", i)
		want := new(big.Int).Add(packet.Block.Number(), common.Big1)
		expect.That(t, packet.TD.Cmp(want) == 0, "block %d: total difficulty %v, want %v", i, packet.TD, want)
	}
}
