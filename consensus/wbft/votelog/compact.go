// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"errors"
	"fmt"
	"slices"
)

// compactAfter is the number of bytes, beyond twice those that were needed at the last rewrite, after which Compact is
// worth its cost. A block of 2,000 transactions adds 0.3 to 0.6 MB, so that 5 to 10 MB are needed and a compaction runs
// about once a minute. A higher value costs disk and a longer start.
const compactAfter = 16 << 20

// Wasteful reports whether enough was appended since the last Compact, or is there since Open, that Compact is worth
// its cost.
func (l *Log) Wasteful() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size >= l.limit
}

// Compact rewrites the file with what is still needed: all digests, and payloads of the newest round of each sequence.
// Compact may take seconds. Write continues meanwhile, in the old file, and its frames are copied to the new file
// before the exchange. A crash at any moment leaves one complete file with every confirmed vote.
//
// After an error the old file stays in use. An error during the exchange itself leaves the log unusable. Close cancels
// Compact, whose error then wraps ErrClosed.
func (l *Log) Compact() error {
	l.replacing.Lock()
	defer l.replacing.Unlock()
	if err := l.compact(); err != nil {
		return fmt.Errorf("vote log %s: rewrite: %w", l.path, err)
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

// beginCarrying returns the entries that are still needed. Entries that are appended from now on are noted in
// l.carried.
func (l *Log) beginCarrying() (needed []entry, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return nil, err
	}
	l.carrying = true
	return l.needed(), nil
}

// carryOver appends durably, frame by frame, what the old file took while the new file was written.
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

// writeAnew writes and syncs a file with these entries next to the log's. The caller holds l.replacing or has the log
// to itself.
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

// rewrite is Compact for a caller that has the log to itself or holds its lock.
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

// writeBeside writes content, whose frames have this marker, to a file next to the log's and syncs it. After an error
// the new file is removed.
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

// append writes b to the end of the file and syncs it. A journal as that of ext4 may delay the sync of a vote by all bytes
// written before, so pieces are small.
func (s *successor) append(b []byte) error {
	for piece := range slices.Chunk(b, 1<<20) {
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

// takeOver puts a new file in the place of the log's. An error leaves the old file in use, unless it marks the log as
// broken.
func (l *Log) takeOver(next *successor) error {
	err := next.file.Close()
	if err != nil {
		return errors.Join(err, l.disk.Remove(next.path))
	}
	// From here on a crash may leave either file. Both have the same content, but a vote in one is lost with the other
	// unless the rename is known to be durable.
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
