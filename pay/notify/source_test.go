// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"golang.org/x/time/rate"

	"gwon/internal/dial"
)

// TestZeroTransfers: transfers of nothing, which everybody can log in the name of others, are left out unless the
// webhook wants them.
func TestZeroTransfers(t *testing.T) {
	c := newChain(7, 300)
	for i := range c.logs {
		if i%3 == 0 {
			clear(c.logs[i].Data)
		}
	}
	client, err := dial.Open(t.Context(), c.serve(t).URL, dial.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for _, zero := range []bool{false, true} {
		w := &Webhook{Direction: Both, Contract: &coin, ZeroTransfers: zero}
		for i := range 10 {
			w.Addresses = append(w.Addresses, account(i))
		}
		found, _, err := node{client}.notices(t.Context(), w, 0, 299)
		if err != nil {
			t.Fatal(err)
		}
		all := c.wanted(Both, w.Addresses...)
		var want []string
		for i, id := range all {
			if zero || i%3 != 0 {
				want = append(want, id)
			}
		}
		var got []string
		for _, transfer := range found {
			got = append(got, transfer.place().ID)
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("zero transfers %v: %d found, want %d", zero, len(got), len(want))
		}
	}
}

// A log that has the name of a transfer, and is none, is left out with one line a minute. One that was not asked for is
// a fault of the node.
func TestOddTransfersAreLeftOut(t *testing.T) {
	earlier, limit := log.Root(), oddLogs
	t.Cleanup(func() { log.SetDefault(earlier); oddLogs = limit })
	var out bytes.Buffer
	log.SetDefault(log.NewLogger(log.NewTerminalHandler(&out, false)))
	oddLogs = &rate.Sometimes{Interval: time.Minute}
	c := newChain(7, 20)
	oddTransfers(c)
	w, left := &Webhook{Label: "shop", Contract: &coin}, 0
	for _, l := range c.logs {
		n, err := w.read(&l, nil)
		if odd := len(l.Topics) != 3 || len(l.Data) != 32; (n == nil) != odd || err != nil {
			t.Errorf("log %d of block %d: %v, %v", l.Index, l.BlockNumber, n, err)
		} else if odd {
			left++
		}
	}
	if text := out.String(); left < 4 || strings.Count(text, "Log left out") != 1 ||
		!strings.Contains(text, "block=0") || !strings.Contains(text, "index=0") {
		t.Errorf("%d left out with %s", left, text)
	}
	for _, topics := range [][]common.Hash{nil, {{7}}, {{7}, {}, {}}} {
		if _, err := w.read(&types.Log{Address: coin, Topics: topics}, nil); !errors.Is(err, errUnasked) {
			t.Errorf("topics %v: %v", topics, err)
		}
	}
}
