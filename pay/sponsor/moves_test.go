// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
)

// TestBudgetComesBack: coins that leave their senders lock a budget for some blocks, and not longer. The senders get
// nothing more, and others are paid for by the next payer.
func TestBudgetComesBack(t *testing.T) {
	b := newBench(t, openPolicy)
	b.chain.strict = true
	b.start()
	send := func(key *ecdsa.PrivateKey, nonce uint64) *rpcAnswer {
		_, raw := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Value = nonce, common.Big1 })
		return b.call("/", "eth_sendRawTransaction", raw)
	}
	var keys []*ecdsa.PrivateKey
	for range 6 {
		key := newSender(t)
		keys = append(keys, key)
		account := crypto.PubkeyToAddress(key.PublicKey)
		b.chain.set(func() { b.chain.give(account, big.NewInt(2)) })
		for nonce := range uint64(2) {
			a := send(key, nonce)
			must.That(t, a.Error == nil, "error %+v", a.Error)
		}
		b.chain.set(func() { delete(b.chain.balances, account) })
	}
	reserved := func() string {
		u := must.Get(b.sponsor.books.Usage(b.config.Keys[0], time.Now()))(t)
		return u.Reserved
	}
	must.That(t, reserved() != "0", "nothing is reserved")
	b.await("a first submission, after which blocks count", b.sponsor.submitted.Load)
	for range stuckAfter/missedBlocks + 1 { // the node is not away
		for range missedBlocks {
			b.chain.mineStrictly(nil)
		}
		b.await("blocks in the books", func() bool {
			newest, err := b.sponsor.books.Newest()
			return err == nil && newest == uint64(b.chain.BlockNumber())
		})
	}
	b.await("end of all reservations", func() bool {
		next := b.sponsor.head.next()
		b.chain.mineStrictly(nil, b.chain.pooled()...)
		<-next
		return reserved() == "0"
	})
	if a := send(keys[0], 0); a.Error == nil || a.Error.Data.Rule != "stuck" && a.Error.Data.Rule != "sender_balance" {
		t.Errorf("a sender whose coins have left: %+v", a.Error)
	}
	b.chain.set(func() { b.chain.give(crypto.PubkeyToAddress(keys[0].PublicKey), common.Big1) })
	a := send(keys[0], 0)
	expect.That(t, a.Error != nil && a.Error.Data.Rule == "stuck", "the same with coins: %+v", a.Error)
	_, raw := senderTx(t, newSender(t), nil)
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
	pool := b.chain.pooled()
	payer := *pool[len(pool)-1].FeePayer()
	expect.That(t, payer != b.payer, "%v pays on", payer)
	b.chain.mineStrictly(nil, pool...)
	b.mustSpend("in the end", testFee, 1)
}

// TestOldReservationsWait: what is open has 64 blocks in which the sponsor ran with a node before a payer is left for
// it, and no more, however often one of them was off, and where reservations had no blocks yet
// (docs/develop/sponsor.md, Budgets).
func TestOldReservationsWait(t *testing.T) {
	for name, c := range map[string]struct {
		interrupted []int // blocks of each interruption
		node        bool  // which was off
		blockless   bool  // books of an earlier version
	}{
		"never":                       {},
		"books without blocks":        {interrupted: []int{1}, blockless: true},
		"sponsor that was off":        {interrupted: []int{3 * stuckAfter}},
		"node that was off":           {interrupted: []int{3 * stuckAfter}, node: true},
		"sponsor that restarts often": {interrupted: []int{0, 2, 5, 1, 0, 100, 3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, strings.Replace(openPolicy, "100 WKRC", "10 WKRC", 1))
			b.chain.strict = true
			b.chain.blocks = make([][]*types.Transaction, 3*stuckAfter)
			s := b.open(t)
			defer func() { expect.Error(t, s.Close(), nil, "Close") }()
			key := newSender(t)
			b.chain.set(func() { b.chain.give(crypto.PubkeyToAddress(key.PublicKey), common.Big1) })
			_, raw := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Value = common.Big1 })
			must.Get(s.Send(t.Context(), b.config.Keys[0], raw, ""))(t)
			payers := func() int { return len(s.payers.lines[0].all) }
			step := func() {
				b.chain.mineStrictly(nil)
				must.Do(t, s.catchUp(t.Context()))
				s.mover.step(t.Context())
			}
			ran := 0
			run := func(blocks int) {
				s.resubmit(t.Context())
				for range blocks {
					step()
					ran++
					must.That(t, payers() == 1, "left after %d blocks in which the sponsor ran", ran)
				}
			}
			if c.blockless {
				must.Do(t, s.books.update(func(tx *bbolt.Tx) error {
					return errors.Join(tx.Bucket(metaBucket).Delete(gapKey), moveBlocks(tx, func(uint64) uint64 { return 0 }))
				}, nil))
			}
			for _, blocks := range c.interrupted {
				if !c.blockless {
					run(stuckAfter / 8)
				}
				b.chain.set(func() { b.chain.pool = nil })
				if !c.node {
					must.Do(t, s.Close())
				}
				b.chain.set(func() { b.chain.blocks = append(b.chain.blocks, make([][]*types.Transaction, blocks)...) })
				if !c.node {
					s = b.open(t)
				}
				for range 2 { // not submitted again yet
					step()
					must.That(t, payers() == 1, "left before it was submitted again")
				}
			}
			s.resubmit(t.Context())
			if step(); payers() != 1 || len(b.chain.pooled()) != 1 { // from this one on they count
				t.Fatalf("%d payers, %d transactions submitted again", payers(), len(b.chain.pooled()))
			}
			run(stuckAfter - ran)
			for range len(c.interrupted) + 2 {
				step()
			}
			expect.Equal(t, payers(), 2, "not left after %d blocks in which the sponsor ran", ran)
		})
	}
}

