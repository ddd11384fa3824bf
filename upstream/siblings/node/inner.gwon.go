// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import "github.com/ethereum/go-ethereum/ethdb"

// Inner returns the database without the wrapper, for readers that know its kind (see rawdb.ViewReceiptsRLP).
func (db *closeTrackingDB) Inner() ethdb.Database { return db.Database }
