// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/progress"
)

// Flags of go-ethereum about the log.
const (
	VerbosityName = "verbosity" // level; 1 is for errors, 2 for warnings
	logFileName   = "log.file"
)

// PrepareLog sends the log where the flags of a node say. With quiet a start says less. The flags are those of the
// context, whose environment variables it names.
func PrepareLog(ctx *cli.Context, flags []cli.Flag, quiet bool) error {
	if err := program.SetUpLog(ctx); err != nil {
		return err
	}
	QuietLog(quiet)
	if !ctx.IsSet(logFileName) { // a file gets the line as it is
		tellCritical = damage.TellCritical
	}
	progress.WrapLog()
	settings.LogEnvironment(ctx, flags)
	return nil
}
