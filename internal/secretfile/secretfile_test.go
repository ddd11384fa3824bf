// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package secretfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestCredential: what systemd hands to a service is read, whatever its mode shows, and nothing below or beside it.
func TestCredential(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", dir+"/")
	for name, allowed := range map[string]bool{"password": true, "other/password": false} {
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600),
			os.Chmod(path, 0o440)))
		_, err := Read(path)
		expect.That(t, (err == nil) == allowed, "%s: error %v", name, err)
	}
}

// TestReadPipe: what a command writes into a pipe is read, up to the bound.
func TestReadPipe(t *testing.T) {
	for text, want := range map[string]string{"secret": "", strings.Repeat("s", MaxFile+1): "more than 65536 bytes"} {
		out, in, err := os.Pipe()
		must.Do(t, err)
		written := make(chan error)
		go func() { // a pipe holds less than the bound
			_, err := in.WriteString(text)
			written <- errors.Join(err, in.Close())
		}()
		content, err := Read(fmt.Sprintf("/dev/fd/%d", out.Fd()))
		if want == "" && (err != nil || string(content) != text) || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q, error %v", content, err)
		}
		must.Do(t, <-written)
		_ = out.Close()
	}
}

// TestRead: a file of its owner alone is read up to its bound. The mode counts for every owner.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.WriteFile(path, []byte("secret"), 0o600), os.Chmod(path, mode)))
		return path
	}
	for _, tt := range []struct {
		path string
		want string
	}{
		{write("owner", 0o600), ""},
		{write("read only", 0o400), ""},
		{write("group", 0o640), "mode 0640): run chmod 600"},
		{write("others", 0o604), "mode 0604): run chmod 600"},
		{dir, "is no file"},
		{filepath.Join(dir, "missing"), "no such file"},
	} {
		t.Run(filepath.Base(tt.path), func(t *testing.T) {
			content, err := Read(tt.path)
			if tt.want == "" && (err != nil || string(content) != "secret") {
				t.Errorf("%q, error %v", content, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}
