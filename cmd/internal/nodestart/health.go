// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
	"gwon/eth"
	"gwon/internal/process"
	"gwon/internal/start"
	"gwon/operator/health"
)

// healthLimits returns the thresholds for a chain. A chain of the program seals when it is told to, and has no age
// limit.
func healthLimits(
	ctx *cli.Context, own bool, chain *gethparams.ChainConfig, head uint64, disk *process.DiskGuard,
) health.Limits {
	wbft := chain.WBFTAt(head + 1)
	period := time.Duration(wbft.BlockPeriodSeconds) * time.Second
	limits := health.Limits{
		HeadAge: ctx.Duration(settings.HealthHeadAgeFlag.Name),
		Peers:   ctx.Int(settings.HealthPeersFlag.Name),
		Disk:    settings.Mebibyte * ctx.Uint64(settings.HealthDiskFlag.Name),
	}
	if limits.HeadAge == 0 {
		limits.HeadAge = 5*period + time.Duration(wbft.RequestTimeoutSeconds)*time.Second
	}
	limits.Behind = uint64(limits.HeadAge / period)
	if limits.Disk == 0 {
		limits.Disk = 2 * disk.Free
	}
	if own {
		limits.HeadAge = 0
	}
	return limits
}

// healthFacts returns what the checker asks about a node.
func healthFacts(svc *eth.Service, stack *node.Node, disk *process.DiskGuard) func() health.Facts {
	return func() health.Facts {
		head := svc.Chain().CurrentBlock()
		free, err := disk.Least()
		var notes []health.Note
		for _, index := range svc.Indexes() {
			notes = append(notes, health.Note{Name: "index of " + index.Name, Text: index.String()})
		}
		alone, missing := svc.Attendance()
		return health.Facts{
			Head: head.Number.Uint64(), HeadTime: time.Unix(int64(head.Time), 0), Target: svc.SyncTarget(),
			Peers: stack.Server().PeerCount(), Alone: alone, Halted: svc.Driver().Halted(), Free: free, DiskErr: err,
			Notes: notes, Quorum: missing,
		}
	}
}

// registerHealth serves the probes at the RPC endpoint, whatever its virtual hosts, and at that of the metrics. Only
// requests from this machine see figures at the former.
func (s *nodeStart) registerHealth(*start.Closers) error {
	stack, chain := s.running.Stack, s.started.Chain()
	limits := healthLimits(s.ctx, s.Chain != nil, chain.Config(), chain.CurrentBlock().Number.Uint64(), s.running.disk)
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
