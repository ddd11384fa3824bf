// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"fmt"
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

	"gwon/pay/notify"
)

// startNotifier runs gwon-pay notify with a configuration until the end of the test. The function kills it and starts
// it again.
func startNotifier(t *testing.T, config string) (kill func()) {
	t.Helper()
	directory := workDir(t)
	for name, text := range map[string]string{"secret": "0123456789abcdef", "notify.toml": config} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := func() *exec.Cmd {
		child := exec.CommandContext(t.Context(), programPath("gwon-pay"), "notify", "--config",
			filepath.Join(directory, "notify.toml"))
		child.Env = environment(directory)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
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
// (docs/develop/notify.md).
func TestNotify(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 1)
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
		"\"secret\"\naddresses = [%q]\nstart = \"0\"\n", c.node(0).HTTP(), receiver.URL, shop.Hex())
	killNotifier := startNotifier(t, config)

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
