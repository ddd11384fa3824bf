// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"gwon/consensus/wbft/signer/wire"

	"github.com/ethereum/go-ethereum/log"
	"golang.org/x/time/rate"
)

const maxShaking = 64 // handshakes under way

// pinned is a TCP listener with TLS. Connections whose handshake is under way have places of their own, so that a
// stranger, who never ends one, takes no room from a node.
type pinned struct {
	net.Listener
	config  *tls.Config
	timeout time.Duration // of a handshake
	ready   chan net.Conn // after the handshake
	failed  chan error    // of the listener
	ctx     context.Context
	stop    context.CancelFunc
	work    sync.WaitGroup
	refused rate.Sometimes // lines of the log

	mu      sync.Mutex
	shaking []shaking           // in the order of arrival
	known   map[netip.Addr]bool // that have ended a handshake
}

// shaking is a connection whose handshake is under way.
type shaking struct {
	net.Conn
	from netip.Addr
}

// ListenTLS listens at host and port for the node with the other end of the credentials.
func ListenTLS(address string, credentials *wire.Credentials) (Listener, error) {
	return listenTLS(address, credentials, 2*time.Second)
}

func listenTLS(address string, credentials *wire.Credentials, timeout time.Duration) (Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &pinned{Listener: listener, config: credentials.Config(), timeout: timeout, ready: make(chan net.Conn),
		failed: make(chan error), known: make(map[netip.Addr]bool), refused: rate.Sometimes{Interval: time.Minute}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.work.Go(p.admit)
	return p, nil
}

// Accept implements Listener. The other end has the credentials.
func (p *pinned) Accept() (net.Conn, Peer, error) {
	select {
	case conn := <-p.ready:
		return conn, Peer{Name: "node at " + conn.RemoteAddr().String()}, nil
	case err := <-p.failed:
		return nil, Peer{}, err
	case <-p.ctx.Done():
		return nil, Peer{}, net.ErrClosed
	}
}

// Close implements Listener. It ends handshakes that are under way.
func (p *pinned) Close() error {
	p.stop()
	err := p.Listener.Close()
	p.mu.Lock()
	for _, s := range p.shaking {
		_ = s.Close() // its goroutine ends
	}
	p.mu.Unlock()
	p.work.Wait()
	return err
}

// admit begins a handshake with each connection until the listener is closed.
func (p *pinned) admit() {
	for p.ctx.Err() == nil {
		conn, err := p.Listener.Accept()
		if err != nil {
			select {
			case p.failed <- err: // Serve waits before it accepts again
			case <-p.ctx.Done():
			}
			continue
		}
		s := shaking{conn, networkOf(conn.RemoteAddr())}
		if loser := p.enter(s); loser.Conn != nil {
			_ = loser.Close() // it was told nothing
		}
		p.work.Go(func() { p.shake(s) })
	}
}

// networkOf returns the address of the other end, of which IPv6 gives one host a /64.
func networkOf(address net.Addr) netip.Addr {
	tcp, _ := address.(*net.TCPAddr)
	from := tcp.AddrPort().Addr().Unmap()
	if prefix, err := from.Prefix(64); err == nil && from.Is6() {
		return prefix.Addr()
	}
	return from
}

// enter gives a connection a place, and returns the one that loses its place then, if any. The address that has the
// most places loses its oldest one, so that a flood from one address pushes itself out. An address that is known loses
// none to one that is not.
func (p *pinned) enter(s shaking) (loser shaking) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return s
	}
	p.shaking = append(p.shaking, s)
	if len(p.shaking) <= maxShaking {
		return loser
	}
	places, most := make(map[netip.Addr]int), 0
	for _, other := range p.shaking {
		if p.known[s.from] || !p.known[other.from] {
			places[other.from]++
			most = max(most, places[other.from])
		}
	}
	at := slices.IndexFunc(p.shaking, func(other shaking) bool { return places[other.from] == most })
	loser = p.shaking[at]
	p.shaking = slices.Delete(p.shaking, at, at+1)
	return loser
}

// leave frees the place of a connection, and notes the address of one that has the credentials.
func (p *pinned) leave(s shaking, proven bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shaking = slices.DeleteFunc(p.shaking, func(other shaking) bool { return other == s })
	if !proven {
		return
	}
	if len(p.known) >= 8 {
		clear(p.known)
	}
	p.known[s.from] = true
}

// shake ends the handshake of a connection, and hands it out if the other end has the credentials.
func (p *pinned) shake(s shaking) {
	conn := tls.Server(s.Conn, p.config)
	err := conn.SetDeadline(time.Now().Add(p.timeout))
	if err == nil {
		err = conn.Handshake()
	}
	p.leave(s, err == nil)
	if err == nil {
		select {
		case p.ready <- conn:
			return
		case <-p.ctx.Done():
		}
	} else {
		p.refused.Do(func() { log.Warn("Connection refused", "from", s.RemoteAddr(), "err", err) })
	}
	_ = conn.Close() // the other end has proven nothing, or the signer ends
}
