// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// authorizing is a transaction of type 4 by a stranger, with authorizations of an account for these nonces.
func authorizing(t testing.TB, account *ecdsa.PrivateKey, nonces ...uint64) *types.Transaction {
	t.Helper()
	var list []types.SetCodeAuthorization
	for _, nonce := range nonces {
		a, err := types.SignSetCode(account, types.SetCodeAuthorization{
			ChainID: *uint256.NewInt(testChain), Address: common.Address{0xcc}, Nonce: nonce,
		})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	tx, err := types.SignNewTx(newSender(t), testSigner, &types.SetCodeTx{
		ChainID: uint256.NewInt(testChain), Gas: 100_000, GasFeeCap: uint256.NewInt(testBaseFee + testTip),
		GasTipCap: uint256.NewInt(testTip), AuthList: list,
	})
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// TestAuthorizationsEndReservations: nonces that authorizations and creations use release what they were reserved for,
// also where the books are older than the block.
func TestAuthorizationsEndReservations(t *testing.T) {
	for _, away := range []bool{false, true} {
		t.Run(fmt.Sprintf("away %v", away), func(t *testing.T) {
			b := startBench(t, openPolicy)
			key := newSender(t)
			account := crypto.PubkeyToAddress(key.PublicKey)
			for nonce := range uint64(4) {
				_, raw := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Nonce = nonce })
				b.must(new(common.Hash), "eth_sendRawTransaction", raw)
			}
			first := b.chain.pooled()[0]
			if away {
				b.stop()
			}
			b.chain.mine(first, authorizing(t, key, 1, 2))
			for range keptStates {
				b.chain.mine()
			}
			if away {
				b.start()
			}
			b.await("release", func() bool {
				open, err := b.sponsor.books.openNonces()
				return err == nil && slices.Equal(open[account], []uint64{3})
			})
			b.chain.mineWith(map[common.Address]uint64{account: 1})
			b.mustSpend("released", testFee, 1)
		})
	}
}

// TestRefusedIsReleased: what the node refuses at its first submission is released at once and may come again. What it
// may have taken stays reserved.
func TestRefusedIsReleased(t *testing.T) {
	for _, tt := range []struct {
		name     string
		err      error
		reserved bool
	}{
		{"in flight", errors.New("in-flight transaction limit reached for delegated accounts"), false},
		{"underpriced", errors.New("replacement transaction underpriced"), false},
		{"full", errors.New("txpool is full"), false},
		{"unknown", errors.New("the node stumbles"), true},
		{"time-out", errors.New("request timed out"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := startBench(t, openPolicy)
			b.chain.set(func() { b.chain.refuse = tt.err })
			_, raw := senderTx(t, newSender(t), nil)
			a := b.call("/", "eth_sendRawTransaction", raw)
			if a.Error == nil || a.Error.Data.Rule != "node" {
				t.Fatalf("error %+v", a.Error)
			}
			open, err := b.sponsor.books.AnyOpen()
			if err != nil || open != tt.reserved || strings.Contains(a.Error.Message, "stays reserved until") != tt.reserved {
				t.Errorf("reserved %v, error %v, message %q", open, err, a.Error.Message)
			}
			b.chain.set(func() { b.chain.refuse = nil })
			b.must(new(common.Hash), "eth_sendRawTransaction", raw)
			b.chain.minePool()
			b.mustSpend("sponsored", testFee, 1)
		})
	}
}

// TestSignatureHandedOutStaysReserved: a refusal releases nothing of what a client has the payer's signature of.
func TestSignatureHandedOutStaysReserved(t *testing.T) {
	b := startBench(t, openPolicy)
	_, raw := senderTx(t, newSender(t), nil)
	b.must(new(json.RawMessage), "eth_signRawTransaction", raw)
	b.chain.set(func() { b.chain.refuse = errors.New("txpool is full") })
	if a := b.call("/", "eth_sendRawTransaction", raw); a.Error == nil {
		t.Fatal("taken")
	}
	if open, err := b.sponsor.books.AnyOpen(); err != nil || !open {
		t.Errorf("reserved %v, error %v", open, err)
	}
}

