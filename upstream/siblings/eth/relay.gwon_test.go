// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A feed never waits for a reader that reads nothing: what is above the bound is dropped and counted, and what the
// reader takes later is in order. Other readers get everything.
func TestFeedNeverWaitsForReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, sent = 10, 1000
		var feed event.FeedOf[int]
		stalled, honest := make(chan int), make(chan int)
		stalledSub := relay(feed.Subscribe, stalled, most, weightless)
		honestSub := relay(feed.Subscribe, honest, most, weightless)
		dropped, got := relayDropped.Snapshot().Count(), 0
		for i := range sent {
			feed.Send(i) // in a bubble: a send that waits for the stalled reader is a deadlock, which fails
			if <-honest == i {
				got++
			}
		}
		synctest.Wait()
		assert.Truef(t, got == sent, "the honest reader got %d of %d events", got, sent)
		assert.EqualValues(t, sent-most, relayDropped.Snapshot().Count()-dropped, "dropped events")
		for i := range most {
			require.Equal(t, i, <-stalled, "event")
		}
		stalledSub.Unsubscribe()
		honestSub.Unsubscribe()
		assert.Equal(t, 0, feed.Send(0), "readers are left")
	})
}

// A reader hears of a block when it is final, and of what waits for too many blocks without.
func TestReaderHearsOfFinalBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var feed event.FeedOf[int]
		var heads event.FeedOf[core.ChainHeadEvent]
		final, reader := 0, make(chan int, 10)
		sub := relayWhen(feed.Subscribe, reader, 10, weightless, heads.Subscribe, func(n int) bool { return n <= final })
		raise := func(n int) {
			final = n
			heads.Send(core.ChainHeadEvent{})
			synctest.Wait()
		}
		for n := range 3 {
			feed.Send(n + 1)
		}
		synctest.Wait()
		for _, row := range []struct{ final, heard int }{{0, 0}, {1, 1}, {1, 1}, {3, 3}} {
			raise(row.final)
			assert.Equalf(t, row.heard, len(reader), "blocks that the reader has heard of, of %d final ones", row.final)
		}
		for n := range 6 {
			feed.Send(n + 4)
		}
		synctest.Wait()
		assert.Truef(t, len(reader) == 4,
			"the reader has heard of %d blocks, want the 3 final ones and 1 above half of the bound", len(reader))
		sub.Unsubscribe()
		assert.Equal(t, 0, feed.Send(0)+heads.Send(core.ChainHeadEvent{}), "subscriptions are left")
	})
}

// The end of a feed is passed on, and a large event passes an empty buffer.
func TestRelayEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var feed event.FeedOf[core.ChainEvent]
		failed, end := errors.New("the chain has stopped"), make(chan struct{})
		reader := make(chan core.ChainEvent)
		sub := relay(func(ch chan<- core.ChainEvent) event.Subscription {
			inner := feed.Subscribe(ch)
			return event.NewSubscription(func(quit <-chan struct{}) error {
				defer inner.Unsubscribe()
				select {
				case <-end:
					return failed
				case <-quit:
					return nil
				}
			})
		}, reader, 10, weightOfBlock)
		feed.Send(core.ChainEvent{Transactions: make([]*types.Transaction, 1000)})
		e := <-reader
		assert.Equal(t, 1000, len(e.Transactions), "transactions")
		close(end)
		assert.ErrorIs(t, <-sub.Err(), failed, "end of the subscription")
	})
}

// A subscription to a chain that has been stopped ends at once.
func TestRelayOfStoppedChain(t *testing.T) {
	sub := relay(func(chan<- int) event.Subscription { return nil }, make(chan int), 1, weightless)
	err, open := <-sub.Err()
	assert.Truef(t, err == nil && !open, "the subscription goes on: %v", err)
}

// The weight of an event grows with what is sent for it.
func TestWeights(t *testing.T) {
	logs := []*types.Log{{Data: make([]byte, 10*logBytes)}, {}}
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"logs", weightOfLogs(logs), 12},
		{"removed logs", weightOfRemoved(core.RemovedLogsEvent{Logs: logs}), 12},
		{"block", weightOfBlock(core.ChainEvent{
			Transactions: make([]*types.Transaction, 3), Receipts: []*types.Receipt{{Logs: logs}},
		}), 3 + 1 + 12},
		{"transactions", weightOfTransactions(core.NewTxsEvent{Txs: []*types.Transaction{
			types.NewTx(&types.LegacyTx{Data: make([]byte, 5*logBytes)}),
		}}), 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, c.got, "weight")
		})
	}
}

// An execution ends with the context of its call, however much gas it has.
func TestExecutionEndsWithItsCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	must.Do(t, err)
	address := common.HexToAddress("0x10c0")
	db.SetCode(address, []byte{0x5b, 0x5f, 0x56}, tracing.CodeChangeUnspecified) // jumps to itself
	random := common.Hash{1}
	block := vm.BlockContext{
		CanTransfer: core.CanTransfer, Transfer: core.Transfer, BlockNumber: new(big.Int), Difficulty: new(big.Int),
		BaseFee: new(big.Int), Random: &random,
	}
	evm := canceledWith(ctx, vm.NewEVM(block, db, params.MergedTestChainConfig, vm.Config{}))
	defer evm.Release()
	time.AfterFunc(time.Millisecond, cancel)
	_, _, err = evm.Call(common.Address{}, address, nil, vm.NewGasBudget(math.MaxUint64, math.MaxUint64), new(uint256.Int))
	assert.Truef(t, evm.Cancelled(), "the execution ended by itself: %v", err)
}
