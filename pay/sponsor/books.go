// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"
	"go.etcd.io/bbolt"

	"gwon/internal/follow"
	"gwon/pay/sponsor/x402"
)

const (
	firstOpen        = 2 // reservations of a new sender; twice as many with each that is mined, up to
	maxMined         = 5 // transactions of a sender that count
	maxOpenPerSender = firstOpen << maxMined
	maxOpenPerNonce  = 4  // transactions of one sender with one nonce
	maxSettled       = 64 // nonces of a block that one write settles, so that decisions wait for little
)

// Buckets of the store.
var (
	metaBucket    = []byte("meta")    // chain, cursor, entered
	openBucket    = []byte("open")    // sender, nonce, sender's hash -> reservation
	endedBucket   = []byte("ended")   // the same -> what it was, where a payer that was left has signed
	hashesBucket  = []byte("hashes")  // sender's hash -> record
	talliesBucket = []byte("tallies") // name -> tally
	expiryBucket  = []byte("expiry")  // day, sender's hash -> nothing
	sendersBucket = []byte("senders") // sender -> history
	payersBucket  = []byte("payers")  // first payer of a line, number in it -> payerRecord

	signedBuckets = [][]byte{openBucket, endedBucket}

	chainKey  = []byte("chain")
	cursorKey = []byte("cursor")  // last block that the books contain
	hashKey   = []byte("hash")    // of that block
	enterKey  = []byte("entered") // last block whose settlement has begun
	gapKey    = []byte("gap")     // last block before an interruption, until what is open was submitted again
	sharesKey = []byte("shares")  // exists once tallies of payers by policy are kept
)

// Books hold budgets: what was spent, and what is reserved for transactions that may still be included. They are safe
// for concurrent use. All amounts are wei.
type Books struct {
	// audit takes the lines of decisions just before they are durable, so that none is lost with the process. Without
	// their lines they are not made. It may be nil, and is set before the first use. A reservation whose write fails has
	// another line when it is repeated.
	audit func(...auditLine) error

	db      *bbolt.DB
	queue   chan *entry
	ended   chan struct{}        // closed once the writer has ended
	audited map[common.Hash]bool // ends of reservations by the block under way that have their line
}

// entry is one decision on its way to the disk.
type entry struct {
	write func(*bbolt.Tx) error // may be called again, when another decision of its group fails
	lines func() []auditLine    // is called after all decisions of the group; may be nil
	done  chan error
}

// tally sums the transactions under one name.
type tally struct {
	Spent, Reserved *big.Int
	Count           uint64 // reserved and settled transactions
}

// reservation is a transaction that was or may have been signed and is in no block yet.
type reservation struct {
	Label    string
	Day      uint64 // since 1970, UTC
	Cost     *big.Int
	Payer    common.Address
	To       []byte // empty for a contract creation
	Raw      []byte // the sender's transaction
	SignOnly bool   // the signer of the request submits it
	Block    uint64 `rlp:"optional"` // newest one of the books when it was made, later by those of interruptions
	Moved    bool   `rlp:"optional"` // from a payer whose coins have moved away
	// Customer has the limits of a sender in the place of the account that a settlement of x402 is sent by.
	Customer common.Address `rlp:"optional"`
	Again    bool           `rlp:"optional"` // a payer that was left has signed it, too
}

// enter and leave count the reservation in a tally, and no longer.
func (r *reservation) enter(t *tally) { t.Reserved.Add(t.Reserved, r.Cost); t.Count++ }
func (r *reservation) leave(t *tally) { t.Reserved.Sub(t.Reserved, r.Cost); t.Count-- }

// causer returns the account that the limits of a sender are for.
func (r *reservation) causer(sender common.Address) common.Address {
	return cmp.Or(r.Customer, sender)
}

// isStuck reports whether a reservation has been open for longer than a transaction that blocks can have.
func (r *reservation) isStuck(number uint64) bool { return number > r.Block+stuckAfter }

// history is what the books remember of a sender.
type history struct {
	Mined  uint64 // transactions since the last one that could not be mined, as many as count
	Nonces uint64 // used nonces that the sender must have, after one that could not be mined
}

// allowed returns how many open reservations a sender may have.
func (h *history) allowed() int { return min(firstOpen<<h.Mined, maxOpenPerSender) }

// payerRecord is a fee payer of a line.
type payerRecord struct {
	Address common.Address
	Path    string // by which its key is derived; empty for a key of the configuration
}

