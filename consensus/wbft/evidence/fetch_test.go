// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// pages answers istanbul_evidence.
type pages struct {
	answer func(from uint64) *List
	asked  int
}

func (p *pages) Evidence(query struct{ From hexutil.Uint64 }) *List {
	if p.asked++; p.asked > 10 {
		return &List{Version: FormatVersion}
	}
	return p.answer(uint64(query.From))
}

// A node that answers with anything but what was asked for ends the fetch with an error, and so does the last sequence.
func TestFetchFromLiars(t *testing.T) {
	one := func(e *Evidence) *List {
		return &List{Version: FormatVersion, Evidence: []*Evidence{e}, Truncated: true}
	}
	for name, row := range map[string]struct {
		filter Filter
		answer func(from uint64) *List
		want   string // empty for an answer that is cut short
		asked  int
	}{
		"nothing in a list": {Filter{To: 9}, func(uint64) *List { return one(nil) }, "not asked for", 1},
		"earlier sequences": {
			Filter{From: 5, To: 9}, func(from uint64) *List { return one(&Evidence{Sequence: from - 1}) }, "not asked for", 1,
		},
		"later sequences": {
			Filter{From: 5, To: 9}, func(uint64) *List { return one(&Evidence{Sequence: 10}) }, "not asked for", 1,
		},
		"the last sequence again": {
			Filter{From: math.MaxUint64 - 1, To: math.MaxUint64},
			func(from uint64) *List { return one(&Evidence{Sequence: from}) }, "", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, node := rpc.NewServer(), &pages{answer: row.answer}
			t.Cleanup(server.Stop)
			must(t, server.RegisterName("istanbul", node))
			endpoint := httptest.NewServer(server)
			t.Cleanup(endpoint.Close)
			list, err := Fetch(t.Context(), endpoint.URL, row.filter)
			switch {
			case row.want == "" && (err != nil || !list.Truncated):
				t.Errorf("list %+v, error %v", list, err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("error %v, want one with %q", err, row.want)
			}
			if node.asked != row.asked {
				t.Errorf("the node was asked %d times, want %d", node.asked, row.asked)
			}
		})
	}
}
