// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// oldFormatRemedy says how to convert a file of an older format. Builds up to that commit convert it at the start of a
// validator.
const oldFormatRemedy = "start the validator once with gwon of commit 5eb96ecc, which rewrites it in the present " +
	"format, or move it away: the validator then signs nothing until it can contradict nothing that was in it"

// Message codes that can be recorded (spec wbft 4.1).
const (
	PrePrepare  = messages.CodePrePrepare
	Prepare     = messages.CodePrepare
	Commit      = messages.CodeCommit
	RoundChange = messages.CodeRoundChange
)

var (
	// ErrConflict is returned for a vote or lock that contradicts a recorded one. It must not be signed or sent.
	ErrConflict = errors.New("contradicts what this key has signed before")

	// ErrPruned is returned for a vote in a pruned sequence, whose records are gone.
	ErrPruned = errors.New("sequence was decided before and its record is gone; " +
		"remove the file only if the whole network rolled back")

	// ErrCorrupt is returned for damage that no crash during a write explains.
	ErrCorrupt = errors.New("file is damaged; move it away: the validator then signs nothing until it can contradict " +
		"nothing that was in it")

	// ErrOldFormat is returned for a file in a format that is no longer read. The error names the format.
	ErrOldFormat = errors.New("file has the old format")

	// ErrForeign is returned for a file of another validator or of another network.
	ErrForeign = errors.New("not the log of this validator")

	// ErrInUse is returned when another process or another Log has the file open.
	ErrInUse = errors.New("in use by another process: one key must not validate twice")

	// ErrClosed is returned after Close.
	ErrClosed = errors.New("closed")
)

// Record is one signed message.
type Record struct {
	Code     uint64 // one of the four message codes
	Sequence uint64
	Round    uint64
	Digest   common.Hash // of what the message commits to; equal for all records of one code and view
	Payload  []byte      // the message as sent; may be dropped in rounds below the newest of the sequence
}

type view struct{ code, sequence, round uint64 }

func (r *Record) view() view { return view{r.Code, r.Sequence, r.Round} }

// Lock is a prepared certificate that the key is locked on.
type Lock struct {
	Sequence    uint64
	Round       uint64
	Certificate []byte // opaque
}

// Sequence has the records and the lock of one sequence.
type Sequence struct {
	Number  uint64
	Records []Record // by round and code
	Lock    *Lock    // nil for none
}

// Owner is the validator and network that a file belongs to.
type Owner struct {
	Validator common.Address
	Genesis   common.Hash // of the network
	ChainID   uint64      // of the network; 0 if it is not known
}

// Origin says which votes may be missing from a log.
type Origin struct {
	// Since is in seconds since 1970. The log has every vote from then on; 0 means all votes.
	Since uint64
	Lost  bool // earlier votes of the key on this chain are lost
}

// Log is an open vote log. It is safe for concurrent use.
type Log struct {
	path    string
	owner   Owner
	disk    Disk
	release func() error // of the lock; nil once it is closed

	replacing sync.Mutex // held while the file is replaced; taken before mu, or tried

	mu       sync.Mutex
	file     File
	marker   marker
	anybody  bool      // the owner is taken from the file
	size     int64     // end of the last whole frame
	limit    int64     // size from which it is wasteful
	carrying bool      // a Compact is under way
	carried  [][]entry // what was appended since it began, frame by frame
	origin   *Origin   // nil until it is set
	cut      int64
	broken   error  // once set, nothing can be recorded any more
	floor    uint64 // sequences below it are refused
	records  map[view]Record
	locks    map[uint64]Lock // by sequence
}

// Open opens the owner's log at path or creates it. A file with the suffix ".lock" locks the log against a second
// process. A torn frame at the end is cut off. Errors name the file; they wrap ErrInUse, ErrCorrupt, ErrOldFormat or
// ErrForeign.
func Open(path string, owner Owner) (*Log, error) { return OpenOn(OS{}, path, owner) }

// Reopen is Open for a log that has to be there. The error wraps os.ErrNotExist where it is not.
func Reopen(path string, owner Owner) (*Log, error) { return openLog(OS{}, path, owner, true) }

