// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/metrics/prometheus"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/dial"
	"gwon/internal/usage"
	"gwon/operator/governance"
	"gwon/operator/standby"
)

var (
	operatorFlag = &cli.StringFlag{Name: "operator",
		Usage: "Operator of the validator (default: the sender that --from, --key or --signer names)"}
	absenceFlag = &cli.Uint64Flag{Name: "absence", Value: standby.DefaultAbsence,
		Usage: "Blocks in a row without the validator after which this stand-by takes its place"}
	signedFlag = &cli.PathFlag{Name: "signed",
		Usage: "File with a registration that gwon gov validator configure --sign-only has printed, in place of a key"}
	switchFlag = &cli.BoolFlag{Name: "switch", Usage: "Take the place now, whether the validator is there or not, and end"}
	contractAt = &cli.StringFlag{Name: "at", Usage: "Where GovValidator stands, on networks that have it elsewhere"}
	listenFlag = &cli.StringFlag{Name: "listen", Usage: "Serve /livez, /readyz and /metrics at this address, HOST:PORT"}

	standbyFlags = slices.Concat([]cli.Flag{
		attach.RPCFlag, operatorFlag, absenceFlag, keys.FromFlag, keys.KeyFlag, utils.ExternalSignerFlag,
		utils.PasswordFileFlag, utils.KeyStoreDirFlag, signedFlag, contractAt, settings.DataDirFlag,
	}, keys.RegistrationFlags, settings.NetworkFlags)
)

var standbyCommand = &cli.Command{
	Name:  "standby",
	Usage: "Watch the operator's validator, and take its place when it is absent",
	Description: "Runs beside a second node of the operator, which has a node key of its own and follows the chain with " +
		"--mine. When a quorum has sealed many blocks without the operator's validator, the key of this node is " +
		"registered in its place (GovValidator, configureValidator, without a vote) and seals from the next epoch on. No " +
		"key is on two machines. The former validator follows when it comes back.\n\n" +
		"The operator's key signs one transaction: --from, --key or --signer name it, --signed is that transaction, " +
		"signed beforehand. Give a second stand-by a longer --absence.",
	Flags:  slices.Concat([]cli.Flag{switchFlag, listenFlag}, standbyFlags),
	Action: runStandby,
	Subcommands: []*cli.Command{{
		Name:   "check",
		Usage:  "Rehearse everything but the submission; the exit status is 1 if this stand-by could not take the place",
		Flags:  standbyFlags,
		Action: checkStandby,
	}},
}

// openStandby makes the watcher that flags describe. The caller closes the client of the configuration.
func openStandby(ctx *cli.Context) (watcher *standby.Watcher, cfg standby.Config, err error) {
	own, key, possession, err := keys.Registration(ctx)
	if err != nil {
		return nil, cfg, err
	}
	request, err := governance.ConfigureValidator(own, key, possession)
	if err != nil {
		return nil, cfg, err
	}
	addresses := governance.DefaultAddresses()
	if at := ctx.String(contractAt.Name); at != "" {
		if err := addresses.Set(governance.Validator.Name + "=" + at); err != nil {
			return nil, cfg, fmt.Errorf("--%s: %w", contractAt.Name, err)
		}
	}
	endpoint, err := attach.Endpoint(ctx)
	if err != nil {
		return nil, cfg, err
	}
	client, err := dial.Node(ctx.Context, endpoint)
	if err != nil {
		return nil, cfg, err
	}
	cfg = standby.Config{
		Client: client, Contract: addresses[governance.Validator.Name],
		Rule: standby.Rule{Own: own, Absence: ctx.Uint64(absenceFlag.Name)},
	}
	if cfg.Signer, cfg.Operator, err = standbySigner(ctx, client, endpoint, addresses, request); err == nil {
		watcher, err = standby.New(cfg)
	}
	if err != nil {
		client.Close()
	}
	return watcher, cfg, err
}

