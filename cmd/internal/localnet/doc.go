// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package localnet has the commands gwon-dev devnet: a local network of several processes of gwon with its feed, its
// page, its orders from the keyboard and its sponsor.
//
// The network itself belongs to package dev/devnet.
package localnet
