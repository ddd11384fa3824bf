// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package transactions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/feed"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/remotechain"
	"gwon/cmd/internal/remotegenesis"
	"gwon/consensus/finality/remotestate"
	"gwon/dev/inspect"
	"gwon/dev/light"
	"gwon/internal/txobject"
	"gwon/internal/wellknown"
	"gwon/operator/governance"
	"gwon/pay/txsign"
)

// txTimeout bounds what a node is asked about one transaction.
const txTimeout = time.Minute

// txDecodeCommands are the commands of gwon-dev tx that look at transactions and change nothing.
func txDecodeCommands() []*cli.Command {
	flags := []cli.Flag{attach.RPCFlag, feed.ABIFlag, program.JSONFlag}
	provable := slices.Concat(flags, remotechain.Proven.Flags())
	return []*cli.Command{
		{
			Name: "decode", Usage: "Tell in plain words what a transaction does", ArgsUsage: "RAW|HASH", Flags: provable,
			Description: "RAW is a signed transaction in hexadecimal, which no node has to know: without --rpc no node " +
				`is asked. HASH is that of a transaction in a block or in the pool of the node at --rpc. "-" reads RAW or ` +
				"HASH from the standard input.",
			Action: decodeTransaction,
		},
		{
			Name: "trace", Usage: "Show a transaction with the tree of its calls", ArgsUsage: "HASH", Flags: flags,
			Description: "The node at --rpc has to offer the namespace debug.",
			Action:      traceTransaction,
		},
		{
			Name: "simulate", Usage: "Run a transaction on the newest state without sending it", ArgsUsage: "FILE",
			Flags: provable,
			Description: `FILE is a JSON object with the fields of eth_call, as {"from": "0x…", "to": "0x…", "value": ` +
				`"0x1", "data": "0x…"}, or a signed transaction in hexadecimal. "-" reads the standard input. With --proven ` +
				"the transaction runs on this machine, over state that seals and Merkle paths prove.",
			Action: simulateTransaction,
		},
	}
}

// inspection is the work of one of these commands.
type inspection struct {
	ctx       context.Context
	inspector *inspect.Inspector
	end       func()
}

// newInspection connects to the node, unless none is to be asked.
func newInspection(ctx *cli.Context, node bool) (*inspection, error) {
	book, err := feed.LoadBook(ctx)
	if err != nil {
		return nil, err
	}
	for n := 1; n <= wellknown.Funded; n++ {
		for _, prefix := range []string{keys.DevnetPrefix, keys.DevPrefix} {
			name := fmt.Sprintf("%s%d", prefix, n)
			account, err := keys.WellKnownAccount(name)
			if err != nil {
				return nil, err
			}
			book.Name(account.Address, name)
		}
	}
	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	until, cancel := context.WithTimeout(until, txTimeout)
	w := &inspection{ctx: until, end: func() { cancel(); stop() }}
	if !node {
		w.inspector = inspect.New(nil, book)
		return w, nil
	}
	chain, end, err := openChain(ctx, until)
	if err != nil {
		w.end()
		return nil, err
	}
	w.inspector = inspect.New(chain, book)
	before := w.end
	w.end = func() { end(); before() }
	w.inspector.Explain = governance.Explain
	return w, nil
}

// openChain connects to the node of a command: one that is believed, or an endpoint in this process whose answers are
// proven.
func openChain(ctx *cli.Context, until context.Context) (chain *governance.Chain, end func(), err error) {
	url := ctx.String(attach.RPCFlag.Name)
	if !ctx.Bool(remotechain.Proven.Use) {
		if name := remotechain.Proven.Needless(ctx); name != "" {
			return nil, nil, fmt.Errorf("--%s goes with --%s", name, remotechain.Proven.Use)
		}
		chain, err := governance.Open(until, url, nil, governance.DefaultAddresses())
		if err != nil {
			return nil, nil, err
		}
		return chain, chain.Close, nil
	}
	remote, err := remotegenesis.OpenAt(ctx, remotechain.Proven, remotechain.Endpoints(url), remotechain.Proven.Dir(ctx,
		filepath.Join(program.DefaultDataDir(), "light")), remotestate.Options{
		Memory: light.Memory,
	})
	if err != nil {
		return nil, nil, err
	}
	closeReader := func() { _ = remote.Reader.Close() } // what was proven is proven again
	endpoint, err := light.New(light.Options{
		Reader: remote.Reader, Config: remote.Config, Genesis: remote.Header, Version: "gwon-dev", Traces: true,
	})
	if err == nil {
		err = remote.Explain(endpoint.Advance(until))
	}
	if err != nil {
		closeReader()
		return nil, nil, err
	}
	chain, err = governance.Attach(until, endpoint.Client(), remote.URL, governance.DefaultAddresses())
	if err != nil {
		endpoint.Stop()
		closeReader()
		return nil, nil, err
	}
	return chain, func() { chain.Close(); endpoint.Stop(); closeReader() }, nil
}

