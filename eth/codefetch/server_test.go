// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/eth/codefetch/fetchtest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Over real connections: a liar, a peer without code, one of another network, and two that have a part each. Boot nodes
// are dialed without discovery too.
func TestFetch(t *testing.T) {
	chain := testnet(t)
	missing, codes := madeUp(4)
	other := chain
	other.NetworkID = 1
	store := openStore(t)
	cfg := Config{P2P: fetchtest.Settings(t), Chain: chain, Missing: missing, Store: store}
	cfg.P2P.StaticNodes = []*enode.Node{
		fetchtest.Start(t, chain.Status(), func([]common.Hash) [][]byte { return [][]byte{[]byte("something else")} }),
		fetchtest.Start(t, chain.Status(), fetchtest.Nothing),
		fetchtest.Start(t, other.Status(), fetchtest.Serving(codes...)),
		fetchtest.Start(t, chain.Status(), fetchtest.Serving(codes[:2]...)),
	}
	cfg.P2P.BootstrapNodes = []*enode.Node{fetchtest.Start(t, chain.Status(), fetchtest.Serving(codes[1:]...))}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	asked := must.Get(Fetch(ctx, cfg))(t)
	expect.That(t, asked >= 2 && asked <= 4, "%d peers asked, want those of the network that came in time", asked)
	expect.Equal(t, stored(t, store, codes), len(codes), "codes stored")
}

// A boot node without code or room leads to other peers by discovery.
func TestFetchFromDiscovered(t *testing.T) {
	chain := testnet(t)
	missing, codes := madeUp(2)
	discovering := func(boot ...*enode.Node) p2p.Config {
		cfg := fetchtest.Settings(t)
		cfg.NoDiscovery, cfg.DiscoveryV4, cfg.BootstrapNodes = false, true, boot
		return cfg
	}
	boot := fetchtest.StartWith(t, discovering(), chain.Status(), fetchtest.Nothing)
	fetchtest.StartWith(t, discovering(boot), chain.Status(), fetchtest.Serving(codes...))
	store := openStore(t)
	asked := must.Get(Fetch(t.Context(), Config{P2P: discovering(boot), Chain: chain, Missing: missing, Store: store,
		Patience: 90 * time.Second}))(t)
	n := stored(t, store, codes)
	expect.That(t, n == 2 && asked >= 1 && asked <= 2, "%d codes stored, %d peers asked", n, asked)
}

// Without a complete source, the available code stays in the store for the next attempt.
func TestFetchInVain(t *testing.T) {
	chain := testnet(t)
	missing, codes := madeUp(2)
	store := openStore(t)
	cfg := Config{P2P: fetchtest.Settings(t), Chain: chain, Missing: missing, Store: store, Patience: 3 * time.Second}
	cfg.P2P.StaticNodes = []*enode.Node{fetchtest.Start(t, chain.Status(), fetchtest.Serving(codes[0]))}
	asked, err := Fetch(t.Context(), cfg)
	expect.That(t, errors.Is(err, ErrNotServed) && asked <= 1, "%d peers asked, %v", asked, err)
	cfg.Missing, cfg.Patience = missing[:1], time.Minute
	expect.Error(t, expect.Err(Fetch(t.Context(), cfg)), nil, "what is there")
	expect.Equal(t, stored(t, store, codes), 1, "codes stored")
}

// A canceled context ends Fetch and frees its port for the node. A port in use is an error.
func TestFetchInterrupted(t *testing.T) {
	missing, _ := madeUp(1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(t, err)
	cfg := Config{P2P: fetchtest.Settings(t), Chain: testnet(t), Missing: missing, Store: openStore(t)}
	cfg.P2P.ListenAddr = listener.Addr().String()
	_, err = Fetch(t.Context(), cfg)
	expect.That(t, err != nil && !errors.Is(err, ErrNotServed), "taken port: %v", err)
	must.Do(t, listener.Close())
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cfg.P2P.StaticNodes = []*enode.Node{fetchtest.Start(t, cfg.Chain.Status(), func([]common.Hash) [][]byte {
		cancel()
		return nil
	})}
	n, err := Fetch(ctx, cfg)
	expect.That(t, errors.Is(err, context.Canceled) && n == 1, "%d peers asked, %v", n, err)
	listener, err = net.Listen("tcp", cfg.P2P.ListenAddr)
	must.Do(t, err, "the port is still taken:")
	must.Do(t, listener.Close())
}
