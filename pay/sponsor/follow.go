// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/internal/follow"
	"gwon/pay/txsign"
)

const (
	feeDelegatedType = types.FeeDelegateTxType
	followInterval   = 200 * time.Millisecond // between questions for the next block
	followPause      = time.Second            // at most, after a failure
	nodeTimeout      = 10 * time.Second
	missedBlocks     = stuckAfter / 4 // at once, after which the node counts as having been away
)

// blockTx is what is read of every transaction of a block.
type blockTx struct {
	Hash     common.Hash     `json:"hash"`
	From     common.Address  `json:"from"`
	To       *common.Address `json:"to"`
	Nonce    hexutil.Uint64  `json:"nonce"`
	Type     hexutil.Uint64  `json:"type"`
	FeePayer *common.Address `json:"feePayer"`
}

// block is a block with what is read of its transactions.
type block = dial.Block[blockTx]

type blockReceipt struct {
	Hash    common.Hash    `json:"transactionHash"`
	Block   hexutil.Uint64 `json:"blockNumber"`
	Status  hexutil.Uint64 `json:"status"`
	GasUsed hexutil.Uint64 `json:"gasUsed"`
	Price   *hexutil.Big   `json:"effectiveGasPrice"`
}

func (s *Sponsor) ask(ctx context.Context, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	if err := s.node.CallContext(ctx, result, method, args...); err != nil {
		return fmt.Errorf("node: %s: %w", method, err)
	}
	return nil
}

// batch makes several calls by one request. The error is that of the request.
func (s *Sponsor) batch(ctx context.Context, calls []rpc.BatchElem) error {
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	return s.node.BatchCallContext(ctx, calls)
}

// bind compares chain and books, and decides at which block to go on.
func (s *Sponsor) bind(ctx context.Context) error {
	var chainID hexutil.Big
	if err := s.ask(ctx, &chainID, "eth_chainId"); err != nil {
		return err
	}
	s.chainID = chainID.ToInt()
	genesis, err := dial.BlockAt(ctx, s.node, 0)
	if err != nil {
		return err
	}
	cursor, err := s.books.Bind(genesis.Hash)
	if err != nil {
		return err
	}
	s.last = follow.Place{Number: cursor, Genesis: genesis.Hash}
	if s.last.Hash, err = s.books.lastHash(); err != nil {
		return err
	}
	b, err := s.chain.Look(ctx, s.last)
	if err != nil {
		return err
	}
	signed, err := s.books.AnySigned()
	if err != nil {
		return err
	}
	if signed { // else nothing can be settled in between
		if b, err = s.header(ctx, rpc.BlockNumber(cursor)); err != nil { //nolint:gosec // of a block
			return err
		}
		if b == nil {
			return follow.ErrBehind
		}
	}
	return s.apply(ctx, b, nil)
}

// follow reads blocks until ctx ends, or the node is on another chain.
func (s *Sponsor) follow(ctx context.Context) {
	var resubmitting atomic.Bool
	var resubmitted time.Time
	err := s.chain.Run(ctx, func(ctx context.Context) (bool, error) {
		if err := s.catchUp(ctx); err != nil {
			s.following.Store(false)
			s.unsent.Store(true)
			return false, err
		}
		s.mover.step(ctx)
		s.chain.Pause = followInterval
		if !s.following.Swap(true) {
			log.Info("Node followed", "block", s.last.Number)
		}
		if s.unsent.Load() && time.Since(resubmitted) > 5*time.Second && resubmitting.CompareAndSwap(false, true) {
			// Not here: a signer or node without an answer must not keep blocks out of the books.
			resubmitted = time.Now()
			s.done.Go(func() {
				defer resubmitting.Store(false)
				s.resubmit(ctx)
			})
		}
		return false, nil
	})
	s.following.Store(false)
	if err != nil {
		log.Error("Sponsor ended", "block", s.last.Number, "err", err)
		s.ended <- err
	}
}

