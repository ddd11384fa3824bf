// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package p2p

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/netutil"
)

var errDialsForbidden = errors.New("this server dials no node")

// Reserve makes the server admit every node for which holds returns true as it admits trusted peers: above the peer
// limit and the limit of inbound connections. holds is called when a connection has proved its identity, before any of
// its protocols runs, and must be quick. A later call replaces it; nil, the default, reserves nothing.
func (srv *Server) Reserve(holds func(enode.ID) bool) { srv.reserved.Store(&holds) }

// holdsPlace reports whether a place is reserved for a node.
func (srv *Server) holdsPlace(id enode.ID) bool {
	holds := srv.reserved.Load()
	return holds != nil && *holds != nil && (*holds)(id)
}

// Refuse makes the server refuse every node for which holds returns true, unless the node is trusted, has a reserved
// place, or was dialed as a static one. holds is called with the proved identity and the remote address, invalid if
// there is none, before any protocol runs, and must be quick. A later call replaces it; nil, the default, refuses none.
func (srv *Server) Refuse(holds func(enode.ID, netip.Addr) bool) { srv.refused.Store(&holds) }

// admissionChecks is what a connection has to pass once its identity is known, before any place is given to it.
func (srv *Server) admissionChecks(peers map[enode.ID]*Peer, inboundCount int, c *conn) error {
	holds, exempt := srv.refused.Load(), c.is(trustedConn) || c.is(staticDialedConn)
	if holds != nil && *holds != nil && !exempt && (*holds)(c.node.ID(), netutil.AddrAddr(c.fd.RemoteAddr())) {
		return DiscUselessPeer
	}
	return srv.postHandshakeChecks(peers, inboundCount, c)
}

// DialReserved connects to a node at once, also when dialed peers fill all slots of the dial scheduler. It returns when
// the node is a peer or the attempt has failed, and leaves repetition to the caller. The connection counts as one to a
// static node.
func (srv *Server) DialReserved(ctx context.Context, node *enode.Node) error {
	if srv.NoDial {
		return errDialsForbidden
	}
	if srv.NetRestrict != nil && !srv.NetRestrict.ContainsAddr(node.IPAddr()) {
		return errNetRestrict
	}
	dialer := srv.Dialer
	if dialer == nil {
		dialer = tcpDialer{&net.Dialer{Timeout: defaultDialTimeout}}
	}
	fd, err := dialer.Dial(ctx, node)
	if err != nil {
		return fmt.Errorf("dial node %v: %w", node.ID(), err)
	}
	return srv.SetupConn(newMeteredConn(fd), staticDialedConn, node)
}
