// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package feed reads the feeds of the chain without holding the chain up.
//
// A feed delivers to its subscribers one after the other and waits for each, while the chain is locked. A subscriber
// that is busy, or that waits for the chain itself, therefore ends the import of blocks. Relay puts a goroutine in
// between that always reads. All packages of this module subscribe to the chain through it; those of go-ethereum that
// serve RPC have the relay of upstream/siblings/eth.
package feed
