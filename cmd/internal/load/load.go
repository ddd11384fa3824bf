// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package load

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/dev/loadtest"
	"gwon/internal/secretfile"
	"gwon/internal/wellknown"
)

var (
	loadRPCFlag = &cli.StringSliceFlag{Name: "rpc", Usage: "HTTP, WebSocket or IPC endpoints; " +
		"transactions go to them in turn", Value: cli.NewStringSlice("http://127.0.0.1:8545")}
	loadKeyFlag = &cli.StringSliceFlag{Name: "key", Usage: "Files with private keys of accounts that have coins, in " +
		"hex (default: accounts of gwon-dev devnet)"}
	loadKindFlag = &cli.StringFlag{Name: "kind", Usage: "transfer, delegated, erc20 or mix",
		Value: string(loadtest.Transfer)}
	loadRateFlag = &cli.Float64Flag{Name: "rate", Usage: "Transactions a second; 0 for as fast as " +
		"they are accepted, up to --count", Value: 100}
	loadForFlag = &cli.DurationFlag{Name: "for", Usage: "How long to submit at most", Value: 30 * time.Second}

	loadCountFlag = &cli.IntFlag{Name: "count", Usage: "How many transactions to submit at most (0 = as many as rate " +
		"and time allow)"}
	loadSendersFlag = &cli.IntFlag{Name: "senders", Usage: "Accounts that send; they are made " +
		"and given coins before the run", Value: 200}
	loadRecipientsFlag = &cli.IntFlag{Name: "recipients", Usage: "Accounts that are paid, at random (0 = the accounts " +
		"that send). Each has state of its own"}
	loadWorkersFlag = &cli.IntFlag{Name: "workers", Usage: "Requests in flight for each endpoint at most", Value: 64}
	loadBatchFlag   = &cli.IntFlag{Name: "batch", Usage: "How many transactions a request has (0 = one)"}
	loadSettleFlag  = &cli.DurationFlag{Name: "settle", Usage: "How long to wait afterwards " +
		"for what was accepted, at most", Value: time.Minute}
	loadResubmitFlag = &cli.BoolFlag{Name: "resubmit", Usage: "Submit once more what was refused"}
	loadSpoilFlag    = &cli.IntFlag{Name: "spoil", Usage: "How many of 100 transactions get a wrong signature, which " +
		"the nodes have to refuse"}
	loadGapsFlag = &cli.IntFlag{Name: "gaps", Usage: "How many of 100 transactions are held back until the sender's " +
		"next two are sent"}
	loadReadsFlag = &cli.Float64Flag{Name: "reads", Usage: "Calls a second meanwhile, of ten methods, sent by a " +
		"schedule; alone with --rate 0"}
	loadReadFromFlag = &cli.StringSliceFlag{Name: "reads.rpc", Usage: "Endpoints for the calls of --reads, in turn " +
		"(default: those of --rpc)"}
	loadQuietFlag = &cli.BoolFlag{Name: "quiet", Usage: "No progress, only the result"}
)

// Command puts transactions on a network and measures what becomes of them.
var Command = &cli.Command{
	Name:  "load",
	Usage: "Put transactions on a network and measure what becomes of them",
	Description: "Signs transactions of many accounts, submits them at a fixed rate or as fast as they are " +
		"accepted, watches the blocks, and prints a table: offered, accepted, refused, included, lost, throughput, " +
		"block interval, latency, and what the nodes on this machine used. Without --key it takes the accounts of " +
		"gwon-dev devnet. It ends with exit status 1 when an accepted transaction is lost. docs/load.md tells how to " +
		"size a validator with it.",
	Flags: []cli.Flag{
		loadRPCFlag, loadKeyFlag, loadKindFlag, loadRateFlag, loadForFlag, loadCountFlag, loadSendersFlag,
		loadRecipientsFlag, loadWorkersFlag, loadBatchFlag, loadSettleFlag, loadResubmitFlag,
		loadSpoilFlag, loadGapsFlag, loadReadsFlag, loadReadFromFlag, loadQuietFlag, program.JSONFlag,
	},
	Action: runLoad,
}

func runLoad(ctx *cli.Context) error {
	keys, err := loadKeys(ctx.StringSlice(loadKeyFlag.Name))
	if err != nil {
		return err
	}
	options := loadtest.Options{
		Endpoints:  ctx.StringSlice(loadRPCFlag.Name),
		Keys:       keys,
		Senders:    ctx.Int(loadSendersFlag.Name),
		Recipients: ctx.Int(loadRecipientsFlag.Name),
		Kind:       loadtest.Kind(ctx.String(loadKindFlag.Name)),
		Rate:       ctx.Float64(loadRateFlag.Name),
		Duration:   ctx.Duration(loadForFlag.Name),
		Count:      ctx.Int(loadCountFlag.Name),
		Workers:    ctx.Int(loadWorkersFlag.Name),
		Batch:      ctx.Int(loadBatchFlag.Name),
		Settle:     ctx.Duration(loadSettleFlag.Name),
		Resubmit:   ctx.Bool(loadResubmitFlag.Name),
		Spoil:      ctx.Int(loadSpoilFlag.Name),
		Gaps:       ctx.Int(loadGapsFlag.Name),
		ReadRate:   ctx.Float64(loadReadsFlag.Name),
		ReadFrom:   ctx.StringSlice(loadReadFromFlag.Name),
	}
	if !ctx.Bool(loadQuietFlag.Name) {
		options.Progress = os.Stderr
	}
	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := loadtest.Run(until, options)
	if err != nil {
		return err
	}
	if ctx.Bool(program.JSONFlag.Name) {
		err = json.NewEncoder(ctx.App.Writer).Encode(report)
	} else {
		err = report.WriteTable(ctx.App.Writer)
	}
	switch {
	case err != nil:
	case report.Lost > 0:
		err = fmt.Errorf("%d accepted transactions are in no block and at no node", report.Lost)
	case report.SpoiltAccepted > 0:
		err = fmt.Errorf("%d transactions with a wrong signature were accepted", report.SpoiltAccepted)
	}
	return err
}

// loadKeys reads key files; without any it takes the accounts of a development network.
func loadKeys(files []string) ([]*ecdsa.PrivateKey, error) {
	var keys []*ecdsa.PrivateKey
	for _, file := range files {
		key, err := secretfile.LoadKey(program.ExpandHome(file))
		if err != nil {
			return nil, fmt.Errorf("private key: %w", err)
		}
		keys = append(keys, key)
	}
	if len(files) > 0 {
		return keys, nil
	}
	// Users try things with the first account of a devnet, and its sponsor pays from the last one.
	for i := range wellknown.Funded - 2 {
		account, err := wellknown.OfDevnet(i + 1)
		if err != nil {
			return nil, err
		}
		keys = append(keys, account.Key)
	}
	return keys, nil
}
