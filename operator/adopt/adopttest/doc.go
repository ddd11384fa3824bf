// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package adopttest writes data directories in the formats of go-stablenet v1.0.1, for tests, and reads them with
// decoders that take nothing else.
package adopttest
