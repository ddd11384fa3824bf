// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package process holds what a process of gwon does with its operating system: the soft limit of its memory, a watch
// over the space on its disks, signals and the terminal. It knows no flag and no chain.
//
// Spec: network 7.1 (flags that set these limits), network 8 (data directory).
package process
