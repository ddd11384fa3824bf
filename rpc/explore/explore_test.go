// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door/calls"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/testchain"
)

type object = map[string]any

// The trace of each transaction, with its fee payer, comes by number and by hash.
// spec: rpc 4.4
func TestDebugTraces(t *testing.T) {
	c := startChain(t, wide())
	config := object{"tracer": "callTracer"}
	var byNumber, byHash []struct {
		TxHash common.Hash
		Result struct {
			Type, Error string
			FeePayer    common.Address
			Output      hexutil.Bytes
		}
	}
	c.must(t, &byNumber, "debug_traceBlockByNumber", hexutil.Uint(blockDelegated), config)
	c.must(t, &byHash, "debug_traceBlockByHash", c.blocks[blockDelegated-1].Hash(), config)
	must.That(t, reflect.DeepEqual(byNumber, byHash) && len(byNumber) == 1, "by number %+v, by hash %+v", byNumber, byHash)
	if got := byNumber[0]; got.TxHash != c.tx(blockDelegated, 0) || got.Result.FeePayer != payer {
		t.Errorf("trace %+v, want one paid by %v", got, payer)
	}
	failed := byNumber[0].Result
	c.must(t, &failed, "debug_traceTransaction", c.tx(blockFail, 0), config)
	expect.That(t, failed.Error == "execution reverted" && failed.Output.String() == "0xdeadbeef",
		"trace of a failed call %+v", failed)
	c.must(t, &failed, "debug_traceCall", object{"from": alice, "to": c.contract, "input": "0x00"}, "latest", config)
	expect.Equal(t, failed.Output.String(), "0xdeadbeef", "trace of a call %+v", failed)
	var steps struct{ StructLogs []json.RawMessage }
	c.must(t, &steps, "debug_traceTransaction", c.tx(blockForward, 0))
	expect.That(t, len(steps.StructLogs) != 0, "no steps without a tracer")
}

// A call is traced on the state that it names: after a block, before a transaction, and with what it overrides.
func TestTraceCallState(t *testing.T) {
	c := startChain(t, wide())
	query := object{"to": c.contract}
	var frame struct{ Output hexutil.Bytes }
	number := "0x4360005260206000f3" // returns the number of the block
	for _, test := range []struct {
		name    string
		at      any
		options object
		want    uint64
	}{
		{"block", hexutil.Uint(3), object{}, 3},
		{"next block", hexutil.Uint(3), object{"blockOverrides": object{"number": "0x4"}}, 4},
		{"within a block", hexutil.Uint(blockMany), object{"txIndex": "0x1"}, blockMany},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options["tracer"] = "callTracer"
			test.options["stateOverrides"] = object{c.contract.Hex(): object{"code": number}}
			c.must(t, &frame, "debug_traceCall", query, test.at, test.options)
			expect.Equal(t, common.BytesToHash(frame.Output).Big().Uint64(), test.want, "block")
		})
	}
}

// flat is a frame in the form of Parity.
type flat struct {
	Action struct {
		From, To common.Address
		CallType string
		Value    *hexutil.Big
	}
	Result              *struct{ Address common.Address }
	Error, Type         string
	BlockNumber         uint64
	TransactionHash     common.Hash
	TransactionPosition int
	TraceAddress        []int
}

func TestParityTraces(t *testing.T) {
	c := startChain(t, wide())
	var block, transaction []flat
	c.must(t, &block, "trace_block", hexutil.Uint(blockCreate))
	c.must(t, &transaction, "trace_transaction", c.tx(blockCreate, 0))
	must.That(t, reflect.DeepEqual(block, transaction) && len(block) == 2,
		"block %+v, transaction %+v", block, transaction)
	if inner := block[1]; inner.Type != "create" || inner.Result.Address != c.child || inner.BlockNumber != blockCreate {
		t.Errorf("frame %+v, want the creation of %v", inner, c.child)
	}
	c.must(t, &transaction, "trace_transaction", c.tx(blockFail, 0))
	expect.Equal(t, transaction[0].Error, "Reverted", "error")
	for name, call := range map[string][]any{
		"no block": {"trace_block", hexutil.Uint(99)}, "no transaction": {"trace_transaction", common.Hash{1}},
	} {
		t.Run(name, func(t *testing.T) {
			var answer json.RawMessage
			c.must(t, &answer, call[0].(string), call[1])
			expect.That(t, string(answer) == "null", "%s, want null", answer)
		})
	}
}

