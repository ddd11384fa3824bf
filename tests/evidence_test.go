// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/evidence"
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
