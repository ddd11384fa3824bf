// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A network that starts has no control socket yet. It is told from one that does not run.
func TestStartingNetwork(t *testing.T) {
	dir := t.TempDir()
	ask := func(want string) {
		t.Helper()
		expect.Says(t, expect.Err(AskInfo(t.Context(), dir)), want, "AskInfo")
	}
	ask("no gwon-dev devnet runs")
	path := filepath.Join(dir, lockFile)
	must.Do(t, os.WriteFile(path, nil, 0o600))
	ask("no gwon-dev devnet runs")
	lock := flock.New(path)
	locked, err := lock.TryLock()
	must.That(t, err == nil && locked, "%v %v", locked, err)
	defer lock.Close() //nolint:errcheck // the test ends
	ask("is starting or ending")
}

// Another terminal reaches a network in a directory with a name of any length, and nothing when it has ended.
func TestControlSocket(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 40))} {
		t.Run(fmt.Sprint(len(dir)), func(t *testing.T) {
			must.Do(t, os.MkdirAll(dir, 0o700))
			until, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := &Network{Dir: dir}
			f := &fleet{network: n, requests: make(chan func())}
			go func() {
				for request := range f.requests {
					request()
				}
			}()
			defer close(f.requests)
			end := must.Get(n.Serve(&Control{f, until}))(t)
			info := must.Get(os.Stat(controlSocket(dir)))(t)
			expect.Equal(t, info.Mode().Perm(), 0o600, "others may open the socket")
			states := must.Get(Ask(t.Context(), dir, "", ""))(t)
			expect.That(t, len(states) == 0, "%d nodes", len(states))
			expect.Says(t, expect.Err(Ask(t.Context(), dir, "stop", "7")), `validator "7"`, "Ask")
			must.Do(t, end())
			expect.Says(t, expect.Err(Ask(t.Context(), dir, "", "")), "no gwon-dev devnet runs", "Ask")
		})
	}
}
