// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gwon/internal/must"
)

// No text shows more of a server than scheme and host.
func TestServersAreHidden(t *testing.T) {
	l, err := NewLocation("http://carol:hunter22@127.0.0.1:1/PATHKEY?apikey=QUERYKEY")
	must.Do(t, err)
	all := fmt.Sprint(l, l.get(t.Context(), ManifestName, 0, 1, io.Discard))
	_, err = NewLocation("ftp://carol:hunter22@node.example/PATHKEY")
	all += err.Error()
	for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is shown: %s", secret, all)
		}
	}
}
