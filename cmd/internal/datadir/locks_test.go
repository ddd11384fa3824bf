// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"

	"gwon/cmd/internal/program"
	"gwon/internal/expect"
	"gwon/internal/process"
)

// A data directory that another process still has is waited for: it may be about to end. Somebody who interrupts is
// obeyed. spec: network 10 no. 10
func TestLockedDataDirectory(t *testing.T) {
	other := errors.New("disk broken")
	for _, test := range []struct {
		name        string
		free        time.Duration // after which the directory is free; 0 for never
		then        error         // of opening it then
		interrupted time.Duration // 0 for never
		want        error
		after       time.Duration
	}{
		{"free after a moment", 3 * time.Second, nil, 0, nil, 3 * time.Second},
		{"free and broken", time.Second, other, 0, other, time.Second},
		{"never free", 0, nil, 0, node.ErrDatadirUsed, lockPatience},
		{"interrupted", 0, nil, 1250 * time.Millisecond, program.ErrInterrupted, 1250 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.interrupted > 0 {
					time.AfterFunc(test.interrupted, cancel)
				}
				open := func() error {
					if test.free == 0 || time.Since(start) < test.free {
						return node.ErrDatadirUsed
					}
					return test.then
				}
				err := retryLocked(ctx, new(process.DiskGuard), open, open())
				if !errors.Is(err, test.want) || time.Since(start) != test.after {
					t.Errorf("%v after %v, want %v after %v", err, time.Since(start), test.want, test.after)
				}
			})
		})
	}
	for _, want := range []error{nil, other} {
		tries := 0
		err := OnceUnlocked(t.Context(), "", new(process.DiskGuard), func() error { tries++; return want })
		expect.That(t, errors.Is(err, want) && tries == 1, "not locked: %v after %d tries, want %v", err, tries, want)
	}
}

// The wait for another process is no database that is opened slowly: only an attempt that takes long is told.
func TestOnlySlowAttemptsAreTold(t *testing.T) {
	defer log.SetDefault(log.Root())
	for _, row := range []struct {
		name  string
		takes time.Duration
		told  bool
	}{{"quick", lockInterval / 2, false}, {"slow", 2 * lockPatience, true}} {
		t.Run(row.name, func(t *testing.T) {
			var text bytes.Buffer
			log.SetDefault(log.NewLogger(log.NewTerminalHandler(&text, false)))
			synctest.Test(t, func(t *testing.T) {
				err := retryLocked(t.Context(), new(process.DiskGuard), func() error {
					time.Sleep(row.takes)
					return node.ErrDatadirUsed
				}, node.ErrDatadirUsed)
				synctest.Wait()
				told := strings.Contains(text.String(), "still being opened")
				expect.That(t, told == row.told && err != nil, "error %v, log %q", err, &text)
			})
		})
	}
}
