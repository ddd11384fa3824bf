// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package p2p

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/enr"
	"github.com/stretchr/testify/assert"
	"golang.org/x/sync/semaphore"
)

// free returns how many permits of a share are free.
func free(permits *semaphore.Weighted, most int64) (n int64) {
	for n < most && permits.TryAcquire(1) {
		n++
	}
	if n > 0 {
		permits.Release(n)
	}
	return n
}

const (
	fullMessage = 10 << 20
	fullPermits = fullMessage / bytesOfPermit
)

// stranger is a peer that is no validator and has connected from a network of its own. It may end.
func stranger(s *strangers, id byte) (*passage, chan struct{}) {
	closed := make(chan struct{})
	own := semaphore.NewWeighted(networkPermits)
	return s.passage(enode.ID{id}, closed, []*semaphore.Weighted{own, s.accepted}), closed
}

func noMember(enode.ID) bool { return false }

// Strangers hold permits up to their number, and the next one waits until one of them is done. Small messages, those of
// validators, and those to nodes that this one has dialed do not wait.
func TestLargeMessagesOfStrangersSharePermits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		validator := enode.ID{99}
		s := newStrangers(func(id enode.ID) bool { return id == validator })
		var holders []*passage
		for i := range byte(acceptedPermits / fullPermits) {
			g, _ := stranger(s, i)
			must.Do(t, g.enter(fullMessage))
			holders = append(holders, g)
		}
		entered := make(chan byte, 2)
		for i := range byte(2) {
			g, _ := stranger(s, 50+i)
			go func() {
				assert.NoError(t, g.enter(fullMessage))
				entered <- 50 + i
			}()
			synctest.Wait() // so that the first one waits longer
		}
		begun := time.Now()
		for name, g := range map[string]*passage{
			"a small message": s.passage(enode.ID{60}, nil, []*semaphore.Weighted{s.accepted}), "another chain": new(passage),
			"a validator":   s.passage(validator, nil, []*semaphore.Weighted{s.accepted}),
			"a chosen node": s.passage(enode.ID{61}, nil, []*semaphore.Weighted{s.chosen}),
		} {
			size := fullMessage
			if name == "a small message" {
				size = largeMessage
			}
			err := g.enter(size)
			assert.Truef(t, err == nil && time.Since(begun) <= 0, "%s waits for %v, error %v", name, time.Since(begun), err)
		}
		assert.True(t, len(entered) == 0, "more messages are read than there are permits")
		for i, g := range holders[:2] {
			g.release()
			synctest.Wait()
			id := <-entered
			assert.Truef(t, id == 50+byte(i), "peer %d has entered before another one", id)
		}
	})
}

// Peers of one network hold half of the permits at most, whatever they declare and however many there are. Peers of
// other networks do not wait for them.
func TestNetworkLeavesPermits(t *testing.T) {
	for name, network := range map[string][2]string{
		"IPv4": {"203.0.113.1", "::ffff:203.0.113.200"}, "IPv6": {"2001:db8:1::1", "2001:db8:1:ffff::1%eth0"}, "none": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStrangers(noMember)
				entered := make(chan error, 8)
				for i := range byte(8) {
					addr, _ := netip.ParseAddr(network[i%2]) // an empty one is invalid
					g := s.passage(enode.ID{i}, nil, s.sharesOf(addr))
					go func() { entered <- g.enter(1 << 24) }()
				}
				synctest.Wait()
				other := netip.AddrFrom4([4]byte{198, 51, 100, 1})
				for free(s.sharesOf(other)[0], 1) == 0 {
					other = netip.AddrFrom4([4]byte{198, other.As4()[1] + 1, 100, 1}) // it has the same share by chance
				}
				begun := time.Now()
				err := s.passage(enode.ID{99}, nil, s.sharesOf(other)).enter(1 << 24)
				assert.Truef(t, err == nil && time.Since(begun) <= 0 && len(entered) == 1,
					"another network waits for %v, error %v, beside %d", time.Since(begun), err, len(entered))
				for range cap(entered) {
					<-entered //nolint:errcheck // seven after the time for a frame
				}
			})
		})
	}
}

// A peer has one large message at a time, however many permits are free, and waits for the handler of the last one
// without a limit of time.
func TestOneLargeMessageOfAPeerAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStrangers(noMember)
		g, closed := stranger(s, 1)
		must.Do(t, g.enter(2<<20))
		content := g.content(make([]byte, 2<<20))
		second := make(chan error)
		go func() { second <- g.enter(2 << 20) }()
		time.Sleep(10 * frameReadTimeout)
		synctest.Wait()
		select {
		case err := <-second:
			t.Fatalf("the second message was read while the first is handled: %v", err)
		default:
		}
		must.Do(t, (Msg{Payload: content}).Discard())
		must.Do(t, <-second)
		if err := (Msg{Payload: content}).Discard(); err != nil { // once more: it is the permit of the second message now
			t.Fatal(err)
		}
		assert.Equal(t, acceptedPermits-2, free(s.accepted, acceptedPermits), "permits are free")
		go func() { second <- g.enter(2 << 20) }()
		synctest.Wait()
		close(closed)
		assert.ErrorIs(t, <-second, errPeerLeft, "a wait that the end of the connection ends")
		g.release()
		assert.Equal(t, acceptedPermits, free(s.accepted, acceptedPermits), "permits are free after the end")
	})
}

