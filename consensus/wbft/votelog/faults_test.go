// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// unsynced is a disk that leaves syncing out, for tests that write much and crash only in appearance.
type unsynced struct{ OS }

type unsyncedFile struct{ File }

func (unsyncedFile) Sync() error { return nil }

func (d unsynced) Create(path string) (File, error) {
	f, err := d.OS.Create(path)
	return unsyncedFile{f}, err
}

func (d unsynced) Open(path string) (File, error) {
	f, err := d.OS.Open(path)
	return unsyncedFile{f}, err
}

func (unsynced) Rename(from, to string) error { return os.Rename(from, to) }

// faulty is a disk whose operations fail on demand.
type faulty struct {
	OS
	fail map[string]error
}

func (d *faulty) Create(path string) (File, error) {
	if err := d.fail["create"]; err != nil {
		return nil, err
	}
	f, err := d.OS.Create(path)
	return &faultyFile{f, d, "new "}, err
}

func (d *faulty) Open(path string) (File, error) {
	if err := d.fail["open"]; err != nil {
		return nil, err
	}
	f, err := d.OS.Open(path)
	return &faultyFile{f, d, ""}, err
}

func (d *faulty) Rename(from, to string) error {
	if err := d.fail["rename"]; err != nil {
		return err
	}
	return d.OS.Rename(from, to)
}

type faultyFile struct {
	File
	disk *faulty
	name string
}

func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.fail[f.name+"write"]; err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], at) // as much as fits
		return n, err
	}
	return f.File.WriteAt(b, at)
}

func (f *faultyFile) Sync() error {
	if err := f.disk.fail[f.name+"sync"]; err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.disk.fail[f.name+"truncate"]; err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// onFaulty returns a log with one record on a disk that works so far.
func onFaulty(t *testing.T) (*Log, *faulty) {
	d := &faulty{fail: make(map[string]error)}
	l := must.Get(OpenOn(d, filepath.Join(t.TempDir(), "votes"), owner))(t)
	t.Cleanup(func() { must.Do(t, l.Close()) })
	must.Do(t, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	return l, d
}

// A vote whose record failed is not recorded: neither now nor after a restart does the log know it, and it never says
// that it is durable. Where the log can go on after the fault it does; where the disk's state is unknown it refuses
// for good.
func TestDiskFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fail   []string
		fails  bool // the record fails; else only the attempt to save space before it did
		goesOn bool // after the fault is gone
	}{
		"disk full":                      {[]string{"write"}, true, true},
		"disk full, cannot be cut back":  {[]string{"write", "truncate"}, true, false},
		"sync fails":                     {[]string{"sync"}, true, false},
		"new file cannot be made":        {[]string{"create"}, false, true},
		"new file does not fit":          {[]string{"new write"}, false, true},
		"new file cannot be synced":      {[]string{"new sync"}, false, true},
		"neither file can be written":    {[]string{"new write", "write"}, true, true},
		"new file cannot take its place": {[]string{"rename"}, true, false},
		"new file cannot be opened":      {[]string{"open"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, d := onFaulty(t)
			if !strings.HasPrefix(name, "disk") { // else the file is replaced first, if it can be
				l.limit = 0
			}
			for _, op := range c.fail {
				d.fail[op] = syscall.ENOSPC
			}
			want := stateOf(l)
			err := l.Write([]Record{vote(Commit, 7, 0, 1)}, nil)
			if c.fails && (!errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), l.path)) {
				t.Fatalf("error %v, want one that names the file", err)
			}
			if !c.fails {
				must.Do(t, err)
				want[0].Records = append(want[0].Records, vote(Commit, 7, 0, 1))
			} else if err := l.Write(nil, []Lock{{7, 0, []byte("lock")}}); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("lock: %v", err)
			}
			expect.Deep(t, stateOf(l), want, "state")
			clear(d.fail)
			err = l.Write([]Record{vote(Commit, 7, 1, 2)}, nil)
			if (err == nil) != c.goesOn {
				t.Fatalf("after the fault: %v", err)
			}
			if c.goesOn {
				// Payloads of round 0 may be dropped from now on.
				want[0].Records = append(want[0].Records, vote(Commit, 7, 1, 2))
			}
			l = reopen(t, l)
			got := stateOf(l)
			for i, r := range got[0].Records {
				if i < len(want[0].Records) && len(r.Payload) == 0 {
					got[0].Records[i].Payload, want[0].Records[i].Payload = nil, nil
				}
			}
			if !c.goesOn && len(got[0].Records) > len(want[0].Records) {
				// A vote whose sync failed may be on the disk all the same. That is harmless: it was never sent, and
				// may be.
				got[0].Records = got[0].Records[:len(want[0].Records)]
			}
			expect.Deep(t, got, want, "after a restart")
		})
	}
}

