// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package web serves the page that development networks show in a browser, and the small JSON API behind it.
//
// The server decodes, signs with the well-known accounts of the network and asks a node over JSON-RPC; the page holds
// no key and no ABI coder. Its sources are in the directory dev/ui, and make ui writes the bundle to assets. gwon does
// not have this package: gwon-dev serves the page for gwon-dev node and beside the validators of gwon-dev devnet.
package web
