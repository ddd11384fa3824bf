// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"
	"go.etcd.io/bbolt"

	"gwon/internal/dial"
	"gwon/params"
	"gwon/pay/txsign"
)

const (
	stuckAfter = 64   // blocks for which a transaction may wait before its reservation counts as stuck
	stuckLong  = 3600 // blocks for which nothing may be stuck, which is an hour
)

// mover has the coins of a payer leave what is stuck on it. They go to the next payer of the line, and what the old one
// has signed is worthless then. The books have the payers. All else follows from them and from the chain, so that each
// step can be repeated, after a kill too. Of the follower alone.
type mover struct {
	s       *Sponsor
	at      uint64 // block of the last steps
	counts  bool   // blocks count for what is open, as it was submitted again after the last interruption
	failing bool
	tries   map[common.Address]*try // moves by the payer that signs them
}

// try counts the submissions of one nonce.
type try struct{ nonce, count uint64 }

// step does what is due after the newest block of the books: reservations of payers without coins end or go to the next
// one, payers with too much that is stuck are left, and coins of those that were left move.
func (m *mover) step(ctx context.Context) {
	if m.at == m.s.last.Number {
		return
	}
	var errs []error
	all := m.s.payers.leaving()
	for i, d := range all {
		errs = append(errs, m.end(ctx, d, all[:i]))
	}
	// What was open while no sponsor submitted it has had no chance to be in a block.
	if !m.counts && m.s.submitted.Load() {
		err := m.s.books.resume()
		errs, m.counts = append(errs, err), err == nil
	}
	if m.counts {
		errs = append(errs, m.leave(ctx))
	}
	swept := false
	for _, d := range m.s.payers.leaving() {
		_, err := m.move(ctx, d, moveGas)
		if errs = append(errs, err); !swept {
			swept, err = m.sweep(ctx, d)
			errs = append(errs, err)
		}
	}
	err := errors.Join(errs...)
	if err != nil && !m.failing && ctx.Err() == nil {
		log.Error("Coins not moved away from stuck reservations", "block", m.s.last.Number, "err", err)
	}
	m.at, m.failing = m.s.last.Number, err != nil
}

// moveGas is the gas of a transfer of coins.
const moveGas = gethparams.TxGas

// waits is why a payer sends nothing now.
const waits = "another transaction of it waits for a block"

// movePrice is what a move offers for a unit of gas: enough for three blocks of rising base fees. What it does not pay
// stays behind, and must not be enough for any transaction that is stuck.
func (f *fees) movePrice() *big.Int {
	price := new(big.Int).Rsh(f.baseFee, 4)
	return price.Add(price.Add(price, f.baseFee), f.tip)
}

// moveFee is what a move takes at most. A payer with less is left as it is, or swept.
func (f *fees) moveFee() *big.Int {
	return new(big.Int).Mul(f.movePrice(), new(big.Int).SetUint64(moveGas))
}

// leave makes the next payer of a line the one that pays, where too much is stuck on the last one. A line that has none
// keeps no other.
func (m *mover) leave(ctx context.Context) (failures error) {
	s := m.s
	all, err := s.books.stuck(s.last.Number)
	if err != nil {
		return err
	}
	for _, l := range s.payers.lines {
		last := l.last()
		have, found := s.payers.balance(last.address), all[last.address]
		if have == nil || found == nil || !m.isTooMuch(found, have) {
			continue
		}
		next, err := l.open(ctx, uint32(len(l.all)))
		if err == nil && l.deposit == nil {
			err = errors.New("its external signer has no account of deposits: add deposit_public_key, and restart")
		}
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("payer %v has %s reserved for what no block takes: %w", last.address,
				txsign.FormatCoins(found.sum), err))
			continue
		}
		if err := s.books.addPayer(l.first(), len(l.all), next); err != nil {
			return err
		}
		s.payers.add(l, next)
		s.metrics.left.Add(1)
		log.Warn("Fee payer left, its coins move to the next one", "payer", last.address, "next", next.address,
			"stuck", txsign.FormatCoins(found.sum), "since", found.oldest)
	}
	return failures
}

