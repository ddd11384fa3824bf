// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gwon/internal/must"
)

// startNotifier runs gwon-pay notify with a configuration until the end of the test. The function kills it and starts
// it again.
func startNotifier(t testing.TB, config string, flags ...string) (kill func()) {
	t.Helper()
	directory := workDir(t)
	for name, text := range map[string]string{"secret": "0123456789abcdef", "notify.toml": config} {
		must.Do(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600))
	}
	start := func() *exec.Cmd {
		args := append([]string{"notify", "--config", filepath.Join(directory, "notify.toml")}, flags...)
		child := exec.CommandContext(t.Context(), programPath("gwon-pay"), args...)
		child.Env = environment(directory)
		must.Do(t, child.Start())
		return child
	}
	end := func(child *exec.Cmd) {
		_ = child.Process.Kill()
		_ = child.Wait() // it was killed
	}
	child := start()
	t.Cleanup(func() { end(child) })
	return func() {
		end(child)
		child = start()
	}
}

// lyingNode returns the URL of a node in whose answers a text stands for another.
func lyingNode(t *testing.T, url, honest, lie string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := http.Post(url, "application/json", r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.ReplaceAll(text, []byte(honest), []byte(lie)))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
