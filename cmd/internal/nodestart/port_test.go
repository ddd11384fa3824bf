// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// A port that another program has is refused with what to do.
func TestPortInUseNamesTheRemedy(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close() //nolint:errcheck // of the test alone
	_, err = net.Listen("tcp", first.Addr().String())
	if text := explainPort(err).Error(); !strings.Contains(text, "--http.port") || !strings.Contains(text, "in use") {
		t.Errorf("error %s", text)
	}
	if other := errors.New("another"); explainPort(other) != other { //nolint:errorlint // the very same
		t.Error("another error is changed")
	}
}
