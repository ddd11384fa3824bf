// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import "strings"

// anyPort ends a pattern of origins that stands for every port of a host.
const anyPort = ":*"

// allowOrigin returns what decides about origins where a pattern ends with ":*", else nil. To the library below the
// star of a pattern is any text: it would take http://localhost:evil.example for a port of localhost.
func allowOrigin(patterns []string) func(origin string) bool {
	ports := false
	for _, pattern := range patterns {
		ports = ports || strings.HasSuffix(pattern, anyPort)
	}
	if !ports {
		return nil
	}
	return func(origin string) bool {
		origin = strings.ToLower(origin)
		for _, pattern := range patterns {
			if matchesOrigin(strings.ToLower(pattern), origin) {
				return true
			}
		}
		return false
	}
}

// matchesOrigin reports whether a pattern covers an origin, both in lower case: one star stands for any text, after a
// colon at the end for a port.
func matchesOrigin(pattern, origin string) bool {
	if host, found := strings.CutSuffix(pattern, anyPort); found {
		colon := strings.LastIndexByte(origin, ':')
		return colon >= 0 && isPort(origin[colon+1:]) && matchesOrigin(host, origin[:colon])
	}
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == origin
	}
	return len(origin) >= len(before)+len(after) && strings.HasPrefix(origin, before) && strings.HasSuffix(origin, after)
}

func isPort(text string) bool {
	return len(text) >= 1 && len(text) <= 5 && strings.Trim(text, "0123456789") == ""
}
