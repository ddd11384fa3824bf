// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
	"go.etcd.io/bbolt"

	"gwon/internal/expect"
	"gwon/internal/follow"
	"gwon/internal/must"
	"gwon/params"
)

// authorizing is a transaction of type 4 by a stranger, with authorizations of an account for these nonces.
func authorizing(t testing.TB, account *ecdsa.PrivateKey, nonces ...uint64) *types.Transaction {
	t.Helper()
	var list []types.SetCodeAuthorization
	for _, nonce := range nonces {
		a := must.Get(types.SignSetCode(account, types.SetCodeAuthorization{
			ChainID: *uint256.NewInt(testChain), Address: common.Address{0xcc}, Nonce: nonce,
		}))(t)
		list = append(list, a)
	}
	tx := must.Get(types.SignNewTx(newSender(t), testSigner, &types.SetCodeTx{
		ChainID: uint256.NewInt(testChain), Gas: 100_000, GasFeeCap: uint256.NewInt(testBaseFee + testTip),
		GasTipCap: uint256.NewInt(testTip), AuthList: list,
	}))(t)
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
			b.sponsor.books.season(t, account)
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

// TestChainBegunAgain: blocks of another chain decide nothing about reservations.
func TestChainBegunAgain(t *testing.T) {
	b := newBench(t, openPolicy)
	s := b.open(t)
	_, raw := senderTx(t, newSender(t), nil)
	must.Get(s.Send(t.Context(), b.config.Keys[0], raw, ""))(t)
	must.Do(t, s.catchUp(t.Context()))
	pool := b.chain.pooled()
	b.chain.set(func() { b.chain.begun++ })
	b.chain.mine(pool...)
	err := s.catchUp(t.Context())
	open, failed := s.books.AnySigned()
	expect.That(t, errors.Is(err, follow.ErrOtherChain) && open && failed == nil, "%v, %v; reserved %v", err, failed, open)
	must.Do(t, s.Close())
}

// TestRefusedIsReleased: what the node refuses at its first submission is released at once and may come again. What it
// may have taken stays reserved.
func TestRefusedIsReleased(t *testing.T) {
	for _, tt := range []struct {
		name     string
		err      error
		reserved bool
		rule     string
	}{
		{"in flight", errors.New("in-flight transaction limit reached for delegated accounts"), false, "pending"},
		{"underpriced", errors.New("replacement transaction underpriced"), false, "pending"},
		{"full", errors.New("txpool is full"), false, "node"},
		{"unknown", errors.New("the node stumbles"), true, "node"},
		{"time-out", errors.New("request timed out"), true, "node"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := startBench(t, openPolicy)
			b.chain.set(func() { b.chain.refuse = tt.err })
			_, raw := senderTx(t, newSender(t), nil)
			a := b.call("/", "eth_sendRawTransaction", raw)
			must.That(t, a.Error != nil && a.Error.Data.Rule == tt.rule, "error %+v", a.Error)
			failed := b.sponsor.metrics.failed.Load()
			expect.That(t, (failed == 0) == (tt.rule == "pending"), "%d failures, which raise an alert", failed)
			open, err := b.sponsor.books.AnySigned()
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
	must.That(t, b.call("/", "eth_sendRawTransaction", raw).Error != nil, "taken")
	open, err := b.sponsor.books.AnySigned()
	expect.That(t, err == nil && open, "reserved %v, error %v", open, err)
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
	a := send(1)
	must.That(t, a.Error == nil, "first: %+v", a.Error)
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
	must.Do(t, err)
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
	expect.Error(t, err, nil, "View")
	expect.Error(t, expect.Err(b.ApplyBlock(1, common.Hash{}, noon, []used{settleBy(w, 5)})), nil, "ApplyBlock")
}

// TestOtherChainEnds: a sponsor whose node has another chain than the books ends, at a start too, and however long the
// new chain is. Of the same chain, a node that was away or is behind ends nothing.
func TestOtherChainEnds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		from    hexutil.Uint64 // first block that differs
		blocks  int            // on top of those that the books contain
		differs bool
	}{
		{"begun again, shorter", 0, -2, true},
		{"begun again, as long", 0, 0, true},
		{"begun again, longer", 0, 1, true},
		{"begun again, far longer", 0, 2 * missedBlocks, true},
		{"taken back, as long", 3, 0, true},
		{"taken back, longer", 3, 1, true},
		{"taken back, far longer", 3, 2 * missedBlocks, true},
		{"the same", 0, 1, false},
		{"the same, far longer", 0, 2 * missedBlocks, false},
	} {
		for _, away := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, away %v", tt.name, away), func(t *testing.T) {
				b := startBench(t, openPolicy)
				_, raw := senderTx(t, newSender(t), nil)
				b.must(new(common.Hash), "eth_sendRawTransaction", raw)
				b.chain.minePool()
				b.mustSpend("settled", testFee, 1)
				if away {
					b.chain.lost.Store(true)
					b.await("outage", func() bool { return !b.sponsor.following.Load() })
				}
				b.chain.set(func() {
					if tt.differs {
						b.chain.begun, b.chain.from = 1, tt.from
					}
					if tt.blocks < 0 {
						b.chain.blocks = b.chain.blocks[:len(b.chain.blocks)+tt.blocks]
					}
					for range tt.blocks {
						b.chain.blocks = append(b.chain.blocks, nil)
					}
					if tt.differs && tt.blocks == 0 && !away { // seen with the next block
						b.chain.blocks = append(b.chain.blocks, nil)
					}
				})
				b.chain.lost.Store(false)
				if !tt.differs {
					_, raw := senderTx(t, newSender(t), nil)
					b.await("following", b.sponsor.following.Load)
					b.must(new(common.Hash), "eth_sendRawTransaction", raw)
					return
				}
				b.await("end", func() bool { return len(b.sponsor.Ended()) > 0 })
				err := <-b.sponsor.Ended()
				must.That(t, errors.Is(err, follow.ErrOtherChain) && !b.sponsor.following.Load(), "ended with %v", err)
				b.stop()
				_, err = New(t.Context(), b.config)
				expect.That(t, errors.Is(err, follow.ErrOtherChain), "started with %v", err)
			})
		}
	}
}

