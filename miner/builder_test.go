// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethminer "github.com/ethereum/go-ethereum/miner"
	"github.com/holiman/uint256"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/mempool"
)

const (
	governedTip = 27_600_000_000_000 // wei
	baseFee     = 20_000_000_000_000 // wei, of the first blocks
	patience    = 90 * time.Second
)

// The accounts of the tests.
const (
	first = iota
	second
	authorized // pays its own tip
	wealthy    // authorized too
	payer
	accounts
)

func testKey(i int) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "builder test %d", i)))
	if err != nil {
		panic(err)
	}
	return key
}

func testAddress(i int) common.Address { return crypto.PubkeyToAddress(testKey(i).PublicKey) }

// site is a chain of one validator with its pool and builder.
type site struct {
	net       *wbfttest.Network
	chain     *gethcore.BlockChain
	engine    *wbft.Engine
	pool      *txpool.TxPool
	smuggler  *smuggler
	builder   *Builder
	validator common.Address
}

// BlockChain implements the backend of go-ethereum's miner.
func (s *site) BlockChain() *gethcore.BlockChain { return s.chain }

// TxPool implements the backend of go-ethereum's miner.
func (s *site) TxPool() *txpool.TxPool { return s.pool }

// smuggler is a pool that also offers invalid transactions. It calls looked when one is looked up.
type smuggler struct {
	*mempool.Pool
	offered map[common.Address][]*types.Transaction
	looked  func()
}

func (s *smuggler) Pending(filter txpool.PendingFilter) (map[common.Address][]*txpool.LazyTransaction, int) {
	pending, count := s.Pool.Pending(filter)
	for addr, txs := range s.offered {
		for _, tx := range txs {
			pending[addr] = append(pending[addr], &txpool.LazyTransaction{
				Pool: s, Hash: tx.Hash(), Tx: tx, Time: tx.Time(), Gas: tx.Gas(),
				GasFeeCap: uint256.MustFromBig(tx.GasFeeCap()), GasTipCap: uint256.MustFromBig(tx.GasTipCap()),
			})
			count++
		}
	}
	for _, txs := range pending {
		for _, tx := range txs {
			tx.Pool, tx.Tx = s, nil
		}
	}
	return pending, count
}

func (s *smuggler) Get(hash common.Hash) *types.Transaction {
	if s.looked != nil {
		s.looked()
	}
	for _, txs := range s.offered {
		for _, tx := range txs {
			if tx.Hash() == hash {
				return tx
			}
		}
	}
	return s.Pool.Get(hash)
}

// open makes a site whose pool has the given minimum tip. The chain's governed tip is another one. The builder has a
// deadline that tests do not reach.
func open(t *testing.T, poolTip uint64) *site {
	t.Helper()
	s := &site{net: wbfttest.New(t, 1)}
	for i := range accounts {
		account := types.Account{Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil)}
		if i == authorized || i == wealthy {
			account.Extra = types.AccountAuthorized
		}
		s.net.Genesis.Alloc[testAddress(i)] = account
	}
	governor := s.net.Genesis.Config.Anzeon.SystemContracts.GovValidator.Address
	s.net.Genesis.Alloc[governor].Storage[common.Hash{31: 0x39}] = common.BigToHash(big.NewInt(governedTip))
	s.net.Genesis.Alloc[evaluations] = types.Account{Balance: new(big.Int), Code: evaluationsCode}
	s.chain, s.engine = s.net.Chain(t)
	for address, key := range s.net.Keys {
		s.validator = address
		must.Do(t, s.engine.Authorize(key))
	}
	s.smuggler = &smuggler{
		Pool: mempool.New(mempool.Defaults, s.chain), offered: make(map[common.Address][]*types.Transaction),
	}
	pool := must.Get(txpool.New(poolTip, s.chain, []txpool.SubPool{s.smuggler}))(t)
	t.Cleanup(func() { expect.Error(t, pool.Close(), nil, "Close") })
	s.pool = pool
	miner := gethminer.New(s, gethminer.DefaultConfig, s.engine)
	miner.SetGasCeil(105_000_000)
	s.builder = NewBuilder(s.chain, miner, patience)
	return s
}

