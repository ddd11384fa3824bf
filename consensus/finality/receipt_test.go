// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package finality

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/testchain"
)

var write = flag.Bool("write", false, "write the shared vectors of the SDKs again")

const firstTime = 1_760_000_000

// executed is a chain whose blocks have transactions and receipts.
type executed struct {
	stored
	blocks   []*types.Block
	receipts []types.Receipts
}

// executedChain seals a chain with the members of testChain and an epoch more. Block n has counts[n] transactions, of
// all types in turn.
func executedChain(t testing.TB, counts map[uint64]int) *executed {
	t.Helper()
	c := new(executed)
	c.stored = filledChain(t, append(members[:len(members):len(members)], []int{0, 1, 2}), func(h *types.Header) {
		number := h.Number.Uint64()
		h.Time, h.GasLimit = firstTime+number, 105_000_000
		var txs types.Transactions
		var receipts types.Receipts
		for i := range counts[number] {
			tx := transactionOf(t, i)
			txs, receipts = append(txs, tx), append(receipts, receiptOf(t, tx, i))
		}
		h.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
		h.ReceiptHash = types.DeriveSha(receipts, trie.NewStackTrie(nil))
		h.Bloom = types.MergeBloom(receipts)
		h.GasUsed = uint64(21_000 * len(txs))
		c.blocks = append(c.blocks, types.NewBlockWithHeader(h).WithBody(types.Body{Transactions: txs}))
		c.receipts = append(c.receipts, receipts)
	})
	for i, header := range c.stored {
		c.blocks[i] = c.blocks[i].WithSeal(header)
	}
	return c
}

// foreign is the index of a transaction that is signed for another chain.
const foreign = 139

// transactionOf returns a signed transaction: types 0, 1, 2, 4 and 0x16 in turn, and one of type 0 for any chain.
func transactionOf(t testing.TB, i int) *types.Transaction {
	t.Helper()
	chainID, to := chainID, common.BigToAddress(big.NewInt(int64(0xbeef00+i)))
	key, nonce, fee := testchain.Key(1), uint64(i), big.NewInt(47_600_000_000_000)
	value := new(big.Int).Mul(big.NewInt(int64(i)), big.NewInt(1e18))
	accesses := types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}, {2}}}}
	paid := &types.DynamicFeeTx{ChainID: chainID, Nonce: nonce, GasTipCap: fee, GasFeeCap: fee, Gas: 21_000, To: &to,
		Value: value}
	if i == foreign {
		chainID = big.NewInt(8282)
	}
	var content types.TxData
	signer := types.NewPragueSigner(chainID)
	switch i % 6 {
	case 0:
		content = &types.LegacyTx{Nonce: nonce, GasPrice: fee, Gas: 21_000, To: &to, Value: value, Data: []byte{1}}
	case 1:
		content = &types.AccessListTx{ChainID: chainID, Nonce: nonce, GasPrice: fee, Gas: 50_000, Value: value,
			Data: []byte{0x60, 0}, AccessList: accesses} // creates a contract
	case 2:
		content = paid
	case 3:
		content, signer = &types.LegacyTx{Nonce: nonce, GasPrice: fee, Gas: 21_000, To: &to, Value: value},
			types.HomesteadSigner{}
	case 4:
		authorization := must.Get(types.SignSetCode(testchain.Key(3), types.SetCodeAuthorization{
			ChainID: *uint256.MustFromBig(chainID), Address: to, Nonce: 7,
		}))(t)
		content = &types.SetCodeTx{ChainID: uint256.MustFromBig(chainID), Nonce: nonce, GasTipCap: uint256.MustFromBig(fee),
			GasFeeCap: uint256.MustFromBig(fee), Gas: 80_000, To: to, Value: uint256.MustFromBig(value),
			AuthList: []types.SetCodeAuthorization{authorization}}
	default:
		sender := types.MustSignNewTx(key, signer, paid)
		tx := must.Get(types.WrapFeeDelegated(sender, testchain.Address(2)))(t)
		tx = must.Get(types.SignTx(tx, types.NewFeeDelegateSigner(chainID), testchain.Key(2)))(t)
		return tx
	}
	return types.MustSignNewTx(key, signer, content)
}

