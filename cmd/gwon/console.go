// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/console"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
)

var consoleCommand = &cli.Command{
	Name:   "console",
	Usage:  "Start a node with a JavaScript console",
	Flags:  slices.Concat(settings.NodeFlags(), settings.ConsoleFlags),
	Action: runConsole,
}

var attachCommand = &cli.Command{
	Name:      "attach",
	Usage:     "Open a JavaScript console on a running node",
	ArgsUsage: "[IPC path or URL]",
	Flags: slices.Concat([]cli.Flag{settings.DataDirFlag, utils.HttpHeaderFlag}, settings.NetworkFlags,
		settings.ConsoleFlags),
	Action: attachConsole,
}

func runConsole(ctx *cli.Context) (err error) {
	running, err := startNode(ctx, true)
	if errors.Is(err, program.ErrInterrupted) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Close()) }()
	return serveConsole(ctx, running.Stack.Attach(), running.Stack.DataDir(), running.Stack.Wait)
}

func attachConsole(ctx *cli.Context) error {
	if ctx.NArg() > 1 {
		return errors.New("attach takes one endpoint")
	}
	cfg, err := attach.NodeConfig(ctx)
	if err != nil {
		return err
	}
	endpoint := ctx.Args().First()
	if endpoint == "" {
		endpoint = cfg.IPCEndpoint()
	}
	client, err := attach.Dial(ctx, cfg, endpoint)
	if err != nil {
		return attach.ExplainDial("gwon attach", cfg, endpoint, err)
	}
	defer client.Close()
	return serveConsole(ctx, client, cfg.DataDir, nil)
}

// serveConsole runs the console until it is left, or until closed returns, which may be nil. dataDir keeps its history.
func serveConsole(ctx *cli.Context, client *gethrpc.Client, dataDir string, closed func()) error {
	out := &switchable{Writer: ctx.App.Writer}
	js, err := console.New(console.Config{
		Printer: out,
		DataDir: dataDir,
		DocRoot: ctx.String(utils.JSpathFlag.Name),
		Client:  client,
		Preload: utils.MakeConsolePreloads(ctx),
	})
	if err != nil {
		return fmt.Errorf("start console: %w", err)
	}
	if script := ctx.String(utils.ExecFlag.Name); script != "" {
		err := evaluate(js, out, script)
		return errors.Join(err, js.Stop(false))
	}
	if closed != nil {
		go func() {
			closed()
			js.StopInteractive()
		}()
	}
	greet(ctx.App.Writer, client)
	js.Interactive()
	return js.Stop(false)
}

// switchable is a writer that can be pointed elsewhere.
type switchable struct{ io.Writer }

var errScript = errors.New("the script ended with the error above")

// evaluate runs a script, which prints its value or its error, and reports whether it came to its end: the console
// itself does not tell.
func evaluate(js *console.Console, out *switchable, script string) error {
	quoted, err := json.Marshal(script)
	if err != nil {
		return err
	}
	const failed = "gwonScriptFailed"
	js.Evaluate(fmt.Sprintf("var %[1]s = true; var gwonScriptValue = (0, eval)(%[2]s); %[1]s = false; gwonScriptValue",
		failed, quoted))
	before, answer := out.Writer, new(bytes.Buffer)
	out.Writer = answer
	js.Evaluate(failed)
	out.Writer = before
	if !strings.Contains(answer.String(), "false") {
		return errScript
	}
	return nil
}
