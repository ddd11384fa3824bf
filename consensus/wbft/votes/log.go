// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofrs/flock"
)

// Message codes that can be recorded (spec wbft 4.1).
const (
	PrePrepare  uint64 = 0x12
	Prepare     uint64 = 0x13
	Commit      uint64 = 0x14
	RoundChange uint64 = 0x15
)

var (
	// ErrConflict is returned for a vote or lock that contradicts a recorded one. It must not be signed or sent.
	ErrConflict = errors.New("contradicts what this key has signed before")

	// ErrPruned is returned for a vote in a sequence that was pruned: what was signed in it is not known any more.
	ErrPruned = errors.New("sequence was decided before and its record is gone; " +
		"remove the file only if the whole network rolled back")

	// ErrCorrupt is returned for a file that is damaged elsewhere than at its end.
	ErrCorrupt = errors.New("file is damaged; restore it, or remove it only if this key has certainly signed nothing " +
		"for the next block")

	// ErrInUse is returned when another process or another Log has the file open.
	ErrInUse = errors.New("in use by another process: one key must not validate twice")

	// ErrClosed is returned after Close.
	ErrClosed = errors.New("closed")
)

// Record is one signed message.
type Record struct {
	Code     uint64      // one of the four message codes
	Sequence uint64      //
	Round    uint64      //
	Digest   common.Hash // what the message says; two records of one code and view must agree in it
	Payload  []byte      // the message as sent; may come back empty for rounds below the newest of its sequence
}

type view struct{ code, sequence, round uint64 }

func (r *Record) view() view { return view{r.Code, r.Sequence, r.Round} }

// lock is the prepared certificate a validator is locked on.
type lock struct {
	sequence, round uint64
	certificate     []byte
}

// compactAfter is how many bytes may be appended before the file is written anew without what is not needed any more.
const compactAfter = 4 << 20

// Log is an open vote log. It is safe for concurrent use.
type Log struct {
	path string
	lock *flock.Flock
	disk disk

	mu      sync.Mutex
	file    file
	marker  [markerLength]byte
	size    int64 // end of the last whole frame
	limit   int64 // size at which to compact
	torn    int64
	broken  error  // once set, nothing can be recorded any more
	floor   uint64 // sequences below it are refused
	records map[view]Record
	locked  *lock
}

// Open opens the log at path or creates it, and locks it against a second process through a file with the suffix
// ".lock" beside it. What a crash left behind at the end is cut off. Errors name the file; they wrap ErrInUse or
// ErrCorrupt where these apply.
func Open(path string) (*Log, error) { return openOn(realDisk{}, path) }

func openOn(d disk, path string) (*Log, error) {
	held := flock.New(path + ".lock")
	ok, err := held.TryLock()
	if err != nil {
		return nil, fmt.Errorf("vote log %s: lock: %w", path, err)
	}
	if !ok {
		return nil, fmt.Errorf("vote log %s: %w", path, ErrInUse)
	}
	l := &Log{path: path, lock: held, disk: d, records: make(map[view]Record)}
	if err := l.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("vote log %s: %w", path, err), held.Unlock())
	}
	return l, nil
}

func (l *Log) open() error {
	content, err := os.ReadFile(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return l.rewrite()
	}
	if err != nil {
		return err
	}
	end, err := l.load(content)
	if err != nil {
		return err
	}
	if l.file, err = l.disk.open(l.path); err != nil {
		return err
	}
	l.size, l.torn, l.limit = end, int64(len(content))-end, 2*end+compactAfter
	if l.torn > 0 {
		if err := errors.Join(l.file.Truncate(end), l.file.Sync()); err != nil {
			return errors.Join(err, l.file.Close())
		}
	}
	return nil
}

// Torn returns how many bytes of an unfinished record were cut off when the log was opened. The vote they were part
// of had not left the process.
func (l *Log) Torn() int64 { return l.torn }

// Record makes r durable. When it returns nil the message may be sent, also after a restart. A record equal to an
// earlier one but for the payload is nothing new. The error wraps ErrConflict when the key has signed something else
// in the view, and ErrPruned when the sequence is decided.
func (l *Log) Record(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.record(r); err != nil {
		return fmt.Errorf("vote log %s: message 0x%x of sequence %d, round %d: %w",
			l.path, r.Code, r.Sequence, r.Round, err)
	}
	return nil
}

