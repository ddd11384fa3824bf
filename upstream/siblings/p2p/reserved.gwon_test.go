// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package p2p

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/netutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reservedPatience bounds every wait for something that has to happen.
const reservedPatience = 60 * time.Second

// loopbackServer starts a server on loopback that keeps any connection for as long as the other side does.
func loopbackServer(t *testing.T, maxPeers int) (*Server, chan enode.ID) {
	t.Helper()
	joined := make(chan enode.ID, 16)
	return loopbackServerOf(t, maxPeers, func(p *Peer, rw MsgReadWriter) error {
		joined <- p.ID()
		_, err := rw.ReadMsg()
		return err
	}), joined
}

// loopbackServerOf starts a server on loopback with one protocol.
func loopbackServerOf(t testing.TB, maxPeers int, run func(*Peer, MsgReadWriter) error) *Server {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	srv := &Server{Config: Config{
		Name: "test", PrivateKey: key, MaxPeers: maxPeers, ListenAddr: "127.0.0.1:0", NoDiscovery: true,
		Protocols: []Protocol{{Name: "any", Version: 1, Length: 1, Run: run}},
	}}
	must.Do(t, srv.Start())
	t.Cleanup(srv.Stop)
	return srv
}

func endpoint(srv *Server) *enode.Node {
	addr := srv.listener.Addr().(*net.TCPAddr)
	return enode.NewV4(&srv.PrivateKey.PublicKey, addr.IP, addr.Port, 0)
}

func awaitJoin(t *testing.T, joined chan enode.ID, want *Server) {
	t.Helper()
	select {
	case id := <-joined:
		require.Equal(t, want.LocalNode().ID(), id, "has joined")
	case <-time.After(reservedPatience):
		t.Fatal("no peer has joined")
	}
}

// A node with a reserved place is admitted although the only place is taken, inbound and dialed; others are not
// (spec network 11 no. 5).
func TestReservedPlace(t *testing.T) {
	full, joined := loopbackServer(t, 1)
	filler, _ := loopbackServer(t, 5)
	ctx, cancel := context.WithTimeout(context.Background(), reservedPatience)
	defer cancel()
	if err := full.DialReserved(ctx, endpoint(filler)); err != nil { // the one dial slot and the one place
		t.Fatal(err)
	}
	awaitJoin(t, joined, filler)

	caller, called := loopbackServer(t, 5)
	other, callee := loopbackServer(t, 5)
	assert.ErrorIs(t, full.DialReserved(ctx, endpoint(other)), DiscTooManyPeers, "dialed without a reservation")
	full.Reserve(func(id enode.ID) bool { return id == caller.LocalNode().ID() || id == other.LocalNode().ID() })
	must.Do(t, caller.DialReserved(ctx, endpoint(full)))
	awaitJoin(t, joined, caller)
	awaitJoin(t, called, full)
	assert.NoError(t, full.DialReserved(ctx, endpoint(other)), "dialed with a reservation")
	awaitJoin(t, joined, other)
	awaitJoin(t, callee, full)

	stranger, refused := loopbackServer(t, 5)
	if err := stranger.DialReserved(ctx, endpoint(full)); err == nil {
		// Its own side is done before it hears of the refusal; then the connection ends without a protocol on this side.
		awaitJoin(t, refused, full)
	}
	assert.Equal(t, 3, full.PeerCount(), "peers")
	full.Reserve(nil)
	assert.False(t, full.holdsPlace(caller.LocalNode().ID()), "the reservation outlives its end")
}

// What the operator has forbidden is not dialed.
func TestReservedDialRespectsLimits(t *testing.T) {
	srv, _ := loopbackServer(t, 5)
	other, _ := loopbackServer(t, 5)
	srv.NetRestrict = new(netutil.Netlist)
	srv.NetRestrict.Add("10.0.0.0/8")
	assert.ErrorIs(t, srv.DialReserved(context.Background(), endpoint(other)), errNetRestrict)
	srv.NetRestrict, srv.NoDial = nil, true
	assert.ErrorIs(t, srv.DialReserved(context.Background(), endpoint(other)), errDialsForbidden)
}

// A refused node is not admitted, inbound or dialed, unless it has a reserved place or was dialed as a static node.
func TestRefuse(t *testing.T) {
	srv, _ := loopbackServer(t, 5)
	refused, _ := loopbackServer(t, 5)
	other, _ := loopbackServer(t, 5)
	ctx, cancel := context.WithTimeout(context.Background(), reservedPatience)
	defer cancel()
	id := refused.LocalNode().ID()
	asked := make(chan netip.Addr, 16)
	srv.Refuse(func(n enode.ID, address netip.Addr) bool {
		if n == id {
			asked <- address
		}
		return n == id
	})
	assert.NoError(t, other.DialReserved(ctx, endpoint(srv)), "another node")
	// The side that dials learns of the refusal by the end of the connection.
	assert.Error(t, refused.DialReserved(ctx, endpoint(srv)), "a refused node got in")
	address := <-asked
	assert.Truef(t, address == netip.MustParseAddr("127.0.0.1"), "asked about address %v", address)
	assert.ErrorIs(t, srv.SetupConn(mustDial(t, refused), dynDialedConn, endpoint(refused)), DiscUselessPeer, "dialed")
	srv.Reserve(func(n enode.ID) bool { return n == id })
	assert.NoError(t, refused.DialReserved(ctx, endpoint(srv)), "with a place of its own")
	srv.Reserve(nil)
	srv.Refuse(func(enode.ID, netip.Addr) bool { return true })
	static, _ := loopbackServer(t, 5)
	assert.NoError(t, srv.DialReserved(ctx, endpoint(static)), "dialed as a static node")
}

func mustDial(t *testing.T, srv *Server) net.Conn {
	t.Helper()
	return must.Get(net.Dial("tcp", srv.listener.Addr().String()))(t)
}
