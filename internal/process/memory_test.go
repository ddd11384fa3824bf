// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"testing"

	"gwon/internal/expect"
)

// The soft limit leaves room for the database caches and the runtime, and is half of the memory at least.
func TestSoftLimit(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct{ total, caches, want uint64 }{
		"8 GiB with the default cache": {8000 * mib, 1024 * mib, 6176 * mib},
		"small group":                  {500 * mib, 100 * mib, 350 * mib},
		"large cache":                  {500 * mib, 400 * mib, 250 * mib},
		"cache beyond the memory":      {500 * mib, 4000 * mib, 250 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Equal(t, softLimit(c.total, c.caches), c.want, "limit in bytes")
		})
	}
}