// TestDepositWithMove: coins for less than a move, deposited in the blocks of moves, keep no reservation
// (docs/develop/sponsor.md, Budgets).
func TestDepositWithMove(t *testing.T) {
	b := newBench(t, openPolicy)
	b.chain.strict = true
	b.chain.blocks = make([][]*types.Transaction, 2*stuckLong)
	s := b.open(t)
	defer func() { expect.Error(t, s.Close(), nil, "Close") }()
	b.signStuck(s)
	deposits := 0
	for range 16 {
		pool := b.chain.pooled()
		if len(pool) > 0 && *pool[0].To() != b.payer && deposits < 2 {
			b.chain.after = func() { b.chain.give(b.payer, big.NewInt(9e17)) }
			deposits++
		}
		b.chain.mineStrictly(nil, pool...)
		must.Do(t, s.catchUp(t.Context()))
		s.mover.step(t.Context())
	}
	if open, err := s.books.openNonces(); len(open) > 0 || err != nil || deposits != 2 {
		t.Errorf("a reservation stays: %v, %v, after %d deposits", open, err, deposits)
	}
}

// signStuck has a payer sign what counts as stuck.
func (b *bench) signStuck(s *Sponsor) *types.Transaction {
	key := newSender(b.t)
	b.chain.set(func() { b.chain.give(crypto.PubkeyToAddress(key.PublicKey), common.Big1) })
	_, raw := senderTx(b.t, key, func(tx *types.DynamicFeeTx) { tx.Value = common.Big1 })
	signed := new(types.Transaction)
	must.Do(b.t, signed.UnmarshalBinary(must.Get(s.Sign(b.t.Context(), b.config.Keys[0], raw, ""))(b.t)))
	must.Do(b.t, s.books.update(func(tx *bbolt.Tx) error {
		k, _ := tx.Bucket(openBucket).Cursor().First()
		r, err := readReservation(tx, openBucket, k)
		r.Block = 1
		return errors.Join(err, put(tx, openBucket, slices.Clone(k), r))
	}, nil))
	s.mover.counts = true
	return signed
}

// block makes a block of transactions and of what is pooled, and has the sponsor follow and move. It returns the usage.
func (b *bench) block(s *Sponsor, txs ...*types.Transaction) *Usage {
	b.chain.mineStrictly(nil, append(txs, b.chain.pooled()...)...)
	must.Do(b.t, s.catchUp(b.t.Context()))
	s.mover.step(b.t.Context())
	return must.Get(s.books.Usage(b.config.Keys[0], time.Now()))(b.t)
}

// TestEndWaitsForCoins: nothing ends while coins may be on their way to its payer (docs/develop/sponsor.md, Budgets).
func TestEndWaitsForCoins(t *testing.T) {
	b := newBench(t, openPolicy)
	b.chain.strict = true
	b.chain.blocks = make([][]*types.Transaction, 2*stuckLong)
	s := b.open(t)
	defer func() { must.Do(t, s.Close()) }()
	b.signStuck(s)
	b.block(s)
	deposit := s.payers.lines[0].deposit.address
	b.chain.set(func() { b.chain.give(deposit, coinsOf(60)) })
	if u := b.block(s); len(s.payers.lines[0].all) != 2 || u.Reserved == "0" {
		t.Errorf("the payer has no coins, and %v may come: %s are reserved", b.chain.coins(deposit), u.Reserved)
	}
	if u := b.block(s); u.Reserved != "0" {
		t.Errorf("%s stay reserved", u.Reserved)
	}
}

