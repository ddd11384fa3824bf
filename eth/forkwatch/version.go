// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package forkwatch

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is a release of a client.
type Version struct{ Major, Minor, Patch uint32 }

// Compare returns -1, 0 or 1.
func (v Version) Compare(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch))
}

func (v Version) String() string { return fmt.Sprintf("v%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Parse takes the name and the version out of a client's name: Gstable/v1.1.0-stable-71e3f820/linux-amd64/go1.25, also
// with an identity in between, of 256 bytes at most. The name is in lower case. It reports whether there are both.
func Parse(client string) (name string, v Version, ok bool) {
	if len(client) > 256 {
		return "", Version{}, false
	}
	parts := strings.Split(client, "/")
	name = strings.ToLower(parts[0])
	if name == "" {
		return "", Version{}, false
	}
	for _, part := range parts[1:] {
		if v, ok := parseVersion(part); ok {
			return name, v, true
		}
	}
	return "", Version{}, false
}

// parseVersion reads vX.Y.Z with anything behind a hyphen or a plus sign.
func parseVersion(text string) (v Version, ok bool) {
	text, ok = strings.CutPrefix(text, "v")
	if !ok {
		return v, false
	}
	if end := strings.IndexAny(text, "-+"); end >= 0 {
		text = text[:end]
	}
	fields := strings.Split(text, ".")
	if len(fields) != 3 {
		return v, false
	}
	for i, into := range []*uint32{&v.Major, &v.Minor, &v.Patch} {
		n, err := strconv.ParseUint(fields[i], 10, 32)
		if err != nil {
			return Version{}, false
		}
		*into = uint32(n)
	}
	return v, true
}
