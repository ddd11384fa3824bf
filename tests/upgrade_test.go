// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// earlierBinary names an environment variable with the program to upgrade from (make upgrade-check).
const earlierBinary = "GWON_TEST_EARLIER"

// feed sends transfers of funded accounts to whichever node answers, until it is stopped.
type feed struct {
	stop func()
	done sync.WaitGroup

	mu   sync.Mutex
	sent []common.Hash
	errs []error
}

// startFeed sends transfers of accounts, 20 a second each.
func (c *cluster) startFeed(t *testing.T, accounts ...devnet.Account) *feed {
	t.Helper()
	tip, feeCap := c.fees(t, 0)
	ctx, cancel := context.WithCancel(context.Background())
	f := &feed{stop: cancel}
	t.Cleanup(f.end)
	for _, account := range accounts {
		f.done.Go(func() { f.run(ctx, c, account, tip, feeCap) })
	}
	return f
}

func (f *feed) run(ctx context.Context, c *cluster, from devnet.Account, tip, feeCap *big.Int) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	signer := types.LatestSignerForChainID(big.NewInt(chainID))
	for nonce := uint64(0); ; nonce++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		tx, err := types.SignNewTx(from.Key(), signer, &types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: 60_000,
			To: &common.Address{0x77}, Value: big.NewInt(1),
		})
		if err == nil {
			err = c.submit(ctx, tx)
		}
		if ctx.Err() != nil && err != nil {
			return
		}
		f.mu.Lock()
		f.sent = append(f.sent, tx.Hash())
		if err != nil {
			f.errs = append(f.errs, fmt.Errorf("%v, nonce %d: %w", from.Address, nonce, err))
		}
		f.mu.Unlock()
	}
}

// submit gives a transaction to the first node that answers.
func (c *cluster) submit(ctx context.Context, tx *types.Transaction) (err error) {
	for i := range c.network.Nodes {
		at := (int(tx.Nonce()) + i) % len(c.network.Nodes)
		var client *ethclient.Client
		if client, err = ethclient.DialContext(ctx, c.node(at).HTTP()); err != nil {
			continue
		}
		err = client.SendTransaction(ctx, tx)
		client.Close()
		if err == nil || strings.Contains(err.Error(), "already known") {
			return nil
		}
	}
	return err
}

func (f *feed) end() {
	f.stop()
	f.done.Wait()
}

// check wants every transaction accepted, and its receipt.
func (f *feed) check(t *testing.T, c *cluster) {
	t.Helper()
	for _, err := range f.errs {
		t.Error(err)
	}
	for _, hash := range f.sent {
		c.await(t, "the receipt of "+hash.Hex(), func() (bool, string) {
			var receipt *types.Receipt
			err := c.call(0, &receipt, "eth_getTransactionReceipt", hash)
			return err == nil && receipt != nil && receipt.Status == types.ReceiptStatusSuccessful, fmt.Sprint(receipt, err)
		})
	}
}

// Validators that are upgraded one after the other, and taken back, keep the network going. The longest block interval
// is that of one absent proposer, and every accepted transaction is in a block.
// spec: wbft 9.1; network 10 no. 8
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	earlier := os.Getenv(earlierBinary)
	if earlier == "" {
		t.Skipf("%s names no program: TestChangeOfProgram changes validators one after the other", earlierBinary)
	}
	c := startCluster(t, 4)
	later := c.supervisor
	before := devnet.NewSupervisor(earlier, nil, false, false)
	t.Cleanup(before.Close)
	c.awaitHead(t, 2, 0, 1, 2, 3)
	for i := range c.network.Nodes { // every node begins with the earlier program
		c.restart(t, before, i)
	}
	f := c.startFeed(t, c.network.Accounts[1:]...)
	from := c.nextHead(t, 0)
	c.awaitHead(t, from+8, 0, 1, 2, 3)
	usual := c.longestInterval(t, from, from+8)

	first := c.nextHead(t, 0)
	for _, program := range []*devnet.Supervisor{later, before} {
		for i := range c.network.Nodes {
			c.restart(t, program, i)
		}
	}
	last := c.nextHead(t, 0)
	c.awaitHead(t, last, 0, 1, 2, 3)
	f.end()
	// A proposer that is down costs one request timeout of two seconds.
	limit := max(3*time.Second, usual+2*time.Second)
	longest := c.longestInterval(t, first, last)
	expect.That(t, longest <= limit, "blocks %d to %d: an interval of %v, want at most %v", first, last, longest, limit)
	expect.That(t, len(f.sent) >= 100, "%d transactions were sent", len(f.sent))
	t.Logf("%d blocks, %d transactions, longest interval %v, %v without upgrades", last-first, len(f.sent),
		c.longestInterval(t, first, last), usual)
	f.check(t, c)
	c.judge(t, last, c.running()...)
}

// restart stops node i and starts it with another program. It returns when the node has proposed a block again.
func (c *cluster) restart(t *testing.T, program *devnet.Supervisor, i int) {
	t.Helper()
	c.stop(t, i)
	var err error
	c.processes[c.node(i)], err = program.Start(c.node(i))
	must.Do(t, err)
	c.awaitProposal(t, i, must.Get(c.head((i+1)%len(c.network.Nodes)))(t))
}

// awaitProposal waits until node i has a block above a number that it has proposed.
func (c *cluster) awaitProposal(t *testing.T, i int, above uint64) {
	t.Helper()
	c.await(t, "a block that "+c.node(i).Name+" proposed and has", func() (bool, string) {
		head, err := c.head(i)
		for n := above + 1; err == nil && n <= head; n++ {
			if c.block(t, i, n).Miner == c.node(i).Address {
				return true, ""
			}
		}
		return false, fmt.Sprintf("head %d, error %v", head, err)
	})
}

// nextHead returns the number after the newest block of node i.
func (c *cluster) nextHead(t *testing.T, i int) uint64 {
	t.Helper()
	head := must.Get(c.head(i))(t)
	return head + 1
}

// longestInterval returns the longest time between two neighbors of the blocks from first to last, which node 0 has.
func (c *cluster) longestInterval(t *testing.T, first, last uint64) (longest time.Duration) {
	t.Helper()
	blocks := c.chain(t, 0, last)
	for n := first + 1; n <= last; n++ {
		longest = max(longest, time.Duration(blocks[n].Time-blocks[n-1].Time)*time.Second)
	}
	return longest
}
