// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	gethparams "github.com/ethereum/go-ethereum/params"
)

// years has nodes live through the years of a chain in one go: sync in full and by snapshots of the state, with and
// without kills, from one peer and from two of which one has pruned; starts; old queries; snapshot files, export and
// prune.
//
// It prints a table with CPU time, rate, bytes and memory of each step for each length, and the ratio of the costs of
// the longest chain to those of the shortest, 1.0 where the cost does not depend on age. The chains are sealed as on a
// live network.
func years(flags *flag.FlagSet) func(context.Context) error {
	binary := flags.String("gwon", "build/bin/gwon", "program of the nodes")
	lengths := flags.String("blocks", "20000,100000", "lengths of the chains in blocks, ascending, separated by commas")
	dir := flags.String("dir", "", "directory for chains and nodes, which is kept; a temporary one without it")
	kills := flags.Int("kills", 5, "kills of the node that syncs with kills")
	return func(ctx context.Context) error { return rehearse(ctx, *binary, *dir, *lengths, *kills) }
}

// cost is what a step took.
type cost struct {
	step  string
	unit  string // of what CPU time is counted for: block, start, call
	count float64
	wall  time.Duration
	cpu   time.Duration
	rss   int64 // most bytes of memory in use, 0 if not measured
	bytes int64 // on the disk after the step, 0 if not measured
}

func (c cost) each() time.Duration { return time.Duration(float64(c.cpu) / c.count) }

func rehearse(ctx context.Context, binary, dir, lengths string, kills int) (err error) {
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("%w: make gwon builds it", err)
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "gwon-rehearsal-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	var tables [][]cost
	var blocks []uint64
	for text := range strings.SplitSeq(lengths, ",") {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil || n < 1000 || len(blocks) > 0 && n <= blocks[len(blocks)-1] {
			return fmt.Errorf("-blocks %s: give ascending numbers of at least 1000", lengths)
		}
		r := &rehearsal{ctx: ctx, binary: binary, dir: filepath.Join(dir, text), blocks: n, kills: kills}
		err = r.play()
		printTable(n, r.costs)
		if err != nil {
			return fmt.Errorf("%d blocks: %w", n, err)
		}
		blocks, tables = append(blocks, n), append(tables, r.costs)
	}
	if len(tables) > 1 {
		printRatios(blocks, tables)
	}
	return nil
}

func printTable(blocks uint64, costs []cost) {
	fmt.Printf("\n%d blocks, %d processors\n\n", blocks, runtime.NumCPU())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "step\twall\tCPU\tCPU each\trate\tmemory\tdisk")
	for _, c := range costs {
		fmt.Fprintf(w, "%s\t%.1f s\t%.2f s\t%.3f ms a %s\t%.0f/s\t%s\t%s\n", c.step, c.wall.Seconds(), c.cpu.Seconds(),
			float64(c.each())/float64(time.Millisecond), c.unit, c.count/c.wall.Seconds(), mebibytes(c.rss), mebibytes(c.bytes))
	}
	_ = w.Flush() // of standard output
}

func printRatios(blocks []uint64, tables [][]cost) {
	first, last := tables[0], tables[len(tables)-1]
	fmt.Printf("\nCPU each and memory, %d blocks against %d\n\n", blocks[len(blocks)-1], blocks[0])
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range last {
		i := slices.IndexFunc(first, func(f cost) bool { return f.step == c.step })
		if i < 0 {
			continue // the shortest chain is too short for it
		}
		memory := "-"
		if first[i].rss > 0 {
			memory = fmt.Sprintf("%.2f", float64(c.rss)/float64(first[i].rss))
		}
		fmt.Fprintf(w, "%s\t%.2f\t%s\n", c.step, float64(c.each())/float64(first[i].each()), memory)
	}
	_ = w.Flush() // of standard output
}

func mebibytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
}

// rehearsal is one chain and what happens on it.
type rehearsal struct {
	ctx    context.Context
	binary string
	dir    string
	blocks uint64
	kills  int
	costs  []cost
}

func (r *rehearsal) path(names ...string) string {
	return filepath.Join(append([]string{r.dir}, names...)...)
}

func (r *rehearsal) genesis() string { return r.path("chain", "genesis.json") }

