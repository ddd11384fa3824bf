// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var owner = Owner{Validator: common.HexToAddress("0xaa00000000000000000000000000000000000011"),
	Genesis: common.Hash{0: 0xbb, 31: 0x22}}

func open(t testing.TB, path string) *Log {
	t.Helper()
	l := must.Get(Open(path, owner))(t)
	t.Cleanup(func() { expect.Error(t, l.Close(), nil, "Close") })
	return l
}

func reopen(t testing.TB, l *Log) *Log {
	t.Helper()
	must.Do(t, l.Close())
	return open(t, l.path)
}

func vote(code, sequence, round uint64, digest byte) Record {
	return Record{code, sequence, round, common.Hash{digest}, []byte{digest, byte(code), byte(round), 0xff}}
}

// state is what a restarted validator gets to know.
type state = []Sequence

func stateOf(l *Log) state { return l.Sequences() }

// votesOf is a sequence without a lock.
func votesOf(records ...Record) Sequence {
	return Sequence{Number: records[0].Sequence, Records: records}
}

// What was handed in is not the log's memory either.
func TestWriteKeepsCopies(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "votes"))
	r, k := vote(Prepare, 7, 0, 1), Lock{7, 0, []byte("lock")}
	must.Do(t, l.Write([]Record{r}, []Lock{k}))
	clear(r.Payload)
	clear(k.Certificate)
	expect.Deep(t, stateOf(l), state{{7, []Record{vote(Prepare, 7, 0, 1)}, &Lock{7, 0, []byte("lock")}}}, "state")
}

// Two digests for one kind and view are refused, before and after a restart (spec wbft 9.1 no. 3).
func TestConflicts(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "votes"))
	for _, code := range []uint64{PrePrepare, Prepare, Commit, RoundChange} {
		must.Do(t, l.Write([]Record{vote(code, 7, 1, 1)}, nil))
	}
	must.Do(t, l.Write(nil, []Lock{{7, 1, []byte("a")}}))
	for range 2 {
		size := l.size
		for _, code := range []uint64{PrePrepare, Prepare, Commit, RoundChange} {
			err := l.Write([]Record{vote(code, 7, 1, 2)}, nil)
			expect.That(t, errors.Is(err, ErrConflict) && strings.Contains(err.Error(), l.path),
				"0x%x: %v, want ErrConflict", code, err)
			must.Do(t, l.Write([]Record{vote(code, 7, 1, 1)}, nil))
		}
		expect.Error(t, l.Write(nil, []Lock{{7, 0, []byte("a")}}), ErrConflict, "lock of a lower round")
		// One contradiction spoils what comes with it, also when both sides of it are new.
		for name, err := range map[string]error{
			"good first":   l.Write([]Record{vote(Prepare, 8, 0, 1), vote(Prepare, 7, 1, 2)}, nil),
			"good lock":    l.Write([]Record{vote(Prepare, 7, 1, 2)}, []Lock{{9, 0, []byte("a")}}),
			"two at once":  l.Write([]Record{vote(Prepare, 8, 0, 1), vote(Prepare, 8, 0, 2)}, nil),
			"locks, again": l.Write([]Record{vote(Prepare, 8, 0, 1)}, []Lock{{8, 1, []byte("a")}, {8, 0, []byte("a")}}),
		} {
			expect.Error(t, err, ErrConflict, "%s", name)
		}
		list := l.Sequences()
		expect.That(t, len(list) == 1 && list[0].Number == 7, "after refusals: %v", list)
		must.Do(t, l.Write(nil, []Lock{{7, 1, []byte("a")}}))
		expect.Equal(t, l.size, size, "repeated or refused records were written")
		l = reopen(t, l)
	}
	must.Do(t, l.Write([]Record{vote(Prepare, 7, 2, 2)}, nil))
	must.Do(t, l.Write([]Record{vote(Prepare, 8, 1, 2)}, nil))
	// A lock of one sequence contradicts none of another, below or above it.
	for _, k := range []Lock{{7, 1, []byte("other PREPAREs of the same round")}, {8, 3, []byte("c")}, {6, 9, []byte("d")},
		{7, 2, []byte("b")}} {
		must.Do(t, l.Write(nil, []Lock{k}))
		l = reopen(t, l)
		list := l.Sequences()
		i := slices.IndexFunc(list, func(s Sequence) bool { return s.Number == k.Sequence })
		expect.That(t, i >= 0 && reflect.DeepEqual(list[i].Lock, &k), "%v, want lock %v", list, k)
	}
	for _, code := range []uint64{0, 0x11, 0x16} {
		expect.Refused(t, l.Write([]Record{vote(code, 9, 0, 1)}, nil), "recorded code 0x%x", code)
	}
}

