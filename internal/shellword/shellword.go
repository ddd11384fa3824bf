// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package shellword writes the words of commands that a person copies into a shell.
package shellword

import "strings"

// Quote quotes a text that a shell would not take for one word.
func Quote(s string) string {
	if strings.ContainsAny(s, " \t\"'$&;()<>|*?[]{}`!#~\\") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
