// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// authorization returns one of key author for code at the address 7.
func authorization(t testing.TB, author byte, chainID, nonce uint64) types.SetCodeAuthorization {
	t.Helper()
	auth, err := types.SignSetCode(anzeonTestKey(t, author), types.SetCodeAuthorization{ChainID: *uint256.NewInt(chainID), Address: common.Address{7}, Nonce: nonce})
	if err != nil {
		t.Fatal(err)
	}
	return auth
}

// carry returns a transaction of key sender that carries authorizations. It has gas for all of them, and the least fee cap.
func carry(t testing.TB, sender byte, nonce uint64, auths ...types.SetCodeAuthorization) *types.Transaction {
	t.Helper()
	return types.MustSignNewTx(anzeonTestKey(t, sender), types.NewAnzeonSigner(big.NewInt(8283)), &types.SetCodeTx{ChainID: uint256.NewInt(8283), Nonce: nonce,
		Gas: 50_000 + 25_000*uint64(len(auths)), GasTipCap: uint256.NewInt(governedTip), GasFeeCap: uint256.NewInt(50e12), AuthList: auths})
}

// manyAuthorizations returns so many authorizations, each of somebody else: another nonce under the same signature.
func manyAuthorizations(t testing.TB, n int) []types.SetCodeAuthorization {
	auths := slices.Repeat([]types.SetCodeAuthorization{authorization(t, 77, 8283, 0)}, n)
	for i := range auths {
		auths[i].Nonce = uint64(i)
	}
	return auths
}

// enrich gives the account of a key what many authorizations cost.
func (c *anzeonTestChain) enrich(t testing.TB, key byte) {
	c.state.SetBalance(anzeonTestAddr(t, key), uint256.MustFromBig(new(big.Int).Lsh(common.Big1, 100)), tracing.BalanceChangeUnspecified)
}

// decoded returns a transaction as it comes from outside, with nothing recovered.
func decoded(t testing.TB, tx *types.Transaction) *types.Transaction {
	t.Helper()
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	made := new(types.Transaction)
	if err := made.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	return made
}

// counted makes the pool count the authorizations whose author it recovers.
func counted(pool *Pool) *atomic.Int64 {
	var n atomic.Int64
	recover := pool.recover
	pool.recover = func(auth *types.SetCodeAuthorization) (common.Address, error) {
		n.Add(1)
		return recover(auth)
	}
	return &n
}

// Authorizations are looked at when the sender pays for them: not when its coins, its nonce, what it has promised, or the price of what it
// would replace speaks against the transaction (spec transactions 4.1 and 4.2; 25 000 gas each, EIP-7702).
func TestAuthorsOfPayableOnly(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.enrich(t, 2)
	chain.enrich(t, 3)
	chain.state.SetNonce(anzeonTestAddr(t, 2), 5, tracing.NonceChangeUnspecified)
	chain.state.SetBlacklisted(anzeonTestAddr(t, 3), true)
	chain.state.SetCode(anzeonTestAddr(t, 5), types.AddressToDelegation(common.Address{7}), tracing.CodeChangeUnspecified)
	chain.enrich(t, 5)
	chain.extend(pool)
	recovered := counted(pool)
	auths := manyAuthorizations(t, 100)
	mustAdd(t, pool, ordinary(t, 1, bid(0, 276, 100)))
	for want, tx := range map[error]*types.Transaction{
		gethcore.ErrInsufficientFunds:           carry(t, 99, 0, auths...), // nobody has funded it
		gethcore.ErrNonceTooLow:                 carry(t, 2, 4, auths...),
		txpool.ErrReplaceUnderpriced:            carry(t, 1, 0, auths...),
		legacypool.ErrOutOfOrderTxFromDelegated: carry(t, 5, 1, auths...),
	} {
		wantError(t, pool, tx, want)
		if err := pool.Submit(tx); !errors.Is(err, want) {
			t.Errorf("submitted here: error %v, want %v", err, want)
		}
	}
	if err := submit(pool, carry(t, 3, 0, auths...)); err == nil {
		t.Error("a blacklisted sender's transaction is taken")
	}
	if n := recovered.Load(); n != 0 {
		t.Errorf("%d authorizations are looked at for nothing", n)
	}
	mustAdd(t, pool, carry(t, 1, 1, auths...))
	if n := recovered.Load(); n != 100 {
		t.Errorf("%d authorizations of 100 are looked at", n)
	}
	checkPool(t, pool)
}

