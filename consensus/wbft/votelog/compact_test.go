// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// fate is what becomes of an operation of a disk.
type fate int

const (
	goesWell   fate = iota
	fails           // a write half done
	diesBefore      // the process, and all that it does afterwards
	diesAmid        // half of a write, a rename that only the kernel knows of
	diesAfter       // the process does not get to know that it went well
)

var (
	errDisk = syscall.EIO
	errDead = errors.New("the process is dead")
)

// plate is a file as the kernel sees it, and what a power loss leaves of it.
type plate struct{ content, durable []byte }

// platters is a disk in memory of which a test decides what becomes of each operation. A power loss takes what was not
// synced.
type platters struct {
	// before is asked before each operation that changes something, "sync votes.new" say; nil lets all go well. It may use
	// the disk.
	before func(op string) fate

	mu      sync.Mutex
	names   map[string]*plate
	durable map[string]*plate // names that a power loss leaves
	locked  bool
	open    int      // files
	done    []string // operations
	dead    bool
}

func newPlatters() *platters {
	return &platters{names: make(map[string]*plate), durable: make(map[string]*plate)}
}

// crash is what the next process finds.
func (d *platters) crash(powerLoss bool) *platters {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := newPlatters()
	names := d.names
	if powerLoss {
		names = d.durable
	}
	for name, p := range names {
		content := p.content
		if powerLoss {
			content = p.durable
		}
		next.names[name] = &plate{bytes.Clone(content), bytes.Clone(content)}
	}
	next.durable = maps.Clone(next.names)
	return next
}

// has reports whether there is a file.
func (d *platters) has(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[name] != nil
}

// do carries an operation out, as fate will have it. apply is given what may be half done: 1 for half, 2 for all.
func (d *platters) do(op string, apply func(halves int)) error {
	f := goesWell
	if d.before != nil {
		f = d.before(op)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return errDead
	}
	d.done = append(d.done, op)
	d.dead = f >= diesBefore
	switch f {
	case goesWell, diesAfter:
		apply(2)
	case fails, diesAmid:
		if kind, _, _ := strings.Cut(op, " "); kind == "write" || kind == "rename" && f == diesAmid {
			apply(1)
		}
	}
	switch f {
	case goesWell:
		return nil
	case fails:
		return errDisk
	}
	return errDead
}

func (d *platters) MakeDirectory(string) error { return nil }

func (d *platters) Lock(string) (func() error, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked {
		return nil, ErrInUse
	}
	d.locked = true
	return func() error {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.locked = false
		return nil
	}, nil
}

func (d *platters) Read(path string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.names[path]; p != nil {
		return bytes.Clone(p.content), nil
	}
	return nil, os.ErrNotExist
}

func (d *platters) Create(path string) (f File, err error) {
	err = d.do("create "+path, func(int) {
		p := new(plate)
		d.names[path] = p
		d.open++
		f = &platterFile{d, p, path}
	})
	return f, err
}

func (d *platters) Open(path string) (f File, err error) {
	err = d.do("open "+path, func(int) {
		d.open++
		f = &platterFile{d, d.names[path], path}
	})
	return f, err
}

func (d *platters) Rename(from, to string) error {
	return d.do("rename "+from, func(halves int) {
		d.names[to] = d.names[from]
		delete(d.names, from)
		if halves == 2 {
			d.durable[to] = d.names[to]
		}
	})
}

func (d *platters) Remove(path string) error {
	return d.do("remove "+path, func(int) { delete(d.names, path) })
}

type platterFile struct {
	disk *platters
	file *plate
	path string
}

func (f *platterFile) WriteAt(b []byte, at int64) (int, error) {
	err := f.disk.do("write "+f.path, func(halves int) {
		b = b[:len(b)*halves/2]
		if gap := int(at) - len(f.file.content); gap > 0 {
			f.file.content = append(f.file.content, make([]byte, gap)...)
		}
		f.file.content = append(f.file.content[:at], b...)
	})
	return len(b), err
}

func (f *platterFile) Sync() error {
	return f.disk.do("sync "+f.path, func(int) { f.file.durable = bytes.Clone(f.file.content) })
}

func (f *platterFile) Truncate(size int64) error {
	return f.disk.do("truncate "+f.path, func(int) { f.file.content = f.file.content[:size] })
}

func (f *platterFile) Close() error {
	f.disk.mu.Lock()
	f.disk.open--
	f.disk.mu.Unlock()
	return f.disk.do("close "+f.path, func(int) {})
}

// confirmed is what a log has confirmed.
type confirmed struct {
	next    uint64
	records []Record
	locks   []Lock
	origin  Origin
}

