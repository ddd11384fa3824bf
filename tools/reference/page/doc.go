// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package page writes the generated pages of docs/reference about flags and metrics.
package page
