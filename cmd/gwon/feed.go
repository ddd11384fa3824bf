// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/governance"
	"gwon/inspect"
	"gwon/internal/process"
)

var (
	quietFlag = &cli.BoolFlag{
		Name:     "quiet",
		Usage:    "Print nothing but errors, on a development network",
		Category: categoryNetwork,
	}
	printTracesFlag = &cli.BoolFlag{
		Name:     "print-traces",
		Usage:    "Print the tree of calls of every transaction of a development network, not just of failed ones",
		Category: categoryNetwork,
	}
)

// feedPause is the time after which a feed looks for a node again.
const feedPause = time.Second

// feed prints blocks and transactions of a development network.
type feed struct {
	dial   func(context.Context) (*gethrpc.Client, error) // connects to a node that runs
	book   *inspect.Book
	traces bool
	out    *os.File
}

// run prints until ctx ends. A connection that ends is made again, to another node where there is one.
func (f *feed) run(ctx context.Context) {
	printer := &inspect.Feed{
		Out: f.out, Traces: f.traces, Color: isatty.IsTerminal(f.out.Fd()) && os.Getenv("NO_COLOR") == "",
	}
	for ctx.Err() == nil {
		if client, err := f.dial(ctx); err == nil {
			printer.Inspector = inspect.New(client, f.book)
			printer.Inspector.Explain = governance.Explain
			_ = printer.Run(ctx, inspect.Client{Client: client}) // the node is gone, which is printed elsewhere
			client.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(feedPause):
		}
	}
}

// readLines calls an action for each line that the terminal gives, by its text, until there is none. Nothing is read from
// an input that is no terminal.
func readLines(actions map[string]func() error) {
	if !isatty.IsTerminal(os.Stdin.Fd()) {
		return
	}
	process.IgnoreTerminalStops()
	go followLines(os.Stdin, actions)
}

func followLines(input io.Reader, actions map[string]func() error) {
	lines := bufio.NewScanner(input)
	for lines.Scan() {
		act, ok := actions[strings.ToLower(strings.TrimSpace(lines.Text()))]
		if !ok {
			continue
		}
		if err := act(); err != nil {
			fmt.Fprintln(os.Stderr, "gwon:", err)
		}
	}
}