// isTooMuch reports whether what is stuck is old, or more than an eighth of the payer's coins or of a budget.
func (m *mover) isTooMuch(found *stuck, have *big.Int) bool {
	above := func(part, all *big.Int) bool {
		return new(big.Int).Mul(part, big.NewInt(8)).Cmp(all) > 0
	}
	if m.s.last.Number > found.oldest+stuckLong || above(found.sum, have) {
		return true
	}
	return slices.ContainsFunc(m.s.config.Load().Keys, func(k *Key) bool {
		part := found.byLabel[k.Label]
		return part != nil && above(part, k.smallerBudget())
	})
}

// sending is a submitted transfer of coins, or why there is none.
type sending struct {
	hash  common.Hash
	value *big.Int // wei
	why   string
}

// move submits the transaction by which all coins of a payer go to another account, with a limit of gas. While the node
// has executable transactions that the payer pays for, it refuses that. What is reserved stays behind then, until
// blocks have those transactions.
func (m *mover) move(ctx context.Context, d departure, limit uint64) (*sending, error) {
	s := m.s
	f := s.fees.Load()
	few := &sending{why: "it has no more than the fee"}
	if have := s.payers.balance(d.from.address); have == nil || have.Cmp(f.moveFee()) <= 0 {
		return few, nil
	}
	nonce, have, err := m.account(ctx, d.from.address)
	if err != nil {
		return nil, err
	}
	reserved, err := s.books.reservedOf(d.from.address)
	if err != nil {
		return nil, err
	}
	raised := m.raised(d.from.address, nonce, f.movePrice())
	gas := new(big.Int).SetUint64(limit)
	for _, kept := range []*big.Int{new(big.Int), reserved} {
		most := new(big.Int).Sub(have, kept)
		price := raised
		if all := new(big.Int).Div(most.Sub(most, common.Big1), gas); all.Cmp(price) < 0 {
			price = all // a raise takes no more than there is
		}
		if price.Cmp(f.movePrice()) < 0 {
			return few, nil
		}
		value := new(big.Int).Mul(price, gas)
		value.Sub(have, value.Add(value, kept))
		hash, err := d.from.send(ctx, s, nil, &types.DynamicFeeTx{
			Nonce: nonce, GasFeeCap: price, Gas: limit, To: &d.to.address, Value: value,
		})
		switch {
		case err == nil, dial.Begins(err, dial.Known):
			return &sending{hash: hash, value: value}, nil
		case isAhead(err): // to another account perhaps
			return &sending{why: waits}, nil
		case !dial.Begins(err, dial.Unfunded):
			return nil, fmt.Errorf("move coins of payer %v: %w", d.from.address, err)
		}
	}
	return &sending{why: "transactions that it pays for wait for a block"}, nil
}

// send submits a transfer of coins by a payer, whose fee another one may pay, and returns its hash.
func (p *payer) send(ctx context.Context, s *Sponsor, pays *payer, unsigned *types.DynamicFeeTx) (common.Hash, error) {
	unsigned.ChainID, unsigned.GasTipCap = s.chainID, unsigned.GasFeeCap
	tx, err := p.transfer(ctx, unsigned)
	if err != nil {
		return common.Hash{}, err
	}
	signed, err := txsign.NewSigned(tx)
	if err == nil && pays != nil {
		signed, err = pays.cosign(ctx, signed, s.chainID)
	}
	if err != nil {
		return common.Hash{}, err
	}
	return signed.Hash, s.ask(ctx, new(common.Hash), "eth_sendRawTransaction", hexutil.Bytes(signed.Raw))
}

// sweepFee is what a sweep takes at most: gas for twice the price of a move, so that it needs no raise. The last payer
// of a line keeps it while a payer before it is held.
func (f *fees) sweepFee() *big.Int { return new(big.Int).Lsh(f.moveFee(), 1) }

