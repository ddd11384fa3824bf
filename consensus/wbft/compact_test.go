// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"

	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// slowDisk is a disk on which the sync of a large file stands still, until it is let go on, and may fail then.
type slowDisk struct {
	votelog.OS
	goOn  chan struct{}
	err   error        // of the sync
	begun atomic.Int32 // large files
}

func (d *slowDisk) Create(path string) (votelog.File, error) {
	f, err := d.OS.Create(path)
	return &slowFile{File: f, disk: d}, err
}

type slowFile struct {
	votelog.File
	disk  *slowDisk
	size  int
	large bool
}

func (f *slowFile) WriteAt(b []byte, at int64) (int, error) {
	f.size += len(b)
	return f.File.WriteAt(b, at)
}

func (f *slowFile) Sync() error {
	if f.size > 1<<20 && !f.large {
		f.large = true
		f.disk.begun.Add(1)
		<-f.disk.goOn
		return errors.Join(f.disk.err, f.File.Sync())
	}
	return f.File.Sync()
}

const full, last = 18, 30

// fillLog has blocks built up to the last one, and the vote log full at one before.
func (b *bench) fillLog() {
	upTo := b.buildUpTo(last)
	b.builder = buildFunc(func(ctx context.Context) (*gethcore.Executed, error) {
		if b.chain.CurrentBlock().Number.Uint64() == full {
			must.Do(b.t, b.driver.WriteLock(votelog.Lock{Sequence: full - 8, Round: 1, Certificate: make([]byte, 17<<20)}))
		}
		return upTo.Build(ctx, nil, common.Address{}, 0)
	})
}

// While the vote log's file is rewritten blocks are decided, it is not begun a second time, and Stop waits for it. A
// simulation has it in the driver's goroutine.
func TestBlocksWhileTheLogIsWrittenAnew(t *testing.T) {
	for name, inStep := range map[string]bool{"beside the driver": false, "in a step": true} {
		onBenchRow(t, name, 1, func(b *bench) {
			disk := &slowDisk{goOn: make(chan struct{})}
			b.disk, b.inStep = disk, inStep
			b.fillLog()
			b.start()
			if inStep {
				b.head(full + 1)
			} else {
				b.head(last)
			}
			b.unhalted()
			expect.Equal(b.t, disk.begun.Load(), 1, "large files are begun")
			stopped := make(chan struct{})
			go func() {
				b.driver.Stop()
				close(stopped)
			}()
			b.wait()
			select {
			case <-stopped:
				b.t.Error("stopped while the vote log is written")
			default:
			}
			close(disk.goOn)
			<-stopped
			expect.Error(b.t, expect.Err(os.Stat(b.logFile()+".new")), os.ErrNotExist, "the new file is left behind")
			must.Do(b.t, b.votes().Close())
		})
	}
}

// A vote log that cannot be made smaller is said to be so, block by block, and is good enough to go on.
func TestLogThatCannotBeWrittenAnew(t *testing.T) {
	onBench(t, 1, func(b *bench) {
		disk := &slowDisk{goOn: make(chan struct{}), err: syscall.ENOSPC}
		close(disk.goOn)
		b.disk, b.inStep = disk, true // so that each block's turn comes
		b.fillLog()
		out := logged(b.t, b.start)
		b.head(last)
		b.unhalted()
		n := strings.Count(out, "Vote log not compacted")
		expect.That(b.t, n >= 2 && n == int(disk.begun.Load()) && strings.Contains(out, syscall.ENOSPC.Error()),
			"said %d times of %d: %s", n, disk.begun.Load(), out)
	})
}
