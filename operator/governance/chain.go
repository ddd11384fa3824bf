// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
	"gwon/params"
)

// atOnce is the number of concurrent requests to a node.
const atOnce = 8

// Chain is a node and the block that all values are read from.
type Chain struct {
	Endpoint  string
	ID        *big.Int
	Block     uint64
	Time      uint64 // of the block, in seconds
	Addresses Addresses

	baseFee  *big.Int
	gasLimit uint64 // of the block
	rpc      *rpc.Client
	client   *ethclient.Client
}

// Open connects to a node by HTTP, WebSocket or IPC. The parameter want is the expected chain ID, nil for any.
func Open(ctx context.Context, endpoint string, want *big.Int, at Addresses) (*Chain, error) {
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	client, err := dial.Node(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	c := &Chain{Endpoint: dial.Shown(endpoint), Addresses: at, rpc: client, client: ethclient.NewClient(client)}
	if err := c.begin(ctx, want); err != nil {
		client.Close()
		return nil, err
	}
	return c, nil
}

// Network returns the network that the node is on: its name, chain ID and genesis block.
func (c *Chain) Network(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	var genesis dial.Head
	if err := c.rpc.CallContext(ctx, &genesis, "eth_getBlockByNumber", "0x0", false); err != nil {
		return "", endpointError(c.Endpoint, err)
	}
	name := "private network"
	switch id := c.ID.Uint64(); id {
	case params.DevnetChainID:
		name = "devnet"
	case params.DevChainID:
		name = "developer chain"
	default:
		if n, ok := params.NetworkByID(id); ok && n.GenesisHash == genesis.Hash {
			name = "WKRC " + n.Name
		}
	}
	return fmt.Sprintf("%s, chain ID %v, genesis %v", name, c.ID, genesis.Hash), nil
}

// Attach creates a Chain on a connection of the caller. The parameter endpoint names the node in errors.
func Attach(ctx context.Context, client *rpc.Client, endpoint string, at Addresses) (*Chain, error) {
	c := &Chain{Endpoint: endpoint, Addresses: at, rpc: client, client: ethclient.NewClient(client)}
	if err := c.begin(ctx, nil); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Chain) begin(ctx context.Context, want *big.Int) (err error) {
	if c.ID, err = c.client.ChainID(ctx); err != nil {
		return endpointError(c.Endpoint, err)
	}
	if want != nil && want.Cmp(c.ID) != 0 {
		return fmt.Errorf("the node at %s is on %s, not on %s: give another --rpc, or the --chainid that is meant",
			c.Endpoint, chainName(c.ID), chainName(want))
	}
	return c.refresh(ctx)
}

// refresh moves to the newest block.
func (c *Chain) refresh(ctx context.Context) error {
	head, err := c.client.HeaderByNumber(ctx, nil)
	if err != nil {
		return endpointError(c.Endpoint, err)
	}
	if head.BaseFee == nil {
		return fmt.Errorf("%s at %s has no base fee: it is no WKRC network", chainName(c.ID), c.Endpoint)
	}
	c.Block, c.Time, c.baseFee, c.gasLimit = head.Number.Uint64(), head.Time, head.BaseFee, head.GasLimit
	return nil
}

// endpointFault is a connection error with a text for a person.
type endpointFault struct {
	text string
	err  error
}

func (e *endpointFault) Error() string { return e.text }
func (e *endpointFault) Unwrap() error { return e.err }

// endpointError describes why no node answers at an endpoint. Unknown responses are shown only in part.
func endpointError(endpoint string, err error) error {
	var (
		status    rpc.HTTPError
		answered  rpc.Error
		syntax    *json.SyntaxError
		shape     *json.UnmarshalTypeError
		operation *net.OpError
		address   *url.Error
	)
	why := ""
	switch {
	case errors.As(err, &status):
		why = "answers with HTTP status " + strconv.Itoa(status.StatusCode)
	case errors.As(err, &answered):
		why = fmt.Sprintf("answers with the error %d, %q", answered.ErrorCode(), answered.Error())
	case errors.As(err, &syntax), errors.As(err, &shape), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		why = "answers what no node does"
	case errors.Is(err, context.DeadlineExceeded):
		why = "does not answer in time"
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &operation):
		why = "cannot be reached: " + operation.Err.Error()
	case errors.As(err, &address):
		why = "cannot be reached: " + address.Err.Error()
	default:
		why = "cannot be reached: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return &endpointFault{fmt.Sprintf("%s %s: does a node run there? give --rpc http://HOST:PORT", endpoint, why), err}
}

// Close ends the connection.
func (c *Chain) Close() { c.rpc.Close() }

// CallContext sends a JSON-RPC request to the node.
func (c *Chain) CallContext(ctx context.Context, result any, method string, args ...any) error {
	return c.rpc.CallContext(ctx, result, method, args...)
}

// chainName returns a chain ID with the name of its public network.
func chainName(id *big.Int) string {
	if n, ok := params.NetworkByID(id.Uint64()); ok && id.IsUint64() {
		return fmt.Sprintf("chain %v (WKRC %s, or a development network with its ID)", id, n.Name)
	}
	return fmt.Sprintf("chain %v", id)
}

// view runs a view function of a contract and decodes its result.
func view[T any](ctx context.Context, c *Chain, k Contract, input []byte, unpack func([]byte) (T, error)) (T, error) {
	to := c.Addresses.of(k)
	out, err := c.client.CallContract(ctx, ethereum.CallMsg{To: &to, Data: input}, new(big.Int).SetUint64(c.Block))
	if err != nil {
		return *new(T), fmt.Errorf("ask %s: %w", k.title, sentence(k, err))
	}
	return unpacked(k, c.Addresses.of(k), out, unpack)
}

func unpacked[T any](k Contract, at common.Address, out []byte, unpack func([]byte) (T, error)) (T, error) {
	value, err := unpack(out)
	if err != nil {
		return value, fmt.Errorf("%s at %v answers what it should not (%d bytes): %w", k.title, at, len(out), err)
	}
	return value, nil
}

// hasCode reports whether a contract has code.
func (c *Chain) hasCode(ctx context.Context, k Contract) (bool, error) {
	code, err := c.client.CodeAt(ctx, c.Addresses.of(k), new(big.Int).SetUint64(c.Block))
	if err != nil {
		return false, fmt.Errorf("ask %s for the code of %s: %w", c.Endpoint, k.title, err)
	}
	return len(code) > 0, nil
}

func (c *Chain) needCode(ctx context.Context, k Contract) error {
	ok, err := c.hasCode(ctx, k)
	if err == nil && !ok {
		err = fmt.Errorf("there is no code at %s, %v, on %s: nothing can be governed there (a network with its contracts "+
			"elsewhere needs --at %s=ADDRESS)",
			k.title, c.Addresses.of(k), chainName(c.ID), k.Name)
	}
	return err
}

// dryRun executes a message on the pending state, or on the newest state if the node has no pending one.
func (c *Chain) dryRun(ctx context.Context, msg ethereum.CallMsg) (out []byte, gas uint64, err error) {
	call := map[string]any{"from": msg.From, "to": msg.To, "input": hexutil.Bytes(msg.Data),
		"value": (*hexutil.Big)(msg.Value)}
	for _, tag := range []string{"pending", "latest"} {
		var answer hexutil.Bytes
		err = c.rpc.CallContext(ctx, &answer, "eth_call", call, tag)
		if err == nil {
			var estimate hexutil.Uint64
			err = c.rpc.CallContext(ctx, &estimate, "eth_estimateGas", call, tag)
			out, gas = answer, uint64(estimate)
		}
		if !dial.Says(err, dial.Unavailable) {
			return out, gas, err
		}
	}
	return nil, 0, err
}