func TestTraceFilter(t *testing.T) {
	c := startChain(t, wide())
	all := object{"fromBlock": "0x0", "toBlock": "latest"}
	for _, test := range []struct {
		name   string
		filter object
		want   []int // blocks of the frames
	}{
		{"all", object{}, []int{1, 2, 2, 3, 3, 4, 5, 6, 6, 6, 6}},
		{"from", object{"fromAddress": []any{c.contract}}, []int{2, 3}},
		{"to", object{"toAddress": []any{c.contract}}, []int{1, 2, 3, 4}},
		{"one of both", object{"fromAddress": []any{c.contract}, "toAddress": []any{alice}}, []int{2, 3, 5}},
		{"both", object{"fromAddress": []any{alice}, "toAddress": []any{beef}, "mode": "intersection"}, []int{6, 6, 6, 6}},
		{"page", object{"after": 3, "count": 2}, []int{3, 3}},
		{"none", object{"toAddress": []any{payer}}, []int{}},
		{"range", object{"fromBlock": 4, "toBlock": "0x5"}, []int{4, 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			filter := object{}
			for _, part := range []object{all, test.filter} {
				for key, value := range part {
					filter[key] = value
				}
			}
			var frames []flat
			c.must(t, &frames, "trace_filter", filter)
			got := []int{}
			for _, f := range frames {
				got = append(got, int(f.BlockNumber))
			}
			expect.Slice(t, got, test.want, "frames of blocks")
		})
	}
}

// Otterscan sees calls, movements within a transaction, and what a failed one returned.
func TestOtterscanTransaction(t *testing.T) {
	c := startChain(t, wide())
	var level int
	c.must(t, &level, "ots_getApiLevel")
	expect.That(t, level == 8, "level %d", level)
	for _, test := range []struct {
		name       string
		tx         common.Hash
		frames     string // type, depth, value and output of each
		operations string // type, from, to and value of each
		failure    string
	}{
		{"forward", c.tx(blockForward, 0), "CALL 0 0x7 0x; CALL 1 0x7 0x; ",
			fmt.Sprintf("0 %v %v 0x7; ", c.contract, beef), "0x"},
		{"creation within", c.tx(blockCreate, 0), "CALL 0 0x0 0x; CREATE 1 0x0 0x01; ",
			fmt.Sprintf("2 %v %v 0x0; ", c.contract, c.child), "0x"},
		{"failed", c.tx(blockFail, 0), "CALL 0 0x0 0xdeadbeef; ", "", "0xdeadbeef"},
		{"delegated", c.tx(blockDelegated, 0), "CALL 0 0x5 0x; ", "", "0x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls []struct {
				Type, Value, Output string
				Depth               int
			}
			c.must(t, &calls, "ots_traceTransaction", test.tx)
			var got strings.Builder
			for _, f := range calls {
				fmt.Fprintf(&got, "%s %d %s %s; ", f.Type, f.Depth, f.Value, f.Output)
			}
			expect.Equal(t, got.String(), test.frames, "frames")
			var operations []struct {
				Type     int
				From, To common.Address
				Value    string
			}
			c.must(t, &operations, "ots_getInternalOperations", test.tx)
			got.Reset()
			for _, o := range operations {
				fmt.Fprintf(&got, "%d %v %v %s; ", o.Type, o.From, o.To, o.Value)
			}
			expect.Equal(t, got.String(), test.operations, "operations")
			var failure string
			c.must(t, &failure, "ots_getTransactionError", test.tx)
			expect.That(t, failure == test.failure, "error %s, want %s", failure, test.failure)
		})
	}
}

