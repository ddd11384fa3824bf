// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// poolStep is a transaction of a vector with its expected error.
type poolStep struct {
	Raw   hexutil.Bytes
	Note  string
	Local bool
	Error *string
}

// poolVector is a recorded sequence of submissions to go-stablenet.
type poolVector struct {
	Name        string
	Description string
	Pre         map[common.Address]struct {
		Balance string
		Nonce   uint64
		Extra   hexutil.Uint64
		Code    hexutil.Bytes
	}
	Steps                     []poolStep
	PendingAfter, QueuedAfter int
}

// improved is a deliberate deviation from a vector (spec transactions 6): the error of step i, and the counts.
type improved struct {
	why             string
	step            func(i int) string
	pending, queued int
}

// each returns the same error for all steps.
func each(message string) func(int) string { return func(int) string { return message } }

// firstOnly returns an error for all steps except the first.
func firstOnly(message string) func(int) string {
	return func(i int) string {
		if i == 0 {
			return ""
		}
		return message
	}
}

const noTip = "transaction underpriced: gas tip cap 0, minimum needed 27600000000000"

// overshot returns the error text of a sender whose second transaction costs the whole balance again.
func overshot(wei string) string {
	return fmt.Sprintf("balance %s, queued cost %s, tx cost %s, overshot %s", wei, wei, wei, wei)
}

// improvements lists the deviations by vector.
var improvements = map[string]improved{
	"self-payer-sum-not-checked": {"no. 14: the sum of value and fee is checked", each(
		"insufficient funds for gas * price + value: " +
			"balance 2100000000000000000, tx cost 3100000000000000000, overshot 1000000000000000000"), 0, 0},
	"local-tip-below-governed": {"no. 28: no exemption for local submissions", each(
		"transaction underpriced: gas tip cap 27599999999999, minimum needed 27600000000000"), 0, 0},
	"local-fee-cap-below-min-base-fee":  {"no. 28", each(noTip), 0, 0},
	"local-fee-cap-equals-min-base-fee": {"no. 28", each(noTip), 0, 0},
	"twenty-senders-one-payer": {
		"no. 5: fees are reserved",
		firstOnly("fee delegation: insufficient feePayer's funds for gas * " +
			"price: balance 2100000000000000000, queued fee cost 2100000000000000000, fee cost 2100000000000000000, " +
			"overshot 2100000000000000000"), 1, 0,
	},
	"twenty-nonces-one-sender": {"no. 5 and 6: values add up", firstOnly("insufficient funds for gas * price + value: " +
		overshot("1000000000000000000")), 1, 0},
	"twenty-ordinary-nonces-no-cumulative-check": {
		"no. 6: costs add up",
		firstOnly("insufficient funds for gas * price + value: " + overshot("3100000000000000000")), 1, 0,
	},
	"non-existent-sender-two-nonces": {"no. 5a: a missing account has no code", each(""), 2, 0},
	"non-existent-sender-gapped":     {"no. 5a", each(""), 0, 1},
}

// TestRecordedSubmissions submits recorded sequences, and compares every error and the final counts.
// spec: transactions 4
func TestRecordedSubmissions(t *testing.T) {
	var file struct{ Vectors []poolVector }
	vectors.Load(t, "pool.json", &file)
	unused := make(map[string]bool)
	for name := range improvements {
		unused[name] = true
	}
	for _, v := range file.Vectors {
		delete(unused, v.Name)
		t.Run(v.Name, func(t *testing.T) {
			chain := newAnzeonTestChain(t)
			for addr, account := range v.Pre {
				balance, ok := new(big.Int).SetString(account.Balance, 10)
				must.That(t, ok, "balance %q", account.Balance)
				chain.state.SetBalance(addr, uint256.MustFromBig(balance), tracing.BalanceChangeUnspecified)
				chain.state.SetNonce(addr, account.Nonce, tracing.NonceChangeUnspecified)
				if len(account.Code) > 0 {
					chain.state.SetCode(addr, account.Code, tracing.CodeChangeUnspecified)
				}
				if account.Extra != 0 {
					chain.state.SetExtra(addr, uint64(account.Extra))
				}
			}
			pool := chain.open(t)
			pending, queued := v.PendingAfter, v.QueuedAfter
			better, isBetter := improvements[v.Name]
			if isBetter {
				pending, queued = better.pending, better.queued
			}
			for i, step := range v.Steps {
				want := ""
				switch {
				case isBetter:
					want = better.step(i)
				case step.Error != nil:
					want = *step.Error
				}
				have := ""
				if err := submit(pool, step.transaction(t)); err != nil {
					have = err.Error()
				}
				expect.Equal(t, have, want, "step %d: error (%s)", i, better.why)
			}
			p, q := pool.Stats()
			expect.That(t, p == pending && q == queued, "%d pending, %d queued; want %d, %d", p, q, pending, queued)
			checkPool(t, pool)
		})
	}
	for name := range unused {
		t.Errorf("no vector %q", name)
	}
}

