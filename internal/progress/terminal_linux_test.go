// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// openTerminal returns both ends of a pseudo-terminal with 50 columns.
func openTerminal(t *testing.T) (screen, process *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine gives no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { screen.Close() }) //nolint:errcheck // nothing was stored
	must.Do(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number := must.Get(unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN))(t)
	process = must.Get(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0))(t)
	t.Cleanup(func() { process.Close() }) //nolint:errcheck // nothing was stored
	must.Do(t, unix.IoctlSetWinsize(int(process.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 50}))
	return screen, process
}

// Show draws on a terminal, in its width, and writes nothing of a bar into a pipe.
func TestShow(t *testing.T) {
	state := State{Stage: "Importing", Done: 1, Total: 2, Unit: "blocks", Items: 123456, Took: time.Minute}
	t.Run("terminal", func(t *testing.T) {
		screen, process := openTerminal(t)
		end := Show(func() State { return state }, process)
		defer end()
		drawn := make(chan string, 1)
		go func() {
			buffer := make([]byte, 4096)
			n, err := screen.Read(buffer)
			drawn <- fmt.Sprint(string(buffer[:n]), err)
		}()
		select {
		case text := <-drawn:
			want := clearLine + "Importing  [############------------]  50.0%  123"
			expect.That(t, strings.HasPrefix(text, want) && !strings.Contains(text, "1234"), "drawn %q", text)
		case <-time.After(time.Minute):
			t.Fatal("nothing drawn")
		}
	})
	t.Run("pipe", func(t *testing.T) {
		read, write, err := os.Pipe()
		must.Do(t, err)
		var text []byte
		ended := make(chan error, 1)
		go func() {
			var err error
			text, err = io.ReadAll(read)
			ended <- err
		}()
		Show(func() State { return state }, write)()
		Bar(func() State { return state }, write)()
		must.Do(t, write.Close())
		err = <-ended
		expect.That(t, err == nil && len(text) == 0, "written %q, error %v", text, err)
	})
}
