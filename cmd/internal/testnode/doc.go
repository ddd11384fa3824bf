// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package testnode is gwon-dev node: the flags of a developer chain and what they imply for the configuration, accounts
// and genesis block, the directory of --state, the page, and what the terminal shows.
//
// The chain itself is package dev/devchain, and the start of a node package nodestart.
package testnode
