// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/pay/sponsor/x402"
)

// noon is the time of all decisions in these tests.
var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

var testPayer = common.Address{0xff}

func openTestBooks(t must.T, dir string) *Books {
	t.Helper()
	return must.Get(OpenBooks(dir))(t)
}

func closeTestBooks(t must.T, b *Books) {
	t.Helper()
	must.Do(t, b.Close())
}

func amount(n int64) *Amount { return (*Amount)(big.NewInt(n)) }

func testWant(k *Key, sender byte, nonce uint64, variant byte, cost int64) *want {
	return &want{
		key: k, sender: common.Address{sender}, nonce: nonce, hash: common.Hash{sender, byte(nonce), variant},
		reservation: reservation{Label: k.Label, Day: dayOf(noon), Cost: big.NewInt(cost), To: []byte{}, Raw: []byte{2}},
		choose: func(*big.Int, reservedFunc) (common.Address, *Refusal, error) {
			return testPayer, nil, nil
		},
	}
}

// settleBy is a block's transaction that has the reservation's signature.
func settleBy(w *want, fee int64) used {
	return used{sender: w.sender, nonce: w.nonce, hash: common.Hash{0xcc, w.hash[0], w.hash[1]}, senderHash: w.hash,
		fee: big.NewInt(fee)}
}

// reserveNow asks for a reservation at the newest block of the books.
func (b *Books) reserveNow(w *want) (*reservation, *Refusal, error) {
	var err error
	if w.after, err = b.Newest(); err != nil {
		return nil, nil, err
	}
	return b.Reserve(w)
}

func mustReserve(t *testing.T, b *Books, w *want) {
	t.Helper()
	r, refusal, err := b.reserveNow(w)
	must.That(t, err == nil && refusal == nil && r != nil, "reservation %v, refusal %v, error %v", r, refusal, err)
}

// season makes a sender one that has had transactions mined.
func (b *Books) season(t testing.TB, sender common.Address) {
	t.Helper()
	must.Do(t, b.update(func(tx *bbolt.Tx) error {
		return changeHistory(tx, sender, func(h *history) { h.Mined = maxMined })
	}, nil))
}

// mustUsage compares spent, reserved and count of a key.
func mustUsage(t *testing.T, b *Books, k *Key, spent, reserved string, count uint64) {
	t.Helper()
	u := must.Get(b.Usage(k, noon))(t)
	expect.That(t, u.Spent == spent && u.Reserved == reserved && u.Count == count,
		"spent %s, reserved %s, count %d; want %s, %s, %d", u.Spent, u.Reserved, u.Count, spent, reserved, count)
}

// TestBudgets: each budget counts what is spent and what is reserved, to the wei, and names itself.
func TestBudgets(t *testing.T) {
	for _, tt := range []struct {
		rule string
		key  *Key
	}{
		{"max_total", &Key{Label: "a", MaxTotal: amount(149)}},
		{"max_per_day", &Key{Label: "a", MaxPerDay: amount(149)}},
		{"max_per_sender_day", &Key{Label: "a", MaxPerSenderDay: amount(149)}},
		{"max_count_per_sender", &Key{Label: "a", MaxCountPerSender: new(uint64(2))}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			b := openTestBooks(t, t.TempDir())
			defer closeTestBooks(t, b)
			first := testWant(tt.key, 1, 0, 0, 70)
			mustReserve(t, b, first)
			if _, err := b.ApplyBlock(1, common.Hash{}, noon, []used{settleBy(first, 50)}); err != nil { // 50 spent
				t.Fatal(err)
			}
			mustReserve(t, b, testWant(tt.key, 1, 1, 0, 50)) // 50 reserved
			_, refusal, err := b.reserveNow(testWant(tt.key, 1, 2, 0, 50))
			must.That(t, err == nil && refusal != nil && refusal.Rule == tt.rule && refusal.Limit != "" && refusal.Have != "",
				"refusal %+v, error %v; want rule %s with its figures", refusal, err, tt.rule)
			if tt.rule != "max_count_per_sender" {
				mustReserve(t, b, testWant(tt.key, 1, 2, 0, 49))
			}
		})
	}
}

