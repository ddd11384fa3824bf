// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package keylock

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// held names an environment variable that makes this test binary hold a lock until its standard input ends.
const held = "GWON_TEST_KEYLOCK"

func TestMain(m *testing.M) {
	if text := os.Getenv(held); text != "" {
		if _, err := Acquire(common.HexToAddress(text), common.Hash{1}); err != nil {
			fmt.Println("refused:", err)
			os.Exit(1)
		}
		fmt.Println("held")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// validator is one that no other test of this machine uses.
func validator() common.Address {
	return common.BytesToAddress(fmt.Appendf(nil, "test %d", os.Getpid()))
}

// Another process with the key is refused from any directory, and the error names the holder. Another key or chain is
// not refused.
// spec: wbft 9.1
func TestAnotherProcess(t *testing.T) {
	start := func() (*exec.Cmd, string) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), held+"="+validator().Hex())
		cmd.Dir = t.TempDir()
		in := must.Get(cmd.StdinPipe())(t)
		t.Cleanup(func() {
			if err := in.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
		})
		out := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		text := make([]byte, 1000)
		n, _ := out.Read(text)
		return cmd, string(text[:n])
	}
	for range 5 {
		first, says := start()
		must.That(t, strings.HasPrefix(says, "held"), "first process: %q", says)
		_, err := Acquire(validator(), common.Hash{1})
		expect.That(t, errors.Is(err, ErrInUse) && strings.Contains(err.Error(), validator().Hex()), "%v, want ErrInUse", err)
		pid := fmt.Sprintf("process %d ", first.Process.Pid)
		expect.That(t, runtime.GOOS != "linux" || strings.Contains(err.Error(), pid), "%v does not name %s", err, pid)
		second, says := start()
		expect.That(t, strings.HasPrefix(says, "refused") && second.Wait() != nil, "second process: %q", says)
		for _, c := range []struct {
			validator common.Address
			genesis   common.Hash
		}{{common.Address{0: 1, 19: byte(os.Getpid())}, common.Hash{1}}, {validator(), common.Hash{2}}} {
			lock := must.Get(Acquire(c.validator, c.genesis))(t)
			must.Do(t, lock.Close())
		}
		must.Do(t, first.Process.Kill())
		_ = first.Wait()
	}
	for range 3 {
		lock := must.Get(Acquire(validator(), common.Hash{1}))(t)
		expect.Error(t, expect.Err(Acquire(validator(), common.Hash{1})), ErrInUse, "twice in one process")
		must.Do(t, lock.Close())
	}
}
