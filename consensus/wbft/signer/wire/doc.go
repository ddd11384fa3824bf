// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package wire is what both ends of a connection to a signer have: frames, requests, and certificates on both sides.
package wire
