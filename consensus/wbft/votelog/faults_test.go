// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"errors"
	"os"
	"reflect"
	"strings"
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

// failing returns a log with one record on a disk of which the operations that are in the map fail.
func failing(t *testing.T) (*Log, *platters, map[string]bool) {
	d, fail := newPlatters(), make(map[string]bool)
	d.before = func(op string) fate {
		if fail[op] {
			return fails
		}
		return goesWell
	}
	l := openOn(t, d)
	t.Cleanup(func() { must.Do(t, l.Close()) })
	must.Do(t, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	return l, d, fail
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
		"disk full":                      {[]string{"write votes"}, true, true},
		"disk full, cannot be cut back":  {[]string{"write votes", "truncate votes"}, true, false},
		"sync fails":                     {[]string{"sync votes"}, true, false},
		"new file cannot be made":        {[]string{"create votes.new"}, false, true},
		"new file does not fit":          {[]string{"write votes.new"}, false, true},
		"new file cannot be synced":      {[]string{"sync votes.new"}, false, true},
		"neither file can be written":    {[]string{"write votes.new", "write votes"}, true, true},
		"new file cannot take its place": {[]string{"rename votes.new"}, true, false},
		"new file cannot be opened":      {[]string{"open votes"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, d, fail := failing(t)
			if !strings.HasPrefix(name, "disk") { // else the file is replaced first, if it can be
				l.limit = 0
			}
			for _, op := range c.fail {
				fail[op] = true
			}
			want := stateOf(l)
			err := l.Write([]Record{vote(Commit, 7, 0, 1)}, nil)
			if c.fails && (!errors.Is(err, errDisk) || !strings.Contains(err.Error(), l.path)) {
				t.Fatalf("error %v, want one that names the file", err)
			}
			if !c.fails {
				must.Do(t, err)
				want[0].Records = append(want[0].Records, vote(Commit, 7, 0, 1))
			} else if err := l.Write(nil, []Lock{{7, 0, []byte("lock")}}); !errors.Is(err, errDisk) {
				t.Fatalf("lock: %v", err)
			}
			expect.Deep(t, stateOf(l), want, "state")
			clear(fail)
			err = l.Write([]Record{vote(Commit, 7, 1, 2)}, nil)
			must.That(t, (err == nil) == c.goesOn, "after the fault: %v", err)
			if c.goesOn {
				// Payloads of round 0 may be dropped from now on.
				want[0].Records = append(want[0].Records, vote(Commit, 7, 1, 2))
			}
			must.Do(t, l.Close())
			l = openOn(t, d)
			got := stateOf(l)
			must.Do(t, l.Close())
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

// A log goes on from what it reads, so that must be on disk: the process before may have been killed between writing a
// record and syncing it, or its sync may have failed, after which another sync of the same file changes nothing.
func TestWhatIsReadIsMadeDurable(t *testing.T) {
	d := newPlatters()
	l := openOn(t, d)
	must.Do(t, l.Write([]Record{vote(Commit, 7, 0, 1)}, []Lock{{7, 0, []byte("lock")}}))
	must.Do(t, l.Close())
	d.names["votes"].durable = nil // as if its syncs had failed
	l = openOn(t, d)
	want := stateOf(l)
	must.Do(t, l.Close())
	l = openOn(t, d.crash(true))
	if got := stateOf(l); !reflect.DeepEqual(got, want) || len(got) != 1 || got[0].Lock == nil {
		t.Errorf("a power loss after the start leaves %v of %v", got, want)
	}
	must.Do(t, l.Close())

	d.before = func(op string) fate {
		if op == "sync votes.new" {
			return fails
		}
		return goesWell
	}
	expect.Error(t, expect.Err(OpenOn(d, "votes", owner)), errDisk, "a log that cannot be made durable is opened")
}
