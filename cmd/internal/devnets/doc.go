// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package devnets has the commands that make networks: gwon devnet, a local one of several processes with its feed, its
// orders from the keyboard and its sponsor, and gwon network, the files for the operators of a new one.
//
// The networks themselves belong to the packages devnet and newnetwork.
package devnets
