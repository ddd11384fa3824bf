// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/finality/remotestate/remotetest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Each block that the gas limit allows is passed: what it has for the webhook arrives, and what comes after it.
//
// spec: wbft 7.1
func TestWorstBlocksArePassed(t *testing.T) {
	events := Webhook{Contracts: []common.Address{kiosk(0)}, Event: []EventFilter{{Signature: "Paid(bytes)"}}, Start: "0"}
	filter := events.Event[0]
	must.Do(t, filter.check(""))
	for _, worst := range remotetest.WorstBlocks(kiosk(0), filter.event.topic) {
		if testing.Short() && worst.Slow {
			continue
		}
		c := remotetest.New(t, testChain)
		block := c.Grow(t, worst.Logs...)
		after := c.Grow(t, []*types.Log{
			payment(account(1), account(3), 5), {Address: kiosk(0), Topics: []common.Hash{filter.event.topic}},
		})
		var wantEvents []string
		for _, r := range c.Receipts(block.NumberU64()) {
			for _, l := range r.Logs {
				if len(l.Topics) == 1 {
					wantEvents = append(wantEvents, fmt.Sprintf("%v-%d", block.Hash(), l.Index))
				}
			}
		}
		wantEvents = append(wantEvents, fmt.Sprintf("%v-1", after.Hash()))
		for _, webhook := range []struct {
			name    string
			webhook Webhook
			want    []string
		}{
			{"transfers", Webhook{Addresses: []common.Address{account(3)}, Start: "0"},
				[]string{fmt.Sprintf("%v-0", after.Hash())}},
			{"events", events, wantEvents},
		} {
			t.Run(worst.Name+", "+webhook.name+", proven", func(t *testing.T) {
				r, config := newReceiver(t, "unused", webhook.webhook)
				r.any = true
				expect.Error(t, provenUntil(t, c, config, r, webhook.want, c.Serve(t, nil)), nil, "provenUntil")
			})
			t.Run(worst.Name+", "+webhook.name+", public profile", func(t *testing.T) {
				r, config := newReceiver(t, c.Serve(t, nil).URL, webhook.webhook) // whose searches are all refused
				r.any = true
				runUntil(t, config, r, webhook.want)
			})
		}
	}
}
