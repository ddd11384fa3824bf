// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package notify delivers the transfers of watched addresses to webhooks. It follows any node of the network over
// JSON-RPC: blocks are final at once (spec wbft 3.2), so a transfer that was seen stays.
//
// Each webhook has its own cursor on disk. A round of a webhook is: read the transfers behind the cursor, deliver them
// in the order of blocks and log indices, and move the cursor when the receiver has answered. A crash between answer
// and cursor repeats a delivery; the ID of a transfer is the same then. No crash leaves one out.
//
// The log of the coin contract has every transfer of coins, those by calls of contracts included (spec chain 5).
package notify