// A restart does not raise the size from which a file is compacted: what was decided before goes with the first Prune.
func TestCompactionAfterRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	for sequence := range uint64(3) { // as many bytes as a file may have before it is compacted
		big := vote(PrePrepare, sequence+1, 0, 3)
		big.Payload = make([]byte, compactAfter/3)
		must.Do(t, l.Write([]Record{big}, nil))
	}
	for range 2 {
		l = reopen(t, l)
		l.Prune(3)
		must.That(t, l.Wasteful(), "a file of %d bytes is not wasteful after a restart", l.size)
	}
	must.Do(t, l.Compact())
	if l = reopen(t, l); l.Wasteful() || l.size > 1000 {
		t.Errorf("file has %d bytes after a compaction and a restart, wasteful %v", l.size, l.Wasteful())
	}
}

// A sequence that goes on for many rounds does not fill disk and memory: payloads of old rounds go, digests stay.
func TestCompactionWithinASequence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	const rounds = 40
	for round := range uint64(rounds) {
		r := vote(RoundChange, 7, round, byte(round))
		r.Payload = bytes.Repeat([]byte{byte(round)}, compactAfter/8)
		must.Do(t, l.Write([]Record{r}, nil))
		must.Do(t, l.Write(nil, []Lock{{7, round, []byte("certificate")}}))
	}
	for range 2 {
		expect.That(t, l.size <= 3*compactAfter, "file has %d bytes", l.size)
		memory := 0
		for _, r := range l.records {
			memory += len(r.Payload)
		}
		expect.That(t, memory <= 3*compactAfter, "%d bytes in memory", memory)
		for round := range uint64(rounds) {
			err := l.Write([]Record{vote(RoundChange, 7, round, 200)}, nil)
			must.That(t, errors.Is(err, ErrConflict), "round %d: %v, want ErrConflict", round, err)
		}
		records := l.Sequences()[0].Records
		if last := records[len(records)-1]; last.Round != rounds-1 || len(last.Payload) != compactAfter/8 {
			t.Errorf("payload of the newest round has %d bytes", len(last.Payload))
		}
		l = reopen(t, l)
	}
}

func TestOnlyOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	must.Do(t, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	_, err := Open(path, owner)
	expect.That(t, errors.Is(err, ErrInUse) && strings.Contains(err.Error(), path), "second open: %v, want ErrInUse", err)
	// The lock must hold for the file that takes the place of the first, too.
	must.Do(t, l.Compact())
	expect.Error(t, expect.Err(Open(path, owner)), ErrInUse, "open after rewriting")
	must.Do(t, l.Close())
	must.Do(t, l.Close())
	expect.Error(t, l.Write([]Record{vote(Prepare, 7, 1, 1)}, nil), ErrClosed, "record after close")
	expect.Error(t, l.Write(nil, []Lock{{7, 1, nil}}), ErrClosed, "lock after close")
	open(t, path)
}

func TestOpenNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	must.Do(t, os.WriteFile(plain, []byte("not a vote log, but long enough"), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600))
	must.Do(t, os.Mkdir(filepath.Join(dir, "directory"), 0o700))
	for name, want := range map[string]error{
		filepath.Join(dir, "missing", "votes"): os.ErrNotExist,
		filepath.Join(plain, "votes"):          nil,
		plain:                                  ErrCorrupt,
		filepath.Join(dir, "empty"):            ErrCorrupt,
		filepath.Join(dir, "directory"):        nil,
	} {
		for range 2 { // a failed open must not leave the lock behind
			_, err := Open(name, owner)
			expect.That(t, err != nil && strings.Contains(err.Error(), name) && (want == nil || errors.Is(err, want)),
				"%s: error %v, want %v", name, err, want)
		}
	}
	if content, err := os.ReadFile(plain); err != nil || string(content) != "not a vote log, but long enough" {
		t.Errorf("a foreign file was changed: %q, %v", content, err)
	}
}