// A block comes without its transactions, and in pages from its end, with the fee payer and the effective price.
// spec: transactions 1.3, 3.5
func TestOtterscanBlock(t *testing.T) {
	c := startChain(t, wide())
	var details struct {
		Block     object
		Issuance  object
		TotalFees *hexutil.Big
	}
	c.must(t, &details, "ots_getBlockDetails", blockMany) // Otterscan sends numbers
	block := details.Block
	expect.That(t, block["transactionCount"] == 4.0 && block["logsBloom"] == nil && block["transactions"] == nil,
		"block %v", block)
	price := c.service.BlockChain().GetReceiptsByHash(c.blocks[blockMany-1].Hash())[0].EffectiveGasPrice
	expect.Equal(t, details.TotalFees.ToInt().Uint64(), price.Uint64()*4*21_000, "fees")
	var byHash json.RawMessage
	c.must(t, &byHash, "ots_getBlockDetailsByHash", common.Hash{1})
	expect.That(t, string(byHash) == "null", "an unknown block: %s", byHash)
	type row struct {
		Hash, FeePayer, Type, Input, GasPrice, TransactionHash, EffectiveGasPrice string
		Logs                                                                      []any
	}
	var page struct {
		FullBlock struct{ Transactions []row }
		Receipts  []row
	}
	for _, test := range []struct{ page, from, to int }{{0, 1, 4}, {1, 0, 1}, {2, 0, 0}, {1 << 40, 0, 0}} {
		t.Run(fmt.Sprint("page ", test.page), func(t *testing.T) {
			c.must(t, &page, "ots_getBlockTransactions", blockMany, test.page, 3)
			got, want := []string{}, []string{}
			for i := range page.FullBlock.Transactions {
				got = append(got, page.Receipts[i].TransactionHash)
			}
			for i := test.from; i < test.to; i++ {
				want = append(want, c.tx(blockMany, i).Hex())
			}
			expect.Slice(t, got, want, "transactions")
		})
	}
	c.must(t, &page, "ots_getBlockTransactions", blockDelegated, 0, 3)
	tx, receipt := page.FullBlock.Transactions[0], page.Receipts[0]
	expect.That(t, tx.Type == "0x16" && common.HexToAddress(tx.FeePayer) == payer &&
		common.HexToAddress(receipt.FeePayer) == payer && tx.GasPrice == receipt.EffectiveGasPrice && receipt.Logs == nil,
		"delegated transaction %+v, receipt %+v", tx, receipt)
	c.must(t, &page, "ots_getBlockTransactions", blockDeploy, 0, 3)
	expect.Equal(t, len(page.FullBlock.Transactions[0].Input), 10, "input")
	var header object
	c.must(t, &header, "erigon_getHeaderByNumber", 0)
	expect.That(t, header["number"] == "0x0", "header %v", header)
}

// Transactions of an address are those that it sent, those that moved coins from it or to it, and for a contract the
// one that created it.
// spec: chain 5
func TestSearch(t *testing.T) {
	c := startChain(t, wide())
	type answer struct {
		Txs                 []struct{ Hash common.Hash }
		Receipts            []struct{ Timestamp uint64 }
		FirstPage, LastPage bool
	}
	for _, test := range []struct {
		name        string
		address     common.Address
		block, size int
		down        bool
		want        []int // blocks
		first, last bool
	}{
		{"newest", alice, 0, 3, true, []int{6, 6, 6, 6}, true, false},
		{"older", alice, 6, 2, true, []int{5, 4}, false, false},
		{"oldest", alice, 4, 10, true, []int{3, 2, 1}, false, true},
		{"below the first", alice, 1, 10, true, nil, false, true},
		{"all", alice, 0, 100, true, []int{6, 6, 6, 6, 5, 4, 3, 2, 1}, true, true},
		{"from the begin", alice, 0, 2, false, []int{2, 1}, false, true},
		{"newer", alice, 2, 3, false, []int{5, 4, 3}, false, false},
		{"whole blocks", alice, 5, 1, false, []int{6, 6, 6, 6}, true, false},
		{"up to the head", alice, 5, 10, false, []int{6, 6, 6, 6}, true, false},
		{"above the head", alice, 1000, 10, false, nil, true, false},
		{"contract", c.contract, 0, 10, true, []int{2, 1}, true, true},
		{"created within", c.child, 0, 10, true, []int{3}, true, true},
		{"receiver", beef, 0, 10, true, []int{6, 6, 6, 6, 2}, true, true},
		{"delegated sender", bob, 0, 10, true, []int{5}, true, true},
		{"stranger", common.Address{9}, 0, 10, true, nil, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			method := "ots_searchTransactionsAfter"
			if test.down {
				method = "ots_searchTransactionsBefore"
			}
			var page answer
			c.must(t, &page, method, test.address, test.block, test.size)
			got, index := []common.Hash{}, make(map[int]int)
			for _, tx := range page.Txs {
				got = append(got, tx.Hash)
			}
			want := []common.Hash{}
			for _, block := range test.want {
				index[block]++
				want = append(want, c.tx(block, len(c.blocks[block-1].Transactions())-index[block]))
			}
			expect.That(t, slices.Equal(got, want), "transactions %v, want those of blocks %v", got, test.want)
			expect.That(t, page.FirstPage == test.first && page.LastPage == test.last,
				"first page %v, last page %v", page.FirstPage, page.LastPage)
			for i, block := range test.want {
				expect.That(t, page.Receipts[i].Timestamp == c.blocks[block-1].Time(),
					"time %d of a transaction in block %d", page.Receipts[i].Timestamp, block)
			}
		})
	}
}

