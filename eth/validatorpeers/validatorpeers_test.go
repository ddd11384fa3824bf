// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validatorpeers

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// fakeServer records what validatorPeers asks of the p2p server.
type fakeServer struct {
	mu      sync.Mutex
	dials   []dialRecord
	answer  error
	resolve map[enode.ID]*enode.Node
	sought  []time.Time
	trusted map[enode.ID]bool
}

type dialRecord struct {
	url string
	at  time.Time
}

func (f *fakeServer) Dial(_ context.Context, n *enode.Node) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dials = append(f.dials, dialRecord{n.URLv4(), time.Now()})
	return f.answer
}

func (f *fakeServer) Resolve(_ context.Context, n *enode.Node) *enode.Node {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sought = append(f.sought, time.Now())
	return f.resolve[n.ID()]
}

func (f *fakeServer) AddTrustedPeer(n *enode.Node)    { f.trusted[n.ID()] = true }
func (f *fakeServer) RemoveTrustedPeer(n *enode.Node) { delete(f.trusted, n.ID()) }

func (f *fakeServer) dialed() []dialRecord {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.dials)
}

func testKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(crypto.GenerateKey())(t)
}

func nodeAt(key *ecdsa.PrivateKey, port int) *enode.Node {
	return enode.NewV4(&key.PublicKey, net.IPv4(127, 0, 0, 1), port, 0)
}

