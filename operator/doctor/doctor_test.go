// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/must"
)

// expect runs a check and wants one finding of this level with this text.
func expect(t *testing.T, c Check, level, text string) {
	t.Helper()
	findings := Examine(t.Context(), []Check{c})
	if len(findings) != 1 || findings[0].Level != level || !strings.Contains(findings[0].Text, text) {
		t.Errorf("%+v, want %s with %q", findings, level, text)
	}
	if AnyBad(findings) != (level == Bad) {
		t.Error("AnyBad does not agree")
	}
}

// writeKey stores a fresh node key with a mode.
func writeKey(t *testing.T, mode os.FileMode) string {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	path := filepath.Join(t.TempDir(), "nodekey")
	must.Do(t, errors.Join(crypto.SaveECDSA(path, key), os.Chmod(path, mode)))
	return path
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A key is bad when it is none, or when others can read it. One of the time of go-stablenet v1.0.0 may be known.
func TestKey(t *testing.T) {
	old := writeKey(t, 0o600)
	must.Do(t, os.Chtimes(old, time.Time{}, leakEnds.Add(-time.Second)))
	for _, row := range []struct{ name, path, level, text string }{
		{"sound", writeKey(t, 0o600), OK, "for its owner alone"},
		{"of go-stablenet v1.0.0", old, Warn, "key-leaked.md"},
		{"group", writeKey(t, 0o640), Bad, "chmod 600"},
		{"everybody", writeKey(t, 0o604), Bad, "chmod 600"},
		{"encrypted", writeFile(t, `{"address":"00000000000000000000000000000000000000aa","crypto":{}}`), OK,
			common.HexToAddress("0xaa").Hex()},
		{"no key", writeFile(t, "x"), Bad, "restore it from the backup"},
		{"absent", filepath.Join(t.TempDir(), "none"), OK, "not there yet"},
	} {
		t.Run(row.name, func(t *testing.T) { expect(t, Key(row.path), row.level, row.text) })
	}
}

// A data directory is written and left as it was.
func TestDirectory(t *testing.T) {
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil { //nolint:gosec // what the check warns of
		t.Fatal(err)
	}
	dir := t.TempDir()
	expect(t, Directory(dir), OK, "can be written")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the check leaves %v, %v", left, err)
	}
	expect(t, Directory(filepath.Join(dir, "none")), OK, "not there yet")
	expect(t, Directory(writeFile(t, "")), Bad, "not a directory")
	if findings := Examine(t.Context(), []Check{Directory(open)}); len(findings) != 2 || findings[0].Level != Warn {
		t.Errorf("a directory that all can change: %+v", findings)
	}
}

// The levels of free space follow the space at which the node stops.
func TestDisk(t *testing.T) {
	for free, level := range map[uint64]string{99: Bad, 100: Warn, 399: Warn, 400: OK} {
		t.Run(level, func(t *testing.T) {
			expect(t, Disk([]string{"DIR"}, 100, func(string) (uint64, error) { return free, nil }), level, "are free at DIR")
		})
	}
	expect(t, Disk([]string{"DIR"}, 100, func(string) (uint64, error) { return 0, errors.New("BROKEN") }), Warn, "BROKEN")
}