// Pages in both directions have each transaction of an address once, also when one query would find too many logs.
func TestSearchPages(t *testing.T) {
	const length = 300 // more than one window
	_, blocks, _ := gethcore.GenerateChainWithGenesis(testGenesis(), testchain.NewEngine(), length,
		func(i int, b *gethcore.BlockGen) { b.AddTx(signed(t, 1, call(uint64(i), &beef, 1, nil))) })
	for _, test := range []struct {
		name       string
		bytes      int
		size, most int
	}{
		{"large pages", DefaultBounds().Size, 100, length},
		{"too many logs", 30_000, 9, 27},
	} {
		bounds := wide()
		bounds.Size = test.bytes
		c := &testChain{blocks: blocks}
		c.start(t, testGenesis(), bounds, archive)
		for _, address := range []common.Address{alice, beef} {
			t.Run(fmt.Sprint(test.name, " ", address), func(t *testing.T) {
				type answer struct {
					Txs                 []struct{ BlockNumber hexutil.Uint64 }
					FirstPage, LastPage bool
				}
				next := 0
				for want := length; want > length-test.most; {
					var page answer
					c.must(t, &page, "ots_searchTransactionsBefore", address, next, test.size)
					for _, tx := range page.Txs {
						next = int(tx.BlockNumber)
						must.That(t, next == want, "block %d, want %d", next, want)
						want--
					}
					must.That(t, len(page.Txs) != 0 && page.LastPage == (want == 0),
						"%d transactions below block %d, last page %v", len(page.Txs), want, page.LastPage)
				}
				next = 0
				for want := 1; want < test.most; want += test.size {
					var page answer
					c.must(t, &page, "ots_searchTransactionsAfter", address, next, test.size)
					must.That(t, len(page.Txs) == test.size && page.FirstPage == (want+test.size > length),
						"%d transactions above block %d, first page %v", len(page.Txs), next, page.FirstPage)
					for i, tx := range page.Txs {
						must.Equal(t, int(tx.BlockNumber), want+test.size-1-i, "block")
					}
					next = int(page.Txs[0].BlockNumber)
				}
			})
		}
	}
}

func TestOtterscanHistory(t *testing.T) {
	c := startChain(t, wide())
	for _, test := range []struct {
		name   string
		method string
		args   []any
		want   string
	}{
		{"first", "ots_getTransactionBySenderAndNonce", []any{alice, 0}, quoted(c.tx(blockDeploy, 0))},
		{"one of many", "ots_getTransactionBySenderAndNonce", []any{alice, "0x6"}, quoted(c.tx(blockMany, 2))},
		{"delegated", "ots_getTransactionBySenderAndNonce", []any{bob, 0}, quoted(c.tx(blockDelegated, 0))},
		{"not used", "ots_getTransactionBySenderAndNonce", []any{alice, 8}, "null"},
		{"of a contract", "ots_getTransactionBySenderAndNonce", []any{c.contract, 1}, "null"},
		{"creator", "ots_getContractCreator", []any{c.contract},
			fmt.Sprintf(`{"hash":%s,"creator":%s}`, quoted(c.tx(blockDeploy, 0)), quoted(alice))},
		{"creator that is a contract", "ots_getContractCreator", []any{c.child},
			fmt.Sprintf(`{"hash":%s,"creator":%s}`, quoted(c.tx(blockCreate, 0)), quoted(c.contract))},
		{"of genesis", "ots_getContractCreator", []any{adapter}, "null"},
		{"no contract", "ots_getContractCreator", []any{alice}, "null"},
		{"code", "ots_hasCode", []any{c.contract, "latest"}, "true"},
		{"no code yet", "ots_hasCode", []any{c.contract, 0}, "false"},
		{"no code", "ots_hasCode", []any{alice, hexutil.Uint(3)}, "false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got json.RawMessage
			c.must(t, &got, test.method, test.args...)
			expect.That(t, string(got) == test.want, "%s, want %s", got, test.want)
		})
	}
}