// receiptOf returns a receipt of a transaction. Each seventh one failed; others log a transfer and something else.
func receiptOf(t testing.TB, tx *types.Transaction, i int) *types.Receipt {
	t.Helper()
	r := &types.Receipt{Type: tx.Type(), Status: types.ReceiptStatusSuccessful}
	r.CumulativeGasUsed = uint64(21_000 * (i + 1))
	if i%7 == 6 {
		r.Status = types.ReceiptStatusFailed
	} else {
		to := testchain.Address(4)
		if tx.To() != nil {
			to = *tx.To()
		}
		r.Logs = []*types.Log{{
			Address: common.HexToAddress("0x1000"),
			Topics: []common.Hash{
				crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")),
				common.BytesToHash(testchain.Address(1).Bytes()), common.BytesToHash(to.Bytes()),
			},
			Data: common.BigToHash(tx.Value()).Bytes(),
		}, {Address: common.Address{0xc0, byte(i)}, Topics: []common.Hash{{byte(i)}}, Data: []byte{byte(i)}}}
	}
	r.Bloom = types.CreateBloom(r)
	return r
}

func (c *executed) prove(t testing.TB, trusted, block uint64, index int) *Proof {
	t.Helper()
	p, err := BuildReceipt(c, trusted, c.blocks[block], c.receipts[block], index)
	must.That(t, err == nil, "transaction %d of block %d: %v", index, block, err)
	return p
}

// reread returns a proof as a reader gets it.
func reread(t testing.TB, p *Proof) *Proof {
	t.Helper()
	encoded := must.Get(json.Marshal(p))(t)
	p = must.Get(Decode(bytes.NewReader(encoded)))(t)
	return p
}

// Each transaction of small and large blocks is proven with its receipt: keys of indices have one to three bytes.
// spec: wbft 3.1, 7.5
func TestEachReceiptIsProven(t *testing.T) {
	c := executedChain(t, map[uint64]int{2: 1, 9: 2, 35: 300})
	for block, list := range c.receipts {
		for i := range list {
			if i > 2 && i%128 > 1 && i%128 < 126 {
				continue // like their neighbors
			}
			got, err := VerifyReceipt(reread(t, c.prove(t, 0, uint64(block), i)), c.trust(0))
			must.That(t, err == nil, "transaction %d of block %d: %v", i, block, err)
			want := c.blocks[block].Transactions()[i]
			expect.That(t, got.Transaction.Hash() == want.Hash() && got.Receipt.TxHash == want.Hash() &&
				got.Index == uint64(i) && got.Header.Hash() == c.blocks[block].Hash() &&
				got.Receipt.BlockNumber.Uint64() == uint64(block), "transaction %d of block %d: %v", i, block, got)
			have, wanted := [2]bytes.Buffer{}, list
			types.Receipts{got.Receipt}.EncodeIndex(0, &have[0])
			wanted.EncodeIndex(i, &have[1])
			expect.Slice(t, have[0].Bytes(), have[1].Bytes(), "receipt %d of block %d differs", i, block)
			for _, log := range got.Receipt.Logs {
				expect.That(t, log.BlockTimestamp == firstTime+uint64(block) && log.TxHash == want.Hash() && log.TxIndex == uint(i),
					"log of transaction %d of block %d: %+v", i, block, log)
			}
		}
	}
}

