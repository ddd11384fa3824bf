// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package lightnode is gwon-dev light: flags, address and life of a JSON-RPC endpoint whose answers are proven. The
// endpoint itself is package dev/light.
package lightnode
