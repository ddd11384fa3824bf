// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package eventstream writes what the state machine of a validator does as version 1 of the event format that
// conformance checkers of WBFT read: one JSON object a line. It is a writer of a recorder (package recording).
//
// file.go has the file: lines, sequence numbers, rotation, errors. stream.go follows the calls of the core. outcome.go
// judges messages. docs/consensus.md ("Events") lists where the state machine differs on purpose from what the checkers
// expect. Those differences are the improvements of NODE_START.
package eventstream
