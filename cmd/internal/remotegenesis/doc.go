// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package remotegenesis makes the genesis block of a chain that is read from nodes, for the commands of gwon-dev.
//
// What belongs here: the block with its state. Which chain is read, and what is trusted, is package remotechain.
package remotegenesis