// oneArgument returns the bytes of the transaction or hash that a command is given: hexadecimal digits, or a file or
// the standard input ("-") with them, or with what tx sign, cosign and send print with --json.
func oneArgument(ctx *cli.Context, what string) ([]byte, error) {
	if ctx.NArg() != 1 {
		return nil, fmt.Errorf("give %s, as in: gwon-dev tx %s %s", what, ctx.Command.Name, ctx.Command.ArgsUsage)
	}
	argument := ctx.Args().First()
	if data, err := parseHex(argument); err == nil {
		return data, nil
	}
	content, err := program.ReadTransaction(argument)
	if err != nil {
		return nil, err
	}
	return parseSigned(content)
}

// parseSigned returns the bytes of a signed transaction, or of a hash.
func parseSigned(content []byte) ([]byte, error) {
	text := strings.TrimSpace(string(content))
	if !strings.HasPrefix(text, "{") {
		return parseHex(text)
	}
	signed, err := txsign.Parse(content)
	if err != nil {
		return nil, err
	}
	return signed.Raw, nil
}

// printTransaction writes a transaction for a person or a program.
func printTransaction(ctx *cli.Context, t *inspect.Transaction) error {
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, t)
	}
	return t.WriteText(ctx.App.Writer)
}

func decodeTransaction(ctx *cli.Context) error {
	data, err := oneArgument(ctx, "a signed transaction or a hash")
	if err != nil {
		return err
	}
	isHash := len(data) == common.HashLength
	w, err := newInspection(ctx, isHash || ctx.IsSet(attach.RPCFlag.Name))
	if err != nil {
		return err
	}
	defer w.end()
	var t *inspect.Transaction
	if isHash {
		t, err = w.byHash(ctx, common.BytesToHash(data), inspect.Options{})
	} else {
		t, err = w.inspector.Raw(w.ctx, data)
	}
	if err != nil {
		return err
	}
	return printTransaction(ctx, t)
}

// byHash asks for a transaction, and says where a node could know it.
func (w *inspection) byHash(ctx *cli.Context, hash common.Hash, o inspect.Options) (*inspect.Transaction, error) {
	t, err := w.inspector.Transaction(w.ctx, hash, o)
	if errors.Is(err, inspect.ErrUnknown) {
		return nil, fmt.Errorf("the node at %s knows no transaction %v: ask a node of its network with --%s, "+
			"or look whether it was sent", ctx.String(attach.RPCFlag.Name), hash, attach.RPCFlag.Name)
	}
	return t, err
}

// parseHex reads hexadecimal text with or without 0x.
func parseHex(text string) ([]byte, error) {
	if !strings.HasPrefix(text, "0x") {
		text = "0x" + text
	}
	data, err := hexutil.Decode(text)
	if err != nil || len(data) == 0 {
		return nil, fmt.Errorf("%.80q is neither a signed transaction nor a hash in hexadecimal", text)
	}
	return data, nil
}

func traceTransaction(ctx *cli.Context) error {
	data, err := oneArgument(ctx, "the hash of a transaction")
	if err != nil {
		return err
	}
	if len(data) != common.HashLength {
		return fmt.Errorf("%.80q is no hash of a transaction: 0x and 64 hexadecimal digits", ctx.Args().First())
	}
	w, err := newInspection(ctx, true)
	if err != nil {
		return err
	}
	defer w.end()
	t, err := w.byHash(ctx, common.BytesToHash(data), inspect.Options{Trace: true})
	if err != nil {
		return err
	}
	return printTransaction(ctx, t)
}

func simulateTransaction(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("name the file with the transaction, as in: gwon-dev tx simulate transaction.json")
	}
	content, err := program.ReadTransaction(ctx.Args().First())
	if err != nil {
		return err
	}
	w, err := newInspection(ctx, true)
	if err != nil {
		return err
	}
	defer w.end()
	object, err := parseObject(content)
	if err != nil {
		return err
	}
	t, err := w.inspector.Simulate(w.ctx, object)
	if err != nil {
		return err
	}
	if err := printTransaction(ctx, t); err != nil || t.Status != inspect.Failed {
		return err
	}
	return errors.New("the transaction would fail")
}

// parseObject reads a transaction object, or makes one of a signed transaction.
func parseObject(content []byte) (*txobject.Object, error) {
	text := strings.TrimSpace(string(content))
	var signed struct{ Raw json.RawMessage }
	if err := json.Unmarshal(content, &signed); strings.HasPrefix(text, "{") && (err != nil || signed.Raw == nil) {
		object, err := txobject.Read([]byte(text), txobject.Simulated)
		if err != nil {
			return nil, fmt.Errorf("the transaction in the file: %w", err)
		}
		return object, nil
	}
	data, err := parseSigned(content)
	if err != nil {
		return nil, fmt.Errorf("neither a JSON object with the fields of eth_call nor a signed transaction: %w", err)
	}
	sender, tx, err := inspect.Decode(data)
	if err != nil {
		return nil, err
	}
	return txobject.ObjectOf(sender, tx), nil
}
