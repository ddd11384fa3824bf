// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

// Account flags in the field extra of an account; every other bit is refused in a genesis allocation (spec chain 4).
const (
	FlagBlacklisted uint64 = 1 << 63
	FlagAuthorised  uint64 = 1 << 62
)
