// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package newnetwork makes the files that the operators of a new private network start with: the genesis file, and for
// each validator a folder with genesis file, configuration and instructions. Each operator keeps the own key. The
// package sees public keys only.
//
// It takes the place of the generator of spec network 9.2, and has the genesis of spec chain 11.2.
package newnetwork
