// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/must"
)

// silentNetwork counts what a driver sends.
type silentNetwork struct{ sent atomic.Int64 }

func (n *silentNetwork) Send([]common.Address, uint64, []byte, []common.Address, bool) { n.sent.Add(1) }
func (n *silentNetwork) Relay([]common.Address, uint64, []byte)                        {}
func (n *silentNetwork) Forget([]byte)                                                 {}
func (n *silentNetwork) Drop(common.Address, string)                                   {}
func (n *silentNetwork) Broadcast(*types.Block, []common.Address)                      {}

// gatedBuilder builds empty blocks once it is let.
type gatedBuilder struct {
	t     *testing.T
	net   *wbfttest.Network
	chain *gethcore.BlockChain
	gate  chan struct{}
}

func (b *gatedBuilder) Build(
	ctx context.Context,
	_ *types.Header,
	_ common.Address,
	_ uint64,
) (*gethcore.Executed, error) {
	select {
	case <-b.gate:
		return b.chain.ExecuteProposal(ctx, b.net.Build(b.t, b.chain, 0))
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A validator sends nothing that it could not write down first: it stops and says why (spec wbft 5.10).
func TestVoteThatCannotBeKept(t *testing.T) {
	for _, broken := range []bool{false, true} {
		net := wbfttest.New(t, 1)
		chain, engine := net.Chain(t)
		for _, key := range net.Keys {
			must.Do(t, engine.Authorize(key))
		}
		network, gate := new(silentNetwork), make(chan struct{})
		driver := must.Get(wbft.NewDriver(wbft.DriverConfig{
			Engine: engine, Chain: chain, Network: network, VoteLogDir: t.TempDir(),
			Builder: &gatedBuilder{t, net, chain, gate},
		}))(t)
		must.Do(t, driver.Start())
		if broken {
			must.Do(t, driver.BreakVoteLog())
		}
		heads := make(chan gethcore.ChainHeadEvent, 64)
		sub := chain.SubscribeChainHeadEvent(heads)
		close(gate)
		for deadline := time.Now().Add(time.Minute); driver.Halted() == "" && chain.CurrentBlock().Number.Sign() == 0; {
			if time.Now().After(deadline) {
				t.Fatalf("broken %t: neither a block nor a halt", broken)
			}
			select {
			case <-heads:
			case <-time.After(time.Millisecond):
			}
		}
		sub.Unsubscribe()
		driver.Stop()
		halted, head, sent := driver.Halted(), chain.CurrentBlock().Number.Uint64(), network.sent.Load()
		switch {
		case broken && (head != 0 || sent != 0 ||
			!strings.Contains(halted, "could not be made durable, so they were not sent")):
			t.Errorf("without a vote log: head %d, %d messages sent, halted %q", head, sent, halted)
		case !broken && (head == 0 || sent == 0 || halted != ""):
			t.Errorf("with a vote log: head %d, %d messages sent, halted %q", head, sent, halted)
		}
	}
}