// record is what is known of a transaction by the sender's hash.
type record struct {
	Sender common.Address
	Nonce  uint64
	State  uint8
	Hash   common.Hash // on the chain, of a settled one
	Label  string
	Day    uint64
	Fee    *big.Int // of a settled one
}

// States of a record.
const (
	stateOpen uint8 = iota
	stateSettled
	stateReleased
)

// OpenBooks opens or creates the books in a directory.
func OpenBooks(dir string) (*Books, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the books: %w", err)
	}
	path := filepath.Join(dir, "books.db")
	db, err := x402.OpenFile(path, "books", metaBucket, openBucket, endedBucket, hashesBucket, talliesBucket, expiryBucket,
		sendersBucket, payersBucket)
	if err != nil {
		return nil, err
	}
	b := &Books{
		db: db, queue: make(chan *entry), ended: make(chan struct{}), audited: make(map[common.Hash]bool),
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := addBlocks(tx); err != nil {
			return err
		}
		return addShares(tx)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create books in %s: %w", path, err), db.Close())
	}
	go b.writeGroups()
	return b, nil
}

// addShares counts the reservations of books that were made before payers had tallies by policy.
func addShares(tx *bbolt.Tx) error {
	meta := tx.Bucket(metaBucket)
	if meta.Get(sharesKey) != nil {
		return nil
	}
	l := newLedger(tx)
	err := eachOpen(tx, func(_ []byte, r *reservation) error {
		return l.change([][]byte{shareName(r.Payer, r.Label)}, r.enter)
	})
	if err == nil {
		err = l.write()
	}
	if err != nil {
		return err
	}
	return meta.Put(sharesKey, []byte{1})
}

// addBlocks has reservations of books that were made before those had blocks begin at the newest block: what they wait
// for since is not known, and a payer is not left for that.
func addBlocks(tx *bbolt.Tx) error {
	number := newest(tx)
	return moveBlocks(tx, func(block uint64) uint64 {
		if block == 0 {
			return number
		}
		return block
	})
}

// moveBlocks changes the blocks of all reservations.
func moveBlocks(tx *bbolt.Tx, to func(uint64) uint64) error {
	changed := make(map[string]*reservation)
	err := eachOpen(tx, func(k []byte, r *reservation) error {
		if block := to(r.Block); block != r.Block {
			r.Block = block
			changed[string(k)] = r
		}
		return nil
	})
	for k, r := range changed {
		err = errors.Join(err, put(tx, openBucket, []byte(k), r))
	}
	return err
}

// interrupt notes the newest block as the last one before an interruption, unless an earlier one goes on.
func (b *Books) interrupt() error {
	return b.update(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		if meta.Get(gapKey) != nil {
			return nil
		}
		return meta.Put(gapKey, binary.BigEndian.AppendUint64(nil, newest(tx)))
	}, nil)
}

// resume ends an interruption. Its blocks count for no reservation, and those before it count on.
func (b *Books) resume() error {
	return b.update(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		at := meta.Get(gapKey)
		if at == nil {
			return nil
		}
		gap, now := binary.BigEndian.Uint64(at), newest(tx)
		err := moveBlocks(tx, func(block uint64) uint64 { return block + now - max(gap, block) })
		return errors.Join(err, meta.Delete(gapKey))
	}, nil)
}

// Close ends the books. No method may be called after it.
func (b *Books) Close() error {
	close(b.queue)
	<-b.ended
	return b.db.Close()
}

// update makes one decision durable. Decisions that wait at the same time share one write.
func (b *Books) update(write func(*bbolt.Tx) error, lines func() []auditLine) error {
	e := &entry{write, lines, make(chan error, 1)}
	b.queue <- e
	if err := <-e.done; err != nil {
		return fmt.Errorf("write the books: %w", err)
	}
	return nil
}

// writeGroups writes what waits, in groups of at most 256 (docs/adr/0059), until the queue is closed.
func (b *Books) writeGroups() {
	defer close(b.ended)
	for first := range b.queue {
		group := []*entry{first}
		for e := range waitingIn(b.queue) {
			if group = append(group, e); len(group) == 256 {
				break
			}
		}
		b.writeGroup(group)
	}
}

// waitingIn returns what waits in a queue now.
func waitingIn[T any](queue <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			select {
			case next, ok := <-queue:
				if !ok || !yield(next) {
					return
				}
			default:
				return
			}
		}
	}
}

