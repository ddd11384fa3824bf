// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"context"
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
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A transaction is found with its place in a proven block, at a node that has it.
//
// spec: rpc 6
func TestTransactionsAreLocated(t *testing.T) {
	c := newTestChain(t)
	empty := newServer(t, c)
	empty.lie = func(method string, answer any) any {
		if method == "eth_getTransactionByHash" {
			return nil
		}
		return answer
	}
	r := c.open(t, Options{}, empty, newServer(t, c))
	for i, tx := range c.txs {
		l, err := r.Transaction(t.Context(), tx.Hash())
		expect.That(t, err == nil && l != nil && l.Index == uint64(i) && l.Header.Hash() == c.last().Hash() &&
			l.Tx.Hash() == tx.Hash(), "transaction %d: %+v, %v", i, l, err)
	}
	l, err := r.Transaction(t.Context(), common.Hash{1})
	expect.That(t, l == nil && err == nil, "an unknown one: %+v, %v", l, err)
	n, found, err := r.NumberOf(t.Context(), c.headers[7].Hash())
	expect.That(t, n == 7 && found && err == nil, "number %d, %v, %v", n, found, err)
	_, found, err = r.NumberOf(t.Context(), common.Hash{1})
	expect.That(t, !found && err == nil, "an unknown block: %v, %v", found, err)
	expect.That(t, !errors.As(r.nodes.badOf(r.nodes.list[0]), new(*LieError)),
		"a node that does not know a transaction counts as a liar")
}

// A waiting transaction has no place, and is no other than its hash says.
func TestWaitingTransactionHasNoPlace(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	s.lie = alter("eth_getTransactionByHash", nil, "blockNumber")
	l, err := c.open(t, Options{}, s).Transaction(t.Context(), c.txs[1].Hash())
	expect.That(t, err == nil && l != nil && l.Header == nil && l.Tx.Hash() == c.txs[1].Hash(), "%+v, %v", l, err)
}

