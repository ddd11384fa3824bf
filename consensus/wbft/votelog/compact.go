// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"errors"
	"fmt"
	"slices"
)

// compactAfter is how many bytes may be appended, besides as many as are still needed, before the file is worth writing
// again. A full block of 2,000 transactions puts 0.3 to 0.6 MB into the log, since own proposals and the certificates
// of locks hold it, and 16 blocks are needed: so the disk is busy with a new file about once a minute. Less would have
// it busy more often, for the same 5 to 10 MB; more would fill the disk, and take longer to read at the start, for
// nothing.
const compactAfter = 16 << 20

// syncedAtOnce is how many bytes of a new file are written before they are synced. A file system may have the sync of a
// vote wait for all that others have written before, as ext4's journal does: with pieces that is little.
const syncedAtOnce = 1 << 20

// Wasteful reports whether so much was appended since the file was last rewritten that Compact is worth it.
func (l *Log) Wasteful() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size >= l.limit
}

// Compact rewrites the file with what is still needed: all digests, but payloads only of the newest round of each
// sequence. It may take seconds, in which Write goes on: what it confirms meanwhile is in the old file, and in the new
// one before that takes its place. A crash at any moment leaves one complete file with everything that was confirmed.
// After an error the old file stays in use, unless it was found while the new one took its place: then nothing can be
// written any more. Close makes it give up; the error wraps ErrClosed then.
func (l *Log) Compact() error {
	l.replacing.Lock()
	defer l.replacing.Unlock()
	if err := l.compact(); err != nil {
		return fmt.Errorf("vote log %s: write it anew: %w", l.path, err)
	}
	return nil
}

func (l *Log) compact() error {
	needed, err := l.beginCarrying()
	if err != nil {
		return err
	}
	next, err := l.writeAnew(needed) // takes long, so others may append
	l.mu.Lock()
	defer l.mu.Unlock()
	carried := l.carried
	l.carrying, l.carried = false, nil
	if err != nil {
		return err
	}
	if err := l.carryOver(next, carried); err != nil {
		return errors.Join(err, next.drop())
	}
	return l.takeOver(next)
}

// beginCarrying returns what is needed of all that was appended so far. What is appended from now on is noted besides.
func (l *Log) beginCarrying() (needed []entry, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return nil, err
	}
	l.carrying = true
	return l.needed(), nil
}

// carryOver appends to a new file what was appended to the old one while it was written, each frame again as one,
// durably.
func (l *Log) carryOver(next *successor, carried [][]entry) (err error) {
	if err := l.usable(); err != nil {
		return err
	}
	var frames []byte
	for _, entries := range carried {
		if frames, err = next.marker.frame(frames, entries...); err != nil {
			return err
		}
	}
	if len(frames) == 0 {
		return nil
	}
	return next.append(frames)
}

// writeAnew writes and syncs a file with these entries beside the log's. It needs no lock but that on replacing.
func (l *Log) writeAnew(entries []entry) (*successor, error) {
	m, err := newMarker()
	if err != nil {
		return nil, err
	}
	content, err := m.file(entries)
	if err != nil {
		return nil, err
	}
	return l.writeBeside(content, m)
}

// rewrite is Compact for who has the log to itself, or holds its lock.
func (l *Log) rewrite() error {
	next, err := l.writeAnew(l.needed())
	if err != nil {
		return err
	}
	return l.takeOver(next)
}

// successor is a file that is to replace the log's.
type successor struct {
	file   File
	disk   Disk
	path   string
	marker marker
	size   int64
}

// writeBeside writes content, whose frames have this marker, to a file beside the log's and syncs it. If that fails
// nothing is left of it.
func (l *Log) writeBeside(content []byte, m marker) (*successor, error) {
	next := &successor{disk: l.disk, path: l.path + newSuffix, marker: m}
	var err error
	if next.file, err = l.disk.Create(next.path); err != nil {
		return nil, err
	}
	if err := next.append(content); err != nil {
		return nil, errors.Join(err, next.drop())
	}
	return next, nil
}

// append writes b to the end of the file and syncs it.
func (s *successor) append(b []byte) error {
	for piece := range slices.Chunk(b, syncedAtOnce) {
		if _, err := s.file.WriteAt(piece, s.size); err != nil {
			return err
		}
		s.size += int64(len(piece))
		if err := s.file.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// drop removes the file.
func (s *successor) drop() error { return errors.Join(s.file.Close(), s.disk.Remove(s.path)) }

// takeOver puts a new file in the place of the log's. Unless the log is broken then, an error leaves the old one in
// use.
func (l *Log) takeOver(next *successor) error {
	err := next.file.Close()
	if err != nil {
		return errors.Join(err, l.disk.Remove(next.path))
	}
	// From here on a crash may leave the old file or the new one. They say the same, but unless the change is known
	// to be durable, what is written to one may be lost with the other.
	if l.file != nil {
		err = l.file.Close()
	}
	if err == nil {
		err = l.disk.Rename(next.path, l.path)
	}
	if err == nil {
		l.file, err = l.disk.Open(l.path)
	}
	if err != nil {
		l.file, l.broken = nil, err
		return err
	}
	l.marker = next.marker
	l.size = next.size
	l.limit = 2*l.size + compactAfter
	return nil
}
