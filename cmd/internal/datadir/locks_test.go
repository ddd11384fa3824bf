// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/node"

	"gwon/cmd/internal/program"
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
				err := retryLocked(ctx, open, open())
				if !errors.Is(err, test.want) || time.Since(start) != test.after {
					t.Errorf("%v after %v, want %v after %v", err, time.Since(start), test.want, test.after)
				}
			})
		})
	}
	for _, want := range []error{nil, other} {
		tries := 0
		err := OnceUnlocked(t.Context(), "", func() error { tries++; return want })
		if !errors.Is(err, want) || tries != 1 {
			t.Errorf("not locked: %v after %d tries, want %v", err, tries, want)
		}
	}
}
