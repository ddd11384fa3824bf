// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package founding has the commands gwon network: the files for the operators of a new network.
//
// The files belong to package operator/newnetwork.
package founding