// TestSignatureOfPayerThatWasLeft: a deposit is out of reach of what had ended since its payer was left. What a
// stranger's coins pay of that counts as spent, once, though nothing is reserved (doc.go, What counts).
func TestSignatureOfPayerThatWasLeft(t *testing.T) {
	for name, row := range map[string]struct {
		deposit bool // else to the first payer
		wei     *big.Int
		spent   *big.Int
	}{
		"deposit":                         {true, coinsOf(60), new(big.Int)},
		"gift":                            {false, coinsOf(60), testFee},
		"gift that leaves no trace of it": {false, testFee, testFee},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, openPolicy)
			b.chain.strict = true
			b.chain.blocks = make([][]*types.Transaction, 2*stuckLong)
			s := b.open(t)
			defer func() { must.Do(t, s.Close()) }()
			signed := b.signStuck(s)
			for range 4 {
				b.block(s)
			}
			if u := b.block(s); u.Reserved != "0" { // without changes
				t.Fatalf("%s stay reserved", u.Reserved)
			}
			account := b.payer
			if row.deposit {
				account = s.payers.lines[0].deposit.address
			}
			b.chain.set(func() { b.chain.give(account, row.wei) })
			for range 3 {
				b.block(s, signed)
			}
			if u := b.block(s, signed); u.Spent != row.spent.String() || u.Reserved != "0" || s.metrics.foreign.Load() > 0 {
				t.Errorf("spent %s, want %v; reserved %s; foreign %d", u.Spent, row.spent, u.Reserved, s.metrics.foreign.Load())
			}
		})
	}
}

// TestPayerTakenOut: what a payer has signed counts when a block has it, though the configuration lacks the payer then.
func TestPayerTakenOut(t *testing.T) {
	b := newBench(t, openPolicy)
	one := b.text
	b.secondPayer()
	s := b.open(t)
	for range 2 { // payers take turns
		_, raw := senderTx(t, newSender(t), nil)
		must.Get(s.Send(t.Context(), b.config.Keys[0], raw, ""))(t)
	}
	must.Do(t, s.Close())
	b.text = one
	s = b.open(t)
	defer func() { must.Do(t, s.Close()) }()
	b.chain.minePool()
	must.Do(t, s.catchUp(t.Context()))
	u := must.Get(s.books.Usage(b.config.Keys[0], time.Now()))(t)
	if want := new(big.Int).Lsh(testFee, 1); u.Spent != want.String() || u.Reserved != "0" {
		t.Errorf("spent %s, reserved %s, want %v", u.Spent, u.Reserved, want)
	}
}

// secondPayer adds a payer to the configuration, and returns the keys of both.
func (b *bench) secondPayer() (keys []*ecdsa.PrivateKey) {
	keys = append(keys, nil, newSender(b.t))
	second := filepath.Join(b.dir, "second.key")
	must.Do(b.t, crypto.SaveECDSA(second, keys[1]))
	var err error
	if keys[0], err = crypto.LoadECDSA(filepath.Join(b.dir, "payer.key")); err != nil {
		b.t.Fatal(err)
	}
	address := crypto.PubkeyToAddress(keys[1].PublicKey)
	b.chain.set(func() { b.chain.give(address, coinsOf(500)) })
	b.text += fmt.Sprintf("[[payer]]\naddress = %q\nkey_file = \"second.key\"\n", address.Hex())
	return keys
}

// TestLineWithoutPayers: a line that has no further payer keeps no other from leaving what is stuck.
func TestLineWithoutPayers(t *testing.T) {
	b := newBench(t, openPolicy)
	b.chain.strict = true
	b.chain.blocks = make([][]*types.Transaction, 2*stuckLong)
	b.secondPayer()
	s := b.open(t)
	defer func() { expect.Error(t, s.Close(), nil, "Close") }()
	s.payers.lines[0].payer = func(uint32) (*payer, error) { return nil, errors.New("no further key") }
	for range 2 {
		key := newSender(t)
		b.chain.set(func() { b.chain.give(crypto.PubkeyToAddress(key.PublicKey), common.Big1) })
		_, raw := senderTx(t, key, func(tx *types.DynamicFeeTx) { tx.Value = common.Big1 })
		must.Get(s.Sign(t.Context(), b.config.Keys[0], raw, ""))(t)
	}
	s.last.Number += stuckLong + 1
	deposit := s.payers.lines[1].deposit
	s.payers.lines[1].deposit = nil // of an external signer without a key for it: deposits would go to old payers
	err := s.mover.leave(t.Context())
	if n := len(s.payers.lines[1].all); n != 1 || err == nil || !strings.Contains(err.Error(), "deposit_public_key") {
		t.Errorf("%d payers without an account of deposits, error %v", n, err)
	}
	s.payers.lines[1].deposit = deposit
	if err := s.mover.leave(t.Context()); err == nil || !strings.Contains(err.Error(), "no further key") {
		t.Errorf("error %v", err)
	}
	for i, want := range []int{1, 2} {
		expect.Equal(t, len(s.payers.lines[i].all), want, "payers of line %d", i)
	}
}

