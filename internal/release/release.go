// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package release has the version of the programs. It imports nothing, so that gwon-signer can have it too.
package release

// Number is the version of the last release, or of the next one between releases.
var Number = "0.3.0"

// Commit is the first eight digits of the commit, given by the linker: -X gwon/internal/release.Commit=COMMIT.
var Commit string

// Version returns the version as peers and RPC clients see it.
func Version() string {
	if Commit == "" {
		return Number
	}
	return Number + "-" + Commit
}