// transfer returns a transfer signed by account i. Tip and fee cap are in wei per gas.
func (s *site) transfer(i int, nonce uint64, tip, feeCap int64) *types.Transaction {
	id := s.chain.Config().ChainID
	return types.MustSignNewTx(testKey(i), types.NewAnzeonSigner(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(feeCap), Gas: 21000,
		To: &common.Address{1},
	})
}

// submit adds transactions to the pool one by one.
func (s *site) submit(t *testing.T, txs ...*types.Transaction) {
	t.Helper()
	for _, tx := range txs {
		must.Do(t, s.pool.Add([]*types.Transaction{tx}, true)[0])
	}
	must.Do(t, s.pool.Sync())
}

func (s *site) build(t *testing.T, ctx context.Context) *gethcore.Executed {
	t.Helper()
	head := s.chain.CurrentBlock()
	executed := must.Get(s.builder.Build(ctx, head, s.validator, head.Time+1))(t)
	block := executed.Block()
	must.That(t, block.ParentHash() == head.Hash() && block.Coinbase() == s.validator && block.Time() == head.Time+1,
		"block by %v at %d on %v", block.Coinbase(), block.Time(), block.ParentHash())
	return executed
}

func contents(executed *gethcore.Executed) (hashes []common.Hash) {
	for _, tx := range executed.Block().Transactions() {
		hashes = append(hashes, tx.Hash())
	}
	return hashes
}

func wantContents(t *testing.T, executed *gethcore.Executed, want ...*types.Transaction) {
	t.Helper()
	var hashes []common.Hash
	for _, tx := range want {
		hashes = append(hashes, tx.Hash())
	}
	expect.Slice(t, contents(executed), hashes, "transactions")
}

const enough = 2 * (governedTip + baseFee)

// TestAuthorizedFirstThenArrival orders authorized senders of the parent's state by tip, and the others by arrival. A
// validator accepts the block. spec: transactions 3.7
func TestAuthorizedFirstThenArrival(t *testing.T) {
	s := open(t, 0)
	txs := []*types.Transaction{
		s.transfer(second, 0, governedTip, enough),
		s.transfer(first, 0, 2*governedTip, 2*enough),
		s.transfer(authorized, 0, governedTip, enough),
		s.transfer(wealthy, 0, 2*governedTip, enough),
	}
	for i, tx := range txs {
		tx.SetTime(time.Unix(int64(i), 0))
	}
	s.submit(t, txs...)
	executed := s.build(t, t.Context())
	wantContents(t, executed, txs[3], txs[2], txs[0], txs[1])

	other, _ := s.net.Chain(t)
	expect.Error(t, expect.Err(other.ExecuteProposal(t.Context(), executed.Block())), nil, "as a proposal")
}

// TestTipOfParentCounts excludes transactions below the governed tip of the parent's state, also while the pool has an
// older tip. The pool drops them when it knows the tip. spec: transactions 3.7
func TestTipOfParentCounts(t *testing.T) {
	s := open(t, 0) // the pool accepts any tip
	low, short := s.transfer(first, 0, governedTip, baseFee+governedTip-1), s.transfer(second, 0, governedTip-1, enough)
	own := s.transfer(authorized, 0, governedTip, enough)
	s.submit(t, low, short, own)
	// An ordinary sender pays the governed tip, which the fee cap of short leaves above the base fee.
	wantContents(t, s.build(t, t.Context()), own, short)

	s.pool.SetGasTip(big.NewInt(governedTip))
	expect.That(t, !s.pool.Has(short.Hash()) && s.pool.Has(own.Hash()), "the pool does not follow the tip at once")
	wantContents(t, s.build(t, t.Context()), own)
}

