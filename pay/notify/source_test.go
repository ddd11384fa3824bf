// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/dial"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/txobject"
)

// TestSmallTransfers: transfers below min_value, which everybody can send, are left out; those of nothing unless it is
// 0. docs/develop/notify.md
func TestSmallTransfers(t *testing.T) {
	c := newChain(7, 300)
	for i := range c.logs { // 0, 1, 2 and more
		if i%4 < 3 {
			clear(c.logs[i].Data)
			c.logs[i].Data[31] = byte(i % 4)
		}
	}
	client := must.Get(dial.Open(t.Context(), c.serve(t).URL, dial.Options{}))(t)
	t.Cleanup(client.Close)
	for minimum, least := range map[string]int{"0": 0, "": 1, "1": 1, "2": 2, "3": 3} {
		t.Run(minimum, func(t *testing.T) {
			w := &Webhook{Direction: Both, Contract: (*txobject.Address)(&coin), MinValue: minimum}
			for i := range 10 {
				w.Addresses = append(w.Addresses, account(i))
			}
			must.Do(t, w.checkTransfers())
			found, _, err := node{client}.notices(t.Context(), w, 0, 299)
			must.Do(t, err)
			var want, got []string
			for i, id := range c.wanted(Both, w.Addresses...) {
				if i%4 >= least {
					want = append(want, id)
				}
			}
			for _, transfer := range found {
				got = append(got, transfer.place().ID)
			}
			expect.That(t, slices.Equal(got, want) && len(want) != 0, "%d found, want %d", len(got), len(want))
		})
	}
}

// A log that has the name of a transfer, and is none of ERC-20, is delivered with the reason and no value. One that was
// not asked for is a fault of the node.
func TestOddTransfersAreMarked(t *testing.T) {
	c := newChain(7, 20)
	oddTransfers(c)
	w, marked := &Webhook{Label: "shop", Contract: (*txobject.Address)(&coin)}, 0
	for _, l := range c.logs {
		n := must.Get(w.read(&l, nil))(t)
		odd, transfer := len(l.Topics) != 3 || len(l.Data) != 32, n.(*Transfer)
		expect.That(t, odd == (transfer.Undecoded != "") && odd == (transfer.Value == "0") &&
			odd == (transfer.DataOmitted != nil), "log %d of block %d: %+v", l.Index, l.BlockNumber, transfer)
		if odd {
			marked++
			if o := transfer.DataOmitted; o.Bytes != len(l.Data) || o.Hash != crypto.Keccak256Hash(l.Data) {
				t.Errorf("%d bytes are marked by %+v", len(l.Data), o)
			}
		}
		expect.That(t, transfer.From == common.BytesToAddress(l.Topics[1][:]), "from %v", transfer.From)
	}
	expect.That(t, marked >= 4, "%d are odd", marked)
	for _, topics := range [][]common.Hash{nil, {{7}}, {{7}, {}, {}}} {
		expect.Error(t, expect.Err(w.read(&types.Log{Address: coin, Topics: topics}, nil)), errUnasked, "topics %v", topics)
	}
}