// TestWithdrawal: each payer sends what it has, whatever another cannot send, and no other transaction counts as sent
// (docs/develop/sponsor.md, Budgets).
func TestWithdrawal(t *testing.T) {
	b := newBench(t, openPolicy)
	keys := b.secondPayer()
	b.config = b.write(b.text)
	gapped, _ := senderTx(t, keys[0], func(tx *types.DynamicFeeTx) { tx.Nonce = 1 })
	b.chain.set(func() {
		b.chain.codes[b.payer] = []byte{1} // so that the pool refuses a second transaction
		b.chain.pool = append(b.chain.pool, gapped)
	})
	reasons := func(to byte, wait time.Duration) (all []string, err error) {
		list, err := Payers(t.Context(), b.config, &common.Address{to}, wait)
		for _, info := range list {
			if info.Pays {
				all = append(all, info.Reason)
			}
			if info.Sent != "" && (info.Reason != "" || info.Hash == nil) {
				t.Errorf("to %d: %+v", to, info)
			}
		}
		return all, err
	}
	all, err := reasons(1, 0)
	if want := []string{"see the error", "not in a block yet"}; err == nil || !slices.Equal(all, want) ||
		!strings.Contains(err.Error(), "in-flight") {
		t.Fatalf("%q, %v", all, err)
	}
	b.chain.set(func() { delete(b.chain.codes, b.payer) })
	for i, want := range [][]string{
		{"not in a block yet", "not in a block yet"},
		{"another transaction of it waits for a block", "another transaction of it waits for a block"},
	} {
		all, err := reasons(byte(i+1), 0)
		expect.That(t, err == nil && slices.Equal(all, want), "to %d: %q, %v", i+1, all, err)
	}
	expect.Says(t, expect.Err(reasons(0, 0)), "zero address", "to the zero address")
	expect.Says(t, expect.Err(Payers(t.Context(), b.config, &b.payer, 0)), "is an account of this sponsor", "to a payer")
	for text, want := range map[string]string{"rate limit": "eth_estimateGas: rate limit", "insufficient funds": ""} {
		b.chain.unwilling = errors.New(text)
		all, err := reasons(1, 0)
		expect.That(t, err == nil && slices.Equal(all, []string{waits, waits}) || want != "" && err != nil &&
			strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "does not take"), "%s: %q, %v", text, all, err)
	}
	b.chain.fails = true
	expect.Says(t, expect.Err(reasons(1, 0)), "does not take the coins", "to an account that refuses them")
}

// TestWithdrawalAwaitsBlock: coins are sent when a block says so. One that has failed is an error, and a recipient with
// code has the gas that it needs (docs/develop/sponsor.md, Budgets).
func TestWithdrawalAwaitsBlock(t *testing.T) {
	for status, want := range []string{"failed in block 3", ""} {
		t.Run(want, func(t *testing.T) {
			b := newBench(t, openPolicy)
			b.config = b.write(b.text)
			b.chain.status, b.chain.gas = hexutil.Uint64(status), 50_000
			b.chain.onLook = func() {
				if pool := b.chain.pool; len(pool) > 0 && len(b.chain.blocks) == 3 {
					b.chain.blocks = append(b.chain.blocks, pool)
				}
			}
			list, err := Payers(t.Context(), b.config, &common.Address{1}, time.Minute)
			info := list[len(list)-1]
			if info.Reason != want || (err == nil) != (status == 1) || (info.Sent != "") != (status == 1) {
				t.Errorf("%+v, %v", info, err)
			}
			if gas := b.chain.pool[0].Gas(); gas != withRoom(50_000) {
				t.Errorf("gas limit %d", gas)
			}
			audit := string(must.Get(os.ReadFile(filepath.Join(b.config.Data, "audit.jsonl")))(t))
			if n := strings.Count(audit, `"event":"withdrawn"`); n != 2-status {
				t.Errorf("%d lines: %s", n, audit)
			}
		})
	}
}