// interrupted notes that blocks have gone by without this sponsor, at a start and when its node was away. What is open
// may have been in no pool, so that it is submitted again, and its blocks count on from then.
func (s *Sponsor) interrupted() error {
	s.unsent.Store(true)
	s.submitted.Store(false)
	s.mover.counts = false
	return s.books.interrupt()
}

// catchUp settles what the blocks up to the node's head decide. Where no reservation is open and no payer's balance
// has changed, those blocks are not read.
func (s *Sponsor) catchUp(ctx context.Context) error {
	newest, err := s.chain.Look(ctx, s.last)
	if err != nil {
		return err
	}
	head := uint64(newest.Number)
	if head == s.last.Number {
		return nil
	}
	if head > s.last.Number+missedBlocks {
		if err := s.interrupted(); err != nil {
			return err
		}
	}
	// After the head was read: what is reserved from now on is in a later block.
	signed, err := s.books.AnySigned()
	if err != nil {
		return err
	}
	var balances []hexutil.Big
	if !signed {
		if balances, err = s.balancesAt(ctx, newest.Number); err != nil {
			return err
		}
		if slices.EqualFunc(balances, s.settled, equalAmounts) {
			return s.apply(ctx, newest, nil)
		}
	}
	s.settled = nil
	for s.last.Number < head {
		if err := s.applyNext(ctx, head); err != nil {
			return err
		}
	}
	s.settled = balances
	return nil
}

// balancesAt returns the balances of the payers after a block, in wei. A payer whose balance is the same as after an
// earlier block has paid nothing in between.
func (s *Sponsor) balancesAt(ctx context.Context, number hexutil.Uint64) ([]hexutil.Big, error) {
	all := s.payers.watched()
	balances := make([]hexutil.Big, len(all))
	calls := make([]rpc.BatchElem, len(balances))
	for i, p := range all {
		calls[i] = rpc.BatchElem{Method: "eth_getBalance", Args: []any{p.address, number}, Result: &balances[i]}
	}
	return balances, s.askAll(ctx, calls...)
}

func equalAmounts(a, b hexutil.Big) bool { return a.ToInt().Cmp(b.ToInt()) == 0 }

// header returns a block without its transactions, nil for one that is not there.
func (s *Sponsor) header(ctx context.Context, number rpc.BlockNumber) (*block, error) {
	return s.readBlock(ctx, "eth_getHeaderByNumber", number)
}

func (s *Sponsor) readBlock(ctx context.Context, method string, args ...any) (b *block, err error) {
	if err = s.ask(ctx, &b, method, args...); err == nil && b != nil && b.BaseFee == nil {
		err = fmt.Errorf("node: block %d is not of an Anzeon chain: it has no base fee", b.Number)
	}
	return b, err
}

// applyNext settles what the next block decides. At the head it also releases what the state has passed: nodes need not
// have the states of earlier blocks any more, and all blocks before are in the books by then.
func (s *Sponsor) applyNext(ctx context.Context, head uint64) error {
	b, err := s.readBlock(ctx, "eth_getBlockByNumber", hexutil.Uint64(s.last.Number+1), true)
	switch {
	case err != nil:
		return err
	case b == nil:
		return fmt.Errorf("%w: block %d", follow.ErrBehind, s.last.Number+1)
	case b.ParentHash != s.last.Hash:
		return fmt.Errorf("%w: block %d is not after %v", follow.ErrOtherChain, b.Number, s.last.Hash)
	}
	if err := s.books.Enter(uint64(b.Number)); err != nil {
		return err
	}
	nonces, err := s.usedNonces(ctx, b)
	if err != nil {
		return err
	}
	if uint64(b.Number) == head {
		passed, err := s.passedNonces(ctx, b.Number, nonces)
		if err != nil {
			return err
		}
		nonces = append(nonces, passed...)
	}
	return s.apply(ctx, b, nonces)
}

