// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package payments

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/remotechain"
	"gwon/consensus/finality/remotestate"
	"gwon/internal/dial"
	"gwon/pay/notify"
)

var notifyConfigFlag = &cli.PathFlag{Name: "config", Usage: "TOML file of node and webhooks"}

// NotifyCommand delivers transfers to webhooks.
var NotifyCommand = &cli.Command{
	Name:  "notify",
	Usage: "Deliver transfers of watched addresses to webhooks",
	Description: "Follows a node of the network and posts each transfer of the watched addresses to a webhook: " +
		"signed, in the order of the chain, at least once, with an ID that stays the same. Restarts and failures of " +
		"node, receiver or this process lose none. With --proven, transfers are proven by seals of validators and Merkle " +
		"paths, and the nodes need not be trusted. docs/develop/notify.md has the file, the request and a receiver.",
	Flags:  append([]cli.Flag{notifyConfigFlag}, remotechain.Proven.Flags()...),
	Action: runNotify,
	Subcommands: []*cli.Command{
		{
			Name:      "check",
			Usage:     "Check a configuration file and the secrets that it names",
			ArgsUsage: "FILE",
			Flags:     []cli.Flag{program.JSONFlag},
			Action:    checkNotify,
		},
		{
			Name:  "letters",
			Usage: "List notifications that a receiver has refused for good, and send them again or remove them",
			Flags: []cli.Flag{notifyConfigFlag, letterFlag, sendFlag, toFlag, removeFlag, program.JSONFlag},
			Description: "A notification that a receiver refuses for good is set aside, so that those behind it do not " +
				"wait. The list has its webhook, ID, block and log, time and reason. Those of a label that the " +
				"configuration does not have any more follow. The service may run.",
			Action: notifyLetters,
		},
	},
}

// Flags of the letters.
var (
	letterFlag = &cli.StringFlag{Name: "id", Usage: "Only the notification with this ID"}
	sendFlag   = &cli.BoolFlag{Name: "send", Usage: "Send them again; what the receiver takes is removed"}
	toFlag     = &cli.StringFlag{Name: "to", Usage: "With --send, webhook that gets those of a label without a webhook"}
	removeFlag = &cli.BoolFlag{Name: "remove", Usage: "Remove them without sending"}
)

func notifyLetters(ctx *cli.Context) error {
	if ctx.Bool(sendFlag.Name) && ctx.Bool(removeFlag.Name) {
		return fmt.Errorf("--%s and --%s exclude each other: give one", sendFlag.Name, removeFlag.Name)
	}
	if ctx.IsSet(toFlag.Name) && !ctx.Bool(sendFlag.Name) {
		return fmt.Errorf("--%s goes with --%s", toFlag.Name, sendFlag.Name)
	}
	config, err := loadNotify(ctx)
	if err != nil {
		return err
	}
	letters, err := notify.Letters(config)
	if err != nil {
		return err
	}
	if id := ctx.String(letterFlag.Name); ctx.IsSet(letterFlag.Name) {
		letters = slices.DeleteFunc(letters, func(l *notify.Letter) bool { return l.ID() != id })
		if len(letters) == 0 {
			return fmt.Errorf("--%s %.80q: no letter has this ID: gwon-pay notify letters lists them", letterFlag.Name, id)
		}
	}
	var failed []error
	treated := make([]map[string]any, 0, len(letters))
	for _, l := range letters {
		done, err := "set aside", error(nil)
		switch {
		case ctx.Bool(sendFlag.Name):
			if ctx.IsSet(toFlag.Name) {
				err = l.Direct(config, ctx.String(toFlag.Name))
			}
			if done = "sent"; err == nil {
				err = l.Send(ctx.Context)
			}
		case ctx.Bool(removeFlag.Name):
			done, err = "removed", l.Remove()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", l.ID(), err))
			continue
		}
		treated = append(treated, map[string]any{"result": done, "label": l.Label(), "letter": l})
		if !ctx.Bool(program.JSONFlag.Name) { // sending may take long
			fmt.Fprintf(ctx.App.Writer, "%s: %s\n", done, l)
		}
	}
	return errors.Join(append(failed, program.Print(ctx, treated, func() error {
		if len(letters) == 0 {
			fmt.Fprintln(ctx.App.Writer, "no letters are set aside")
		}
		return nil
	}))...)
}