// TestZeroAllowsNothing: a limit of 0 is one, of amounts and of counts.
func TestZeroAllowsNothing(t *testing.T) {
	for rule, k := range map[string]*Key{
		"max_total": {MaxTotal: amount(0)}, "max_per_day": {MaxPerDay: amount(0)},
		"max_per_sender_day": {MaxPerSenderDay: amount(0)}, "max_count_per_sender": {MaxCountPerSender: new(uint64)},
	} {
		t.Run(rule, func(t *testing.T) {
			b := openTestBooks(t, t.TempDir())
			defer closeTestBooks(t, b)
			_, refusal, err := b.reserveNow(testWant(k, 1, 0, 0, 1))
			if err != nil || refusal == nil || refusal.Rule != rule {
				t.Errorf("refusal %+v, error %v", refusal, err)
			}
		})
	}
}

// TestDaysEnd: the budget of a day is free again on the next one, the total is not.
func TestDaysEnd(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxPerDay: amount(100), MaxTotal: amount(150)}
	mustReserve(t, b, testWant(k, 1, 0, 0, 100))
	tomorrow := testWant(k, 1, 1, 0, 50)
	tomorrow.Day++
	mustReserve(t, b, tomorrow)
	more := testWant(k, 2, 0, 0, 1)
	more.Day++
	if _, refusal, err := b.reserveNow(more); err != nil || refusal == nil || refusal.Rule != "max_total" {
		t.Errorf("refusal %v, error %v; want max_total", refusal, err)
	}
}

// TestNonceDecides: of several transactions with one nonce at most one is settled, the others are released. Another
// payer's or an ordinary transaction releases all.
// spec: transactions 1.2
func TestNonceDecides(t *testing.T) {
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	one, two := testWant(k, 1, 7, 1, 70), testWant(k, 1, 7, 2, 80)
	otherPayer := settleBy(one, 33)
	otherPayer.senderHash = common.Hash{} // no payer of this sponsor
	ordinary := used{sender: one.sender, nonce: 7, hash: one.hash, fee: new(big.Int)}
	for _, tt := range []struct {
		name  string
		block used
		spent string
		count uint64
		ends  int
	}{
		{"first is mined", settleBy(one, 60), "60", 1, 2},
		{"second is mined", settleBy(two, 61), "61", 1, 2},
		{"another payer's", otherPayer, "0", 0, 2},
		{"an ordinary one", ordinary, "0", 0, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := openTestBooks(t, t.TempDir())
			defer closeTestBooks(t, b)
			mustReserve(t, b, one)
			mustReserve(t, b, two)
			mustUsage(t, b, k, "0", "150", 2)
			ends, err := b.ApplyBlock(1, common.Hash{}, noon, []used{tt.block})
			must.That(t, err == nil && len(ends) == tt.ends, "ends %v, error %v", ends, err)
			mustUsage(t, b, k, tt.spent, "0", tt.count)
			// The same block again, as after a crash of the reader, changes nothing.
			ends, err = b.ApplyBlock(1, common.Hash{}, noon, []used{tt.block})
			must.That(t, err == nil && len(ends) == 0, "ends %v, error %v", ends, err)
			mustUsage(t, b, k, tt.spent, "0", tt.count)
		})
	}
}

// TestSameBytes: a repeated transaction has one reservation, with one payer, and keeps its answer once it is settled.
func TestSameBytes(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxTotal: amount(100)}
	w := testWant(k, 1, 0, 0, 100)
	mustReserve(t, b, w)
	again := testWant(k, 1, 0, 0, 100)
	again.choose = func(*big.Int, reservedFunc) (common.Address, *Refusal, error) {
		return common.Address{0xee}, nil, nil
	}
	r, refusal, err := b.reserveNow(again)
	must.That(t, err == nil && refusal == nil && r.Payer == testPayer,
		"reservation %v, refusal %v, error %v", r, refusal, err)
	mustUsage(t, b, k, "0", "100", 1)
	must.Get(b.ApplyBlock(1, common.Hash{}, noon, []used{settleBy(w, 10)}))(t)
	r, refusal, err = b.reserveNow(again)
	must.That(t, err == nil && refusal == nil && r == nil, "reservation %v, refusal %v, error %v", r, refusal, err)
	mustUsage(t, b, k, "10", "0", 1)
}

