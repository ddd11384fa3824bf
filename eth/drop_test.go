// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"

	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A peer that lied is refused for a while. A silent peer is not, unless its claim stays unproven. Neither silence nor
// a lie costs a validator its connection or place: consensus has its own means.
func TestWhoIsRefused(t *testing.T) {
	net := wbfttest.New(t, 1)
	n := startNode(t, net, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
	refused := func(ses *session.Session) bool { return n.refusals.Holds(ses.Peer.ID(), netip.Addr{}) }
	lie := errors.New("lie")
	for _, test := range []struct {
		reason error
		want   bool
	}{
		{lie, true},
		{session.ErrNoAnswer, false},
		{fmt.Errorf("%w: %w", session.ErrClaim, session.ErrNoAnswer), true},
	} {
		stranger := sessiontest.Join(t, n.sessions)
		n.drop(stranger, test.reason)
		expect.Equal(t, refused(stranger), test.want, "%v: refused", test.reason)
	}
	expect.That(t, !refused(sessiontest.Join(t, n.sessions)), "a peer that did nothing is refused")
	validator := sessiontest.Join(t, n.sessions)
	n.peers.Follow(n.chain.CurrentBlock(), validators.NewSet([]validators.Validator{{Address: n.address},
		{Address: validator.Address}}))
	for _, reason := range []error{lie, session.ErrNoAnswer} {
		n.drop(validator, reason)
		expect.That(t, !refused(validator), "%v: a validator is refused", reason)
	}
}

// A peer that claims a longer chain than it can prove is refused; a peer that is behind is not.
func TestLiarIsRefused(t *testing.T) {
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 3)
	n := startNode(t, net, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, blocks)
	honest := startNode(t, net, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, blocks[:2], n)
	sessiontest.AwaitHead(t, honest.chain, 3) // behind, and let in
	liar := &sessiontest.Source{Blocks: blocks}
	ses := liar.Connect(t, n.sessions, n.chain)
	ses.Raise(blocks[0].Hash(), session.TotalDifficulty(n.chain, 1000))
	n.syncer.Claimed()
	deadline := time.Now().Add(sessiontest.Patience)
	for ; !n.refusals.Holds(ses.Peer.ID(), netip.Addr{}); time.Sleep(time.Millisecond) {
		must.That(t, !time.Now().After(deadline), "the liar is not refused")
	}
	expect.That(t, !n.refusals.Holds(honest.stack.Server().Self().ID(), netip.Addr{}),
		"the honest peer is refused as well")
}
