// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package reference writes the generated pages of docs/reference about flags, commands and metrics, and manual pages.
package reference
