// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/evidence"
	"gwon/dev/devnet"
	"gwon/internal/must"
)

// runGwon is gwon in a home of its own. What it prints is one text.
func runGwon(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	out, stderr, err := gwon(t, t.TempDir(), args...)
	return out + stderr, err
}

// evidenceOf asks a node for all the evidence that it has.
func (c *cluster) evidenceOf(t *testing.T, i int) (list evidence.List) {
	t.Helper()
	c.must(t, i, &list, "istanbul_evidence", map[string]int{"limit": 1000})
	if len(list.Unreadable) > 0 {
		t.Errorf("%s cannot read %v", c.node(i).Name, list.Unreadable)
	}
	return list
}

// accuse checks that a node has evidence against one of these at most: the others are honest.
func (c *cluster) accuse(t *testing.T, i int, faulty ...int) (list evidence.List) {
	t.Helper()
	may := make(map[common.Address]bool)
	for _, f := range faulty {
		may[c.node(f).Address] = true
	}
	list = c.evidenceOf(t, i)
	for _, e := range list.Evidence {
		if !may[e.Validator] {
			t.Errorf("%s accuses %v, which is honest: %s: %s", c.node(i).Name, e.Validator, e.Label, e.Reason)
		}
	}
	return list
}

// A validator that contradicts itself on the wire (package tools/faulty) is found out by the others: the messages are
// in istanbul_evidence, survive a restart, and are exported. No other validator is accused (spec wbft 9.1 no. 6).
func TestEvidence(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	const faulty = 3
	bad := devnet.NewSupervisor(faultyBinary(t), nil, false, false)
	t.Cleanup(bad.Close)
	for i := range faulty {
		c.start(t, i)
	}
	p := must.Get(bad.Start(c.node(faulty)))(t)
	c.processes[c.node(faulty)] = p

	c.awaitHead(t, 1, 0, 1, 2)
	var list evidence.List
	c.await(t, "evidence of two kinds", func() (bool, string) {
		list = c.accuse(t, 0, faulty)
		kinds, proven := make(map[evidence.Kind]bool), 0
		for _, e := range list.Evidence {
			kinds[e.Kind] = true
			if e.Label == evidence.Proven {
				proven++
			}
		}
		return len(kinds) > 1 && proven > 1, fmt.Sprintf("%v, %d proven", kinds, proven)
	})
	before := list
	c.kill(t, 0)
	c.start(t, 0)
	c.awaitHead(t, 0, 0)
	after := c.accuse(t, 0, faulty)
	if len(after.Evidence) < len(before.Evidence) {
		t.Errorf("%d pairs before the restart, %d after it", len(before.Evidence), len(after.Evidence))
	}

	// The command writes the same pairs, beside the running node.
	exported := filepath.Join(t.TempDir(), "exported.json")
	if out, err := runGwon(t, "evidence", "export", "--datadir", c.node(0).Dir, exported); err != nil {
		t.Fatalf("export beside a running node: %v: %s", err, out)
	}
	content := must.Get(os.ReadFile(exported))(t)
	var written evidence.List
	if err := json.Unmarshal(content, &written); err != nil || len(written.Evidence) < len(after.Evidence) {
		t.Errorf("%d pairs exported, %d by RPC: %v", len(written.Evidence), len(after.Evidence), err)
	}
}
