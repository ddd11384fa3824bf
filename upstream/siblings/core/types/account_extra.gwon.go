// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

// Bits of StateAccount.Extra (spec chain 4). The other bits have no meaning; genesis refuses them, execution keeps
// them.
const (
	AccountBlacklisted uint64 = 1 << 63 // may neither send nor receive nor pay
	AccountAuthorized  uint64 = 1 << 62 // sets its own tip, goes first in blocks
)