// writeGroup makes decisions durable by one write. One that fails is taken out, and the others are decided again.
func (b *Books) writeGroup(group []*entry) {
	for len(group) > 0 {
		failed := -1
		err := b.db.Update(func(tx *bbolt.Tx) error {
			for i, e := range group {
				if err := e.write(tx); err != nil {
					failed = i
					return err
				}
			}
			if b.audit == nil {
				return nil
			}
			var lines []auditLine
			for _, e := range group {
				if e.lines != nil {
					lines = append(lines, e.lines()...)
				}
			}
			return b.audit(lines...)
		})
		if failed >= 0 {
			group[failed].done <- err
			group = slices.Delete(group, failed, failed+1)
			continue
		}
		for _, e := range group {
			e.done <- err
		}
		return
	}
}

// Bind ties the books to a chain at their first use, and refuses any other chain later. It returns the number of the
// last block that the books contain.
func (b *Books) Bind(genesis common.Hash) (cursor uint64, err error) {
	var other common.Hash
	err = b.update(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		if have := meta.Get(chainKey); have != nil {
			other = common.BytesToHash(have)
		} else if err := meta.Put(chainKey, genesis[:]); err != nil {
			return err
		} else {
			other = genesis
		}
		if at := meta.Get(cursorKey); at != nil {
			cursor = binary.BigEndian.Uint64(at)
		}
		return nil
	}, nil)
	if err == nil && other != genesis {
		err = fmt.Errorf("%w: its genesis block is %v, and that of the books is %v: name a node of that chain, or another "+
			"directory in \"data\"", follow.ErrOtherChain, genesis, other)
	}
	return cursor, err
}

// lastHash returns the hash of the last block that the books contain, zero for books of earlier versions.
func (b *Books) lastHash() (hash common.Hash, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		hash = common.BytesToHash(tx.Bucket(metaBucket).Get(hashKey))
		return nil
	})
	return hash, err
}

// AnySigned reports whether a block may have what a payer has signed: there is a reservation, or one that has ended
// since its payer was left.
func (b *Books) AnySigned() (signed bool, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		for _, bucket := range signedBuckets {
			k, _ := tx.Bucket(bucket).Cursor().First()
			signed = signed || k != nil
		}
		return nil
	})
	return signed, err
}

func nonceKey(sender common.Address, nonce uint64) []byte {
	return binary.BigEndian.AppendUint64(sender.Bytes(), nonce)
}

func openKey(sender common.Address, nonce uint64, hash common.Hash) []byte {
	return append(nonceKey(sender, nonce), hash[:]...)
}

func dayOf(now time.Time) uint64 { return uint64(now.Unix()) / x402.SecondsADay }

// tallyName joins the parts of a name. No part contains the separator.
func tallyName(parts ...string) []byte {
	var name []byte
	for i, p := range parts {
		if i > 0 {
			name = append(name, '/')
		}
		name = append(name, p...)
	}
	return name
}

// Kinds of tallies. Names of the tallies of a day begin with kind and day, so that old ones are found.
const (
	totalKind     = "t"
	shareKind     = "q"
	senderKind    = "c"
	payerKind     = "p"
	dayKind       = "d"
	senderDayKind = "s"
	contractKind  = "k"
)

func dayText(day uint64) string { return fmt.Sprintf("%08d", day) }

func dayDate(d uint64) string {
	return time.Unix(int64(d)*x402.SecondsADay, 0).UTC().Format(time.DateOnly)
}

// talliesOf returns the names of all tallies that a reservation counts in.
func talliesOf(sender common.Address, r *reservation) [][]byte {
	d := dayText(r.Day)
	sender = r.causer(sender)
	return append(payerTallies(r),
		tallyName(totalKind, r.Label),
		tallyName(senderKind, r.Label, sender.Hex()),
		tallyName(dayKind, d, r.Label),
		tallyName(senderDayKind, d, r.Label, sender.Hex()),
		tallyName(contractKind, d, r.Label, fmt.Sprintf("%#x", r.To)),
	)
}

// payerTallies returns the names of those that count what a payer pays.
func payerTallies(r *reservation) [][]byte {
	return [][]byte{tallyName(payerKind, r.Payer.Hex()), shareName(r.Payer, r.Label)}
}

// shareName is the name of what one policy has used of one payer.
func shareName(payer common.Address, label string) []byte {
	return tallyName(shareKind, payer.Hex(), label)
}

func readTally(tx *bbolt.Tx, name []byte) (*tally, error) {
	t := &tally{new(big.Int), new(big.Int), 0}
	return t, get(tx, talliesBucket, name, t)
}

