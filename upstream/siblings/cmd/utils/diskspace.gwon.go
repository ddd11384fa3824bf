// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package utils

// FreeDiskSpace returns how many bytes a process without special rights can still write to the disk of a path.
func FreeDiskSpace(path string) (uint64, error) { return getFreeDiskSpace(path) }
