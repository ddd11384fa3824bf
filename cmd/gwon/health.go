// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/eth"
	"gwon/health"
	"gwon/internal/process"
)

// categoryHealth is that of the thresholds of readiness on the help page.
const categoryHealth = "HEALTH"

// staleAfter is the number of block periods after which a head is too old, beside the timeout of a first round.
const staleAfter = 5

var (
	healthHeadAgeFlag = &cli.DurationFlag{
		Name:     "health.headage",
		Usage:    "Age of the newest block above which /readyz fails (0 = five block periods and the timeout of one round)",
		Category: categoryHealth,
	}
	healthPeersFlag = &cli.IntFlag{
		Name:     "health.peers",
		Usage:    "Connected peers below which /readyz fails, except where the node is the only validator (0 = off)",
		Value:    1,
		Category: categoryHealth,
	}
	healthDiskFlag = &cli.Uint64Flag{
		Name:     "health.disk",
		Usage:    "Free disk space in MB below which /readyz fails (0 = twice that at which the node stops)",
		Category: categoryHealth,
	}
)

// checkHealthFlags refuses thresholds that no node can meet.
func checkHealthFlags(ctx *cli.Context) error {
	if age := ctx.Duration(healthHeadAgeFlag.Name); age != 0 && age < time.Second {
		return fmt.Errorf("--%s %v is shorter than any block period: give 1s or more", healthHeadAgeFlag.Name, age)
	}
	peers, most := ctx.Int(healthPeersFlag.Name), ctx.Int(utils.MaxPeersFlag.Name)
	if peers < 0 {
		return fmt.Errorf("--%s %d: give 0 or more", healthPeersFlag.Name, peers)
	}
	if ctx.IsSet(healthPeersFlag.Name) && peers > most {
		return fmt.Errorf("--%s %d is above --%s %d: give less", healthPeersFlag.Name, peers, utils.MaxPeersFlag.Name, most)
	}
	return nil
}

// healthLimits returns the thresholds for a chain. A developer chain seals when it is told to, and has no age limit.
func healthLimits(ctx *cli.Context, chain *gethparams.ChainConfig, head uint64, disk *process.DiskGuard) health.Limits {
	wbft := chain.WBFTAt(head + 1)
	period := time.Duration(wbft.BlockPeriodSeconds) * time.Second
	limits := health.Limits{
		HeadAge: ctx.Duration(healthHeadAgeFlag.Name),
		Peers:   ctx.Int(healthPeersFlag.Name),
		Disk:    mebibyte * ctx.Uint64(healthDiskFlag.Name),
	}
	if limits.HeadAge == 0 {
		limits.HeadAge = staleAfter*period + time.Duration(wbft.RequestTimeoutSeconds)*time.Second
	}
	limits.Behind = uint64(limits.HeadAge / period)
	if limits.Disk == 0 {
		limits.Disk = 2 * disk.Free
	}
	if ctx.Bool(devFlag.Name) {
		limits.HeadAge = 0
	}
	return limits
}

// healthFacts returns what the checker asks about a node.
func healthFacts(svc *eth.Service, stack *node.Node, disk *process.DiskGuard) func() health.Facts {
	return func() health.Facts {
		head := svc.Chain().CurrentBlock()
		free, err := disk.Least()
		return health.Facts{
			Head: head.Number.Uint64(), HeadTime: time.Unix(int64(head.Time), 0), Target: svc.SyncTarget(),
			Peers: stack.Server().PeerCount(), Alone: svc.Alone(), Halted: svc.Driver().Halted(), Free: free, DiskErr: err,
		}
	}
}

// registerHealth serves the probes at the RPC endpoint, whatever its virtual hosts, and at that of the metrics. Only
// requests from this machine see figures at the former.
func (s *nodeStart) registerHealth(*process.Closers) error {
	stack, chain := s.running.stack, s.started.Chain()
	limits := healthLimits(s.ctx, chain.Config(), chain.CurrentBlock().Number.Uint64(), s.running.disk)
	checker := health.NewChecker(limits, healthFacts(s.started, stack, s.running.disk))
	stack.RegisterLifecycle(checker)
	stack.RegisterHandler("Health probes", "GET "+health.LivePath, checker.LiveHandler())
	stack.RegisterHandler("Health probes", "GET "+health.ReadyPath, checker.ReadyHandler(health.Local))
	if s.metrics != nil {
		s.metrics.handlers = map[string]http.Handler{
			"GET " + health.LivePath:  checker.LiveHandler(),
			"GET " + health.ReadyPath: checker.ReadyHandler(nil),
		}
	}
	return nil
}