// TestSenderWithCode: an account with code has one reservation at a time.
func TestSenderWithCode(t *testing.T) {
	b := startBench(t, openPolicy)
	key := newSender(t)
	b.chain.mine(authorizing(t, key, 0))
	send := func(nonce uint64) *rpcAnswer {
		_, raw := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Nonce = nonce })
		return b.call("/", "eth_sendRawTransaction", raw)
	}
	if a := send(1); a.Error != nil {
		t.Fatalf("first: %+v", a.Error)
	}
	if a := send(2); a.Error == nil || a.Error.Data.Rule != "open_per_sender" || a.Error.Data.Limit != "1" {
		t.Errorf("second: %+v", a.Error)
	}
}

// TestDefaultFeeCap: a policy without max_fee_per_gas takes what wallets write, and nothing far above.
func TestDefaultFeeCap(t *testing.T) {
	b := startBench(t, openPolicy)
	const filled = 2*testBaseFee + testTip
	for feeCap, allowed := range map[int64]bool{2 * filled: true, 5 * filled / 2: true, 5*filled/2 + 1: false} {
		_, raw := senderTx(t, newSender(t), func(tx *types.DynamicFeeTx) { tx.GasFeeCap = big.NewInt(feeCap) })
		a := b.call("/", "eth_sendRawTransaction", raw)
		if allowed != (a.Error == nil) || !allowed && a.Error.Data.Rule != "max_fee_per_gas" {
			t.Errorf("cap %d: %+v", feeCap, a.Error)
		}
	}
}

// TestBooksBeforeShares: reservations of books that had no tallies by payer and policy count in them, and end.
func TestBooksBeforeShares(t *testing.T) {
	dir := t.TempDir()
	b := openTestBooks(t, dir)
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	w := testWant(k, 1, 0, 0, 100)
	mustReserve(t, b, w)
	err := b.db.Update(func(tx *bbolt.Tx) error {
		share, meta := tx.Bucket(talliesBucket), tx.Bucket(metaBucket)
		return errors.Join(share.Delete(shareName(testPayer, "a")), meta.Delete(sharesKey))
	})
	if err != nil {
		t.Fatal(err)
	}
	closeTestBooks(t, b)
	b = openTestBooks(t, dir)
	defer closeTestBooks(t, b)
	err = b.db.View(func(tx *bbolt.Tx) error {
		share, err := readTally(tx, shareName(testPayer, "a"))
		if err == nil && share.Reserved.Int64() != 100 {
			err = fmt.Errorf("%v reserved", share.Reserved)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := b.ApplyBlock(1, noon, []used{settleBy(w, 5)}); err != nil {
		t.Error(err)
	}
}

// world is a sponsor in front of a chain, and what a test does to both.
type world struct {
	t     *rapid.T
	bench *bench
	s     *Sponsor
	keys  []*ecdsa.PrivateKey
	sent  []*types.Transaction // sender's transactions, of any outcome

	signed map[common.Hash]*types.Transaction // what was handed out, by the sender's hash
}

// TestReservationsFollowTheState: whatever moves nonces, and whenever node or sponsor fail, no budget and no payer is
// overdrawn, and no reservation outlives its nonce.
func TestReservationsFollowTheState(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, r)
		defer w.close()
		r.Repeat(map[string]func(*rapid.T){
			"submit": w.submit,
			"block":  w.block,
			"restart": func(r *rapid.T) {
				switch rapid.SampledFrom([]string{"resubmit", "", "stop", "kill"}).Draw(r, "what") {
				case "resubmit":
					w.s.resubmit(t.Context())
				case "stop":
					w.restart(false)
				case "kill":
					w.restart(true)
				}
			},
			"": w.check,
		})
		w.settle()
	})
}

func newWorld(t *testing.T, r *rapid.T) *world {
	w := &world{t: r, bench: newBench(t, openPolicy+"max_per_sender_day = \"40 WKRC\"\n"),
		signed: make(map[common.Hash]*types.Transaction)}
	w.bench.chain.balances[w.bench.payer] = new(big.Int).Mul(big.NewInt(30), big.NewInt(1e18))
	for i := range byte(2) {
		key, err := crypto.ToECDSA(common.LeftPadBytes([]byte{i + 1}, 32))
		if err != nil {
			t.Fatal(err)
		}
		w.keys = append(w.keys, key)
	}
	w.open()
	return w
}

func (w *world) open() {
	w.bench.config = w.bench.write(w.bench.text)
	s, err := open(w.bench.t.Context(), w.bench.config)
	if err != nil {
		w.t.Fatal(err)
	}
	s.following.Store(true)
	w.s = s
}

