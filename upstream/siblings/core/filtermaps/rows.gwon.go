// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
)

// storeRows is storeFilterMapRows for a chain that takes no blocks back. Of maps behind the range before nothing is in the database yet: rows of theirs
// that have nothing are not written, and no long parts of rows deleted. Upstream reads each of 65,536 rows of a new map and deletes its long
// part: the first map of an idle chain costs 0.2 s and 10 MiB of write buffers that way, and under full blocks much of what the database merges are
// those deletions.
//
// A process that died while it wrote a map, or went back in its chain, may have left rows of it. They stay where the map has nothing when it is rendered
// again, and say no more than that logs may be in blocks whose logs are then looked at.
func (r *mapRenderer) storeRows(batch ethdb.Batch, maps []uint32, rowIndex uint32, rows []FilterRow, before filterMapsRange) error {
	if !besides.Load() {
		return r.f.storeFilterMapRows(batch, maps, rowIndex, rows)
	}
	for len(maps) > 0 {
		group, n := r.f.mapGroupIndex(maps[0]), 1
		for n < len(maps) && r.f.mapGroupIndex(maps[n]) == group {
			n++
		}
		if err := r.storeGroup(batch, group, maps[:n], rowIndex, rows[:n], before.maps.AfterLast()); err != nil {
			return err
		}
		maps, rows = maps[n:], rows[n:]
	}
	return nil
}

// storeGroup is storeRows for maps of one group, the short rows of which are stored together. Nothing is stored of the map fresh and those after it.
func (r *mapRenderer) storeGroup(batch ethdb.Batch, group uint32, maps []uint32, rowIndex uint32, rows []FilterRow, fresh uint32) error {
	var (
		base [][]uint32
		key  = r.f.mapRowIndex(group, rowIndex)
	)
	for i, row := range rows {
		if maps[i] >= fresh && len(row) == 0 {
			continue
		}
		if base == nil {
			base = make([][]uint32, r.f.baseRowGroupSize)
			if group < fresh {
				var err error
				if base, err = rawdb.ReadFilterMapBaseRows(r.f.db, key, r.f.baseRowGroupSize, r.f.logMapWidth); err != nil {
					return fmt.Errorf("row %d of the log index, maps from %d: %w", rowIndex, group, err)
				}
			}
		}
		short := min(uint32(len(row)), r.f.baseRowLength)
		base[r.f.mapGroupOffset(maps[i])] = row[:short]
		if long := row[short:]; len(long) > 0 || maps[i] < fresh {
			rawdb.WriteFilterMapExtRow(batch, r.f.mapRowIndex(maps[i], rowIndex), long, r.f.logMapWidth)
		}
	}
	if base != nil {
		rawdb.WriteFilterMapBaseRows(batch, key, base, r.f.logMapWidth)
	}
	return nil
}
