// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package completion

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// scripts have the program itself tell what may stand at the end of a line; how, is the CLI library's way.
// PROGRAM is its name, and _FUNCTION a function of the shell for it.
var scripts = map[string]string{
	"bash": `_FUNCTION() {
    local line=("${COMP_WORDS[@]:0:COMP_CWORD}") current="${COMP_WORDS[COMP_CWORD]}" words
    if [[ "$current" == -* ]]; then
        line+=("$current")
    fi
    words=$("${line[@]}" --generate-bash-completion 2>/dev/null </dev/null)
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _FUNCTION PROGRAM
`,
	"zsh": `#compdef PROGRAM
_FUNCTION() {
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
compdef _FUNCTION PROGRAM
`,
}

// Command returns the command completion of a program.
func Command(name string) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "Print a script that completes the program's commands and flags: bash, zsh or fish",
		ArgsUsage: "SHELL",
		Description: fmt.Sprintf("For bash: source <(%[1]s completion bash). For zsh, after compinit: source <(%[1]s "+
			"completion zsh). For fish: %[1]s completion fish | source", name),
		Action: func(ctx *cli.Context) error {
			shell := ctx.Args().First()
			script, ok := scripts[shell]
			if shell == "fish" {
				var err error
				if script, err = ctx.App.ToFishCompletion(); err != nil {
					return fmt.Errorf("make completion script: %w", err)
				}
				ok = true
			}
			if !ok || ctx.NArg() != 1 {
				return fmt.Errorf("name the shell: %s completion bash, zsh or fish", name)
			}
			function := "_" + strings.ReplaceAll(name, "-", "_") + "_complete"
			_, err := strings.NewReplacer("PROGRAM", name, "_FUNCTION", function).WriteString(ctx.App.Writer, script)
			return err
		},
	}
}
