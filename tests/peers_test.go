// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/must"
)

// withAdmin makes a node show its peers.
var withAdmin = []string{"--http.api", "eth,net,web3,txpool,istanbul,debug,personal,admin"}

// knows makes node i dial the given ones and nobody else.
func (c *cluster) knows(t *testing.T, i int, others ...int) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "[Node.P2P]\nListenAddr = \"127.0.0.1:%d\"\nNoDiscovery = true\n", c.node(i).P2PPort)
	text.WriteString("BootstrapNodes = []\nBootstrapNodesV5 = []\nStaticNodes = [\n")
	for _, other := range others {
		fmt.Fprintf(&text, "  %q,\n", c.node(other).Enode())
	}
	text.WriteString("]\n")
	must.Do(t, os.WriteFile(filepath.Join(c.node(i).Dir, "config.toml"), []byte(text.String()), 0o644))
}

// Validators connected in a line decide blocks although the votes of all four are needed: each passes on what it has
// handled (spec network 3, wbft 4.4). The fifth never runs, so a quorum of five is four (spec wbft 3.2) and rounds
// change as well.
func TestValidatorsInALine(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 5)
	for i := range 4 {
		if i < 3 {
			c.knows(t, i, i+1)
		} else {
			c.knows(t, i)
		}
		c.start(t, i, withAdmin...)
	}
	line := []int{1, 2, 2, 1}
	for i, count := range line {
		c.awaitLinks(t, i, count)
	}
	first := must.Get(c.head(0))(t)
	last := first + 8
	c.sameChain(t, last)
	proposed := make(map[common.Address]bool)
	for n := first + 1; n <= last; n++ {
		proposed[c.block(t, 0, n).Miner] = true
	}
	for i, node := range c.network.Nodes[:4] {
		if !proposed[node.Address] {
			t.Errorf("%s proposed none of the blocks %d to %d", node.Name, first+1, last)
		}
		c.awaitLinks(t, i, line[i])
	}
}

// A validator whose places are taken by somebody else still takes part: the others get in (spec network 11 no. 5).
func TestFullPeerTable(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	const full = 0
	c.knows(t, full)                                          // it dials nobody
	c.start(t, full, append(withAdmin, "--maxpeers", "2")...) // one of them to be dialed
	filler := newOutsider(t, nil)
	c.await(t, "the only inbound place to be taken", func() (bool, string) {
		_, err := filler.dial(t.Context(), c.node(full))
		return err == nil, fmt.Sprint(err)
	})
	for _, i := range []int{1, 2} { // with three of four validators, every one is needed
		c.knows(t, i, 0, 3-i)
		c.start(t, i, withAdmin...)
	}
	for name, p := range c.awaitLinks(t, full, 2) {
		if !p.Network.Inbound || !p.Network.Trusted {
			t.Errorf("%s: inbound %v, trusted %v, want both", name, p.Network.Inbound, p.Network.Trusted)
		}
	}
	c.awaitHead(t, 5, 0, 1, 2)
	if n := filler.server.PeerCount(); n != 1 {
		t.Errorf("the peer that was there first has %d connections, want 1", n)
	}
	stranger := newOutsider(t, nil)
	if _, err := stranger.dial(t.Context(), c.node(full)); err == nil {
		t.Error("somebody who is no validator got in as well")
	}
}

// A validator finds the others again after a restart without being told where they are (spec network 11 no. 5).
func TestValidatorsAreRemembered(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	for i := range c.network.Nodes {
		c.start(t, i, withAdmin...)
	}
	for i := range c.network.Nodes {
		c.awaitLinks(t, i, 3)
	}
	c.awaitHead(t, 3, c.running()...)
	for i := range c.network.Nodes {
		c.stop(t, i)
	}
	for i := range c.network.Nodes {
		c.knows(t, i)
		c.start(t, i, withAdmin...)
	}
	for i := range c.network.Nodes {
		c.awaitLinks(t, i, 3)
	}
	c.sameChain(t, must.Get(c.head(0))(t)+3)
}