// written returns the path of a closed log and the states it went through with the file sizes at which they were
// reached.
func written(t *testing.T) (path string, sizes []int64, states []state) {
	path = filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	note := func() { sizes, states = append(sizes, l.size), append(states, stateOf(l)) }
	note()
	for _, r := range []Record{vote(PrePrepare, 7, 0, 1), vote(Prepare, 7, 0, 1), vote(Commit, 7, 0, 1)} {
		must.Do(t, l.Write([]Record{r}, nil))
		note()
	}
	must.Do(t, l.Write(nil, []Lock{{7, 0, bytes.Repeat([]byte("lock"), 20)}}))
	note()
	must.Do(t, l.Write([]Record{vote(RoundChange, 7, 1, 2)}, nil))
	note()
	must.Do(t, l.Write([]Record{vote(Prepare, 8, 0, 2), vote(Commit, 8, 0, 2)}, []Lock{{8, 0, []byte("lock")}}))
	note()
	must.Do(t, l.Close())
	return path, sizes, states
}

// A crash at any byte of an append leaves a log that opens with everything recorded before, goes on from there, and
// keeps what is added.
func TestTruncationAtEveryByte(t *testing.T) {
	path, sizes, states := written(t)
	content := must.Get(os.ReadFile(path))(t)
	must.That(t, int64(len(content)) == sizes[len(sizes)-1],
		"file has %d bytes, want %d", len(content), sizes[len(sizes)-1])
	for cut := range len(content) {
		// Besides a plain cut: a file that has its full length already, but not its content.
		for name, tail := range map[string][]byte{"cut": nil, "zeros": make([]byte, len(content)-cut)} {
			must.Do(t, os.WriteFile(path, append(bytes.Clone(content[:cut]), tail...), 0o600))
			l, err := OpenOn(unsynced{}, path, owner)
			if int64(cut) < sizes[0] {
				// The first frame came with a rename, which a crash cannot tear.
				must.That(t, errors.Is(err, ErrCorrupt) && strings.Contains(err.Error(), path),
					"%s at %d: %v, want ErrCorrupt", name, cut, err)
				continue
			}
			must.That(t, err == nil, "%s at %d: %v", name, cut, err)
			at := 0
			for at+1 < len(sizes) && sizes[at+1] <= int64(cut) {
				at++
			}
			got := stateOf(l)
			must.That(t, reflect.DeepEqual(got, states[at]), "%s at %d: state %v, want %v", name, cut, got, states[at])
			must.Equal(t, l.Torn(), int64(cut+len(tail))-sizes[at], "%s at %d: bytes torn", name, cut)
			must.Do(t, l.Write([]Record{vote(Commit, 9, 3, 9)}, nil))
			must.Do(t, l.Close())
			l, err = OpenOn(unsynced{}, path, owner)
			must.That(t, err == nil, "%s at %d: after going on: %v", name, cut, err)
			want := append(slices.Clip(states[at]), votesOf(vote(Commit, 9, 3, 9)))
			if got := stateOf(l); !reflect.DeepEqual(got, want) || l.Torn() != 0 {
				t.Fatalf("%s at %d: after going on: %v, want %v", name, cut, got, want)
			}
			must.Do(t, l.Close())
		}
	}
}

// A flipped bit anywhere is an error that names the file, and leaves it as it is: also in the last record, which may
// have been sent.
func TestDamageAtEveryByte(t *testing.T) {
	path, _, _ := written(t)
	content := must.Get(os.ReadFile(path))(t)
	for at := range content {
		for bit := range 8 {
			damaged := bytes.Clone(content)
			damaged[at] ^= 1 << bit
			l := newLog(path, owner)
			want := ErrCorrupt
			if format := string(damaged[:len(magic)]); format == "gwonvot1" || format == "gwonvot2" { // one bit away
				want = ErrOldFormat
			}
			_, err := l.load(damaged)
			must.That(t, errors.Is(err, want), "bit %d of byte %d: %v, want %v", bit, at, err, want)
		}
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x10
		must.Do(t, os.WriteFile(path, damaged, 0o600))
		if _, err := OpenOn(unsynced{}, path, owner); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Fatalf("byte %d: %v, want ErrCorrupt", at, err)
		}
		now, err := os.ReadFile(path)
		must.That(t, err == nil && bytes.Equal(now, damaged), "byte %d: the damaged file was changed: %v", at, err)
	}
}

