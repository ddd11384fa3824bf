// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Measure finds out what nodes on this machine bear and cost. Each measurement is a word, with flags of its own:
//
//	go run ./tools/measure pace -base OLD -binary NEW    highest rate that networks hold, of two binaries in turns
//	go run ./tools/measure overload -rate 3000           more than a network carries, with something wrong besides
//	go run ./tools/measure years -blocks 20000,100000    syncs, starts, queries and files of chains of several ages
//	go run ./tools/measure chain -dir DIR -blocks 40000  the chain of a network that has run for long
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// measurements maps words to functions that add their flags and return what runs after these are read.
var measurements = map[string]func(*flag.FlagSet) func(context.Context) error{
	"pace": pace, "overload": overload, "years": years, "chain": chain,
}

func main() {
	words := strings.Join(slices.Sorted(maps.Keys(measurements)), ", ")
	if len(os.Args) < 2 || measurements[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "measure: say what to measure:", words)
		os.Exit(2)
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	run := measurements[os.Args[1]](flags)
	_ = flags.Parse(os.Args[2:]) // ends the program on an error
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "measure %s: %v\n", os.Args[1], err)
		stop()
		os.Exit(1) //nolint:gocritic // the signals are given back above
	}
}
