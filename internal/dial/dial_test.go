// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// chain answers eth_getBlockByNumber for block 0 alone.
type chain struct{}

func (chain) GetBlockByNumber(number hexutil.Uint64, _ bool) map[string]any {
	if number > 0 {
		return nil
	}
	return map[string]any{"hash": common.Hash{7}}
}

// A question is answered by the node. The error names a block that the node does not have, and a method that fails.
func TestAsk(t *testing.T) {
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName("eth", chain{}))
	endpoint := httptest.NewServer(server)
	t.Cleanup(endpoint.Close)
	client, err := Node(t.Context(), endpoint.URL)
	must.Do(t, err)
	t.Cleanup(client.Close)
	if b, err := BlockAt(t.Context(), client, 0); err != nil || b.Hash != (common.Hash{7}) {
		t.Errorf("block 0: %v, %v", b, err)
	}
	if _, err := BlockAt(t.Context(), client, 1); err == nil || err.Error() != "the node does not have block 0x1" {
		t.Errorf("block 1: %v", err)
	}
	var answer string
	err = Ask(t.Context(), client, &answer, "net_version")
	if !LacksMethod(err) || Says(err, Known, Used) || !strings.HasPrefix(err.Error(), "net_version: ") {
		t.Errorf("unknown method: %v", err)
	}
	const text = "the method net_version"
	if !Says(err, text, Used) || !Says(err, text[4:]) || !Begins(err, Used, text) || Begins(err, text[4:]) ||
		Begins(errors.New(text), text) {
		t.Errorf("its text: %v", err)
	}
}

// An endpoint without a meaning is named in the error.
func TestNoNode(t *testing.T) {
	expect.Says(t, expect.Err(Node(t.Context(), "gopher://x")), "no node at gopher://x", "Node")
	denied := &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EACCES)}
	expect.Says(t, absent("/data/gwon.ipc", denied), "a node may run at /data/gwon.ipc", "socket of another user")
	expect.Says(t, absent("/data/gwon.ipc", denied), "sudo -u USER", "cure")
}

// A list where one node is wanted is named as one, whatever its URLs have. Other commas are part of a URL.
func TestListOfNodes(t *testing.T) {
	for endpoint, isList := range map[string]bool{
		"http://a:1,http://b:2": true, "http://a, https://b": true, "http://a/path,ws://b": true, "http://a:1,,wss://b": true,
		"http://a/x,y": false, "http://a?x=1,2&y=http://b": false, "/a,b.ipc": false,
	} {
		err := Check(endpoint)
		if (err != nil) != isList || isList && !strings.Contains(err.Error(), "several nodes need --proven") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
