// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
)

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// settings are those of a node on loopback that dials nobody by itself.
func settings(t testing.TB) p2p.Config {
	t.Helper()
	return p2p.Config{PrivateKey: newKey(t), MaxPeers: 10, NoDiscovery: true, ListenAddr: "127.0.0.1:0"}
}

// startPeer runs a peer of the chain on loopback that answers each request for code as answer does, and with nothing when
// answer is nil.
func startPeer(t *testing.T, chain Chain, answer func(*snap.GetByteCodesPacket) [][]byte) *enode.Node {
	t.Helper()
	status, _ := chain.status()
	server := &p2p.Server{Config: settings(t)}
	server.Protocols = []p2p.Protocol{
		{Name: "eth", Version: 68, Length: ethLength, Run: func(_ *p2p.Peer, rw p2p.MsgReadWriter) error {
			if err := p2p.Send(rw, eth.StatusMsg, &status); err != nil {
				return err
			}
			for {
				msg, err := rw.ReadMsg()
				if err != nil {
					return err
				}
				if err := msg.Discard(); err != nil {
					return err
				}
			}
		}},
		{Name: "snap", Version: 1, Length: snapLength, Run: func(_ *p2p.Peer, rw p2p.MsgReadWriter) error {
			for {
				msg, err := rw.ReadMsg()
				if err != nil {
					return err
				}
				req := new(snap.GetByteCodesPacket)
				if err := msg.Decode(req); err != nil {
					return err
				}
				var codes [][]byte
				if answer != nil {
					codes = answer(req)
				}
				if err := p2p.Send(rw, snap.ByteCodesMsg, &snap.ByteCodesPacket{ID: req.ID, Codes: codes}); err != nil {
					return err
				}
			}
		}},
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server.Self()
}

// serving answers with the codes that are asked for.
func serving(codes ...[]byte) func(*snap.GetByteCodesPacket) [][]byte {
	return func(req *snap.GetByteCodesPacket) (found [][]byte) {
		for _, code := range codes {
			if slices.Contains(req.Hashes, crypto.Keccak256Hash(code)) {
				found = append(found, code)
			}
		}
		return found
	}
}

// Over real connections: a liar, a peer without code, one of another network, and two that have a part each. Boot nodes
// are dialled without discovery too.
func TestFetch(t *testing.T) {
	chain := testnet(t)
	missing, codes := madeUp(4)
	other := chain
	other.NetworkID = 1
	store := openStore(t)
	cfg := Config{P2P: settings(t), Chain: chain, Missing: missing, Store: store}
	cfg.P2P.StaticNodes = []*enode.Node{
		startPeer(t, chain, func(*snap.GetByteCodesPacket) [][]byte { return [][]byte{[]byte("something else")} }),
		startPeer(t, chain, nil),
		startPeer(t, other, serving(codes...)),
		startPeer(t, chain, serving(codes[:2]...)),
	}
	cfg.P2P.BootstrapNodes = []*enode.Node{startPeer(t, chain, serving(codes[1:]...))}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	asked, err := Fetch(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if asked < 2 || asked > 4 {
		t.Errorf("%d peers asked, want those of the network that came in time", asked)
	}
	if n := stored(t, store, codes); n != len(codes) {
		t.Errorf("%d codes stored, want %d", n, len(codes))
	}
}

// When nobody has everything, what there is stays in the store for the next attempt.
func TestFetchInVain(t *testing.T) {
	chain := testnet(t)
	missing, codes := madeUp(2)
	store := openStore(t)
	cfg := Config{P2P: settings(t), Chain: chain, Missing: missing, Store: store, Patience: 3 * time.Second}
	cfg.P2P.StaticNodes = []*enode.Node{startPeer(t, chain, serving(codes[0]))}
	if asked, err := Fetch(t.Context(), cfg); !errors.Is(err, ErrNotServed) || asked > 1 {
		t.Errorf("%d peers asked, %v", asked, err)
	}
	cfg.Missing, cfg.Patience = missing[:1], time.Minute
	if _, err := Fetch(t.Context(), cfg); err != nil {
		t.Errorf("what is there: %v", err)
	}
	if n := stored(t, store, codes); n != 1 {
		t.Errorf("%d codes stored, want 1", n)
	}
}

// An interruption ends it, and the port is free again for the node; a port that is taken is an error at once.
func TestFetchInterrupted(t *testing.T) {
	missing, _ := madeUp(1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{P2P: settings(t), Chain: testnet(t), Missing: missing, Store: openStore(t)}
	cfg.P2P.ListenAddr = listener.Addr().String()
	if _, err := Fetch(t.Context(), cfg); err == nil || errors.Is(err, ErrNotServed) {
		t.Errorf("taken port: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	cfg.P2P.StaticNodes = []*enode.Node{startPeer(t, cfg.Chain, func(*snap.GetByteCodesPacket) [][]byte {
		close(asked)
		return nil
	})}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	go func() {
		select {
		case <-asked:
		case <-ctx.Done():
		}
		cancel()
	}()
	if n, err := Fetch(ctx, cfg); !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d peers asked, %v", n, err)
	}
	listener, err = net.Listen("tcp", cfg.P2P.ListenAddr)
	if err != nil {
		t.Fatalf("the port is still taken: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
}