// passedNonces returns the nonces of reservations that the state after a block has passed without a transaction of
// their sender: an authorization (EIP-7702) and a creation by an account with code use nonces too.
func (s *Sponsor) passedNonces(ctx context.Context, number hexutil.Uint64, decided []used) ([]used, error) {
	open, err := s.books.openNonces()
	if err != nil {
		return nil, err
	}
	for _, u := range decided {
		open[u.sender] = slices.DeleteFunc(open[u.sender], func(n uint64) bool { return n == u.nonce })
	}
	maps.DeleteFunc(open, func(_ common.Address, nonces []uint64) bool { return len(nonces) == 0 })
	senders := slices.SortedFunc(maps.Keys(open), common.Address.Cmp)
	states, err := s.noncesAfter(ctx, number, senders)
	if err != nil {
		return nil, err
	}
	var passed []used
	for _, sender := range senders {
		for _, nonce := range open[sender] {
			if nonce < states[sender] {
				passed = append(passed, used{sender: sender, nonce: nonce, fee: new(big.Int)})
			}
		}
	}
	return passed, nil
}

// noncesAfter returns the next nonces of senders in the state after a block.
func (s *Sponsor) noncesAfter(
	ctx context.Context, number hexutil.Uint64, senders []common.Address,
) (map[common.Address]uint64, error) {
	states := make([]hexutil.Uint64, len(senders))
	calls := make([]rpc.BatchElem, len(senders))
	for i, sender := range senders {
		calls[i] = rpc.BatchElem{Method: "eth_getTransactionCount", Args: []any{sender, number}, Result: &states[i]}
	}
	if err := s.askAll(ctx, calls...); err != nil {
		return nil, fmt.Errorf("state of block %d: %w", number, err)
	}
	all := make(map[common.Address]uint64, len(senders))
	for i, sender := range senders {
		all[sender] = uint64(states[i])
	}
	return all, nil
}

// apply writes a block to the books. The balances of payers are the newest, and in force before the block releases
// anything: what later blocks took from them is reserved too until those blocks are read, which errs on the safe side.
func (s *Sponsor) apply(ctx context.Context, b *block, nonces []used) error {
	var tip hexutil.Big
	calls := []rpc.BatchElem{{Method: "eth_maxPriorityFeePerGas", Result: &tip}}
	watched := s.payers.watched()
	have := make([]hexutil.Big, len(watched))
	listed := make([]hexutil.Bytes, len(watched))
	for i, p := range watched {
		calls = append(calls,
			rpc.BatchElem{Method: "eth_getBalance", Args: []any{p.address, "latest"}, Result: &have[i]},
			isBlacklisted(p.address, &listed[i]))
	}
	if err := s.askAll(ctx, calls...); err != nil {
		return err
	}
	balances := make(map[common.Address]*big.Int)
	for i, p := range watched {
		balances[p.address] = have[i].ToInt()
		isListed := isTrue(listed[i])
		if isListed {
			balances[p.address] = new(big.Int) // no block takes what it would pay
		}
		if isListed && !p.listed {
			log.Error("Fee payer is on the blacklist of the chain", "payer", p.address)
		}
		p.listed = isListed
	}
	f := &fees{
		baseFee: b.BaseFee.ToInt(), tip: tip.ToInt(), gasLimit: uint64(b.GasLimit), time: uint64(b.Timestamp),
	}
	s.payers.setBalances(balances, f.sweepFee())
	ends, err := s.books.ApplyBlock(uint64(b.Number), b.Hash, time.Unix(int64(b.Timestamp), 0), nonces)
	if err != nil {
		return err
	}
	for _, e := range ends {
		if e.left {
			log.Warn("Transaction paid by a fee payer that was left", "payer", e.reserved.Payer, "tx", e.onChain, "fee",
				txsign.FormatCoins(e.fee))
		}
	}
	s.last.Number, s.last.Hash = uint64(b.Number), b.Hash
	s.fees.Store(f)
	s.warnOfLow()
	s.head.announce()
	return nil
}

