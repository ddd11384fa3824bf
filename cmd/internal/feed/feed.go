// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package feed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/mattn/go-isatty"

	"gwon/dev/inspect"
	"gwon/internal/process"
	"gwon/operator/governance"
)

// feedPause is the time after which a feed looks for a node again.
const feedPause = time.Second

// Feed prints blocks and transactions of a development network.
type Feed struct {
	Dial   func(context.Context) (*gethrpc.Client, error) // connects to a node that runs
	Book   *inspect.Book
	Traces bool
	Out    *os.File
}

// Run prints until ctx ends. A connection that ends is made again, to another node where there is one.
func (f *Feed) Run(ctx context.Context) {
	terminal := isatty.IsTerminal(f.Out.Fd())
	printer := &inspect.Feed{
		Out: f.Out, Traces: f.Traces, Color: terminal && os.Getenv("NO_COLOR") == "", Rewrite: terminal,
	}
	for ctx.Err() == nil {
		if client, err := f.Dial(ctx); err == nil {
			printer.Inspector = inspect.New(client, f.Book)
			printer.Inspector.Explain = governance.Explain
			_ = printer.Run(ctx, client) // the node is gone, which is printed elsewhere
			client.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(feedPause):
		}
	}
}

// ReadKeys calls an action for each key of the terminal that has one, until there are no more. Enter is the key '\n'.
// restore gives the terminal back its lines. Nothing is read from an input that is no terminal.
func ReadKeys(actions map[byte]func() error) (restore func()) {
	if !isatty.IsTerminal(os.Stdin.Fd()) {
		return func() {}
	}
	process.IgnoreTerminalStops()
	restore = process.SingleKeys(int(os.Stdin.Fd()))
	go followKeys(os.Stdin, actions)
	return restore
}

func followKeys(input io.Reader, actions map[byte]func() error) {
	for key := make([]byte, 1); ; {
		if _, err := input.Read(key); err != nil {
			return
		}
		act, ok := actions[bytes.ToLower(key)[0]]
		if !ok {
			continue
		}
		if err := act(); err != nil {
			fmt.Fprintln(os.Stderr, "gwon-dev:", err)
		}
	}
}