// TestBooksWithoutHash: books of an earlier version, which had no hash of their last block, go on.
func TestBooksWithoutHash(t *testing.T) {
	b := startBench(t, openPolicy)
	b.stop()
	books := openTestBooks(t, b.config.Data)
	must.Do(t, books.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(metaBucket).Delete(hashKey)
	}))
	closeTestBooks(t, books)
	b.chain.mine()
	b.start()
	hash, err := b.sponsor.books.lastHash()
	expect.That(t, err == nil && hash != (common.Hash{}), "hash %v after the start: %v", hash, err)
}

// TestReadiness: a sponsor is not ready while its node stands still or syncs, unless blocks wait for transactions
// (docs/develop/sponsor.md, Monitoring).
func TestReadiness(t *testing.T) {
	s := newBench(t, openPolicy).open(t)
	t.Cleanup(func() { must.Do(t, s.Close()) })
	payer := s.payers.paying()[0].address
	for name, row := range map[string]struct {
		chain int64
		age   time.Duration
		coins int64
		want  int
	}{
		"a new block":        {testChain, 0, 3 * 21_000, http.StatusOK},
		"an old block":       {testChain, 2 * time.Minute, 3 * 21_000, http.StatusServiceUnavailable},
		"a developer chain":  {int64(params.DevChainID), 2 * time.Minute, 3 * 21_000, http.StatusOK},
		"no coins for a fee": {testChain, 0, 3*21_000 - 1, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s.chainID = big.NewInt(row.chain)
			s.fees.Store(&fees{time: uint64(time.Now().Add(-row.age).Unix()), tip: big.NewInt(1), baseFee: big.NewInt(1)})
			s.payers.setBalances(map[common.Address]*big.Int{payer: big.NewInt(row.coins)}, new(big.Int))
			answer := httptest.NewRecorder()
			s.serveReady(answer, nil)
			expect.Equal(t, answer.Code, row.want, "status")
		})
	}
}