// TestBlockBetween: a reservation fails when a block may have used its nonce since the nonce was looked up.
func TestBlockBetween(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxTotal: amount(100)}
	w := testWant(k, 1, 0, 0, 10)
	must.Get(b.ApplyBlock(1, common.Hash{}, noon, nil))(t)
	r, _, err := b.Reserve(w)
	expect.That(t, errors.Is(err, errBlockBetween) && r == nil, "reservation %v, error %v", r, err)
	mustUsage(t, b, k, "0", "0", 0)
}

// TestInterruptedSettlement: a block whose settlement ended early is the newest of the books, so that no look-up before
// it counts. Applied again, it closes the rest, and nothing twice.
func TestInterruptedSettlement(t *testing.T) {
	dir := t.TempDir()
	b := openTestBooks(t, dir)
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	var block []used
	for nonce := range uint64(2*maxSettled + 1) {
		w := testWant(k, byte(nonce%8), nonce, 0, 4)
		b.season(t, w.sender)
		w.hash[2] = byte(nonce)
		mustReserve(t, b, w)
		block = append(block, settleBy(w, 3))
	}
	ends, err := b.settle(1, common.Hash{}, dayOf(noon), block[:maxSettled], false)
	must.That(t, err == nil && len(ends) == maxSettled, "%d ends, error %v", len(ends), err)
	closeTestBooks(t, b)
	b = openTestBooks(t, dir)
	defer closeTestBooks(t, b)
	cursor, err := b.Bind(common.Hash{})
	expect.That(t, err == nil && cursor == 0, "cursor %d, error %v", cursor, err)
	late := testWant(k, 9, 0, 0, 4)
	r, _, err := b.Reserve(late)
	expect.That(t, errors.Is(err, errBlockBetween) && r == nil, "reservation %v, error %v", r, err)
	ends, err = b.ApplyBlock(1, common.Hash{}, noon, block)
	expect.That(t, err == nil && len(ends) == len(block)-maxSettled, "%d ends, error %v", len(ends), err)
	mustUsage(t, b, k, fmt.Sprint(3*len(block)), "0", uint64(len(block)))
	cursor, err = b.Bind(common.Hash{})
	expect.That(t, err == nil && cursor == 1, "cursor %d, error %v", cursor, err)
}

// TestOpenLimits: a sender begins with two reservations, and each that is mined doubles them, up to a bound. One whose
// reservation is stuck gets none.
func TestOpenLimits(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxTotal: amount(1_000_000)}
	refused := func(w *want, rule, limit string) {
		t.Helper()
		_, refusal, err := b.reserveNow(w)
		expect.That(t, err == nil && refusal != nil && refusal.Rule == rule && refusal.Limit == limit,
			"refusal %+v, error %v; want %s, %s", refusal, err, rule, limit)
	}
	nonce, block := uint64(0), uint64(1)
	for _, limit := range []uint64{2, 4, 8, 16, 32, 64, 64} {
		for i := range limit {
			mustReserve(t, b, testWant(k, 1, nonce+i, 0, 1))
		}
		refused(testWant(k, 1, nonce+limit, 0, 1), "open_per_sender", fmt.Sprint(limit))
		var ends []used
		for i := range limit { // the first one is mined, the others are replaced
			u := settleBy(testWant(k, 1, nonce+i, 0, 1), 1)
			if i > 0 {
				u.senderHash = common.Hash{}
			}
			ends = append(ends, u)
		}
		must.Get(b.ApplyBlock(block, common.Hash{}, noon, ends))(t)
		nonce, block = nonce+limit, block+1
	}
	for i := range maxOpenPerNonce {
		mustReserve(t, b, testWant(k, 1, nonce, byte(i), 1))
	}
	refused(testWant(k, 1, nonce, 99, 1), "open_per_nonce", fmt.Sprint(maxOpenPerNonce))
	must.Get(b.ApplyBlock(block+stuckAfter, common.Hash{}, noon, nil))(t)
	refused(testWant(k, 1, nonce+1, 0, 1), "stuck", "")
	mustReserve(t, b, testWant(k, 2, 0, 0, 1))
}

