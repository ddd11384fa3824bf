// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"gwon/internal/failures"
)

// statusError is an error with an exit status of its own.
type statusError struct {
	error
	status int
}

func (e *statusError) Unwrap() error { return e.error }

// WithStatus gives an error an exit status of its own.
func WithStatus(err error, status int) error { return &statusError{err, status} }

// StatusOf returns the exit status of a command that ended with an error: 1 unless the error says otherwise.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.status
	}
	return 1
}

// ErrShown ends a program whose output says all that there is to say.
var ErrShown = errors.New("the output has the reason")

// End prints the error with which a program ends, and ends the process with its status. It returns without an error.
func End(name string, err error) {
	if err == nil {
		return
	}
	if !errors.Is(err, ErrShown) {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, failures.Sentence(err))
	}
	os.Exit(StatusOf(err))
}

// ErrInterrupted ends a start that a signal has interrupted.
var ErrInterrupted = errors.New("interrupted")

// UntilSignal returns a context that ends with that of a command, and when the process is told to end.
func UntilSignal(ctx *cli.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx.Context, syscall.SIGINT, syscall.SIGTERM)
}