// sweep has the last payer of a line pay for a move of what is too little for one, and too much for signatures to be
// worthless: strangers deposit such coins, and a raised move leaves them. No coins go to a payer that was left, where
// what had ended could take them. There is one sweep in a block, as the last payer keeps the fee of one.
func (m *mover) sweep(ctx context.Context, d departure) (swept bool, err error) {
	s := m.s
	f := s.fees.Load()
	have, free := s.payers.balance(d.from.address), s.payers.balance(d.to.address) // without the fee of a sweep
	least := new(big.Int).SetUint64(moveGas * params.MinBaseFee)
	if have == nil || free == nil || have.Cmp(least) < 0 || have.Cmp(f.moveFee()) > 0 {
		return false, nil
	}
	reserved, err := s.books.reservedOf(d.from.address)
	if err != nil || reserved.Sign() == 0 {
		return false, err
	}
	if reserved, err = s.books.reservedOf(d.to.address); err != nil || free.Sign() == 0 || free.Cmp(reserved) < 0 {
		return false, err
	}
	nonce, all, err := m.account(ctx, d.from.address)
	if err != nil {
		return false, err
	}
	price := f.movePrice()
	_, err = d.from.send(ctx, s, d.to, &types.DynamicFeeTx{
		Nonce: nonce, GasFeeCap: price.Lsh(price, 1), Gas: moveGas, To: &d.to.address, Value: all,
	})
	switch {
	case isAhead(err), dial.Begins(err, dial.Unfunded, "fee delegation: "): // till a block has what the payer pays for
		err = nil
	case err != nil:
		err = fmt.Errorf("sweep coins of payer %v: %w", d.from.address, err)
	}
	return true, err
}

// account returns the next nonce of an account and its coins, in wei.
func (m *mover) account(ctx context.Context, address common.Address) (uint64, *big.Int, error) {
	var nonce hexutil.Uint64
	var have hexutil.Big
	err := m.s.askAll(ctx,
		rpc.BatchElem{Method: "eth_getTransactionCount", Args: []any{address, "latest"}, Result: &nonce},
		rpc.BatchElem{Method: "eth_getBalance", Args: []any{address, "latest"}, Result: &have})
	return uint64(nonce), have.ToInt(), err
}

// isAhead reports whether a node refuses a move because it has one, or has mined it.
func isAhead(err error) bool { return dial.Begins(err, dial.Known, dial.Underpriced, dial.Used) }

// raised returns a price that rises by a quarter with each 8 blocks that had no move with this nonce, 8 times at most.
func (m *mover) raised(from common.Address, nonce uint64, price *big.Int) *big.Int {
	t := m.tries[from]
	if t == nil || t.nonce != nonce {
		t = &try{nonce: nonce}
		m.tries[from] = t
	}
	for range min(t.count/8, 8) {
		price.Add(price, new(big.Int).Rsh(price, 2))
	}
	t.count++
	return price
}

// transfer signs a transaction of the payer itself.
func (p *payer) transfer(ctx context.Context, unsigned *types.DynamicFeeTx) (*types.Transaction, error) {
	content, err := rlp.EncodeToBytes([]any{unsigned.ChainID, unsigned.Nonce, unsigned.GasTipCap, unsigned.GasFeeCap,
		unsigned.Gas, unsigned.To, unsigned.Value, unsigned.Data, unsigned.AccessList})
	if err != nil {
		return nil, err
	}
	signature, err := p.sign(ctx, append([]byte{types.DynamicFeeTxType}, content...))
	if err != nil {
		return nil, fmt.Errorf("payer %v: %w", p.address, err)
	}
	tx, signer := types.NewTx(unsigned), types.NewAnzeonSigner(unsigned.ChainID)
	key, err := crypto.SigToPub(signer.Hash(tx).Bytes(), signature)
	if err != nil || crypto.PubkeyToAddress(*key) != p.address {
		return nil, fmt.Errorf("payer %v: its signer has signed something else: check the signer", p.address)
	}
	return tx.WithSignature(signer, signature)
}