// Each field of a located transaction, and of a transaction and a log in the answers for a block, is refused by its
// name when it is not what the block proves.
//
// spec: rpc 5, 6
func TestEachAlteredPlaceIsRefused(t *testing.T) {
	c := newTestChain(t)
	other := c.txs[0].Hash()
	for _, test := range []struct {
		method, field string
		value         any
		path          []any
	}{
		{"eth_getTransactionByHash", "transaction", "0x5", []any{"value"}},
		{"eth_getTransactionByHash", "transaction", "0x1", []any{"nonce"}},
		{"eth_getTransactionByHash", "transaction", "0x5", []any{"gas"}},
		{"eth_getTransactionByHash", "transaction", "0x", []any{"to"}},
		{"eth_getTransactionByHash", "transaction", "0x01", []any{"input"}},
		{"eth_getTransactionByHash", "transaction", common.Address{1}, []any{"feePayer"}},
		{"eth_getTransactionByHash", "transaction", "0x5", []any{"fv"}},
		{"eth_getTransactionByHash", "transaction", "0x5", []any{"maxFeePerGas"}},
		{"eth_getTransactionByHash", "transaction.hash", other, []any{"hash"}},
		{"eth_getTransactionByHash", "transaction.from", common.Address{1}, []any{"from"}},
		{"eth_getTransactionByHash", "transaction.blockHash", common.Hash{1}, []any{"blockHash"}},
		{"eth_getTransactionByHash", "transactionIndex", "0x0", []any{"transactionIndex"}},
		{"eth_getTransactionByHash", "transactionIndex", "0x5", []any{"transactionIndex"}},
		{"eth_getTransactionByHash", "transactionIndex", "0x3", []any{"blockNumber"}},
		{"eth_getBlockByNumber", "transactions[1].from", "0x5", []any{"transactions", 1, "value"}},
		{"eth_getBlockByNumber", "transactions[1].hash", other, []any{"transactions", 1, "hash"}},
		{"eth_getBlockByNumber", "transactions[1].from", common.Address{1}, []any{"transactions", 1, "from"}},
		{"eth_getBlockByNumber", "transactions[1].blockHash", other, []any{"transactions", 1, "blockHash"}},
		{"eth_getBlockByNumber", "transactions[1].blockNumber", "0x1", []any{"transactions", 1, "blockNumber"}},
		{"eth_getBlockByNumber", "transactions[1].transactionIndex", "0x0", []any{"transactions", 1, "transactionIndex"}},
		{"eth_getBlockReceipts", "receipts[1].transactionHash", other, []any{1, "transactionHash"}},
		{"eth_getBlockReceipts", "receipts[1].from", common.Address{1}, []any{1, "from"}},
		{"eth_getBlockReceipts", "receipts[1].to", common.Address{1}, []any{1, "to"}},
		{"eth_getBlockReceipts", "receipts[1].feePayer", common.Address{1}, []any{1, "feePayer"}},
		{"eth_getBlockReceipts", "receipts[1].contractAddress", common.Address{1}, []any{1, "contractAddress"}},
		{"eth_getBlockReceipts", "receipts[1].gasUsed", "0x1", []any{1, "cumulativeGasUsed"}},
		{"eth_getBlockReceipts", "receipts[1].logs[0].logIndex", "0x5", []any{1, "logs", 0, "logIndex"}},
		{"eth_getBlockReceipts", "receipts[1].logs[0].blockNumber", "0x5", []any{1, "logs", 0, "blockNumber"}},
		{"eth_getBlockReceipts", "receipts[1].logs[0].blockHash", other, []any{1, "logs", 0, "blockHash"}},
		{"eth_getBlockReceipts", "receipts[1].logs[0].transactionHash", other, []any{1, "logs", 0, "transactionHash"}},
		{"eth_getBlockReceipts", "receipts[1].logs[0].transactionIndex", "0x0", []any{1, "logs", 0, "transactionIndex"}},
		{"eth_getBlockReceipts", "receipts[1].logs[0].blockTimestamp", "0x5", []any{1, "logs", 0, "blockTimestamp"}},
		{"eth_getBlockReceipts", "receipts[1].logs[0].removed", true, []any{1, "logs", 0, "removed"}},
		{"eth_getBlockReceipts", "receipts[1].logsBloom", common.Address{3}, []any{1, "logs", 0, "address"}},
		{"eth_getBlockReceipts", "receipts", "0x03", []any{1, "logs", 0, "data"}},
		{"eth_getBlockReceipts", "receipts[1].logsBloom", []any{}, []any{1, "logs"}},
		{"eth_getBlockByHash", "number", nil, []any{"number"}},
		{"eth_getBlockByHash", "hash", "0x3", []any{"number"}},
	} {
		t.Run(test.method+"/"+test.field, func(t *testing.T) {
			liar := newServer(t, c)
			liar.headers = true
			liar.lie = alter(test.method, test.value, test.path...)
			r := c.open(t, Options{}, liar)
			must.Get(r.Header(t.Context(), 19))(t)
			_, err := r.Transaction(t.Context(), c.txs[1].Hash())
			if err == nil && test.method == "eth_getBlockReceipts" {
				_, err = r.Receipts(t.Context(), c.block())
			}
			if err == nil && test.method == "eth_getBlockByHash" {
				_, _, err = r.NumberOf(t.Context(), c.last().Hash())
			}
			var wrong *LieError
			if !errors.As(err, &wrong) || wrong.Field != test.field && !strings.HasPrefix(wrong.Why, "it cannot be read") {
				t.Errorf("%v, want a lie about %s", err, test.field)
			}
		})
	}
}

// An endpoint that shows another block for a hash hides none: it is left, and the next one has the block.
func TestAnotherBlockHidesNone(t *testing.T) {
	c := newTestChain(t)
	liar := newServer(t, c)
	liar.lie = func(method string, answer any) any {
		if method == "eth_getBlockByHash" {
			return plain(t, liar.block(c.headers[3], false))
		}
		return answer
	}
	r := c.open(t, Options{}, liar, newServer(t, c))
	number, found, err := r.NumberOf(t.Context(), c.headers[7].Hash())
	expect.That(t, number == 7 && found && err == nil && r.nodes.badOf(r.nodes.list[0]) != nil,
		"block %d, found: %t, %v", number, found, err)
}

// An endpoint that does not have the block yet says null, and is no liar: the next one has its receipts. One that has
// the block, and no receipts of it, is one.
func TestReceiptsOfOneThatIsBehind(t *testing.T) {
	for _, behind := range []bool{true, false} {
		t.Run(fmt.Sprint("behind ", behind), func(t *testing.T) {
			c := newTestChain(t)
			first := newServer(t, c)
			first.lie = func(method string, answer any) any {
				if method == "eth_getBlockReceipts" || behind && strings.HasSuffix(method, "ByNumber") {
					return nil
				}
				return answer
			}
			r := c.open(t, Options{}, first, newServer(t, c))
			receipts, err := r.Receipts(t.Context(), c.block())
			bad := r.nodes.badOf(r.nodes.list[0])
			expect.That(t, err == nil && len(receipts) == len(c.block().Transactions()) && (bad == nil) == behind,
				"%d receipts, %v, bad for %v", len(receipts), err, bad)
		})
	}
}

