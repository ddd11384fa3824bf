// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package votelog is the vote log: the durable memory of what a validator key has signed and of the prepared
// certificates that it is locked on, by sequence. A vote for which Write has returned survives a crash or power loss.
// The log refuses a vote that contradicts a recorded one, so a restarted validator neither signs two blocks in one view
// nor forgets its lock (spec wbft 9.1 no. 3).
//
// What belongs in it: the file, its format, and the interchange of its content between machines. What payloads and
// certificates mean is for the consensus core. The package uses no clock, logger or network.
//
// The file is a header (magic and a random marker) followed by frames of one or more entries. The first entry names the
// validator and the network that the file belongs to. Every frame is synced before the next one is begun, so a crash
// can only leave a torn frame at the end, which is cut off when the file is opened. A complete frame that is wrong is
// damage, also at the end: its votes may have been sent. frame.go tells the two apart. The marker keeps a payload from
// looking like a frame. A file in an older format is refused.
//
// Prune forgets old sequences in memory, and Compact replaces the file by a smaller one, which is written in the
// background. Votes that the old file takes meanwhile are synced in the new file before a rename puts it in place.
// Whichever file a crash leaves has everything that Write has confirmed.
package votelog
