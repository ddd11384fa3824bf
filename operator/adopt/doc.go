// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package adopt makes gwon's directory from a data directory of go-stablenet, and one of go-stablenet from gwon's. It
// reads the directory it begins with and never changes it: files that no program changes are shared by links, and
// conversions happen in the copy. It knows the formats in which the two programs differ, and recognizes a database that
// go-stablenet has written.
//
// A new directory is made under another name and renamed at its end, so that a crash leaves nothing half done.
package adopt
