// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/atomicfile"
)

// maxOfValidator bounds the bytes of a validator, which decides the number and size of its messages. A pair of the
// largest proposals takes 40 MiB.
const maxOfValidator = 64 << 20

// ErrTooLarge is returned for evidence that does not fit into a store at all.
var ErrTooLarge = errors.New("evidence is too large to be kept")

// Store keeps evidence of one chain as files in a directory: one pair for each validator, kind and view. Beyond its
// bounds new evidence evicts old evidence, of the same validator where possible. The first pair of a validator and kind
// is evicted last. A Store is safe for concurrent use. No other process must write to the directory.
type Store struct {
	dir     string
	genesis common.Hash

	mu     sync.Mutex
	files  []*stored // by sequence, round, kind and validator
	bytes  int64
	limits limits
}

type limits struct {
	ofKind, files      int   // pairs of a validator and kind, the first and the newest; files of the store
	ofValidator, inAll int64 // bytes
}

// stored is a file of the store. Its name has all fields of the key.
type stored struct {
	key
	label Label
	size  int64
}

// key identifies evidence. A store keeps one pair of each key.
type key struct {
	sequence, round uint64
	kind            Kind
	validator       common.Address
}

func (e *Evidence) key() key {
	k := key{e.Sequence, e.Rounds[0], e.Kind, e.Validator}
	if e.Kind == ForgottenCommit {
		k.round = e.Rounds[1]
	}
	return k
}

func (s *stored) name() string {
	return fmt.Sprintf("%d_%d_%s_%s_%#x.json", s.sequence, s.round, s.kind, s.label, s.validator)
}

var namePattern = regexp.MustCompile(`^(\d{1,20})_(\d{1,20})_([a-z-]+)_(proven|explainable)_(0x[0-9a-f]{40})\.json$`)

// parseName decodes the name of a file; ok is false for a file that is not of a store.
func parseName(name string) (f *stored, ok bool) {
	m := namePattern.FindStringSubmatch(name)
	if m == nil {
		return nil, false
	}
	sequence, err := strconv.ParseUint(m[1], 10, 64)
	round, err2 := strconv.ParseUint(m[2], 10, 64)
	f = &stored{key: key{sequence, round, Kind(m[3]), common.HexToAddress(m[5])}, label: Label(m[4])}
	_, known := f.kind.codes()
	return f, err == nil && err2 == nil && known && f.name() == name
}

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.round, b.round), cmp.Compare(a.kind, b.kind),
		a.validator.Cmp(b.validator))
}

// Directory returns the directory, below dir, for the evidence of the chain with a genesis block.
func Directory(dir string, genesis common.Hash) string {
	return filepath.Join(dir, "evidence", fmt.Sprintf("%#x", genesis[:8]))
}

// Open returns the store of the chain with a genesis block, below the directory dir. The directory is created with the
// first evidence.
func Open(dir string, genesis common.Hash) (*Store, error) {
	s := &Store{
		dir: Directory(dir, genesis), genesis: genesis,
		limits: limits{ofKind: 32, ofValidator: maxOfValidator, files: 4096, inAll: 256 << 20},
	}
	if err := s.scan(true); err != nil {
		return nil, fmt.Errorf("store of evidence: %w", err)
	}
	for _, f := range s.files {
		count(f.label, f.validator, 1)
	}
	return s, nil
}

// Look returns the evidence of all stores below a directory, one list for each chain. It changes nothing, so a node may
// be running.
func Look(dir string, filter Filter) ([]*List, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "evidence", "0x*"))
	if err != nil {
		return nil, err
	}
	var lists []*List
	for _, path := range paths {
		s := &Store{dir: path}
		if err := s.scan(false); err != nil {
			return nil, fmt.Errorf("store of evidence: %w", err)
		}
		list, err := s.List(filter)
		if err != nil {
			return nil, err
		}
		if len(list.Evidence) > 0 {
			list.Genesis = list.Evidence[0].Genesis
		}
		if len(list.Evidence)+len(list.Unreadable) > 0 {
			lists = append(lists, list)
		}
	}
	return lists, nil
}

// scan finds the files of the store. tidy removes files that a crash left unfinished.
func (s *Store) scan(tidy bool) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if name := atomicfile.PartialOf(entry.Name()); name != "" {
			if _, ours := parseName(name); ours && tidy { // a crash cut its writing short
				if err := os.Remove(filepath.Join(s.dir, entry.Name())); err != nil {
					return err
				}
			}
			continue
		}
		f, ours := parseName(entry.Name())
		if !ours {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was evicted meanwhile
		}
		if err != nil {
			return err
		}
		f.size = info.Size()
		s.files, s.bytes = append(s.files, f), s.bytes+f.size
	}
	slices.SortFunc(s.files, func(a, b *stored) int { return compareKeys(a.key, b.key) })
	return nil
}

// Has reports whether evidence of the same validator, kind and view is kept already.
func (s *Store) Has(e *Evidence) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.has(e.key())
}

func (s *Store) has(k key) bool {
	_, found := s.find(k)
	return found
}

func (s *Store) find(k key) (int, bool) {
	return slices.BinarySearchFunc(s.files, k, func(f *stored, k key) int { return compareKeys(f.key, k) })
}