// TestExcludesUnsignedFeePayer excludes a transaction that its fee payer has not signed, and the sender's later ones.
// spec: transactions 6 no. 1
func TestExcludesUnsignedFeePayer(t *testing.T) {
	s := open(t, 0)
	wrap := func(inner *types.Transaction, signer int) *types.Transaction {
		tx, err := types.WrapFeeDelegated(inner, testAddress(payer))
		if err == nil {
			tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(s.chain.Config().ChainID), testKey(signer))
		}
		must.Do(t, err)
		return tx
	}
	forged := wrap(s.transfer(first, 0, governedTip, enough), second)
	good := wrap(s.transfer(second, 0, governedTip, enough), payer)
	s.smuggler.offered[testAddress(first)] = []*types.Transaction{forged, s.transfer(first, 1, governedTip, enough)}
	s.submit(t, good)
	executed := s.build(t, t.Context())
	wantContents(t, executed, good)
	from, err := types.RecoverFeePayer(types.NewAnzeonSigner(s.chain.Config().ChainID), good)
	expect.That(t, err == nil && from == testAddress(payer), "payer %v, %v", from, err)
}

// TestEmptyBlockIsComplete seals and commits a block without transactions.
func TestEmptyBlockIsComplete(t *testing.T) {
	s := open(t, 0)
	executed := s.build(t, t.Context())
	wantContents(t, executed)
	must.Do(t, s.chain.CommitExecuted(s.net.Seal(t, s.chain, executed.Block(), 0), executed))
	head := s.chain.CurrentBlock()
	expect.Equal(t, head.Hash(), executed.Block().Hash(), "head %d", head.Number)
}

// TestBuildEndsEarly completes a block with the transactions in it at the deadline, or when the context ends.
// spec: wbft 6.1
func TestBuildEndsEarly(t *testing.T) {
	s := open(t, 0)
	var txs []*types.Transaction
	for nonce := range uint64(5) {
		txs = append(txs, s.transfer(first, nonce, governedTip, enough))
	}
	s.submit(t, txs...)

	over, cancel := context.WithCancel(t.Context())
	cancel()
	s.build(t, over) // is no error
	for _, c := range []struct {
		name string
		end  func(cancel func()) // while the third transaction is fetched
	}{
		{"interrupted", func(cancel func()) { cancel() }},
		{"out of time", func(func()) { time.Sleep(2 * patience) }}, // simulated time
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				fetched := 0
				s.smuggler.looked = func() {
					if fetched++; fetched == 3 {
						c.end(cancel)
						synctest.Wait() // the build has been stopped
					}
				}
				wantContents(t, s.build(t, ctx), txs[:3]...)
			})
		})
	}
	s.smuggler.looked = nil
	wantContents(t, s.build(t, t.Context()), txs...)
}

// TestOldParentIsRefusedAtCommit builds a block on a parent that is no longer the head. Its commit is refused. No block
// is built on an unknown parent.
func TestOldParentIsRefusedAtCommit(t *testing.T) {
	s := open(t, 0)
	old := s.chain.CurrentBlock()
	s.net.Extend(t, s.chain, 1)
	executed := must.Get(s.builder.Build(t.Context(), old, s.validator, old.Time+2))(t)
	expect.Equal(t, executed.Block().ParentHash(), old.Hash(), "built on another parent than asked for")
	sealed := s.net.Seal(t, s.chain, executed.Block(), 0)
	expect.Error(t, s.chain.CommitExecuted(sealed, executed), gethcore.ErrStaleProposal, "committed behind the head")
	unknown := types.CopyHeader(old)
	unknown.Extra = append(unknown.Extra, 0)
	expect.Refused(t, expect.Err(s.builder.Build(t.Context(), unknown, s.validator, old.Time+2)),
		"built on an unknown parent")
	unknown.Root = common.Hash{1}
	expect.Refused(t, expect.Err(s.builder.Build(t.Context(), unknown, s.validator, old.Time+2)),
		"built on an unknown state")
}

// A block that this node builds gets votes once it is sealed, as an epoch block with the most epoch information too
// (docs/consensus.md, Bounds of a block).
func TestLargestBlockGetsVotes(t *testing.T) {
	const epochInfo = 512 << 10 // rules.maxEpochInfo
	largest := maxBytes + epochInfo + rules.MaxExtra
	expect.That(t, largest <= rules.MaxBlock, "a block can have %d bytes, above the bound of %d", largest, rules.MaxBlock)
}
