// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package diagnosis

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/dial"
	"gwon/operator/status"
)

// statusWarned is the exit status of gwon status for a node that answers, with warnings.
const statusWarned = 2

// clearScreen moves the cursor of a terminal to its upper left corner and empties it.
const clearScreen = "\x1b[H\x1b[2J"

var (
	statusRPCFlag = &cli.StringFlag{
		Name:  "rpc",
		Usage: "HTTP, WebSocket or IPC endpoint of the node (default = IPC endpoint in the data directory)",
	}
	statusWatchFlag    = &cli.BoolFlag{Name: "watch", Usage: "Show the status again and again until Ctrl-C"}
	statusIntervalFlag = &cli.DurationFlag{
		Name:  "interval",
		Usage: "Time between two looks of --watch",
		Value: 2 * time.Second,
	}
)

// StatusCommand shows how a node that runs is.
var StatusCommand = &cli.Command{
	Name:  "status",
	Usage: "Show a running node on one screen: head, seals, peers, sync, pool, disk, warnings",
	Description: "Exit status: 0 if all is well, 2 if there are warnings, 1 if the node does not answer. With " +
		"--json and --watch each line is an object of its own. A node with --rpc.profile public tells less over HTTP " +
		"than over IPC.",
	Flags: append([]cli.Flag{
		settings.DataDirFlag, statusRPCFlag, utils.HttpHeaderFlag, program.JSONFlag, statusWatchFlag, statusIntervalFlag,
	}, settings.NetworkFlags...),
	Action: showStatus,
}

func showStatus(ctx *cli.Context) error {
	interval := ctx.Duration(statusIntervalFlag.Name)
	if interval < 100*time.Millisecond {
		return fmt.Errorf("--%s %v is too short: give 100ms or more", statusIntervalFlag.Name, interval)
	}
	cfg, err := attach.NodeConfig(ctx)
	if err != nil {
		return err
	}
	endpoint := ctx.String(statusRPCFlag.Name)
	if endpoint == "" {
		endpoint = cfg.IPCEndpoint()
	}
	client, err := attach.Dial(ctx, cfg, endpoint)
	if err != nil {
		return attach.ExplainDial("gwon status --rpc", cfg, endpoint, err)
	}
	defer client.Close()
	node := status.Node{
		Client: client, Endpoint: dial.Shown(endpoint), Local: !strings.Contains(endpoint, "://"), Free: utils.FreeDiskSpace,
	}
	if !ctx.Bool(statusWatchFlag.Name) {
		report, err := status.Collect(ctx.Context, node)
		if err != nil {
			return fmt.Errorf("ask the node at %s: %w", node.Endpoint, err)
		}
		return errors.Join(writeStatus(ctx, report), warned(report))
	}
	return watchStatus(ctx, node, interval)
}

// watchStatus shows the status until a signal. A node that is away for a while ends nothing: HTTP and IPC connect
// again.
func watchStatus(ctx *cli.Context, node status.Node, interval time.Duration) error {
	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	out, isFile := ctx.App.Writer.(*os.File)
	screen := isFile && isatty.IsTerminal(out.Fd()) && !ctx.Bool(program.JSONFlag.Name)
	ticker := time.Tick(interval)
	for {
		report, err := status.Collect(until, node)
		if until.Err() != nil {
			return nil
		}
		if screen {
			fmt.Fprint(out, clearScreen)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "No answer from %s: %v\n", node.Endpoint, err)
		} else if err := writeStatus(ctx, report); err != nil {
			return err
		}
		select {
		case <-ticker:
		case <-until.Done():
			return nil
		}
	}
}

func writeStatus(ctx *cli.Context, report *status.Report) error {
	if ctx.Bool(program.JSONFlag.Name) {
		return json.NewEncoder(ctx.App.Writer).Encode(report)
	}
	if ctx.Bool(statusWatchFlag.Name) {
		defer io.WriteString(ctx.App.Writer, "\n") //nolint:errcheck // a terminal that is gone
	}
	return report.WriteText(ctx.App.Writer)
}

// warned is the error of a report with warnings, which gives the command its exit status. The report says the rest.
func warned(report *status.Report) error {
	if len(report.Warnings) == 0 {
		return nil
	}
	return program.WithStatus(program.ErrShown, statusWarned)
}