func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// What exceeds a bound is refused with its reason.
// spec: rpc 2.5, 9.6
func TestBounds(t *testing.T) {
	bounds := wide()
	bounds.Blocks, bounds.Traces, bounds.Page, bounds.Gas = 10, 5, 3, 250_000
	c := startChain(t, bounds)
	for _, test := range []struct {
		name   string
		method string
		args   []any
		code   int
		reason string
	}{
		{"tracer in JavaScript", "debug_traceTransaction", []any{c.tx(2, 0), object{"tracer": "{step: function() {}}"}},
			-32602, "tracer"},
		{"another tracer", "debug_traceBlockByNumber", []any{"0x2", object{"tracer": "muxTracer"}}, -32602, "tracer"},
		{"configuration of a tracer", "debug_traceBlockByNumber",
			[]any{"0x2", object{"tracer": "callTracer", "tracerConfig": 5}}, -32602, "tracer"},
		{"timeout", "debug_traceBlockByNumber", []any{"0x2", object{"timeout": "soon"}}, -32602, "params"},
		{"overrides", "debug_traceCall", []any{object{}, "latest", object{"overrides": object{}}}, -32602, "params"},
		{"pending", "debug_traceCall", []any{object{}, "pending", object{}}, -32602, "params"},
		{"index", "debug_traceCall", []any{object{}, "0x2", object{"txIndex": "0x1"}}, -32602, "params"},
		{"genesis", "debug_traceBlockByNumber", []any{"0x0"}, -32602, "params"},
		{"blocks", "trace_filter", []any{object{"fromBlock": "0x1", "toBlock": "0xb"}}, -32005, "blocks"},
		{"order", "trace_filter", []any{object{"fromBlock": "0x3", "toBlock": "0x2"}}, -32602, "blocks"},
		{"count", "trace_filter", []any{object{"count": 6}}, -32602, "traces"},
		{"mode", "trace_filter", []any{object{"mode": "any"}}, -32602, "params"},
		{"matches", "trace_filter", []any{object{"fromBlock": "0x2", "toBlock": "0x5"}}, -32005, "traces"},
		{"gas", "trace_filter", []any{object{"fromBlock": "0x1", "toBlock": "0x9"}}, -32005, "gas"},
		{"page", "ots_searchTransactionsBefore", []any{alice, 0, 4}, -32602, "page"},
		{"no page", "ots_getBlockTransactions", []any{1, 0, 0}, -32602, "page"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := c.client.CallContext(context.Background(), nil, test.method, test.args...)
			refusedWith(t, err, test.code, test.reason)
		})
	}
}

// An answer ends where it would have more bytes than a call may get.
// spec: rpc 9.6
func TestSizes(t *testing.T) {
	bounds := wide()
	bounds.Size = 500
	c := startChain(t, bounds)
	withLogs := object{"tracer": "callTracer", "tracerConfig": object{"withLog": true}}
	for _, test := range []struct {
		name   string
		method string
		args   []any
	}{
		{"steps", "debug_traceTransaction", []any{c.tx(blockForward, 0)}},
		{"frames", "debug_traceBlockByNumber", []any{hexutil.Uint(blockMany), withLogs}},
		{"accounts", "debug_traceBlockByNumber", []any{hexutil.Uint(blockMany), object{"tracer": "prestateTracer"}}},
		{"calls", "ots_traceTransaction", []any{c.tx(blockDeploy, 0)}},
		{"rows", "ots_getBlockTransactions", []any{blockMany, 0, 3}},
		{"page", "ots_searchTransactionsBefore", []any{alice, 0, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			refusedWith(t, c.client.CallContext(context.Background(), nil, test.method, test.args...), -32003, "size")
		})
	}
}

func refusedWith(t *testing.T, err error, code int, reason string) {
	t.Helper()
	var refused gethrpc.DataError
	var coded gethrpc.Error
	must.That(t, errors.As(err, &refused) && errors.As(err, &coded), "%v is no refusal", err)
	data, _ := refused.ErrorData().(object)
	if coded.ErrorCode() != code || data["reason"] != reason {
		t.Errorf("code %d, reason %v (%v), want %d, %s", coded.ErrorCode(), data["reason"], err, code, reason)
	}
}

