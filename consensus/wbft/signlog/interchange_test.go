// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signlog

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"
)

// anyone takes every payload for the owner's.
func anyone(Record) (common.Address, error) { return owner.Validator, nil }

// exported is a log in JSON, and back.
func exported(t testing.TB, l *Log) *Interchange {
	t.Helper()
	text, err := json.Marshal(l.Export())
	must(t, err)
	x, err := ReadInterchange(text)
	must(t, err)
	return x
}

// A log that is exported and imported elsewhere knows the same, after a restart too (EIP-3076 in spirit; spec wbft 9.1 no. 3).
func TestExportAndImport(t *testing.T) {
	from := open(t, filepath.Join(t.TempDir(), "votes"))
	must(t, from.SetOrigin(Origin{Since: 77, Lost: true}))
	must(t, from.Write([]Record{vote(Prepare, 7, 0, 1), vote(Commit, 7, 0, 1), vote(RoundChange, 8, 1, 2)}, []Lock{{7, 0, []byte("certificate")}}))
	must(t, from.Prune(5))
	to := open(t, filepath.Join(t.TempDir(), "votes"))
	done, err := to.Import(exported(t, from), anyone)
	must(t, err)
	if done != (Merged{Messages: 3, Locks: 1}) {
		t.Errorf("done %+v", done)
	}
	for range 2 {
		if describe(stateOf(to)) != describe(stateOf(from)) || to.Floor() != 6 || *to.Origin() != *from.Origin() {
			t.Errorf("state %s, floor %d, origin %v", describe(stateOf(to)), to.Floor(), to.Origin())
		}
		to = reopen(t, to)
	}
	must(t, to.Write([]Record{vote(Commit, 9, 0, 1)}, nil)) // it goes on from there
	again, err := to.Import(exported(t, from), anyone)
	must(t, err)
	if again != (Merged{}) || !to.Knows(9) {
		t.Errorf("imported again: %+v", again)
	}
	look, err := Look(OS{}, to.path)
	must(t, err)
	if text, err := json.Marshal(look); err != nil || !strings.Contains(string(text), `"sequence":"9"`) || look.Owner() != owner {
		t.Errorf("looked at while it is open: %s, %v", text, err)
	}
}

