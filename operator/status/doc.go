// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package status describes a running node on one screen: head, consensus, seals, peers, sync, pool, disk and warnings.
//
// It sees the node through its JSON-RPC methods, over IPC or a URL. A method that the endpoint does not offer leaves
// its part of the report empty. What may enter: questions to a node, their evaluation and presentation.
//
// Spec: rpc 6.3, 6.7 (node address, seals), rpc 4.5 (peers).
package status
