// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/validators"
	"gwon/internal/dial"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Every block is proven from genesis and from a checkpoint, by nodes with and without finished proofs.
//
// spec: wbft 3.1, 7.1
func TestEachBlockIsProven(t *testing.T) {
	c := newTestChain(t)
	for _, node := range []struct{ proofs, headers bool }{{false, false}, {false, true}, {true, true}} {
		for _, trusted := range []*finality.Trusted{nil, {Number: 6, Hash: c.headers[6].Hash()}} {
			t.Run(fmt.Sprintf("%+v from %v", node, trusted), func(t *testing.T) {
				s := newServer(t, c)
				s.proofs, s.headers = node.proofs, node.headers
				for number := uint64(6); number < uint64(len(c.headers)); number++ {
					r := c.open(t, Options{Trusted: trusted}, s)
					h, err := r.Header(t.Context(), number)
					must.That(t, err == nil && h.Hash() == c.headers[number].Hash(), "block %d: %v, %v", number, h, err)
					must.That(t, node.proofs || s.asked["eth_getHeaderByNumber"] != 0, "the headers were not asked for one by one")
				}
			})
		}
	}
}

// A header that was proven is not asked for again, and later ones are proven from there.
func TestProvenHeadersAreKept(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	s.proofs = true
	dir := t.TempDir()
	first := c.open(t, Options{Dir: dir}, s)
	must.Get(first.Header(t.Context(), 17))(t)
	must.Do(t, first.Close())
	second := c.open(t, Options{Dir: dir}, s)
	if h, err := second.Header(t.Context(), 17); err != nil || s.asked["istanbul_getFinalityProof"] != 1 {
		t.Errorf("block 17: %v, %v after %d proofs", h, err, s.asked["istanbul_getFinalityProof"])
	}
	n, known := second.Newest()
	expect.That(t, known && n == 17, "newest stored block %d, %v", n, known)
	if at, _ := second.from(20); at.Number != 16 {
		t.Errorf("block 20 is proven from block %d, want epoch block 16, which was proven on the way", at.Number)
	}
}

// Each field of a header is under its hash, and so is the number that was asked for.
//
// spec: wbft 7.1
func TestAlteredHeadersAreRefused(t *testing.T) {
	c := newTestChain(t)
	for _, test := range []struct {
		field string
		value any
		want  string
	}{
		{"parentHash", common.Hash{1}, "hash"}, {"sha3Uncles", common.Hash{1}, "hash"},
		{"miner", common.Address{1}, "hash"}, {"stateRoot", common.Hash{1}, "hash"},
		{"transactionsRoot", common.Hash{1}, "hash"}, {"receiptsRoot", common.Hash{1}, "hash"},
		{"logsBloom", types.Bloom{1}, "hash"}, {"difficulty", "0x2", "hash"}, {"number", "0x5", "number"},
		{"gasLimit", "0x5", "hash"}, {"gasUsed", "0x5", "hash"}, {"timestamp", "0x5", "hash"},
		{"extraData", "0x", "hash"}, {"mixHash", common.Hash{1}, "hash"}, {"nonce", "0x0000000000000001", "hash"},
		{"baseFeePerGas", "0x5", "hash"}, {"hash", common.Hash{1}, "hash"},
		{"number", "text", "header of block 20"},
	} {
		t.Run(test.field, func(t *testing.T) {
			liar := newServer(t, c)
			liar.lie = alter("eth_getBlockByNumber", test.value, test.field)
			_, err := c.open(t, Options{}, liar).Header(t.Context(), 20)
			var wrong *LieError
			expect.That(t, errors.As(err, &wrong) && (wrong.Field == test.want || strings.HasPrefix(wrong.Field, "header of")),
				"%v, want a lie about %s", err, test.want)
		})
	}
}

// A header whose hash fits and whose seals do not is no block.
//
// spec: wbft 7.1
func TestUnsealedHeadersAreRefused(t *testing.T) {
	c := newTestChain(t)
	for _, proofs := range []bool{false, true} {
		forged := *c
		forged.headers = append([]*types.Header{}, c.headers...)
		last := types.CopyHeader(c.last())
		last.Root = common.Hash{1}
		forged.headers[len(forged.headers)-1] = last
		liar := newServer(t, &forged)
		liar.proofs = proofs
		_, err := c.open(t, Options{}, liar).Header(t.Context(), last.Number.Uint64())
		expect.Says(t, err, "not sealed by a quorum", "finished proofs %v", proofs)
	}
}

