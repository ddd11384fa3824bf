// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package tests runs whole nodes: real processes of the gwon binary, real sockets on loopback, seen from outside through
// their command line, their JSON-RPC and their logs. The binary is built once. A test waits for conditions with a
// deadline, never for time to pass; nodes of a failed test leave their directories behind.
//
// Spec: rpc 9 (service description), network 7 to 10, wbft 3.2 (quorum), transactions 5 (fee delegation).
package tests
