// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import "strings"

// urlOf returns the URL of a handler on a listener. A path may begin with a method, as "GET /livez" does.
func urlOf(address, path string) string {
	if _, rest, found := strings.Cut(path, " "); found {
		path = rest
	}
	return "http://" + address + path
}