func (w *world) close() {
	if err := w.s.Close(); err != nil {
		w.t.Error(err)
	}
}

// restart ends the sponsor and starts it again, after a kill from a copy of its files.
func (w *world) restart(killed bool) {
	if killed {
		dir := fmt.Sprintf("books-%d", time.Now().UnixNano())
		if err := os.CopyFS(filepath.Join(w.bench.dir, dir), os.DirFS(w.bench.config.Data)); err != nil {
			w.t.Fatal(err)
		}
		w.bench.text = strings.Replace(w.bench.text, filepath.Base(w.bench.config.Data), dir, 1)
	}
	w.close()
	w.open()
}

// submit has senders submit some transactions, to a node in any mood.
func (w *world) submit(r *rapid.T) {
	for range rapid.IntRange(1, 4).Draw(r, "transactions") {
		w.submitOne(r)
	}
}

func (w *world) submitOne(r *rapid.T) {
	c := w.bench.chain
	key := rapid.SampledFrom(w.keys).Draw(r, "sender")
	account := crypto.PubkeyToAddress(key.PublicKey)
	var tx *types.Transaction
	if len(w.sent) > 0 && rapid.SampledFrom([]bool{false, false, true}).Draw(r, "again") {
		tx = rapid.SampledFrom(w.sent).Draw(r, "transaction")
	} else {
		nonce := c.nonces[account] + rapid.SampledFrom([]uint64{0, 1, 2}).Draw(r, "ahead")
		cap := big.NewInt(rapid.Int64Range(testBaseFee+testTip, 2*testBaseFee+testTip).Draw(r, "cap"))
		gas := rapid.Uint64Range(21000, 200_000).Draw(r, "gas")
		tx, _ = senderTx(w.bench.t, key, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.GasFeeCap, tx.Gas = nonce, cap, gas })
		w.sent = append(w.sent, tx)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		r.Fatal(err)
	}
	mood := rapid.SampledFrom([]string{"well", "well", "full", "stumbles", "deaf", "mute"}).Draw(r, "mood")
	c.set(func() {
		c.mute = mood == "deaf" || mood == "mute"
		c.refuse = map[string]error{
			"full": errors.New("txpool is full"), "stumbles": errors.New("the node stumbles"),
			"deaf": errors.New("not heard"),
		}[mood]
	})
	k := w.bench.config.Keys[0]
	if rapid.SampledFrom([]bool{false, false, false, true}).Draw(r, "sign") {
		var signed []byte
		if signed, err = w.s.Sign(context.Background(), k, raw, ""); err == nil {
			handed := new(types.Transaction)
			if err := handed.UnmarshalBinary(signed); err != nil {
				r.Fatal(err)
			}
			w.signed[tx.Hash()] = handed
		}
	} else {
		_, err = w.s.Send(context.Background(), k, raw, "")
	}
	r.Logf("nonce %d: %v", tx.Nonce(), err)
	c.set(func() { c.mute, c.refuse = false, nil })
	c.lost.Store(false)
}

// block makes a block of what is pooled, what was signed, what others use nonces by, and has the books follow.
func (w *world) block(r *rapid.T) {
	c := w.bench.chain
	var txs []*types.Transaction
	nonces := maps.Clone(c.nonces)
	add := func(tx *types.Transaction) {
		sender, _ := types.Sender(testSigner, tx)
		if tx.Nonce() == nonces[sender] {
			nonces[sender]++
			txs = append(txs, tx)
		}
	}
	creations := make(map[common.Address]uint64)
	for _, key := range w.keys {
		account := crypto.PubkeyToAddress(key.PublicKey)
		switch rapid.SampledFrom([]string{"pool", "authorize", "none", "other", "stripped", "signed"}).Draw(r, "by") {
		case "pool":
			pooled := c.pooled()
			slices.SortFunc(pooled, func(a, b *types.Transaction) int { return int(a.Nonce()) - int(b.Nonce()) })
			for _, tx := range pooled {
				if sender, _ := types.Sender(testSigner, tx); sender == account {
					add(tx)
				}
			}
		case "signed": // what its sender got a signature for, or the node has without having said so
			for _, tx := range w.sent {
				sender, _ := types.Sender(testSigner, tx)
				if signed, ok := w.signed[tx.Hash()]; ok && sender == account {
					add(signed)
				}
			}
		case "other":
			tx, _ := senderTx(w.bench.t, key, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Value = nonces[account], common.Big1 })
			add(tx)
		case "stripped":
			for _, tx := range w.sent {
				if sender, _ := types.Sender(testSigner, tx); sender == account {
					add(tx)
				}
			}
		case "authorize":
			n := rapid.Uint64Range(1, 3).Draw(r, "authorizations")
			list := make([]uint64, n)
			for i := range list {
				list[i] = nonces[account] + uint64(i)
			}
			nonces[account] += n
			txs = append(txs, authorizing(w.bench.t, key, list...))
		}
		if len(c.codes[account]) > 0 && rapid.SampledFrom([]bool{false, false, true}).Draw(r, "creates") {
			creations[account] = rapid.Uint64Range(1, 3).Draw(r, "creations")
		}
	}
	c.mineWith(creations, txs...)
	if rapid.SampledFrom([]bool{true, true, false}).Draw(r, "read") {
		w.follow()
	}
}

