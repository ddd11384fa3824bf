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

// Reserve makes the server admit every node that holds names as it admits trusted peers: above the peer limit and the limit
// of inbound connections. The function is asked when a connection has proved its identity, before any of its protocols runs;
// it must be quick. A later call replaces the function; nil, which is the default, reserves nothing.
func (srv *Server) Reserve(holds func(enode.ID) bool) { srv.reserved.Store(&holds) }

// holdsPlace reports whether a place is reserved for a node.
func (srv *Server) holdsPlace(id enode.ID) bool {
	holds := srv.reserved.Load()
	return holds != nil && *holds != nil && (*holds)(id)
}

// Refuse makes the server turn away every node that holds names, with its identity and the address it comes from, which is invalid
// if there is none, unless the node is trusted, is one that a place is reserved for, or was dialled as a static one. The function is
// asked when a connection has told its identity, before any of its protocols runs; it must be quick. A later call replaces the
// function; nil, which is the default, refuses none.
func (srv *Server) Refuse(holds func(enode.ID, netip.Addr) bool) { srv.refused.Store(&holds) }

// admissionChecks is what a connection has to pass once its identity is known, before any place is given to it.
func (srv *Server) admissionChecks(peers map[enode.ID]*Peer, inboundCount int, c *conn) error {
	holds := srv.refused.Load()
	if holds != nil && *holds != nil && !c.is(trustedConn) && !c.is(staticDialedConn) && (*holds)(c.node.ID(), netutil.AddrAddr(c.fd.RemoteAddr())) {
		return DiscUselessPeer
	}
	return srv.postHandshakeChecks(peers, inboundCount, c)
}

// DialReserved connects to a node at once, whether the dial scheduler has a free slot or not: dialled peers may fill all of
// them. It returns when the node is a peer or the attempt has failed, and leaves repeating it to the caller. The connection
// counts as one to a static node.
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
