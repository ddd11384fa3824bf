// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package votelog is the vote log: the durable memory of what a validator key has signed. It holds signed messages and
// the prepared certificates that the key is locked on, by sequence. A vote for which Write has returned survives a
// crash or power loss. The log refuses a vote that contradicts a recorded one, so a restarted validator keeps its votes
// and its lock (spec wbft 9.1 no. 3).
//
// The package has the file, its format, and the interchange of its content between machines. The meaning of payloads
// and certificates belongs to the consensus core. The package uses no clock, logger or network.
//
// The file is a header (magic and a random marker) followed by frames of one or more entries. The first entry names the
// validator and the network of the file. Every frame is synced before the next frame is begun. A crash therefore leaves
// a torn frame only at the end, where Open cuts it off. A complete frame with wrong content is damage, also at the end:
// its votes may have been sent. frame.go distinguishes the two. The marker keeps a payload from looking like a frame. A
// file in an older format is refused.
//
// Prune drops old sequences from memory. Compact replaces the file by a smaller one, which is written in the
// background. Votes that the old file takes meanwhile are synced in the new file before a rename puts the new file in
// place. Either file, as a crash may leave it, has everything that Write has confirmed.
package votelog
