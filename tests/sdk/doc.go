// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sdk tests the client libraries under sdk against the node: the same transactions, and the examples of the
// documentation on a development network.
package sdk
