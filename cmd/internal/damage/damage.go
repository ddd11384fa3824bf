// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package damage

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/errors/errbase"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/redact"
	"github.com/ethereum/go-ethereum/node"
	"github.com/syndtr/goleveldb/leveldb/storage"

	"gwon/internal/failures"
)

// repair is the cure for a chain database that cannot be read.
const (
	repair = "check the disk, then restore the directory from a backup, or " + resync
	resync = "remove the chain with gwon removedb, which keeps keys and votes, and sync again"
)

// fatalPrefix begins what upstream's logger of the key-value store panics with: the store goes on after no such
// error.
const fatalPrefix = "fatal: "

// tailPanic begins what upstream's ancient store panics with when the tables do not begin with one block.
const tailPanic = "non-prunable freezer table "

// damageTexts are parts of upstream's errors about files that contradict each other. These errors have no names.
var damageTexts = []string{
	"gap in the chain between ancients", "ancient chain segments already extracted", "genesis mismatch: ",
	"failed to decode metadata", "unexpected EOF", "corrupt",
}

// chainPath is the directory of the chain database that this process works with, nil before it is known.
var chainPath atomic.Pointer[string]

// SetPath names the directory of the chain database in sentences about damage.
func SetPath(path string) { chainPath.Store(&path) }

// screen is where the last sentence of a process goes, also while WithoutTable runs.
var screen = os.Stderr

// Lost returns the error of files whose content is nowhere else on this disk. The others are whole, so that a backup of
// these files mends them.
func Lost(path string, err error) error {
	if !IsDamage(err) {
		return OpenError(err)
	}
	return fmt.Errorf("the chain database in %s is damaged, and nothing was cut: %w: check the disk, then put a backup "+
		"of these files in their place, or %s", path, err, resync)
}

// IsDamage reports whether an error of opening or reading files is about their content. A lock, and what the operating
// system refuses, are no damage.
func IsDamage(err error) bool { return err != nil && !IsLocked(err) && failures.Cure(err) == "" }

// explained returns the error of a chain database that cannot be read, with the cure.
func explained(err error) error {
	where, cure := "", failures.Cure(err)
	if path := chainPath.Load(); path != nil && !strings.Contains(err.Error(), *path) {
		where = " in " + *path
	}
	if cure != "" {
		return fmt.Errorf("the chain database%s cannot be used: %s: %w", where, cure, err)
	}
	return fmt.Errorf("the chain database%s is damaged: %w: %s", where, err, repair)
}

// Text returns what a panic says about a damaged file of the key-value or the ancient store. Any other panic goes
// on.
func Text(fault any) string {
	text := fmt.Sprint(fault)
	_, isError := fault.(error)
	if !(isError && strings.HasPrefix(text, fatalPrefix)) && !strings.HasPrefix(text, tailPanic) {
		panic(fault)
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(text, fatalPrefix), "\n")
	text, _, _ = strings.Cut(text, "; bounds:") // keys
	return strings.TrimSpace(text)
}

// Explain turns a panic about a damaged file into an error with the cure. Any other panic goes on. It is deferred.
func Explain(err *error) {
	if fault := recover(); fault != nil {
		*err = explained(errors.New(Text(fault)))
	}
}

// OpenError completes the error of a chain database that cannot be opened.
func OpenError(err error) error {
	if IsLocked(err) {
		return fmt.Errorf("open chain database: %w", err)
	}
	return explained(err)
}

// ExplainFiles says what to do where upstream's error is about files of the chain that contradict each other, or is the
// operating system's.
func ExplainFiles(err error) error {
	if err == nil || failures.Cure(err) == "" &&
		!slices.ContainsFunc(damageTexts, func(text string) bool { return strings.Contains(err.Error(), text) }) {
		return err
	}
	return OpenError(err)
}

// ExplainPeers says what to do where the database of peers is damaged.
func ExplainPeers(path string, err error) error {
	if !errors.As(err, new(*storage.ErrCorrupted)) && (err == nil || !strings.HasPrefix(err.Error(), "leveldb")) {
		return err
	}
	return fmt.Errorf("the database of peers in %s is damaged: remove that directory, which is made again: %w", path, err)
}

// WithoutTable runs f while upstream's table about a database, which precedes its errors, has no place to go.
func WithoutTable(f func() error) error {
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return f()
	}
	os.Stderr = nowhere // the log has a reference of its own
	defer func() {
		os.Stderr = screen
		nowhere.Close() //nolint:errcheck // nothing was written
	}()
	return f()
}

// TellCritical prints the line with which upstream ends the process as one sentence with the cure.
func TellCritical(r slog.Record) {
	text := strings.ToLower(r.Message[:1]) + r.Message[1:]
	r.Attrs(func(a slog.Attr) bool {
		if err, isError := a.Value.Any().(error); isError {
			text += ": " + err.Error()
		} else {
			text += fmt.Sprintf(", %s %v", a.Key, a.Value)
		}
		return true
	})
	fmt.Fprintln(screen, "gwon:", explained(errors.New(text)))
}

// recovering are functions that turn a panic of those that they call into an error.
var recovering = []string{"main.runProgram", "github.com/ethereum/go-ethereum/rpc.(*callback).call"}

// EndProcess ends the process with one sentence when the key-value store finds a damaged file on a goroutine of
// its own or of upstream, where nothing catches the panic of upstream's logger. The report that precedes the panic
// is the only place to do so.
func EndProcess() {
	redact.RegisterRedactErrorFn(func(err error, p redact.SafePrinter, verb rune) {
		if p.Flag('+') && pebble.IsCorruptionError(err) && !isCaught() {
			file := ""
			if _, hint, found := strings.Cut(fmt.Sprintf("%+v", err), "path: "); found {
				file, _, _ = strings.Cut(hint, "\n")
				file += ": "
			}
			fmt.Fprintln(screen, "gwon:", explained(fmt.Errorf("%s%w", file, err)))
			os.Exit(1)
		}
		errbase.FormatRedactableError(err, p, verb)
	})
}

// isCaught reports whether a panic on this goroutine becomes an error.
func isCaught() bool {
	callers := make([]uintptr, 256)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if slices.Contains(recovering, frame.Function) {
			return true
		}
		if !more {
			return false
		}
	}
}

// IsLocked reports whether a database or data directory is another process's.
func IsLocked(err error) bool {
	return errors.Is(err, node.ErrDatadirUsed) || errors.Is(err, syscall.EAGAIN) ||
		err != nil && strings.Contains(err.Error(), "lock held by current process") // pebble's, which has no name
}
