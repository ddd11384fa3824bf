// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A list of nothing is a list for those that read it.
func TestEmptyList(t *testing.T) {
	for _, list := range []any{[]string(nil), []string{}, []any(nil)} {
		var out strings.Builder
		must.Do(t, PrintIndented(&out, list))
		expect.Equal(t, out.String(), "[]\n", "%#v is printed as", list)
	}
}