// rising is a sequence of which the lock rises with each vote: a file in which it goes back cannot be opened.
const rising = 1 << 32

// vote writes a vote and a lock of a sequence of their own, and notes them when they are confirmed.
func (c *confirmed) vote(l *Log) error {
	c.next++
	r, k := vote(Commit, c.next, 0, byte(c.next)), Lock{c.next, 0, fmt.Appendf(nil, "certificate of %d", c.next)}
	if err := l.Write([]Record{r}, []Lock{k, {rising, c.next, nil}}); err != nil {
		return err
	}
	c.records, c.locks = append(c.records, r), append(c.locks, k)
	return nil
}

// begins says since when the log knows everything.
func (c *confirmed) begins(l *Log, o Origin) error {
	err := l.SetOrigin(o)
	if err == nil {
		c.origin = o
	}
	return err
}

// holds tests that a log has all that was confirmed from a sequence on, and takes no contradiction.
func (c *confirmed) holds(t *testing.T, l *Log, from uint64) {
	t.Helper()
	known := make(map[uint64]Sequence)
	for _, s := range l.Sequences() {
		known[s.Number] = s
	}
	for i, r := range c.records {
		if r.Sequence < from {
			continue
		}
		s := known[r.Sequence]
		expect.That(t, len(s.Records) == 1 && s.Records[0].Digest == r.Digest && bytes.Equal(s.Records[0].Payload, r.Payload),
			"of sequence %d it has votes %v, want %v", r.Sequence, s.Records, r)
		expect.That(t, s.Lock != nil && bytes.Equal(s.Lock.Certificate, c.locks[i].Certificate),
			"of sequence %d it has lock %v", r.Sequence, s.Lock)
		expect.Error(t, l.Write([]Record{vote(Commit, r.Sequence, 0, byte(r.Sequence)+1)}, nil), ErrConflict,
			"contradiction in sequence %d", r.Sequence)
	}
	if n := len(c.locks); n > 0 && (known[rising].Lock == nil || known[rising].Lock.Round < c.locks[n-1].Sequence) {
		t.Errorf("lock %v that rises, want round %d", known[rising].Lock, c.locks[n-1].Sequence)
	}
	if o := l.Origin(); c.origin.Since > 0 && (o == nil || o.Since < c.origin.Since) {
		t.Errorf("origin %v, want %v", o, c.origin)
	}
}

// within returns what f returns, which has to be soon: before anything else that waits goes on.
func within(t *testing.T, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the new file")
		return nil
	}
}

func openOn(t *testing.T, d *platters) *Log {
	t.Helper()
	return must.Get(OpenOn(d, "votes", owner))(t)
}

// life is that of a log which is rewritten while votes go on, on a disk that decides what becomes of each operation.
// It returns what was confirmed.
func life(t *testing.T, l *Log, d *platters, decide func(op string) fate) *confirmed {
	c := new(confirmed)
	busy, syncs := false, 0
	d.before = func(op string) fate {
		f := decide(op)
		// Each operation of the large write has a vote before it, which is appended to the old file while the new one is
		// made.
		if large := strings.HasSuffix(op, newSuffix) && syncs == 0; large && !busy && f <= fails {
			busy = true
			_ = within(t, func() error { return c.vote(l) })
			if op == "sync votes"+newSuffix {
				syncs++
				l.Prune(1)
				_ = c.begins(l, Origin{Since: 2000})
			}
			busy = false
		}
		return f
	}
	for range 3 {
		_ = c.vote(l)
	}
	_ = c.begins(l, Origin{Since: 1000})
	_ = l.Compact()
	for range 2 {
		_ = c.vote(l)
	}
	syncs = 1 // the second time nothing is written meanwhile
	_ = l.Compact()
	_ = c.vote(l)
	return c
}

// A crash, or a power loss, at any operation of the disk leaves a log with everything that was confirmed: before the
// file is rewritten, while it is, and after (spec wbft 9.1 no. 3).
func TestCrashWhileWrittenAnew(t *testing.T) {
	d := newPlatters()
	l := openOn(t, d)
	before := len(d.done)
	whole := life(t, l, d, func(string) fate { return goesWell })
	if d.before = nil; len(whole.records) != 9 || whole.origin.Since != 2000 {
		t.Fatalf("%d votes are confirmed, origin %v", len(whole.records), whole.origin)
	}
	operations := slices.Clone(d.done[before:])
	must.Do(t, l.Close())
	expect.That(t, d.open == 0 && !d.has("votes"+newSuffix),
		"%d files are left open, a new one is left behind: %v", d.open, d.has("votes"+newSuffix))
	for at, op := range operations {
		for _, f := range []fate{diesBefore, diesAmid, diesAfter} {
			for _, powerLoss := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d %s, %d, power loss %v", at, op, f, powerLoss), func(t *testing.T) {
					d := newPlatters()
					l := openOn(t, d)
					n := 0
					c := life(t, l, d, func(string) fate {
						if n++; n == at+1 {
							return f
						}
						return goesWell
					})
					must.That(t, d.dead, "nothing happened")
					next := d.crash(powerLoss)
					for range 2 {
						l := openOn(t, next)
						c.holds(t, l, 2)
						c.next += 10
						must.Do(t, c.vote(l)) // it goes on
						must.Do(t, l.Close())
						expect.That(t, !next.has("votes"+newSuffix), "a new file is left behind")
						next = next.crash(true)
					}
				})
			}
		}
	}
}

