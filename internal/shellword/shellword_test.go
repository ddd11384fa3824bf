// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shellword

import (
	"testing"

	"gwon/internal/expect"
)

// A word that a shell would split or expand is quoted.
func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"/a/b": "/a/b", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/$a": "'/$a'", "": "",
	} {
		t.Run(word, func(t *testing.T) {
			expect.Equal(t, Quote(word), want, "shell word")
		})
	}
}
