// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package utils

import (
	"github.com/ethereum/go-ethereum/internal/debug"
	"github.com/ethereum/go-ethereum/internal/flags"
	"github.com/ethereum/go-ethereum/internal/memlimit"
	"github.com/ethereum/go-ethereum/internal/version"
	"github.com/urfave/cli/v2"
)

// The names below open internal packages to a program that lives outside of this module.
var (
	// DebugFlags are the flags that DebugSetup reads: logging, profiling and tracing.
	DebugFlags = debug.Flags

	// DebugSetup configures logging and profiling by flags. DebugExit flushes what it started.
	DebugSetup = debug.Setup
	DebugExit  = debug.Exit

	// MigrateGlobalFlags makes flags that stand before a subcommand visible in its context.
	MigrateGlobalFlags = flags.MigrateGlobalFlags

	// AutoEnvVars gives each flag an environment variable; CheckEnvVars warns of variables that belong to no flag.
	AutoEnvVars  = flags.AutoEnvVars
	CheckEnvVars = flags.CheckEnvVars

	// CheckExclusive ends the process when more than one of the given flags is set.
	CheckExclusive = flags.CheckExclusive
)

// UpstreamVersion is the version of the go-ethereum sources that this program is built on, such as "1.17.10".
func UpstreamVersion() string { return version.Semantic }

// NewApp returns an application with upstream's help layout.
func NewApp(usage string) *cli.App { return flags.NewApp(usage) }

// FreeDiskSpace returns how many bytes a process without special rights can still write to the disk of a path.
func FreeDiskSpace(path string) (uint64, error) { return getFreeDiskSpace(path) }

// UsableMemory returns the bytes of memory that this process may use, 0 if that is unknown, and the source of the
// figure: its control group or the machine.
func UsableMemory() (bytes uint64, source string) {
	total, from := memlimit.Limit()
	return total, from.String()
}
