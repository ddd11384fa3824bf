// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// gwonFlag names the program of the validators.
var gwonFlag = &cli.PathFlag{
	Name:  "gwon",
	Usage: "Program of the validators (default: gwon beside this program, else in PATH)",
}

// findGwon returns the path of the program of the validators: the given one, else that beside this program, else that
// of PATH.
func findGwon(given string) (string, error) {
	if given != "" {
		path, err := exec.LookPath(program.ExpandHome(given))
		if err != nil {
			return "", fmt.Errorf("--%s %s is no program: %w", gwonFlag.Name, given, errors.Unwrap(err))
		}
		return filepath.Abs(path)
	}
	beside := ownDirectory()
	if beside != "" {
		if path, err := exec.LookPath(filepath.Join(beside, program.Name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(program.Name)
	if err != nil {
		return "", fmt.Errorf("the program %s, which the validators run, is neither beside this one nor in PATH: "+
			"install it, or give --%s FILE: %w", program.Name, gwonFlag.Name, err)
	}
	return path, nil
}

// ownDirectory returns the directory of this program; empty where the system does not tell, as without /proc.
func ownDirectory() string {
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	if own, err = filepath.EvalSymlinks(own); err != nil {
		return ""
	}
	return filepath.Dir(own)
}