func addressOfKey(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

// setOf returns the set of the owners of keys.
func setOf(keys ...*ecdsa.PrivateKey) *validators.Set {
	var list []validators.Validator
	for _, key := range keys {
		list = append(list, validators.Validator{Address: addressOfKey(key)})
	}
	return validators.NewSet(list)
}

var genesisHeader = &types.Header{Number: new(big.Int)}

func newTestPeers(t *testing.T, self *ecdsa.PrivateKey, path string, static,
	trusted []*enode.Node) (*Peers, *fakeServer) {
	t.Helper()
	f := &fakeServer{answer: errors.New("no node there"), trusted: make(map[enode.ID]bool),
		resolve: make(map[enode.ID]*enode.Node)}
	v := New(addressOfKey(self), big.NewInt(8283), f, session.NewSessions(), path, static, trusted)
	v.sessions.Changed = v.Nudge
	return v, f
}

// The address of a validator is part of the identity that its connection proves.
func TestAddressOfIdentity(t *testing.T) {
	key := testKey(t)
	expect.Equal(t, session.AddressOf(enode.PubkeyToIDV4(&key.PublicKey)), addressOfKey(key), "address")
}

// A missing validator is dialed at growing intervals until it connects, and again from the first interval after it
// disconnects (spec network 11 no. 5).
func TestMissingValidatorIsDialled(t *testing.T) {
	self, other, stranger := testKey(t), testKey(t), testKey(t)
	synctest.Test(t, func(t *testing.T) {
		v, f := newTestPeers(t, self, "", []*enode.Node{nodeAt(other, 7), nodeAt(stranger, 8)}, nil)
		v.Follow(genesisHeader, setOf(self, other))
		sessiontest.Running(t, v.Run)
		start := time.Now()
		time.Sleep(time.Hour)
		last, delay := start, firstDialDelay
		dials := f.dialed()
		for i, d := range dials {
			must.Equal(t, d.url, nodeAt(other, 7).URLv4(), "dialed, which is no validator")
			wait := d.at.Sub(last)
			expect.That(t, wait >= delay && wait <= delay*3/2, "dial %d after %v, want %v to %v", i, wait, delay, delay*3/2)
			last = d.at
			if i == 0 {
				delay = minDialInterval
			} else {
				delay = min(2*delay, maxDialInterval)
			}
		}
		must.That(t, len(dials) >= 8, "%d dials in an hour, want at least 8", len(dials))

		ses := v.sessions.Join(p2p.NewPeer(enode.PubkeyToIDV4(&other.PublicKey), "", nil))
		ses.Shook(new(protocol.Peer))
		v.Met(ses)
		synctest.Wait()
		c, n := validatorsConnectedGauge.Snapshot().Value(), validatorsTotalGauge.Snapshot().Value()
		expect.That(t, c == 1 && n == 1, "%d of %d validators are counted as connected, want 1 of 1", c, n)
		time.Sleep(time.Hour)
		if n := len(f.dialed()); n != len(dials) {
			t.Errorf("dialed %d times while connected", n-len(dials))
		}
		v.sessions.Leave(ses)
		synctest.Wait()
		expect.Equal(t, validatorsConnectedGauge.Snapshot().Value(), 0, "validators are counted as connected")
		time.Sleep(2 * firstDialDelay)
		if n := len(f.dialed()); n != len(dials)+1 {
			t.Errorf("dialed %d times soon after the connection ended, want once", n-len(dials))
		}
	})
}

// A validator to which no connection can be made counts no attempt, and is dialed again within seconds: sooner by the
// one of two with the lower address. Discovery is still asked at growing intervals (spec network 11 no. 5).
func TestUnreachedValidatorIsDialledSoon(t *testing.T) {
	low, high := testKey(t), testKey(t)
	if addressOfKey(low).Cmp(addressOfKey(high)) > 0 {
		low, high = high, low
	}
	for _, test := range []struct {
		name        string
		self, other *ecdsa.PrivateKey
		wait        time.Duration
	}{
		{"lower address", low, high, unreachedInterval},
		{"higher address", high, low, 3 * unreachedInterval},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, f := newTestPeers(t, test.self, "", []*enode.Node{nodeAt(test.other, 7)}, nil)
				f.answer = fmt.Errorf("dial node: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")})
				v.Follow(genesisHeader, setOf(test.self, test.other))
				sessiontest.Running(t, v.Run)
				time.Sleep(10 * time.Minute)
				f.mu.Lock()
				f.answer = fmt.Errorf("handshake: %w", &net.OpError{Op: "read", Err: errors.New("connection reset")})
				sought := slices.Clone(f.sought)
				f.mu.Unlock()
				unreached := f.dialed()
				for i, d := range unreached[1:] {
					if wait := d.at.Sub(unreached[i].at); wait < test.wait || wait > test.wait*3/2 {
						t.Errorf("dial %d after %v, want %v to %v", i+1, wait, test.wait, test.wait*3/2)
					}
				}
				for i, at := range sought[1:] {
					wait := at.Sub(sought[i])
					expect.That(t, wait >= min(minDialInterval<<i, maxDialInterval), "discovery is asked again after %v", wait)
				}
				n := len(sought)
				expect.That(t, n >= 4, "discovery was asked %d times in ten minutes", n)
				time.Sleep(time.Hour)
				reached := f.dialed()[len(unreached):]
				for i, d := range reached[1:] {
					wait := d.at.Sub(reached[i].at)
					expect.That(t, wait >= minDialInterval, "dialed again %v after a connection that failed", wait)
				}
				n = len(reached)
				expect.That(t, n >= 8, "%d dials in the hour after that", n)
			})
		})
	}
}

// Validators that already have a node with this key refuse it. That is said at most once a minute, and not of one
// answer that crosses another dial.
func TestTwinIsNamed(t *testing.T) {
	out := new(bytes.Buffer)
	expect.Log(t, log.NewTerminalHandlerWithLevel(out, log.LevelWarn, false))
	self, other := testKey(t), testKey(t)
	synctest.Test(t, func(t *testing.T) {
		v, f := newTestPeers(t, self, "", []*enode.Node{nodeAt(other, 7)}, nil)
		f.answer = fmt.Errorf("rlpx proto error: %w", p2p.DiscAlreadyConnected)
		v.Follow(genesisHeader, setOf(self, other))
		sessiontest.Running(t, v.Run)
		time.Sleep(10 * time.Minute)
	})
	var crossed attempt
	v, _ := newTestPeers(t, self, "", nil, nil)
	for _, err := range []error{p2p.DiscAlreadyConnected, nil, p2p.DiscAlreadyConnected} {
		v.countTaken(&crossed, addressOfKey(other), err)
	}
	expect.Equal(t, crossed.taken, 1, "after an answer of another kind")
	lines := strings.Count(out.String(), "Another node with this node's key")
	expect.That(t, lines >= 3 && lines <= 10, "%d lines in ten minutes", lines)
}