// blocked is a log with votes whose Compact stands still at an operation of the disk, until it is let go on.
func blocked(t *testing.T, at string) (l *Log, d *platters, c *confirmed, compacted chan error, goOn func()) {
	d, c = newPlatters(), new(confirmed)
	l = openOn(t, d)
	for range 3 {
		must.Do(t, c.vote(l))
	}
	there, on := make(chan struct{}), make(chan struct{})
	var begun atomic.Bool
	d.before = func(op string) fate {
		if op == at && begun.CompareAndSwap(false, true) {
			close(there)
			<-on
		}
		return goesWell
	}
	compacted = make(chan error, 1)
	go func() { compacted <- l.Compact() }()
	<-there
	goOn = sync.OnceFunc(func() { close(on) })
	t.Cleanup(goOn)
	return l, d, c, compacted, goOn
}

// While the large file is written and synced votes go through, and are in it in the end.
func TestVoteWhileWrittenAnew(t *testing.T) {
	for _, at := range []string{"create votes.new", "write votes.new", "sync votes.new"} {
		t.Run(at, func(t *testing.T) {
			l, d, c, compacted, goOn := blocked(t, at)
			must.Do(t, within(t, func() error { return c.vote(l) }))
			l.Prune(1)
			must.Do(t, within(t, func() error { return c.vote(l) }))
			goOn()
			must.Do(t, <-compacted)
			if content, err := d.Read("votes"); err != nil || int64(len(content)) != l.size {
				t.Errorf("file has %d bytes, %v, the log thinks %d", len(content), err, l.size)
			}
			must.Do(t, c.vote(l))
			for _, powerLoss := range []bool{false, true} {
				l := openOn(t, d.crash(powerLoss))
				c.holds(t, l, 2)
				must.Do(t, l.Close())
			}
			must.Do(t, l.Close())
		})
	}
}

// Each step may fail while the file is rewritten. Before the new file begins to take the old one's place that costs
// nothing, and nothing is left of the new file; from then on, or when the old one fails, the content of the disk is
// unknown, and the log gives up.
func TestFaultsWhileWrittenAnew(t *testing.T) {
	for name, c := range map[string]struct {
		op     string
		nth    int
		works  bool // Compact, nevertheless
		goesOn bool // the log
		voted  bool // the vote that is written meanwhile is confirmed
	}{
		// before anything is written meanwhile
		"new file cannot be made":          {"create votes.new", 1, false, true, false},
		"new file does not fit":            {"write votes.new", 1, false, true, true},
		"new file cannot be synced":        {"sync votes.new", 1, false, true, true},
		"what was added does not fit":      {"write votes.new", 2, false, true, true},
		"what was added cannot be synced":  {"sync votes.new", 2, false, true, true},
		"new file cannot be closed":        {"close votes.new", 1, false, true, true},
		"old file cannot be closed":        {"close votes", 1, false, false, true},
		"new file cannot take its place":   {"rename votes.new", 1, false, false, true},
		"new file cannot be opened":        {"open votes", 1, false, false, true},
		"vote does not fit":                {"write votes", 1, true, true, false},
		"vote cannot be synced":            {"sync votes", 1, false, false, false},
		"vote does not fit, nor be undone": {"truncate votes", 1, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			d, votes := newPlatters(), new(confirmed)
			l := openOn(t, d)
			for range 3 {
				must.Do(t, votes.vote(l))
			}
			n, during, busy := 0, error(nil), false
			d.before = func(op string) fate {
				if op == "write votes.new" && !busy {
					busy = true
					during = within(t, func() error { return votes.vote(l) })
				}
				if op == "write votes" && c.op == "truncate votes" {
					return fails
				}
				if op == c.op {
					if n++; n == c.nth {
						return fails
					}
				}
				return goesWell
			}
			err := l.Compact()
			if (err == nil) != c.works || err != nil && (!errors.Is(err, errDisk) || !strings.Contains(err.Error(), l.path)) {
				t.Errorf("error %v, want one that names the file: %v", err, !c.works)
			}
			expect.That(t, c.op == "create votes.new" || (during == nil) == c.voted, "vote meanwhile: %v", during)
			expect.That(t, !c.goesOn || !d.has("votes.new"), "the new file is left behind")
			d.before = nil
			err = votes.vote(l)
			expect.That(t, (err == nil) == c.goesOn, "vote after the fault: %v", err)
			err = l.Compact()
			expect.That(t, (err == nil) == c.goesOn, "Compact after the fault: %v", err)
			err = votes.vote(l)
			expect.That(t, (err == nil) == c.goesOn, "vote after Compact: %v", err)
			must.Do(t, l.Close())
			expect.That(t, d.open == 0 && !d.locked, "%d files are left open, locked %v", d.open, d.locked)
			for _, powerLoss := range []bool{false, true} {
				l := openOn(t, d.crash(powerLoss))
				votes.holds(t, l, 0)
				must.Do(t, l.Close())
			}
		})
	}
}

