// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"
)

// A search reads the first commonLayers rows of each of its conditions. Only values that thousands of logs of a map
// have longer rows. With at most fewPositions left, searching the blocks themselves is quicker than reading those rows.
const (
	commonLayers = 2
	fewPositions = 64 // of a map
)

// Synced is SyncLogIndex without waiting for the indexer, which may read or write maps for seconds. It returns the
// range that is indexed now, which is smaller while maps are written.
func (fm *FilterMapsMatcherBackend) Synced() SyncRange {
	f := fm.f
	f.indexLock.RLock()
	defer f.indexLock.RUnlock()
	f.matchersLock.Lock()
	defer f.matchersLock.Unlock()
	select {
	case <-f.disabledCh:
		return SyncRange{IndexedView: f.indexedView}
	default:
	}
	var indexed common.Range[uint64]
	if f.indexedRange.initialized {
		indexed = f.indexedRange.blocks
		if !f.indexedRange.headIndexed && !indexed.IsEmpty() {
			indexed.SetAfterLast(indexed.Last()) // the last one is indexed in part
		}
	}
	valid := fm.validBlocks.Intersection(indexed)
	fm.validBlocks = indexed
	return SyncRange{IndexedView: f.indexedView, ValidBlocks: valid, IndexedBlocks: indexed}
}

// condition is one part of a filter: a log matches if one of values is offset log values after its address.
type condition struct {
	offset uint64
	values matchAny
}

// MatchingBlocks returns the numbers of the blocks from first to last that may have logs matching a filter, ascending.
// As with GetPotentialMatches, some may have none, and the result is wrong if the index changes meanwhile. each runs a
// function for 0 to n-1, in any order. ErrMatchAll is the error for a filter without conditions.
func MatchingBlocks(
	ctx context.Context, backend MatcherBackend, first, last uint64,
	addresses []common.Address, topics [][]common.Hash, each func(n int, do func(i int) error) error,
) ([]uint64, error) {
	params := backend.GetParams()
	begin, err := backend.GetBlockLvPointer(ctx, first)
	if err != nil {
		return nil, fmt.Errorf("log index: position of block %d: %w", first, err)
	}
	end, err := backend.GetBlockLvPointer(ctx, last+1)
	if err != nil {
		return nil, fmt.Errorf("log index: position after block %d: %w", last, err)
	}
	conditions := conditionsOf(backend, addresses, topics)
	if len(conditions) == 0 {
		return nil, ErrMatchAll
	}
	if begin >= end {
		return nil, nil
	}
	// One read gives a row of all maps of a group.
	var groups [][]uint32
	for m := uint32(begin >> params.logValuesPerMap); m <= uint32((end-1)>>params.logValuesPerMap); m++ {
		if g := len(groups) - 1; g >= 0 && params.mapGroupIndex(groups[g][0]) == params.mapGroupIndex(m) {
			groups[g] = append(groups[g], m)
		} else {
			groups = append(groups, []uint32{m})
		}
	}
	found := make([][]uint64, len(groups))
	if err := each(len(groups), func(i int) (err error) {
		found[i], err = searchMaps(ctx, conditions, groups[i])
		return err
	}); err != nil {
		return nil, err
	}
	var blocks []uint64
	block, next := first, begin // next is where the block after block begins; the block before first is done
	for _, position := range slices.Concat(found...) {
		if position < begin || position >= end || position < next && len(blocks) > 0 {
			continue
		}
		// The last block that does not begin after the position.
		var failed error
		after := sort.Search(int(last-block), func(i int) bool {
			p, err := backend.GetBlockLvPointer(ctx, block+uint64(i)+1)
			if err != nil {
				failed = err
			}
			return p > position
		})
		if failed == nil {
			block += uint64(after)
			next, failed = backend.GetBlockLvPointer(ctx, block+1)
		}
		if failed != nil {
			return nil, fmt.Errorf("log index: block at position %d: %w", position, failed)
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// conditionsOf returns the conditions of a filter, the rarest ones first. Topic 0 comes late because it names the kind
// of event.
func conditionsOf(backend MatcherBackend, addresses []common.Address, topics [][]common.Hash) (list []condition) {
	for i := len(topics) - 1; i >= 0; i-- {
		if len(topics[i]) == 0 {
			continue
		}
		c := condition{offset: uint64(i) + 1}
		for _, topic := range topics[i] {
			c.values = append(c.values, &singleMatcher{backend: backend, value: topicValue(topic)})
		}
		list = append(list, c)
	}
	if len(addresses) > 0 {
		var c condition
		for _, address := range addresses {
			c.values = append(c.values, &singleMatcher{backend: backend, value: addressValue(address)})
		}
		list = append(list, c)
	}
	return list
}

// searchMaps returns the positions in some maps where logs matching all conditions may begin, ascending. It reads the
// rows of all conditions layer by layer: a rare value ends in the first layers, and later layers of frequent values are
// not read.
func searchMaps(ctx context.Context, conditions []condition, maps []uint32) ([]uint64, error) {
	var (
		instances = make([]matcherInstance, len(conditions))
		open      = make(map[uint32]int) // conditions that are left, by map
		positions = make(map[uint32][]uint64)
		done      = func(m uint32) {
			delete(open, m)
			for _, instance := range instances {
				instance.dropIndices([]uint32{m})
			}
		}
	)
	for i, c := range conditions {
		instances[i] = c.values.newInstance(maps)
	}
	for _, m := range maps {
		open[m] = len(conditions)
	}
	for layer := uint32(0); len(open) > 0; layer++ {
		if err := rpc.Pause(ctx); err != nil {
			return nil, err
		}
		for i, instance := range instances {
			results, err := instance.getMatchesForLayer(ctx, layer)
			if err != nil {
				return nil, fmt.Errorf("log index: %w", err)
			}
			for _, result := range results {
				m := result.mapIndex
				if open[m] == 0 {
					continue
				}
				before, some := positions[m]
				positions[m] = narrow(before, some, result.matches, conditions[i].offset)
				if open[m]--; open[m] == 0 || len(positions[m]) == 0 {
					done(m)
				}
			}
		}
		if layer+1 < commonLayers {
			continue
		}
		for _, m := range maps {
			if p, some := positions[m]; some && open[m] > 0 && len(p) <= fewPositions {
				done(m)
			}
		}
	}
	var all []uint64
	for _, m := range maps {
		all = append(all, positions[m]...)
	}
	return all, nil
}

// narrow returns the positions that have a match offset log values later: those of positions if some is set, otherwise
// those of all matches.
func narrow(positions []uint64, some bool, matches potentialMatches, offset uint64) []uint64 {
	var left []uint64
	for _, match := range matches {
		if match < offset {
			continue
		}
		position := match - offset
		if some {
			i, found := slices.BinarySearch(positions, position)
			if positions = positions[i:]; !found {
				continue
			}
		}
		left = append(left, position)
	}
	return left
}
