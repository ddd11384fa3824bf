// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package completion holds the command that prints scripts for the completion of a shell. It has a package of its own,
// because gwon-signer links no other part of the commands.
package completion
