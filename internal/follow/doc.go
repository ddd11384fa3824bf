// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package follow goes along the head of a chain by the answers of a node. It notices a chain that was begun again, and
// rests after failures (docs/adr/0157).
package follow