// A Compact that cannot rewrite the file leaves the old one in use, which is as wasteful as before.
func TestCompactFault(t *testing.T) {
	l, d := onFaulty(t)
	big := vote(PrePrepare, 7, 0, 3)
	big.Payload = make([]byte, compactAfter)
	must.Do(t, l.Write([]Record{big}, nil))
	d.fail["new write"] = syscall.ENOSPC
	l.Prune(7)
	if err := l.Compact(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), l.path) {
		t.Errorf("error %v, want one that names the file", err)
	}
	must.Do(t, l.Write([]Record{vote(Prepare, 8, 0, 1)}, nil))
	clear(d.fail)
	if !l.Wasteful() {
		t.Error("not wasteful after a failure")
	}
	must.Do(t, l.Compact())
	if l.size > 1000 {
		t.Errorf("file has %d bytes after the second try", l.size)
	}
	l = reopen(t, l)
	expect.Deep(t, stateOf(l), state{votesOf(vote(Prepare, 8, 0, 1))}, "state")
}

// forgetful is a disk of which a power loss leaves what was synced through it, and nothing else.
type forgetful struct {
	OS
	synced map[string][]byte
}

func (d *forgetful) Create(path string) (File, error) {
	f, err := d.OS.Create(path)
	return &forgetfulFile{f, d, path}, err
}

func (d *forgetful) Open(path string) (File, error) {
	f, err := d.OS.Open(path)
	return &forgetfulFile{f, d, path}, err
}

func (d *forgetful) Rename(from, to string) error {
	d.synced[to] = d.synced[from]
	return d.OS.Rename(from, to)
}

type forgetfulFile struct {
	File
	disk *forgetful
	path string
}

func (f *forgetfulFile) Sync() error {
	content, err := os.ReadFile(f.path)
	f.disk.synced[f.path] = content
	return errors.Join(err, f.File.Sync())
}

// A log goes on from what it reads, so that must be on disk: the process before may have been killed between writing a
// record and syncing it, or its sync may have failed, after which another sync of the same file changes nothing.
func TestWhatIsReadIsMadeDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := must.Get(OpenOn(unsynced{}, path, owner))(t)
	must.Do(t, l.Write([]Record{vote(Commit, 7, 0, 1)}, []Lock{{7, 0, []byte("lock")}}))
	must.Do(t, l.Close())
	d := &forgetful{synced: make(map[string][]byte)}
	l = must.Get(OpenOn(d, path, owner))(t)
	want := stateOf(l)
	must.Do(t, l.Close())
	must.Do(t, os.WriteFile(path, d.synced[path], 0o600))
	l = must.Get(OpenOn(OS{}, path, owner))(t)
	if got := stateOf(l); !reflect.DeepEqual(got, want) || len(got) != 1 || got[0].Lock == nil {
		t.Errorf("a power loss after the start leaves %v of %v", got, want)
	}
	must.Do(t, l.Close())

	faulty := &faulty{fail: map[string]error{"new sync": syscall.EIO}}
	expect.Error(t, expect.Err(OpenOn(faulty, path, owner)), syscall.EIO, "a log that cannot be made durable is opened")
}
