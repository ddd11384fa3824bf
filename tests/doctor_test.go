// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/must"
	"gwon/operator/doctor"
)

// gwon doctor looks at a node that runs and at the same node when it does not, and finds a key that others can read.
func TestDoctorCommand(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 1)
	node := c.node(0)
	c.start(t, 0)
	c.awaitHead(t, 2, 0)
	examine := func(wantBad bool) (levels map[string]string) {
		t.Helper()
		out, stderr, err := gwon(t, t.TempDir(), "doctor", "--datadir", node.Dir,
			"--config", filepath.Join(node.Dir, "config.toml"), "--json")
		var findings []doctor.Finding
		if jsonErr := json.Unmarshal([]byte(out), &findings); jsonErr != nil {
			t.Fatalf("%v in %q, %s", jsonErr, out, stderr)
		}
		if (err != nil) != wantBad {
			t.Errorf("error %v: %s", err, out)
		}
		levels = make(map[string]string)
		for _, f := range findings {
			levels[f.Check] += f.Level
		}
		return levels
	}
	running := examine(false)
	if running["node"] != doctor.OK || running["database"] != "" || running["ports"] != "" {
		t.Errorf("running: %v", running)
	}
	c.stop(t, 0)
	stopped := examine(false)
	for _, check := range []string{"config", "directory", "key", "database", "votes", "key lock", "ports"} {
		if stopped[check] != doctor.OK {
			t.Errorf("stopped: %s is %q", check, stopped[check])
		}
	}
	must.Do(t, os.Chmod(filepath.Join(node.Dir, "gwon", "nodekey"), 0o644))
	if open := examine(true); open["key"] != doctor.Bad {
		t.Errorf("open key: %v", open)
	}
}