// A node that is no validator, or no longer one, dials no validator and reserves no places.
func TestFollowerDialsNobody(t *testing.T) {
	self, other := testKey(t), testKey(t)
	id := enode.PubkeyToIDV4(&other.PublicKey)
	synctest.Test(t, func(t *testing.T) {
		v, f := newTestPeers(t, self, "", []*enode.Node{nodeAt(other, 7)}, nil)
		v.Follow(genesisHeader, setOf(other))
		sessiontest.Running(t, v.Run)
		time.Sleep(time.Hour)
		n := len(f.dialed())
		expect.That(t, n == 0 && !v.Reserves(id), "%d dials, place reserved: %v; want none", n, v.Reserves(id))
		v.Follow(genesisHeader, setOf(self, other))
		time.Sleep(time.Minute)
		joined := len(f.dialed())
		expect.That(t, joined != 0 && v.Reserves(id) && !v.Reserves(enode.ID{1}),
			"a new validator: %d dials, place reserved: %v, for a stranger: %v", joined, v.Reserves(id), v.Reserves(enode.ID{1}))
		v.Follow(genesisHeader, setOf(other))
		time.Sleep(time.Hour)
		if n := len(f.dialed()); n != joined || v.Reserves(id) {
			t.Errorf("after leaving the set: %d dials, place reserved: %v", n-joined, v.Reserves(id))
		}
	})
}

// Discovery is asked for a validator with an unknown or changed address. Its public key comes from a block that it
// proposed (spec wbft 2.3).
func TestValidatorIsFoundByDiscovery(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, _ := net.Chain(t)
	net.Extend(t, chain, 6)
	self := testKey(t)
	f := &fakeServer{answer: errors.New("no node there"), resolve: make(map[enode.ID]*enode.Node)}
	v := New(addressOfKey(self), chain.Config().ChainID, f, session.NewSessions(), "", nil, nil)
	v.Search(chain, chain.CurrentBlock())
	for address, key := range net.Keys {
		proposed := false
		for h := chain.CurrentBlock(); h.Number.Sign() > 0; h = chain.GetHeaderByHash(h.ParentHash) {
			proposed = proposed || h.Coinbase == address
		}
		if found := v.keys[address]; (found != nil) != proposed || proposed && !found.Equal(&key.PublicKey) {
			t.Errorf("key of %v: %v, has proposed: %v", address, found, proposed)
		}
	}

	proposer := net.Keys[chain.CurrentBlock().Coinbase]
	address, id := addressOfKey(proposer), enode.PubkeyToIDV4(&proposer.PublicKey)
	if err := v.dial(t.Context(), address, true); !errors.Is(err, errNoEndpoint) || len(f.dials) != 0 {
		t.Errorf("neither an address nor discovery: %v, %d dials", err, len(f.dials))
	}
	f.resolve[id] = nodeAt(proposer, 9)
	_ = v.dial(t.Context(), address, true)
	expect.That(t, len(f.dials) == 1 && f.dials[0].url == nodeAt(proposer, 9).URLv4(),
		"dialed %v, want the address that discovery gave", f.dials)
	v.nodes[address] = nodeAt(proposer, 8)
	_ = v.dial(t.Context(), address, true)
	expect.That(t, len(f.dials) == 3 && f.dials[1].url == nodeAt(proposer, 8).URLv4() &&
		f.dials[2].url == nodeAt(proposer, 9).URLv4(),
		"dialed %v, want the known address and then the one that discovery gave", f.dials)
}

