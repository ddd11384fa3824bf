// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package web serves the page that development networks show in a browser, and the small JSON API behind it.
//
// The node decodes, signs with the well-known accounts of the network and asks itself over JSON-RPC; the page holds no
// key and no ABI coder. Its sources are in the directory ui, and make ui writes the bundle to assets. The node service
// does not know this package: cmd/gwon registers it for --dev and for networks of gwon devnet, and for no other.
package web
