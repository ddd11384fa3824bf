// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package core is the WBFT protocol as a state machine. It has no goroutine, clock, socket, disk, log or global: it is
// given one event and the time, and answers with the ordered list of effects the shell around it must carry out. The
// same events at the same times give the same effects, byte for byte.
//
// The shell's duties:
//   - carry out the effects of one Step strictly in order; a Persist or PersistLock must be durable before the effects
//     after it are begun, and if it fails nothing after it may leave the process;
//   - answer every Execute with exactly one Validated;
//   - give back every SetTimer as a Timeout after its delay; a later one of the same kind replaces an earlier one;
//   - report each new chain head as NewHead, the first one before anything else.
//
// What may enter: protocol decisions. What may not: anything that waits, reads a clock or touches the world.
//
// It realises spec wbft 5 (states, admission, timers, handlers, extra seals, justification), the restart half of 5.10,
// and the improvements that section 9 marks as compatible: 9.1 nos. 1, 2, 3, 4, 5 and 6, 9.2 nos. 4, 5, 7, 8, 9, 10
// and 12, 9.3 nos. 1 and 2, 9.4 no. 1.
package core
