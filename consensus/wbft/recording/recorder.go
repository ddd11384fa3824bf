// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/metrics"
)

// maxQueuedBytes bounds the calls that wait for the disk.
const maxQueuedBytes = 48 << 20

var lostMeter = metrics.NewRegisteredMeter("wbft/recorder/lost", nil) // calls that were not recorded

// Writer takes the calls of a core in their order. It handles its own errors: a call that it cannot write is lost.
type Writer interface {
	// Write takes a call.
	Write(c *Call)
	// Idle tells that no further call waits.
	Idle()
	// WantsStart reports whether the next sequence should come with its start state. Any goroutine may ask.
	WantsStart() bool
	// WantsNotes reports whether the effects should have notes.
	WantsNotes() bool
	// Close ends the writer.
	Close() error
}

// Recorder gives calls to writers in a goroutine of its own.
type Recorder struct {
	writers []Writer
	notes   bool
	queue   chan item
	bytes   atomic.Int64
	closing sync.Once
	done    chan struct{}
}

// item is a call with its size, or a request to say when all before it is written.
type item struct {
	call    *Call
	size    int
	flushed chan struct{}
}

// NewRecorder returns a recorder, or nil without a writer. Close ends it.
func NewRecorder(writers ...Writer) *Recorder {
	if len(writers) == 0 {
		return nil
	}
	r := &Recorder{writers: writers, queue: make(chan item, 8192), done: make(chan struct{})}
	for _, w := range writers {
		r.notes = r.notes || w.WantsNotes()
	}
	go r.run()
	return r
}

func (r *Recorder) run() {
	defer close(r.done)
	for i := range r.queue {
		if i.flushed != nil {
			for _, w := range r.writers {
				w.Idle()
			}
			close(i.flushed)
			continue
		}
		idle := len(r.queue) == 0
		for _, w := range r.writers {
			w.Write(i.call)
			if idle {
				w.Idle()
			}
		}
		r.bytes.Add(-int64(i.size))
	}
}

// put queues a call and reports whether there was room. With wait it waits for room.
func (r *Recorder) put(c *Call, size int, wait bool) bool {
	if wait {
		r.queue <- item{call: c}
		return true
	}
	if r.bytes.Add(int64(size)) <= maxQueuedBytes {
		select {
		case r.queue <- item{call: c, size: size}:
			return true
		default:
		}
	}
	r.bytes.Add(-int64(size))
	lostMeter.Mark(1)
	return false
}

// wantsStart reports whether a writer wants the start state of the next sequence.
func (r *Recorder) wantsStart() bool {
	return slices.ContainsFunc(r.writers, Writer.WantsStart)
}

// Flush waits until all queued calls are written.
func (r *Recorder) Flush() {
	flushed := make(chan struct{})
	r.queue <- item{flushed: flushed}
	<-flushed
}

// Close writes what waits and closes the writers. No tape may be in use.
func (r *Recorder) Close() (err error) {
	if r == nil {
		return nil
	}
	r.closing.Do(func() {
		close(r.queue)
		<-r.done
		for _, w := range r.writers {
			err = errors.Join(err, w.Close())
		}
	})
	return err
}