// OpenOn is Open on another file system than that of the operating system.
func OpenOn(disk Disk, path string, owner Owner) (*Log, error) {
	return openLog(disk, path, owner, false)
}

func openLog(disk Disk, path string, owner Owner, old bool) (*Log, error) {
	release, err := disk.Lock(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("vote log %s: %w", path, err)
	}
	l := newLog(path, owner)
	l.release, l.disk = release, disk
	if err := l.open(old); err != nil {
		return nil, errors.Join(fmt.Errorf("vote log %s: %w", path, err), release())
	}
	return l, nil
}

func newLog(path string, owner Owner) *Log {
	return &Log{path: path, owner: owner, records: make(map[view]Record), locks: make(map[uint64]Lock)}
}

func (l *Log) open(old bool) error {
	content, err := l.disk.Read(l.path)
	if errors.Is(err, os.ErrNotExist) && !old {
		return l.rewrite()
	}
	if err != nil {
		return err
	}
	end, err := l.load(content)
	if err != nil {
		return err
	}
	l.cut = int64(len(content)) - end
	// A process that was killed before a sync, or whose sync failed, leaves bytes in the kernel only. A further sync of
	// that file may do nothing, so the content is rewritten to a new file.
	next, err := l.writeBeside(content[:end], l.marker)
	if err != nil {
		return err
	}
	if err := l.takeOver(next); err != nil {
		return err
	}
	// Old sequences are in the file until Prune and Compact. A limit above its size would let it grow at each start.
	l.limit = compactAfter
	return nil
}

// Origin returns which votes may be missing from the log, or nil for a new log before SetOrigin.
func (l *Log) Origin() *Origin {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.origin == nil {
		return nil
	}
	return new(*l.origin)
}

// SetOrigin records durably which votes may be missing from the log.
func (l *Log) SetOrigin(o Origin) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.origin != nil && *l.origin == o {
		return nil
	}
	if err := l.append(originEntry(o)); err != nil {
		return fmt.Errorf("vote log %s: %w", l.path, err)
	}
	l.origin = &o
	return nil
}

// Torn returns the bytes of the torn frame that Open cut off; 0 for none. The vote in that frame had not been sent.
func (l *Log) Torn() int64 { return l.cut }

// Write makes records and locks durable, all of them or, after a crash, none. Once Write returns nil the messages may
// be sent, also after a restart. A record that differs from an earlier one in the payload only is not written again. A
// lock replaces the lock of its sequence; a certificate of the same round is as good, since both are for one block.
//
// The error wraps ErrConflict for a record that contradicts an earlier one and for a lock of a lower round. It wraps
// ErrPruned below the low watermark. Nothing is written then.
func (l *Log) Write(records []Record, locks []Lock) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.write(records, locks); err != nil {
		return fmt.Errorf("vote log %s: %w", l.path, err)
	}
	return nil
}

func (l *Log) write(records []Record, locks []Lock) error {
	var entries []entry
	fresh, held := make(map[view]Record), make(map[uint64]Lock)
	for _, r := range records {
		known, err := l.check(r)
		if before, again := fresh[r.view()]; again && before.Digest != r.Digest {
			err = fmt.Errorf("%w: %v, now %v", ErrConflict, before.Digest, r.Digest)
		} else if again {
			known = true
		}
		if err != nil {
			return fmt.Errorf("message 0x%x of sequence %d, round %d: %w", r.Code, r.Sequence, r.Round, err)
		}
		if !known {
			r.Payload = bytes.Clone(r.Payload)
			fresh[r.view()] = r
			entries = append(entries, voteEntry(r))
		}
	}
	for _, k := range locks {
		known, err := l.checkLock(k)
		if before, again := held[k.Sequence]; again && err == nil && k.Round < before.Round {
			err = fmt.Errorf("%w: locked in round %d", ErrConflict, before.Round)
		}
		if err != nil {
			return fmt.Errorf("lock of sequence %d, round %d: %w", k.Sequence, k.Round, err)
		}
		if !known {
			k.Certificate = bytes.Clone(k.Certificate)
			held[k.Sequence] = k
			entries = append(entries, lockEntry(k))
		}
	}
	if len(entries) == 0 {
		return nil
	}
	if err := l.append(entries...); err != nil {
		return err
	}
	maps.Copy(l.records, fresh)
	maps.Copy(l.locks, held)
	return nil
}

