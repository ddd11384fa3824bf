// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"gwon/consensus/wbft/votelog"
)

var (
	errDying    = errors.New("the process dies in the middle of this")
	errDead     = errors.New("the process is dead")
	errDiskFull = syscall.ENOSPC
	errDisk     = syscall.EIO
)

// change is a write to a file, or its truncation, that is not on disk yet.
type change struct {
	offset int64
	data   []byte // nil for a truncation to offset
}

func (c change) apply(content []byte) []byte {
	if c.data == nil {
		if c.offset <= int64(len(content)) {
			return content[:c.offset]
		}
		return append(content, make([]byte, c.offset-int64(len(content)))...)
	}
	if end := c.offset + int64(len(c.data)); end > int64(len(content)) {
		content = append(content, make([]byte, end-int64(len(content)))...)
	}
	copy(content[c.offset:], c.data)
	return content
}

// inode is a file as the kernel sees it, and as it is on the platters.
type inode struct {
	content []byte
	durable []byte
	pending []change // since the last sync
}

// disk is a file system that outlives its processes. Unsynced writes survive a crash of the process. A power loss keeps
// a random part of them: whole writes in order, the last one up to any byte. It is safe for concurrent use.
type disk struct {
	mu    sync.Mutex
	files map[string]*inode
	locks map[string]*process

	full, failing bool // writes find no room; syncs fail
}

func newDisk() *disk {
	return &disk{files: make(map[string]*inode), locks: make(map[string]*process)}
}

// holds reports whether bytes in a file survive a power loss.
func (d *disk) holds(path string, b []byte) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[path]
	return f != nil && bytes.LastIndex(f.durable, b) >= 0
}

// powerLoss takes what was not synced, but for what chance leaves. roll returns the next random number.
func (d *disk) powerLoss(roll func() uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, path := range sortedKeys(d.files) {
		f := d.files[path]
		for i, c := range f.pending {
			if roll()%2 == 0 {
				continue
			}
			if c.data != nil && i == len(f.pending)-1 {
				c.data = c.data[:roll()%uint64(len(c.data)+1)]
			}
			if c.data == nil || len(c.data) > 0 {
				f.durable = c.apply(f.durable)
			}
		}
		f.content, f.pending = slices.Clone(f.durable), nil
	}
}

// set makes the disk full or failing, or neither.
func (d *disk) set(full, failing bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.failing = full, failing
}

func (d *disk) isFull() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.full
}

func (d *disk) isFailing() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failing
}

// wipe loses every file.
func (d *disk) wipe() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.files)
}

// release lets go of the locks of a dead process.
func (d *disk) release(p *process) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.locks, func(_ string, holder *process) bool { return holder == p })
}

// mount is a disk as one process uses it (votelog.Disk).
type mount struct {
	*disk
	process *process
}

func (m mount) MakeDirectory(string) error { return m.process.act() }

func (m mount) Lock(path string) (func() error, error) {
	if err := m.process.act(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[path] != nil {
		return nil, votelog.ErrInUse
	}
	m.locks[path] = m.process
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.locks[path] == m.process {
			delete(m.locks, path)
		}
		return nil
	}, nil
}

func (m mount) Read(path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[path]
	if f == nil {
		return nil, os.ErrNotExist
	}
	return slices.Clone(f.content), nil
}

func (m mount) Create(path string) (votelog.File, error) {
	if err := m.process.act(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return nil, errDiskFull
	}
	m.files[path] = new(inode)
	return &handle{m, m.files[path]}, nil
}

func (m mount) Open(path string) (votelog.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[path]
	if f == nil {
		return nil, os.ErrNotExist
	}
	return &handle{m, f}, nil
}

func (m mount) Rename(from, to string) error {
	if err := m.process.act(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[from] == nil {
		return os.ErrNotExist
	}
	if m.failing {
		return errDisk
	}
	m.files[to] = m.files[from]
	delete(m.files, from)
	return nil
}

func (m mount) Remove(path string) error {
	if err := m.process.act(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[path] == nil {
		return os.ErrNotExist
	}
	delete(m.files, path)
	return nil
}

// handle is an open file of a process (votelog.File).
type handle struct {
	mount
	file *inode
}

func (h *handle) WriteAt(b []byte, offset int64) (int, error) {
	err := h.process.act()
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(b)
	switch {
	case errors.Is(err, errDying):
		n = int(h.process.node.roll("torn", uint64(offset)) % uint64(n+1))
	case err != nil:
		return 0, err
	case h.full:
		n, err = n/2, errDiskFull
	}
	c := change{offset, slices.Clone(b[:n])}
	h.file.content = c.apply(h.file.content)
	h.file.pending = append(h.file.pending, c)
	return n, err
}

func (h *handle) Truncate(size int64) error {
	if err := h.process.act(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := change{offset: size}
	h.file.content = c.apply(h.file.content)
	h.file.pending = append(h.file.pending, c)
	return nil
}

// Sync implements votelog.File. A failed Sync leaves the disk as it was and drops the unsynced bytes; a later Sync does
// not write them.
func (h *handle) Sync() error {
	if err := h.process.act(); err != nil {
		return err
	}
	h.process.node.spend("sync", h.process.node.net.conditions().MaxSync)
	if h.process.dead.Load() {
		return errDead
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	pending := h.file.pending
	h.file.pending = nil
	if h.failing {
		return errDisk
	}
	for _, c := range pending {
		h.file.durable = c.apply(h.file.durable)
	}
	return nil
}

func (h *handle) Close() error { return nil }