func put(tx *bbolt.Tx, bucket, key []byte, value any) error {
	encoded, err := rlp.EncodeToBytes(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, encoded)
}

// ledger changes tallies. It reads and writes each one once, however many transactions count in it.
type ledger struct {
	tx      *bbolt.Tx
	changed map[string]*tally
}

func newLedger(tx *bbolt.Tx) *ledger { return &ledger{tx, make(map[string]*tally)} }

// change applies f to the tallies with these names.
func (l *ledger) change(names [][]byte, f func(*tally)) error {
	for _, name := range names {
		t := l.changed[string(name)]
		if t == nil {
			var err error
			if t, err = readTally(l.tx, name); err != nil {
				return err
			}
			l.changed[string(name)] = t
		}
		f(t)
		if t.Reserved.Sign() < 0 {
			return fmt.Errorf("tally %q would have less than nothing reserved: restore the books from a backup", name)
		}
	}
	return nil
}

// write puts the changed tallies into the store.
func (l *ledger) write() error {
	for name, t := range l.changed {
		if err := put(l.tx, talliesBucket, []byte(name), t); err != nil {
			return err
		}
	}
	return nil
}

// want is a reservation that is asked for.
type want struct {
	key    *Key
	sender common.Address
	nonce  uint64
	hash   common.Hash // of the sender's transaction
	after  uint64      // newest block of the books before the nonce was found unused
	state  uint64      // the sender's next nonce on the chain
	client string      // address of the connection
	single bool        // the sender has code: nodes take one of its transactions at a time
	tried  bool        // a dry run has succeeded
	reservation

	choose chooser
}

// reservedFunc returns what is reserved of a payer by all policies, and by the policy that asks, in wei.
type reservedFunc func(payer common.Address) (all, own *big.Int, err error)

// chooser returns a payer that has cost beyond what is reserved of it, or the refusal where none has.
type chooser func(cost *big.Int, reserved reservedFunc) (common.Address, *Refusal, error)

// errBlockBetween is the error of a reservation whose nonce a block may have used since it was looked up. No later
// block would end such a reservation.
var errBlockBetween = errors.New("a block came in between")

// Reserve checks all budgets and reserves the cost of a transaction, in one durable step. What is reserved already is
// answered from the books, and nil is the answer for what is settled. The error is errBlockBetween when the nonce has
// to be looked up again.
func (b *Books) Reserve(w *want) (r *reservation, refusal *Refusal, err error) {
	stale := false
	err = b.update(func(tx *bbolt.Tx) error {
		r, refusal = nil, nil
		if stale = newest(tx) != w.after; stale {
			return nil
		}
		var err error
		r, refusal, err = reserve(tx, w)
		return err
	}, func() []auditLine {
		if r == nil {
			return nil
		}
		return []auditLine{reservedLine(w, r)}
	})
	if err == nil && stale {
		err = errBlockBetween
	}
	return r, refusal, err
}

// newest returns the number of the newest block of the books, 0 for new books: the last one whose settlement has begun.
func newest(tx *bbolt.Tx) uint64 {
	number := uint64(0)
	for _, key := range [][]byte{cursorKey, enterKey} {
		if at := tx.Bucket(metaBucket).Get(key); at != nil {
			number = max(number, binary.BigEndian.Uint64(at))
		}
	}
	return number
}

// Newest returns the number of the newest block of the books. Its settlement may be under way.
func (b *Books) Newest() (number uint64, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		number = newest(tx)
		return nil
	})
	return number, err
}

// reserve writes nothing before it has decided.
func reserve(tx *bbolt.Tx, w *want) (*reservation, *Refusal, error) {
	known, err := readRecord(tx, w.hash)
	switch {
	case err != nil || known != nil && known.State == stateSettled:
		return nil, nil, err
	case known != nil && known.State == stateOpen:
		r, err := readReservation(tx, openBucket, openKey(w.sender, w.nonce, w.hash))
		return r, nil, err
	case known != nil:
		return nil, refuse("nonce", nil, w.nonce, "another transaction has taken the nonce"), nil
	}
	refusal, err := openLimits(tx, w)
	if refusal == nil && err == nil {
		refusal, err = budgets(tx, w.key, w.causer(w.sender), w.Day, w.Cost)
	}
	if refusal != nil || err != nil {
		return nil, refusal, err
	}
	r := w.reservation
	ended, key := tx.Bucket(endedBucket), openKey(w.sender, w.nonce, w.hash)
	r.Block, r.Again = w.after, ended.Get(key) != nil
	if r.Payer, refusal, err = choosePayer(tx, w.key, r.Cost, w.choose); refusal != nil || err != nil {
		return nil, refusal, err
	}
	l := newLedger(tx)
	err = l.change(talliesOf(w.sender, &r), r.enter)
	if err == nil {
		err = l.write()
	}
	if err == nil {
		err = errors.Join(ended.Delete(key), put(tx, openBucket, key, &r))
	}
	if err != nil {
		return nil, nil, err
	}
	return &r, nil, put(tx, hashesBucket, w.hash[:], &record{
		Sender: w.sender, Nonce: w.nonce, State: stateOpen, Label: r.Label, Day: r.Day, Fee: new(big.Int),
	})
}

