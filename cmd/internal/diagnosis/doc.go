// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package diagnosis has the commands that say how a node is: gwon doctor, which looks for what is wrong with a node and
// its machine, and gwon status, which asks a node that runs.
//
// The checks and the report belong to the packages doctor and status.
package diagnosis
