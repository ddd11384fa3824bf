// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
	"golang.org/x/time/rate"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/votelog"
)

const (
	maxConnections = 8
	bodyTimeout    = 10 * time.Second // for the rest of a frame, and for an answer to leave
)

// ServerConfig holds the settings of a Server.
type ServerConfig struct {
	Key    *ecdsa.PrivateKey
	Owner  votelog.Owner
	Votes  *votelog.Log // the server closes it
	Resume bool         // the operator lets the key sign although votes are lost

	horizon *horizon // of a directory; nil for no bound of the sequences
}

// Server answers the node that holds the right to sign.
type Server struct {
	guard *guard

	mu      sync.Mutex
	held    map[uint64]*conn                 // by role
	banned  map[[wire.InstanceSize]byte]bool // processes whose right was taken away
	open    map[*conn]struct{}
	arrived uint64 // connections
	workers sync.WaitGroup

	refusedConnections, refusedRequests rate.Sometimes // lines of the log
}

// conn is a connection. Its goroutine owns everything but the socket.
type conn struct {
	net.Conn
	peer     Peer
	number   uint64 // in the order of arrival
	role     uint64 // written under Server.mu
	instance [wire.InstanceSize]byte
}

// NewServer returns a server for a key. Close ends it.
func NewServer(cfg ServerConfig) (*Server, error) {
	g, err := newGuard(cfg)
	if err != nil {
		return nil, err
	}
	return &Server{
		guard: g, held: make(map[uint64]*conn), banned: make(map[[wire.InstanceSize]byte]bool),
		open:               make(map[*conn]struct{}),
		refusedConnections: rate.Sometimes{Interval: time.Minute}, refusedRequests: rate.Sometimes{Interval: time.Minute},
	}, nil
}

// Serve answers connections of a listener until ctx ends, which also closes the listener.
func (s *Server) Serve(ctx context.Context, listener Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() }) // Accept reports it
	defer stop()
	for {
		raw, peer, err := listener.Accept()
		if ctx.Err() != nil {
			if err == nil {
				_ = raw.Close() // it came too late
			}
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil {
			s.refusedConnections.Do(func() { log.Warn("Connection refused", "err", err) })
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond): // the system may lack files
			}
			continue
		}
		s.Accept(raw, peer)
	}
}

// Accept answers a connection in a goroutine, if there are not too many. One that has not greeted makes room for the
// next, which may be that of the node.
func (s *Server) Accept(raw net.Conn, peer Peer) {
	s.mu.Lock()
	s.arrived++
	c := &conn{Conn: raw, peer: peer, number: s.arrived}
	if len(s.open) >= maxConnections {
		s.dropSilent()
	}
	full := len(s.open) >= maxConnections
	if !full {
		s.open[c] = struct{}{}
	}
	s.mu.Unlock()
	if full {
		s.refusedConnections.Do(func() {
			log.Warn("Connection refused", "from", peer.Name, "reason", "too many connections", "most", maxConnections)
		})
		_ = raw.Close() // it was told nothing
		return
	}
	s.workers.Go(func() {
		err := s.answer(c)
		s.release(c)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
			s.refusedConnections.Do(func() { log.Warn("Connection ended", "from", peer.Name, "err", err) })
		}
	})
}

// dropSilent ends the oldest connection that has not greeted. The caller holds s.mu.
func (s *Server) dropSilent() {
	var oldest *conn
	for c := range s.open {
		if c.role == 0 && (oldest == nil || c.number < oldest.number) {
			oldest = c
		}
	}
	if oldest != nil {
		_ = oldest.Close() // its goroutine ends
		delete(s.open, oldest)
	}
}

// release forgets a connection, and ends its right.
func (s *Server) release(c *conn) {
	_ = c.Close() // its error says nothing that the end does not
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	if s.held[c.role] == c {
		delete(s.held, c.role)
		log.Info("Node disconnected", "from", c.peer.Name, "role", roleName(c.role))
	}
}

// Close ends all connections and closes the vote log.
func (s *Server) Close() error {
	s.mu.Lock()
	for c := range s.open {
		_ = c.Close() // its goroutine reports it
	}
	s.mu.Unlock()
	s.workers.Wait()
	return s.guard.close()
}

