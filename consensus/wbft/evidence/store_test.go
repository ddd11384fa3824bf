// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

var everything = Filter{To: math.MaxUint64, Limit: math.MaxInt, MaxBytes: math.MaxInt64}

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	return must.Get(Open(dir, genesis))(t)
}

// item is evidence as far as the store looks at it.
func item(kind Kind, validator byte, sequence uint64, size int, label Label) *Evidence {
	return &Evidence{
		Kind: kind, Validator: common.Address{19: validator}, Genesis: genesis, Sequence: sequence,
		Messages: [2]hexutil.Bytes{make([]byte, size), {1}}, FirstSeen: seen.UTC(), Label: label, Reason: "test",
	}
}

func added(t *testing.T, s *Store, e *Evidence) bool {
	t.Helper()
	path := must.Get(s.Add(e))(t)
	return path != ""
}

func listed(t *testing.T, s *Store, f Filter) *List {
	t.Helper()
	return must.Get(s.List(f))(t)
}

func sequencesOf(list *List) []uint64 {
	var out []uint64
	for _, e := range list.Evidence {
		out = append(out, e.Sequence)
	}
	return out
}

// What was kept is there after a restart, in order, once, and is what was put in.
func TestStoreSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	expect.Error(t, expect.Err(os.Stat(filepath.Join(dir, "evidence"))), os.ErrNotExist,
		"there is a directory before there is evidence")
	var want []*Evidence
	for _, n := range []uint64{10, 9, 2, 100} { // 9 before 10, and not by letters
		e := item(TwoCommits, 1, n, 10, Proven)
		want = append(want, e)
		expect.That(t, added(t, s, e), "%d is not new", n)
	}
	slices.SortFunc(want, func(a, b *Evidence) int { return compareKeys(a.key(), b.key()) })
	for range 2 {
		list := listed(t, s, everything)
		must.That(t, reflect.DeepEqual(list.Evidence, want) && !list.Truncated && list.Unreadable == nil &&
			list.Genesis == genesis, "list %+v", list)
		expect.That(t, !added(t, s, item(TwoCommits, 1, 9, 999, Explainable)), "a second pair of the same view is kept")
		s = opened(t, dir)
	}
	other := must.Get(Open(dir, common.Hash{7}))(t)
	expect.Equal(t, len(listed(t, other, everything).Evidence), 0, "contradictions of another chain")
	lists := must.Get(Look(dir, everything))(t)
	expect.That(t, len(lists) == 1 && lists[0].Genesis == genesis && reflect.DeepEqual(lists[0].Evidence, want),
		"looked at from outside: %+v", lists)
}

func TestFilter(t *testing.T) {
	s := opened(t, t.TempDir())
	for n := range uint64(10) {
		added(t, s, item(TwoPrepares, byte(n%2), n+1, 1000, Proven))
	}
	odd := common.Address{19: 1}
	for name, c := range map[string]struct {
		f         Filter
		want      []uint64
		truncated bool
	}{
		"all":       {everything, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false},
		"range":     {Filter{From: 3, To: 5, Limit: 9, MaxBytes: math.MaxInt64}, []uint64{3, 4, 5}, false},
		"validator": {Filter{Validator: &odd, To: 6, Limit: 9, MaxBytes: math.MaxInt64}, []uint64{2, 4, 6}, false},
		"limit":     {Filter{From: 3, To: math.MaxUint64, Limit: 2, MaxBytes: math.MaxInt64}, []uint64{3, 4}, true},
		"exact":     {Filter{From: 9, To: math.MaxUint64, Limit: 2, MaxBytes: math.MaxInt64}, []uint64{9, 10}, false},
		"bytes":     {Filter{From: 3, To: math.MaxUint64, Limit: 9, MaxBytes: 6000}, []uint64{3, 4}, true},
		"one large": {Filter{From: 3, To: math.MaxUint64, Limit: 9, MaxBytes: 1}, []uint64{3}, true},
		"nothing":   {Filter{From: 11, To: math.MaxUint64, Limit: 9, MaxBytes: 1}, nil, false},
	} {
		list := listed(t, s, c.f)
		if got := sequencesOf(list); !slices.Equal(got, c.want) || list.Truncated != c.truncated {
			t.Errorf("%s: %v, truncated %t", name, got, list.Truncated)
		}
	}
}

