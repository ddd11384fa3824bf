// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gwon/internal/must"
)

// TestCutLine: a line that a full disk has cut off does not spoil the next one.
func TestCutLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	must.Do(t, os.WriteFile(path, []byte(`{"event":"reser`), 0o600))
	a := must.Get(openAudit(path))(t)
	a.write(auditLine{Event: "settled"})
	must.Do(t, a.reopen())
	a.write(auditLine{Event: "released"})
	must.Do(t, a.close())
	text, err := os.ReadFile(path)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], "{") || !strings.HasPrefix(lines[2], "{") {
		t.Errorf("log %q, error %v", text, err)
	}
}

// TestAuditAfterAFullDisk: no line of what was sponsored is missing after a time in which the disk took none; the line
// that it has cut off stands again (docs/develop/sponsor.md, Budgets).
func TestAuditAfterAFullDisk(t *testing.T) {
	for name, end := range map[string]func(*auditLog) error{
		"signal": (*auditLog).reopen, "end of the sponsor": (*auditLog).close,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			a := must.Get(openAudit(path))(t)
			a.write(auditLine{Event: "reserved", Reason: "before"})
			full := must.Get(os.Open(path))(t) // takes no writes
			must.Do(t, a.file.Close())
			a.file = full
			for _, event := range []string{"reserved", "refused", "settled", "paid", "coins"} {
				a.write(auditLine{Event: event})
			}
			if a.ready() == nil {
				t.Error("the log is ready")
			}
			must.Do(t, end(a))
			a.write(auditLine{Event: "released"}) // waits where the log is closed
			var events []string
			for line := range bytes.Lines(must.Get(os.ReadFile(path))(t)) {
				var l auditLine
				must.Do(t, json.Unmarshal(line, &l))
				events = append(events, l.Event)
			}
			want := []string{"reserved", "reserved", "settled", "paid", "coins", "released"}
			if name != "signal" {
				want = want[:len(want)-1]
			}
			if !slices.Equal(events, want) {
				t.Errorf("lines %v, want %v", events, want)
			}
		})
	}
}