func (l *Log) record(r Record) error {
	known, err := l.check(r)
	if known || err != nil {
		return err
	}
	r.Payload = bytes.Clone(r.Payload)
	if err := l.append(voteEntry(r)); err != nil {
		return err
	}
	l.records[r.view()] = r
	return nil
}

// check tells whether r is known already, or why it cannot be recorded.
func (l *Log) check(r Record) (known bool, err error) {
	if r.Code < PrePrepare || r.Code > RoundChange {
		return false, errors.New("not a consensus message")
	}
	if r.Sequence < l.floor {
		return false, ErrPruned
	}
	old, known := l.records[r.view()]
	if known && old.Digest != r.Digest {
		return false, fmt.Errorf("%w: %v, now %v", ErrConflict, old.Digest, r.Digest)
	}
	return known, nil
}

// Sequence returns the newest sequence of the log and the records of it, ordered by round and code; 0 and none if
// nothing is recorded. It is what a restarted validator must not contradict.
func (l *Log) Sequence() (uint64, []Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := l.newest()
	var list []Record
	for v, r := range l.records {
		if v.sequence == newest {
			r.Payload = bytes.Clone(r.Payload)
			list = append(list, r)
		}
	}
	slices.SortFunc(list, byView)
	return newest, list
}

// newest is the highest sequence with a record or the lock.
func (l *Log) newest() (sequence uint64) {
	for v := range l.records {
		sequence = max(sequence, v.sequence)
	}
	if l.locked != nil {
		sequence = max(sequence, l.locked.sequence)
	}
	return sequence
}

// SetLock makes a prepared certificate durable; it replaces the one before. Another certificate of the same round is
// none the worse: two quorums of PREPAREs in one round are for one block. Going back to a lower round of the same
// sequence or to a lower sequence is ErrConflict.
func (l *Log) SetLock(sequence, round uint64, certificate []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.setLock(&lock{sequence, round, bytes.Clone(certificate)}); err != nil {
		return fmt.Errorf("vote log %s: lock of sequence %d, round %d: %w", l.path, sequence, round, err)
	}
	return nil
}

func (l *Log) setLock(next *lock) error {
	known, err := l.checkLock(next)
	if known || err != nil {
		return err
	}
	if err := l.append(lockEntry(next)); err != nil {
		return err
	}
	l.locked = next
	return nil
}

func (l *Log) checkLock(next *lock) (known bool, err error) {
	if next.sequence < l.floor {
		return false, ErrPruned
	}
	old := l.locked
	if old == nil {
		return false, nil
	}
	if order := cmp.Or(cmp.Compare(next.sequence, old.sequence), cmp.Compare(next.round, old.round)); order < 0 {
		return false, fmt.Errorf("%w: locked in sequence %d, round %d", ErrConflict, old.sequence, old.round)
	} else if order > 0 {
		return false, nil
	}
	return bytes.Equal(next.certificate, old.certificate), nil
}

// Lock returns the newest lock; ok is false if there is none.
func (l *Log) Lock() (sequence, round uint64, certificate []byte, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locked == nil {
		return 0, 0, nil, false
	}
	return l.locked.sequence, l.locked.round, bytes.Clone(l.locked.certificate), true
}

// Prune forgets sequence and everything below it, and refuses votes in them from now on. It is to be called once the
// block of that number is durable. The file is written anew only when there is enough to gain; if that fails the old
// one stays in use.
func (l *Log) Prune(sequence uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sequence == math.MaxUint64 {
		return nil
	}
	l.floor = max(l.floor, sequence+1)
	for v := range l.records {
		if v.sequence <= sequence {
			delete(l.records, v)
		}
	}
	if l.locked != nil && l.locked.sequence <= sequence {
		l.locked = nil
	}
	if l.size < compactAfter {
		return nil
	}
	if err := l.usable(); err != nil {
		return fmt.Errorf("vote log %s: %w", l.path, err)
	}
	if err := l.rewrite(); err != nil {
		return fmt.Errorf("vote log %s: prune: %w", l.path, err)
	}
	return nil
}

// Close releases the file. Everything recorded is durable already.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.broken, ErrClosed) {
		return nil
	}
	l.broken = ErrClosed
	var err error
	if l.file != nil {
		err = l.file.Close()
	}
	if err := errors.Join(err, l.lock.Unlock()); err != nil {
		return fmt.Errorf("vote log %s: close: %w", l.path, err)
	}
	return nil
}
