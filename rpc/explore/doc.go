// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package explore implements the methods that block explorers call beside those of the public profile: the traces of
// debug, the traces of trace in the manner of Parity, and the namespaces ots and erigon of Otterscan.
//
// Calls that come over the network are bounded in time, gas, size and number; Bounds has the figures. Refusals are
// JSON-RPC errors (spec rpc 2.5) whose data names the reason. Traces of old blocks need the state of these blocks,
// which an archive node keeps.
//
// Addresses are searched in the Transfer logs of the coin, which each movement of value leaves (spec chain 5), in the
// logs of the address itself, and by the nonces of the sender. No index of its own is kept.
//
// Methods, parameters and results belong here. The profile that opens them is in cmd/internal/settings.
package explore
