// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package remotechain opens a chain that is read from nodes that need not be trusted: which network it is, what is
// trusted of it, and where proven answers are kept. gwon-dev node continues such a chain, and gwon-dev light answers
// from it.
//
// What belongs here: flags and files of that choice. Proofs are package consensus/finality/remotestate.
package remotechain