// One message with many such transactions of one nonce costs what one of them does: each is decided before the next is looked at.
func TestAuthorsOfOneNonce(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	recovered := counted(pool)
	txs := make([]*types.Transaction, 10)
	for i := range txs {
		auths := manyAuthorizations(t, 100)
		auths[0].Address[0] = byte(i)
		txs[i] = carry(t, 1, 0, auths...)
	}
	for i, err := range pool.Add(txs, true) {
		if i == 0 && err != nil || i > 0 && !errors.Is(err, txpool.ErrReplaceUnderpriced) {
			t.Errorf("transaction %d: %v", i, err)
		}
	}
	if n := recovered.Load(); n != 100 {
		t.Errorf("%d authorizations are looked at, want those of the first", n)
	}
}

// A copy of a refused transaction that carries authorizations is answered without a worker while nothing has changed; when its sender has coins
// its authors are recovered by the workers, so many in a turn.
func TestRefusedAuthorizations(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.fund(t, 1, 0)
	chain.extend(pool)
	recovered := counted(pool)
	poor := carry(t, 1, 0, manyAuthorizations(t, 100)...)
	wantError(t, pool, decoded(t, poor), gethcore.ErrInsufficientFunds)
	release := occupy(t, pool.workers)
	answers := make(chan error, 1)
	answer := func() error {
		t.Helper()
		select {
		case err := <-answers:
			return err
		case <-time.After(patience):
			t.Fatal("no answer")
			return nil
		}
	}
	for range 3 {
		go func() { answers <- submit(pool, decoded(t, poor)) }()
		if err := answer(); !errors.Is(err, gethcore.ErrInsufficientFunds) {
			t.Errorf("error %v", err)
		}
	}
	chain.enrich(t, 1)
	chain.extend(pool)
	go func() { answers <- submit(pool, decoded(t, poor)) }()
	awaitWaiting(t, pool.workers, 0, 1)
	if n := recovered.Load(); n != 0 {
		t.Errorf("%d authorizations are looked at while no worker is free", n)
	}
	release()
	if err := answer(); err != nil || recovered.Load() != 100 {
		t.Errorf("error %v, %d authorizations of 100 are looked at", err, recovered.Load())
	}
}

// Six peers send transactions with many authorizations that are paid for. What is submitted here meanwhile waits for the end of one turn, however
// many authorizations wait before it.
func TestSubmissionWaitsOneTurn(t *testing.T) {
	const peers = 6
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	for key := byte(1); key <= peers; key++ {
		chain.enrich(t, key)
	}
	chain.extend(pool)
	pool.workers.limit = 1
	var (
		first   sync.Once
		working = make(chan struct{})
		release = make(chan struct{})
		meets   int // authorizations that are looked at while the submission waits
		recover = pool.recover
	)
	pool.recover = func(auth *types.SetCodeAuthorization) (common.Address, error) {
		first.Do(func() { close(working); <-release })
		pool.workers.mu.Lock()
		meets += len(pool.workers.submitted)
		pool.workers.mu.Unlock()
		return recover(auth)
	}
	var flood sync.WaitGroup
	for key := byte(1); key <= peers; key++ {
		tx := carry(t, key, 0, manyAuthorizations(t, 300)...)
		flood.Go(func() {
			if err := submit(pool, tx); err != nil {
				t.Errorf("peer %d: %v", key, err)
			}
		})
	}
	<-working
	awaitWaiting(t, pool.workers, 0, peers-1)
	answer := make(chan error)
	go func() { answer <- pool.Submit(ordinary(t, 9, bid(0, 276, 100))) }()
	awaitWaiting(t, pool.workers, 1, peers-1)
	close(release)
	if err := <-answer; err != nil {
		t.Error(err)
	}
	flood.Wait()
	if meets == 0 || meets > turnSignatures {
		t.Errorf("the submission waits while %d authorizations are looked at, want one turn of %d at most", meets, turnSignatures)
	}
}

