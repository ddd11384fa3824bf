// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rpc"
)

// Bounds of the events that wait for a reader of the RPC. Their weight is that of what is sent for them: transactions,
// receipts, logs and units of logBytes of their data, and one for each event.
const (
	maxRelayed = 1 << 17
	logBytes   = 1024
)

// relayDropped counts events that a reader of the RPC did not take in time.
var relayDropped = metrics.NewRegisteredCounter("eth/relay/dropped", nil)

// relay subscribes to a feed, and passes its events on to a reader through a buffer. The feed never waits for the
// reader: an event above the bound is dropped and counted.
func relay[T any](subscribe func(chan<- T) event.Subscription, reader chan<- T, most int,
	weight func(T) int) event.Subscription {
	events := make(chan T, 16)
	feed := subscribe(events)
	return event.NewSubscription(func(quit <-chan struct{}) error {
		if feed == nil { // the chain has been stopped
			return nil
		}
		defer feed.Unsubscribe()
		var (
			queue []T
			held  int
		)
		for {
			var (
				out  chan<- T
				next T
			)
			if len(queue) > 0 {
				out, next = reader, queue[0]
			}
			select {
			case e := <-events:
				w := 1 + weight(e)
				if len(queue) > 0 && held+w > most {
					relayDropped.Inc(1)
					continue
				}
				queue, held = append(queue, e), held+w
			case out <- next:
				var none T
				queue[0] = none
				queue, held = queue[1:], held-1-weight(next)
			case err := <-feed.Err():
				return err
			case <-quit:
				return nil
			}
		}
	})
}

func weightOfBlock(e core.ChainEvent) int { return len(e.Transactions) + weightOfReceipts(e.Receipts) }

func weightOfReceipts(receipts []*types.Receipt) (weight int) {
	for _, r := range receipts {
		weight += 1 + weightOfLogs(r.Logs)
	}
	return weight
}

func weightOfLogs(logs []*types.Log) (weight int) {
	for _, l := range logs {
		weight += 1 + len(l.Data)/logBytes
	}
	return weight
}

func weightOfRemoved(e core.RemovedLogsEvent) int { return weightOfLogs(e.Logs) }

func weightOfTransactions(e core.NewTxsEvent) (weight int) {
	for _, tx := range e.Txs {
		weight += 1 + int(tx.Size()/logBytes)
	}
	return weight
}

func weightless[T any](T) int { return 0 }

// canceledWith ends an execution with the context of its call, which takes turns with others.
func canceledWith(ctx context.Context, evm *vm.EVM) *vm.EVM {
	context.AfterFunc(ctx, evm.Cancel)
	evm.TakeTurns(rpc.PauseOf(ctx))
	return evm
}

// executable subscribes to the transactions that become executable, also again after a reorganization.
func (s *Ethereum) executable(ch chan<- core.NewTxsEvent) event.Subscription {
	return s.txPool.SubscribeTransactions(ch, true)
}
