// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
	psprocess "github.com/shirou/gopsutil/process"

	"gwon/eth"
	"gwon/params"
)

const (
	// standstill ends a sync that shows no progress, after half of it at the earliest.
	standstill = 5 * time.Minute
	lookEvery  = 50 * time.Millisecond
)

// process is a node that runs.
type process struct {
	command *exec.Cmd
	client  *rpc.Client
	enode   string        // URLs of its peers-to-be, separated by spaces
	took    time.Duration // from its start to its first answer
	log     bytes.Buffer
}

// usage is what a process has used since its start.
type usage struct {
	cpu time.Duration
	rss int64
}

func (r *rehearsal) command(args ...string) *exec.Cmd {
	return exec.CommandContext(r.ctx, r.binary, append([]string{"--verbosity", "2"}, args...)...)
}

// start starts a node in a directory of the rehearsal and waits for its first answer.
func (r *rehearsal) start(name string, flags ...string) (*process, error) {
	dir := r.path(filepath.FromSlash(name))
	socket := filepath.Join(os.TempDir(), fmt.Sprintf("gwon-rehearsal-%d-%s.ipc", os.Getpid(), filepath.Base(dir)))
	n := &process{command: r.command(append([]string{
		"--datadir", dir, "--networkid", fmt.Sprint(params.DevChainID), "--nodiscover", "--bootnodes", "", "--nat", "none",
		"--port", "0",
		"--netrestrict", "127.0.0.0/8", "--ipcpath", socket,
	}, flags...)...)}
	n.command.Stdout, n.command.Stderr = &n.log, &n.log
	n.command.Cancel = func() error { return n.command.Process.Signal(syscall.SIGTERM) }
	begin := time.Now()
	if err := n.command.Start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, standstill)
	defer cancel()
	for {
		err := n.connect(ctx, socket)
		if err == nil {
			n.took = time.Since(begin)
			return n, nil
		}
		if waited := wait(ctx, lookEvery); waited != nil {
			return nil, fmt.Errorf("%s does not answer: %w: %s", name, errors.Join(err, n.kill()), n.log.String())
		}
	}
}

// connect fails as long as the node does not run, or executes blocks again and has no methods for operators.
func (n *process) connect(ctx context.Context, socket string) error {
	client, err := rpc.DialIPC(ctx, socket)
	if err != nil {
		return err
	}
	var info struct {
		Enode string `json:"enode"`
	}
	if err := client.CallContext(ctx, &info, "admin_nodeInfo"); err != nil {
		client.Close()
		return err
	}
	n.client, n.enode = client, info.Enode
	return nil
}

func (n *process) call(ctx context.Context, result any, method string, args ...any) error {
	return n.client.CallContext(ctx, result, method, args...)
}

// follow adds the peers and waits until the head has a number. The head of a snap sync stays at 0 almost to its end,
// so progress is each change of eth_syncing too.
func (n *process) follow(ctx context.Context, enodes string, number uint64) error {
	for enode := range strings.FieldsSeq(enodes) {
		if err := n.call(ctx, nil, "admin_addPeer", enode); err != nil {
			return err
		}
	}
	head, progress, moved := uint64(0), json.RawMessage(nil), time.Now()
	for head < number {
		var now hexutil.Uint64
		if err := n.call(ctx, &now, "eth_blockNumber"); err != nil {
			return fmt.Errorf("at block %d: %w: %s", head, err, n.log.String())
		}
		if uint64(now) > head {
			head, moved = uint64(now), time.Now()
		}
		if time.Since(moved) > standstill/2 {
			var reached json.RawMessage
			if err := n.call(ctx, &reached, "eth_syncing"); err != nil {
				return fmt.Errorf("at block %d: %w: %s", head, err, n.log.String())
			}
			if bytes.Equal(reached, progress) {
				return fmt.Errorf("the sync stands at block %d of %d: %s", head, number, n.log.String())
			}
			progress, moved = reached, time.Now()
		}
		if err := wait(ctx, lookEvery); err != nil {
			return err
		}
	}
	return nil
}

// indexed waits until the node's indexes are complete.
func (n *process) indexed(ctx context.Context) error {
	for begin := time.Now(); ; {
		var info struct {
			Protocols struct {
				Istanbul struct {
					Indexes []eth.Index `json:"indexes"`
				} `json:"istanbul"`
			} `json:"protocols"`
		}
		if err := n.call(ctx, &info, "admin_nodeInfo"); err != nil {
			return err
		}
		indexes := info.Protocols.Istanbul.Indexes
		behind := func(i eth.Index) bool { return i.First > 1 || i.After <= i.Head }
		if len(indexes) > 0 && !slices.ContainsFunc(indexes, behind) {
			return nil
		}
		if time.Since(begin) > standstill {
			return fmt.Errorf("the indexes are not complete: %v", indexes)
		}
		if err := wait(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// used reads what the process has used from /proc.
func (n *process) used() (usage, error) {
	running, err := psprocess.NewProcess(int32(n.command.Process.Pid)) //nolint:gosec // a process ID
	if err != nil {
		return usage{}, err
	}
	times, err := running.Times()
	if err != nil {
		return usage{}, err
	}
	used := usage{cpu: time.Duration((times.User + times.System) * float64(time.Second))}
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(n.command.Process.Pid), "status"))
	if err != nil {
		return usage{}, err
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &used.rss); err == nil {
			used.rss <<= 10
		}
	}
	return used, nil
}

func (n *process) stop() error { return n.end(syscall.SIGTERM) }

func (n *process) kill() error { return n.end(syscall.SIGKILL) }

func (n *process) end(signal syscall.Signal) error {
	if n.client != nil {
		n.client.Close()
	}
	if err := n.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	err := n.command.Wait()
	// A node that has just begun to answer has no handler yet: the signal ends it as a kill does.
	status, ok := n.command.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() && status.Signal() == signal {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop: %w: %s", err, n.log.String())
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// diskUse returns how many bytes the files below a directory have together. Those that go away meanwhile count nothing.
func diskUse(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // it has gone
		}
		if info, err := entry.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