// A file that a crash has torn, or somebody has spoilt, is named and spoils nothing else; what was being written is
// removed.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	for n := range uint64(3) {
		added(t, s, item(TwoCommits, 1, n+1, 10, Proven))
	}
	path := must.Get(s.Add(item(TwoCommits, 1, 4, 10, Proven)))(t)
	content := must.Get(os.ReadFile(path))(t)
	for cut := range len(content) {
		must.Do(t, os.WriteFile(path, content[:cut], 0o600))
		list := listed(t, opened(t, dir), everything)
		if !slices.Equal(sequencesOf(list), []uint64{1, 2, 3}) ||
			!slices.Equal(list.Unreadable, []string{filepath.Base(path)}) {
			t.Fatalf("cut at %d: %v, unreadable %v", cut, sequencesOf(list), list.Unreadable)
		}
	}
	// The content of one under the name of another.
	swapped := must.Get(json.Marshal(item(TwoCommits, 1, 3, 10, Proven)))(t)
	must.Do(t, os.WriteFile(path, swapped, 0o600))
	if list := listed(t, opened(t, dir), everything); len(list.Evidence) != 3 || len(list.Unreadable) != 1 {
		t.Errorf("a file under a wrong name: %v", sequencesOf(list))
	}
	must.Do(t, os.Remove(path))

	torn := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new-123")
	strange := filepath.Join(filepath.Dir(path), "README")
	for _, name := range []string{torn, strange} {
		must.Do(t, os.WriteFile(name, []byte("{"), 0o600))
	}
	list := listed(t, opened(t, dir), everything)
	expect.That(t, slices.Equal(sequencesOf(list), []uint64{1, 2, 3}) && list.Unreadable == nil,
		"%v, unreadable %v", sequencesOf(list), list.Unreadable)
	expect.Error(t, expect.Err(os.Stat(torn)), os.ErrNotExist, "the torn file is there")
	expect.Error(t, expect.Err(os.Stat(strange)), nil, "a file that is not the store's was touched")
	// A file that disappears behind the store's back is no reason to fail.
	s = opened(t, dir)
	must.Do(t, os.Remove(filepath.Join(s.dir, s.files[1].name())))
	if list := listed(t, s, everything); !slices.Equal(sequencesOf(list), []uint64{1, 3}) {
		t.Errorf("%v", sequencesOf(list))
	}
}

// diskUse is what the directory of a store holds.
func diskUse(t *testing.T, s *Store) (files int, bytes int64) {
	t.Helper()
	entries := must.Get(os.ReadDir(s.dir))(t)
	for _, e := range entries {
		info := must.Get(e.Info())(t)
		files, bytes = files+1, bytes+info.Size()
	}
	return files, bytes
}

// Of each validator and kind the first stays, and of the others the newest; what is proven stays longer than what is
// explainable.
func TestBoundOfAKind(t *testing.T) {
	s := opened(t, t.TempDir())
	s.limits.ofKind = 5
	added(t, s, item(TwoProposals, 1, 1, 10, Explainable))
	added(t, s, item(TwoPrepares, 2, 1, 10, Explainable))
	for n := range uint64(20) {
		label := Explainable
		if n == 4 {
			label = Proven
		}
		added(t, s, item(TwoPrepares, 1, n+1, 10, label))
	}
	prepares := Filter{Validator: &common.Address{19: 1}, To: math.MaxUint64, Limit: 99, MaxBytes: math.MaxInt64}
	expect.Slice(t, sequencesOf(listed(t, s, prepares)), []uint64{1, 1, 5, 18, 19, 20}, "kept")
	list := listed(t, s, everything)
	expect.That(t, len(list.Evidence) == 7, "other kinds and validators gave way: %v", sequencesOf(list))
}

// However much a validator does, the disk it takes is bounded, and it does not push out what is kept of others.
func TestBoundsOfTheDisk(t *testing.T) {
	s := opened(t, t.TempDir())
	s.limits = limits{ofKind: 8, ofValidator: 40_000, files: 30, inAll: 100_000}
	for v := range byte(4) {
		added(t, s, item(TwoCommits, v, 1, 100, Explainable))
	}
	for n := range uint64(60) {
		for i, kind := range []Kind{TwoProposals, TwoPrepares, TwoCommits, ForgottenCommit, TwoRoundChanges} {
			e := item(kind, 0, n+1, 100+int(n)*(i%2)*50, Proven)
			must.Get(s.Add(e))(t)
			if files, bytes := diskUse(t, s); files > 30 || bytes > 100_000 || files != len(s.files) || bytes != s.bytes {
				t.Fatalf("%d files with %d bytes, counted %d with %d", files, bytes, len(s.files), s.bytes)
			}
		}
	}
	for v := range byte(4) {
		filter := Filter{Validator: &common.Address{19: v}, To: 1, Limit: 9, MaxBytes: math.MaxInt64}
		expect.That(t, len(listed(t, s, filter).Evidence) != 0, "nothing is left of the first against validator %d", v)
	}
	// All together.
	for n := range uint64(40) {
		for v := range byte(9) {
			must.Get(s.Add(item(TwoProposals, v, n+1, 9000, Proven)))(t)
		}
		files, bytes := diskUse(t, s)
		must.That(t, files <= 30 && bytes <= 100_000, "%d files with %d bytes", files, bytes)
	}
	expect.Error(t, expect.Err(s.Add(item(TwoProposals, 7, 1000, 40_000, Proven))), ErrTooLarge, "larger than all there")
}

// Refused evidence has no place in the store.
func TestStoreTakesNoRefused(t *testing.T) {
	s := opened(t, t.TempDir())
	for _, e := range []*Evidence{
		item(TwoCommits, 1, 1, 1, Refused),
		item(TwoCommits, 1, 1, 1, ""),
		item("../theft", 1, 1, 1, Proven),
	} {
		expect.Refused(t, expect.Err(s.Add(e)), "%q %q is kept", e.Kind, e.Label)
	}
}