func choosePayer(tx *bbolt.Tx, k *Key, cost *big.Int, choose chooser) (common.Address, *Refusal, error) {
	return choose(cost, func(payer common.Address) (all, own *big.Int, err error) {
		t, err := readTally(tx, tallyName(payerKind, payer.Hex()))
		if err != nil {
			return nil, nil, err
		}
		share, err := readTally(tx, shareName(payer, k.Label))
		if err != nil {
			return nil, nil, err
		}
		return t.Reserved, share.Reserved, nil
	})
}

// openLimits bounds what one sender can keep reserved. A sender whose transaction could not be mined gets nothing until
// it has used that nonce in another way.
func openLimits(tx *bbolt.Tx, w *want) (*Refusal, error) {
	h := new(history)
	if err := get(tx, sendersBucket, w.sender[:], h); err != nil {
		return nil, err
	}
	atNonce, all, stuck := 0, 0, w.state < h.Nonces
	prefix := nonceKey(w.sender, w.nonce)
	cursor := tx.Bucket(openBucket).Cursor()
	for k, _ := cursor.Seek(w.sender[:]); k != nil && bytes.HasPrefix(k, w.sender[:]); k, _ = cursor.Next() {
		if all++; bytes.HasPrefix(k, prefix) {
			atNonce++
		}
		r, err := readReservation(tx, openBucket, k)
		if err != nil {
			return nil, err
		}
		stuck = stuck || r.isStuck(w.after)
	}
	switch {
	case stuck:
		return exceeded("stuck", nil, w.state,
			"a transaction of the sender can be in no block: use the nonce that it has now in another way first"), nil
	case atNonce >= maxOpenPerNonce:
		return exceeded("open_per_nonce", maxOpenPerNonce, atNonce,
			"the sender has replaced this transaction too often"), nil
	case w.single && all > 0:
		return exceeded("open_per_sender", "1", all,
			"the sender has code, and nodes take one transaction of such an account at a time"), nil
	case all >= h.allowed():
		return exceeded("open_per_sender", h.allowed(), all, "the sender has too many transactions in no block yet"), nil
	}
	return nil, nil
}

// budgets returns the first budget that a cost would exceed, nil for none.
func budgets(tx *bbolt.Tx, k *Key, sender common.Address, day uint64, cost *big.Int) (*Refusal, error) {
	d := dayText(day)
	for _, budget := range []struct {
		rule  string
		limit *Amount
		name  []byte
	}{
		{"max_total", k.MaxTotal, tallyName(totalKind, k.Label)},
		{"max_per_day", k.MaxPerDay, tallyName(dayKind, d, k.Label)},
		{"max_per_sender_day", k.MaxPerSenderDay, tallyName(senderDayKind, d, k.Label, sender.Hex())},
	} {
		if budget.limit == nil {
			continue
		}
		t, err := readTally(tx, budget.name)
		if err != nil {
			return nil, err
		}
		after := new(big.Int).Add(t.Spent, t.Reserved)
		if after.Add(after, cost).Cmp(budget.limit.int()) > 0 {
			return exceeded(budget.rule, budget.limit.int(), after,
				"spent and reserved amounts with this transaction exceed the budget"), nil
		}
	}
	if most := k.MaxCountPerSender; most != nil {
		t, err := readTally(tx, tallyName(senderKind, k.Label, sender.Hex()))
		if err != nil {
			return nil, err
		}
		if t.Count >= *most {
			return exceeded("max_count_per_sender", *most, t.Count+1,
				"the sender has had all its sponsored transactions"), nil
		}
	}
	return nil, nil
}

