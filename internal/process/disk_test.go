// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A disk with less than the limit is full, whichever of the watched ones it is; the error names it and says what to do.
func TestDiskGuardCheck(t *testing.T) {
	data, ancient := t.TempDir(), t.TempDir()
	space := map[string]uint64{data: 100, ancient: 50}
	ask := func(dir string) (uint64, error) {
		free, ok := space[dir]
		if !ok {
			return 0, errors.New("asked for " + dir)
		}
		return free, nil
	}
	const remedy = "free space, then start again (--datadir.minfreedisk"
	for _, test := range []struct {
		name string
		dirs []string
		free uint64
		want string // in the error; empty for none
	}{
		{"enough", []string{data, ancient}, 50, ""},
		{"second disk full", []string{data, ancient}, 51, ancient},
		{"both full", []string{data, ancient}, 101, ancient},
		{"turned off", []string{data, ancient}, 0, ""},
		{"not made yet", []string{filepath.Join(data, "new")}, 1000, ""},
		{"cannot be asked", []string{filepath.Dir(data)}, 1, "asked for"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := (&DiskGuard{Dirs: test.dirs, Free: test.free, Ask: ask, Files: many, Flag: "datadir.minfreedisk"}).Check()
			switch {
			case (err != nil) != (test.want != ""):
				t.Errorf("error %v", err)
			case err != nil && !strings.Contains(err.Error(), test.want):
				t.Errorf("error %v, want one with %q", err, test.want)
			case err != nil && test.free > 1 && !strings.Contains(err.Error(), remedy):
				t.Errorf("error %v does not say what to do", err)
			}
		})
	}
}

func many(string) (uint64, error) { return 1 << 20, nil }

// A disk without inodes has room for bytes and none for a file: it is full as well.
func TestDiskGuardCountsFiles(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct {
		name  string
		files uint64
		free  uint64
		full  bool
	}{{"just enough", minFiles, 1, false}, {"one fewer", minFiles - 1, 1, true}, {"turned off", 0, 0, false}} {
		t.Run(row.name, func(t *testing.T) {
			err := (&DiskGuard{
				Dirs: []string{dir}, Free: row.free, Ask: many, Files: func(string) (uint64, error) { return row.files, nil },
			}).Check()
			if (err != nil) != row.full || err != nil && !strings.Contains(err.Error(), dir+" has room for 1023 more files") {
				t.Errorf("error %v", err)
			}
		})
	}
	files, err := FreeFiles(dir)
	expect.That(t, err == nil && files != 0, "%d files can be made on the disk of a new directory, error %v", files, err)
}

// The guard looks every second, stops the process once, and keeps the reason.
func TestDiskGuardWatch(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		g := &DiskGuard{Dirs: []string{dir}, Free: 10, Files: many, Ask: func(string) (uint64, error) {
			return uint64(20 - time.Since(start)/time.Second), nil
		}}
		stops := 0
		g.Watch(t.Context(), func() { stops++ })
		if took := time.Since(start); stops != 1 || took != 11*time.Second || g.Reason() == nil {
			t.Errorf("stopped %d times after %v, reason %v; want once after 11 s", stops, took, g.Reason())
		}
		idle := &DiskGuard{Dirs: []string{dir}, Free: 10, Files: many, Ask: func(string) (uint64, error) { return 10, nil }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		idle.Watch(ctx, func() { t.Error("stopped with enough space") })
		expect.Error(t, idle.Reason(), nil, "reason")
	})
}

// A database that is opened for long is told every ten seconds, with the space on the fullest disk, until it is open.
func TestSlowOpeningIsTold(t *testing.T) {
	dir := t.TempDir()
	var text bytes.Buffer
	expect.Log(t, log.NewTerminalHandler(&text, false))
	synctest.Test(t, func(t *testing.T) {
		g := &DiskGuard{Dirs: []string{dir}, Ask: func(string) (uint64, error) { return 7, nil }}
		g.TellSlow()()
		end := g.TellSlow()
		time.Sleep(25 * time.Second)
		end()
		end()
		synctest.Wait()
	})
	told := strings.Count(text.String(), "still being opened")
	expect.That(t, told == 2 && strings.Contains(text.String(), dir) && !strings.Contains(text.String(), "err="),
		"told %d times: %s", told, &text)
}

// Directories on one disk count once, whether they are there or behind a link. What is not there has no disk.
func TestOnePerDisk(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	must.Do(t, os.Symlink(dir, link))
	g := &DiskGuard{Dirs: []string{filepath.Join(dir, "gone"), dir, link}}
	got := g.OnePerDisk()
	expect.That(t, slices.Equal(got, []string{dir}), "%q, want %q", got, dir)
}
