// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// completionScripts have the program itself tell what may stand at the end of a line; how, is the CLI library's way.
var completionScripts = map[string]string{
	"bash": `_gwon_complete() {
    local line=("${COMP_WORDS[@]:0:COMP_CWORD}") current="${COMP_WORDS[COMP_CWORD]}" words
    if [[ "$current" == -* ]]; then
        line+=("$current")
    fi
    words=$("${line[@]}" --generate-bash-completion 2>/dev/null </dev/null)
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _gwon_complete gwon
`,
	"zsh": `#compdef gwon
_gwon_complete() {
    local -a line found
    line=("${(@)words[1,CURRENT-1]}")
    if [[ "${words[CURRENT]}" == -* ]]; then
        line+=("${words[CURRENT]}")
    fi
    found=("${(@f)$("${line[@]}" --generate-bash-completion 2>/dev/null </dev/null)}")
    if [[ -n "${found[1]}" ]]; then
        compadd -- "${found[@]}"
    else
        _files
    fi
}
compdef _gwon_complete gwon
`,
}

var completionCommand = &cli.Command{
	Name:      "completion",
	Usage:     "Print a script that completes gwon's commands and flags: bash, zsh or fish",
	ArgsUsage: "SHELL",
	Description: "For bash: source <(gwon completion bash). For zsh, after compinit: source <(gwon completion " +
		"zsh). For fish: gwon completion fish | source",
	Action: func(ctx *cli.Context) error {
		shell := ctx.Args().First()
		script, ok := completionScripts[shell]
		if shell == "fish" {
			var err error
			if script, err = ctx.App.ToFishCompletion(); err != nil {
				return fmt.Errorf("make completion script: %w", err)
			}
			ok = true
		}
		if !ok || ctx.NArg() != 1 {
			return fmt.Errorf("name the shell: %s completion bash, zsh or fish", program.Name)
		}
		_, err := fmt.Fprint(ctx.App.Writer, script)
		return err
	},
}