// A wait for permits ends with the time for a frame and with the connection, and leaves nothing behind.
func TestWaitForPermitsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStrangers(noMember)
		must.Do(t, s.accepted.Acquire(context.Background(), acceptedPermits))
		late, _ := stranger(s, 1)
		begun := time.Now()
		if err := late.enter(fullMessage); !errors.Is(err, context.DeadlineExceeded) && err == nil {
			t.Error("permits that were not given back are taken")
		}
		assert.Equal(t, frameReadTimeout, time.Since(begun), "waited")
		gone, closed := stranger(s, 2)
		done := make(chan error)
		go func() { done <- gone.enter(fullMessage) }()
		synctest.Wait()
		close(closed)
		assert.ErrorIs(t, <-done, context.Canceled, "a wait that the end of the connection ends")
		s.accepted.Release(acceptedPermits)
		late.release()
		gone.release()
		assert.Equal(t, acceptedPermits, free(s.accepted, acceptedPermits), "permits are free")
		if err := late.enter(fullMessage); err != nil { // its turn was given back
			t.Error(err)
		}
	})
}

// The largest message fits into each share.
func TestLargestMessageFits(t *testing.T) {
	s := newStrangers(noMember)
	accepted, _ := stranger(s, 1)
	chosen := s.passage(enode.ID{2}, nil, []*semaphore.Weighted{s.chosen})
	for name, g := range map[string]*passage{"accepted": accepted, "chosen": chosen} {
		assert.NoError(t, g.enter(1<<24+16), name)
	}
}

// A server gives back the permits of a message when its handler is done, also when the handler fails and reads none of
// it.
func TestServerGivesPermitsBack(t *testing.T) {
	errHandler := errors.New("the handler fails")
	const size = 3 << 20
	for name, c := range map[string]struct {
		discards bool
		sent     int
	}{"handled": {true, 2}, "unread": {false, 1}} {
		t.Run(name, func(t *testing.T) {
			arrived, handle, handled := make(chan uint32), make(chan bool), make(chan bool, 2)
			srv := loopbackServerOf(t, 5, func(p *Peer, rw MsgReadWriter) error {
				for {
					msg, err := rw.ReadMsg()
					if err != nil {
						return err
					}
					arrived <- msg.Size
					if <-handle; !c.discards {
						return errHandler
					}
					if err := msg.Discard(); err != nil {
						return err
					}
					handled <- true
				}
			})
			srv.BoundStrangers(noMember)
			client := loopbackServerOf(t, 5, func(p *Peer, rw MsgReadWriter) error {
				for range c.sent {
					if err := rw.WriteMsg(Msg{Size: size, Payload: bytes.NewReader(make([]byte, size))}); err != nil {
						return err
					}
				}
				_, err := rw.ReadMsg()
				return err
			})
			ctx, cancel := context.WithTimeout(context.Background(), reservedPatience)
			defer cancel()
			must.Do(t, client.DialReserved(ctx, endpoint(srv)))
			permits := srv.strangers.Load().accepted
			for range c.sent {
				n := <-arrived
				assert.Truef(t, n == size, "message of %d bytes, want %d", n, size)
				if n := free(permits, acceptedPermits); n != acceptedPermits-size/bytesOfPermit {
					t.Errorf("%d permits are free while a message is handled", n)
				}
				handle <- true
				if c.discards {
					<-handled
				}
			}
			assert.NoError(t, permits.Acquire(ctx, acceptedPermits), "permits are not given back")
		})
	}
}

// A connection that is no peer yet has no large message read: its protocols could not be asked to end it.
func TestLargeHandshakeIsNotRead(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	ours, theirs := net.Pipe()
	server, client := newRLPX(ours, nil), newRLPX(theirs, &key.PublicKey)
	done := make(chan error, 1)
	go func() {
		_, err := client.doEncHandshake(key)
		if err == nil {
			err = client.WriteMsg(Msg{Size: 3 << 20, Payload: bytes.NewReader(make([]byte, 3<<20))})
		}
		done <- err
	}()
	must.Get(server.doEncHandshake(key))(t)
	if msg, err := server.ReadMsg(); err == nil || !strings.Contains(err.Error(), "handshake of") {
		t.Errorf("read a handshake of %d bytes, error %v", msg.Size, err)
	}
	must.Do(t, ours.Close())
	assert.Error(t, <-done, "all of the handshake was read")
}

// Peers that connect share permits by their networks, and nodes that this one has found have others. Neither kind takes
// those of trusted and static nodes, also of a static one that has connected first.
func TestSharesOfPeers(t *testing.T) {
	accepted := func(s *strangers) *semaphore.Weighted { return s.accepted }
	dialed := func(s *strangers) *semaphore.Weighted { return s.dialed }
	chosen := func(s *strangers) *semaphore.Weighted { return s.chosen }
	for name, c := range map[string]struct {
		flags  connFlag
		static bool
		want   func(*strangers) *semaphore.Weighted
	}{
		"connected":                {inboundConn, false, accepted},
		"connected, trusted":       {inboundConn | trustedConn, false, chosen},
		"connected, static":        {inboundConn, true, chosen},
		"found":                    {dynDialedConn, false, dialed},
		"dialed, static":           {staticDialedConn, true, chosen},
		"dialed as a validator is": {staticDialedConn, false, chosen},
	} {
		t.Run(name, func(t *testing.T) {
			one, other := net.Pipe()
			defer other.Close() //nolint:errcheck // of the test alone
			defer one.Close()   //nolint:errcheck // of the test alone
			node := enode.SignNull(new(enr.Record), enode.ID{7})
			srv := new(Server)
			if c.static {
				srv.StaticNodes = []*enode.Node{node}
			}
			srv.BoundStrangers(noMember)
			transport := newRLPX(one, nil).(*rlpxTransport)
			p := newPeer(log.Root(), &conn{fd: one, transport: transport, flags: c.flags, node: node}, nil)
			srv.admitLarge(p)
			shares := transport.large.shares
			assert.Truef(t, shares[len(shares)-1] == c.want(srv.strangers.Load()),
				"a peer that is %s has the permits of others", name)
		})
	}
}