// A peer that becomes a validator while connected is trusted until it leaves the set; nodes that the operator trusts
// stay trusted.
func TestTrustFollowsTheSet(t *testing.T) {
	self, one, two := testKey(t), testKey(t), testKey(t)
	v, f := newTestPeers(t, self, "", nil, []*enode.Node{nodeAt(two, 2)})
	ids := make(map[*ecdsa.PrivateKey]enode.ID)
	for _, key := range []*ecdsa.PrivateKey{one, two} {
		ids[key] = enode.PubkeyToIDV4(&key.PublicKey)
		ses := v.sessions.Join(p2p.NewPeer(ids[key], "", nil))
		ses.Shook(new(protocol.Peer))
	}
	f.trusted[ids[two]] = true
	v.Follow(genesisHeader, setOf(self))
	expect.That(t, !f.trusted[ids[one]], "trusted before it is a validator")
	v.Follow(genesisHeader, setOf(self, one, two))
	expect.That(t, f.trusted[ids[one]], "a validator is not trusted")
	v.Follow(genesisHeader, setOf(self))
	expect.That(t, !f.trusted[ids[one]] && f.trusted[ids[two]],
		"trusted: %v after it left the set, %v as the operator wants", f.trusted[ids[one]], f.trusted[ids[two]])
}

// listener starts a p2p server on loopback whose only protocol reports its connections to v.
func listener(t *testing.T, key *ecdsa.PrivateKey, maxPeers int, v *Peers) *p2p.Server {
	t.Helper()
	srv := &p2p.Server{Config: p2p.Config{
		Name: "test", PrivateKey: key, MaxPeers: maxPeers, ListenAddr: "127.0.0.1:0", NoDiscovery: true,
		Protocols: []p2p.Protocol{{Name: "any", Version: 1, Length: 1, Run: func(p *p2p.Peer, rw p2p.MsgReadWriter) error {
			ses := v.sessions.Join(p)
			defer v.sessions.Leave(ses)
			ses.Shook(new(protocol.Peer))
			v.Met(ses)
			_, err := rw.ReadMsg()
			return err
		}}},
	}}
	v.server = Server{srv}
	srv.Reserve(v.Reserves)
	must.Do(t, srv.Start())
	t.Cleanup(srv.Stop)
	return srv
}

// awaitPeer waits until the node with this key is a peer.
func awaitPeer(t *testing.T, v *Peers, key *ecdsa.PrivateKey) {
	t.Helper()
	deadline := time.Now().Add(sessiontest.Patience)
	for ; !v.sessions.Present()[addressOfKey(key)]; time.Sleep(5 * time.Millisecond) {
		must.That(t, !time.Now().After(deadline), "the validator is not connected")
	}
}

// Two validators with full peer tables and dial slots connect over real connections. The dialing one knows the
// other's address after a restart; the dialed one does not store the source port.
func TestValidatorsFindRoom(t *testing.T) {
	dir := t.TempDir()
	keys := []*ecdsa.PrivateKey{testKey(t), testKey(t)}
	set := setOf(keys...)
	var peers []*Peers
	var servers []*p2p.Server
	for i, key := range keys {
		v := New(addressOfKey(key), big.NewInt(8283), nil, session.NewSessions(), filepath.Join(dir, string(rune('a'+i))),
			nil, nil)
		v.sessions.Changed = v.Nudge
		peers, servers = append(peers, v), append(servers, listener(t, key, 1, v))

		crowd := New(common.Address{}, big.NewInt(8283), nil, session.NewSessions(), "", nil, nil)
		filler := testKey(t)
		must.Do(t, servers[i].DialReserved(t.Context(), listener(t, filler, 5, crowd).Self()))
		awaitPeer(t, v, filler)
		v.Follow(genesisHeader, set)
	}
	peers[0].keys[addressOfKey(keys[1])] = &keys[1].PublicKey
	peers[0].server = found{Server{servers[0]}, servers[1].Self()}
	for _, v := range peers {
		sessiontest.Running(t, v.Run)
	}
	awaitPeer(t, peers[0], keys[1])
	awaitPeer(t, peers[1], keys[0])
	for deadline := time.Now().Add(sessiontest.Patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(peers[0].file.path); err == nil {
			break
		}
	}
	again := New(addressOfKey(keys[0]), big.NewInt(8283), nil, session.NewSessions(), peers[0].file.path, nil, nil)
	if n := again.nodes[addressOfKey(keys[1])]; n == nil || n.TCP() != servers[1].Self().TCP() {
		t.Errorf("after a restart the validator is known as %v, want port %d", n, servers[1].Self().TCP())
	}
	n := peers[1].nodes[addressOfKey(keys[0])]
	expect.That(t, n == nil, "an inbound connection is remembered as %v", n)
}

