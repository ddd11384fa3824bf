// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

// BreakVotes makes the vote log of a running driver refuse every record, as a full disk does.
func (d *Driver) BreakVotes() error { return d.signed.Close() }