// standbySigner returns what signs the registration, and the operator.
func standbySigner(
	ctx *cli.Context, client *gethrpc.Client, endpoint string, at governance.Addresses, request *governance.Request,
) (signer standby.Signer, operator common.Address, err error) {
	if named := ctx.String(operatorFlag.Name); named != "" {
		if operator, err = keys.ParseAddress(named); err != nil {
			return nil, operator, fmt.Errorf("--%s: %w", operatorFlag.Name, err)
		}
	}
	file := ctx.Path(signedFlag.Name)
	if file == "" {
		by, err := keys.NewSigner(ctx)
		if err != nil {
			return nil, operator, err
		}
		if operator != (common.Address{}) && by.Address() != operator {
			return nil, operator, fmt.Errorf("the sender %v is not the operator %v, whose registration it is", by.Address(),
				operator)
		}
		return &standby.Planned{Client: client, Endpoint: endpoint, Addresses: at, Operator: by, Request: request},
			by.Address(), nil
	}
	if operator == (common.Address{}) {
		return nil, operator, fmt.Errorf("--%s needs --%s", signedFlag.Name, operatorFlag.Name)
	}
	text, err := os.ReadFile(program.ExpandHome(file))
	if err != nil {
		return nil, operator, err
	}
	raw, err := hexutil.Decode(strings.TrimSpace(string(text)))
	tx := new(types.Transaction)
	if err == nil {
		err = tx.UnmarshalBinary(raw)
	}
	if err != nil {
		return nil, operator, fmt.Errorf("%s has no signed transaction: %w", file, err)
	}
	return &standby.Presigned{
		Client: client, Tx: tx, Operator: operator, Contract: at[governance.Validator.Name], Input: request.Input,
	}, operator, nil
}

func runStandby(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return usage.NoSuchCommand(ctx)
	}
	watcher, cfg, err := openStandby(ctx)
	if err != nil {
		return err
	}
	defer cfg.Client.Close()
	until, stop := program.UntilSignal(ctx)
	defer stop()
	if ctx.Bool(switchFlag.Name) {
		return switchNow(until, ctx.App.Writer, cfg, watcher)
	}
	if at := ctx.String(listenFlag.Name); at != "" {
		metrics.Enable()
		serve, _, err := program.OpenStatus(at, standbyStatus(watcher))
		if err != nil {
			return fmt.Errorf("--%s: %w", listenFlag.Name, err)
		}
		go func() {
			if err := serve(until); err != nil {
				log.Error("Endpoint failed", "address", at, "err", err)
			}
		}()
	}
	log.Info("Stand-by started", "operator", cfg.Operator, "own", cfg.Rule.Own, "absence", cfg.Rule.Absence)
	watcher.Run(until)
	return nil
}

// switchNow takes the place of a validator that is there.
func switchNow(ctx context.Context, out io.Writer, cfg standby.Config, watcher *standby.Watcher) error {
	view, err := watcher.Look(ctx)
	if err != nil {
		return err
	}
	switch verdict := cfg.Rule.Decide(view, 0); verdict.Action {
	case standby.NotReady:
		return errors.New(verdict.Reason)
	case standby.Replaced:
		_, err := fmt.Fprintln(out, verdict.Reason)
		return err
	}
	if err := watcher.Replace(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%v is registered in place of %v, from the next epoch on. Keep both nodes running until "+
		"then\n", cfg.Rule.Own, view.Validator)
	return err
}

// checkStandby rehearses a replacement and prints what it found.
func checkStandby(ctx *cli.Context) error {
	watcher, cfg, err := openStandby(ctx)
	if err != nil {
		return err
	}
	defer cfg.Client.Close()
	view, err := watcher.Look(ctx.Context)
	if err != nil {
		return err
	}
	verdict := cfg.Rule.Decide(view, 0)
	out := ctx.App.Writer
	fmt.Fprintf(out, "Operator   %v\nValidator  %v\nStand-by   %v\nBlock      %d\n", cfg.Operator, view.Validator,
		cfg.Rule.Own, view.Head)
	if verdict.Action == standby.NotReady {
		return errors.New(verdict.Reason)
	}
	if verdict.Action == standby.Replaced {
		_, err := fmt.Fprintln(out, verdict.Reason)
		return err
	}
	limit, cancel := context.WithTimeout(ctx.Context, time.Minute)
	defer cancel()
	tx, words, err := cfg.Signer.Sign(limit)
	if err != nil {
		return err
	}
	for _, sentence := range words {
		fmt.Fprintln(out, sentence)
	}
	_, err = fmt.Fprintf(out, "Signed and not sent: transaction %v, nonce %d. This stand-by is ready\n", tx.Hash(),
		tx.Nonce())
	return err
}

// standbyStatus answers probes and shows metrics.
func standbyStatus(watcher *standby.Watcher) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		verdict := watcher.Last()
		if verdict == nil || verdict.Action == standby.NotReady {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		if verdict != nil {
			fmt.Fprintln(w, verdict.Reason)
		}
	})
	mux.Handle("GET /metrics", prometheus.Handler(metrics.DefaultRegistry))
	return mux
}
