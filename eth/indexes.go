// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/metrics"
)

// Names of the indexes.
const (
	logIndex    = "logs"
	senderIndex = "sender hashes"
)

var indexGauges = map[string][2]*metrics.Gauge{
	logIndex: {
		metrics.NewRegisteredGauge("gwon/index/logs/first", nil), metrics.NewRegisteredGauge("gwon/index/logs/after", nil),
	},
	senderIndex: {
		metrics.NewRegisteredGauge("gwon/index/senders/first", nil),
		metrics.NewRegisteredGauge("gwon/index/senders/after", nil),
	},
}

// Index is how far an index of the chain is. It has the blocks from First on, and none from After on.
type Index struct {
	Name  string `json:"name"`
	First uint64 `json:"first"`
	After uint64 `json:"after"`
	Head  uint64 `json:"head"` // newest block of the chain
}

// String returns the range in words.
func (i Index) String() string {
	if i.First >= i.After {
		return fmt.Sprintf("no block of 0 to %d", i.Head)
	}
	return fmt.Sprintf("blocks %d to %d of 0 to %d", i.First, i.After-1, i.Head)
}

// Indexes returns the indexes that are kept.
func (s *Service) Indexes() []Index {
	head := s.chain.CurrentBlock().Number.Uint64()
	var list []Index
	if blocks, ok := s.ethereum.LogIndex(); ok {
		list = append(list, Index{Name: logIndex, First: blocks.First(), After: blocks.AfterLast(), Head: head})
	}
	first, after := s.senders.Indexed()
	return append(list, Index{Name: senderIndex, First: first, After: after, Head: head})
}

// watchIndexes updates the metrics of the indexes until ctx ends.
func (s *Service) watchIndexes(ctx context.Context) {
	ticker := time.Tick(5 * time.Second)
	for {
		for _, index := range s.Indexes() {
			gauges := indexGauges[index.Name]
			gauges[0].Update(int64(index.First))
			gauges[1].Update(int64(index.After))
		}
		select {
		case <-ticker:
		case <-ctx.Done():
			return
		}
	}
}