// TestRefusedOnceStays: what was refused once and reserved again has its record while it is open. Nothing counts twice.
func TestRefusedOnceStays(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	w := testWant(k, 1, 0, 0, 100)
	mustReserve(t, b, w)
	must.Do(t, b.Release(w.hash, "the pool is full"))
	mustReserve(t, b, w)
	// A line of the expiry bucket as earlier versions left it.
	must.Do(t, b.update(func(tx *bbolt.Tx) error {
		return tx.Bucket(expiryBucket).Put(append([]byte(dayText(dayOf(noon))), w.hash[:]...), nil)
	}, nil))
	must.Get(b.ApplyBlock(1, common.Hash{}, noon.Add((x402.RetainedDays+1)*24*time.Hour), nil))(t)
	mustReserve(t, b, w)
	mustUsage(t, b, k, "0", "100", 1)
	must.Get(b.ApplyBlock(2, common.Hash{}, noon.Add((x402.RetainedDays+1)*24*time.Hour), []used{settleBy(w, 5)}))(t)
	mustUsage(t, b, k, "5", "0", 1)
}

// TestBooksSurvive: what was reserved is there after the file is opened again, and the books keep to their chain.
func TestBooksSurvive(t *testing.T) {
	dir := t.TempDir()
	k := &Key{Label: "a", MaxTotal: amount(100)}
	b := openTestBooks(t, dir)
	cursor, err := b.Bind(common.Hash{1})
	must.That(t, err == nil && cursor == 0, "%v %v", cursor, err)
	mustReserve(t, b, testWant(k, 1, 0, 0, 100))
	must.Get(b.ApplyBlock(9, common.Hash{}, noon, nil))(t)
	must.That(t, expect.Err(OpenBooks(dir)) != nil, "books were opened twice")
	must.Do(t, b.Close())
	b = openTestBooks(t, dir)
	defer closeTestBooks(t, b)
	mustUsage(t, b, k, "0", "100", 1)
	cursor, err = b.Bind(common.Hash{1})
	expect.That(t, err == nil && cursor == 9, "cursor %d, error %v", cursor, err)
	expect.Refused(t, expect.Err(b.Bind(common.Hash{2})), "books were used for another chain")
}

// TestOldDaysAreForgotten: records and days go after a month, totals and what is reserved stay. A tally that waits
// for its last transaction leaves those after it to be forgotten.
func TestOldDaysAreForgotten(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	open, settled := testWant(k, 1, 0, 0, 100), testWant(k, 2, 0, 0, 100)
	mustReserve(t, b, open)
	mustReserve(t, b, settled)
	must.Get(b.ApplyBlock(1, common.Hash{}, noon, []used{settleBy(settled, 5)}))(t)
	must.Get(b.ApplyBlock(2, common.Hash{}, noon.Add((x402.RetainedDays+1)*24*time.Hour), nil))(t)
	for _, w := range []*want{open, settled} {
		expect.Error(t, b.db.View(func(tx *bbolt.Tx) error {
			name := tallyName(senderDayKind, dayText(dayOf(noon)), k.Label, w.sender.Hex())
			expect.Equal(t, tx.Bucket(talliesBucket).Get(name) != nil, w == open, "tally %s is kept", name)
			return nil
		}), nil, "View")
	}
	found, _, err := b.Find(settled.hash)
	expect.That(t, err == nil && found == nil, "record %v, error %v", found, err)
	found, r, err := b.Find(open.hash)
	expect.That(t, err == nil && found != nil && r != nil, "record %v, reservation %v, error %v", found, r, err)
	mustUsage(t, b, k, "5", "100", 2)
	must.Get(b.ApplyBlock(3, common.Hash{}, noon.Add((x402.RetainedDays+1)*24*time.Hour), []used{settleBy(open, 7)}))(t)
	mustUsage(t, b, k, "12", "0", 2)
}

