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
	return relayWhen(subscribe, reader, most, weight, nil, func(T) bool { return true })
}

// relayFinal is relay for a feed of blocks. On an Anzeon chain a block is final once it is on disk, which is after the
// feed has sent it and before the event of the head. The reader hears of it then, so that all tags name it.
func relayFinal[T any](s *Ethereum, subscribe func(*core.BlockChain, chan<- T) event.Subscription, reader chan<- T,
	weight func(T) int, number func(T) uint64) event.Subscription {
	bc := s.blockchain
	isFinal := func(e T) bool {
		final := bc.CurrentFinalBlock()
		return !bc.Config().IsAnzeon() || final != nil && final.Number.Uint64() >= number(e)
	}
	feed := func(ch chan<- T) event.Subscription { return subscribe(bc, ch) }
	return relayWhen(feed, reader, maxRelayed, weight, bc.SubscribeChainHeadEvent, isFinal)
}

// relayWhen is relay for events that wait until they are ready, which a feed of heads can change. A buffer that is half
// full passes them on without: a node that is far behind has many blocks before the next head.
func relayWhen[T any](subscribe func(chan<- T) event.Subscription, reader chan<- T, most int, weight func(T) int,
	follow func(chan<- core.ChainHeadEvent) event.Subscription, ready func(T) bool) event.Subscription {
	events, heads := make(chan T, 16), make(chan core.ChainHeadEvent, 16)
	feed := subscribe(events)
	return event.NewSubscription(func(quit <-chan struct{}) error {
		if feed == nil { // the chain has been stopped
			return nil
		}
		defer feed.Unsubscribe()
		if follow != nil {
			if wake := follow(heads); wake != nil {
				defer wake.Unsubscribe()
			}
		}
		var (
			queue []T
			held  int
		)
		for {
			var (
				out  chan<- T
				next T
			)
			if len(queue) > 0 && (held > most/2 || ready(queue[0])) {
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
			case <-heads: // some events may be ready
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

func numberOfBlock(e core.ChainEvent) uint64 { return e.Header.Number.Uint64() }

func numberOfLogs(logs []*types.Log) uint64 { return logs[0].BlockNumber } // none are never sent

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
