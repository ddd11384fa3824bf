// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package dial connects commands to a node and asks it by JSON-RPC, each question within a bound of time. It is for
// commands that ask a few questions. Governance and load have clients of their own.
package dial
