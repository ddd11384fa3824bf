// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/evidence"
	"gwon/dev/devnet"
)

// runGwon runs the program once and returns what it prints and its exit status.
func runGwon(t *testing.T, args ...string) (out string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = environment(t.TempDir())
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("gwon %v: %v", args, err)
	}
	return string(text), cmd.ProcessState.ExitCode()
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
// in istanbul_evidence, survive a restart, and hold before somebody who knows nothing but the validators. Nobody else
// is accused, and what is tampered with convinces nobody (spec wbft 9.1 no. 6).
func TestEvidence(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	const faulty = 3
	bad := devnet.NewSupervisor(faultyBinary(t), nil, false, false)
	t.Cleanup(bad.Close)
	for i := range faulty {
		c.start(t, i)
	}
	p, err := bad.Start(c.node(faulty))
	if err != nil {
		t.Fatal(err)
	}
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

	// One who only knows the address finds some of it proven; a file of a proven pair is enough.
	var proof *evidence.Evidence
	for _, e := range before.Evidence {
		if e.Label == evidence.Proven {
			proof = e
		}
	}
	file := filepath.Join(c.node(0).Dir, "gwon", "evidence", fmt.Sprintf("%#x", proof.Genesis[:8]),
		fmt.Sprintf("%d_%d_%s_proven_%#x.json", proof.Sequence, proof.Rounds[0], proof.Kind, proof.Validator))
	out, status := runGwon(t, "evidence", "verify", "--rpc", c.node(1).HTTP(), file)
	if status != 0 || !strings.Contains(out, "PROVEN: "+c.node(faulty).Address.Hex()) {
		t.Errorf("by the chain of another node: exit status %d: %s", status, out)
	}
	exported := filepath.Join(t.TempDir(), "exported.json")
	if out, status := runGwon(t, "evidence", "export", "--rpc", c.node(0).HTTP(), exported); status != 0 {
		t.Errorf("export from a running node: exit status %d: %s", status, out)
	}
	out, status = runGwon(t, "evidence", "verify", "--rpc", c.node(1).HTTP(), exported)
	if status != 0 && status != 3 || strings.Contains(out, "REFUSED") {
		t.Errorf("by the chain of another node: exit status %d: %s", status, out)
	}

	// Offline.
	c.stop(t, 0)
	c.stop(t, 1)
	if out, status := runGwon(t, "evidence", "verify", "--datadir", c.node(1).Dir, file); status != 0 {
		t.Errorf("by the chain of a stopped node: exit status %d: %s", status, out)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	honest := c.node(1).Address
	for name, forged := range map[string][]byte{
		"another validator": bytes.ReplaceAll(content, []byte(strings.ToLower(proof.Validator.Hex())),
			[]byte(strings.ToLower(honest.Hex()))),
		"another kind": bytes.Replace(content, []byte(`"kind":"`+string(proof.Kind)+`"`),
			[]byte(`"kind":"proposal"`), 1),
		"another sequence": bytes.Replace(content, fmt.Appendf(nil, `"sequence":%d`, proof.Sequence),
			fmt.Appendf(nil, `"sequence":%d`, proof.Sequence-1), 1),
		"another genesis": bytes.Replace(content, []byte(proof.Genesis.Hex()[2:]), []byte(strings.Repeat("11", 32)), 1),
	} {
		if bytes.Equal(forged, content) {
			t.Fatalf("%s: nothing was changed in %s", name, content)
		}
		path := filepath.Join(t.TempDir(), "forged.json")
		if err := os.WriteFile(path, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		out, status := runGwon(t, "evidence", "verify", "--datadir", c.node(1).Dir, path)
		if status != 1 || !strings.Contains(out, "REFUSED") {
			t.Errorf("%s: exit status %d: %s", name, status, out)
		}
	}
}
