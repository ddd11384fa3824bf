// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

// awaitLate has the late seals of a head gathered in the quiet part of the period: they are there some round trips
// after the decision, and the next proposal carries them. There is no such part left when the block was decided late.
func (r *run) awaitLate(head *types.Header, period time.Duration) {
	start, now := time.Unix(int64(head.Time), 0), r.cfg.Engine.now()
	at := start.Add(period / 2)
	if soon := now.Add(period / 8); soon.After(at) {
		at = soon
	}
	if at.Before(start.Add(period * 7 / 8)) {
		r.work(func() {
			if r.sleepUntil(r.ctx, at) {
				post(r.ctx, r.jobs, func() { r.gatherLate(head) })
			}
		})
	}
}

// gatherLate verifies the late seals of the head. Who proposes next does the same, and the others know the sum of seals
// in its proposal then: its pairings do not stand between the proposal and their votes. When it has others it is
// verified as ever.
func (r *run) gatherLate(head *types.Header) {
	if r.head == nil || r.head.Hash() != head.Hash() {
		return
	}
	late := r.lateSeals()
	if late.Prepared == nil && late.Committed == nil {
		return
	}
	r.cfg.Engine.SetLateSeals(late)
	if err := r.cfg.Engine.expectSeals(r.cfg.Chain, r.head); err != nil {
		log.Debug("Seals of the next proposal not summed in advance", "parent", head.Number, "err", err)
	}
}

// lateSeals verifies and returns the late seals over the block that the state machine takes for the head.
func (r *run) lateSeals() *LateSeals {
	round, digest, prepared, committed := r.core.LateSeals()
	return &LateSeals{Parent: digest, Round: round, Prepared: prepared, Committed: committed}
}