// Each kind of lie about a transaction is refused with the error that names it.
// spec: wbft 7.5
func TestLiesAboutReceiptsAreRefused(t *testing.T) {
	c := executedChain(t, map[uint64]int{9: 40, 10: 41})
	other, later := c.prove(t, 0, 9, 21).Receipt, c.prove(t, 0, 10, 20).Receipt
	for _, test := range []struct {
		name string
		lie  func(i *Inclusion)
		want error
	}{
		{"another index", func(i *Inclusion) { i.Index++ }, ErrPath},
		{"another transaction", func(i *Inclusion) {
			i.Transaction, i.TransactionPath = other.Transaction,
				other.TransactionPath
		}, ErrPath},
		{"another receipt", func(i *Inclusion) { i.Receipt, i.ReceiptPath = other.Receipt, other.ReceiptPath }, ErrPath},
		{"bytes of another transaction", func(i *Inclusion) { i.Transaction = other.Transaction }, ErrPath},
		{"bytes of another receipt", func(i *Inclusion) { i.Receipt = other.Receipt }, ErrPath},
		{"the receipt's path for both", func(i *Inclusion) { i.TransactionPath = i.ReceiptPath }, ErrPath},
		{"no transaction", func(i *Inclusion) { i.Transaction = nil }, ErrPath},
		{"no path", func(i *Inclusion) { i.ReceiptPath = nil }, ErrPath},
		{"half a path", func(i *Inclusion) { i.ReceiptPath = i.ReceiptPath[:1] }, ErrPath},
		{"a node twice", func(i *Inclusion) { i.ReceiptPath = append(i.ReceiptPath, i.ReceiptPath[1]) }, ErrPath},
		{"a node less at the start", func(i *Inclusion) { i.ReceiptPath = i.ReceiptPath[1:] }, ErrPath},
		{"an absent index", func(i *Inclusion) {
			i.Index, i.Transaction, i.Receipt = 77, nil, nil
		}, ErrPath},
		{"a transaction of the sealed block", func(i *Inclusion) {
			later.Header = i.Header
			*i = *later
		}, ErrPath},
		{"the sealed block", func(i *Inclusion) { *i = *c.prove(t, 0, 10, 20).Receipt }, ErrLink},
		{"another ancestor", func(i *Inclusion) { i.Header = c.stored[8] }, ErrLink},
		{"a block that was replaced", func(i *Inclusion) { i.Header.Root[0]++ }, ErrLink},
		{"a parent with another number", func(i *Inclusion) { i.Header.Number = big.NewInt(8) }, ErrLink},
		{"no header", func(i *Inclusion) { i.Header = nil }, ErrMalformed},
		{"a long path", func(i *Inclusion) { i.ReceiptPath = make([]hexutil.Bytes, MaxPath+1) }, ErrSize},
		{"a large node", func(i *Inclusion) { i.TransactionPath[0] = make([]byte, maxInclusion) }, ErrSize},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := reread(t, c.prove(t, 0, 9, 20))
			test.lie(p.Receipt)
			got, err := VerifyReceipt(p, c.trust(0))
			expect.That(t, errors.Is(err, test.want) && got == nil, "%v, want %v", err, test.want)
		})
	}
	t.Run("another block", func(t *testing.T) {
		p := c.prove(t, 0, 9, 20)
		p.Block = build(t, c, 0, 11).Block
		expect.Error(t, expect.Err(VerifyReceipt(p, c.trust(0))), ErrLink, "VerifyReceipt")
	})
	t.Run("a proof of the block alone", func(t *testing.T) {
		expect.Error(t, expect.Err(VerifyReceipt(build(t, c, 0, 9), c.trust(0))), ErrNoReceipt, "VerifyReceipt")
	})
	t.Run("another trusted block", func(t *testing.T) {
		expect.Error(t, expect.Err(VerifyReceipt(c.prove(t, 0, 9, 20), c.trust(1))), ErrTrust, "VerifyReceipt")
	})
}

// No byte of what is proven can be altered, wherever it stands.
// spec: wbft 7.5
func TestAlteredBytesAreRefused(t *testing.T) {
	c := executedChain(t, map[uint64]int{35: 40})
	original := c.prove(t, 6, 35, 21)
	rapid.Check(t, func(rt *rapid.T) {
		p := reread(t, original)
		pieces := [][]byte{p.Receipt.Transaction, p.Receipt.Receipt, p.Block.Header.Extra, p.Block.Header.Bloom[:],
			p.Block.Header.ParentHash[:], p.Receipt.Header.TxHash[:], p.Receipt.Header.ReceiptHash[:],
			p.Receipt.Header.Root[:], p.Block.Validators[0][:], p.Epochs[0].Header.Extra}
		for _, node := range slices.Concat(p.Receipt.TransactionPath, p.Receipt.ReceiptPath) {
			pieces = append(pieces, node)
		}
		piece := rapid.SampledFrom(pieces).Draw(rt, "piece")
		piece[rapid.IntRange(0, len(piece)-1).Draw(rt, "byte")] ^= rapid.ByteRange(1, 255).Draw(rt, "change")
		got, err := VerifyReceipt(p, c.trust(6))
		must.That(rt, err != nil, "accepted: %v", got)
	})
}

