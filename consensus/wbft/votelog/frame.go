// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	randv2 "math/rand/v2"

	"gwon/consensus/wbft/messages"
)

// A frame is
//
//	marker (8) | length of the body (4) | CRC-32C of length and body (4) | CRC-32C of all before (4) | body | trailer (8)
//
// A crash while it is written leaves a part of it and nothing, or zeros, in place of the rest: behind some byte, or in
// whole sectors. A frame that is complete but wrong was whole once, and what it says may have been sent. So that the
// two can be told apart no byte of marker and trailer is zero, and a body with as many zeros in a row as a sector has
// bytes is whitened, which the highest bit of its length says: a sector of zeros was never written. Marker and trailer
// have two bits set in each byte, so that one bit that flips makes no zero.
const (
	frameHead = markerLength + 4 + 4 + 4

	// frameOverhead is all but the body.
	frameOverhead = frameHead + int64(len(trailer))

	trailer = "\xa5\x5a\xc3\x3c\x96\x69\xf0\x0f"

	// white marks the length of a body that is whitened.
	white = 1 << 31

	// sector is what a disk writes as a whole, in bytes. Larger ones are multiples of it.
	sector = 512
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// marker begins each frame of a file, and no frame of another one.
type marker [markerLength]byte

// newMarker returns a random marker; none of its bytes has fewer than two bits set.
func newMarker() (m marker, err error) {
	if _, err = rand.Read(m[:]); err != nil {
		return m, err
	}
	for i, b := range m {
		if b&(b-1) == 0 {
			m[i] = b ^ 0x5a
		}
	}
	return m, nil
}

// whiten turns a plain body into a white one, and back.
func whiten(head, body []byte) {
	var seed [32]byte
	copy(seed[:], head)
	source := randv2.NewChaCha8(seed)
	pad := make([]byte, len(body))
	_, _ = source.Read(pad) // never fails
	for i, p := range pad {
		body[i] ^= p
	}
}

// frame appends a frame of these entries to b. A crash leaves all of them or none.
func (m marker) frame(b []byte, entries ...entry) ([]byte, error) {
	at := len(b)
	b, err := appendEntries(append(b, make([]byte, frameHead)...), entries)
	if err != nil {
		return nil, err
	}
	head, body := b[at:at+frameHead:at+frameHead], b[at+frameHead:]
	if len(body) > messages.MaxStored {
		return nil, fmt.Errorf("record of %d bytes is larger than %d", len(body), messages.MaxStored)
	}
	size := uint32(len(body))
	if bytes.Contains(body, make([]byte, sector)) {
		size |= white
	}
	rest := head[copy(head, m[:]):]
	binary.BigEndian.PutUint32(rest, size)
	binary.BigEndian.PutUint32(rest[4:], checksum(rest[:4], body))
	binary.BigEndian.PutUint32(rest[8:], crc32.Checksum(head[:frameHead-4], castagnoli))
	if size&white != 0 {
		whiten(head, body)
	}
	return append(b, trailer...), nil
}

func checksum(length, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, body)
}

// headOf returns the size of the body of the frame that b starts with, and whether it is whitened; ok is false if b
// does not start with the sound head of a frame.
func (l *Log) headOf(b []byte) (size int64, whitened, ok bool) {
	if len(b) < frameHead || !bytes.HasPrefix(b, l.marker[:]) ||
		crc32.Checksum(b[:frameHead-4], castagnoli) != binary.BigEndian.Uint32(b[frameHead-4:]) {
		return 0, false, false
	}
	length := binary.BigEndian.Uint32(b[markerLength:])
	size = int64(length &^ white)
	return size, length&white != 0, size <= messages.MaxStored
}

// split takes the first frame off b. ok is false if b does not start with a whole and sound one.
func (l *Log) split(b []byte) (body, rest []byte, ok bool) {
	size, whitened, ok := l.headOf(b)
	if !ok || size > int64(len(b))-frameOverhead {
		return nil, b, false
	}
	body, rest = b[frameHead:frameHead+size], b[frameHead+size:]
	if !bytes.HasPrefix(rest, []byte(trailer)) {
		return nil, b, false
	}
	if whitened {
		body = bytes.Clone(body)
		whiten(b[:frameHead], body)
	}
	ok = checksum(b[markerLength:markerLength+4], body) == binary.BigEndian.Uint32(b[markerLength+4:])
	return body, rest[len(trailer):], ok
}

// torn reports whether the end of a file, which does not start with a sound frame, is one whose writing a crash cut
// short. at is where in the file it begins.
func (l *Log) torn(end []byte, at int) bool {
	zerosFrom := len(bytes.TrimRight(end, "\x00"))
	size, _, ok := l.headOf(end)
	switch {
	case len(end) < frameHead:
		return true
	case !ok:
		return zerosFrom < frameHead || unwritten(end, at)
	case int64(len(end)) < frameOverhead+size:
		return true // shorter than its length, which is sound
	case int64(zerosFrom) < frameOverhead+size:
		return true
	}
	return int64(len(end)) == frameOverhead+size && unwritten(end, at)
}

// unwritten reports whether one of the sectors that a frame at a place in the file covers has nothing but zeros of it.
func unwritten(frame []byte, at int) bool {
	for len(frame) > 0 {
		piece := frame[:min(len(frame), sector-at%sector)]
		if len(bytes.Trim(piece, "\x00")) == 0 {
			return true
		}
		frame, at = frame[len(piece):], at+len(piece)
	}
	return false
}