// A sync is measured, and its file removed; the levels follow the median.
func TestSyncLatency(t *testing.T) {
	dir := t.TempDir()
	median, longest, err := measureSync(t.Context(), dir)
	if err != nil || median <= 0 || longest < median {
		t.Errorf("median %v, longest %v, error %v", median, longest, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the check leaves %v, %v", left, err)
	}
	expect(t, SyncLatency(filepath.Join(dir, "none")), Bad, "look at the disk")
	for median, want := range map[time.Duration]string{slowSync: OK, slowSync + 1: Warn, badSync: Warn, badSync + 1: Bad} {
		if level, _ := judgeSync(median); level != want {
			t.Errorf("%v: %s, want %s", median, level, want)
		}
	}
}

// A port in use is named with the flag that chooses another one.
func TestPorts(t *testing.T) {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	used := Port{"tcp", listener.Addr().String(), "http.port"}
	expect(t, Ports([]Port{used}), Bad,
		used.Address+" is in use by another program: stop that, or give another --http.port")
	must.Do(t, listener.Close())
	expect(t, Ports([]Port{used, {"udp", used.Address, "port"}}), OK, "free: 2")
}

// Few files are bad, and an unknown limit is no reason to stop.
func TestFiles(t *testing.T) {
	expect(t, Files(func() (int, error) { return fewFiles - 1, nil }), Bad, "LimitNOFILE")
	expect(t, Files(func() (int, error) { return fewFiles, nil }), OK, "may be open")
	expect(t, Files(func() (int, error) { return 0, errors.New("BROKEN") }), Warn, "BROKEN")
}

// An unsynchronized clock is a warning; what the system does not say is none.
func TestSynchronized(t *testing.T) {
	expect(t, Synchronized(func() (bool, error) { return true, nil }), OK, "keeps the clock right")
	expect(t, Synchronized(func() (bool, error) { return false, nil }), Warn, "chrony")
	expect(t, Synchronized(func() (bool, error) { return false, errors.ErrUnsupported }), OK, "does not say")
}

// blocks is a node whose head grows with each question.
type blocks struct {
	number uint64
	ahead  time.Duration // of the timestamp of a new block, relative to the clock
}

func (b *blocks) GetBlockByNumber(string, bool) map[string]any {
	b.number++
	return map[string]any{
		"number": hexutil.EncodeUint64(b.number), "timestamp": hexutil.EncodeUint64(uint64(time.Now().Add(b.ahead).Unix())),
	}
}

// A clock is judged by the age of a new block.
func TestClock(t *testing.T) {
	for _, row := range []struct {
		name  string
		ahead time.Duration
		level string
		text  string
	}{
		{"right", 0, OK, "a new block is"},
		{"slow", 10 * time.Second, Bad, "the clock is slow"},
		{"fast", -10 * time.Second, Warn, "the clock is fast"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := rpc.NewServer()
			defer server.Stop()
			must.Do(t, server.RegisterName("eth", &blocks{ahead: row.ahead}))
			client := rpc.DialInProc(server)
			defer client.Close()
			expect(t, Clock(client), row.level, row.text)
		})
	}
}

// Existing finds the nearest directory.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	if got := Existing(filepath.Join(dir, "a", "b")); got != dir {
		t.Errorf("got %s", got)
	}
}

// Each line of an error is a finding, since a finding is a line of the report.
func TestFindings(t *testing.T) {
	findings := Examine(t.Context(), []Check{Test("x", func() (string, error) {
		return "", errors.Join(errors.New("ONE"), errors.New("TWO"))
	})})
	if want := []Finding{{"x", Bad, "ONE"}, {"x", Bad, "TWO"}}; !slices.Equal(findings, want) {
		t.Errorf("%+v, want %+v", findings, want)
	}
}

// What the operating system refuses is no damage: each check of a file names the access, and no backup or disk.
func TestRefusedFilesAreNoDamage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file whose reading fails")
	}
	read := func(path string) func() (string, error) {
		return func() (string, error) {
			_, err := os.ReadFile(path)
			return "", err
		}
	}
	broken := filepath.Join(t.TempDir(), "nodekey") // fails for root, too
	must.Do(t, os.Symlink("/proc/self/mem", broken))
	cure, checks := "the disk fails", map[string]Check{"key": Key(broken), "other": Test("other", read(broken))}
	if os.Getuid() != 0 {
		key, closed := writeKey(t, 0o000), t.TempDir()
		must.Do(t, os.Chmod(closed, 0o000))
		cure, checks = "this user", map[string]Check{
			"key": Key(key), "key behind a directory": Key(filepath.Join(closed, "nodekey")), "directory": Directory(closed),
			"fsync": SyncLatency(closed), "other": Test("other", read(key)),
		}
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			findings := Examine(t.Context(), []Check{check})
			if len(findings) != 1 || findings[0].Level != Bad || !strings.Contains(findings[0].Text, cure) {
				t.Fatalf("%+v", findings)
			}
			for _, wrong := range []string{"backup", "at the disk", "holds no"} {
				if strings.Contains(findings[0].Text, wrong) {
					t.Errorf("%s: %q", wrong, findings[0].Text)
				}
			}
		})
	}
}
