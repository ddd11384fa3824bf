// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
)

// statusError is an error with an exit status of its own.
type statusError struct {
	error
	status int
}

// WithStatus gives an error an exit status of its own.
func WithStatus(err error, status int) error { return &statusError{err, status} }

// StatusOf returns the exit status of a command that ended with an error: 1 unless the error says otherwise.
func StatusOf(err error) int {
	var e *statusError
	if errors.As(err, &e) {
		return e.status
	}
	return 1
}

// ErrInterrupted ends a start that a signal has interrupted.
var ErrInterrupted = errors.New("interrupted")

// UntilSignal returns a context that ends with that of a command, and when the process is told to end.
func UntilSignal(ctx *cli.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx.Context, syscall.SIGINT, syscall.SIGTERM)
}