// follow has the books read all blocks, which ends every reservation whose nonce is used.
func (w *world) follow() {
	if err := w.s.catchUp(w.bench.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	open, err := w.s.books.openNonces()
	if err != nil {
		w.t.Fatal(err)
	}
	for sender, nonces := range open {
		if state := w.bench.chain.nonces[sender]; nonces[0] < state {
			w.t.Fatalf("nonce %d of %v is reserved, the state has %d", nonces[0], sender, state)
		}
	}
	w.checkPayer()
}

// checkPayer compares what is reserved of the payer with its coins, and what is spent with what the chain took.
func (w *world) checkPayer() {
	paid, reserved := new(big.Int), new(big.Int)
	for _, block := range w.bench.chain.blocks {
		for _, tx := range block {
			if tx.Type() == types.FeeDelegateTxType {
				paid.Add(paid, testFee)
			}
		}
	}
	if err := w.s.books.Each(func(_ common.Hash, r *reservation) { reserved.Add(reserved, r.Cost) }); err != nil {
		w.t.Fatal(err)
	}
	if have := w.bench.chain.balances[w.bench.payer]; reserved.Cmp(have) > 0 {
		w.t.Fatalf("%v are reserved of a payer that has %v", reserved, have)
	}
	if u := w.usage(); u.Spent != paid.String() || u.Reserved != reserved.String() {
		w.t.Fatalf("books have spent %s and reserved %s: the chain took %v, and %v are open", u.Spent, u.Reserved, paid,
			reserved)
	}
}

func (w *world) usage() *Usage {
	u, err := w.s.books.Usage(w.bench.config.Keys[0], time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

// check compares what is spent and reserved with the budgets.
func (w *world) check(*rapid.T) {
	k := w.bench.config.Keys[0]
	u := w.usage()
	spent, _ := new(big.Int).SetString(u.Spent, 10)
	reserved, _ := new(big.Int).SetString(u.Reserved, 10)
	if spent.Add(spent, reserved).Cmp(k.MaxTotal.int()) > 0 {
		w.t.Fatalf("%s spent and %s reserved: the budget is %v", u.Spent, u.Reserved, k.MaxTotal.int())
	}
	bySender := make(map[common.Address]*big.Int)
	err := w.s.books.Each(func(_ common.Hash, r *reservation) {
		sender, err := w.s.parse(r.Raw)
		if err != nil {
			w.t.Fatal(err)
		}
		sum := bySender[sender.Sender]
		if sum == nil {
			sum = new(big.Int)
			bySender[sender.Sender] = sum
		}
		sum.Add(sum, r.Cost)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for sender, sum := range bySender {
		if sum.Cmp(k.MaxPerSenderDay.int()) > 0 {
			w.t.Fatalf("%v are reserved for %v", sum, sender)
		}
	}
}

// settle uses all nonces: nothing stays reserved.
func (w *world) settle() {
	for range 10 {
		for _, key := range w.keys {
			account := crypto.PubkeyToAddress(key.PublicKey)
			tx, _ := senderTx(w.bench.t, key, func(tx *types.DynamicFeeTx) { tx.Nonce = w.bench.chain.nonces[account] })
			w.bench.chain.mine(tx)
		}
	}
	w.follow()
	if u := w.usage(); u.Reserved != "0" {
		w.t.Fatalf("%s stay reserved", u.Reserved)
	}
}