// found is a server whose discovery knows one node.
type found struct {
	Server
	node *enode.Node
}

func (f found) Resolve(context.Context, *enode.Node) *enode.Node { return f.node }

// An invalid file is logged and replaced, and the node starts.
func TestNodeFile(t *testing.T) {
	keys := []*ecdsa.PrivateKey{testKey(t), testKey(t)}
	path := filepath.Join(t.TempDir(), FileName)
	f := &nodeFile{path}
	if nodes, err := f.read(); err != nil || len(nodes) != 0 {
		t.Errorf("no file: %d nodes, error %v", len(nodes), err)
	}
	nodes := map[common.Address]*enode.Node{}
	for i, key := range keys {
		nodes[addressOfKey(key)] = nodeAt(key, 100+i)
	}
	must.Do(t, f.write(nodes, func(enode.ID) bool { return true }))
	got, err := f.read()
	must.That(t, err == nil && len(got) == len(nodes), "%d nodes, error %v, want %d", len(got), err, len(nodes))
	for _, n := range got {
		want := nodes[session.AddressOf(n.ID())]
		expect.That(t, want != nil && want.URLv4() == n.URLv4(), "read %v", n)
	}
	left, err := filepath.Glob(path + "?*")
	expect.That(t, err == nil && len(left) == 0, "left beside the file: %v, error %v", left, err)
	for name, content := range map[string]string{
		"no JSON": "enode://", "no list": `{"a":1}`, "no URL": `["abc"]`,
	} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, os.WriteFile(path, []byte(content), 0o600))
			expect.Refused(t, expect.Err(f.read()), "%s: accepted", name)
			v, _ := newTestPeers(t, keys[0], path, []*enode.Node{nodeAt(keys[1], 5)}, nil)
			expect.That(t, len(v.nodes) == 1, "%s: %d nodes known, want the static one", name, len(v.nodes))
		})
	}
}

// The file is bounded; validators of the current set stay when it is full.
func TestNodeFileIsBounded(t *testing.T) {
	f := &nodeFile{filepath.Join(t.TempDir(), FileName)}
	nodes := make(map[common.Address]*enode.Node)
	for i := range maxKnownNodes + 50 {
		n := nodeAt(testKey(t), i+1)
		nodes[session.AddressOf(n.ID())] = n
	}
	current := make(map[enode.ID]bool)
	for _, n := range nodes {
		if len(current) < 20 {
			current[n.ID()] = true
		}
	}
	must.Do(t, f.write(nodes, func(id enode.ID) bool { return current[id] }))
	got, err := f.read()
	must.That(t, err == nil && len(got) == maxKnownNodes && len(nodes) == maxKnownNodes,
		"%d nodes in the file, %d in memory, error %v, want %d", len(got), len(nodes), err, maxKnownNodes)
	for _, n := range got {
		delete(current, n.ID())
	}
	expect.Equal(t, len(current), 0, "validators are lost")
}