// TestDecisionsAreToldBefore: the audit log has a decision before the store, so that a kill in between loses none.
func TestDecisionsAreToldBefore(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	w := testWant(k, 1, 0, 0, 100)
	state := func() *record {
		found, _, err := b.Find(w.hash)
		expect.Error(t, err, nil, "Find")
		return found
	}
	told := 0
	b.audit = func(lines ...auditLine) error {
		for _, line := range lines {
			told++
			switch found := state(); {
			case line.Event == "reserved" && found != nil:
				t.Error("reserved before it was told")
			case line.Event == "settled" && (found == nil || found.State != stateOpen):
				t.Error("settled before it was told")
			case line.Event != "reserved" && line.Event != "settled":
				t.Errorf("told of %q", line.Event)
			}
		}
		return nil
	}
	mustReserve(t, b, w)
	must.Get(b.ApplyBlock(1, common.Hash{}, noon, []used{settleBy(w, 5)}))(t)
	expect.Equal(t, told, 2, "decisions told")
}

// TestNoDecisionWithoutLine: what the audit log cannot take is not decided, and has its line when it is
// (docs/develop/sponsor.md, Budgets: audit.jsonl has a line for each decision).
func TestNoDecisionWithoutLine(t *testing.T) {
	b := openTestBooks(t, t.TempDir())
	defer closeTestBooks(t, b)
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	w := testWant(k, 1, 0, 0, 100)
	var told []string
	full := true
	b.audit = func(lines ...auditLine) error {
		if full {
			return errAudit
		}
		for _, line := range lines {
			told = append(told, line.Event)
		}
		return nil
	}
	if _, _, err := b.Reserve(w); !errors.Is(err, errAudit) {
		t.Fatalf("reserved without a line: %v", err)
	}
	full = false
	mustReserve(t, b, w)
	moved := &departure{&payer{}, &payer{}}
	nonces := []used{settleBy(w, 5), {sender: common.Address{9}, fee: new(big.Int), moved: moved}}
	full = true
	if ends, err := b.ApplyBlock(1, common.Hash{}, noon, nonces); !errors.Is(err, errAudit) {
		t.Fatalf("settled without a line: %v, %v", ends, err)
	}
	full = false
	must.Get(b.ApplyBlock(1, common.Hash{}, noon, nonces))(t)
	if want := []string{"reserved", "settled", "coins"}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}