// naming is the lie of a server that names another number as that of its newest block.
func naming(number string) func(method string, answer any) any {
	return func(method string, answer any) any {
		if method == "eth_blockNumber" {
			return number
		}
		return answer
	}
}

// The highest number that is proven counts. An endpoint that names a higher one and has no block of it does not.
func TestLatestIsProven(t *testing.T) {
	c := newTestChain(t)
	behind, boaster := newServer(t, c), newServer(t, c)
	behind.lie = naming("0x5")
	boaster.lie = naming("0x99")
	r := c.open(t, Options{}, behind, boaster, newServer(t, c))
	head, err := r.Latest(t.Context(), nil)
	must.That(t, err == nil && head.Hash() == c.last().Hash(), "%v, %v", head, err)
	again, err := r.Latest(t.Context(), head)
	expect.That(t, err == nil && again == head, "the same block again: %v, %v", again, err)
	forged := *c
	forged.headers = append([]*types.Header{}, c.headers...)
	forged.headers[len(c.headers)-1] = types.CopyHeader(c.last())
	forged.headers[len(c.headers)-1].Root = common.Hash{1}
	expect.Error(t, expect.Err(c.open(t, Options{}, newServer(t, &forged)).Latest(t.Context(), nil)), ErrLeft,
		"liars alone")
	_, err = c.open(t, Options{URLs: []string{"http://127.0.0.1:1"}}).Latest(t.Context(), nil)
	expect.That(t, err != nil && errors.Is(err, ErrUnreachable), "no endpoint: %v", err)
}

// An endpoint that names a newer block and never shows it cannot hold up another one for long, and is not waited for
// again while it rests. One that answers late is asked after others from then on.
func TestSlowEndpointDelaysNone(t *testing.T) {
	c := newTestChain(t)
	slow, honest := newServer(t, c), newServer(t, c)
	hang := make(chan struct{})
	slow.hang = func(method string) {
		if method != "eth_blockNumber" {
			<-hang
		}
	}
	slow.lie = func(string, any) any { return "0x99" }
	t.Cleanup(func() { close(hang) })
	r := c.open(t, Options{Patience: time.Hour}, slow, honest)
	r.nodes.slow = 0
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for round := range 2 {
		head, err := r.Latest(ctx, c.headers[2])
		must.That(t, err == nil && head.Hash() == c.last().Hash() && ctx.Err() == nil,
			"round %d: %v, %v, %v", round, head, err, ctx.Err())
		if first := r.nodes.inOrder()[0]; first.url != honest.url || !r.nodes.resting(r.nodes.list[0]) {
			t.Errorf("round %d: %s is asked first", round, first.url)
		}
		r.nodes.slow = time.Hour // for endpoints that do not rest
	}

	r = c.open(t, Options{}, honest, newServer(t, c))
	for _, test := range []struct {
		number uint64
		slow   time.Duration
		first  int
	}{{9, time.Hour, 0}, {10, 0, 1}} {
		r.nodes.slow = test.slow
		if _, err := r.Header(t.Context(), test.number); err != nil || r.nodes.primary != test.first {
			t.Errorf("answers later than %v are slow: endpoint %d is first, %v", test.slow, r.nodes.primary, err)
		}
	}
}

// An endpoint with older blocks cannot take the place of one with newer ones, which is asked for its proof first.
func TestNewerBlockIsWaitedFor(t *testing.T) {
	c := newTestChain(t)
	newer, behind := newServer(t, c), newServer(t, c)
	behind.lie = naming("0x5")
	r := c.open(t, Options{Patience: time.Hour}, behind, newer)
	r.nodes.slow = time.Hour
	head, err := r.Latest(t.Context(), c.headers[2])
	expect.That(t, err == nil && head.Hash() == c.last().Hash(), "%v, %v", head, err)
}

