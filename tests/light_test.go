// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// lightProcess is a running gwon-dev light.
type lightProcess struct {
	url   string
	cmd   *exec.Cmd
	ended chan error
}

var lightURL = regexp.MustCompile(`Endpoint opened.*url=(http://\S+)`)

// startLight starts gwon-dev light on a free port and waits until it has proven a block.
func startLight(t *testing.T, genesis, data string, urls ...string) *lightProcess {
	t.Helper()
	args := strings.Fields(strings.NewReplacer("http://127.0.0.1:8545", strings.Join(urls, ","),
		"~/.gwon/devnet/genesis.json", genesis, "--http.port 11545", "--http.port 0",
	).Replace(devnetCommand(t, "light.md")))
	p := &lightProcess{
		cmd: exec.Command(programPath("gwon-dev"), append(args, "--datadir", data)...), ended: make(chan error, 1),
	}
	p.cmd.Env = environment(filepath.Dir(data))
	stderr := must.Get(p.cmd.StderrPipe())(t)
	must.Do(t, p.cmd.Start())
	started, proven := make(chan string, 1), make(chan struct{}, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			t.Log("light:", lines.Text())
			if m := lightURL.FindStringSubmatch(lines.Text()); m != nil {
				started <- m[1]
			}
			if strings.Contains(lines.Text(), "Newest block proven") {
				select {
				case proven <- struct{}{}:
				default:
				}
			}
		}
		close(started)
		close(proven)
		p.ended <- p.cmd.Wait()
	}()
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			p.stop(t)
		}
	})
	late := time.After(patience)
	for _, step := range []string{"open", "prove a block"} {
		ok := false
		if step == "open" {
			select {
			case p.url, ok = <-started:
			case <-late:
			}
		} else {
			select {
			case _, ok = <-proven:
			case <-late:
			}
		}
		must.That(t, ok, "the endpoint did not %s", step)
	}
	return p
}

func (p *lightProcess) stop(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Kill() // an ended process is no failure of the test
	if err := <-p.ended; err != nil {
		t.Log("light ended:", err)
	}
}

