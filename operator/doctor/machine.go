// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
)

// fewFiles is the limit of open files below which the database and the peers run out of them.
const fewFiles = 4096

// Thresholds of the clock. Blocks carry whole seconds, and validators refuse those from the future.
const (
	clockSlow = -time.Second    // age of a new block below which this clock is slow
	clockFast = 3 * time.Second // age above which this clock is fast, or blocks are late
)

// Port is an address that the node listens at.
type Port struct {
	Network string // tcp or udp
	Address string
	Flag    string // flag that chooses another port
}

// Ports checks that no other process listens at the addresses of a node that does not run.
func Ports(ports []Port) Check {
	return Check{"ports", func(ctx context.Context, report func(string, string, ...any)) {
		free := true
		for _, p := range ports {
			err := tryPort(ctx, p)
			if err == nil {
				continue
			}
			free = false
			if errors.Is(err, syscall.EADDRINUSE) {
				report(Bad, "%s %s is in use by another program: stop that, or give another --%s", p.Network, p.Address, p.Flag)
			} else {
				report(Bad, "%s %s cannot be opened (%v): give another --%s", p.Network, p.Address, err, p.Flag)
			}
		}
		if free {
			report(OK, "the ports of the node are free: %d", len(ports))
		}
	}}
}

func tryPort(ctx context.Context, p Port) error {
	var listen net.ListenConfig
	if p.Network == "udp" {
		conn, err := listen.ListenPacket(ctx, p.Network, p.Address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	listener, err := listen.Listen(ctx, p.Network, p.Address)
	if err != nil {
		return err
	}
	return listener.Close()
}

// Files checks the limit of open files.
func Files(limit func() (int, error)) Check {
	return Check{"files", func(_ context.Context, report func(string, string, ...any)) {
		switch files, err := limit(); {
		case err != nil:
			report(Warn, "the limit of open files is unknown: %v", err)
		case files < fewFiles:
			report(Bad, "%d files may be open, %d are needed: raise it with ulimit -n, or LimitNOFILE of the systemd unit",
				files, fewFiles)
		default:
			report(OK, "%d files may be open", files)
		}
	}}
}

// Synchronized checks whether the system keeps the clock right. synchronized returns an error where that is unknown.
func Synchronized(synchronized func() (bool, error)) Check {
	return Check{"clock", func(_ context.Context, report func(string, string, ...any)) {
		switch ok, err := synchronized(); {
		case err != nil:
			report(OK, "the system does not say whether it keeps the clock right: %v", err)
		case !ok:
			report(Warn, "the system does not keep the clock right: start chrony or systemd-timesyncd")
		default:
			report(OK, "the system keeps the clock right")
		}
	}}
}

// Clock compares the clock with the timestamps of the next block that a running node gets.
func Clock(client *rpc.Client) Check {
	return Check{"clock", func(ctx context.Context, report func(string, string, ...any)) {
		age, err := ageOfNext(ctx, client)
		if err != nil {
			report(Warn, "the clock cannot be compared with the network: %v", err)
			return
		}
		level, cure := judgeClock(age)
		report(level, "a new block is %v old by this clock%s", age.Round(time.Millisecond), cure)
	}}
}

func judgeClock(age time.Duration) (level, cure string) {
	switch {
	case age < clockSlow:
		return Bad, ": the clock is slow, set it with chrony or systemd-timesyncd"
	case age > clockFast:
		return Warn, ": the clock is fast or blocks arrive late, check chrony or systemd-timesyncd first"
	}
	return OK, ""
}

// ageOfNext waits for a new block and returns its age.
func ageOfNext(ctx context.Context, client *rpc.Client) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ticker := time.Tick(50 * time.Millisecond)
	var (
		first *dial.Head
		ended net.Error // the deadline, which a call notices before ctx does
	)
	for {
		block, err := dial.BlockAt(ctx, client, rpc.LatestBlockNumber)
		switch {
		case ctx.Err() != nil, first != nil && errors.As(err, &ended) && ended.Timeout():
			return 0, errors.New("no new block came within ten seconds")
		case err != nil:
			return 0, err
		case first == nil:
			first = block
		case block.Number != first.Number:
			return time.Since(block.Time()), nil
		}
		select {
		case <-ticker:
		case <-ctx.Done():
		}
	}
}
