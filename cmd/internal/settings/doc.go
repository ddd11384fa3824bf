// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package settings is what a node is told: its flags, the configuration file, defaults, profiles of endpoints, the
// choice of a public network.
//
// Load puts them together, NewStack makes the node of go-ethereum from them, and NewApp makes a program with the flags
// of the node. A flag of the node belongs here, a flag of one command to its command (spec network 7, rpc 9.7).
package settings
