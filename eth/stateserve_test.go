// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/p2p"

	"gwon/internal/expect"
)

// A connection from before a start that fails, because a port is taken, ends: the end of the node waits for it.
func TestConnectionsEndWithoutAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		protocols := []p2p.Protocol{{Run: func(*p2p.Peer, p2p.MsgReadWriter) error { runs++; return nil }}}
		s := &Service{started: make(chan struct{})}
		s.afterStart(protocols)
		err := protocols[0].Run(nil, nil)
		expect.That(t, errors.Is(err, p2p.DiscQuitting) && runs <= 0, "before the start: error %v, %d runs", err, runs)
		close(s.started)
		err = protocols[0].Run(nil, nil)
		expect.That(t, err == nil && runs == 1, "after the start: error %v, %d runs", err, runs)
	})
}