// Between two turns of peers those who submit have their share, and no more, whoever has waited for longer.
func TestTurns(t *testing.T) {
	w := testWorkers(t)
	w.limit = 1
	release := occupy(t, w)
	var (
		order strings.Builder // written by who works
		all   sync.WaitGroup
		peers int
		mine  int
	)
	signatures := 1 // of each
	enter := func(submitted bool, n int) {
		for range n {
			who := "p"
			if submitted {
				who = "s"
				mine++
			} else {
				peers++
			}
			all.Go(func() {
				if err := w.run(func() { order.WriteString(who) }, signatures, submitted); err != nil {
					t.Error(err)
				}
			})
			awaitWaiting(t, w, mine, peers)
		}
	}
	enter(true, 2)
	enter(false, 3)
	enter(true, 3*aheadOfPeers)
	enter(false, 1)
	release()
	all.Wait()
	share := strings.Repeat("s", aheadOfPeers)
	if want := share + "p" + share + "p" + share + "p" + "ss" + "p"; order.String() != want {
		t.Errorf("order %s, want %s", order.String(), want)
	}
	order.Reset()
	peers, mine = 0, 0
	release = occupy(t, w)
	w.mu.Lock()
	w.ahead = aheadOfPeers // they have had their share
	w.mu.Unlock()
	enter(true, 3)
	enter(false, 1)
	release()
	all.Wait()
	if want := "psss"; order.String() != want {
		t.Errorf("order %s, want %s", order.String(), want)
	}
	// Signatures count: of delegated transactions, and of those that carry authorizations.
	order.Reset()
	peers, mine, signatures = 0, 0, 2
	release = occupy(t, w)
	enter(true, aheadOfPeers)
	enter(false, 2)
	release()
	all.Wait()
	share = strings.Repeat("s", aheadOfPeers/2)
	if want := share + "p" + share + "p"; order.String() != want {
		t.Errorf("order %s, want %s", order.String(), want)
	}
}

