// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/messages"
)

const (
	// MinSize is the smallest ring in bytes.
	MinSize = 1 << 20

	suffix = ".rec"
)

var (
	bytesGauge  = metrics.NewRegisteredGauge("wbft/recorder/bytes", nil)
	failedMeter = metrics.NewRegisteredMeter("wbft/recorder/failures", nil)
)

// segmentFile is a file of the ring.
type segmentFile struct {
	number uint64
	size   int64
}

// Ring is the writer of segments. All its files together have at most its size.
type Ring struct {
	cfg RingConfig

	files  []segmentFile // oldest first; the last one is written while file is open
	total  int64         // bytes of all files and of the buffer
	opened bool          // the directory was read
	file   *os.File      // nil while no segment is open
	buffer bytes.Buffer
	enc    encoder
	id     Identity
	run    uint64
	part   uint64 // number of the next segment of the run
	failed bool   // an error was logged, and no segment has come to its end since
	empty  int64  // size of the open segment without a call

	wants atomic.Bool
}

// RingConfig describes a ring.
type RingConfig struct {
	Dir     string
	Size    int64  // bound in bytes
	Segment int64  // bytes after which the next sequence begins another segment; 0 for the default
	Build   string // for the header
}

// NewRing returns a ring. Its directory is made when a core starts.
func NewRing(cfg RingConfig) (*Ring, error) {
	if cfg.Size < MinSize {
		return nil, fmt.Errorf("a recorder of %d bytes is too small: give at least %d, or 0 for none", cfg.Size, MinSize)
	}
	if cfg.Segment == 0 {
		cfg.Segment = min(4<<20, cfg.Size/8)
	}
	return &Ring{cfg: cfg}, nil
}

// open reads the directory, and deletes what exceeds the bound.
func (r *Ring) open() error {
	if err := os.MkdirAll(r.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the recorder: %w", err)
	}
	names, err := segmentsIn(r.cfg.Dir)
	if err != nil {
		return err
	}
	r.files, r.total = nil, 0
	for _, name := range names {
		info, err := os.Stat(filepath.Join(r.cfg.Dir, name))
		if err != nil {
			return fmt.Errorf("look at a segment of the recorder: %w", err)
		}
		number, _ := segmentNumber(name)
		r.files = append(r.files, segmentFile{number, info.Size()})
		r.total += info.Size()
	}
	r.opened = true
	return nil
}

// segmentNumber returns the number of a segment by its file name.
func segmentNumber(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, ok && err == nil && len(digits) == 12
}