// A transaction goes to all endpoints. One that takes it is enough, and one that says another hash is a liar.
func TestSubmissionsGoToAllEndpoints(t *testing.T) {
	c := newTestChain(t)
	first, second := newServer(t, c), newServer(t, c)
	r := c.open(t, Options{}, first, second)
	err := r.Submit(t.Context(), c.txs[1])
	expect.That(t, err == nil && first.asked["eth_sendRawTransaction"] == 1 && second.asked["eth_sendRawTransaction"] == 1,
		"%v, asked %v and %v", err, first.asked, second.asked)
	first.refuses = errors.New("nonce too low")
	expect.Error(t, r.Submit(t.Context(), c.txs[1]), nil, "one has taken it")
	second.refuses = errors.New("already known")
	err = r.Submit(t.Context(), c.txs[1])
	expect.That(t, err != nil && err.Error() == "nonce too low", "%v, want the first refusal", err)
	second.refuses = nil
	second.lie = func(string, any) any { return common.Hash{1} }
	err = r.Submit(t.Context(), c.txs[1])
	expect.That(t, err != nil && r.nodes.badOf(r.nodes.list[1]) != nil, "another hash: %v", err)
}

// A block that the fewer validators of an earlier epoch have sealed is refused: its own ancestors name more of them.
//
// spec: wbft 3.1, 7.5
func TestValidatorsOutOfChargeAreRefused(t *testing.T) {
	c := newTestChain(t)
	number := uint64(len(c.headers) - 1) // in the epoch of validators 4, 5, 6, 3
	set, err := validators.FromEpochInfo(mustExtra(t, c.headers[4]))
	must.Do(t, err)
	forged := *c
	forged.headers = append([]*types.Header{}, c.headers...)
	copied := types.CopyHeader(c.last())
	copied.Coinbase = common.Address{}
	forged.headers[number] = c.net.SealBy(t, set, types.NewBlockWithHeader(copied), 0).Header()
	proof := must.Get(finality.Build(c, 0, 4))(t)
	addresses := set.Addresses()
	proof.Block = finality.Sealed{Header: forged.headers[number], Validators: addresses}
	_, err = finality.Verify(proof, finality.Trusted{ChainID: c.config.ChainID, Hash: c.headers[0].Hash()})
	must.That(t, err == nil, "the proof itself is right: %v", err)
	liar := newServer(t, &forged)
	liar.proofs = true
	liar.lie = func(method string, answer any) any {
		if method == "istanbul_getFinalityProof" {
			return plain(t, proof)
		}
		return answer
	}
	_, err = c.open(t, Options{}, liar).Header(t.Context(), number)
	expect.That(t, err != nil && strings.Contains(err.Error(), "has appointed others"), "%v", err)
}

func mustExtra(t *testing.T, header *types.Header) *types.EpochInfo {
	t.Helper()
	extra := must.Get(header.WBFTExtra())(t)
	return extra.EpochInfo
}

// A reader with a bound for its memory forgets what it has read, answers the same, and keeps one proof for the next
// start.
func TestBoundedReaderForgets(t *testing.T) {
	c := newTestChain(t)
	s := newServer(t, c)
	dir := t.TempDir()
	const memory = 8_000
	r := c.open(t, Options{Dir: dir, Memory: memory}, s)
	head := must.Get(r.Latest(t.Context(), nil))(t)
	state := r.State(head)
	for range 2 {
		for i := range 300 {
			word, err := state.Storage(t.Context(), contract, slot(i))
			must.That(t, err == nil && word == slot(i+1), "slot %d: %v, %v", i, word, err)
			must.That(t, r.store.size <= memory, "%d bytes are held", r.store.size)
		}
	}
	for range 3 {
		must.Do(t, r.Keep(t.Context(), head))
	}
	must.Do(t, r.Close())
	files, err := filepath.Glob(filepath.Join(dir, "*", proofName))
	must.That(t, err == nil && len(files) == 1, "%v %v", files, err)
	content, err := os.ReadFile(files[0])
	expect.That(t, err == nil && strings.Count(string(content), `"version"`) == 1,
		"the file has %d proofs, %v", strings.Count(string(content), `"version"`), err)
	again := c.open(t, Options{Dir: dir, Memory: memory}, s)
	n, known := again.Newest()
	expect.That(t, known && n == head.Number.Uint64(), "the next start knows block %d, %v", n, known)
}

// A chain of sealed blocks that does not continue a proven block is a conflict.
//
// spec: wbft 7.5
func TestAnotherBranchIsAConflict(t *testing.T) {
	c := newTestChain(t)
	r := c.open(t, Options{Dir: t.TempDir()}, newServer(t, c))
	head := must.Get(r.Latest(t.Context(), nil))(t)
	must.Do(t, r.Continues(t.Context(), c.headers[18], head))
	other := types.CopyHeader(c.headers[18])
	other.GasUsed = 5
	expect.Error(t, r.Continues(t.Context(), other, head), ErrConflict, "another block 18")
}

