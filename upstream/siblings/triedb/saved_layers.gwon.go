// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package triedb

import "github.com/ethereum/go-ethereum/triedb/pathdb"

// OpenSavedLayers restores the states that SavedLayers.Save has kept in dir. It returns nil for the hash scheme.
func (db *Database) OpenSavedLayers(dir string) (*pathdb.SavedLayers, error) {
	if paths, ok := db.backend.(*pathdb.Database); ok {
		return paths.OpenSavedLayers(dir)
	}
	return nil, nil
}
