// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// smallDisk puts the databases, key and votes of a node that does not run onto a file system of its own.
func smallDisk(t *testing.T, c *cluster, i, megabytes int) (dir string) {
	t.Helper()
	dir = filepath.Join(c.node(i).Dir, "gwon")
	before := dir + ".before"
	must.Do(t, errors.Join(os.Rename(dir, before), os.Mkdir(dir, 0o700)))
	mountSmall(t, dir, fmt.Sprintf("%dm", megabytes))
	must.Do(t, os.CopyFS(dir, os.DirFS(before)))
	return dir
}

// mountSmall mounts a file system of a size, as "4m", on a directory until the test ends.
func mountSmall(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		must.That(t, errors.Is(err, syscall.EPERM), "mount a small file system: %v", err)
		t.Skipf("mount a small file system, which only root can do: %v", err)
	}
	t.Cleanup(func() { expect.Error(t, syscall.Unmount(dir, 0), nil, "Unmount") })
}

// fill writes a file that leaves so many megabytes free. It returns its path.
func fill(t *testing.T, dir string, leave uint64) string {
	t.Helper()
	var stat syscall.Statfs_t
	must.Do(t, syscall.Statfs(dir, &stat))
	free := stat.Bavail * uint64(stat.Bsize)
	must.That(t, free >= leave<<20, "only %d bytes are free before the disk is filled", free)
	file := filepath.Join(dir, "ballast")
	ballast := must.Get(os.Create(file))(t)
	defer func() { _ = ballast.Close() }()
	// A running node writes too: the disk may be full a little earlier.
	if _, err := ballast.Write(make([]byte, free-leave<<20)); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return file
}

// A validator whose disk gets full says so and stops, while it still can do that in order; without the guard it stops
// voting at the first vote it cannot keep. The network goes on either way, and with space the validator comes back as
// it was.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	const victim = 0
	c := must.Get(newCluster(workDir(t), 4))(t)
	disk := smallDisk(t, c, victim, 96)
	t.Cleanup(func() { // before the file system goes
		expect.Error(t, c.close(), nil, "close")
	})
	for i := range c.network.Nodes {
		c.start(t, i)
	}
	c.awaitHead(t, 3, c.running()...)

	goOn := func(ballast string) {
		t.Helper()
		head := must.Get(c.head(1))(t)
		c.awaitHead(t, head+3, 1, 2, 3)
		must.Do(t, os.Remove(ballast))
	}

	back := func() {
		t.Helper()
		c.start(t, victim)
		head := must.Get(c.head(1))(t)
		c.awaitHead(t, head+2, victim)
		c.awaitSeal(t, victim, head+2)
	}

	t.Run("guarded", func(t *testing.T) {
		ballast := fill(t, disk, 16) // --cache 64 makes the limit 32 MB
		p := c.processes[c.node(victim)]
		select {
		case <-p.Done():
		case <-time.After(patience):
			t.Fatal("the node goes on with a full disk")
		}
		delete(c.processes, c.node(victim))
		for _, want := range []string{"the disk of " + disk + " is full", "free space, then start again", "exit status 1"} {
			if !strings.Contains(p.Err().Error(), want) {
				t.Errorf("the node ended with %q, want %q", p.Err(), want)
			}
		}
		// It does not start either, and says the same.
		_, stderr, err := gwon(t, c.node(victim).Dir, c.node(victim).Args()...)
		expect.That(t, err != nil && strings.Contains(stderr, "the disk of "+disk+" is full"),
			"start on a full disk: error %v, %s", err, stderr)
		goOn(ballast)
		back()
	})

	t.Run("unguarded", func(t *testing.T) {
		c.stop(t, victim)
		c.start(t, victim, "--datadir.minfreedisk", "0")
		c.atHead(t, victim, 1)
		ballast := fill(t, disk, 0)
		p := c.processes[c.node(victim)]
		halted := ""
		delete(c.processes, c.node(victim)) // it may end
		c.await(t, "the end or halt of the node", func() (bool, string) {
			select {
			case <-p.Done():
				return true, ""
			default:
			}
			var status struct{ Halted string }
			err := c.call(victim, &status, "istanbul_consensusStatus")
			halted = status.Halted
			return err == nil && halted != "", fmt.Sprintf("status %+v, error %v", status, err)
		})
		t.Logf("halted: %q", halted)
		expect.That(t, halted == "" || strings.Contains(halted, "no space left on device"), "halted because of %q", halted)
		goOn(ballast)
		expect.Error(t, p.Stop(), nil, "Stop")
		back()
	})

	c.judge(t, must.Get(c.head(1))(t), c.running()...)
}
