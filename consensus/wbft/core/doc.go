// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package core is the WBFT protocol as a state machine. It has no goroutine, clock, socket, disk, log or global.
// One event and the time go in, an ordered list of effects comes out. The same events at the same times give the
// same effects, byte for byte.
//
// The driver around the core runs this loop:
//
//	c := core.New(config)
//	c.Restore(voteLog.Content())
//	effects := c.Step(time.Now(), core.NewHead{Head: head})
//	for {
//		for _, effect := range effects {
//			perform(effect) // in order; Persist and PersistLock return once the record is durable
//		}
//		event := <-events // messages, timeouts, verdicts, candidates, new heads, connections
//		effects = c.Step(time.Now(), event)
//	}
//
// The driver has four duties:
//   - The effects of one step are carried out strictly in order. A Persist or PersistLock is durable before the next
//     effect begins. If it fails, no later effect leaves the process. The driver may write all records of a step
//     together, before the first effect.
//   - Every Execute is answered with exactly one Validated, unless a Cancel for its block comes before.
//   - Every SetTimer comes back as a Timeout after its delay. A later timer of the same kind replaces an earlier one.
//   - Every new chain head is reported as NewHead, the first one before any other event.
//
// Core holds what the QBFT paper has: height, round, state, lock and round changes. Three types answer the questions
// beside it: signer (what the key may sign), presence (which validators are unresponsive or disconnected) and
// certificates (what was verified in the sequence).
//
// Protocol decisions belong here. Waiting, clocks and input or output do not.
//
// These files have the parts:
//
//	core.go, events.go, effects.go          Core, Step, and what goes in and out
//	admit.go, screen.go                     which messages are examined, in the order of costs
//	outcome.go, deliveries.go               what a message without effect costs its deliverer
//	limits.go                               bounds on what is examined and kept
//	backlog.go                              messages that come too early
//	preprepare.go, vote.go, roundchange.go  handlers of the four kinds of messages
//	execution.go                            which proposals are executed, and how long
//	candidate.go                            own proposals
//	round.go, status.go                     sequences and rounds
//	tally.go, justify.go, certificates.go   quorums and proofs
//	blocks.go, senders.go                   known blocks, distinct authors
//	timers.go, presence.go                  timeouts; unresponsive and disconnected validators
//	signer.go, ownmessage.go, invariants.go what the key may sign
//	restart.go, storedlock.go               what the vote log has
//	lateseals.go                            seals over the head
//	evidence.go                             faults of validators
//	relay.go, gaps.go, restate.go           messages that need help to arrive
//
// The package implements spec wbft 5 (states, admission, timers, handlers, late seals, justification) and the restart
// half of 5.10. Of the compatible improvements it has 9.1 nos. 1 to 6, 9.2 nos. 4, 5, 7, 8, 9, 10 and 12, 9.3 nos. 1
// and 2, and 9.4 no. 1.
package core
