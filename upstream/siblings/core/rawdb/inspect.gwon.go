// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/ethdb"
)

// InspectFilled prints the table of InspectDatabase without the history freezers that hold nothing. An empty freezer
// that is opened for reading only has no tail, so that upstream's inspection of it fails.
func InspectFilled(db ethdb.Database) error {
	datadir, err := db.AncientDatadir()
	if err != nil {
		return err
	}
	all := freezers
	defer func() { freezers = all }()
	freezers = slices.Clone(all)
	for _, name := range all {
		empty, err := isEmptyHistory(datadir, name)
		if err != nil {
			return fmt.Errorf("open freezer %s: %w", name, err)
		}
		if empty {
			freezers = slices.DeleteFunc(freezers, func(other string) bool { return other == name })
		}
	}
	return InspectDatabase(db, nil, nil)
}

// isEmptyHistory reports whether a freezer of state or trie history exists and has no item.
func isEmptyHistory(datadir, name string) (bool, error) {
	var freezer ethdb.ResettableAncientStore
	var err error
	switch name {
	case MerkleStateFreezerName, VerkleStateFreezerName:
		freezer, err = NewStateFreezer(datadir, name == VerkleStateFreezerName, true)
	case MerkleTrienodeFreezerName, VerkleTrienodeFreezerName:
		freezer, err = NewTrienodeFreezer(datadir, name == VerkleTrienodeFreezerName, true)
	default:
		return false, nil // the blocks
	}
	if err != nil {
		return false, nil //nolint:nilerr // it does not exist, which upstream's inspection passes over
	}
	items, err := freezer.Ancients()
	if closeErr := freezer.Close(); err == nil {
		err = closeErr
	}
	return items == 0, err
}
