// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/must"
)

// TestCutLine: a line that a full disk has cut off does not spoil the next one.
func TestCutLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	must.Do(t, os.WriteFile(path, []byte(`{"time":"2026-01-0`), 0o600))
	a := must.Get(openAudit(path))(t)
	must.Do(t, a.write(auditLine{Event: "settled"}))
	must.Do(t, a.reopen())
	must.Do(t, a.write(auditLine{Event: "released"}))
	must.Do(t, a.close())
	text, err := os.ReadFile(path)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], "{") || !strings.HasPrefix(lines[2], "{") {
		t.Errorf("log %q, error %v", text, err)
	}
}
