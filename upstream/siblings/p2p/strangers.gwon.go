// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package p2p

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/netutil"
	"github.com/ethereum/go-ethereum/p2p/rlpx"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Permits for large messages of strangers. A message of the largest size, 16 MiB, fits into each share.
const (
	// largeMessage is the size in bytes above which a message needs permits: most honest messages have less, and a
	// connection keeps no buffers for larger ones.
	largeMessage = rlpx.KeptBuffer

	bytesOfPermit   = 1 << 20
	acceptedPermits = 32  // of connections from other nodes
	networkPermits  = 16  // those of one network
	networkShares   = 256 // a network has one of these shares by a random hash
	dialedPermits   = 16  // of connections to nodes that were found, which strangers cannot make
	chosenPermits   = 16  // of trusted and static nodes
	logPermitsEach  = time.Minute

	// Lengths of a network's prefix: what one customer of a provider usually has at most.
	networkBits4, networkBits6 = 24, 48
)

var (
	permitWaitMeter   = metrics.NewRegisteredMeter("gwon/peers/permits/waited", nil)
	permitRefuseMeter = metrics.NewRegisteredMeter("gwon/peers/permits/refused", nil)
)

var errPeerLeft = errors.New("the connection ends")

// strangers has the permits for large messages of all peers that are no validators. A permit stands for 1 MiB of a
// message, and is held from the header of its frame until its handler is done with it.
type strangers struct {
	validator                func(enode.ID) bool
	accepted, dialed, chosen *semaphore.Weighted
	refused                  rate.Sometimes // lines of the log

	seed     maphash.Seed
	networks [networkShares]*semaphore.Weighted
}

// BoundStrangers makes all peers share permits for their large messages, except those for which validator returns true.
// The function is called for each large message and must be quick. Without a call, messages need no permits.
func (srv *Server) BoundStrangers(validator func(enode.ID) bool) {
	srv.strangers.Store(newStrangers(validator))
}

func newStrangers(validator func(enode.ID) bool) *strangers {
	s := &strangers{validator: validator, seed: maphash.MakeSeed(), refused: rate.Sometimes{Interval: logPermitsEach}}
	s.accepted, s.dialed = semaphore.NewWeighted(acceptedPermits), semaphore.NewWeighted(dialedPermits)
	s.chosen = semaphore.NewWeighted(chosenPermits)
	for i := range s.networks {
		s.networks[i] = semaphore.NewWeighted(networkPermits)
	}
	return s
}

// admitLarge lets a connection that has become a peer send large messages. The result ends that, when the peer's
// protocols have ended.
func (srv *Server) admitLarge(p *Peer) (end func()) {
	t, ok := p.rw.transport.(*rlpxTransport)
	if !ok {
		return func() {} // a test's
	}
	t.large = new(passage)
	if all := srv.strangers.Load(); all != nil {
		var shares []*semaphore.Weighted
		static := slices.ContainsFunc(srv.StaticNodes, func(n *enode.Node) bool { return n.ID() == p.ID() })
		switch {
		case static || p.rw.is(trustedConn|staticDialedConn):
			shares = []*semaphore.Weighted{all.chosen}
		case p.Inbound():
			shares = all.sharesOf(netutil.AddrAddr(p.RemoteAddr()))
		default:
			shares = []*semaphore.Weighted{all.dialed}
		}
		t.large = all.passage(p.ID(), p.closed, shares)
	}
	return t.large.release
}

// sharesOf returns the shares of a peer that has connected from an address. The peers of a network have some of the
// permits together, because identities cost nothing.
func (s *strangers) sharesOf(from netip.Addr) []*semaphore.Weighted {
	from = from.Unmap().WithZone("")
	bits := networkBits6
	if from.Is4() {
		bits = networkBits4
	}
	prefix, _ := from.Prefix(bits) // an error is that of the invalid address, and then of one network
	return []*semaphore.Weighted{s.networks[maphash.Comparable(s.seed, prefix)%networkShares], s.accepted}
}

// passage returns that of a peer with its shares, which ends its waits when closed is closed.
func (s *strangers) passage(id enode.ID, closed <-chan struct{}, shares []*semaphore.Weighted) *passage {
	return &passage{all: s, id: id, shares: shares, closed: closed, turn: make(chan struct{}, 1)}
}

// passage lets the large messages of a peer in, one at a time. The zero value lets in all.
type passage struct {
	all     *strangers
	id      enode.ID
	shares  []*semaphore.Weighted // of each of which a message needs permits
	closed  <-chan struct{}
	turn    chan struct{} // has an element while the peer has a large message here
	entered bool          // by the message being read

	mu    sync.Mutex
	taken int64 // permits
}

// enter waits until a message of a size may be read. First the last large message of the peer has to be handled, as
// long as that takes; then there have to be permits within the time for a frame.
func (g *passage) enter(size int) error {
	g.entered = false
	if size <= largeMessage || g.all == nil || g.all.validator(g.id) {
		return nil
	}
	select {
	case g.turn <- struct{}{}:
	case <-g.closed:
		return errPeerLeft
	}
	wanted := min(int64(size+bytesOfPermit-1)/bytesOfPermit, networkPermits)
	if err := g.take(wanted); err != nil {
		<-g.turn
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.entered, g.taken = true, wanted
	return nil
}

// take waits for permits of all shares, behind those that wait longer, within the time for a frame.
func (g *passage) take(wanted int64) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), frameReadTimeout)
	defer cancel()
	go func() {
		select {
		case <-g.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	for i, share := range g.shares {
		if share.TryAcquire(wanted) {
			continue
		}
		permitWaitMeter.Mark(1)
		if err = share.Acquire(ctx, wanted); err != nil {
			giveBack(g.shares[:i], wanted)
			break
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		permitRefuseMeter.Mark(1)
		err = fmt.Errorf("no %d permits for large messages of peers that are no validators within %v", wanted,
			frameReadTimeout)
		g.all.refused.Do(func() { log.Warn("Peer dropped", "reason", err, "id", g.id) })
	}
	return err
}

func giveBack(shares []*semaphore.Weighted, permits int64) {
	for _, share := range shares {
		share.Release(permits)
	}
}

// release gives back the permits of the large message, if there is one.
func (g *passage) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.taken > 0 {
		giveBack(g.shares, g.taken)
		g.taken = 0
		<-g.turn
	}
}

// content returns the reader of the message that was read last.
func (g *passage) content(data []byte) io.Reader {
	if g == nil || !g.entered {
		return bytes.NewReader(data)
	}
	return &largeContent{Reader: bytes.NewReader(data), release: sync.OnceFunc(g.release)}
}

// largeContent is the content of a message with permits. Msg.Discard, with which each handler ends, gives them back.
type largeContent struct {
	*bytes.Reader
	release func()
}

// WriteTo implements io.WriterTo.
func (r *largeContent) WriteTo(w io.Writer) (int64, error) {
	defer r.release()
	return r.Reader.WriteTo(w)
}

// read reads a message once it may enter. A connection that is no peer yet sends no large one.
func (t *rlpxTransport) read() (code uint64, data []byte, wireSize int, err error) {
	return t.conn.ReadAdmitted(func(size int) error {
		switch {
		case t.large == nil && size > largeMessage:
			return fmt.Errorf("handshake of %d bytes, at most %d are read", size, largeMessage)
		case t.large == nil:
			return nil
		}
		if err := t.large.enter(size); err != nil || !t.large.entered {
			return err
		}
		return t.conn.SetReadDeadline(time.Now().Add(frameReadTimeout)) // the wait is not the sender's
	})
}
