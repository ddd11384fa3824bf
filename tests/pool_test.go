// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/dev/loadtest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// loadOn runs gwon-dev load against node i and returns its report; a lost transaction ends the run with an error.
func (c *cluster) loadOn(t *testing.T, i int, args ...string) (rep loadtest.Report) {
	t.Helper()
	out, stderr, err := runFor(2*patience, programPath("gwon-dev"), t.TempDir(),
		append([]string{"load", "--rpc", c.node(i).HTTP(), "--json", "--quiet", "--settle", "75s"}, args...)...)
	expect.That(t, err == nil, "%v: %s", err, stderr)
	must.Do(t, json.Unmarshal([]byte(out), &rep), out)
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
	expect.That(t, rep.Refused != 0, "nothing was refused: %+v", rep)
	for text := range rep.Errors {
		expect.That(t, strings.HasPrefix(text, "-32005 txpool is full: "), "refused for another reason: %s", text)
	}

	sender := c.network.Accounts[0]
	_, to := emptyAccount(t)
	tip, feeCap := c.fees(t, 0)
	send := func(nonce uint64) (hash common.Hash) {
		c.must(t, 0, &hash, "eth_sendRawTransaction",
			hexutil.Bytes(transfer(t, sender.Key(), nonce, to, big.NewInt(1), tip, feeCap)))
		return hash
	}
	next := get[hexutil.Uint64](t, c, 0, "eth_getTransactionCount", sender.Address, "pending")
	behind := send(uint64(next) + 1)
	var status struct{ Pending, Queued hexutil.Uint64 }
	c.must(t, 0, &status, "txpool_status")
	still := get[hexutil.Uint64](t, c, 0, "eth_getTransactionCount", sender.Address, "pending")
	expect.That(t, status.Queued == 1 && still == next,
		"behind a gap: %d queued, next nonce %d, was %d", status.Queued, still, next)
	for _, hash := range []common.Hash{send(uint64(next)), behind} {
		expect.Equal(t, c.receipt(t, 0, hash).Status, types.ReceiptStatusSuccessful, "receipt status")
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
	expect.Equal(t, rep.Refused, 0, "the follower has room and refuses: %+v", rep.Errors)
}

// gwon-dev load against a real node: every transaction of every kind the network has is accepted, included and
// successful, and the reads beside them are answered. A node that is not there, and a kind that the network does not
// have, are said before anything is signed.
func TestLoad(t *testing.T) {
	c := oneNode(t)
	url := c.node(0).HTTP()
	out, stderr, err := gwonDev(t, t.TempDir(), "load", "--rpc", url, "--kind", "mix", "--rate", "40", "--for", "5s",
		"--senders", "10", "--reads", "40", "--reads.rpc", url,
		"--reads.rpc", strings.Replace(url, "http:", "ws:", 1), "--json")
	must.That(t, err == nil, "%v: %s", err, stderr)
	var rep loadtest.Report
	must.Do(t, json.Unmarshal([]byte(out), &rep), out)
	if rep.Accepted == 0 || rep.Accepted != rep.Included || rep.Lost+rep.Failed+rep.Pending != 0 || rep.Blocks == 0 ||
		rep.Latency.P50 <= 0 {
		t.Errorf("%+v", rep)
	}
	if r := rep.Reads; r == nil || r.Count == 0 || r.Failed != 0 || len(r.Methods) != 20 {
		t.Errorf("reads of ten methods over two transports: %+v", r)
	}
	expect.That(t, len(rep.Nodes) == 1 && rep.Nodes[0].Memory != 0, "the node's process: %+v", rep.Nodes)
	_, stderr, err = gwonDev(t, t.TempDir(), "load", "--rpc", "http://127.0.0.1:1", "--quiet")
	expect.That(t, err != nil && strings.Contains(stderr, "http://127.0.0.1:1"), "no node there: %v %q", err, stderr)
}

// TestSenderHashesSurviveKills kills a node right after it has shown the receipt of a fee-delegated transaction. After
// each start all of them are found by the hashes that their senders know.
// spec: transactions 1.2
func TestSenderHashesSurviveKills(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 1)
	c.awaitHead(t, 1, 0)
	payer := c.network.Accounts[0]
	hashes := make(map[common.Hash]common.Hash) // on the chain, by the sender's
	for range 4 {
		key, _ := emptyAccount(t)
		tip, feeCap := c.fees(t, 0)
		sender := new(types.Transaction)
		must.Do(t, sender.UnmarshalBinary(transfer(t, key, 0, common.Address{0xaa}, new(big.Int), tip, feeCap)))
		tx := must.Get(types.WrapFeeDelegated(sender, payer.Address))(t)
		tx = must.Get(types.SignTx(tx, types.NewFeeDelegateSigner(new(big.Int).SetUint64(chainID)), payer.Key()))(t)
		raw := must.Get(tx.MarshalBinary())(t)
		hash := get[common.Hash](t, c, 0, "eth_sendRawTransaction", hexutil.Bytes(raw))
		c.receipt(t, 0, hash)
		hashes[sender.Hash()] = hash
		c.kill(t, 0)
		c.start(t, 0)
		for senderHash, hash := range hashes {
			c.await(t, "the lookup of "+senderHash.Hex(), func() (bool, string) {
				var byHash, bySender json.RawMessage
				if err := c.call(0, &byHash, "eth_getTransactionReceipt", hash); err != nil {
					return false, err.Error()
				}
				if err := c.call(0, &bySender, "eth_getTransactionReceiptBySenderHash", senderHash); err != nil {
					return false, err.Error()
				}
				return string(byHash) != "null" && bytes.Equal(byHash, bySender), string(byHash) + " and " + string(bySender)
			})
		}
	}
}
