// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A port that another program has, and a path that is too long for a socket, are refused with what to do.
func TestListenErrorsNameTheRemedy(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(t, err)
	defer first.Close() //nolint:errcheck // of the test alone
	_, err = net.Listen("tcp", first.Addr().String())
	text := explainListen(err, "").Error()
	expect.That(t, strings.Contains(text, "--http.port") && strings.Contains(text, "in use"), "error %s", text)
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 110))
	_, err = net.Listen("unix", path)
	expect.Contains(t, explainListen(err, path).Error(), "--ipcpath", "explainListen")
	other := errors.New("another")
	if explainListen(other, path) != other { //nolint:errorlint // the very same
		t.Error("another error is changed")
	}
}
