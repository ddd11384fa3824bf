// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"encoding/json"
	"io"
	"reflect"

	"github.com/urfave/cli/v2"
)

// JSONFlag has a command print JSON.
var JSONFlag = &cli.BoolFlag{Name: "json", Usage: "Print JSON"}

// Print prints a result as JSON after --json, and otherwise by a function for a person.
func Print(ctx *cli.Context, value any, text func() error) error {
	if !ctx.Bool(JSONFlag.Name) {
		return text()
	}
	return PrintIndented(ctx.App.Writer, value)
}

// PrintIndented writes a value as JSON for people. A list of nothing is [].
func PrintIndented(w io.Writer, value any) error {
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice && list.IsNil() {
		value = []any{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