// A record that is larger than a sector and full of zeros: what a crash leaves of it, any of its sectors or its first
// bytes, is torn; a flipped bit in it is damage.
func TestTornLargeRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	must.Do(t, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	small, before := stateOf(l), l.size
	big := vote(PrePrepare, 7, 1, 2)
	big.Payload = make([]byte, 3000)
	must.Do(t, l.Write([]Record{big}, nil))
	content := must.Get(os.ReadFile(path))(t)
	load := func(content []byte) (state, error) {
		l := newLog(path, owner)
		end, err := l.load(content)
		must.That(t, err != nil || end == before, "ends at %d", end)
		return stateOf(l), err
	}
	for cut := int(before); cut < len(content); cut++ {
		for name, torn := range map[string][]byte{
			"cut": content[:cut], "zeros": append(bytes.Clone(content[:cut]), make([]byte, len(content)-cut)...),
		} {
			got, err := load(torn)
			must.That(t, err == nil && reflect.DeepEqual(got, small), "%s at %d: %v, %v", name, cut, got, err)
		}
	}
	first, last := int(before)/sector, (len(content)-1)/sector
	for lost := 1; lost < 1<<(last-first+1); lost++ { // every set of sectors
		torn := bytes.Clone(content)
		for i := first; i <= last; i++ {
			if lost&(1<<(i-first)) != 0 {
				clear(torn[max(i*sector, int(before)):min((i+1)*sector, len(torn))])
			}
		}
		got, err := load(torn)
		must.That(t, err == nil && reflect.DeepEqual(got, small), "sectors %b: %v, %v", lost, got, err)
	}
	for at := int(before); at < len(content); at++ {
		for bit := range 8 {
			damaged := bytes.Clone(content)
			damaged[at] ^= 1 << bit
			_, err := load(damaged)
			must.That(t, errors.Is(err, ErrCorrupt), "bit %d of byte %d: %v, want ErrCorrupt", bit, at, err)
		}
	}
}

// What may be missing from a log is known after a restart and when the file is rewritten; a new log does not know
// it.
func TestOrigin(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "votes"))
	o := l.Origin()
	expect.That(t, o == nil, "a new log knows its origin: %v", o)
	l = reopen(t, l)
	o = l.Origin()
	expect.That(t, o == nil, "a log whose process ended before it said so knows its origin: %v", o)
	for _, want := range []Origin{{Since: 1000}, {Since: 1000, Lost: true}, {Since: 2000, Lost: true}} {
		must.Do(t, l.SetOrigin(want))
		size := l.size
		must.Do(t, l.SetOrigin(want))
		expect.Equal(t, l.size, size, "the same again was written")
		l = reopen(t, l)
		expect.That(t, l.Origin() != nil && *l.Origin() == want, "origin %v, want %v", l.Origin(), want)
		must.Do(t, l.Compact())
		l = reopen(t, l)
		expect.That(t, l.Origin() != nil && *l.Origin() == want, "compacted: origin %v, want %v", l.Origin(), want)
	}
}

func TestContradictionsInTheFile(t *testing.T) {
	for name, entries := range map[string][]entry{
		"two digests":    {voteEntry(vote(Prepare, 7, 0, 1)), voteEntry(vote(Prepare, 7, 0, 2))},
		"second floor":   {{Kind: headKind, Sequence: 3, Digest: owner.Genesis, Data: owner.Validator[:]}},
		"unknown kind":   {{Kind: 9}},
		"unknown code":   {voteEntry(vote(0x16, 7, 0, 1))},
		"lock goes back": {lockEntry(Lock{7, 1, nil}), lockEntry(Lock{7, 0, nil})},
	} {
		path := filepath.Join(t.TempDir(), "votes")
		l := open(t, path)
		for _, e := range entries {
			must.Do(t, l.append(e))
		}
		must.Do(t, l.Close())
		expect.Error(t, expect.Err(Open(path, owner)), ErrCorrupt, "%s", name)
	}
}