// However many authorizations a submission carries, its turns are parts of what those who submit have between two turns of peers.
func TestTurnsOfAuthorizations(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	tx := carry(t, 1, 0, manyAuthorizations(t, 3*turnSignatures)...)
	for _, most := range []int{aheadOfPeers, turnSignatures} {
		turns, left := 0, 3*turnSignatures
		if _, err := pool.recoverAuthors(tx, most, func(work func(), signatures int) error {
			if signatures != most {
				t.Errorf("a turn of %d signatures, want %d", signatures, most)
			}
			turns, left = turns+1, left-signatures
			work()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if left != 0 || turns != 3*turnSignatures/most {
			t.Errorf("%d turns of at most %d, %d signatures left", turns, most, left)
		}
	}
	pool.workers.limit = 1
	pool.workers.slow = func() int { return 1 } // so that it rests after each turn
	rests, turns := 0, 0                        // written and read by the one worker only
	pool.workers.rest = func(time.Duration) { rests++ }
	if err := pool.Submit(tx); err != nil {
		t.Fatal(err)
	}
	if err := pool.workers.run(func() { turns = rests }, 0, false); err != nil {
		t.Fatal(err)
	}
	if want := 1 + 3*turnSignatures/aheadOfPeers; turns != want {
		t.Errorf("%d turns for a submission with %d authorizations, want %d", turns, 3*turnSignatures, want)
	}
}

// A turn of a worker is so many signatures, of senders and fee payers alike; nothing is left out.
func TestTurnSignatures(t *testing.T) {
	_, pool := small(t, func(c *Config) { *c = Defaults })
	pool.workers.limit = 1
	pool.workers.slow = func() int { return 1 } // so that it rests after each turn
	turns := 0                                  // written and read by the one worker only; its rest comes after the answer
	pool.workers.rest = func(time.Duration) { turns++ }
	counted := func() (n int) {
		if err := pool.workers.run(func() { n, turns = turns, -1 }, 0, false); err != nil { // -1: this is a turn too
			t.Fatal(err)
		}
		return n
	}
	var plain, paid []*types.Transaction
	for n := range uint64(130) {
		plain = append(plain, ordinary(t, 1, bid(n+1000, 276, 100)))
		paid = append(paid, delegated(t, 2, 9, bid(n+1000, 276, 100)))
	}
	for _, tt := range []struct {
		txs  []*types.Transaction
		want int
	}{{plain, 3}, {paid, 5}} {
		pool.Add(tt.txs, false)
		for i, tx := range tt.txs {
			if !tx.Signers().HasSender() {
				t.Errorf("transaction %d is left out", i)
			}
		}
		if turns := counted(); turns != tt.want {
			t.Errorf("%d turns for %d transactions of type %d, want %d", turns, len(tt.txs), tt.txs[0].Type(), tt.want)
		}
	}
}

// Only an authorization that can be valid here, now or later, restricts who has signed it: its chain ID is 0 or this chain's, and its nonce is not
// below that of the account, nor the last there is (EIP-7702, behavior 1, 2 and 6).
func TestDeadAuthorizations(t *testing.T) {
	for _, tt := range []struct {
		name           string
		chainID, nonce uint64
		alive          bool
	}{
		{"other chain", 1, 5, false},
		{"other chain, later nonce", 8282, 9, false},
		{"spent", 8283, 4, false},
		{"spent, any chain", 0, 4, false},
		{"last nonce", 8283, math.MaxUint64, false},
		{"now", 8283, 5, true},
		{"now, any chain", 0, 5, true},
		{"later", 8283, 6, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, victimFirst := range []bool{false, true} {
				chain, pool := small(t, func(c *Config) { *c = Defaults })
				chain.state.SetNonce(anzeonTestAddr(t, 1), 5, tracing.NonceChangeUnspecified)
				chain.extend(pool)
				carrier := carry(t, 2, 77, authorization(t, 1, tt.chainID, tt.nonce)) // behind a gap, so nobody pays for it
				own := []*types.Transaction{ordinary(t, 1, bid(5, 276, 100)), ordinary(t, 1, bid(6, 276, 100))}
				if victimFirst {
					mustAdd(t, pool, own...)
					if err := submit(pool, carrier); errors.Is(err, legacypool.ErrAuthorityReserved) != tt.alive {
						t.Errorf("the carrier after two of the author: error %v", err)
					}
					continue
				}
				mustAdd(t, pool, carrier, own[0])
				if err := submit(pool, own[1]); errors.Is(err, txpool.ErrInflightTxLimitReached) != tt.alive {
					t.Errorf("the author's second transaction: error %v", err)
				}
				if limit := pool.mayBack(anzeonTestAddr(t, 1)).most; (limit == pool.config.AccountSlots) != tt.alive {
					t.Errorf("the author may back %d", limit)
				}
				// When the nonce of the account has gone beyond it, the authorization restricts nobody.
				if tt.alive {
					chain.state.SetNonce(anzeonTestAddr(t, 1), tt.nonce+1, tracing.NonceChangeUnspecified)
					chain.extend(pool)
					mustAdd(t, pool, ordinary(t, 1, bid(tt.nonce+1, 276, 100)), ordinary(t, 1, bid(tt.nonce+2, 276, 100)))
				}
				checkPool(t, pool)
			}
		})
	}
}

// Of several authorizations of one author the one that can be valid for longest counts, and all are gone with the last transaction.
func TestAuthorsCounted(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	auths := []types.SetCodeAuthorization{authorization(t, 1, 8283, 2), authorization(t, 3, 8283, 0), authorization(t, 1, 0, 7), authorization(t, 1, 8283, 3)}
	auths = append(auths, types.SetCodeAuthorization{ChainID: *uint256.NewInt(8283), V: 9}) // nobody's
	want := []author{{anzeonTestAddr(t, 1), 7}, {anzeonTestAddr(t, 3), 0}}
	first, second := carry(t, 2, 0, auths...), carry(t, 4, 0, auths[0])
	if have := pool.authorsOf(first); !slices.Equal(have, want) {
		t.Errorf("authors %v, want %v", have, want)
	}
	mustAdd(t, pool, first, second)
	if have := pool.authors[anzeonTestAddr(t, 1)]; have != (signed{2, 7}) {
		t.Errorf("%+v", have)
	}
	for _, sender := range []byte{2, 4} {
		if !pool.mayDelegate(anzeonTestAddr(t, 1)) {
			t.Error("nothing is known of an authorization")
		}
		chain.state.SetNonce(anzeonTestAddr(t, sender), 1, tracing.NonceChangeUnspecified)
		chain.extend(pool)
		checkPool(t, pool)
	}
	if len(pool.authors) != 0 {
		t.Errorf("%v is left", pool.authors)
	}
}