// end ends what is reserved of a payer that has too few coins for it after the newest block of the books, or has the
// last payer of the line pay for it. It waits for coins of accounts before it: moves to this payer, submitted while it
// paid, may be in a block as long as those have the coins.
func (m *mover) end(ctx context.Context, d departure, before []departure) error {
	s := m.s
	senders, err := s.books.sendersOf(d.from.address)
	if err != nil {
		return err
	}
	coins := s.payers.balance(d.from.address)
	s.payers.hold(d.from, len(senders) > 0 || coins == nil || coins.Cmp(s.fees.Load().moveFee()) > 0)
	if len(senders) == 0 {
		return nil
	}
	number := hexutil.Uint64(s.last.Number)
	have := make([]hexutil.Big, len(before)+1)
	var calls []rpc.BatchElem
	for i, other := range append(slices.Clone(before), d) {
		calls = append(calls, rpc.BatchElem{
			Method: "eth_getBalance", Args: []any{other.from.address, number}, Result: &have[i],
		})
	}
	if err := s.askAll(ctx, calls...); err != nil {
		return err
	}
	for i, other := range before {
		if other.to == d.to && have[i].ToInt().Cmp(s.fees.Load().moveFee()) > 0 {
			return nil
		}
	}
	left := have[len(before)]
	states, err := s.noncesAfter(ctx, number, senders)
	if err != nil {
		return err
	}
	gone := &departed{departure: d, left: left.ToInt(), number: s.last.Number, states: states}
	if have := s.payers.balance(d.to.address); have != nil {
		gone.have = have
	}
	moved := 0
	for more := true; more; {
		var n int
		if n, more, err = s.books.depart(gone); err != nil {
			return err
		}
		moved += n
	}
	if moved > 0 {
		s.unsent.Store(true) // so that they are signed and submitted again
	}
	return nil
}

// stuck is what is reserved of a payer for transactions that wait for too long.
type stuck struct {
	sum     *big.Int
	byLabel map[string]*big.Int
	oldest  uint64 // block
}

// stuck returns what is stuck after a block, by payer.
func (b *Books) stuck(number uint64) (map[common.Address]*stuck, error) {
	all := make(map[common.Address]*stuck)
	err := b.Each(func(_ common.Hash, r *reservation) {
		if !r.isStuck(number) {
			return
		}
		found := all[r.Payer]
		if found == nil {
			found = &stuck{new(big.Int), make(map[string]*big.Int), r.Block}
			all[r.Payer] = found
		}
		if found.byLabel[r.Label] == nil {
			found.byLabel[r.Label] = new(big.Int)
		}
		found.sum.Add(found.sum, r.Cost)
		found.byLabel[r.Label].Add(found.byLabel[r.Label], r.Cost)
		found.oldest = min(found.oldest, r.Block)
	})
	return all, err
}

// sendersOf returns the senders that have reservations of a payer.
func (b *Books) sendersOf(payer common.Address) ([]common.Address, error) {
	senders := make(map[common.Address]bool)
	err := b.db.View(func(tx *bbolt.Tx) error {
		return eachOpen(tx, func(k []byte, r *reservation) error {
			if r.Payer == payer {
				senders[senderOf(k)] = true
			}
			return nil
		})
	})
	return slices.SortedFunc(maps.Keys(senders), common.Address.Cmp), err
}

// reservedOf returns what is reserved of a payer, in wei.
func (b *Books) reservedOf(payer common.Address) (reserved *big.Int, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		t, err := readTally(tx, tallyName(payerKind, payer.Hex()))
		reserved = t.Reserved
		return err
	})
	return reserved, err
}

func payerKey(first common.Address, index int) []byte {
	return binary.BigEndian.AppendUint32(first.Bytes(), uint32(index))
}

// isPayer reports whether anything was ever reserved of an account, which may not be configured any more.
func (b *Books) isPayer(address common.Address) (known bool, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		known = tx.Bucket(talliesBucket).Get(tallyName(payerKind, address.Hex())) != nil
		return nil
	})
	return known, err
}

// payersAfter returns the payers of a line after its first one.
func (b *Books) payersAfter(first common.Address) (list []payerRecord, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		for i := 1; tx.Bucket(payersBucket).Get(payerKey(first, i)) != nil; i++ {
			var p payerRecord
			if err := get(tx, payersBucket, payerKey(first, i), &p); err != nil {
				return err
			}
			list = append(list, p)
		}
		return nil
	})
	return list, err
}

// addPayer makes a payer the last one of a line.
func (b *Books) addPayer(first common.Address, index int, p *payer) error {
	return b.update(func(tx *bbolt.Tx) error {
		return put(tx, payersBucket, payerKey(first, index), &payerRecord{p.address, p.path})
	}, nil)
}

// withdrawalKey marks an account that gets the coins of all payers by the operator.
func withdrawalKey(to common.Address) []byte { return append([]byte("to/"), to[:]...) }

