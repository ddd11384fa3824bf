// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCutLine: a line that a full disk has cut off does not spoil the next one.
func TestCutLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, []byte(`{"event":"reser`), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := openAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	a.write(auditLine{Event: "settled"})
	if err := a.reopen(); err != nil {
		t.Fatal(err)
	}
	a.write(auditLine{Event: "released"})
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], "{") || !strings.HasPrefix(lines[2], "{") {
		t.Errorf("log %q, error %v", text, err)
	}
}