// usedNonces returns the nonces of a block that decide about reservations, with the fees that payers paid.
func (s *Sponsor) usedNonces(ctx context.Context, b *block) ([]used, error) {
	senderHashes, err := s.senderHashes(ctx, b)
	if err != nil {
		return nil, err
	}
	var nonces []used
	paid := make(map[common.Hash]int)       // index in nonces
	foreign := make(map[common.Address]int) // transactions
	for _, tx := range b.Transactions {
		from := s.payers.find(tx.From)
		if from != nil && tx.To != nil {
			if to := s.payers.find(*tx.To); to != nil {
				paid[tx.Hash] = len(nonces)
				nonces = append(nonces, used{sender: tx.From, nonce: uint64(tx.Nonce), hash: tx.Hash, fee: new(big.Int),
					moved: &departure{from, to}})
				continue
			}
			if known, err := s.books.isWithdrawal(*tx.To); err != nil {
				return nil, err
			} else if known {
				continue
			}
		}
		if from != nil {
			foreign[tx.From]++ // the account sends what the books do not know
		}
		senderHash, ours := senderHashes[tx.Hash]
		signed, known, err := s.books.isSigned(tx.From, uint64(tx.Nonce), senderHash, tx.Hash)
		if err != nil {
			return nil, err
		}
		if ours && !known && s.payers.find(*tx.FeePayer) != nil {
			foreign[*tx.FeePayer]++
		}
		if !signed {
			continue
		}
		u := used{sender: tx.From, nonce: uint64(tx.Nonce), hash: tx.Hash, fee: new(big.Int)}
		if ours {
			u.senderHash = senderHash
			paid[tx.Hash] = len(nonces)
		}
		nonces = append(nonces, u)
	}
	for payer, count := range foreign {
		s.metrics.foreign.Add(uint64(count))
		log.Error("Fee payer used outside of the books", "payer", payer, "transactions", count, "block", b.Number)
	}
	if len(paid) == 0 {
		return nonces, nil
	}
	return nonces, s.addFees(ctx, b.Number, nonces, paid)
}

// senderHashes returns the sender's hash of each transaction of a block that a payer of the sponsor pays, by its hash
// on the chain. What this process has not signed is asked for.
func (s *Sponsor) senderHashes(ctx context.Context, b *block) (map[common.Hash]common.Hash, error) {
	known := make(map[common.Hash]common.Hash)
	var unknown []common.Hash
	for _, tx := range b.Transactions {
		if tx.Type != feeDelegatedType || tx.FeePayer == nil {
			continue
		}
		if s.payers.find(*tx.FeePayer) == nil {
			if was, err := s.books.isPayer(*tx.FeePayer); err != nil {
				return nil, err
			} else if !was {
				continue
			}
		}
		if hash, ok := s.senders.Get(tx.Hash); ok {
			known[tx.Hash] = hash
		} else {
			unknown = append(unknown, tx.Hash)
		}
	}
	txs := make([]*types.Transaction, len(unknown))
	calls := make([]rpc.BatchElem, len(unknown))
	for i, hash := range unknown {
		calls[i] = rpc.BatchElem{Method: "eth_getTransactionByHash", Args: []any{hash}, Result: &txs[i]}
	}
	if err := s.askAll(ctx, calls...); err != nil {
		return nil, fmt.Errorf("transactions of block %d: %w", b.Number, err)
	}
	for i, tx := range txs {
		if tx == nil || tx.SenderTransactionHash() == nil {
			return nil, fmt.Errorf("node does not give transaction %v of block %d yet", unknown[i], b.Number)
		}
		known[unknown[i]] = *tx.SenderTransactionHash()
	}
	return known, nil
}

func (s *Sponsor) addFees(ctx context.Context, number hexutil.Uint64, nonces []used, paid map[common.Hash]int) error {
	hashes := slices.Collect(maps.Keys(paid))
	receipts := make([]blockReceipt, len(hashes))
	calls := make([]rpc.BatchElem, len(hashes))
	for i, hash := range hashes {
		calls[i] = rpc.BatchElem{Method: "eth_getTransactionReceipt", Args: []any{hash}, Result: &receipts[i]}
	}
	if err := s.askAll(ctx, calls...); err != nil { // not of the block, whose other receipts may have 100 MB
		return err
	}
	for _, r := range receipts {
		i, ok := paid[r.Hash]
		if !ok {
			continue
		}
		if r.Price == nil {
			return fmt.Errorf("receipt %v has no effectiveGasPrice", r.Hash)
		}
		nonces[i].fee = new(big.Int).Mul(r.Price.ToInt(), new(big.Int).SetUint64(uint64(r.GasUsed)))
		delete(paid, r.Hash)
	}
	if len(paid) > 0 {
		return fmt.Errorf("node has no receipts of %d transactions of block %d yet", len(paid), number)
	}
	return nil
}

