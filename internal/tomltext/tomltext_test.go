// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package tomltext

import (
	"fmt"
	"strings"
	"testing"

	"gwon/internal/expect"
)

// What stands twice is named with both lines in decimal, whatever it is.
func TestConflictNamesLines(t *testing.T) {
	for _, line := range []int{1, 5, 9, 10, 13, 16, 100} {
		for _, what := range []string{"a = 1", "[a]"} {
			t.Run(fmt.Sprintf("%s on line %d", what, line), func(t *testing.T) {
				_, err := Parse([]byte(strings.Repeat("\n", line-1) + what + "\n" + what + "\n"))
				want := fmt.Sprintf("line %d", line)
				_, conflict, _ := strings.Cut(fmt.Sprint(err), " is in conflict with ")
				conflict, _, _ = strings.Cut(conflict, ":")
				expect.That(t, strings.HasSuffix(conflict, want), "%v, want %q", err, want)
			})
		}
	}
}
