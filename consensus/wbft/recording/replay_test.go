// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// changed returns a segment with one record changed, by its number from 1.
func changed(t *testing.T, content []byte, number int, change func(*record)) []byte {
	t.Helper()
	out := append([]byte(nil), magic...)
	for i, rest := 0, content[len(magic):]; len(rest) > 0; i++ {
		n := int(rest[0])<<24 | int(rest[1])<<16 | int(rest[2])<<8 | int(rest[3])
		body := rest[frameHead : frameHead+n]
		rest = rest[frameHead+n:]
		if i == number {
			r := new(record)
			must.Do(t, rlp.DecodeBytes(body, r))
			change(r)
			var err error
			body, err = rlp.EncodeToBytes(r)
			must.Do(t, err)
		}
		out = appendFrame(out, body)
	}
	return out
}

// A replay finds the first output that differs, whatever part of a record it is in.
func TestDifference(t *testing.T) {
	content := segmentOf(t)
	for name, row := range map[string]struct {
		number int
		change func(*record)
		want   string
	}{
		"delay of a timer": {1, func(r *record) { r.Outputs[len(r.Outputs)-1].Delay++ }, "recorded timer"},
		"missing output":   {1, func(r *record) { r.Outputs = r.Outputs[:1] }, "recorded nothing, replayed"},
		"further output": {
			4, func(r *record) { r.Outputs = append(r.Outputs, Output{Kind: "send"}) }, "recorded send, replayed nothing",
		},
		"digest":       {2, func(r *record) { r.Outputs[0].Digest[3]++ }, "call 2 (own block"},
		"missing seal": {3, func(r *record) { r.Signatures = r.Signatures[1:] }, "call 3 (verdict on"},
		"further seal": {
			3, func(r *record) { r.Signatures = append(r.Signatures, Signature{}) }, "replayed another number",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := NewSegment(bytes.NewReader(changed(t, content, row.number, row.change)))
			must.Do(t, err)
			_, err = s.Replay(nil)
			var d *Difference
			expect.That(t, errors.As(err, &d) && strings.Contains(err.Error(), row.want), "error %v, want %q", err, row.want)
			if d != nil && d.RecordedBy != "test" {
				t.Errorf("recorded by %q", d.RecordedBy)
			}
		})
	}
}

// A payload that the core did not look at is left out of the record, and the segment replays.
func TestUnopenedMessages(t *testing.T) {
	recorder, dir := newRing(t, 64<<20, 0)
	c := newChain(t, recorder)
	c.decide(1)
	for range 100 {
		c.flood(1, 100_000) // of one deliverer, of which four are looked at
	}
	c.tape.End()
	_, size := sizeOf(t, dir)
	expect.That(t, size <= 600_000, "the recording of 100 messages, 4 of which are looked at, has %d bytes", size)
	_, calls := replayAll(t, dir)
	expect.That(t, calls >= 100, "%d calls", calls)
}