// Add keeps labeled evidence durably and returns the path of its file. The path is empty when evidence of the same
// validator, kind and view is kept already. The error wraps ErrTooLarge for evidence that exceeds the bounds by itself.
func (s *Store) Add(e *Evidence) (path string, err error) {
	f := &stored{key: e.key(), label: e.Label}
	if again, ok := parseName(f.name()); !ok || again.key != f.key {
		return "", fmt.Errorf("evidence of kind %q with label %q cannot be kept", e.Kind, e.Label)
	}
	content, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	f.size = int64(len(content))

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has(f.key) {
		return "", nil
	}
	if f.size > min(s.limits.ofValidator, s.limits.inAll) {
		return "", fmt.Errorf("%w: %d bytes", ErrTooLarge, f.size)
	}
	if err := s.makeRoom(f); err != nil {
		return "", fmt.Errorf("store of evidence: %w", err)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("store of evidence: %w", err)
	}
	path = filepath.Join(s.dir, f.name())
	if err := atomicfile.Write(path, content, 0o600); err != nil {
		return "", fmt.Errorf("store of evidence: %w", err)
	}
	at, _ := s.find(f.key)
	s.files, s.bytes = slices.Insert(s.files, at, f), s.bytes+f.size
	count(f.label, f.validator, 1)
	return path, nil
}

// makeRoom evicts files until a new one is within the bounds.
func (s *Store) makeRoom(f *stored) error {
	for {
		same := func(o *stored) bool { return o.validator == f.validator && o.kind == f.kind }
		number, own := 0, int64(0)
		for _, o := range s.files {
			if same(o) {
				number++
			}
			if o.validator == f.validator {
				own += o.size
			}
		}
		var victims func(*stored) bool
		switch {
		case number >= s.limits.ofKind:
			victims = same
		case own+f.size > s.limits.ofValidator:
			victims = s.largestKind(f.validator)
		case s.bytes+f.size > s.limits.inAll, len(s.files) >= s.limits.files:
			all, owner := func(*stored) bool { return true }, func(o *stored) common.Address { return o.validator }
			victims = s.largestKind(largest(s.files, all, owner, common.Address.Cmp))
		default:
			return nil
		}
		if err := s.removeOne(victims); err != nil {
			return err
		}
	}
}

// largestKind selects the pairs of the kind of which a validator has the most bytes.
func (s *Store) largestKind(validator common.Address) func(*stored) bool {
	own := func(f *stored) bool { return f.validator == validator }
	kind := largest(s.files, own, func(f *stored) Kind { return f.kind }, cmp.Compare[Kind])
	return func(f *stored) bool { return own(f) && f.kind == kind }
}

// largest returns the key under which some files have the most bytes, the lowest of equals.
func largest[K comparable](files []*stored, of func(*stored) bool, key func(*stored) K, order func(a, b K) int) K {
	bytes := make(map[K]int64)
	for _, f := range files {
		if of(f) {
			bytes[key(f)] += f.size
		}
	}
	return slices.MaxFunc(slices.Collect(maps.Keys(bytes)), func(a, b K) int {
		return cmp.Or(cmp.Compare(bytes[a], bytes[b]), order(b, a))
	})
}

// removeOne removes the oldest of the selected files except their first, explainable before proven. The first is
// removed only when it is the last one left.
func (s *Store) removeOne(of func(*stored) bool) error {
	first, victim := -1, -1
	for i, f := range s.files {
		switch {
		case !of(f):
		case first < 0:
			first = i
		case victim < 0 || s.files[victim].label == Proven && f.label == Explainable:
			victim = i
		}
	}
	if victim < 0 {
		victim = first
	}
	f := s.files[victim]
	if err := os.Remove(filepath.Join(s.dir, f.name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.files, s.bytes = slices.Delete(s.files, victim, victim+1), s.bytes-f.size
	count(f.label, f.validator, -1)
	return nil
}

// Filter selects evidence.
type Filter struct {
	Validator *common.Address // nil for all
	From, To  uint64          // sequences, both included
	Limit     int             // of pairs
	MaxBytes  int64           // of files; one pair is returned even if it has more
}

// List returns evidence by ascending sequence.
func (s *Store) List(filter Filter) (*List, error) {
	list := &List{Version: FormatVersion, Genesis: s.genesis, Evidence: []*Evidence{}}
	total := int64(0)
	for _, f := range s.selected(filter) {
		total += f.size
		if len(list.Evidence) == filter.Limit || total > filter.MaxBytes && len(list.Evidence) > 0 {
			list.Truncated = true
			break
		}
		content, err := os.ReadFile(filepath.Join(s.dir, f.name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was evicted meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("store of evidence: %w", err)
		}
		e := new(Evidence)
		if err := json.Unmarshal(content, e); err != nil || e.key() != f.key || !s.ofChain(e.Genesis) {
			list.Unreadable = append(list.Unreadable, f.name())
			continue
		}
		list.Evidence = append(list.Evidence, e)
	}
	return list, nil
}

// ofChain reports whether evidence with this genesis block belongs to the store. For a store of an unknown chain the
// name of the directory decides.
func (s *Store) ofChain(genesis common.Hash) bool {
	return genesis == s.genesis ||
		s.genesis == common.Hash{} && filepath.Base(s.dir) == filepath.Base(Directory("", genesis))
}

func (s *Store) selected(filter Filter) []*stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*stored
	for _, f := range s.files {
		if (filter.Validator == nil || *filter.Validator == f.validator) && f.sequence >= filter.From &&
			f.sequence <= filter.To {
			list = append(list, f)
		}
	}
	return list
}