// Affords returns the first budget that a cost would exceed now, a refusal where no payer has it beyond what is
// reserved of it, and nil where both have. It reserves nothing.
func (b *Books) Affords(k *Key, sender common.Address, now time.Time, cost *big.Int, choose chooser) (
	refusal *Refusal, err error,
) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		if refusal, err = budgets(tx, k, sender, dayOf(now), cost); refusal == nil && err == nil {
			_, refusal, err = choosePayer(tx, k, cost, choose)
		}
		return err
	})
	return refusal, err
}

// NonceOpen reports whether a transaction of a sender with this nonce is reserved.
func (b *Books) NonceOpen(sender common.Address, nonce uint64) (open bool, err error) {
	prefix := nonceKey(sender, nonce)
	err = b.db.View(func(tx *bbolt.Tx) error {
		k, _ := tx.Bucket(openBucket).Cursor().Seek(prefix)
		open = bytes.HasPrefix(k, prefix)
		return nil
	})
	return open, err
}

// isSigned reports whether a payer may have signed a transaction of a sender with this nonce, and whether the books
// know one by its hashes: open, ended or settled.
func (b *Books) isSigned(sender common.Address, nonce uint64, senderHash, onChain common.Hash) (
	signed, known bool, err error,
) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		prefix := nonceKey(sender, nonce)
		for _, bucket := range signedBuckets {
			cursor := tx.Bucket(bucket).Cursor()
			for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = cursor.Next() {
				signed, known = true, known || hashOf(k) == senderHash
			}
		}
		found, err := readRecord(tx, senderHash)
		known = known || found != nil && found.State == stateSettled && found.Hash == onChain
		return err
	})
	return signed, known, err
}

// openNonces returns the nonces of all reservations by their senders, in rising order.
func (b *Books) openNonces() (map[common.Address][]uint64, error) {
	all := make(map[common.Address][]uint64)
	err := b.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(openBucket).ForEach(func(k, _ []byte) error {
			sender, nonce := senderOf(k), nonceOf(k)
			if have := all[sender]; len(have) == 0 || have[len(have)-1] != nonce {
				all[sender] = append(have, nonce)
			}
			return nil
		})
	})
	return all, err
}

// Parts of the key of an open reservation.
func senderOf(key []byte) common.Address { return common.BytesToAddress(key[:common.AddressLength]) }
func nonceOf(key []byte) uint64          { return binary.BigEndian.Uint64(key[common.AddressLength:]) }
func hashOf(key []byte) common.Hash      { return common.BytesToHash(key[len(key)-common.HashLength:]) }

// eachOpen calls f with the key of every reservation, which is valid until f returns.
func eachOpen(tx *bbolt.Tx, f func(key []byte, r *reservation) error) error {
	return tx.Bucket(openBucket).ForEach(func(k, _ []byte) error {
		r, err := readReservation(tx, openBucket, k)
		if err != nil {
			return err
		}
		return f(k, r)
	})
}

// get decodes what a bucket has under a key. Where there is nothing, the value stays as it is.
func get(tx *bbolt.Tx, bucket, key []byte, value any) error {
	have := tx.Bucket(bucket).Get(key)
	if have == nil {
		return nil
	}
	if err := rlp.DecodeBytes(have, value); err != nil {
		return fmt.Errorf("%s %x: %w", bucket, key, err)
	}
	return nil
}

func readRecord(tx *bbolt.Tx, hash common.Hash) (*record, error) {
	if tx.Bucket(hashesBucket).Get(hash[:]) == nil {
		return nil, nil
	}
	r := new(record)
	return r, get(tx, hashesBucket, hash[:], r)
}

func readReservation(tx *bbolt.Tx, bucket, key []byte) (*reservation, error) {
	r := new(reservation)
	if err := get(tx, bucket, key, r); err != nil {
		return nil, err
	}
	if r.Cost == nil {
		return nil, fmt.Errorf("%s %x: missing: restore the books from a backup", bucket, key)
	}
	return r, nil
}

// Find returns the record of a sender's hash, nil for an unknown one, and the reservation of an open one.
func (b *Books) Find(hash common.Hash) (found *record, open *reservation, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		if found, err = readRecord(tx, hash); err != nil || found == nil || found.State != stateOpen {
			return err
		}
		open, err = readReservation(tx, openBucket, openKey(found.Sender, found.Nonce, hash))
		return err
	})
	return found, open, err
}

// Each calls f with every reservation and the sender's hash.
func (b *Books) Each(f func(hash common.Hash, r *reservation)) error {
	return b.db.View(func(tx *bbolt.Tx) error {
		return eachOpen(tx, func(k []byte, r *reservation) error {
			f(hashOf(k), r)
			return nil
		})
	})
}