// answer answers the requests of a connection, in their order.
func (s *Server) answer(c *conn) error {
	if err := c.SetDeadline(time.Now().Add(bodyTimeout)); err != nil {
		return err
	}
	for {
		r, err := c.next()
		if err != nil {
			return err
		}
		body, err := s.handle(c, r)
		a := wire.Answer{Body: rlp.EmptyString}
		switch {
		case errors.Is(err, wire.ErrFrame), errors.Is(err, errBroken) && c.role == wire.RoleVotes:
			return err
		case err != nil:
			a.Result, a.Text = wire.ResultRefused, err.Error()
			s.refusedRequests.Do(func() { log.Warn("Request refused", "from", c.peer.Name, "reason", err) })
		case body != nil:
			if a.Body, err = rlp.EncodeToBytes(body); err != nil {
				return fmt.Errorf("encode answer: %w", err)
			}
		}
		if err := c.SetWriteDeadline(time.Now().Add(bodyTimeout)); err != nil {
			return err
		}
		if err := wire.WriteFrame(c, &a); err != nil {
			return err
		}
		if c.role == 0 {
			return nil // the right was refused
		}
		if err := c.SetReadDeadline(time.Time{}); err != nil {
			return err
		}
	}
}

// next reads a request. A node may be silent between requests, and not within one.
func (c *conn) next() (*wire.Request, error) {
	var header [wire.HeaderSize]byte
	if _, err := io.ReadFull(c, header[:]); err != nil {
		return nil, err
	}
	limit := int64(messages.MaxSmall)
	if c.role == wire.RoleVotes {
		limit = wire.MaxRequest
	}
	if err := c.SetReadDeadline(time.Now().Add(bodyTimeout)); err != nil {
		return nil, err
	}
	r := new(wire.Request)
	if err := wire.ReadFrame(c, header, limit, r); err != nil {
		return nil, err
	}
	return r, nil
}

// handle carries a request out. A wrong one ends the connection: its error is errFrame.
func (s *Server) handle(c *conn, r *wire.Request) (any, error) {
	if c.role == 0 {
		h, err := bodyOf[wire.Hello](r)
		if err != nil || r.Kind != wire.KindHello {
			return nil, fmt.Errorf("%w: request %d comes before the greeting", wire.ErrFrame, r.Kind)
		}
		if err := s.claim(c, h); err != nil {
			return nil, err
		}
		return &wire.Identity{PublicKey: s.guard.public, BLS: s.guard.bls.PublicKey().Bytes(),
			Genesis: s.guard.owner.Genesis, ChainID: s.guard.owner.ChainID}, nil
	}
	switch c.role {
	case wire.RoleVotes:
		return s.handleVotes(r)
	case wire.RolePeers:
		return s.handlePeers(r)
	}
	return s.handleControl(r)
}