// warnOfLow reports payers with little left.
func (s *Sponsor) warnOfLow() {
	low := s.config.Load().LowBalance
	for _, p := range s.payers.paying() {
		balance := s.payers.coins(p, s.fees.Load().moveFee())
		isLow := low != nil && balance != nil && balance.Cmp(low.int()) < 0
		if p.low && !isLow {
			log.Info("Fee payer has enough again", "payer", p.address)
		} else if isLow && !p.low {
			log.Error("Fee payer has little left", "payer", p.address, "balance", txsign.FormatCoins(balance), "alert",
				txsign.FormatCoins(low.int()), "deposit", s.Deposits()[p.address])
		}
		p.low = isLow
	}
}

// resubmit signs and submits reservations again: an earlier process may have ended between the two, signer or node gave
// no answer, or the payer is another one. It ends early where they still give none. A node refuses what has another
// payer until it has dropped the transaction of the one before, so that those are submitted until it takes them.
func (s *Sponsor) resubmit(ctx context.Context) {
	s.unsent.Store(false)
	var hashes []common.Hash
	moved := make(map[common.Hash]bool)
	err := s.books.Each(func(hash common.Hash, r *reservation) {
		if !r.SignOnly {
			hashes = append(hashes, hash)
			moved[hash] = r.Moved
		}
	})
	if err != nil {
		log.Error("Reservations not read", "err", err)
		return
	}
	start := rand.N(max(1, len(hashes))) //nolint:gosec // so that one without an answer is not always the first
	count, again := 0, false
	for i := range hashes {
		hash := hashes[(i+start)%len(hashes)]
		found, err := s.submitAgain(ctx, hash)
		if ctx.Err() != nil {
			return
		}
		if !found {
			continue
		}
		if count++; err != nil {
			log.Warn("Reserved transaction not submitted again", "tx", hash, "err", err)
			again = again || moved[hash]
		}
		if s.unsent.Load() {
			break
		}
	}
	if !s.unsent.Load() { // the pass has reached all
		s.submitted.Store(true)
	}
	if again {
		s.unsent.Store(true)
	}
	if count > 0 {
		log.Info("Reserved transactions submitted again", "count", count)
	}
}

// submitAgain signs and submits one reservation again. found is false where it has ended meanwhile.
func (s *Sponsor) submitAgain(ctx context.Context, hash common.Hash) (found bool, err error) {
	end, err := s.turns.Take(ctx, hash)
	if err != nil {
		return true, err
	}
	defer end()
	_, open, err := s.books.Find(hash)
	if err != nil || open == nil {
		return err != nil, err
	}
	sender, err := s.parse(open.Raw)
	if err == nil {
		_, err = s.signAndSubmit(ctx, sender, open)
	}
	return true, err
}

// refusals are the texts of nodes that have not taken a transaction into their pool, by their beginnings. What is not
// among them may have been taken: a time-out of the node, for instance.
var refusals = []string{
	"account limit exceeded", "exceeds block gas limit", "fee delegation: ", "future transaction tries to replace pending",
	"gapped-nonce tx from delegated accounts", "in-flight transaction limit reached for delegated accounts",
	"insufficient funds", "intrinsic gas too low", "max fee per gas less than block base fee", "nonce too high",
	"nonce too low", "oversized data", "replacement transaction underpriced", "transaction underpriced",
	"transaction gas price below minimum", "txpool is full",
}

// refusalsOfSender are those of them that other transactions of the sender cause: they are no failures of the sponsor.
var refusalsOfSender = []string{
	"account limit exceeded", "future transaction tries to replace pending", "gapped-nonce tx from delegated accounts",
	"in-flight transaction limit reached for delegated accounts", "nonce too low", dial.Underpriced,
}