func (b *Books) addWithdrawal(to common.Address) error {
	return b.update(func(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Put(withdrawalKey(to), []byte{1}) }, nil)
}

// isWithdrawal reports whether the operator has moved coins of payers to an account.
func (b *Books) isWithdrawal(to common.Address) (known bool, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		known = tx.Bucket(metaBucket).Get(withdrawalKey(to)) != nil
		return nil
	})
	return known, err
}

// departed is what the chain says of a payer whose coins move away.
type departed struct {
	departure
	number     uint64   // of a block
	left, have *big.Int // wei of the payer after that block, and of the next one; have may be nil
	states     map[common.Address]uint64
}

// isWorthless reports whether the payer's signature for a transaction can be in no block: the payer has less than its
// gas costs at the lowest base fee (spec transactions 2.2).
func (d *departed) isWorthless(tx *types.Transaction) bool {
	least := new(big.Int).SetUint64(tx.Gas())
	return d.left.Cmp(least.Mul(least, new(big.Int).SetUint64(params.MinBaseFee))) < 0
}

// goesOn reports whether the next payer pays for a transaction. Of what is stuck it does so where only the node or the
// fees can have been the reason, and once.
func (d *departed) goesOn(sender common.Address, tx *types.Transaction, r *reservation) bool {
	first := tx.Nonce() == d.states[sender] && tx.Value().Sign() == 0
	return !r.SignOnly && !r.Moved && (first || !r.isStuck(d.number))
}

// depart ends or moves reservations whose payer cannot pay any more, by one write. more reports whether others may be.
func (b *Books) depart(d *departed) (moved int, more bool, err error) {
	var lines []auditLine
	err = b.update(func(tx *bbolt.Tx) error {
		moved, more, lines = 0, false, nil
		room, err := readTally(tx, tallyName(payerKind, d.to.address.Hex()))
		if err != nil {
			return err
		}
		free := new(big.Int).Neg(room.Reserved)
		if d.have != nil {
			free.Add(free, d.have)
		}
		l := newLedger(tx)
		type open struct {
			key []byte
			r   *reservation
			tx  *types.Transaction
		}
		var all []open
		cursor := tx.Bucket(openBucket).Cursor()
		for k, _ := cursor.First(); k != nil && !more; k, _ = cursor.Next() {
			r, err := readReservation(tx, openBucket, k)
			if err != nil {
				return err
			}
			sent := new(types.Transaction)
			if r.Payer != d.from.address {
				continue
			}
			if err := sent.UnmarshalBinary(r.Raw); err != nil {
				return fmt.Errorf("reserved transaction %x: %w", k, err)
			}
			if d.isWorthless(sent) {
				all = append(all, open{slices.Clone(k), r, sent})
				more = len(all) == maxSettled
			}
		}
		for _, o := range all {
			k, r := o.key, o.r
			sender := senderOf(k)
			if d.goesOn(sender, o.tx, r) && free.Cmp(r.Cost) >= 0 {
				free.Sub(free, r.Cost)
				moved++
				line, err := repay(l, k, r, d.to.address)
				if err != nil {
					return err
				}
				lines = append(lines, line)
				continue
			}
			end, err := forgetReservation(l, k, r, true)
			if err == nil && r.isStuck(d.number) {
				err = changeHistory(tx, sender, func(h *history) { h.Mined, h.Nonces = 0, d.states[sender]+1 })
			}
			if err != nil {
				return err
			}
			line := closedLine(end)
			line.Reason = "the payer's coins have moved away"
			lines = append(lines, line)
		}
		return l.write()
	}, func() []auditLine { return lines })
	return moved, more, err
}

// repay makes another payer that of a reservation. What it counts for stays as it is.
func repay(l *ledger, key []byte, r *reservation, payer common.Address) (auditLine, error) {
	if err := l.change(payerTallies(r), r.leave); err != nil {
		return auditLine{}, err
	}
	r.Payer, r.Moved = payer, true
	if err := l.change(payerTallies(r), r.enter); err != nil {
		return auditLine{}, err
	}
	line := auditLine{Event: "moved", Label: r.Label, SenderHash: hashOf(key), Payer: &payer,
		Cost: txsign.FormatCoins(r.Cost)}
	return line, put(l.tx, openBucket, key, r)
}
