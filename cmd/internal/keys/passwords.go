// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/internal/secretfile"
)

// passwordSource answers for passwords in the order accounts are named: from the lines of --password, the last of which
// serves all accounts beyond it, else by asking. A new password has a line of its own.
type passwordSource struct {
	path  string   // of the file, for errors
	lines []string // nil: ask
}

// newPasswordSource reads the file of --password.
func newPasswordSource(ctx *cli.Context) (*passwordSource, error) {
	path := ctx.Path(utils.PasswordFileFlag.Name)
	if path == "" {
		return &passwordSource{}, nil
	}
	text, err := secretfile.Read(program.ExpandHome(path))
	if err != nil {
		return nil, fmt.Errorf("read password file: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return &passwordSource{path, lines}, nil
}

// Get returns the password of the i-th account. question is what a person is asked. With confirm, for a new password, a
// person is asked twice, and an empty one is refused: it would protect nothing.
func (p *passwordSource) Get(i int, question string, confirm bool) (string, error) {
	if p.lines != nil {
		line := min(i, len(p.lines)-1)
		if confirm && (line < i || p.lines[line] == "") {
			return "", fmt.Errorf("line %d of the password file %s is missing or empty: write the new password there", i+1,
				p.path)
		}
		return p.lines[line], nil
	}
	fmt.Fprintln(os.Stderr, question)
	password, err := prompt.Stdin.PromptPassword("Password: ")
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	if confirm {
		again, err := prompt.Stdin.PromptPassword("Repeat password: ")
		if err != nil {
			return "", fmt.Errorf("read password: %w", err)
		}
		if again != password {
			return "", errors.New("the passwords differ")
		}
		if password == "" {
			return "", errors.New("the password is empty: choose another")
		}
	}
	return password, nil
}
