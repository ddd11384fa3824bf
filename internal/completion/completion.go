// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package completion

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// The scripts have the program itself tell what may stand at the end of a line; how, is the CLI library's way. PROGRAM
// is its name, and _FUNCTION a function of the shell for it.
var (
	//go:embed bash.sh
	bash string
	//go:embed zsh.sh
	zsh string
)

// Command returns the command completion of a program.
func Command(name string) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "Print a script that completes the program's commands and flags: bash, zsh or fish",
		ArgsUsage: "SHELL",
		Description: fmt.Sprintf("For bash: source <(%[1]s completion bash). For zsh, after compinit: source <(%[1]s "+
			"completion zsh). For fish: %[1]s completion fish | source", name),
		Action: func(ctx *cli.Context) error {
			fish, err := ctx.App.ToFishCompletion()
			if err != nil {
				return fmt.Errorf("make completion script: %w", err)
			}
			script := map[string]string{"bash": bash, "zsh": zsh, "fish": fish}[ctx.Args().First()]
			if script == "" || ctx.NArg() != 1 {
				return fmt.Errorf("name the shell: %s completion bash, zsh or fish", name)
			}
			function := "_" + strings.ReplaceAll(name, "-", "_") + "_complete"
			_, err = strings.NewReplacer("PROGRAM", name, "_FUNCTION", function).WriteString(ctx.App.Writer, script)
			return err
		},
	}
}
