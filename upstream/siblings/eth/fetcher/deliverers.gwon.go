// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package fetcher

// ForgetDeliverers ends the reports about which peer delivered an accepted transaction. It is called before Start.
func (f *TxFetcher) ForgetDeliverers() { f.onAccepted = nil }