// An endpoint without a chain answers as a node does, byte for byte, from what seals and Merkle paths prove. A
// transaction that is submitted to it comes to the network. What cannot be proven is refused by name.
//
// spec: rpc 5, 6, 7
func TestLightAnswersAsANode(t *testing.T) {
	t.Parallel()
	c := startGoverned(t, 4, func(*devnet.Network, map[string]any) {})
	dir := workDir(t)
	light := startLight(t, filepath.Join(c.network.Dir, "genesis.json"), filepath.Join(dir, "light"),
		"http://127.0.0.1:1", c.node(0).HTTP(), c.node(1).HTTP())
	client := must.Get(ethclient.Dial(light.url))(t)
	defer client.Close()

	// A wallet asks for everything that a transaction needs, and submits it.
	ctx := context.Background()
	sender, payer := c.network.Accounts[1], c.network.Accounts[2]
	_, receiver := emptyAccount(t)
	nonce := must.Get(client.PendingNonceAt(ctx, sender.Address))(t)
	tip, feeCap := c.fees(t, 0)
	if suggested, err := client.SuggestGasTipCap(ctx); err != nil || suggested.Cmp(tip) != 0 {
		t.Errorf("tip %v, %v, want %v", suggested, err, tip)
	}
	send := func(raw hexutil.Bytes) common.Hash {
		t.Helper()
		tx := new(types.Transaction)
		must.Do(t, tx.UnmarshalBinary(raw))
		must.Do(t, client.SendTransaction(ctx, tx))
		return tx.Hash()
	}
	paid := send(transfer(t, sender.Key(), nonce, receiver, big.NewInt(7), tip, feeCap))
	if pending, err := client.PendingNonceAt(ctx, sender.Address); err != nil || pending != nonce+1 {
		t.Errorf("pending nonce %d, %v, want %d", pending, err, nonce+1)
	}
	moved := append(hexutil.MustDecode("0xa9059cbb"), append(common.LeftPadBytes(receiver[:], 32),
		common.LeftPadBytes([]byte{9}, 32)...)...)
	adapter := params.NativeCoinAdapterAddress
	delegated := send(delegate(t, sender.Key(), payer.Key(), types.DynamicFeeTx{
		ChainID: new(big.Int).SetUint64(chainID), Nonce: nonce + 1, GasTipCap: tip, GasFeeCap: feeCap, Gas: 100_000,
		To: &adapter, Value: new(big.Int), Data: moved,
	}))
	receipts := make(map[common.Hash]*types.Receipt)
	for _, hash := range []common.Hash{paid, delegated} {
		c.await(t, fmt.Sprintf("receipt of %v", hash), func() (bool, string) {
			r, err := client.TransactionReceipt(ctx, hash)
			receipts[hash] = r
			return err == nil, fmt.Sprint(err)
		})
	}
	at := receipts[delegated].BlockNumber.Uint64()
	if balance, err := client.BalanceAt(ctx, receiver, nil); err != nil || balance.Int64() != 16 {
		t.Errorf("the receiver has %v, %v, want 16", balance, err)
	}
	c.awaitHead(t, at+2, c.running()...)
	c.await(t, "a newer proven block", func() (bool, string) {
		n, err := client.BlockNumber(ctx)
		return err == nil && n > at, fmt.Sprint(n, err)
	})

	// Blocks are pushed over WebSocket as they are proven.
	live := must.Get(ethclient.Dial("ws" + strings.TrimPrefix(light.url, "http")))(t)
	defer live.Close()
	heads := make(chan *types.Header, 16)
	subscription := must.Get(live.SubscribeNewHead(ctx, heads))(t)
	defer subscription.Unsubscribe()
	select {
	case head := <-heads:
		want := get[*types.Header](t, c, 0, "eth_getBlockByNumber", hexutil.EncodeUint64(head.Number.Uint64()), false)
		expect.That(t, head.Hash() == want.Hash(), "pushed block %v, a node has %v", head.Hash(), want.Hash())
	case <-time.After(patience):
		t.Error("no block was pushed")
	}

	block, hash := hexutil.EncodeUint64(at), receipts[delegated].BlockHash
	call := fmt.Sprintf(`{"from":%q,"to":%q,"data":"0x70a08231%x"}`, sender.Address, adapter,
		common.LeftPadBytes(receiver[:], 32))
	same := [][2]string{
		{"eth_chainId", `[]`}, {"net_version", `[]`}, {"eth_syncing", `[]`}, {"eth_gasPrice", `[]`},
		{"eth_maxPriorityFeePerGas", `[]`},
		{"eth_getBlockByNumber", `["` + block + `",false]`}, {"eth_getBlockByNumber", `["` + block + `",true]`},
		{"eth_getBlockByNumber", `["0x0",true]`}, {"eth_getBlockByNumber", `["0xffffff",true]`},
		{"eth_getBlockByHash", `["` + hash.Hex() + `",true]`}, {"eth_getBlockByHash", `["` + paid.Hex() + `",true]`},
		{"eth_getHeaderByNumber", `["` + block + `"]`}, {"eth_getHeaderByHash", `["` + hash.Hex() + `"]`},
		{"eth_getBlockReceipts", `["` + block + `"]`}, {"eth_getBlockTransactionCountByNumber", `["` + block + `"]`},
		{"eth_getBlockTransactionCountByHash", `["` + hash.Hex() + `"]`},
		{"eth_getTransactionByBlockNumberAndIndex", `["` + block + `","0x0"]`},
		{"eth_getTransactionByBlockHashAndIndex", `["` + hash.Hex() + `","0x0"]`},
		{"eth_getTransactionByHash", `["` + paid.Hex() + `"]`}, {"eth_getTransactionByHash", `["` + delegated.Hex() + `"]`},
		{"eth_getTransactionByHash", `["` + hash.Hex() + `"]`},
		{"eth_getTransactionReceipt", `["` + paid.Hex() + `"]`},
		{"eth_getTransactionReceipt", `["` + delegated.Hex() + `"]`},
		{"eth_getTransactionReceipt", `["` + hash.Hex() + `"]`},
		{"eth_getLogs", `[{"fromBlock":"0x0","toBlock":"` + block + `"}]`},
		{"eth_getLogs", `[{"fromBlock":"0x0","toBlock":"` + block + `","address":"` + adapter.Hex() + `"}]`},
		{"eth_getLogs", `[{"blockHash":"` + hash.Hex() + `","topics":[["` + common.Hash{}.Hex() + `"]]}]`},
		{"eth_getLogs", `[{"blockHash":"` + paid.Hex() + `"}]`}, {"eth_getLogs", `[{"fromBlock":"0xffffff"}]`},
		{"eth_getLogs", `[{"fromBlock":"0x3","toBlock":"0x1"}]`},
		{"eth_getLogs", `[{"fromBlock":"latest","toBlock":"0x1"}]`},
		{"eth_getBalance", `["` + receiver.Hex() + `","` + block + `"]`},
		{"eth_getBalance", `["` + sender.Address.Hex() + `",{"blockHash":"` + hash.Hex() + `"}]`},
		{"eth_getBalance", `["` + receiver.Hex() + `","0xffffff"]`}, {"eth_getBalance", `["0xaa","latest"]`},
		{"eth_getCode", `["` + adapter.Hex() + `","` + block + `"]`},
		{"eth_getStorageAt", `["` + adapter.Hex() + `","0x0","` + block + `"]`},
		{"eth_getTransactionCount", `["` + sender.Address.Hex() + `","` + block + `"]`},
		{"eth_getProof", `["` + adapter.Hex() + `",["0x0","0x1","` + hash.Hex() + `"],"` + block + `"]`},
		{"eth_getProof", `["` + receiver.Hex() + `",["0x0"],"` + block + `"]`},
		{"eth_call", `[` + call + `,"` + block + `"]`}, {"eth_estimateGas", `[` + call + `,"` + block + `"]`},
		{"eth_createAccessList", `[` + call + `,"` + block + `"]`},
		{"eth_call", `[{"data":"0x61beef6000526002601efd"},"` + block + `"]`},
		{"eth_call", `[{"data":"0x600143034060005260206000f3"},"` + block + `"]`}, // a hash of an ancestor
		// The pool is empty, so that the pending state is the latest one at a node too.
		{"eth_getBalance", `["` + receiver.Hex() + `","pending"]`}, {"eth_getCode", `["` + adapter.Hex() + `","pending"]`},
		{"eth_getStorageAt", `["` + adapter.Hex() + `","0x0","pending"]`}, {"eth_call", `[` + call + `,"pending"]`},
		{"eth_estimateGas", `[` + call + `,"pending"]`}, {"eth_createAccessList", `[` + call + `,"pending"]`},
		{"eth_getTransactionCount", `["` + receiver.Hex() + `","pending"]`},
		{"eth_feeHistory", `["0x4","` + block + `",[10,90]]`}, {"eth_feeHistory", `["0x2","` + block + `",[]]`},
		{"eth_sendRawTransaction", `["0x05aabb"]`},
	}
	for _, q := range same {
		t.Run(q[0]+q[1], func(t *testing.T) {
			have, want := post(t, light.url, q[0], q[1]), post(t, c.node(0).HTTP(), q[0], q[1])
			if strings.Contains(string(want.Result), "extraData") && !bytes.Equal(have.Result, want.Result) {
				want = post(t, c.node(1).HTTP(), q[0], q[1]) // nodes have seals of different quorums
			}
			expect.That(t, bytes.Equal(have.Result, want.Result), "result\n%s, a node has\n%s", have.Result, want.Result)
			must.Equal(t, have.Error == nil, want.Error == nil, "error %+v, a node has %+v", have.Error, want.Error)
			if have.Error != nil && (have.Error.Code != want.Error.Code || !bytes.Equal(have.Error.Data, want.Error.Data)) {
				t.Errorf("error %+v, a node has %+v", have.Error, want.Error)
			}
		})
	}
	for _, q := range [][3]string{
		{"txpool_status", `[]`, "what waits in a pool"}, {"eth_subscribe", `["newPendingTransactions"]`, "pool"},
		{"debug_traceTransaction", `["` + paid.Hex() + `"]`, "traces"}, {"trace_block", `["0x1"]`, "traces"},
		{"eth_newPendingTransactionFilter", `[]`, "pool"}, {"eth_simulateV1", `[{}]`, "whole tries"},
		{"eth_getBlockByNumber", `["pending",false]`, "pending"},
		{"eth_getLogs", `[{"fromBlock":"pending"}]`, "pending"}, {"istanbul_status", `[]`, "says about itself"},
		{"eth_nonsense", `[]`, "eth_nonsense is not offered"}, {"eth_sendTransaction", `[{}]`, "no keys"},
		{"eth_feeHistory", `["0x400","latest",[]]`, "at most 128"},
	} {
		answer := post(t, light.url, q[0], q[1])
		expect.That(t, answer.Error != nil && strings.Contains(answer.Error.Message, q[2]),
			"%s%s: %s %+v, want an error with %q", q[0], q[1], answer.Result, answer.Error, q[2])
	}

	// A hostile call ends at the gas cap, and the endpoint goes on.
	spin := post(t, light.url, "eth_call", `[{"data":"0x5b600056"},"latest"]`)
	expect.That(t, spin.Error != nil && strings.Contains(spin.Error.Message, "out of gas"),
		"an endless loop: %s %+v", spin.Result, spin.Error)

	// A node that leaves a log out, or says another balance, is named and left. No other is there: the endpoint ends.
	for _, lie := range []struct{ method, old, new, params, field string }{
		{"eth_getLogs", `"logs":[{`, `"logs":[],"x":[{`, `[{"blockHash":"` + hash.Hex() + `"}]`, "logs"},
		{"eth_getBalance", `"balance":"0x`, `"balance":"0x1`, `["` + receiver.Hex() + `","` + block + `"]`, "balance"},
	} {
		liar := lyingNode(t, c.node(0).HTTP(), lie.old, lie.new)
		deceived := startLight(t, filepath.Join(c.network.Dir, "genesis.json"), filepath.Join(dir, lie.method), liar)
		answer := post(t, deceived.url, lie.method, lie.params)
		expect.That(t, answer.Error != nil && strings.Contains(answer.Error.Message, liar) &&
			strings.Contains(answer.Error.Message, lie.field),
			"%s: %s %+v, want the name of the field", lie.method, answer.Result, answer.Error)
		select {
		case err := <-deceived.ended:
			deceived.ended <- err
			expect.That(t, err != nil, "%s: no error", lie.method)
		case <-time.After(patience):
			t.Errorf("%s: the endpoint goes on without a node", lie.method)
		}
	}
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", light.cmd.Process.Pid)); err == nil {
		t.Log("memory:", regexp.MustCompile(`VmHWM.*|VmRSS.*|RssAnon.*`).FindAllString(string(status), -1))
	}

	// The nodes are gone: what needs them is refused with the reason. One proof is stored for the next start.
	for i := range c.network.Nodes {
		c.stop(t, i)
	}
	gone := post(t, light.url, "eth_getTransactionReceipt", `["`+hash.Hex()+`"]`)
	expect.That(t, gone.Error != nil && strings.Contains(gone.Error.Message, "no endpoint answers"),
		"without nodes: %s %+v", gone.Result, gone.Error)
	files, err := filepath.Glob(filepath.Join(dir, "light", "*", "newest.rlp"))
	must.That(t, err == nil && len(files) == 1, "files of the store: %v, %v", files, err)
}

