// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import "gwon/contracts/store"

// CodeStore opens the contract code in the data directory. It is nil, a store without code, when there is no directory.
func (cfg *Config) CodeStore() (*store.Store, error) {
	if cfg.Node.DataDir == "" {
		return nil, nil
	}
	return store.Open(cfg.Node.ResolvePath("contracts"))
}
