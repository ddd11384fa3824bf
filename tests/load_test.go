// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"strings"
	"testing"

	"gwon/dev/loadtest"
)

// gwon-dev load against a real node: every transaction of every kind the network has is accepted, included and
// successful, and the reads beside them are answered. A node that is not there, and a kind that the network does not
// have, are said before anything is signed.
func TestLoad(t *testing.T) {
	c := oneNode(t)
	url := c.node(0).HTTP()
	out, stderr, err := gwonDev(t, t.TempDir(), "load", "--rpc", url, "--kind", "mix", "--rate", "40", "--for", "5s",
		"--senders", "10", "--reads", "40", "--reads.rpc", url,
		"--reads.rpc", strings.Replace(url, "http:", "ws:", 1), "--json")
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	var rep loadtest.Report
	if err := json.Unmarshal([]byte(out), &rep); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if rep.Accepted == 0 || rep.Accepted != rep.Included || rep.Lost+rep.Failed+rep.Pending != 0 || rep.Blocks == 0 ||
		rep.Latency.P50 <= 0 {
		t.Errorf("%+v", rep)
	}
	if r := rep.Reads; r == nil || r.Count == 0 || r.Failed != 0 || len(r.Methods) != 20 {
		t.Errorf("reads of ten methods over two transports: %+v", r)
	}
	if len(rep.Nodes) != 1 || rep.Nodes[0].Memory == 0 {
		t.Errorf("the node's process: %+v", rep.Nodes)
	}
	_, stderr, err = gwonDev(t, t.TempDir(), "load", "--rpc", "http://127.0.0.1:1", "--quiet")
	if err == nil || !strings.Contains(stderr, "http://127.0.0.1:1") {
		t.Errorf("no node there: %v %q", err, stderr)
	}
}