// transaction returns the transaction of a step. Very large ones are described by their size.
func (s poolStep) transaction(t *testing.T) *types.Transaction {
	t.Helper()
	if len(s.Raw) == 0 {
		for size, zeros := range map[string]int{"encoded size 262366": 262144, "encoded size 262144": 261922} {
			if strings.HasSuffix(s.Note, size) {
				tx := delegated(t, 1, 2, func(tx *types.DynamicFeeTx) { tx.Gas, tx.Data = 105_000_000, make([]byte, zeros) })
				must.That(t, strings.HasSuffix(size, fmt.Sprint(tx.Size())), "made %d bytes, want %s", tx.Size(), size)
				return tx
			}
		}
		t.Fatalf("no transaction and no known note: %q", s.Note)
	}
	tx := new(types.Transaction)
	must.Do(t, tx.UnmarshalBinary(s.Raw))
	return tx
}

// TestRecordedInvalidTransactions makes the checks without state on recorded transactions.
// spec: transactions 4.1 rows c to n
func TestRecordedInvalidTransactions(t *testing.T) {
	var file struct {
		Vectors []struct {
			Name        string
			Raw         hexutil.Bytes
			DecodeError *string
			PoolError   *string
		}
	}
	vectors.Load(t, "invalid.json", &file)
	pool := newAnzeonTestChain(t).open(t)
	judged := 0
	for _, v := range file.Vectors {
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(v.Raw); (err != nil) != (v.DecodeError != nil) {
			t.Errorf("%s: decoding: %v", v.Name, err)
			continue
		} else if err != nil {
			continue
		}
		judged++
		want, have := "", ""
		if v.PoolError != nil {
			want = *v.PoolError
		}
		switch v.Name {
		case "value-257-bits":
			want = "insufficient funds for gas * price + value" // refused earlier than by go-ethereum's amounts
		case "fee-payer-null":
			want = types.ErrFeePayerNotSet.Error() // recorded of v1.0.1; this is the text since v1.1.0
		}
		if err := pool.ValidateTxBasics(tx); err != nil {
			have = err.Error()
		}
		// go-ethereum adds the reason.
		if have != want && !(want == "invalid sender" && strings.HasPrefix(have, "invalid sender: ")) {
			t.Errorf("%s: error %q, want %q", v.Name, have, want)
		}
	}
	expect.That(t, judged >= 20, "only %d vectors reached the pool", judged)
}

// TestTypesBeforeTheirFork refuses delegated transactions before Applepie. spec: transactions 4.1 row d
func TestTypesBeforeTheirFork(t *testing.T) {
	chain := newAnzeonTestChain(t)
	chain.config.ApplepieBlock = nil
	pool := chain.open(t)
	err := pool.ValidateTxBasics(delegated(t, 1, 2, nil))
	want := "transaction type not supported: type 22 rejected, pool not yet in Applepie"
	expect.That(t, err != nil && err.Error() == want, "error %v, want %s", err, want)
	setCode := types.MustSignNewTx(
		anzeonTestKey(t, 1),
		pool.signer,
		&types.SetCodeTx{
			ChainID: uint256.NewInt(8283), Gas: 100_000, GasTipCap: uint256.NewInt(governedTip),
			GasFeeCap: uint256.NewInt(1e14), AuthList: make([]types.SetCodeAuthorization, 1),
		},
	)
	expect.Error(t, pool.ValidateTxBasics(setCode), nil, "type 4 on an Anzeon chain")
}

