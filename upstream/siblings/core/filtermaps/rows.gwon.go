// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
)

// storeRows is storeFilterMapRows for a chain that takes no blocks back. The database has nothing of maps behind the
// range before, so that their empty rows are not written and long parts of rows not deleted. Upstream reads 65,536 rows
// of a new map and deletes their long parts, which costs 0.2 s and 10 MiB of write buffers on an idle chain.
//
// A process that died while it wrote a map, or set its chain back, may have left rows of the map. They stay where the
// new map has empty rows, and only name blocks whose logs are then searched in vain.
func (r *mapRenderer) storeRows(
	batch ethdb.Batch, maps []uint32, rowIndex uint32, rows []FilterRow, before filterMapsRange,
) error {
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

// storeGroup is storeRows for maps of one group, whose short rows are stored together. The database has nothing of the
// map fresh and of later ones.
func (r *mapRenderer) storeGroup(
	batch ethdb.Batch, group uint32, maps []uint32, rowIndex uint32, rows []FilterRow, fresh uint32,
) error {
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