// Blocks that hashes prove are proven again where their seals count.
//
// spec: wbft 7.1
func TestSealsOfLinkedBlocksAreVerified(t *testing.T) {
	c := newTestChain(t)
	forged := *c
	forged.headers = append([]*types.Header{}, c.headers...)
	extra := must.Get(c.headers[20].WBFTExtra())(t)
	extra.CommittedSeal.Signature = make([]byte, len(extra.CommittedSeal.Signature))
	forged.headers[20] = types.CopyHeader(c.headers[20])
	forged.headers[20].Extra = extra.Encode()
	must.That(t, forged.headers[20].Hash() == c.headers[20].Hash() && forged.headers[20].Number.Cmp(big.NewInt(20)) == 0,
		"the hash covers the seals")
	liar := newServer(t, &forged)
	r := c.open(t, Options{}, liar)
	must.Get(r.Header(t.Context(), 21))(t)
	expect.Error(t, expect.Err(r.Header(t.Context(), 20)), nil, "the hash of block 20 is proven")
	expect.Refused(t, expect.Err(r.Sealed(t.Context(), 20)), "block 20 has no seals")
}

// An endpoint that never shows the newest block that it names is asked seldom, and one whose answers prove nothing is
// named. A proof ends the rest.
func TestUselessEndpointsRest(t *testing.T) {
	c := newTestChain(t)
	liar, honest := newServer(t, c), newServer(t, c)
	liar.lie = func(method string, answer any) any {
		if method == "eth_blockNumber" {
			return "0x99"
		}
		return nil
	}
	liar.proofs = false
	r := c.open(t, Options{}, liar, honest)
	p := r.nodes.list[0]
	var lines strings.Builder
	expect.Log(t, log.NewTerminalHandler(&lines, false))
	for round := range 12 {
		p.until = time.Time{}
		for range 2 {
			head, err := r.Latest(t.Context(), c.headers[2])
			must.That(t, err == nil && head.Hash() == c.last().Hash(), "%v, %v", head, err)
		}
		if asked := liar.asked["eth_blockNumber"]; asked != round+1 || !r.nodes.resting(p) || p.bad != nil {
			t.Errorf("round %d: asked %d times, %v", round, asked, p.bad)
		}
	}
	expect.Equal(t, p.rest, maxRest, "rests for")
	expect.Equal(t, strings.Count(lines.String(), "Endpoint rests"), 1, "lines of the log")
	p.read.Add(maxUseless + 1)
	r.nodes.failed(p, errNothing)
	expect.That(t, p.rest == longRest && r.nodes.resting(p), "after a flood it rests for %v", p.rest)
	r.nodes.proved(p)
	expect.That(t, !r.nodes.resting(p), "it rests after a proof")
}

// What an endpoint says of the trusted block, or of the place of a transaction, ends no reader: another endpoint is
// asked.
func TestUnprovenWordsEndNoReader(t *testing.T) {
	c := newTestChain(t)
	forged := *c
	forged.headers = slices.Clone(c.headers)
	for n, h := range c.headers {
		forged.headers[n] = types.CopyHeader(h)
		forged.headers[n].Time = 1
	}
	for _, first := range []uint64{0, 12} {
		liar, honest := newServer(t, c), newServer(t, c)
		liar.proofs, honest.proofs = false, true
		r := c.open(t, Options{}, liar, honest)
		must.Get(r.Header(t.Context(), first))(t)
		liar.chain, r.nodes.primary = &forged, 0
		h, err := r.Header(t.Context(), 20)
		expect.That(t, err == nil && h.Hash() == c.headers[20].Hash(), "block 20 after block %d: %v", first, err)
		expect.Error(t, NewTip(r).Advance(t.Context()), nil, "the newest block after block %d", first)
	}

	tx := c.block().Transactions()[0]
	liar, honest := newServer(t, c), newServer(t, c)
	trusted := finality.Trusted{Number: 8, Hash: c.headers[8].Hash()}
	liar.lie = func(asked string, answer any) any {
		if asked == "eth_getTransactionByHash" {
			answer.(map[string]any)["blockNumber"] = "0x2"
		}
		return answer
	}
	for range 3 {
		l, err := c.open(t, Options{Trusted: &trusted}, liar, honest).Transaction(t.Context(), tx.Hash())
		expect.That(t, err == nil && l != nil, "found %v, error %v", l != nil, err)
	}
	_, err := c.open(t, Options{Trusted: &trusted}, liar).Transaction(t.Context(), tx.Hash())
	expect.Error(t, err, finality.ErrOlder, "a transaction of an older block")
}
