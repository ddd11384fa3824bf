// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The log names handlers by URLs that a person can open.
func TestURLOfHandler(t *testing.T) {
	for path, want := range map[string]string{
		"/graphql": "http://127.0.0.1:8545/graphql", "GET /livez": "http://127.0.0.1:8545/livez",
	} {
		assert.Equalf(t, want, urlOf("127.0.0.1:8545", path), "%s", path)
	}
}