// A call that would run for ever pauses for others, and ends in time. spec: rpc 9.6
func TestTracesPauseAndEnd(t *testing.T) {
	bounds := wide()
	bounds.Time = 100 * time.Millisecond
	c := startChain(t, bounds)
	var pauses atomic.Int64
	gethrpc.SetDoor(&countingDoor{Door(calls.New(calls.Limits{})), &pauses})
	for _, config := range []object{
		{"tracer": "noopTracer"}, {"tracer": "callTracer", "timeout": "1ms"}, {"disableStack": true},
	} {
		endless := []any{object{"to": c.contract, "input": "0x000000"}, "latest", config}
		err := c.client.CallContext(context.Background(), nil, "debug_traceCall", endless...)
		if config["tracer"] != nil {
			refusedWith(t, err, -32002, "time")
		} else if err == nil {
			t.Error("a trace of endless steps was answered")
		}
		expect.That(t, pauses.Swap(0) != 0, "the trace does not pause")
	}
}

// countingDoor counts the pauses of calls.
type countingDoor struct {
	gethrpc.Door
	pauses *atomic.Int64
}

func (d *countingDoor) Begin(ctx context.Context, owner gethrpc.Owner, pauses bool) (gethrpc.Turn, error) {
	turn, err := d.Door.Begin(ctx, owner, pauses)
	return &countingTurn{turn, d.pauses}, err
}

type countingTurn struct {
	gethrpc.Turn
	pauses *atomic.Int64
}

func (t *countingTurn) Pause(ctx context.Context, long bool) error {
	t.pauses.Add(1)
	return t.Turn.Pause(ctx, long)
}

// Of debug the network has the bounded traces alone.
// spec: rpc 9.7
func TestGate(t *testing.T) {
	c := startChain(t, wide())
	for _, method := range []string{"debug_setHead", "debug_memStats", "debug_traceBadBlock", "debug_traceBlock",
		"debug_standardTraceBlockToFile", "debug_subscribe", "debug_getRawBlock", "admin_nodeInfo", "miner_start"} {
		t.Run(method, func(t *testing.T) {
			err := c.client.CallContext(context.Background(), nil, method)
			var coded gethrpc.Error
			expect.That(t, errors.As(err, &coded) && coded.ErrorCode() == -32601, "%v, want a method that does not exist", err)
		})
	}
}

// Traces and searches of old blocks work in an archive. A node without old states says so and names the cure.
func TestOldStates(t *testing.T) {
	const length, kept, old = 300, 128, 150 // what is older than 128 blocks is not executed again
	genesis := testGenesis()
	_, blocks, _ := gethcore.GenerateChainWithGenesis(genesis, testchain.NewEngine(), length,
		func(i int, b *gethcore.BlockGen) { b.AddTx(signed(t, 1, call(uint64(i), &beef, 1, nil))) })
	for _, test := range []struct {
		name   string
		states states
		from   uint64
	}{
		{"archive", archive, 0},
		{"pruned", states{rawdb.HashScheme, false}, length - kept + 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &testChain{blocks: blocks}
			c.start(t, genesis, wide(), test.states)
			must.Equal(t, MissingStates(c.service.APIBackend), test.from, "states begin at block")
			config := object{"tracer": "callTracer"}
			for method, args := range map[string][]any{
				"ots_hasCode": {alice, old}, "debug_traceBlockByNumber": {hexutil.Uint(old), config}, "trace_block": {old},
				"ots_getTransactionBySenderAndNonce": {alice, old - 1}, "ots_traceTransaction": {c.tx(old, 0)},
				"debug_traceCall":              {object{"to": beef}, hexutil.Uint(old), config},
				"ots_searchTransactionsBefore": {alice, old + 1, 2},
			} {
				err := c.client.CallContext(context.Background(), nil, method, args...)
				expect.That(t, test.from != 0 || err == nil, "%s: %v", method, err)
				if test.from != 0 && (err == nil || !strings.Contains(err.Error(), "--gcmode archive")) {
					t.Errorf("%s: %v, want the cure", method, err)
				}
			}
		})
	}
}
