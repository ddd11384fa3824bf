// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package remote is the key of a node in a signer: wbft.Keeper for the consensus, crypto.Holder for the peer-to-peer
// network. A lost connection ends signing until the connection is back; the node follows the chain meanwhile.
//
// The package implements spec wbft 9.1 no. 3 for a node without a key.
package remote
