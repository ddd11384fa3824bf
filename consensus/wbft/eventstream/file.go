// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eventstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/internal/atomicfile"
)

const (
	// maxFile is the size in bytes at which the file is renamed, and keptFiles the number of renamed ones.
	maxFile   = 64 << 20
	keptFiles = 4
	// maxBuffer is the number of bytes that are written together, and after which without an error a file that failed is
	// sound again: on a disk that is nearly full, short writes pass now and then.
	maxBuffer = 64 << 10
)

var lostMeter = metrics.NewRegisteredMeter("wbft/events/lost", nil)

// fields are those of a record, by their names.
type fields map[string]any

// lines writes records to a file. A record that cannot be written leaves a gap in the sequence numbers.
type lines struct {
	path    string
	run     string
	largest int64

	file    *os.File
	size    int64 // of the file, without the buffer
	buffer  bytes.Buffer
	pending uint64 // records in the buffer
	seq     uint64
	failed  bool  // an error was logged, and the file is not sound again
	since   int64 // bytes written since the last error
}

// add adds a record with the fields that all records have.
func (l *lines) add(kind, node string, at time.Time, sinceStart time.Duration, f fields) {
	f["v"], f["kind"], f["node"], f["run"], f["seq"] = 1, kind, node, l.run, l.seq
	f["t_wall"], f["t_mono_ns"] = at.UTC().Format(time.RFC3339Nano), sinceStart.Nanoseconds()
	l.seq++
	line, err := json.Marshal(f)
	if err != nil {
		l.fail(1, fmt.Errorf("encode a record of kind %s: %w", kind, err))
		return
	}
	l.buffer.Write(append(line, '\n'))
	l.pending++
	if l.buffer.Len() >= maxBuffer {
		l.flush()
	}
}

// skip leaves a gap for records that are lost.
func (l *lines) skip(n uint64) {
	l.seq += n
	lostMeter.Mark(int64(min(n, 1<<32)))
}

// fail notes lost records, and logs the first of several errors.
func (l *lines) fail(records uint64, err error) {
	lostMeter.Mark(int64(min(records, 1<<32)))
	l.since = 0
	if !l.failed {
		l.failed = true
		log.Warn("Event stream interrupted", "file", l.path, "err", err,
			"remedy", "give the disk room, or name another file; the gap stays")
	}
}

// flush writes the buffer.
func (l *lines) flush() {
	if l.pending == 0 {
		return
	}
	if err := l.write(); err != nil {
		l.fail(l.pending, err)
	} else if l.since += int64(l.buffer.Len()); l.failed && l.since >= maxBuffer {
		l.failed = false
		log.Info("Event stream resumed", "file", l.path)
	}
	l.buffer.Reset()
	l.pending = 0
}

// write writes the buffer to the file. After an error no part of it stays.
func (l *lines) write() error {
	if l.file != nil && l.size+int64(l.buffer.Len()) > l.largest {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(l.buffer.Bytes())
	if err == nil {
		l.size += int64(n)
		return nil
	}
	if cutting := l.file.Truncate(l.size); cutting != nil {
		return fmt.Errorf("write events: %w; the file ends inside of a record: %w", err, cutting)
	}
	return fmt.Errorf("write events: %w", err)
}

// open opens the file for further records.
func (l *lines) open() error {
	file, err := atomicfile.AppendLines(l.path, isRecord)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.size = file, info.Size()
	return nil
}

// isRecord reports whether a line is a record, or the beginning of one.
func isRecord(line []byte, whole bool) bool {
	if !whole && bytes.HasPrefix(line, []byte(`{"`)) && !json.Valid(line) {
		return true
	}
	var r struct {
		Kind, Run string
		Seq       *uint64
	}
	return json.Unmarshal(line, &r) == nil && r.Kind != "" && r.Run != "" && r.Seq != nil
}

// name returns the name of a file: 0 is that of the records to come.
func (l *lines) name(n int) string {
	if n == 0 {
		return l.path
	}
	return fmt.Sprintf("%s.%d", l.path, n)
}

// check returns an error if one of the files is something else.
func (l *lines) check() error {
	for n := range keptFiles + 1 {
		if err := atomicfile.CheckLines(l.name(n), isRecord); err != nil {
			return err
		}
	}
	return nil
}

// rotate renames the files.
func (l *lines) rotate() error {
	if err := l.check(); err != nil {
		return err
	}
	err := l.file.Close()
	l.file = nil
	for n := keptFiles; n > 0 && err == nil; n-- {
		if err = os.Rename(l.name(n-1), l.name(n)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// close writes the buffer and closes the file.
func (l *lines) close() error {
	l.flush()
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
