// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
	"golang.org/x/sync/errgroup"

	"gwon/internal/apart"
	"gwon/internal/atomicfile"
	"gwon/internal/progress"
)

const (
	parallel = 4  // files that are downloaded or checked at once
	ahead    = 12 // files that are there before their turn

	// WorkName is the directory, beside the chain database to be, of a fetch that is not finished.
	WorkName = "snapshot-fetch"

	chainName = "chaindata"
)

// ErrInPlace means that an earlier fetch was finished but for the removal of its files.
var ErrInPlace = errors.New("the snapshot is in place already")

// task is the proof of a snapshot, with or without a database.
type task struct {
	location *Location
	manifest *Manifest
	proof    *chainProof
	work     string    // directory of downloaded files
	store    *database // nil when nothing is to be built
	progress *progress.Meter
}

// chunkRef is a chunk of a manifest.
type chunkRef struct {
	kind  kind
	index int
	first uint64 // block
	Chunk
}

func (r *chunkRef) name() string { return chunkName(r.kind, r.index) }

// Verify proves the snapshot at a location and keeps nothing. Downloaded files pass through a directory of their own.
func Verify(ctx context.Context, location *Location, trust *Trust, meter *progress.Meter) (m *Manifest, err error) {
	_, m, err = readManifest(ctx, location, trust)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "gwon-snapshot-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	proof, err := newChainProof(trust, m.Number)
	if err != nil {
		return nil, err
	}
	t := &task{location: location, manifest: m, proof: proof, work: work, progress: meter}
	return m, t.run(ctx, 0)
}

