// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
)

// noteDropped counts a useless message and makes it welcome again. Its author may repeat it, and another validator may
// deliver the same bytes with effect. A large one is hashed in the background.
func (r *run) noteDropped(m core.Message, e core.Dropped) {
	r.driver.inbox.refund(e.Relayer)
	if e.Cause != "" {
		metrics.GetOrRegisterMeter("wbft/messages/dropped/"+string(e.Cause), nil).Mark(1)
	}
	if r.cfg.InlineUpkeep || len(m.Payload) <= messages.MaxSmall {
		r.cfg.Network.Forget(m.Payload)
		return
	}
	r.work(func() { r.cfg.Network.Forget(m.Payload) })
}
