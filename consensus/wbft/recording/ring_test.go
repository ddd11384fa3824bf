// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// sizeOf returns the number of files in a directory and of their bytes.
func sizeOf(t *testing.T, dir string) (files int, bytes int64) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		info := must.Get(e.Info())(t)
		bytes += info.Size()
	}
	return len(entries), bytes
}

// A ring that has wrapped has at most its size, and each of its segments replays.
func TestRingWrapsWithinItsSize(t *testing.T) {
	recorder, dir := newRing(t, MinSize, 0)
	c := newChain(t, recorder)
	for range 60 {
		c.decide(1)
		for range 3 {
			c.flood(1, 20_000)
			recorder.Flush()
			_, bytes := sizeOf(t, dir)
			must.That(t, bytes <= MinSize, "the ring has %d bytes, at most %d are allowed", bytes, MinSize)
		}
	}
	c.tape.End()
	_, err := os.Stat(filepath.Join(dir, "000000000001"+suffix))
	must.That(t, os.IsNotExist(err), "the first segment was not deleted: %v", err)
	segments, calls := replayAll(t, dir)
	expect.That(t, segments >= 5 && calls >= 100, "%d segments with %d calls are left", segments, calls)
}

// A sequence that does not end fills the ring and no more. The recording goes on with the next sequence.
func TestRingInASequenceWithoutEnd(t *testing.T) {
	recorder, dir := newRing(t, MinSize, 0)
	c := newChain(t, recorder)
	c.decide(2)
	c.flood(100, 20_000)
	recorder.Flush()
	_, bytes := sizeOf(t, dir)
	must.That(t, bytes <= MinSize, "the ring has %d bytes, at most %d are allowed", bytes, MinSize)
	c.decide(3)
	c.tape.End()
	segments, _ := replayAll(t, dir)
	expect.That(t, segments >= 1, "%d segments are left", segments)
	files := must.Get(Files(dir))(t)
	s := must.Get(OpenSegment(files[len(files)-1]))(t)
	expect.Error(t, s.Close(), nil, "Close")
	expect.That(t, s.Header.State.Begun && s.Header.Number != 0,
		"the last segment is number %d and has no start state of a later sequence", s.Header.Number)
}

// A directory that cannot be written loses calls and nothing else. Once it can, the next sequence is recorded.
func TestRingWithoutDisk(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "taken")
	must.Do(t, os.WriteFile(dir, nil, 0o600))
	ring := must.Get(NewRing(RingConfig{Dir: dir, Size: MinSize, Build: "test"}))(t)
	recorder := NewRecorder(ring)
	c := newChain(t, recorder)
	c.decide(3)
	recorder.Flush()
	must.Do(t, os.Remove(dir))
	c.decide(3)
	c.tape.End()
	must.Do(t, recorder.Close())
	segments, calls := replayAll(t, dir)
	expect.That(t, segments != 0 && calls >= 4, "%d segments with %d calls were recorded", segments, calls)
}

// What stays of a segment without a call is deleted, so that a full disk does not fill the directory with empty files.
func TestNoSegmentWithoutACall(t *testing.T) {
	recorder, dir := newRing(t, MinSize, 0)
	for range 5 {
		c := newChain(t, recorder)
		c.tape.recorder.put(&Call{Lost: 1, Input: LateSeals{}}, 0, true)
		recorder.Flush()
	}
	files, _ := sizeOf(t, dir)
	expect.Equal(t, files, 0, "files are left")
}

// Another start goes on with the next number, and keeps the segments before it.
func TestRingGoesOn(t *testing.T) {
	recorder, dir := newRing(t, MinSize, 0)
	for range 3 {
		c := newChain(t, recorder)
		c.decide(2)
		c.tape.End()
	}
	segments, calls := replayAll(t, dir)
	expect.That(t, segments == 3 && calls == 3*9, "%d segments with %d calls, want 3 with 27", segments, calls)
	_, err := NewRing(RingConfig{Dir: dir, Size: MinSize - 1})
	expect.Says(t, err, "too small", "a ring below the smallest size")
}

// A recorder without room loses calls and begins again with the start state of a later sequence.
func TestFullQueue(t *testing.T) {
	recorder, dir := newRing(t, MinSize, 0)
	c := newChain(t, recorder)
	c.decide(1)
	recorder.Flush()
	recorder.bytes.Add(maxQueuedBytes) // as if so much waited
	c.decide(1)
	recorder.bytes.Add(-maxQueuedBytes)
	must.That(t, c.tape.lost != 0, "no call was lost")
	c.decide(3)
	c.tape.End()
	segments, _ := replayAll(t, dir)
	expect.That(t, segments == 2, "%d segments, want one before the loss and one after it", segments)
}