func readManifest(ctx context.Context, location *Location, trust *Trust) ([]byte, *Manifest, error) {
	raw, err := location.manifest(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := parseManifest(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", location, err)
	}
	return raw, m, trust.checkManifest(raw, m)
}

// Target is where and how a chain database is built from a snapshot.
type Target struct {
	Instance string             // instance directory of a node, in which the database will be
	Free     func(uint64) error // returns an error when the disk has no room for the bytes
	Progress *progress.Meter

	kept uint64 // of the newest blocks in the key-value store; 0 means as many as a node keeps
}

// Fetch builds a chain database from the snapshot at a location. A call that was cut off is continued by the next one
// with the same snapshot.
func Fetch(ctx context.Context, location *Location, trust *Trust, to Target) (*Manifest, error) {
	work, final := filepath.Join(to.Instance, WorkName), filepath.Join(to.Instance, chainName)
	built := filepath.Join(work, chainName)
	if err := checkTarget(final, work); err != nil {
		return nil, err
	}
	if location.base == nil {
		if err := apart.Check(location.dir, to.Instance); err != nil {
			return nil, err
		}
	}
	raw, m, err := readManifest(ctx, location, trust)
	if err != nil {
		return nil, err
	}
	if err := begin(work, raw); err != nil {
		return nil, err
	}
	proof, err := newChainProof(trust, m.Number)
	if err != nil {
		return nil, err
	}
	store, err := openDatabase(built, m, to.kept)
	if err != nil {
		return nil, err
	}
	t := &task{location: location, manifest: m, proof: proof, work: work, store: store, progress: to.Progress}
	if err := errors.Join(t.build(ctx, to.Free), store.Close()); err != nil {
		return nil, err
	}
	if err := atomicfile.Rename(built, final); err != nil {
		return nil, err
	}
	return m, os.RemoveAll(work)
}

// build completes the database.
func (t *task) build(ctx context.Context, free func(uint64) error) error {
	done, err := t.store.resume(t.proof, t.manifest)
	if err != nil {
		return err
	}
	if err := free(t.manifest.sizeFrom(done)); err != nil {
		return err
	}
	log.Info("Snapshot fetch started", "from", t.location, "number", t.manifest.Number, "size",
		common.StorageSize(t.manifest.Size()), "chunks", len(t.manifest.Blocks)+len(t.manifest.State), "done", done)
	if err := t.run(ctx, int(done)); err != nil {
		return err
	}
	return t.store.finish(t.manifest, &t.proof.network)
}

// checkTarget refuses to touch a chain that is there. What a finished fetch has left is removed.
func checkTarget(target, work string) error {
	if _, err := os.Stat(target); errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	_, noWork := os.Stat(work)
	_, noDatabase := os.Stat(filepath.Join(work, chainName))
	if noWork == nil && errors.Is(noDatabase, os.ErrNotExist) {
		return errors.Join(ErrInPlace, os.RemoveAll(work))
	}
	return fmt.Errorf("there is a chain in %s: name another data directory, or remove that chain with gwon removedb, "+
		"which keeps keys and votes",
		target)
}

// begin notes which snapshot is being fetched, or checks that it is still the same.
func begin(work string, raw []byte) error {
	path := filepath.Join(work, ManifestName)
	pinned, err := atomicfile.Read(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.MkdirAll(work, dirMode); err != nil {
			return err
		}
		return atomicfile.Write(path, raw, fileMode)
	case err != nil:
		return err
	case !bytes.Equal(pinned, raw):
		was := "of an unreadable manifest"
		if m, err := parseManifest(pinned); err == nil {
			was = fmt.Sprintf("of block %d", m.Number)
		}
		return fmt.Errorf("the fetch of another snapshot, %s, is not finished: name the place of that one, or delete %s "+
			"to begin again", was, work)
	}
	return nil
}

// sizeFrom returns the bytes of the chunks that are still to be processed.
func (m *Manifest) sizeFrom(chunks uint64) uint64 {
	rest := *m
	rest.Blocks = m.Blocks[chunks:]
	return rest.Size()
}

// refs returns the chunks in the order in which they are processed.
func (t *task) refs(done int) (list []*chunkRef) {
	first := uint64(0)
	for i, c := range t.manifest.Blocks {
		if i >= done {
			list = append(list, &chunkRef{blocksKind, i, first, c})
		}
		first += c.Blocks
	}
	for i, c := range t.manifest.State {
		list = append(list, &chunkRef{kind: stateKind, index: i, Chunk: c})
	}
	return list
}

// run processes all chunks but the first of blocks, which are in the database.
func (t *task) run(ctx context.Context, done int) error {
	var states stateStore
	if t.store != nil {
		states = t.store
	}
	builder := newStateBuilder(states, codesHeld)
	t.progress.Begin("Proving blocks", t.manifest.Number+1)
	t.progress.Skip(t.proof.next())
	if done == len(t.manifest.Blocks) {
		if err := t.beginState(); err != nil {
			return err
		}
	}
	err := inOrder(ctx, t.refs(done), func(ctx context.Context, r *chunkRef) (string, error) {
		return t.location.chunk(ctx, t.work, r.name(), r.Chunk)
	}, func(ctx context.Context, r *chunkRef, path string) error {
		process := t.blocks
		if r.kind == stateKind {
			process = func(ctx context.Context, r *chunkRef, path string) error { return t.state(ctx, r, path, builder) }
		}
		if err := process(ctx, r, path); err != nil {
			return fmt.Errorf("%s of %v: %w", r.name(), t.location, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	root, err := builder.root()
	if err != nil {
		return err
	}
	if root != t.manifest.StateRoot {
		return fmt.Errorf("the state at %v has root %v, block %d has %v: take another snapshot", t.location, root,
			t.manifest.Number, t.manifest.StateRoot)
	}
	return nil
}

// blocks proves a chunk of blocks and stores it.
func (t *task) blocks(ctx context.Context, r *chunkRef, path string) error {
	err := readBlocks(ctx, path, r.Chunk, r.first, t.manifest.hasBody, func(run []provenBlock) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.proof.prove(run); err != nil {
			return err
		}
		for _, b := range run {
			t.progress.Add(int(b.Size()) + len(b.receipts))
		}
		t.progress.At(t.proof.next())
		if t.store == nil {
			return nil
		}
		return t.store.putBlocks(run)
	})
	if err != nil {
		return err
	}
	if t.store != nil {
		if err := t.store.endChunk(uint64(r.index + 1)); err != nil {
			return err
		}
	}
	if t.location.base != nil {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if r.index+1 == len(t.manifest.Blocks) {
		return t.beginState()
	}
	return nil
}

// beginState ends the blocks: the head is proven.
func (t *task) beginState() error {
	if err := t.proof.finish(t.manifest); err != nil {
		return err
	}
	log.Info("Head of the snapshot proven", "number", t.manifest.Number, "hash", t.manifest.Hash)
	t.progress.Begin("Building state", uint64(len(t.manifest.State)))
	return nil
}

// state adds a chunk to the state. Its file stays until a database is finished: the state begins again after an
// interruption. Without a database nothing goes on later, and the disk holds a few chunks only.
func (t *task) state(ctx context.Context, r *chunkRef, path string, builder *stateBuilder) error {
	err := readChunk(path, r.Chunk, func(stream *rlp.Stream) error {
		var item stateItem
		if err := stream.Decode(&item); err != nil {
			return err
		}
		t.progress.Add(len(item.Hash) + len(item.Value))
		if err := builder.add(&item); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	t.progress.At(uint64(r.index + 1))
	if t.store == nil && t.location.base != nil {
		return os.Remove(path)
	}
	return nil
}

// inOrder calls get for each chunk, several at once and a bounded number ahead, and use for each in order.
func inOrder(
	ctx context.Context, refs []*chunkRef, get func(context.Context, *chunkRef) (string, error),
	use func(context.Context, *chunkRef, string) error,
) error {
	group, ctx := errgroup.WithContext(ctx)
	next, places := make(chan int), make(chan struct{}, ahead)
	ready := make([]chan string, len(refs))
	for i := range ready {
		ready[i] = make(chan string, 1)
	}
	group.Go(func() error {
		defer close(next)
		for i := range refs {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case next <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range parallel {
		group.Go(func() error {
			for i := range next {
				path, err := get(ctx, refs[i])
				if err != nil {
					return err
				}
				ready[i] <- path
			}
			return nil
		})
	}
	group.Go(func() error {
		for i, r := range refs {
			select {
			case path := <-ready[i]:
				if err := use(ctx, r, path); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
			<-places
		}
		return nil
	})
	return group.Wait()
}