// The parents of a proven block are proven by their hashes.
func TestAncestorsAreLinked(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	dir := t.TempDir()
	r := c.open(t, Options{Dir: dir}, s)
	head, err := r.Latest(t.Context(), nil)
	must.Do(t, err)
	for range 2 { // from the server, from the store
		list, err := r.Ancestors(t.Context(), head, 3)
		must.That(t, err == nil && len(list) == len(c.headers)-3 && list[0].Hash() == c.headers[3].Hash(),
			"%d headers, %v", len(list), err)
		must.Do(t, r.Close())
		r = c.open(t, Options{Dir: dir, Now: func() time.Time { return time.Unix(begun, 0) }}, s)
		s.mu.Lock()
		s.lie = func(string, any) any { return nil }
		s.mu.Unlock()
	}
	forged := *c
	forged.headers = append([]*types.Header{}, c.headers...)
	forged.headers[9] = types.CopyHeader(c.headers[9])
	forged.headers[9].GasUsed = 9
	liar := newServer(t, &forged)
	r = c.open(t, Options{}, liar)
	_, err = r.Ancestors(t.Context(), c.last(), 3)
	var wrong *LieError
	expect.That(t, errors.As(err, &wrong) && wrong.Field == "parentHash", "%v, want a lie about parentHash", err)
	expect.Refused(t, expect.Err(r.Ancestors(t.Context(), c.last(), 30)), "ancestors behind the block")
}

// Two sealed blocks of one number end the reading. Both proofs are kept, also for the next run.
//
// spec: wbft 7.5
func TestConflictStopsAndIsKept(t *testing.T) {
	c := newTestChain(t)
	twin := *c
	twin.headers = append([]*types.Header{}, c.headers...)
	number := len(c.headers) - 1
	unsealed := types.CopyHeader(c.last())
	unsealed.Root = common.Hash{2}
	extra := must.Get(c.headers[number-1].WBFTExtra())(t)
	set := must.Get(validators.FromEpochInfo(extra.EpochInfo))(t)
	twin.headers[number] = c.net.SealBy(t, set, types.NewBlockWithHeader(unsealed), 0).Header()

	dir := t.TempDir()
	r := c.open(t, Options{Dir: dir}, newServer(t, c))
	must.Get(r.Header(t.Context(), uint64(number)))(t)
	proof := must.Get(finality.Build(&twin, 0, uint64(number)))(t)
	if _, err := r.accept(proof, true); !errors.Is(err, ErrConflict) {
		t.Fatalf("the twin: %v", err)
	}
	expect.Error(t, expect.Err(r.Header(t.Context(), 3)), ErrConflict, "another block after it")
	files, err := filepath.Glob(filepath.Join(dir, "*", fmt.Sprintf("conflict-%d.json", number)))
	must.That(t, err == nil && len(files) == 1, "files %v, %v", files, err)
	content, err := os.ReadFile(files[0])
	expect.That(t, err == nil && strings.Count(string(content), `"version"`) == 2, "the file has not both proofs: %v", err)
	must.Do(t, r.Close())
	expect.Error(t, expect.Err(Open(t.Context(), Options{
		URLs: []string{"http://127.0.0.1:1"}, Config: c.config, Genesis: c.headers[0].Hash(), Dir: dir,
	})), ErrConflict, "the next run")
}

// Old trust needs a decision, or a newer block.
func TestOldTrustIsRefused(t *testing.T) {
	c := newTestChain(t)
	late := func() time.Time { return time.Unix(begun+60, 0).Add(MaxAge) }
	s := newServer(t, c)
	_, err := c.open(t, Options{Now: late}, s).Latest(t.Context(), nil)
	expect.That(t, errors.Is(err, ErrOld) && !errors.Is(err, ErrUnreachable), "%v", err)
	_, err = c.open(t, Options{}, s).Header(t.Context(), 99)
	expect.That(t, errors.Is(err, ErrNoBlock) && !errors.Is(err, ErrUnreachable), "a block that is not there: %v", err)
	expect.Error(t, expect.Err(c.open(t, Options{Now: late, TrustOld: true}, s).Latest(t.Context(), nil)), nil, "Latest")
	checkpoint := &finality.Trusted{Number: 8, Hash: c.headers[8].Hash()}
	expect.Error(t, expect.Err(c.open(t, Options{Trusted: checkpoint}, s).Latest(t.Context(), nil)), nil, "Latest")
	expect.Error(t, expect.Err(c.open(t, Options{Trusted: checkpoint}, s).Header(t.Context(), 7)), finality.ErrOlder,
		"a block before the checkpoint")
}