// open returns a sponsor that follows only as far as a test says.
func (b *bench) open(t rapid.TB) *Sponsor {
	b.config = b.write(b.text)
	s := must.Get(open(b.t.Context(), b.config))(t)
	s.following.Store(true)
	return s
}

// world is a sponsor in front of a chain, and what a test does to both.
type world struct {
	t     *rapid.T
	bench *bench
	s     *Sponsor
	keys  []*ecdsa.PrivateKey
	sent  []*types.Transaction // sender's transactions, of any outcome

	signed map[common.Hash]*types.Transaction // all with a payer's signature that has left the sponsor
	funded *big.Int                           // coins that payers had at first or were given
	gifts  *big.Int                           // those that strangers gave to payers that were left
	paid   *big.Int                           // fees of transactions of senders
	late   *big.Int                           // those of what had ended before: gifts pay them
	moves  *big.Int                           // fees of payers' own transactions
	count  uint64                             // of transactions of senders
}

// TestReservationsEnd: whatever moves nonces and coins, and whenever node or sponsor fail, no budget and no payer is
// overdrawn, nothing counts twice, the coins of all payers add up to the wei, and every reservation ends within blocks
// though its sender does nothing any more. Senders submit every signature that they ever got, and strangers deposit to
// all accounts: the books have each fee, and what had ended takes gifts alone (doc.go, What counts).
func TestReservationsEnd(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, r)
		defer w.close()
		r.Repeat(map[string]func(*rapid.T){
			"submit": w.submit,
			"block":  w.block,
			"replay": w.replay,
			"wait":   func(r *rapid.T) { w.age(rapid.SampledFrom([]uint64{stuckAfter + 1, stuckLong + 1}).Draw(r, "blocks")) },
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

func coinsOf(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18)) }

func newWorld(t *testing.T, r *rapid.T) *world {
	policy := strings.Replace(openPolicy, "100 WKRC", "400 WKRC", 1)
	w := &world{t: r, bench: newBench(t, policy+"max_per_sender_day = \"40 WKRC\"\n"),
		signed: make(map[common.Hash]*types.Transaction), funded: new(big.Int), gifts: new(big.Int),
		paid: new(big.Int), late: new(big.Int),
		moves: new(big.Int)}
	c := w.bench.chain
	c.strict = true
	c.blocks = make([][]*types.Transaction, stuckLong*10)
	clear(c.balances)
	if rapid.Bool().Draw(r, "seed") {
		i := strings.Index(w.bench.text, "[[payer]]")
		w.bench.text = w.bench.text[:i] + "[[payer]]\nseed = \"seed.txt\"\naccounts = 2\n"
		must.Do(t, os.WriteFile(filepath.Join(w.bench.dir, "seed.txt"), []byte(wellknown.Mnemonic), 0o600))
	}
	for i := range byte(5) {
		key := must.Get(crypto.ToECDSA(common.LeftPadBytes([]byte{i + 1}, 32)))(t)
		w.keys = append(w.keys, key)
	}
	w.open()
	if rapid.Bool().Draw(r, "left before") { // so that a payer that is left can be one in between
		for _, l := range w.s.payers.lines {
			w.leave(l)
		}
	}
	for _, p := range w.s.payers.paying() {
		w.fund(p.address, coinsOf(60))
	}
	c.mineStrictly(nil)
	w.follow()
	return w
}

