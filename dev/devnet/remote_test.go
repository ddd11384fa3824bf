// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"gwon/internal/must"
)

// A network that starts has no control file yet. It is told from one that does not run.
func TestStartingNetwork(t *testing.T) {
	dir := t.TempDir()
	ask := func(want string) {
		t.Helper()
		if _, err := AskInfo(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ask("no gwon-dev devnet runs")
	path := filepath.Join(dir, lockFile)
	must.Do(t, os.WriteFile(path, nil, 0o600))
	ask("no gwon-dev devnet runs")
	lock := flock.New(path)
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	defer lock.Close() //nolint:errcheck // the test ends
	ask("is starting or ending")
}