// check reports whether r is recorded already, or returns why r must not be recorded.
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

// Sequences returns all records and locks, by ascending sequence. A restarted validator must not contradict them, even
// where the chain has lost the newest blocks.
func (l *Log) Sequences() []Sequence {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := make(map[uint64]*Sequence)
	of := func(number uint64) *Sequence {
		if known[number] == nil {
			known[number] = &Sequence{Number: number}
		}
		return known[number]
	}
	for _, r := range slices.SortedFunc(maps.Values(l.records), byView) {
		r.Payload = bytes.Clone(r.Payload)
		s := of(r.Sequence)
		s.Records = append(s.Records, r)
	}
	for number, k := range l.locks {
		k.Certificate = bytes.Clone(k.Certificate)
		of(number).Lock = &k
	}
	list := make([]Sequence, 0, len(known))
	for _, number := range slices.Sorted(maps.Keys(known)) {
		list = append(list, *known[number])
	}
	return list
}

// Sequence returns the records and the lock of one sequence, as Sequences does.
func (l *Log) Sequence(number uint64) Sequence {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Sequence{Number: number}
	for v, r := range l.records {
		if v.sequence == number {
			r.Payload = bytes.Clone(r.Payload)
			s.Records = append(s.Records, r)
		}
	}
	slices.SortFunc(s.Records, byView)
	if k, ok := l.locks[number]; ok {
		k.Certificate = bytes.Clone(k.Certificate)
		s.Lock = &k
	}
	return s
}

// Slim drops the payloads of a sequence below a round from memory, as Compact does from the file.
func (l *Log) Slim(sequence, round uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for v, r := range l.records {
		if v.sequence == sequence && v.round < round && r.Payload != nil {
			r.Payload = nil
			l.records[v] = r
		}
	}
}

// Knows reports whether the key has signed in a sequence, by a record or by the low watermark. ROUND-CHANGEs do not
// count.
func (l *Log) Knows(sequence uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sequence < l.floor {
		return true
	}
	for v := range l.records {
		if v.sequence == sequence && v.code != RoundChange {
			return true
		}
	}
	return false
}

// Floor returns the low watermark: the lowest sequence that the log accepts votes in.
func (l *Log) Floor() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.floor
}

// checkLock reports whether a lock is recorded already, or returns why it must not be recorded.
func (l *Log) checkLock(next Lock) (known bool, err error) {
	if next.Sequence < l.floor {
		return false, ErrPruned
	}
	old, locked := l.locks[next.Sequence]
	if !locked || next.Round > old.Round {
		return false, nil
	}
	if next.Round < old.Round {
		return false, fmt.Errorf("%w: locked in round %d", ErrConflict, old.Round)
	}
	return bytes.Equal(next.Certificate, old.Certificate), nil
}

// Prune drops sequence and everything below it, and raises the low watermark above it. Call Prune once that block and
// enough descendants are durable, so that the chain never restarts below them. The file keeps the records until
// Compact.
func (l *Log) Prune(sequence uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sequence == math.MaxUint64 {
		return
	}
	l.floor = max(l.floor, sequence+1)
	maps.DeleteFunc(l.records, func(v view, _ Record) bool { return v.sequence <= sequence })
	maps.DeleteFunc(l.locks, func(number uint64, _ Lock) bool { return number <= sequence })
}

// Close releases the file; everything recorded is durable already. Close cancels a Compact under way and waits for its
// end.
func (l *Log) Close() error {
	l.mu.Lock()
	l.broken = ErrClosed
	l.mu.Unlock()
	l.replacing.Lock()
	defer l.replacing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.release == nil {
		return nil
	}
	var err error
	if l.file != nil {
		err = l.file.Close()
	}
	err = errors.Join(err, l.release())
	l.release = nil
	if err != nil {
		return fmt.Errorf("vote log %s: close: %w", l.path, err)
	}
	return nil
}