// TestNeverOverBudget has many requests at once, with blocks in between, and compares the books with a plain sum. At no
// time can fees of all that was reserved exceed a budget.
func TestNeverOverBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := must.Get(os.MkdirTemp("", "gwon-books-"))(t)
		t.Cleanup(func() { expect.Error(t, os.RemoveAll(dir), nil, "RemoveAll") })
		b := openTestBooks(t, dir)
		defer closeTestBooks(t, b)
		limit := rapid.Int64Range(1, 2000).Draw(t, "limit")
		k := &Key{
			Label:           "a",
			MaxTotal:        amount(limit),
			MaxPerSenderDay: amount(rapid.Int64Range(1, 1000).Draw(t, "sender limit")),
		}
		spent := int64(0)
		bySender := make(map[common.Address]int64)
		open := make(map[common.Hash]*want)
		for round := range rapid.IntRange(1, 4).Draw(t, "rounds") {
			var wants []*want
			for i := range rapid.IntRange(1, 24).Draw(t, "requests") {
				w := testWant(
					k,
					byte(rapid.IntRange(1, 3).Draw(t, "sender")),
					uint64(round),
					byte(i),
					rapid.Int64Range(0, 400).Draw(t, "cost"),
				)
				wants = append(wants, w)
			}
			reserved := make([]*reservation, len(wants))
			var group sync.WaitGroup
			for i, w := range wants {
				group.Go(func() { reserved[i], _, _ = b.reserveNow(w) })
			}
			group.Wait()
			for i, w := range wants {
				if reserved[i] != nil {
					open[w.hash] = w
				}
			}
			checkBudget(t, b, k, limit, spent, bySender, open)
			var block []used
			for sender := range byte(3) {
				var mined *want
				for _, w := range wants {
					if w.sender == (common.Address{sender + 1}) && open[w.hash] != nil {
						mined = w
					}
				}
				if mined == nil || !rapid.Bool().Draw(t, "mined") {
					continue
				}
				u := settleBy(mined, rapid.Int64Range(0, mined.Cost.Int64()).Draw(t, "fee"))
				if rapid.Bool().Draw(t, "stripped") {
					u.senderHash, u.fee = common.Hash{}, new(big.Int)
				}
				spent += u.fee.Int64()
				bySender[mined.sender] += u.fee.Int64()
				for _, w := range wants {
					if w.sender == mined.sender {
						delete(open, w.hash)
					}
				}
				block = append(block, u)
			}
			must.Get(b.ApplyBlock(uint64(round)+1, common.Hash{}, noon, block))(t)
			checkBudget(t, b, k, limit, spent, bySender, open)
		}
	})
}

func checkBudget(
	t *rapid.T,
	b *Books,
	k *Key,
	limit, spent int64,
	bySender map[common.Address]int64,
	open map[common.Hash]*want,
) {
	reserved := int64(0)
	sums := make(map[common.Address]int64)
	for _, w := range open {
		reserved += w.Cost.Int64()
		sums[w.sender] += w.Cost.Int64()
	}
	u := must.Get(b.Usage(k, noon))(t)
	must.That(t, u.Spent == fmt.Sprint(spent) && u.Reserved == fmt.Sprint(reserved),
		"books have spent %s, reserved %s; want %d, %d", u.Spent, u.Reserved, spent, reserved)
	must.That(t, spent+reserved <= limit, "spent %d and reserved %d exceed the budget of %d", spent, reserved, limit)
	for sender, sum := range sums {
		if sum+bySender[sender] > k.MaxPerSenderDay.int().Int64() {
			t.Fatalf("sender %v: %d exceed the budget of %v", sender, sum+bySender[sender], k.MaxPerSenderDay.int())
		}
	}
}

// TestFailingDecisionFailsAlone: of decisions that share a write, the one that fails is left out, and the others are
// durable and have their answers.
func TestFailingDecisionFailsAlone(t *testing.T) {
	dir := t.TempDir()
	b := openTestBooks(t, dir)
	k := &Key{Label: "a", MaxTotal: amount(1000)}
	broken := errors.New("broken")
	failing := testWant(k, 2, 0, 0, 10)
	failing.choose = func(*big.Int, reservedFunc) (common.Address, *Refusal, error) {
		return common.Address{}, nil, broken
	}
	wants := []*want{testWant(k, 1, 0, 0, 10), failing, testWant(k, 3, 0, 0, 10)}
	entries := make([]*entry, len(wants))
	for i, w := range wants {
		entries[i] = &entry{func(tx *bbolt.Tx) error {
			_, _, err := reserve(tx, w)
			return err
		}, nil, make(chan error, 1)}
	}
	b.writeGroup(slices.Clone(entries)) // the writer has nothing to do meanwhile
	for i, e := range entries {
		if err := <-e.done; errors.Is(err, broken) != (i == 1) || err != nil && i != 1 {
			t.Errorf("decision %d: error %v", i, err)
		}
	}
	closeTestBooks(t, b)
	b = openTestBooks(t, dir)
	defer closeTestBooks(t, b)
	mustUsage(t, b, k, "0", "20", 2)
}
