// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"slices"
	"testing"

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
