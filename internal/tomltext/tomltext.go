// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package tomltext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/naoina/toml"
	"github.com/naoina/toml/ast"
)

// Parse returns the table of a text. The parser's error about a key that stands twice has the first line in hexadecimal
// with a d behind it, and names it in decimal here.
func Parse(text []byte) (*ast.Table, error) {
	table, err := toml.Parse(text)
	if at, ok := errors.AsType[*toml.LineError](err); ok {
		key, digits, _ := strings.Cut(at.Err.Error(), " is in conflict with line ")
		digits, hexadecimal := strings.CutSuffix(digits, "d")
		if line, bad := strconv.ParseUint(digits, 16, 64); hexadecimal && bad == nil {
			at.Err = fmt.Errorf("%s is in conflict with line %d: remove one of them", key, line)
		}
	}
	return table, err
}