// The age of the trusted block binds each answer, not only the newest one: what the validators of an old block seal in
// its place, with keys that they have lost since, is not believed. Hashes prove the old block.
func TestOldKeysProveNothing(t *testing.T) {
	const day = 86_400
	c := newSlowChain(t, 4*day)
	for _, number := range []uint64{1, 5, 6, 9, 11, 13} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			set := must.Get(validators.FromEpochInfo(mustExtra(t, c.Header(c.LastEpochBlock(number-1)))))(t)
			h := types.CopyHeader(c.headers[number])
			h.Coinbase, h.Root = common.Address{}, common.Hash{1}
			forged := *c
			forged.headers = slices.Clone(c.headers)
			forged.headers[number] = c.net.SealBy(t, set, types.NewBlockWithHeader(h), 0).Header()

			var now time.Time
			honest, liar := newServer(t, c), newServer(t, c)
			r := c.open(t, Options{Now: func() time.Time { return now }}, liar, honest)
			for _, head := range []uint64{7, 14, 21} {
				now = time.Unix(int64(c.headers[head].Time+day), 0)
				h, err := r.Header(t.Context(), head)
				must.That(t, err == nil && h.Hash() == c.headers[head].Hash(), "%v %v %v", head, h, err)
			}
			liar.chain = &forged
			h, err := r.Header(t.Context(), number)
			expect.That(t, err == nil && h.Hash() == c.headers[number].Hash(), "%v, %v", h, err)
			r.mu.Lock() // far behind the block, so that no hashes lead there
			r.proven = map[uint64]proven{0: {Header: c.headers[0]}, number + MaxAncestors: {Header: c.headers[21]}}
			r.mu.Unlock()
			h, err = r.Header(t.Context(), number)
			expect.That(t, errors.Is(err, finality.ErrOlder) && !Fatal(err), "an old block far away: %v, %v", h, err)
			now = now.Add(MaxAge)
			h, err = r.Header(t.Context(), 99)
			expect.That(t, errors.Is(err, ErrOld), "nothing is fresh: %v, %v", h, err)
		})
	}
}

func TestAnotherChainIsRefused(t *testing.T) {
	c := newTestChain(t)
	checkpoint := &finality.Trusted{Number: 8, Hash: common.Hash{8}}
	_, err := c.open(t, Options{Trusted: checkpoint}, newServer(t, c)).Latest(t.Context(), nil)
	expect.That(t, err != nil && strings.Contains(err.Error(), "another chain"), "%v", err)
}

// What a kill has cut off, and what is damaged, is read again.
func TestDamagedStoreIsReadAgain(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	dir := t.TempDir()
	read := func() {
		t.Helper()
		r := c.open(t, Options{Dir: dir}, s)
		state := stateOf(t, r)
		a, err := state.Account(t.Context(), account(3))
		must.That(t, err == nil && a.Nonce == 3, "%+v, %v", a, err)
		must.Do(t, r.Close())
	}
	read()
	file, err := filepath.Glob(filepath.Join(dir, "*", storeName))
	must.That(t, err == nil && len(file) == 1, "%v %v", file, err)
	whole := must.Get(os.ReadFile(file[0]))(t)
	for cut := 0; cut < len(whole); cut += 997 {
		damaged := append([]byte{}, whole...)
		damaged[cut] ^= 0xff
		for _, content := range [][]byte{whole[:cut], damaged} {
			must.Do(t, os.WriteFile(file[0], content, 0o600))
			read()
		}
	}
	asked := s.asked["eth_getProof"]
	read()
	expect.That(t, s.asked["eth_getProof"] == asked, "a mended store is not used")
}

