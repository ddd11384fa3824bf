// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/failures"
)

// Thresholds of the disk. A validator syncs votes several times within a block of one second.
const (
	syncWrites = 20                    // writes of which the median counts
	slowSync   = 50 * time.Millisecond // median above which blocks come late
	badSync    = 250 * time.Millisecond
)

// Directory checks that the data directory can be used by this user and changed by no other.
func Directory(dir string) Check {
	return Check{"directory", func(_ context.Context, report func(string, string, ...any)) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			report(OK, "%s is not there yet: the first start makes it", dir)
			return
		case err != nil:
			report(Bad, "%v: give this user access, or another --datadir", err)
			return
		case !info.IsDir():
			report(Bad, "%s is not a directory: give another --datadir", dir)
			return
		case info.Mode().Perm()&0o022 != 0:
			report(Warn, "%s can be changed by other users: chmod go-w %[1]s", dir)
		}
		file, err := os.CreateTemp(dir, "doctor-")
		if err != nil {
			report(Bad, "%s cannot be written (%v): %s", dir, errors.Unwrap(err),
				cmp.Or(failures.Cure(err), "give another --datadir"))
			return
		}
		if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
			report(Bad, "%s does not keep files well (%v): %s", dir, err,
				cmp.Or(failures.Cure(err), "look at the disk"))
			return
		}
		report(OK, "%s can be written", dir)
	}}
}

// leakEnds is when go-stablenet v1.0.1 came out. Handshakes of v1.0.0 told strangers bits of the node key
// (CVE-2026-26315).
var leakEnds = time.Date(2026, time.May, 6, 0, 0, 0, 0, time.UTC)

// Key checks that the node key is sound, readable for its owner alone, and no older than a
// fault that told it to strangers.
func Key(path string) Check {
	return Check{"key", func(_ context.Context, report func(string, string, ...any)) {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			report(OK, "%s is not there yet: the first start, or gwon validator new, makes it", path)
			return
		case err != nil:
			report(Bad, "%v: give this user access to the node key", err)
			return
		}
		address, err := KeyAddress(path)
		if err != nil {
			report(Bad, "%s cannot be read as node key (%v): %s", path, err,
				cmp.Or(failures.Cure(err), "restore it from the backup"))
			return
		}
		if info.Mode().Perm()&0o077 != 0 {
			report(Bad, "%s can be read by other users, who could sign as this node: chmod 600 %[1]s", path)
			return
		}
		if info.ModTime().Before(leakEnds) {
			report(Warn, "%s is of %s: if it has served on go-stablenet before v1.0.1 with an open port, strangers may know "+
				"it: make a new one (docs/operate/runbooks/key-leaked.md)", path, info.ModTime().UTC().Format(time.DateOnly))
			return
		}
		report(OK, "%s is that of %v, and for its owner alone", path, address)
	}}
}

// Disk checks the free space of directories. stops is the number of free bytes at which the node stops.
func Disk(dirs []string, stops uint64, free func(string) (uint64, error)) Check {
	return Check{"disk", func(_ context.Context, report func(string, string, ...any)) {
		for _, dir := range dirs {
			left, err := free(dir)
			switch size := common.StorageSize(left); {
			case err != nil:
				report(Warn, "the free space of %s is unknown: %v", dir, err)
			case left < stops:
				report(Bad, "%v are free at %s, and the node stops below %v: free space", size, dir, common.StorageSize(stops))
			case left < 4*stops:
				report(Warn, "%v are free at %s, and the node stops below %v: free space soon",
					size, dir, common.StorageSize(stops))
			default:
				report(OK, "%v are free at %s", size, dir)
			}
		}
	}}
}

// SyncLatency checks how long a small write takes to be durable in a directory.
func SyncLatency(dir string) Check {
	return Check{"fsync", func(ctx context.Context, report func(string, string, ...any)) {
		median, longest, err := measureSync(ctx, dir)
		if err != nil {
			report(Bad, "a file in %s cannot be synced (%v): %s", dir, err,
				cmp.Or(failures.Cure(err), "look at the disk"))
			return
		}
		level, text := judgeSync(median)
		report(level, "a write at %s takes %v, %v at most"+text, dir, round(median), round(longest))
	}}
}

func judgeSync(median time.Duration) (level, cure string) {
	switch {
	case median > badSync:
		return Bad, ": too slow to vote in time, use a local SSD"
	case median > slowSync:
		return Warn, ": votes come late, use a local SSD or take other load away"
	}
	return OK, ""
}

// measureSync writes and syncs some blocks to a file that it removes.
func measureSync(ctx context.Context, dir string) (median, longest time.Duration, err error) {
	file, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	times := make([]time.Duration, 0, syncWrites)
	for len(times) < syncWrites && ctx.Err() == nil {
		began := time.Now()
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return 0, 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, 0, err
		}
		times = append(times, time.Since(began))
	}
	if len(times) == 0 {
		return 0, 0, ctx.Err()
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)-1], nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// Existing returns the nearest directory above path that is there.
func Existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