// Against a model: a map. Votes, locks, prunes and restarts in any order; a restart may bring back pruned votes, but
// never lets a contradiction pass.
func TestAgainstModel(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, strconv.Itoa(n))
		l := must.Get(OpenOn(unsynced{}, path, owner))(t)
		defer func() { must.Do(t, l.Close()) }()
		signed := make(map[view]byte) // all that ever left
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				must.Do(t, l.Close())
				l = must.Get(OpenOn(unsynced{}, path, owner))(t)
			case 1:
				l.Prune(rapid.Uint64Range(0, 4).Draw(t, "prune"))
			case 2:
				must.Do(t, l.Compact())
			default:
				r := vote(rapid.Uint64Range(PrePrepare, RoundChange).Draw(t, "code"), rapid.Uint64Range(1, 5).Draw(t, "sequence"),
					rapid.Uint64Range(0, 2).Draw(t, "round"), rapid.ByteRange(1, 2).Draw(t, "digest"))
				before, known := signed[r.view()]
				switch err := l.Write([]Record{r}, nil); {
				case err == nil && known && before != r.Digest[0]:
					t.Fatalf("signed %d and %d in %v", before, r.Digest[0], r.view())
				case err == nil:
					signed[r.view()] = r.Digest[0]
				case !errors.Is(err, ErrConflict) && !errors.Is(err, ErrPruned):
					t.Fatal(err)
				case errors.Is(err, ErrConflict) && (!known || before == r.Digest[0]):
					t.Fatalf("refused %v without reason: %v", r, err)
				}
			}
		}
	})
}

func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), "votes")
	l := open(f, path)
	must.Do(f, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	must.Do(f, l.Write(nil, []Lock{{7, 0, []byte("lock")}}))
	content := must.Get(os.ReadFile(path))(f)
	f.Add(content)
	f.Add(content[:len(content)-3])
	f.Fuzz(func(t *testing.T, content []byte) {
		l := newLog("", owner)
		end, err := l.load(content)
		if err == nil && (end < int64(headerLength) || end > int64(len(content))) {
			t.Errorf("ends at %d of %d", end, len(content))
		}
	})
}

func TestPrune(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	must.Do(t, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	must.Do(t, l.Write([]Record{vote(Prepare, 8, 0, 2)}, nil))
	must.Do(t, l.Write(nil, []Lock{{7, 0, []byte("lock")}}))
	l.Prune(6)
	list := l.Sequences()
	expect.That(t, len(list) == 2 && list[0].Lock != nil && l.Floor() == 7, "pruned above the sequence")
	l.Prune(7)
	l.Prune(5) // lower: no effect
	expect.Equal(t, l.Floor(), 8, "floor")
	expect.Deep(t, stateOf(l), (state{votesOf(vote(Prepare, 8, 0, 2))}), "state")
	expect.Error(t, l.Write([]Record{vote(Prepare, 7, 5, 1)}, nil), ErrPruned, "vote in a pruned sequence")
	expect.Error(t, l.Write(nil, []Lock{{7, 5, nil}}), ErrPruned, "lock in a pruned sequence")
	must.Do(t, l.Write([]Record{vote(Commit, 8, 0, 2)}, nil))
	expect.That(t, !l.Wasteful(), "a file of a few bytes is wasteful")

	// With enough in the file it is worth rewriting, and remembers what was pruned.
	big := vote(PrePrepare, 9, 0, 3)
	big.Payload = make([]byte, compactAfter)
	must.Do(t, l.Write([]Record{big}, nil))
	must.Do(t, l.Write([]Record{vote(Prepare, 10, 0, 4)}, nil))
	l.Prune(9)
	expect.That(t, l.Wasteful(), "not wasteful")
	must.Do(t, l.Compact())
	expect.That(t, !l.Wasteful(), "wasteful just after it was compacted")
	if info, err := os.Stat(path); err != nil || info.Size() > 1000 || info.Size() != l.size {
		t.Errorf("file has %d bytes, %v, the log thinks %d", info.Size(), err, l.size)
	}
	must.Do(t, l.Write([]Record{vote(Commit, 10, 0, 4)}, nil))
	l = reopen(t, l)
	expect.Deep(t, stateOf(l), state{votesOf(vote(Prepare, 10, 0, 4), vote(Commit, 10, 0, 4))}, "state")
	expect.Error(t, l.Write([]Record{vote(Prepare, 9, 5, 1)}, nil), ErrPruned, "vote in a pruned sequence after restart")
	l.Prune(1<<64 - 1)
	must.Do(t, l.Write([]Record{vote(Prepare, 11, 0, 4)}, nil))
}
