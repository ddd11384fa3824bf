// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"gwon/internal/progress"
)

// flushPatience is how long the making of a snapshot waits for a newer state on disk. A quiet chain has none.
const flushPatience = 15 * time.Second

// Service makes snapshots of the chain of a running node, one at a time. It implements node.Lifecycle.
type Service struct {
	db    ethdb.Database
	flush func() // asks for the newest state on disk
	disk  Disk

	mu     sync.Mutex
	cancel context.CancelFunc // nil when nothing runs
	done   chan struct{}
	status Status
	state  *progress.Meter
}

// Status is what the newest snapshot of a node has come to.
type Status struct {
	Running  bool            `json:"running"`
	Dir      string          `json:"dir"`
	Progress progress.State  `json:"progress"`
	Error    string          `json:"error,omitempty"`
	Manifest *Digest         `json:"manifest,omitempty"` // SHA-256 of the manifest of a finished snapshot
	Number   *hexutil.Uint64 `json:"number,omitempty"`   // of its head
	Hash     *common.Hash    `json:"hash,omitempty"`
	Size     uint64          `json:"size,omitempty"` // bytes of its chunks
	// HistoryFrom is the first block with transactions; 0 for all.
	HistoryFrom uint64 `json:"historyFrom,omitempty"`
}

// NewService returns the service of a node with this database. flush makes the database write its newest state soon.
func NewService(db ethdb.Database, flush func(), disk Disk) *Service {
	return &Service{db: db, flush: flush, disk: disk, state: new(progress.Meter)}
}

// Start implements node.Lifecycle.
func (s *Service) Start() error { return nil }

// Stop implements node.Lifecycle. It ends what runs, before the database is closed.
func (s *Service) Stop() error {
	s.mu.Lock()
	done := s.done
	if s.cancel != nil {
		s.cancel()
	}
	s.mu.Unlock()
	if done != nil {
		<-done
	}
	return nil
}

// API is the namespace "snapshot" of a node.
type API struct{ s *Service }

// API returns what the node answers for its operator.
func (s *Service) API() *API { return &API{s} }

// Create begins to write a snapshot into a directory of the node's machine, which must be empty or not there.
func (a *API) Create(dir string, options *Options) error {
	s := a.s
	if options == nil {
		options = new(Options)
	}
	for _, d := range []string{dir, options.Extend} {
		if d != "" && !filepath.IsAbs(d) || dir == "" {
			return fmt.Errorf("%q is no absolute path of a directory", d)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return fmt.Errorf("a snapshot is being written into %s: wait, or end it with snapshot.cancel()", s.status.Dir)
	}
	if _, err := options.earlier(); err != nil { // at once, not when the state is on disk
		return err
	}
	if err := prepareDir(dir); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.done = cancel, make(chan struct{})
	s.status, s.state = Status{Running: true, Dir: dir}, new(progress.Meter)
	go s.create(ctx, dir, *options, s.state, s.done)
	return nil
}

// Status returns how far the newest snapshot is.
func (a *API) Status() Status {
	s := a.s
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	status.Progress = s.state.State()
	return status
}

// Cancel ends the making of a snapshot, and reports whether there was one.
func (a *API) Cancel() bool {
	s := a.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel == nil {
		return false
	}
	s.cancel()
	return true
}

func (s *Service) create(
	ctx context.Context, dir string, options Options, meter *progress.Meter, done chan struct{},
) {
	defer close(done)
	log.Info("Snapshot started", "dir", dir)
	s.awaitFlush(ctx)
	defer progress.Lines(meter.State)()
	m, digest, err := Create(ctx, Source{DB: s.db, Rest: true, Disk: s.disk, Options: options}, dir, meter)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	s.cancel, s.status.Running = nil, false
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("the snapshot was interrupted: %w", err)
		}
		s.status.Error = err.Error()
		log.Error("Snapshot failed", "dir", dir, "err", err)
		return
	}
	number := hexutil.Uint64(m.Number)
	s.status.Manifest, s.status.Number, s.status.Hash, s.status.Size = &digest, &number, &m.Hash, m.Size()
	s.status.HistoryFrom = m.HistoryFrom
	log.Info("Snapshot written", "dir", dir, "number", m.Number, "hash", m.Hash, "manifest", digest)
}

// awaitFlush waits for a newer state on disk, for a while.
func (s *Service) awaitFlush(ctx context.Context) {
	before := rawdb.ReadSnapshotRoot(s.db)
	s.flush()
	ctx, cancel := context.WithTimeout(ctx, flushPatience)
	defer cancel()
	ticker := time.NewTicker(flushPatience / 100)
	defer ticker.Stop()
	for rawdb.ReadSnapshotRoot(s.db) == before {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