// What the header does not cover gets no proof.
func TestBuildReceiptRefusals(t *testing.T) {
	c := executedChain(t, map[uint64]int{9: 3, 39: 1})
	block, receipts := c.blocks[9], c.receipts[9]
	newest := uint64(len(c.blocks) - 1)
	for _, test := range []struct {
		name     string
		trusted  uint64
		block    *types.Block
		receipts types.Receipts
		index    int
		want     error
	}{
		{"an index behind the end", 0, block, receipts, 3, ErrPath},
		{"a negative index", 0, block, receipts, -1, ErrPath},
		{"a receipt less", 0, block, receipts[:2], 0, ErrPath},
		{"other receipts", 0, block, types.Receipts{receipts[1], receipts[0], receipts[2]}, 0, ErrPath},
		{"other transactions", 0, block.WithBody(types.Body{Transactions: slices.Repeat(block.Transactions()[:1], 3)}),
			receipts, 0, ErrPath},
		{"a block of another chain", 0, block.WithSeal(&types.Header{Number: big.NewInt(9), Difficulty: common.Big1}),
			receipts, 0, ErrPath},
		{"a block whose child is before the trusted one", 11, block, receipts, 0, ErrOlder},
		{"the newest block", 0, c.blocks[newest], c.receipts[newest], 0, ErrNewest},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := BuildReceipt(c, test.trusted, test.block, test.receipts, test.index)
			expect.That(t, errors.Is(err, test.want), "%v, want %v", err, test.want)
		})
	}
}

