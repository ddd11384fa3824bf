// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package recording keeps what goes into the state machine of a validator and what comes out of it, and plays it again.
// The state machine is pure (package core), so a recording explains every decision of the validator afterwards.
//
// A Tape stands between the driver and its core. It passes each call on, and hands it to a Recorder. The Recorder has
// a bounded queue and a goroutine that gives the calls to writers: a Ring of files, and an event stream (package
// eventstream). Neither a slow disk nor a full one delays the core: calls are lost then, and counted.
//
// A file of the ring is a segment: a header with the start state of the core (core.StartState), then calls in their
// order. Each segment is replayed by itself (Replay), so the oldest can be deleted. A kill of the process leaves a torn
// record at the end, which a reader cuts off by its checksum.
//
// Files:
//
//	tape.go      the core of a driver with its calls watched
//	recorder.go  the queue and its goroutine
//	record.go    the format of calls
//	output.go    the format of effects
//	ring.go      files, rotation, bounds
//	reader.go    segments of files and directories
//	replay.go    the shipping core over a segment
//
// The formats of files belong here. What a recording means belongs to package explain.
package recording