func loadNotify(ctx *cli.Context) (*notify.Config, error) {
	if !ctx.IsSet(notifyConfigFlag.Name) {
		return nil, errors.New("give the configuration: gwon-pay notify --config notify.toml (docs/develop/notify.md has " +
			"one)")
	}
	return notify.LoadConfig(ctx.Path(notifyConfigFlag.Name))
}

func checkNotify(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("give one file: gwon-pay notify check FILE")
	}
	config, err := notify.LoadConfig(ctx.Args().First())
	if err != nil {
		return err
	}
	hooks := make([]map[string]any, 0, len(config.Webhook))
	for _, w := range config.Webhook {
		hooks = append(hooks, map[string]any{
			"label": w.Label, "direction": w.Direction, "addresses": len(w.Addresses), "contracts": len(w.Contracts),
			"events": len(w.Event), "url": dial.Shown(w.URL),
		})
	}
	strays, err := config.Strays()
	if err != nil { // the file is checked where the service does not run, too
		strays = append(strays, err.Error())
	}
	if len(remotechain.Endpoints(config.Node)) > 1 {
		strays = append(strays, "several nodes need --proven: name one in node, or start with that flag")
	}
	for _, stray := range strays {
		fmt.Fprintln(ctx.App.ErrWriter, "warning:", stray)
	}
	return program.Print(ctx, hooks, func() error {
		for _, w := range config.Webhook {
			fmt.Fprintf(ctx.App.Writer, "%s: %s to %s\n", w.Label, w.Wanted(), dial.Shown(w.URL))
		}
		return nil
	})
}

func runNotify(ctx *cli.Context) error {
	config, err := loadNotify(ctx)
	if err != nil {
		return err
	}
	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	service, err := openNotify(ctx, config)
	if err != nil {
		return err
	}
	group, until := errgroup.WithContext(until)
	group.Go(func() error { return remotechain.Proven.Explain(service.Run(until)) })
	if config.Listen != "" {
		group.Go(func() error { return serveStatus(until, config.Listen, service.Handler()) })
	}
	return errors.Join(group.Wait(), service.Close())
}

// openNotify opens the service: with a node that is believed, or with nodes whose answers are proven.
func openNotify(ctx *cli.Context, config *notify.Config) (*notify.Service, error) {
	if !ctx.Bool(remotechain.Proven.Use) {
		if name := remotechain.Proven.Needless(ctx); name != "" {
			return nil, fmt.Errorf("--%s goes with --%s", name, remotechain.Proven.Use)
		}
		return notify.New(config)
	}
	if config.Chain == 0 && !remotechain.Proven.NamesGenesis(ctx) {
		return nil, errors.New("nodes that are not trusted do not say which network is meant: set chain in the " +
			"configuration, such as chain = 8283, or give --genesis")
	}
	chain, err := remotechain.Proven.OpenAt(ctx, remotechain.Endpoints(config.Node), config.Chain,
		remotechain.Proven.Dir(ctx, filepath.Join(config.State, "proven")), remotestate.Options{
			Memory: notify.Memory,
		}, remotechain.ReadRules)
	if err != nil {
		return nil, err
	}
	return notify.NewProven(config, chain.Reader)
}

// serveStatus answers requests of operators at an address until ctx ends.
func serveStatus(ctx context.Context, address string, handler http.Handler) error {
	serve, url, err := program.OpenStatus(address, handler)
	if err != nil {
		return err
	}
	log.Info("Status served", "url", url+"/status")
	return serve(ctx)
}