// used is a nonce that the state of a block has passed: by a transaction of its sender, or in another way.
type used struct {
	sender     common.Address
	nonce      uint64
	hash       common.Hash // on the chain; zero where no transaction of the block is known to have used it
	senderHash common.Hash // of the sender's part, where one of the sponsor's payers pays
	fee        *big.Int
	moved      *departure // of a payer's own transaction, by which its coins move
}

// closed is a reservation that a block has ended.
type closed struct {
	hash     common.Hash // the sender's
	onChain  common.Hash // zero for a released one
	fee      *big.Int    // zero for a released one
	reserved *reservation
	left     bool // had ended before, since its payer was left
}

// Enter makes a block the newest of the books before the chain is asked for its state, so that no reservation rests on
// the state before it from then on.
func (b *Books) Enter(number uint64) error {
	return b.update(func(tx *bbolt.Tx) error {
		return tx.Bucket(metaBucket).Put(enterKey, binary.BigEndian.AppendUint64(nil, number))
	}, nil)
}

// Release ends a reservation without a block. The same bytes may be sponsored again.
func (b *Books) Release(hash common.Hash, reason string) error {
	var ended *closed
	return b.update(func(tx *bbolt.Tx) error {
		ended = nil
		found, err := readRecord(tx, hash)
		if err != nil || found == nil || found.State != stateOpen {
			return err
		}
		l := newLedger(tx)
		key := openKey(found.Sender, found.Nonce, hash)
		r, err := readReservation(tx, openBucket, key)
		if err == nil {
			ended, err = forgetReservation(l, key, r, r.Again)
		}
		if err == nil {
			err = l.write()
		}
		return err
	}, func() []auditLine {
		if ended == nil {
			return nil
		}
		line := closedLine(ended)
		line.Reason = reason
		return []auditLine{line}
	})
}

// ApplyBlock settles and releases what a block decides, in several durable steps, and moves the cursor to it in the
// last one. The first step makes the block the newest of the books. A block whose steps were interrupted is applied
// again: what is closed stays so. What was closed before an error is returned with it.
func (b *Books) ApplyBlock(number uint64, hash common.Hash, time time.Time, nonces []used) (ends []closed, err error) {
	for last := false; !last; {
		part := nonces[:min(len(nonces), maxSettled)]
		nonces = nonces[len(part):]
		last = len(nonces) == 0
		more, err := b.settle(number, hash, dayOf(time), part, last)
		if err != nil {
			return ends, err
		}
		ends = append(ends, more...)
	}
	clear(b.audited)
	return ends, nil
}

// settle is one step of ApplyBlock.
func (b *Books) settle(
	number uint64, hash common.Hash, today uint64, nonces []used, last bool,
) (ends []closed, err error) {
	at := binary.BigEndian.AppendUint64(nil, number)
	err = b.update(func(tx *bbolt.Tx) error {
		ends = nil
		l := newLedger(tx)
		for _, u := range nonces {
			more, err := closeNonce(l, u, today)
			if err != nil {
				return err
			}
			ends = append(ends, more...)
		}
		if err := l.write(); err != nil {
			return err
		}
		if !last {
			return tx.Bucket(metaBucket).Put(enterKey, at)
		}
		if err := forget(tx, today); err != nil {
			return err
		}
		meta := tx.Bucket(metaBucket)
		return errors.Join(meta.Put(cursorKey, at), meta.Put(hashKey, hash[:]))
	}, func() []auditLine { return append(b.closedLines(ends), moveLines(nonces)...) })
	if errors.Is(err, errAudit) {
		clear(b.audited)
	}
	return ends, err
}

// closeNonce ends all reservations of a nonce: at most one of them is settled. So is what had ended since its payer was
// left, where strangers gave that payer coins. The nonce makes all other signatures worthless.
func closeNonce(l *ledger, u used, today uint64) ([]closed, error) {
	prefix := nonceKey(u.sender, u.nonce)
	var ends []closed
	for _, bucket := range signedBuckets {
		var keys [][]byte
		cursor := l.tx.Bucket(bucket).Cursor()
		for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = cursor.Next() {
			keys = append(keys, bytes.Clone(k))
		}
		for _, k := range keys {
			end, err := closeReservation(l, bucket, k, u, today)
			if err != nil {
				return nil, err
			}
			if !end.left || end.onChain != (common.Hash{}) {
				ends = append(ends, *end)
			}
		}
	}
	return ends, nil
}