// leave makes the next payer of a line the one that pays.
func (w *world) leave(l *line) {
	next, err := l.open(w.bench.t.Context(), uint32(len(l.all)))
	if err == nil {
		err = w.s.books.addPayer(l.first(), len(l.all), next)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.s.payers.add(l, next)
}

// fund gives coins to a payer.
func (w *world) fund(account common.Address, wei *big.Int) {
	w.bench.chain.set(func() { w.note(account, wei) })
}

// note gives coins to a payer as a part of what the chain does.
func (w *world) note(account common.Address, wei *big.Int) {
	w.bench.chain.give(account, wei)
	w.funded.Add(w.funded, wei)
	for _, l := range w.s.payers.lines {
		if slices.ContainsFunc(l.all[:len(l.all)-1], func(p *payer) bool { return p.address == account }) {
			w.gifts.Add(w.gifts, wei)
		}
	}
}

func (w *world) open() {
	w.s = w.bench.open(w.t)
	w.bench.chain.set(func() { w.bench.chain.onHead = w.s.head.announce }) // what waits for coins asks again at once
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
		must.Do(w.t, os.CopyFS(filepath.Join(w.bench.dir, dir), os.DirFS(w.bench.config.Data)))
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
		gas, value := rapid.Uint64Range(21000, 25200).Draw(r, "gas"), rapid.Int64Range(0, 1).Draw(r, "value")
		tx, _ = senderTx(w.bench.t, key, func(tx *types.DynamicFeeTx) {
			tx.Nonce, tx.GasFeeCap, tx.Gas, tx.Value = nonce, cap, gas, big.NewInt(value)
		})
		w.sent = append(w.sent, tx)
		if rapid.Bool().Draw(r, "coins") {
			c.set(func() { c.give(account, coinsOf(2)) })
		}
	}
	raw, err := tx.MarshalBinary()
	must.Do(r, err)
	if rapid.SampledFrom([]bool{false, false, false, true}).Draw(r, "past the sponsor") {
		_, err := c.SendRawTransaction(raw)
		r.Logf("nonce %d at the node: %v", tx.Nonce(), err)
		return
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
	ctx := context.Background()
	if rapid.SampledFrom([]bool{false, false, false, true}).Draw(r, "sign") {
		var signed []byte
		if signed, err = w.s.Sign(ctx, k, raw, ""); err == nil {
			handed := new(types.Transaction)
			must.Do(r, handed.UnmarshalBinary(signed))
			w.signed[handed.Hash()] = handed
		}
	} else {
		_, err = w.s.Send(ctx, k, raw, "")
	}
	r.Logf("nonce %d: %v", tx.Nonce(), err)
	w.overhear()
	c.set(func() { c.mute, c.refuse = false, nil })
	c.lost.Store(false)
}

// block makes a block of what is pooled, what was signed, and what others use nonces and coins by, and has the books
// follow.
func (w *world) block(r *rapid.T) {
	c := w.bench.chain
	var txs []*types.Transaction
	creations := make(map[common.Address]uint64)
	for _, key := range w.keys {
		account := crypto.PubkeyToAddress(key.PublicKey)
		ways := []string{"pool", "pool", "authorize", "none", "other", "stripped", "signed", "leave"}
		switch rapid.SampledFrom(ways).Draw(r, "by") {
		case "pool":
			txs = append(txs, w.pooledOf(account)...)
		case "signed": // all that its sender got a signature for, or the node has without having said so
			for _, tx := range w.signed {
				if sender, _ := types.Sender(testSigner, tx); sender == account {
					txs = append(txs, tx)
				}
			}
			slices.SortFunc(txs, func(a, b *types.Transaction) int { return a.Hash().Cmp(b.Hash()) })
		case "other":
			tx, _ := senderTx(w.bench.t, key, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Data = c.nonces[account], []byte{1} })
			txs = append(txs, tx)
		case "stripped":
			for _, tx := range w.sent {
				if sender, _ := types.Sender(testSigner, tx); sender == account {
					txs = append(txs, tx)
				}
			}
		case "leave": // by an authorization of EIP-3009 that a stranger submits
			c.set(func() { c.balances[account] = new(big.Int) })
		case "authorize":
			list := make([]uint64, rapid.Uint64Range(1, 3).Draw(r, "authorizations"))
			for i := range list {
				list[i] = c.nonces[account] + uint64(i)
			}
			txs = append(txs, authorizing(w.bench.t, key, list...))
		}
		if len(c.codes[account]) > 0 && rapid.SampledFrom([]bool{false, false, true}).Draw(r, "creates") {
			creations[account] = rapid.Uint64Range(1, 3).Draw(r, "creations")
		}
	}
	if rapid.SampledFrom([]bool{true, true, false}).Draw(r, "moves") {
		txs = append(txs, w.pooledMoves()...)
	}
	if rapid.SampledFrom([]bool{false, false, false, true}).Draw(r, "gift") {
		w.gift(r)
	}
	w.mine(creations, rapid.Permutation(txs).Draw(r, "order")...)
	if rapid.SampledFrom([]bool{true, true, false}).Draw(r, "read") {
		w.follow()
		w.move(r)
	}
}

// replay has strangers give coins to an account of the sponsor, and all senders submit every signature that they got.
func (w *world) replay(r *rapid.T) {
	var txs []*types.Transaction
	for _, tx := range w.signed {
		txs = append(txs, tx)
		sender, _ := types.Sender(testSigner, tx)
		w.bench.chain.set(func() { w.bench.chain.give(sender, common.Big1) })
	}
	slices.SortFunc(txs, func(a, b *types.Transaction) int { return a.Hash().Cmp(b.Hash()) })
	for range 3 {
		w.gift(r)
	}
	w.mine(nil, rapid.Permutation(append(txs, w.pooledMoves()...)).Draw(r, "order")...)
	w.follow()
	w.move(r)
}