// A transaction is simulated on this machine over proven state, with its calls and the transfers in them. A node that
// says another balance is named instead of believed.
//
// spec: rpc 5
func TestSimulationIsProven(t *testing.T) {
	t.Parallel()
	c := startGoverned(t, 1, unchanged)
	c.awaitHead(t, 2, 0)
	sender, adapter := c.network.Accounts[1].Address, params.NativeCoinAdapterAddress
	_, receiver := emptyAccount(t)
	dir := workDir(t)
	file := filepath.Join(dir, "call.json")
	moved := append(hexutil.MustDecode("0xa9059cbb"), append(common.LeftPadBytes(receiver[:], 32),
		common.LeftPadBytes([]byte{9}, 32)...)...)
	call := fmt.Sprintf(`{"from":%q,"to":%q,"data":"%#x"}`, sender, adapter, moved)
	must.Do(t, os.WriteFile(file, []byte(call), 0o600))
	simulate := func(url string, flags ...string) (string, error) {
		cmd := exec.Command(programPath("gwon-dev"), append([]string{"tx", "simulate", "--rpc", url, "--json"},
			append(flags, file)...)...)
		cmd.Env = environment(dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		return string(out) + stderr.String(), err
	}
	proven := []string{
		"--proven", "--genesis", filepath.Join(c.network.Dir, "genesis.json"), "--datadir", filepath.Join(dir, "light"),
	}
	have, err := simulate(c.node(0).HTTP(), proven...)
	must.That(t, err == nil, "%v: %s", err, have)
	for _, want := range []string{`"status": "simulated"`, `"function": "transfer"`, strings.ToLower(receiver.Hex())} {
		expect.Contains(t, strings.ToLower(have), strings.ToLower(want), "no %s in %s", want, have)
	}
	liar := lyingNode(t, c.node(0).HTTP(), `"balance":"0x`, `"balance":"0x1`)
	have, err = simulate(liar, proven...)
	expect.That(t, err != nil && strings.Contains(have, liar) && strings.Contains(have, "balance"),
		"%v, want the name of the liar: %s", err, have)
	must.Do(t, os.WriteFile(file, []byte(strings.Replace(call, "cbb0", "cbbf", 1)), 0o600))
	have, err = simulate(c.node(0).HTTP())
	expect.That(t, err != nil && strings.Contains(have, `"status": "failed"`) && strings.Contains(have, "would fail"),
		"a transfer to no address: %v: %s", err, have)
	have, err = simulate(c.node(0).HTTP(), "--genesis", "file")
	expect.That(t, err != nil && strings.Contains(have, "--proven"), "a genesis that is believed: %v: %s", err, have)
}
