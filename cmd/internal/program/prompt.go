// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/urfave/cli/v2"
)

// YesFlag answers AskYesOrNo.
var YesFlag = &cli.BoolFlag{Name: "yes", Usage: "Do not ask"}

// AskYesOrNo asks the person at the terminal. The error says what to do where there is no answer.
func AskYesOrNo(question string) (bool, error) {
	sure, err := prompt.Stdin.PromptConfirm(question)
	if errors.Is(err, io.EOF) {
		return false, fmt.Errorf("nobody answered, since standard input is closed: run this in a terminal, or with --%s",
			YesFlag.Name)
	}
	return sure, err
}