// gift has strangers deposit to an account of a line, before or in the next block.
func (w *world) gift(r *rapid.T) {
	l := rapid.SampledFrom(w.s.payers.lines).Draw(r, "line")
	account := rapid.SampledFrom(l.accounts()).Draw(r, "account").address
	wei := new(big.Int).Div(coinsOf(rapid.SampledFrom([]int64{1, 5, 9, 13, 30, 400}).Draw(r, "coins")), big.NewInt(10))
	if rapid.Bool().Draw(r, "first") {
		w.fund(account, wei)
	} else {
		w.bench.chain.after = func() { w.note(account, wei) }
	}
}

// overhear keeps all signatures of payers that the node has.
func (w *world) overhear() {
	for _, tx := range w.bench.chain.pooled() {
		if sender, _ := types.Sender(testSigner, tx); tx.Type() == types.FeeDelegateTxType && w.s.payers.find(sender) == nil {
			w.signed[tx.Hash()] = tx
		}
	}
}

func (w *world) pooledOf(account common.Address) []*types.Transaction {
	pooled := slices.DeleteFunc(w.bench.chain.pooled(), func(tx *types.Transaction) bool {
		sender, _ := types.Sender(testSigner, tx)
		return sender != account
	})
	slices.SortFunc(pooled, func(a, b *types.Transaction) int { return int(a.Nonce()) - int(b.Nonce()) })
	return pooled
}

func (w *world) pooledMoves() []*types.Transaction {
	return slices.DeleteFunc(w.bench.chain.pooled(), func(tx *types.Transaction) bool {
		sender, _ := types.Sender(testSigner, tx)
		return w.s.payers.find(sender) == nil
	})
}

// mine makes a block, and notes what payers have paid.
func (w *world) mine(creations map[common.Address]uint64, txs ...*types.Transaction) {
	open := make(map[common.Hash]bool)
	must.Do(w.t, w.s.books.Each(func(hash common.Hash, _ *reservation) { open[hash] = true }))
	w.overhear()
	for _, tx := range w.bench.chain.mineStrictly(creations, txs...) {
		sender, _ := types.Sender(testSigner, tx)
		switch {
		case w.s.payers.find(sender) != nil:
			w.moves.Add(w.moves, feeOf(tx))
		case tx.Type() == types.FeeDelegateTxType:
			w.paid.Add(w.paid, feeOf(tx))
			w.count++
			if open[*tx.SenderTransactionHash()] {
				continue
			}
			most := new(big.Int).Mul(big.NewInt(int64(w.retired())), new(big.Int).Rsh(testFee, 1)) // what moves leave behind
			if w.late.Add(w.late, feeOf(tx)); w.late.Cmp(most.Add(most, w.gifts)) > 0 {
				w.t.Fatalf("%v of fees were taken for what had ended, and %v were given since", w.late, w.gifts)
			}
		}
	}
}

// retired is the number of payers that were left.
func (w *world) retired() (n int) {
	for _, l := range w.s.payers.lines {
		n += len(l.all) - 1
	}
	return n
}

// move has coins leave what is stuck, with a kill after any step.
func (w *world) move(r *rapid.T) {
	kill := func() {
		if rapid.SampledFrom([]bool{false, false, false, true}).Draw(r, "kill") {
			w.restart(true)
		}
	}
	ctx := w.bench.t.Context()
	all := w.s.payers.leaving()
	for i, d := range all {
		must.Do(w.t, w.s.mover.end(ctx, d, all[:i]))
	}
	kill()
	must.Do(w.t, w.s.mover.leave(ctx))
	kill()
	for _, d := range w.s.payers.leaving() {
		if _, err := w.s.mover.move(ctx, d, moveGas); err != nil {
			w.t.Fatal(err)
		}
	}
	kill()
	if w.s.unsent.Load() {
		w.s.resubmit(ctx)
	}
	w.checkPayers()
}