// A disk that fails is said, and the store goes on when it is mended.
func TestStoreOnABrokenDisk(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "evidence"), nil, 0o600))
	expect.Refused(t, expect.Err(Open(dir, genesis)), "a file in place of the directory is no error")
	must.Do(t, os.Remove(filepath.Join(dir, "evidence")))
	s := opened(t, dir)
	must.Do(t, os.WriteFile(filepath.Join(dir, "evidence"), nil, 0o600))
	_, err := s.Add(item(TwoCommits, 1, 1, 1, Proven))
	expect.That(t, err != nil && !s.Has(item(TwoCommits, 1, 1, 1, Proven)), "kept without a directory: %v", err)
	must.Do(t, os.Remove(filepath.Join(dir, "evidence")))
	expect.That(t, added(t, s, item(TwoCommits, 1, 1, 1, Proven)), "not kept after the disk was mended")
}

// A recorder judges what it is given, stores what shows something, once, and counts it by validator.
func TestRecorder(t *testing.T) {
	v := newSigner(t, "recorded")
	a, b := block(parent, sequence, "a"), block(parent, sequence, "b")
	s := opened(t, t.TempDir())
	gauge := func(label Label) int64 {
		return metrics.GetOrRegisterGauge(fmt.Sprintf("wbft/evidence/%s/%#x", label, v.address()), nil).Snapshot().Value()
	}
	before := map[Label]int64{Proven: gauge(Proven), Explainable: gauge(Explainable)}
	r := NewRecorder(s)
	report := func(kind Kind, first, second []byte) bool {
		return r.Report(seen, Report{Kind: kind, Signer: v.address(), Pair: [2][]byte{first, second}, Court: court(v)})
	}
	report(TwoPrepares, v.prepare(0, a), v.prepareWith(b.Hash(), 0, v.bls.Sign([]byte("junk"))))
	report(TwoPrepares, v.prepare(0, a), v.prepare(0, b)) // of the same view
	report(TwoPrepares, v.prepare(1, a), v.prepare(1, a)) // says the same
	report(TwoPrepares, []byte("junk"), v.prepare(1, a))
	report(ForgottenCommit, v.commit(0, a), v.change(1, nil))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.Run(ctx) // what waits when it ends is still recorded
	list := listed(t, s, everything)
	var got []string
	for _, e := range list.Evidence {
		got = append(got, fmt.Sprintf("%s %s", e.Kind, e.Label))
		expect.That(t, e.FirstSeen.Equal(seen) && e.Reason != "" && e.Validator == v.address(), "%+v", e)
	}
	expect.Slice(t, got, []string{"prepare proven", "forgotten-commit explainable"}, "kept")
	for label, n := range before {
		expect.That(t, gauge(label) == n+1, "%d are counted as %s, want %d", gauge(label), label, n+1)
	}
}

// What can wait is bounded, in number, in bytes and by validator and minute; a report never blocks.
func TestRecorderIsBounded(t *testing.T) {
	r := NewRecorder(opened(t, t.TempDir()))
	report := func(now time.Time, signer byte, kind Kind, size int) bool {
		return r.Report(now, Report{Kind: kind, Signer: common.Address{signer}, Pair: [2][]byte{make([]byte, size), nil}})
	}
	taken := 0
	for range 100 {
		if report(seen, 1, TwoCommits, 10) {
			taken++
		}
	}
	expect.Equal(t, taken, reportsPerMinute, "reports of one validator and kind in a minute")
	expect.That(t, report(seen, 1, TwoPrepares, 10) && report(seen, 2, TwoCommits, 10), "others suffer for it")
	expect.That(t, report(seen.Add(time.Minute), 1, TwoCommits, 10), "nothing more is taken a minute later")
	for i := range 100 {
		report(seen.Add(time.Duration(i)*time.Minute), byte(i), TwoProposals, messages.MaxSize)
	}
	waiting := r.waiting.Load()
	expect.That(t, waiting <= maxOfValidator, "%d bytes wait", waiting)
	for i := range 1000 {
		report(seen.Add(time.Duration(100+i)*time.Minute), byte(i), TwoProposals, 1)
	}
	expect.Equal(t, len(r.queue), maxWaiting, "reports wait")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.Run(ctx)
	expect.Equal(t, r.waiting.Load(), 0, "bytes wait after all was done")
}

// However many validators there have been, the names of metrics are bounded.
func TestMetricsAreBounded(t *testing.T) {
	defer func(before map[common.Address]struct{}) { counted = before }(maps.Clone(counted))
	clear(counted)
	others := metrics.GetOrRegisterGauge("wbft/evidence/proven/others", nil)
	before := others.Snapshot().Value()
	for i := range 3 * maxCounted {
		count(Proven, common.Address{0xfe, byte(i >> 8), byte(i)}, 1)
	}
	expect.Equal(t, len(counted), maxCounted, "validators have metrics")
	expect.Equal(t, others.Snapshot().Value()-before, 2*maxCounted, "the others")
}