// Where two logs of one key contradict each other nothing more is signed.
func TestImportOfAContradiction(t *testing.T) {
	from, to := open(t, filepath.Join(t.TempDir(), "votes")), open(t, filepath.Join(t.TempDir(), "votes"))
	must(t, from.Write([]Record{vote(Prepare, 7, 0, 1), vote(Prepare, 9, 0, 1)}, nil))
	must(t, to.Write([]Record{vote(Prepare, 7, 0, 2), vote(Prepare, 8, 0, 1)}, []Lock{{7, 0, []byte("lock")}}))
	done, err := to.Import(exported(t, from), anyone)
	must(t, err)
	if done.Contradicted != 7 || to.Floor() != 8 {
		t.Errorf("done %+v, floor %d", done, to.Floor())
	}
	for _, r := range []Record{vote(Prepare, 7, 0, 1), vote(Prepare, 7, 0, 2), vote(Commit, 7, 0, 1)} {
		if err := to.Write([]Record{r}, nil); !errors.Is(err, ErrPruned) {
			t.Errorf("%v: %v", r, err)
		}
	}
	for _, r := range []Record{vote(Prepare, 8, 0, 2), vote(Prepare, 9, 0, 2)} {
		if err := to.Write([]Record{r}, nil); !errors.Is(err, ErrConflict) {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// Whatever is merged with whatever: what either has signed is not contradicted afterwards, locks do not go back, and no floor falls.
func TestImportForgetsNothing(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		signed := make(map[view]map[byte]bool)
		locks := make(map[uint64]uint64)
		floor := uint64(0)
		var logs [2]*Log
		for i := range logs {
			n++
			l, err := OpenOn(unsynced{}, filepath.Join(dir, strconv.Itoa(n)), owner, nil)
			if err != nil {
				t.Fatal(err)
			}
			logs[i] = l
			for range rapid.IntRange(0, 12).Draw(t, "votes") {
				r := vote(rapid.Uint64Range(PrePrepare, RoundChange).Draw(t, "code"), rapid.Uint64Range(1, 4).Draw(t, "sequence"),
					rapid.Uint64Range(0, 1).Draw(t, "round"), rapid.ByteRange(1, 2).Draw(t, "digest"))
				if l.Write([]Record{r}, nil) == nil {
					if signed[r.view()] == nil {
						signed[r.view()] = make(map[byte]bool)
					}
					signed[r.view()][r.Digest[0]] = true
				}
				k := Lock{rapid.Uint64Range(1, 4).Draw(t, "sequence"), rapid.Uint64Range(0, 3).Draw(t, "round"), []byte("lock")}
				if l.Write(nil, []Lock{k}) == nil {
					locks[k.Sequence] = max(locks[k.Sequence], k.Round)
				}
			}
			if rapid.Bool().Draw(t, "prune") {
				if err := l.Prune(rapid.Uint64Range(0, 2).Draw(t, "pruned")); err != nil {
					t.Fatal(err)
				}
			}
			floor = max(floor, l.Floor())
		}
		text, err := json.Marshal(logs[0].Export())
		if err != nil {
			t.Fatal(err)
		}
		x, err := ReadInterchange(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := logs[1].Import(x, anyone); err != nil {
			t.Fatal(err)
		}
		if logs[1].Floor() < floor {
			t.Fatalf("floor %d after %d", logs[1].Floor(), floor)
		}
		for _, l := range logs {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		l, err := OpenOn(unsynced{}, logs[1].path, owner, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for v, digests := range signed {
			for digest := byte(1); digest <= 2; digest++ {
				err := l.Write([]Record{vote(v.code, v.sequence, v.round, digest)}, nil)
				if err == nil && (!digests[digest] || len(digests) > 1) {
					t.Fatalf("signs %d in %v, signed was %v", digest, v, digests)
				}
			}
		}
		for sequence, round := range locks {
			if round > 0 && l.Write(nil, []Lock{{sequence, round - 1, []byte("lock")}}) == nil {
				t.Fatalf("the lock of sequence %d goes back below round %d", sequence, round)
			}
		}
	})
}

// What is not of this key and chain, not whole or not understood is refused, and changes nothing.
func TestRefusedImports(t *testing.T) {
	from := open(t, filepath.Join(t.TempDir(), "votes"))
	must(t, from.Write([]Record{vote(Prepare, 7, 0, 1)}, []Lock{{7, 0, []byte("lock")}}))
	to := open(t, filepath.Join(t.TempDir(), "votes"))
	content, err := os.ReadFile(to.path)
	must(t, err)
	for name, c := range map[string]struct {
		change func(*Interchange)
		author Author
		want   string
	}{
		"another validator": {func(x *Interchange) { x.Data[0].Validator[0] ^= 1 }, anyone, ErrForeign.Error()},
		"another chain":     {func(x *Interchange) { x.Metadata.Genesis[0] ^= 1 }, anyone, ErrForeign.Error()},
		"unknown message":   {func(x *Interchange) { x.Data[0].Messages[0].Message = "VOTE" }, anyone, "is no message"},
		"signed by another": {func(*Interchange) {}, func(Record) (common.Address, error) { return common.Address{1}, nil }, "is signed by"},
		"unreadable":        {func(*Interchange) {}, func(Record) (common.Address, error) { return common.Address{}, errors.New("junk") }, "junk"},
	} {
		x := exported(t, from)
		c.change(x)
		if _, err := to.Import(x, c.author); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if now, err := os.ReadFile(to.path); err != nil || string(now) != string(content) || to.Knows(7) {
		t.Errorf("a refused import has changed the log: %v", err)
	}
	good, err := json.Marshal(from.Export())
	must(t, err)
	for name, text := range map[string]string{
		"nothing": ``, "no JSON": `votes`, "another version": strings.Replace(string(good), `"1"`, `"2"`, 1),
		"no chain":                  `{"metadata":{"interchange_format_version":"1"},"data":[{}]}`,
		"nobody":                    strings.Replace(string(good), `"data":[`, `"data":[],"x":[`, 1),
		"an unknown part":           strings.Replace(string(good), `"locks"`, `"bolts"`, 1),
		"two at once":               string(good) + string(good),
		"cut":                       string(good[:len(good)-1]),
		"no floor":                  strings.Replace(string(good), `"lowest_sequence":"0",`, ``, 1),
		"no time":                   regexp.MustCompile(`"complete_since":"[0-9]*",`).ReplaceAllString(string(good), ``),
		"a time to come":            regexp.MustCompile(`"complete_since":"[0-9]*"`).ReplaceAllString(string(good), `"complete_since":"18446744073709551615"`),
		"not said if any were lost": strings.Replace(string(good), `"earlier_votes_lost":false,`, ``, 1),
	} {
		if _, err := ReadInterchange([]byte(text)); err == nil || text == string(good) {
			t.Errorf("%s is read: %v", name, err)
		}
	}
}

// An import that the disk has no room for changes nothing.
func TestImportOnAFullDisk(t *testing.T) {
	from := open(t, filepath.Join(t.TempDir(), "votes"))
	must(t, from.Write([]Record{vote(Prepare, 9, 0, 1)}, nil))
	l, d := onFaulty(t)
	d.fail["new write"] = syscall.ENOSPC
	if _, err := l.Import(exported(t, from), anyone); !errors.Is(err, syscall.ENOSPC) || l.Knows(9) {
		t.Errorf("%v", err)
	}
	must(t, l.Write([]Record{vote(Prepare, 8, 0, 1)}, nil))
	clear(d.fail)
	if _, err := l.Import(exported(t, from), anyone); err != nil || !l.Knows(9) || !l.Knows(8) || !l.Knows(7) {
		t.Errorf("%v", err)
	}
	must(t, l.Write([]Record{vote(Prepare, 10, 0, 1)}, nil))
	l = reopen(t, l)
	for sequence := uint64(7); sequence <= 10; sequence++ {
		if !l.Knows(sequence) {
			t.Errorf("sequence %d is forgotten", sequence)
		}
	}
}
