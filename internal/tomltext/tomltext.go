// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package tomltext

import (
	"bytes"
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

// Explain adds file, line and key to an error of the parser. Page is the documentation with a configuration.
func Explain(file string, text []byte, err error, page string) error {
	var at *toml.LineError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", file, err)
	}
	why := at.Err
	if kind, wrong := strings.CutPrefix(why.Error(), "cannot unmarshal TOML "); wrong { // a Go type follows
		kind, _, _ = strings.Cut(kind, " into ")
		why = fmt.Errorf("this key cannot hold what TOML calls %s: %s has a configuration", kind, page)
	} else if why.Error() == "invalid TOML syntax" {
		why = fmt.Errorf("this is no TOML: %s has a configuration", page)
	}
	// The parser names the line behind one that has no value.
	lines, number := bytes.Split(text, []byte("\n")), at.Line
	for number > 1 && (number > len(lines) || len(bytes.TrimSpace(lines[number-1])) == 0) {
		number--
	}
	if number < 1 || number > len(lines) {
		return fmt.Errorf("%s line %d: %w", file, number, why)
	}
	key, _, _ := bytes.Cut(lines[number-1], []byte("="))
	name := strings.Trim(strconv.Quote(Shortened(string(bytes.TrimSpace(key)))), `"`) // a file can be anything
	return fmt.Errorf("%s line %d: %s: %w", file, number, name, why)
}

// Shortened returns the beginning of a text of any length, for an error.
func Shortened(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
