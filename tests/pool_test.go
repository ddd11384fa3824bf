// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/dev/loadtest"
)

// loadOn runs gwon-dev load against node i and returns its report; a lost transaction ends the run with an error.
func (c *cluster) loadOn(t *testing.T, i int, args ...string) (rep loadtest.Report) {
	t.Helper()
	out, stderr, err := runFor(2*patience, programPath("gwon-dev"), t.TempDir(),
		append([]string{"load", "--rpc", c.node(i).HTTP(), "--json", "--quiet", "--settle", "75s"}, args...)...)
	if err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
	if err := json.Unmarshal([]byte(out), &rep); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if rep.Accepted == 0 || rep.Included != rep.Accepted || rep.Lost+rep.Pending+rep.Failed != 0 {
		t.Errorf("%d of %d accepted transactions are in blocks; lost %d, pending %d, failed %d", rep.Included, rep.Accepted,
			rep.Lost, rep.Pending, rep.Failed)
	}
	return rep
}

// A node that is offered several times what its pool holds refuses at submission, says so, and includes all that it
// took. Behind a gap a transaction waits, visibly, for the one that fills it (spec transactions 4.1 row 10, rpc 8.3).
func TestFullPoolRefuses(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 1)
	c.start(t, 0, "--txpool.globalslots", "64", "--txpool.globalqueue", "8", "--txpool.accountslots", "4")
	c.awaitHead(t, 1, 0)
	rep := c.loadOn(t, 0, "--rate", "0", "--count", "800", "--for", "30s", "--senders", "40", "--workers", "64")
	if rep.Refused == 0 {
		t.Errorf("nothing was refused: %+v", rep)
	}
	for text := range rep.Errors {
		if !strings.HasPrefix(text, "-32005 txpool is full: ") {
			t.Errorf("refused for another reason: %s", text)
		}
	}

	sender := c.network.Accounts[0]
	_, to := emptyAccount(t)
	tip, feeCap := c.fees(t, 0)
	send := func(nonce uint64) (hash common.Hash) {
		c.must(t, 0, &hash, "eth_sendRawTransaction",
			hexutil.Bytes(transfer(t, sender.Key(), nonce, to, big.NewInt(1), tip, feeCap)))
		return hash
	}
	var next hexutil.Uint64
	c.must(t, 0, &next, "eth_getTransactionCount", sender.Address, "pending")
	behind := send(uint64(next) + 1)
	var status struct{ Pending, Queued hexutil.Uint64 }
	c.must(t, 0, &status, "txpool_status")
	var still hexutil.Uint64
	c.must(t, 0, &still, "eth_getTransactionCount", sender.Address, "pending")
	if status.Queued != 1 || still != next {
		t.Errorf("behind a gap: %d queued, next nonce %d, was %d", status.Queued, still, next)
	}
	for _, hash := range []common.Hash{send(uint64(next)), behind} {
		if r := c.receipt(t, 0, hash); r.Status != types.ReceiptStatusSuccessful {
			t.Errorf("receipt status %d, want 1", r.Status)
		}
	}
}

// What a node without a vote has accepted gets into blocks although the pools of all validators were full when they
// heard of it: they are told again.
func TestAcceptedReachesFullNetwork(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	for i := range 3 {
		c.start(t, i, "--txpool.globalslots", "150", "--txpool.globalqueue", "8", "--txpool.payerslots", "100")
	}
	c.awaitHead(t, 1, 0)
	c.follow(t, 3, []int{0, 1, 2})
	c.awaitHead(t, 2, 3)
	c.await(t, "the follower has its peers", func() (bool, string) {
		var peers []any
		err := c.call(3, &peers, "admin_peers")
		return err == nil && len(peers) == 3, fmt.Sprint(len(peers), err)
	})
	rep := c.loadOn(t, 3, "--rate", "0", "--count", "600", "--for", "20s", "--senders", "150", "--workers", "128")
	if rep.Refused != 0 {
		t.Errorf("the follower has room and refuses: %+v", rep.Errors)
	}
}
