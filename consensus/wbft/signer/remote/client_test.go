// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remote

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/signer/wire"
	"gwon/internal/expect"
)

// A process whose right was taken away asks no signer again, which forgets that by its own restart. Other refusals end.
func TestReleasedProcessAsksNoMore(t *testing.T) {
	for reason, want := range map[string]int{wire.Released + ": stop it": 1, "another node has the right": 3} {
		asked := 0
		c := &Client{cfg: ClientConfig{Dial: func() (net.Conn, error) {
			asked++
			here, there := net.Pipe()
			go func() {
				defer there.Close() //nolint:errcheck // of the test alone
				_, _ = there.Read(make([]byte, 4096))
				_ = wire.WriteFrame(there, &wire.Answer{Result: wire.ResultRefused, Text: reason, Body: rlp.EmptyString})
				_, _ = io.Copy(io.Discard, there)
			}()
			return here, here.SetDeadline(time.Now().Add(time.Minute))
		}}}
		for range 3 {
			answered, err := c.newLink(wire.RoleVotes).connect()
			expect.Says(t, err, reason, "connect")
			expect.That(t, answered, "%s: the signer has not answered", reason)
		}
		expect.Equal(t, asked, want, "connections after %q", reason)
	}
}