// Whatever bytes come in, decoding ends, and what is proven is a transaction of the chain.
func FuzzDecodeReceipt(f *testing.F) {
	c := executedChain(f, map[uint64]int{2: 3})
	encoded := must.Get(json.Marshal(c.prove(f, 0, 2, 1)))(f)
	f.Add(encoded)
	f.Add([]byte(`{"version":1,"origin":[null],"epochs":[],"block":{},"receipt":{"index":"0x0"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		got, err := VerifyReceipt(p, c.trust(0))
		if err != nil {
			return
		}
		must.That(t, c.blocks[got.Header.Number.Uint64()].Transactions()[got.Index].Hash() == got.Transaction.Hash(),
			"transaction %v was never in block %d", got.Transaction.Hash(), got.Header.Number)
	})
}

// sharedVector is a proof that both SDKs verify, and what they find in it.
type sharedVector struct {
	Name    string         `json:"name"`
	Trusted sharedBlock    `json:"trusted"`
	Proof   *Proof         `json:"proof"`
	Payment *sharedPayment `json:"payment"`
	Refused string         `json:"refused,omitempty"`
}

type sharedBlock struct {
	ChainID uint64         `json:"chainId"`
	Number  hexutil.Uint64 `json:"number"`
	Hash    common.Hash    `json:"hash"`
}

type sharedPayment struct {
	BlockNumber uint64           `json:"blockNumber"`
	BlockHash   common.Hash      `json:"blockHash"`
	Time        uint64           `json:"time"`
	Hash        common.Hash      `json:"hash"`
	From        common.Address   `json:"from"`
	To          *common.Address  `json:"to"`
	Value       string           `json:"value"` // decimal
	FeePayer    *common.Address  `json:"feePayer"`
	Succeeded   bool             `json:"succeeded"`
	Transfers   []sharedTransfer `json:"transfers"`
}

type sharedTransfer struct {
	Contract common.Address `json:"contract"`
	From     common.Address `json:"from"`
	To       common.Address `json:"to"`
	Value    string         `json:"value"`
}

// payment returns what a proof says.
func payment(t testing.TB, e *Executed) *sharedPayment {
	t.Helper()
	from := must.Get(types.Sender(types.NewFeeDelegateSigner(chainID), e.Transaction))(t)
	p := &sharedPayment{
		BlockNumber: e.Header.Number.Uint64(), BlockHash: e.Header.Hash(), Time: e.Header.Time, Hash: e.Transaction.Hash(),
		From: from, To: e.Transaction.To(), Value: e.Transaction.Value().String(),
		FeePayer: e.Transaction.FeePayer(), Succeeded: e.Receipt.Status == types.ReceiptStatusSuccessful,
		Transfers: []sharedTransfer{},
	}
	if len(e.Receipt.Logs) > 0 {
		l := e.Receipt.Logs[0]
		p.Transfers = append(p.Transfers, sharedTransfer{l.Address, common.BytesToAddress(l.Topics[1][:]),
			common.BytesToAddress(l.Topics[2][:]), new(big.Int).SetBytes(l.Data).String()})
	}
	return p
}

// sharedVectors are proofs over epochs and none, of all types of transactions, and lies.
func sharedVectors(t testing.TB) []sharedVector {
	t.Helper()
	c := executedChain(t, map[uint64]int{3: 6, 5: 1, 9: 7, 35: 140, 36: 132})
	var list []sharedVector
	for _, place := range []struct {
		name           string
		trusted, block uint64
		index          int
	}{
		{"type 0 in the first epoch", 0, 3, 0},
		{"type 1, creation of a contract", 0, 3, 1},
		{"type 2", 0, 3, 2},
		{"type 0 for any chain", 0, 3, 3},
		{"type 4", 0, 3, 4},
		{"type 0x16", 0, 3, 5},
		{"a failed transaction", 5, 9, 6},
		{"two changes of the validators, index 0", 0, 35, 0},
		{"type 0x16 at index 131 from a checkpoint within an epoch", 6, 35, 131},
		{"the trusted block itself", 35, 35, 127},
		{"the parent of the trusted block", 10, 9, 3},
	} {
		p := c.prove(t, place.trusted, place.block, place.index)
		got, err := VerifyReceipt(p, c.trust(place.trusted))
		must.Do(t, err, place.name)
		from := sharedBlock{chainID.Uint64(), hexutil.Uint64(place.trusted), c.stored[place.trusted].Hash()}
		list = append(list, sharedVector{place.name, from, p, payment(t, got), ""})
	}
	for _, lie := range []struct {
		name, refused string
		change        func(v *sharedVector)
	}{
		{"another chain", "trust", func(v *sharedVector) { v.Trusted.Hash[0]++ }},
		{"another version", "malformed", func(v *sharedVector) { v.Proof.Version = 2 }},
		{"no receipt", "malformed", func(v *sharedVector) { v.Proof.Receipt = nil }},
		{"an older block", "older", func(v *sharedVector) {
			v.Proof.Block = Sealed{Header: c.stored[2], Validators: v.Proof.Block.Validators}
		}},
		{"an origin with a gap", "link", func(v *sharedVector) { v.Proof.Origin = slices.Delete(v.Proof.Origin, 1, 2) }},
		{"an epoch twice", "order", func(v *sharedVector) { v.Proof.Epochs[1].Header = v.Proof.Epochs[0].Header }},
		{"an ordinary header as epoch", "epoch", func(v *sharedVector) { v.Proof.Epochs[0].Header = c.stored[23] }},
		{"a missing epoch", "validators", func(v *sharedVector) { v.Proof.Epochs = v.Proof.Epochs[1:] }},
		{"a validator twice", "validators", func(v *sharedVector) {
			v.Proof.Epochs[0].Validators[1] = v.Proof.Epochs[0].Validators[0]
		}},
		{"a wrong order of validators", "seal", func(v *sharedVector) { slices.Reverse(v.Proof.Epochs[0].Validators) }},
		{"a changed header", "seal", func(v *sharedVector) { v.Proof.Block.Header.Root[0]++ }},
		{"seals of two of four", "seal", func(v *sharedVector) {
			v.Trusted.Number, v.Trusted.Hash = 5, c.stored[5].Hash()
			v.Proof = reread(t, c.prove(t, 5, 9, 6))
			sealByFew(t, &v.Proof.Block)
		}},
		{"another ancestor than the parent", "link", func(v *sharedVector) { v.Proof.Receipt.Header = c.stored[34] }},
		{"the sealed block itself", "link", func(v *sharedVector) {
			v.Proof.Receipt = reread(t, c.prove(t, 6, 36, 131)).Receipt
		}},
		{"a block that was replaced", "link", func(v *sharedVector) { v.Proof.Receipt.Header.Root[0]++ }},
		{"no header of the transaction", "malformed", func(v *sharedVector) { v.Proof.Receipt.Header = nil }},
		{"a transaction of the sealed block", "path", func(v *sharedVector) {
			header := v.Proof.Receipt.Header
			v.Proof.Receipt = reread(t, c.prove(t, 6, 36, 131)).Receipt
			v.Proof.Receipt.Header = header
		}},
		{"another index", "path", func(v *sharedVector) { v.Proof.Receipt.Index-- }},
		{"a node too many", "path", func(v *sharedVector) {
			v.Proof.Receipt.ReceiptPath = append(v.Proof.Receipt.ReceiptPath, v.Proof.Receipt.ReceiptPath[0])
		}},
		{"another transaction", "path", func(v *sharedVector) { v.Proof.Receipt.Transaction[9]++ }},
		{"another chain ID", "chain", func(v *sharedVector) { v.Trusted.ChainID = 8282 }},
		{"a transaction for any chain in a block of another chain", "chain", func(v *sharedVector) {
			v.Trusted = sharedBlock{8282, 0, c.stored[0].Hash()}
			v.Proof = c.prove(t, 0, 3, 3)
		}},
		{"a checkpoint of another chain", "chain", func(v *sharedVector) {
			v.Trusted.ChainID = 8282
			v.Proof = c.prove(t, 6, 5, 0)
		}},
		{"a transaction for another chain", "transaction", func(v *sharedVector) {
			v.Proof = c.prove(t, 6, 35, foreign)
		}},
	} {
		v := sharedVector{lie.name, sharedBlock{chainID.Uint64(), 6, c.stored[6].Hash()},
			reread(t, c.prove(t, 6, 35, 131)), nil, lie.refused}
		lie.change(&v)
		list = append(list, v)
	}
	return list
}

// sealByFew replaces the seals of a header by those of its first two validators, which are good but no quorum.
func sealByFew(t testing.TB, s *Sealed) {
	t.Helper()
	net := testNetwork(t)
	decoded := must.Get(s.Header.WBFTExtra())(t)
	sealed := func(kind byte) *types.WBFTSeal {
		digest := extra.SealDigest(s.Header, decoded.Round, kind)
		var signatures []*bls.Signature
		for _, address := range s.Validators[:2] {
			key := must.Get(bls.DeriveKey(net.Keys[address]))(t)
			signatures = append(signatures, must.Get(bls.ParseSignature(key.Sign(digest[:])))(t))
		}
		return &types.WBFTSeal{Sealers: []byte{0b11}, Signature: bls.Sum(signatures)}
	}
	decoded.PreparedSeal, decoded.CommittedSeal = sealed(extra.Prepare), sealed(extra.Commit)
	s.Header = types.CopyHeader(s.Header)
	s.Header.Extra = decoded.Encode()
}

// The file that both SDKs test with is what this package makes. Run with -write to write it.
func TestSharedVectors(t *testing.T) {
	list := sharedVectors(t)
	var out bytes.Buffer
	out.WriteString("{\"vectors\": [\n")
	for i, v := range list {
		encoded := must.Get(json.Marshal(v))(t)
		fmt.Fprintf(&out, "%s%s\n", encoded, []string{",", ""}[i/(len(list)-1)])
		trusted := Trusted{new(big.Int).SetUint64(v.Trusted.ChainID), uint64(v.Trusted.Number), v.Trusted.Hash}
		if _, err := VerifyReceipt(v.Proof, trusted); v.Refused != "transaction" && (err == nil) != (v.Refused == "") {
			t.Errorf("%s: %v, want %q", v.Name, err, v.Refused)
		}
	}
	out.WriteString("]}\n")
	name := filepath.Join("..", "..", "sdk", "testdata", "proofs.json")
	if *write {
		must.Do(t, os.WriteFile(name, out.Bytes(), 0o600))
	}
	if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, out.Bytes()) {
		t.Errorf("%s is not what this package makes (%v): run go test ./consensus/finality -run Shared -write", name, err)
	}
}
