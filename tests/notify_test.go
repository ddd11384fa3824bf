// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/must"
	"gwon/pay/notify"
)

// startNotifier runs gwon-pay notify with a configuration until the end of the test. The function kills it and starts
// it again.
func startNotifier(t testing.TB, config string, flags ...string) (kill func()) {
	t.Helper()
	directory := workDir(t)
	for name, text := range map[string]string{"secret": "0123456789abcdef", "notify.toml": config} {
		must.Do(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600))
	}
	start := func() *exec.Cmd {
		args := append([]string{"notify", "--config", filepath.Join(directory, "notify.toml")}, flags...)
		child := exec.CommandContext(t.Context(), programPath("gwon-pay"), args...)
		child.Env = environment(directory)
		must.Do(t, child.Start())
		return child
	}
	end := func(child *exec.Cmd) {
		_ = child.Process.Kill()
		_ = child.Wait() // it was killed
	}
	child := start()
	t.Cleanup(func() { end(child) })
	return func() {
		end(child)
		child = start()
	}
}

// Every payment reaches a webhook in the order of the chain while notifier and node are killed in turns
// (docs/develop/notify.md), also where a node says another amount of one of them, which the proof shows: the next node
// is asked.
//
// spec: wbft 7.1, 7.5
func TestNotifyProven(t *testing.T) {
	t.Parallel()
	c := startGoverned(t, 1, unchanged)
	data := func(value int64) string { return fmt.Sprintf(`"data":"%v"`, common.BigToHash(big.NewInt(value))) }
	liar := lyingNode(t, c.node(0).HTTP(), data(3), data(1_000_000))
	nodes := liar + "," + c.node(0).HTTP()
	c.awaitHead(t, 1, 0)
	_, shop := emptyAccount(t)
	var mu sync.Mutex
	var values []string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var d notify.Delivery
		if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
			return // the notifier was killed
		}
		mu.Lock()
		defer mu.Unlock()
		for _, transfer := range d.Transfers {
			if !slices.Contains(values, transfer.Value) {
				values = append(values, transfer.Value)
			}
		}
	}))
	t.Cleanup(receiver.Close)

	config := fmt.Sprintf("node = %q\nstate = \"state\"\n[[webhook]]\nlabel = \"shop\"\nurl = %q\nsecret_file = "+
		"\"secret\"\naddresses = [%q]\nstart = \"0\"\n", nodes, receiver.URL, shop.Hex())
	killNotifier := startNotifier(t, config, "--proven", "--genesis", filepath.Join(c.network.Dir, "genesis.json"),
		"--checkpoint", fmt.Sprintf("0:%v", c.block(t, 0, hexutil.Uint64(0)).Hash))

	const payments = 6
	var want []string
	for nonce := range uint64(payments) {
		tip, feeCap := c.fees(t, 0)
		value := new(big.Int).SetUint64(nonce + 1)
		raw := transfer(t, c.network.Accounts[1].Key(), nonce, shop, value, tip, feeCap)
		var hash common.Hash
		c.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
		c.receipt(t, 0, hash)
		want = append(want, value.String())
		switch nonce {
		case 1:
			killNotifier()
		case 3:
			c.kill(t, 0)
			c.start(t, 0)
			c.awaitHead(t, 1, 0)
		}
	}
	c.await(t, "all payments to be delivered", func() (bool, string) {
		mu.Lock()
		defer mu.Unlock()
		return len(values) == len(want), fmt.Sprint(values)
	})
	if !slices.Equal(values, want) {
		t.Errorf("values %v, want %v", values, want)
	}
}

// lyingNode returns the URL of a node in whose answers a text stands for another.
func lyingNode(t *testing.T, url, honest, lie string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := http.Post(url, "application/json", r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.ReplaceAll(text, []byte(honest), []byte(lie)))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