// TestRaisedTipDropsLowerOffers keeps transactions whose tip and fee cap cover a raised tip, also behind nonce gaps.
// spec: transactions 6 no. 8
func TestRaisedTipDropsLowerOffers(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 5; key++ {
		chain.fund(t, key, 10e18)
	}
	pool := chain.open(t)
	low := ordinary(t, 1, nil)
	offer := func(key byte, feeCap int64) *types.Transaction {
		return ordinary(t, key, func(tx *types.DynamicFeeTx) {
			tx.GasTipCap, tx.GasFeeCap = big.NewInt(3e13), big.NewInt(feeCap)
		})
	}
	capped, good := offer(2, 5e13-1), offer(3, 5e13)
	behind := func(key byte, tip int64) *types.Transaction {
		return ordinary(t, key, func(tx *types.DynamicFeeTx) {
			tx.Nonce, tx.GasTipCap, tx.GasFeeCap = 1, big.NewInt(tip), big.NewInt(8e13)
		})
	}
	queued, lowQueued := behind(4, 5e13), behind(5, 3e13-1)
	mustAdd(t, pool, low, capped, good, queued, lowQueued)
	pool.SetGasTip(big.NewInt(3e13))
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{
		low: false, capped: false, good: true, queued: true, lowQueued: false,
	})
}

// TestConcurrentUse calls all methods at a time, for the race detector. Admitted submissions stay.
func TestConcurrentUse(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.GlobalQueue, c.AccountSlots = 60, 20, 2 })
	events := make(chan gethcore.NewTxsEvent, 4096)
	defer pool.SubscribeTransactions(events, false).Unsubscribe()
	var senders, others sync.WaitGroup
	var promised sync.Map
	for key := byte(1); key <= 4; key++ {
		chain.enrich(t, key)
	}
	chain.extend(pool)
	for key := byte(1); key <= 4; key++ {
		txs := make([]*types.Transaction, 6)
		for n := range txs {
			txs[n] = ordinary(t, key, bid(uint64((n+3)%6), 276, 100)) // behind a gap first
		}
		senders.Go(func() {
			for _, tx := range txs {
				if pool.Submit(tx) == nil {
					promised.Store(tx.Hash(), tx.Nonce())
				}
			}
		})
		foreign := make([]*types.Transaction, 5)
		for n := range foreign {
			foreign[n] = delegated(t, key+4, key, bid(uint64(n), 276, 100))
		}
		senders.Go(func() { pool.Add(foreign, key%2 == 0) })
	}
	done := make(chan struct{})
	for _, f := range []func(){
		func() { pool.Pending(txpool.PendingFilter{}) },
		func() { pool.Content(); pool.Stats(); pool.ContentFrom(anzeonTestAddr(t, 1)) },
		func() { pool.Nonce(anzeonTestAddr(t, 2)); pool.Nonce(common.Address{9}); pool.Overdue(time.Now(), 5) },
		func() {
			promised.Range(func(hash, _ any) bool {
				h, ok := hash.(common.Hash)
				pool.Status(h)
				return ok && pool.GetMetadata(h) != nil && pool.GetRLP(h, 0) != nil && pool.Known(h)
			})
		},
		func() {
			pool.Reset(chain.head, chain.head)
			pool.SetGasTip(big.NewInt(governedTip))
			pool.expire(time.Now())
		},
	} {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					f()
				}
			}
		})
	}
	senders.Wait()
	close(done)
	others.Wait()
	count := 0
	promised.Range(func(hash, nonce any) bool {
		count++
		expect.That(t, pool.Has(hash.(common.Hash)), "nonce %d was taken and is gone", nonce)
		return true
	})
	expect.That(t, count != 0, "nothing was taken")
	checkPool(t, pool)
}

// TestBatchesCountSignatures splits messages into batches by signatures of senders and fee payers.
func TestBatchesCountSignatures(t *testing.T) {
	_, pool := small(t, func(c *Config) { *c = Defaults })
	pool.control.limit = 1
	pool.control.factor = func() int { return 1 } // a pause follows each batch
	batches := 0                                  //  the one worker alone uses it
	pool.control.pause = func(time.Duration) { batches++ }
	counted := func() (n int) {
		if err := pool.control.run(func() { n, batches = batches, -1 }, 0, false); err != nil { // -1 for this batch
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
			expect.That(t, tx.Signers().HasSender(), "transaction %d is left out", i)
		}
		if n := counted(); n != tt.want {
			t.Errorf("%d batches for %d transactions of type %d, want %d", n, len(tt.txs), tt.txs[0].Type(), tt.want)
		}
	}
}