// closeReservation settles a reservation whose transaction has used the nonce, whichever of the sponsor's payers has
// paid for it, and releases any other.
func closeReservation(l *ledger, bucket, key []byte, u used, today uint64) (*closed, error) {
	tx := l.tx
	r, err := readReservation(tx, bucket, key)
	if err != nil {
		return nil, err
	}
	sender, hash := senderOf(key), hashOf(key)
	end := &closed{hash: hash, fee: new(big.Int), reserved: r, left: bytes.Equal(bucket, endedBucket)}
	state := stateReleased
	if hash == u.senderHash {
		state, end.onChain, end.fee = stateSettled, u.hash, u.fee
		err := changeHistory(tx, sender, func(h *history) { h.Mined = min(h.Mined+1, maxMined) })
		if err != nil {
			return nil, err
		}
	}
	err = l.change(talliesOf(sender, r), func(t *tally) {
		if !end.left {
			r.leave(t)
		}
		if t.Spent.Add(t.Spent, end.fee); state == stateSettled {
			t.Count++
		}
	})
	if err != nil {
		return nil, err
	}
	if err := tx.Bucket(bucket).Delete(key); err != nil || end.left && state == stateReleased {
		return end, err
	}
	rec := &record{sender, nonceOf(key), state, end.onChain, r.Label, r.Day, end.fee}
	if err := put(tx, hashesBucket, hash[:], rec); err != nil {
		return nil, err
	}
	return end, tx.Bucket(expiryBucket).Put(append([]byte(dayText(today)), hash[:]...), nil)
}

// forgetReservation ends a reservation without a block: the same bytes may be reserved again. Where somebody may have a
// payer's signature, it is noted until the nonce is used: coins that the payer gets can be taken by it.
func forgetReservation(l *ledger, key []byte, r *reservation, signed bool) (*closed, error) {
	hash := hashOf(key)
	err := errors.Join(l.change(talliesOf(senderOf(key), r), r.leave), l.tx.Bucket(openBucket).Delete(key),
		l.tx.Bucket(hashesBucket).Delete(hash[:]))
	if err == nil && signed {
		noted := *r
		noted.Raw = []byte{}
		err = put(l.tx, endedBucket, key, &noted)
	}
	return &closed{hash: hash, fee: new(big.Int), reserved: r}, err
}

func changeHistory(tx *bbolt.Tx, sender common.Address, f func(*history)) error {
	h := new(history)
	if err := get(tx, sendersBucket, sender[:], h); err != nil {
		return err
	}
	before := *h
	if f(h); *h == before {
		return nil
	}
	return put(tx, sendersBucket, sender[:], h)
}

// maxForgotten bounds what one block removes.
const maxForgotten = 2000

// forget removes records and tallies of days that are over for long. Totals stay.
func forget(tx *bbolt.Tx, today uint64) error {
	if today < x402.RetainedDays {
		return nil
	}
	first := []byte(dayText(today - x402.RetainedDays))
	n := 0
	cursor := tx.Bucket(expiryBucket).Cursor()
	for n < maxForgotten {
		k, _ := cursor.First()
		if k == nil || bytes.Compare(k[:len(first)], first) >= 0 {
			break
		}
		hash := common.BytesToHash(k[len(first):])
		if err := cursor.Delete(); err != nil {
			return err
		}
		// Earlier versions left the line of what was refused once, and is reserved again.
		if found, err := readRecord(tx, hash); err != nil {
			return err
		} else if found != nil && found.State != stateOpen {
			if err := tx.Bucket(hashesBucket).Delete(hash[:]); err != nil {
				return err
			}
		}
		n++
	}
	for _, kind := range []string{dayKind, senderDayKind, contractKind} {
		prefix := tallyName(kind, "")
		cursor := tx.Bucket(talliesBucket).Cursor()
		var old [][]byte
		for k, v := cursor.Seek(prefix); n < maxForgotten && bytes.HasPrefix(k, prefix); k, v = cursor.Next() {
			if bytes.Compare(k[len(prefix):], first) >= 0 {
				break
			}
			t := new(tally)
			if err := rlp.DecodeBytes(v, t); err != nil {
				return fmt.Errorf("tally %q: %w", k, err)
			}
			if n++; t.Reserved.Sign() == 0 { // else it waits for its last transaction
				old = append(old, bytes.Clone(k))
			}
		}
		for _, k := range old {
			if err := tx.Bucket(talliesBucket).Delete(k); err != nil {
				return err
			}
		}
	}
	return nil
}