// age makes all reservations older, as if blocks without transactions had come.
func (w *world) age(blocks uint64) {
	err := w.s.books.update(func(tx *bbolt.Tx) error {
		all := make(map[string]*reservation)
		err := tx.Bucket(openBucket).ForEach(func(k, _ []byte) error {
			r, err := readReservation(tx, openBucket, k)
			all[string(k)] = r
			return err
		})
		for k, r := range all {
			r.Block -= min(blocks, r.Block)
			err = errors.Join(err, put(tx, openBucket, []byte(k), r))
		}
		return err
	}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
}

// follow has the books read all blocks, which ends every reservation whose nonce is used.
func (w *world) follow() {
	must.Do(w.t, w.s.catchUp(w.bench.t.Context()))
	open := must.Get(w.s.books.openNonces())(w.t)
	for sender, nonces := range open {
		if state := w.bench.chain.nonces[sender]; nonces[0] < state {
			w.t.Fatalf("nonce %d of %v is reserved, the state has %d", nonces[0], sender, state)
		}
	}
	w.checkPayers()
}

// checkPayers compares what is reserved of payers with their coins, what is spent with what the chain took, and all
// coins of payers with those that they were given. The books have read all blocks.
func (w *world) checkPayers() {
	reserved, of := new(big.Int), make(map[common.Address]*big.Int)
	err := w.s.books.Each(func(_ common.Hash, r *reservation) {
		if of[r.Payer] == nil {
			of[r.Payer] = new(big.Int)
		}
		of[r.Payer].Add(of[r.Payer], r.Cost)
		reserved.Add(reserved, r.Cost)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	sum := new(big.Int)
	for _, l := range w.s.payers.lines {
		for _, p := range l.accounts() {
			have := w.bench.chain.coins(p.address)
			sum.Add(sum, have)
			in := must.Get(w.s.books.reservedOf(p.address))(w.t)
			if of[p.address] == nil {
				of[p.address] = new(big.Int)
			}
			if in.Cmp(of[p.address]) != 0 {
				w.t.Fatalf("tally of payer %v has %v, open are %v", p.address, in, of[p.address])
			}
			if p == l.last() && in.Cmp(have) > 0 {
				w.t.Fatalf("%v are reserved of a payer that has %v", in, have)
			}
		}
	}
	if u := w.usage(); u.Spent != w.paid.String() || u.Reserved != reserved.String() {
		w.t.Fatalf("books have spent %s and reserved %s: the chain took %v, and %v are open", u.Spent, u.Reserved, w.paid,
			reserved)
	}
	for _, fees := range []*big.Int{w.paid, w.moves} {
		sum.Add(sum, fees)
	}
	if sum.Cmp(w.funded) != 0 {
		w.t.Fatalf("payers have and have paid %v, and were given %v", sum, w.funded)
	}
}

func (w *world) usage() *Usage {
	u := must.Get(w.s.books.Usage(w.bench.config.Keys[0], time.Now()))(w.t)
	return u
}

// check compares what is spent and reserved with the budgets.
func (w *world) check(*rapid.T) {
	k := w.bench.config.Keys[0]
	u := w.usage()
	spent, _ := new(big.Int).SetString(u.Spent, 10)
	reserved, _ := new(big.Int).SetString(u.Reserved, 10)
	if spent.Add(spent, reserved).Cmp(new(big.Int).Add(k.MaxTotal.int(), w.late)) > 0 {
		w.t.Fatalf("%s spent and %s reserved: the budget is %v, gifts paid %v", u.Spent, u.Reserved, k.MaxTotal.int(), w.late)
	}
	bySender := make(map[common.Address]*big.Int)
	err := w.s.books.Each(func(_ common.Hash, r *reservation) {
		sender := must.Get(w.s.parse(r.Raw))(w.t)
		if bySender[sender.Sender] == nil {
			bySender[sender.Sender] = new(big.Int)
		}
		bySender[sender.Sender].Add(bySender[sender.Sender], r.Cost)
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

// settle ends the traffic: nothing stays reserved, though no sender uses a nonce.
func (w *world) settle() {
	const blocks = 40
	deposits := rapid.Bool().Draw(w.t, "deposits")
	if rapid.Bool().Draw(w.t, "left twice") {
		for _, l := range w.s.payers.lines {
			w.leave(l)
			w.leave(l)
		}
	}
	for i := range blocks {
		if deposits && i < blocks/4 { // in blocks of moves, by strangers
			w.bench.chain.after = func() {
				for _, d := range w.s.payers.leaving() {
					w.note(d.from.address, big.NewInt(9e17))
				}
			}
		}
		var txs []*types.Transaction
		for _, key := range w.keys {
			txs = append(txs, w.pooledOf(crypto.PubkeyToAddress(key.PublicKey))...)
		}
		w.mine(nil, append(txs, w.pooledMoves()...)...)
		w.follow()
		if w.usage().Reserved == "0" && i > blocks/2 {
			break
		}
		w.s.mover.step(w.bench.t.Context())
		w.s.resubmit(w.bench.t.Context())
		w.checkPayers()
		w.age(stuckLong / 10)
	}
	for range 4 {
		if u := w.usage(); u.Reserved != "0" || u.Count != w.count {
			w.t.Fatalf("%s stay reserved, %d are counted, want %d", u.Reserved, u.Count, w.count)
		}
		w.replay(w.t)
	}
}