func (r *rehearsal) play() error {
	fmt.Fprintf(os.Stderr, "making %d blocks\n", r.blocks)
	chain := liveChain()
	chain.Last = r.blocks
	if err := makeChain(r.ctx, r.path("chain"), "", chain); err != nil {
		return fmt.Errorf("make the chain: %w", err)
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"starts", r.starts}, {"syncs", r.syncs}, {"queries", r.queries}, {"files", r.files},
		{"a pruned peer", r.prune},
	} {
		fmt.Fprintln(os.Stderr, "playing", step.name)
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// starts starts the node that has the chain, three times after a stop and once after a kill.
func (r *rehearsal) starts() error {
	for _, s := range []struct {
		step  string
		count int
		kill  bool
	}{{"start after a stop", 3, false}, {"start before a kill", 1, true}, {"start after a kill", 1, false}} {
		c := cost{step: s.step, unit: "start", count: float64(s.count)}
		for range s.count {
			n, err := r.start("chain/node")
			if err != nil {
				return err
			}
			c.wall += n.took
			used, err := n.used()
			if err != nil {
				return errors.Join(err, n.kill())
			}
			c.cpu, c.rss = c.cpu+used.cpu, max(c.rss, used.rss)
			end := n.stop
			if s.kill {
				end = n.kill
			}
			if err := end(); err != nil {
				return err
			}
		}
		r.costs = append(r.costs, c)
	}
	return nil
}

// syncs syncs new nodes from the one with the chain.
func (r *rehearsal) syncs() (err error) {
	server, err := r.start("chain/node")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	for _, s := range []struct {
		step, name string
		kills      int
		flags      []string
	}{
		{"full sync", "full", 0, []string{"--syncmode", "full"}},
		{fmt.Sprintf("full sync, %d kills", r.kills), "killed", r.kills, []string{"--syncmode", "full"}},
		{"snap sync", "snap", 0, []string{"--syncmode", "snap"}},
	} {
		if err := r.sync(s.step, s.name, server, s.kills, s.flags...); err != nil {
			return fmt.Errorf("%s: %w", s.step, err)
		}
	}
	return err
}

// sync has a new node sync, with kills at equal distances on the way.
func (r *rehearsal) sync(step, name string, server *process, kills int, flags ...string) error {
	if err := r.command("init", "--datadir", r.path(name), r.genesis()).Run(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	c := cost{step: step, unit: "block", count: float64(r.blocks)}
	for i := range kills + 1 {
		n, err := r.start(name, flags...)
		if err != nil {
			return err
		}
		begin := time.Now()
		err = n.follow(r.ctx, server.enode, r.blocks*uint64(i+1)/uint64(kills+1))
		c.wall += n.took + time.Since(begin)
		used, usedErr := n.used()
		c.cpu, c.rss = c.cpu+used.cpu, max(c.rss, used.rss)
		end := n.stop
		if i < kills {
			end = n.kill
		}
		if err := errors.Join(err, usedErr, end()); err != nil {
			return err
		}
	}
	c.bytes = diskUse(r.path(name))
	r.costs = append(r.costs, c)
	return nil
}

// queries asks the node for old blocks.
func (r *rehearsal) queries() (err error) {
	n, err := r.start("chain/node")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.stop()) }()
	if err := n.indexed(r.ctx); err != nil {
		return err
	}
	// At equal distances they would be the full blocks too often, or never.
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // the same blocks in each run
	some := func() string { return fmt.Sprintf("%#x", 1+random.Uint64N(r.blocks)) }
	from := fmt.Sprintf("%#x", max(r.blocks, 10_000)-10_000+1)
	coin := "0x0000000000000000000000000000000000001000"
	for _, q := range []struct {
		step string
		of   int
		ask  func() (string, []any)
	}{
		{"a block by number", 1000, func() (string, []any) {
			return "eth_getBlockByNumber", []any{some(), true}
		}},
		{"validators of a block", 1000, func() (string, []any) {
			return "istanbul_getValidators", []any{some()}
		}},
		{"logs of 10,000 blocks, an address", 20, func() (string, []any) {
			return "eth_getLogs", []any{map[string]any{"fromBlock": from, "toBlock": "latest", "address": coin}}
		}},
		{"logs of a block", 500, func() (string, []any) {
			number := some()
			return "eth_getLogs", []any{map[string]any{"fromBlock": number, "toBlock": number}}
		}},
	} {
		before, err := n.used()
		if err != nil {
			return err
		}
		begin := time.Now()
		for range q.of {
			method, arguments := q.ask()
			if err := n.call(r.ctx, nil, method, arguments...); err != nil {
				return fmt.Errorf("%s: %w", method, err)
			}
		}
		after, err := n.used()
		if err != nil {
			return err
		}
		r.costs = append(r.costs, cost{
			step: q.step, unit: "call", count: float64(q.of), wall: time.Since(begin), cpu: after.cpu - before.cpu,
			rss: after.rss,
		})
	}
	return nil
}

// files writes and reads the files that replace a sync.
func (r *rehearsal) files() error {
	node := r.path("chain", "node")
	for _, s := range []struct {
		step, weighed string
		args          []string
	}{
		{"snapshot create", "snapshot", []string{"snapshot", "create", "--datadir", node, r.path("snapshot")}},
		{"snapshot fetch", "fetched", []string{
			"snapshot", "fetch", "--datadir", r.path("fetched"), "--genesis", r.genesis(), r.path("snapshot"),
		}},
		{"export-history", "era", []string{"export-history", "--datadir", node, r.path("era")}},
	} {
		if err := r.perform(s.step, s.weighed, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// perform runs a command of the program to its end, and weighs a directory then.
func (r *rehearsal) perform(step, weighed string, args ...string) error {
	command := r.command(args...)
	begin := time.Now()
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", step, err, out)
	}
	usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("this system does not tell what a process has used")
	}
	r.costs = append(r.costs, cost{
		step: step, unit: "block", count: float64(r.blocks), wall: time.Since(begin),
		cpu: command.ProcessState.UserTime() + command.ProcessState.SystemTime(), rss: usage.Maxrss << 10,
		bytes: diskUse(r.path(weighed)),
	})
	return nil
}

// prune drops half of the history that can be dropped, and has a new node sync from two peers, of which the first one
// named lacks it. Only blocks of the ancient store can be dropped, of which a short chain has none.
func (r *rehearsal) prune() (err error) {
	if r.blocks < gethparams.FullImmutabilityThreshold+1000 {
		return nil
	}
	whole, err := r.start("chain/node")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, whole.stop()) }()
	var block struct {
		Hash string `json:"hash"`
	}
	oldest := (r.blocks - gethparams.FullImmutabilityThreshold) / 2
	if err := whole.call(r.ctx, &block, "eth_getBlockByNumber", fmt.Sprintf("%#x", oldest), false); err != nil {
		return err
	}
	if err := r.perform("prune-history", "full", "prune-history", "--yes", "--datadir", r.path("full"), "--history.chain",
		fmt.Sprintf("%d:%s", oldest, block.Hash)); err != nil {
		return err
	}
	half, err := r.start("full")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, half.stop()) }()
	whole.enode = half.enode + " " + whole.enode
	return r.sync("full sync, one of two peers pruned", "beside-pruned", whole, 0, "--syncmode", "full")
}
