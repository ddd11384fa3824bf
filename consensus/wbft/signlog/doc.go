// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package signlog is the durable memory of a validator key, the vote log: what it has signed, and the prepared certificates
// it is locked on, sequence by sequence. A vote that Write returned for survives a crash or power loss, and the log refuses
// to record one that contradicts it, so that a restarted validator neither signs two blocks in one view nor forgets its lock
// (spec wbft 9.1 no. 3).
//
// Only the file lives here; the meaning of payloads and certificates is for the state machine. It uses no clock, log
// or network.
//
// The file is a header (magic and a random marker) followed by frames, each of one or more entries; the first one of the file names
// the validator and the network it belongs to. Every frame of a file in use is synced before the next is begun, so a crash can only
// leave a torn frame at the end, which is cut off when the file is opened. A frame that is complete but wrong is damage, at the end too:
// its votes may have been sent. frame.go says how the two are told apart. The random marker keeps a payload from looking like a frame.
// A file in an older format is refused.
//
// A file with much in it that was let go of (Prune) is replaced by a new one (Compact), which is written beside it while votes go on.
// What the old file takes meanwhile is noted, framed with the new file's marker and synced there, before the new one takes its place by
// a rename: so whichever of the two a crash leaves has everything that Write has confirmed.
package signlog