// segmentsIn returns the names of the segments in a directory, oldest first.
func segmentsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the directory of the recorder: %w", err)
	}
	var names []string
	for _, e := range entries {
		if _, ok := segmentNumber(e.Name()); ok && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

func (r *Ring) path(number uint64) string {
	return filepath.Join(r.cfg.Dir, fmt.Sprintf("%012d%s", number, suffix))
}

// errNoRoom means that the open segment alone fills the ring.
var errNoRoom = errors.New("the sequence fills the whole ring")

// makeRoom deletes the oldest segments until this number of bytes and another file fit: each start of a validator
// begins one. The open segment stays.
func (r *Ring) makeRoom(n int64) error {
	for r.total+n > r.cfg.Size || len(r.files) >= 1024 {
		if len(r.files) == 0 || len(r.files) == 1 && r.file != nil {
			return errNoRoom
		}
		oldest := r.files[0]
		if err := os.Remove(r.path(oldest.number)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete the oldest segment of the recorder: %w", err)
		}
		r.files, r.total = r.files[1:], r.total-oldest.size
	}
	return nil
}

// WantsStart implements Writer.
func (r *Ring) WantsStart() bool { return r.wants.Load() }

// WantsNotes implements Writer.
func (r *Ring) WantsNotes() bool { return false }

// Write implements Writer.
func (r *Ring) Write(c *Call) {
	if begin, ok := c.Input.(Begin); ok {
		r.id, r.run, r.part = begin.Identity, uint64(c.At.UnixNano()), 0
	}
	if err := r.write(c); err != nil {
		r.fail(err)
	}
}

// fail ends the open segment after an error, until the next start state. It logs the first of several errors.
func (r *Ring) fail(err error) {
	failedMeter.Mark(1)
	if !r.failed {
		r.failed = true
		log.Warn("Recorder interrupted", "err", err, "remedy", "it goes on with a later block; give the disk room")
	}
	r.closeSegment()
	r.wants.Store(true)
}

// write writes a call. Without an open segment it waits for a start state.
func (r *Ring) write(c *Call) error {
	if c.Lost > 0 {
		if r.closeSegment(); c.Start == nil {
			r.wants.Store(true)
		}
	}
	_, starts := c.Input.(Begin)
	if c.Start != nil && (starts || r.file == nil || r.wants.Load()) { // several may have been on their way
		if err := r.begin(c); err != nil {
			return err
		}
	}
	if starts {
		return nil
	}
	if r.file == nil {
		lostMeter.Mark(1)
		return nil
	}
	body, err := r.enc.encode(c)
	if err != nil {
		return err
	}
	if err := r.append(body); err != nil {
		return err
	}
	if _, ok := c.Input.(End); ok {
		err := r.flush()
		r.closeSegment()
		return err
	}
	return nil
}

// begin begins a segment with the start state of a call.
func (r *Ring) begin(c *Call) error {
	if err := r.flush(); err != nil {
		return err
	}
	if r.failed && r.file != nil {
		r.failed = false
		log.Info("Recorder resumed", "dir", r.cfg.Dir)
	}
	r.closeSegment()
	if !r.opened {
		if err := r.open(); err != nil {
			return err
		}
	}
	r.enc = encoder{}
	header := Header{
		Build: r.cfg.Build, Genesis: r.id.Genesis, ChainID: r.id.ChainID, Validator: r.id.Validator,
		MaxTimeout: uint64(r.id.MaxTimeout), Limit: uint64(messages.Limit()), Run: r.run, Number: r.part,
		Since: uint64(c.Since), State: *c.Start, Strict: r.id.Strict,
	}
	body, err := rlp.EncodeToBytes(&header)
	if err != nil {
		return fmt.Errorf("encode the start state of the core: %w", err)
	}
	if len(body) > messages.MaxStored {
		return fmt.Errorf("the start state of the core has %d bytes, more than %d", len(body), messages.MaxStored)
	}
	if err := r.makeRoom(int64(len(magic) + frameHead + len(body))); err != nil {
		return err
	}
	number := uint64(1)
	if n := len(r.files); n > 0 {
		number = r.files[n-1].number + 1
	}
	file, err := os.OpenFile(r.path(number), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("begin a segment of the recorder: %w", err)
	}
	r.file, r.files = file, append(r.files, segmentFile{number: number})
	r.part++
	r.buffer.WriteString(magic)
	r.count(int64(len(magic)))
	r.wants.Store(false)
	err = r.append(body)
	r.empty = r.files[len(r.files)-1].size
	return err
}

// count adds bytes to the open segment.
func (r *Ring) count(n int64) {
	r.total += n
	r.files[len(r.files)-1].size += n
}

// append adds a frame to the buffer, and writes a full buffer.
func (r *Ring) append(body []byte) error {
	n := int64(frameHead + len(body))
	if err := r.makeRoom(n); err != nil {
		return err
	}
	r.buffer.Write(appendFrame(r.buffer.AvailableBuffer(), body))
	r.count(n)
	if r.files[len(r.files)-1].size >= r.cfg.Segment {
		r.wants.Store(true)
	}
	if r.buffer.Len() >= 256<<10 {
		return r.flush()
	}
	return nil
}

// flush writes the buffer.
func (r *Ring) flush() error {
	if r.file == nil || r.buffer.Len() == 0 {
		return nil
	}
	_, err := r.file.Write(r.buffer.Bytes())
	r.buffer.Reset()
	if err != nil {
		return fmt.Errorf("write a segment of the recorder: %w", err)
	}
	bytesGauge.Update(r.total)
	return nil
}

// Idle implements Writer.
func (r *Ring) Idle() {
	if err := r.flush(); err != nil {
		r.fail(err)
	}
}

// closeSegment ends the open segment as it is on disk. It deletes a segment without a call.
func (r *Ring) closeSegment() {
	if r.file == nil {
		return
	}
	if r.buffer.Len() > 0 {
		_, _ = r.file.Write(r.buffer.Bytes()) // after an error; a reader cuts off what is torn
	}
	last := &r.files[len(r.files)-1]
	if info, err := r.file.Stat(); err == nil {
		r.total += info.Size() - last.size
		last.size = info.Size()
	}
	if err := r.file.Close(); err != nil {
		log.Debug("Segment of the recorder not closed", "err", err)
	}
	r.file = nil
	r.buffer.Reset()
	if last.size <= r.empty && os.Remove(r.path(last.number)) == nil {
		r.total -= last.size
		r.files = r.files[:len(r.files)-1]
	}
}

// Close implements Writer.
func (r *Ring) Close() error {
	err := r.flush()
	r.closeSegment()
	return err
}