// Close while the file is rewritten leaves the old one as it is and nothing beside it, and returns when all that is
// over.
func TestCloseWhileWrittenAnew(t *testing.T) {
	l, d, c, compacted, goOn := blocked(t, "sync votes.new")
	must.Do(t, within(t, func() error { return c.vote(l) }))
	closed := make(chan error, 2)
	for range 2 {
		go func() { closed <- l.Close() }()
	}
	for broken := false; !broken; {
		l.mu.Lock()
		broken = l.broken != nil
		l.mu.Unlock()
	}
	expect.That(t, d.locked && d.open == 2,
		"closed under the hands of Compact: locked %v, %d files are open", d.locked, d.open)
	goOn()
	for range 2 {
		must.Do(t, <-closed)
		expect.That(t, d.open == 0 && !d.locked && !d.has("votes.new"),
			"%d files are open, locked %v, new file left behind %v", d.open, d.locked, d.has("votes.new"))
	}
	expect.Error(t, <-compacted, ErrClosed, "Compact")
	expect.Error(t, l.Compact(), ErrClosed, "Compact after Close")
	l = openOn(t, d.crash(true))
	c.holds(t, l, 0)
	must.Do(t, l.Close())
}

// A file that is so large that a vote has it rewritten is left to the Compact under way: both would write to one new
// file.
func TestHugeFileWhileWrittenAnew(t *testing.T) {
	l, d, c, compacted, goOn := blocked(t, "sync votes.new")
	l.mu.Lock()
	l.limit = 0
	l.mu.Unlock()
	made := len(d.done)
	must.Do(t, within(t, func() error { return c.vote(l) }))
	expect.Slice(t, d.done[made:], []string{"write votes", "sync votes"}, "a vote does")
	goOn()
	must.Do(t, <-compacted)
	l.mu.Lock()
	l.limit = 0
	l.mu.Unlock()
	made = len(d.done)
	must.Do(t, c.vote(l))
	got := d.done[made:]
	expect.That(t, slices.Contains(got, "rename votes.new"), "without a Compact a vote does %q", got)
	must.Do(t, l.Close())
	l = openOn(t, d.crash(true))
	c.holds(t, l, 0)
	must.Do(t, l.Close())
}

// Votes, prunes, imports and several Compacts at once: nothing is lost, and no two write to one new file.
func TestManyAtOnce(t *testing.T) {
	d, c := newPlatters(), new(confirmed)
	l := openOn(t, d)
	must.Do(t, c.begins(l, Origin{Since: 1000}))
	const votes = 300
	over := make(chan struct{})
	var all sync.WaitGroup
	repeat := func(f func() error) {
		all.Go(func() {
			for {
				if err := f(); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	repeat(l.Compact)
	repeat(l.Compact)
	repeat(func() error {
		if sequences := l.Sequences(); len(sequences) > 100 {
			l.Prune(sequences[0].Number)
		}
		return nil
	})
	repeat(func() error {
		_, err := l.Import(l.Export(), anyone)
		return err
	})
	for range votes {
		must.Do(t, c.vote(l))
		l.Wasteful()
	}
	close(over)
	all.Wait()
	making := false
	for _, op := range d.done {
		switch op {
		case "create votes.new":
			must.That(t, !making, "a new file is begun while another one is written")
			making = true
		case "rename votes.new":
			making = false
		}
	}
	floor := l.Floor()
	must.Do(t, l.Close())
	l = openOn(t, d.crash(true))
	c.holds(t, l, floor)
	must.Do(t, l.Close())
}