// claim gives a connection its role. The roles of a node are held by one process at a time.
func (s *Server) claim(c *conn, h *wire.Hello) error {
	switch {
	case h.Version != wire.Version:
		return fmt.Errorf("the node has version %d of the protocol, this gwon-signer has %d: install the same release",
			h.Version, wire.Version)
	case h.Role != wire.RoleVotes && h.Role != wire.RolePeers && h.Role != wire.RoleControl:
		return fmt.Errorf("%w: role %d", wire.ErrFrame, h.Role)
	case h.Role == wire.RoleControl && !c.peer.Operator:
		return errors.New("only the user of gwon-signer may ask for its status: run the command as that user")
	}
	if err := s.guard.failure(); err != nil && h.Role == wire.RoleVotes {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.instance = h.Instance
	if h.Role == wire.RoleControl {
		c.role = h.Role
		return nil
	}
	if s.banned[h.Instance] {
		return errors.New(wire.Released +
			": stop it where another node has its place, or start it again to ask for the right")
	}
	for _, other := range s.held {
		if other.instance != h.Instance {
			return fmt.Errorf("another node has the right to sign, %s: stop it, or run gwon-signer release", other.peer.Name)
		}
	}
	if old := s.held[h.Role]; old != nil {
		_ = old.Close() // of the same process, which has noticed before the signer that it is dead
	}
	c.role = h.Role
	s.held[h.Role] = c
	log.Info("Node connected", "from", c.peer.Name, "role", roleName(h.Role))
	return nil
}

func roleName(role uint64) string {
	switch role {
	case wire.RoleVotes:
		return "votes"
	case wire.RolePeers:
		return "peers"
	}
	return "control"
}

// handleVotes answers a node about the consensus.
func (s *Server) handleVotes(r *wire.Request) (any, error) {
	switch r.Kind {
	case wire.KindSign:
		return with(r, s.guard.sign)
	case wire.KindLock:
		return with(r, func(k *votelog.Lock) (any, error) { return nil, s.guard.lock(k) })
	case wire.KindTakeBack:
		return with(r, func(v *votelog.Record) (any, error) { return nil, s.guard.takeBack(v) })
	case wire.KindOrigin:
		return with(r, func(o *wire.OriginBody) (any, error) { return nil, s.guard.setOrigin(votelog.Origin(*o)) })
	case wire.KindPrune:
		return with(r, func(n *wire.Number) (any, error) {
			s.guard.prune(n.Number)
			return nil, nil
		})
	case wire.KindState:
		return with(r, func(*wire.Number) (any, error) { return s.guard.state(), nil })
	case wire.KindSequence:
		return with(r, func(n *wire.Number) (any, error) { return s.guard.sequence(n.Number), nil })
	case wire.KindReveal:
		return with(r, func(n *wire.Number) (any, error) { return wrap(s.guard.reveal(n.Number)) })
	}
	return nil, fmt.Errorf("%w: request %d of role votes", wire.ErrFrame, r.Kind)
}

// handlePeers answers a node about its peers. Nothing here signs a consensus message.
func (s *Server) handlePeers(r *wire.Request) (any, error) {
	var f func([]byte) ([]byte, error)
	switch r.Kind {
	case wire.KindShared:
		f = s.guard.shared
	case wire.KindRecord:
		f = s.guard.signRecord
	case wire.KindPacket:
		f = s.guard.signPacket
	default:
		return nil, fmt.Errorf("%w: request %d of role peers", wire.ErrFrame, r.Kind)
	}
	return with(r, func(c *wire.Content) (any, error) { return wrap(f(c.Content)) })
}

// handleControl answers the operator.
func (s *Server) handleControl(r *wire.Request) (any, error) {
	switch r.Kind {
	case wire.KindStatus:
		return with(r, func(*wire.Number) (any, error) { return s.status(), nil })
	case wire.KindRelease:
		return with(r, func(*wire.Number) (any, error) { return nil, s.takeAway() })
	}
	return nil, fmt.Errorf("%w: request %d of role control", wire.ErrFrame, r.Kind)
}

// takeAway ends the right of the process that holds it, until that process starts again.
func (s *Server) takeAway() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) == 0 {
		return errors.New("no node has the right to sign: start the node that shall have it")
	}
	for _, c := range s.held {
		s.banned[c.instance] = true
		_ = c.Close() // its goroutine ends
		log.Warn("Right to sign taken away", "from", c.peer.Name)
	}
	return nil
}

// status returns what the operator may want to know.
func (s *Server) status() *Status {
	s.mu.Lock()
	node := ""
	for _, c := range s.held {
		node = c.peer.Name
	}
	s.mu.Unlock()
	g := s.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	out := &Status{
		Node: node, Floor: g.votes.Floor(), Sequences: uint64(len(g.books)), Signed: g.signed, Refused: g.refusals,
		Refusal: g.refusal, Address: g.owner.Validator.Hex(), BLS: fmt.Sprintf("0x%x", g.bls.PublicKey().Bytes()),
		Genesis: g.owner.Genesis.Hex(), ChainID: g.owner.ChainID,
		Possession: fmt.Sprintf("0x%x", g.bls.ProofOfPossession()),
	}
	for n := range g.books {
		out.Highest = max(out.Highest, n)
	}
	if g.broken != nil {
		out.Broken = g.broken.Error()
	}
	return out
}

// with decodes the body of a request and calls f.
func with[T, R any](r *wire.Request, f func(*T) (R, error)) (any, error) {
	body, err := bodyOf[T](r)
	if err != nil {
		return nil, err
	}
	return f(body)
}

func wrap(b []byte, err error) (any, error) { return &wire.Content{Content: b}, err }

// limitOf returns the bound of a request's body.
func limitOf(kind uint64) int {
	if kind == wire.KindSign || kind == wire.KindLock || kind == wire.KindTakeBack {
		return wire.MaxRequest
	}
	return messages.MaxSmall
}

// bodyOf decodes the body of a request strictly.
func bodyOf[T any](r *wire.Request) (*T, error) {
	if len(r.Body) > limitOf(r.Kind) {
		return nil, fmt.Errorf("%w: request %d has %d bytes, at most %d are allowed", wire.ErrFrame, r.Kind, len(r.Body),
			limitOf(r.Kind))
	}
	body := new(T)
	if err := rlp.DecodeBytes(r.Body, body); err != nil {
		return nil, fmt.Errorf("%w: request %d: %w", wire.ErrFrame, r.Kind, err)
	}
	return body, nil
}