// An answer ends at its bound.
func TestLongAnswersAreRefused(t *testing.T) {
	c := newTestChain(t)
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":"0x`)) //nolint:errcheck // the client leaves
		for range 2 * MaxAnswer / 4096 {
			if _, err := w.Write([]byte(strings.Repeat("0", 4096))); err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	_, err := c.open(t, Options{URLs: []string{endless.URL}}).Latest(t.Context(), nil)
	expect.That(t, errors.Is(err, dial.ErrLarge), "%v", err)
}

// A redirect could have this machine ask others of its network.
func TestRedirectsAreNotFollowed(t *testing.T) {
	c := newTestChain(t)
	target := newServer(t, c)
	redirecting := httptest.NewServer(http.RedirectHandler(target.url, http.StatusPermanentRedirect))
	defer redirecting.Close()
	_, err := c.open(t, Options{URLs: []string{redirecting.URL}}).Latest(t.Context(), nil)
	expect.That(t, err != nil && strings.Contains(err.Error(), "it redirects to "+target.url) && len(target.asked) == 0,
		"%v, asked %v", err, target.asked)
}

func TestEndpointsAreChecked(t *testing.T) {
	c := newTestChain(t)
	for _, urls := range [][]string{
		nil, make([]string, MaxEndpoints+1), {"ws://127.0.0.1"}, {"127.0.0.1:1"}, {"http://"},
	} {
		expect.Refused(t, expect.Err(Open(t.Context(), Options{URLs: urls, Config: c.config, Genesis: c.headers[0].Hash()})),
			"%q are taken", urls)
	}
	_, err := c.open(t, Options{URLs: []string{"http://user:secret@127.0.0.1:1"}}).Latest(t.Context(), nil)
	expect.That(t, errors.Is(err, ErrUnreachable) && !strings.Contains(err.Error(), "secret"), "%v", err)
}

// spec: chain 4
func TestBlocksAndReceiptsAreProven(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	dir := t.TempDir()
	for range 2 { // from the server, from the store
		r := c.open(t, Options{Dir: dir}, s)
		head := must.Get(r.Latest(t.Context(), nil))(t)
		block, err := r.Block(t.Context(), head)
		must.That(t, err == nil && len(block.Transactions()) == 2 && block.Transactions()[1].Hash() == c.txs[1].Hash(),
			"%v, %v", block, err)
		receipts, err := r.Receipts(t.Context(), block)
		must.That(t, err == nil && len(receipts) == 2, "%d receipts, %v", len(receipts), err)
		got := receipts[1]
		must.That(t, got.GasUsed == 30000 && got.TxHash == c.txs[1].Hash() && got.BlockHash == head.Hash() &&
			got.TransactionIndex == 1 && len(got.Logs) == 1 && got.Logs[0].TxHash == got.TxHash, "%+v", got)
		must.Do(t, r.Close())
	}
	expect.Equal(t, s.asked["eth_getBlockReceipts"], 1, "requests for receipts")
}

func TestAlteredReceiptsAreRefused(t *testing.T) {
	c := newTestChain(t)
	for _, test := range []struct {
		field string
		value any
		path  []any
	}{
		{"receipts[1].logsBloom", types.Bloom{1}, []any{1, "logsBloom"}},
		{"receipts[1].gasUsed", "0x1", []any{1, "gasUsed"}},
		{"receipts[1].transactionIndex", "0x0", []any{1, "transactionIndex"}},
		{"receipts[0].blockHash", common.Hash{1}, []any{0, "blockHash"}},
		{"receipts[0].blockNumber", "0x1", []any{0, "blockNumber"}},
		{"receipts", "0x0", []any{0, "status"}},
		{"receipts[0].type", "0x1", []any{0, "type"}},
		{"receipts[1].logsBloom", []any{}, []any{1, "logs"}},
	} {
		t.Run(test.field, func(t *testing.T) {
			liar := newServer(t, c)
			liar.lie = alter("eth_getBlockReceipts", test.value, test.path...)
			_, err := c.open(t, Options{}, liar).Receipts(t.Context(), c.block())
			var wrong *LieError
			expect.That(t, errors.As(err, &wrong) && wrong.Field == test.field, "%v, want a lie about %s", err, test.field)
		})
	}
	liar := newServer(t, c)
	liar.lie = alter("eth_getBlockByNumber", []any{}, "transactions")
	_, err := c.open(t, Options{}, liar).Block(t.Context(), c.last())
	var wrong *LieError
	expect.That(t, errors.As(err, &wrong) && wrong.Field == "transactions", "%v, want a lie about transactions", err)
}

// FuzzStore reads a file of anything. What is proven of it is what the chain has.
func FuzzStore(f *testing.F) {
	c := newTestChain(f)
	dir := f.TempDir()
	s := newServer(f, c)
	r := c.open(f, Options{Dir: dir}, s)
	must.Get(stateOf(f, r).Account(f.Context(), account(1)))(f)
	files, err := filepath.Glob(filepath.Join(dir, "*", storeName))
	must.That(f, err == nil && len(files) == 1, "%v %v", files, err)
	content := must.Get(os.ReadFile(files[0]))(f)
	f.Add(content)
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		below := filepath.Join(dir, filepath.Base(filepath.Dir(files[0])))
		must.Do(t, os.MkdirAll(below, 0o700))
		must.Do(t, os.WriteFile(filepath.Join(below, storeName), content, 0o600))
		r := c.open(t, Options{Dir: dir, URLs: []string{"http://127.0.0.1:1"}})
		for number, h := range r.proven {
			expect.That(t, number < uint64(len(c.headers)) && c.headers[number].Hash() == h.Hash(),
				"block %d, %v, was never sealed", number, h.Hash())
		}
	})
}
