// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package feed

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/dev/inspect"
)

// AbsoluteFolders makes the folders of a list independent of the working directory.
func AbsoluteFolders(list string) (string, error) {
	var folders []string
	for folder := range strings.SplitSeq(list, ",") {
		if folder = strings.TrimSpace(folder); folder == "" {
			continue
		}
		path, err := filepath.Abs(program.ExpandHome(folder))
		if err != nil {
			return "", fmt.Errorf("--%s %s: %w", ABIFlag.Name, folder, err)
		}
		folders = append(folders, path)
	}
	return strings.Join(folders, ","), nil
}

// LoadBook returns the system contracts and those of --abi.
func LoadBook(ctx *cli.Context) (*inspect.Book, error) {
	book := inspect.NewBook()
	folders, err := AbsoluteFolders(ctx.String(ABIFlag.Name))
	if err != nil {
		return nil, err
	}
	if _, err := book.Load(folders); err != nil {
		return nil, fmt.Errorf("--%s: %w", ABIFlag.Name, err)
	}
	return book, nil
}
