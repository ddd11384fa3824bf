// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package bridge opens internal packages of this module to programs outside of it. It links no part of a node.
package bridge

import (
	"github.com/ethereum/go-ethereum/internal/debug"
	"github.com/ethereum/go-ethereum/internal/flags"
	"github.com/ethereum/go-ethereum/internal/memlimit"
	"github.com/ethereum/go-ethereum/internal/version"
	"github.com/urfave/cli/v2"
)

var (
	// DebugFlags are the flags that DebugSetup reads: logging, profiling and tracing.
	DebugFlags = debug.Flags

	// DebugSetup configures logging and profiling by flags.
	DebugSetup = debug.Setup

	// DebugExit flushes what DebugSetup started.
	DebugExit = debug.Exit

	// AutoEnvVars gives each flag an environment variable.
	AutoEnvVars = flags.AutoEnvVars

	// CheckEnvVars warns of variables that belong to no flag.
	CheckEnvVars = flags.CheckEnvVars
)

// UpstreamVersion is the version of the go-ethereum sources that this program is built on, such as "1.17.10".
func UpstreamVersion() string { return version.Semantic }

// NewApp returns an application with upstream's help layout.
func NewApp(usage string) *cli.App { return flags.NewApp(usage) }

// UsableMemory returns the bytes of memory that this process may use, 0 if that is unknown, and the source of the
// figure: its control group or the machine.
func UsableMemory() (bytes uint64, source string) {
	total, from := memlimit.Limit()
	return total, from.String()
}
