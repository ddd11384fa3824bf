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
		if _, err := Read(path, 6); (err == nil) != allowed {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestReadPipe: what a command writes into a pipe is read, up to the bound.
func TestReadPipe(t *testing.T) {
	for text, want := range map[string]string{"secret": "", "secrets": "more than 6 bytes"} {
		out, in, err := os.Pipe()
		must.Do(t, err)
		_, err = in.WriteString(text)
		if err = errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		content, err := Read(fmt.Sprintf("/dev/fd/%d", out.Fd()), 6)
		if want == "" && (err != nil || string(content) != text) || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q, error %v", content, err)
		}
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
		path  string
		limit int64
		want  string
	}{
		{write("owner", 0o600), 6, ""},
		{write("read only", 0o400), 6, ""},
		{write("group", 0o640), 6, "mode 0640): run chmod 600"},
		{write("others", 0o604), 6, "mode 0604): run chmod 600"},
		{write("long", 0o600), 5, "more than 5 bytes"},
		{dir, 6, "is no file"},
		{filepath.Join(dir, "missing"), 6, "no such file"},
	} {
		t.Run(filepath.Base(tt.path), func(t *testing.T) {
			content, err := Read(tt.path, tt.limit)
			if tt.want == "" && (err != nil || string(content) != "secret") {
				t.Errorf("%q, error %v", content, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}
