// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
)

// Errors of files.
var (
	// ErrNoRecording means that a file is no recording at all.
	ErrNoRecording = errors.New("no recording of gwon")
	// ErrVersion means that a recording has another format.
	ErrVersion = errors.New("a recording in another format: replay it with the gwon that wrote it")
	// ErrDamaged means that bytes inside of a recording are wrong. What is before them is intact.
	ErrDamaged = errors.New("the recording is damaged")
	// ErrTorn means that a recording ends inside of a record, as after a kill. What is before is intact.
	ErrTorn = errors.New("the recording ends inside of a record, as after a kill of the node")
)

// Segment is a recording from a start state on.
type Segment struct {
	Header Header

	in     *bufio.Reader
	closer io.Closer
	at     int64 // bytes that were read
}

// NewSegment reads the header of a segment.
func NewSegment(in io.Reader) (*Segment, error) {
	s := &Segment{in: bufio.NewReaderSize(in, 64<<10)}
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(s.in, begin); err != nil || string(begin[:len(magicPrefix)]) != magicPrefix {
		return nil, ErrNoRecording
	}
	if string(begin) != magic {
		return nil, fmt.Errorf("%w: it has format %q, this program reads %q", ErrVersion, begin[len(magicPrefix):],
			magic[len(magicPrefix):])
	}
	s.at = int64(len(magic))
	body, err := s.frame()
	if errors.Is(err, io.EOF) {
		err = ErrTorn
	}
	if err != nil {
		return nil, err
	}
	if err := rlp.DecodeBytes(body, &s.Header); err != nil {
		return nil, fmt.Errorf("%w: its header cannot be decoded: %w", ErrDamaged, err)
	}
	return s, nil
}

// OpenSegment opens the segment in a file. Close closes it. Errors about the content do not name the file.
func OpenSegment(path string) (*Segment, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := NewSegment(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	s.closer = file
	return s, nil
}

// Close closes the file of the segment.
func (s *Segment) Close() error {
	if s.closer == nil {
		return nil
	}
	return s.closer.Close()
}

// frame reads the next frame: io.EOF at the end of the file, ErrTorn inside of the last frame.
func (s *Segment) frame() ([]byte, error) {
	var head [frameHead]byte
	switch _, err := io.ReadFull(s.in, head[:]); {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrTorn
	case err != nil:
		return nil, err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > messages.MaxStored {
		return nil, s.damaged(fmt.Sprintf("a record of %d bytes", length))
	}
	body, err := io.ReadAll(io.LimitReader(s.in, int64(length))) // grows with what is there, not with what is claimed
	if err != nil {
		return nil, err
	}
	if len(body) < int(length) {
		return nil, ErrTorn
	}
	if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(head[4:]) {
		if _, err := s.in.Peek(1); errors.Is(err, io.EOF) {
			return nil, ErrTorn
		}
		return nil, s.damaged("a wrong checksum")
	}
	s.at += frameHead + int64(length)
	return body, nil
}

func (s *Segment) damaged(what string) error {
	return fmt.Errorf("%w: %s after byte %d", ErrDamaged, what, s.at)
}

// next reads the next record.
func (s *Segment) next() (*record, error) {
	body, err := s.frame()
	if err != nil {
		return nil, err
	}
	r := new(record)
	if err := rlp.DecodeBytes(body, r); err != nil {
		return nil, s.damaged(fmt.Sprintf("a record that cannot be decoded (%v)", err))
	}
	return r, nil
}

// Files returns the segments that paths name, oldest first for each path: files, directories of a recorder, and data
// directories that have one below.
func Files(paths ...string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil, noRecording(path)
		}
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		found := 0
		for _, dir := range []string{path, filepath.Join(path, Dir), filepath.Join(path, "gwon", Dir)} {
			names, err := segmentsIn(dir)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				files = append(files, filepath.Join(dir, name))
			}
			found += len(names)
		}
		if found == 0 {
			return nil, noRecording(path)
		}
	}
	return files, nil
}

func noRecording(path string) error {
	return fmt.Errorf("%s has no recording: name a directory %q, or a data directory with one", path, Dir)
}

// Dir is the name of the directory of a recorder in the instance directory of a node.
const Dir = "recorder"
