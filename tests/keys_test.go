// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// terminal is a pseudo-terminal with all that was printed on it.
type terminal struct {
	screen, process *os.File

	mu      sync.Mutex
	printed strings.Builder
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine gives no pseudo-terminal: %v", err)
	}
	must.Do(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number := must.Get(unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN))(t)
	process := must.Get(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0))(t)
	term := &terminal{screen: screen, process: process}
	t.Cleanup(func() {
		_ = process.Close()
		_ = screen.Close()
	})
	go func() {
		for buffer := make([]byte, 4096); ; {
			n, err := screen.Read(buffer)
			if err != nil {
				return // the terminal is closed
			}
			term.mu.Lock()
			term.printed.Write(buffer[:n])
			term.mu.Unlock()
		}
	}()
	return term
}

// await polls until a text was printed a number of times.
func (term *terminal) await(t *testing.T, text string, times int) {
	t.Helper()
	printed := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		term.mu.Lock()
		printed = term.printed.String()
		term.mu.Unlock()
		if strings.Count(printed, text) >= times {
			return
		}
	}
	t.Fatalf("%q was not printed %d times:\n%s", text, times, printed)
}

func (term *terminal) isLineMode(t *testing.T) bool {
	t.Helper()
	settings := must.Get(unix.IoctlGetTermios(int(term.process.Fd()), unix.TCGETS))(t)
	return settings.Lflag&unix.ICANON != 0 && settings.Lflag&unix.ECHO != 0
}

// The key t prints endpoints and accounts again without Enter, Ctrl-C ends the network, and the terminal has its lines
// and its echo again afterwards.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
	}{
		{"node", []string{"node", "--http.port", "0", "--ipcdisable"}},
		{"devnet", []string{"devnet", "--http.port", "0", "--validators", "1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			term := openTerminal(t)
			dir := workDir(t)
			cmd := exec.Command(programPath("gwon-dev"), test.args...)
			cmd.Env = environment(dir)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = term.process, term.process, term.process
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			must.Do(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			t.Cleanup(func() { _ = cmd.Process.Kill() }) // gone already unless the test fails
			const table = "Chain ID "
			term.await(t, table, 1)
			for deadline := time.Now().Add(patience); term.isLineMode(t); time.Sleep(20 * time.Millisecond) {
				must.That(t, !time.Now().After(deadline), "the terminal does not hand over single keys")
			}
			for _, key := range []string{"t", "\x03"} {
				must.Get(term.screen.WriteString(key))(t)
				if key == "t" {
					term.await(t, table, 2)
				}
			}
			select {
			case err := <-ended:
				expect.Error(t, err, nil, "after Ctrl-C")
			case <-time.After(patience):
				t.Fatal("Ctrl-C did not end the network")
			}
			expect.That(t, term.isLineMode(t), "the terminal has no lines any more")
		})
	}
}
