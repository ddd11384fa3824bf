// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The committed bindings equal the generated ones, to the byte.
func TestBindingsAreFresh(t *testing.T) {
	want := must.Get(source())(t)
	have := must.Get(os.ReadFile("../bindings.go"))(t)
	expect.Equal(t, string(have), want, "bindings.go is not what the artifacts give: make bindings")
}

// Every function that is bound is called by the commands, their libraries or the tests of whole nodes: by its method,
// or by its name in a table.
func TestBoundFunctionsAreCalled(t *testing.T) {
	callers := callers(t)
	for typ, functions := range used {
		for _, function := range functions {
			t.Run(typ+"/"+function, func(t *testing.T) {
				called := `\.(Try)?Pack` + abi.ToCamelCase(function) + `\b|"` + strings.TrimSuffix(function, "Batch") + `"`
				if !regexp.MustCompile(called).MatchString(callers) {
					t.Error("no code packs a call of it: take it out of the list and run make bindings")
				}
			})
		}
	}
}

// callers returns the Go code above the bindings.
func callers(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	root := filepath.Join("..", "..", "..")
	for _, dir := range []string{"cmd", "dev", "operator", "tests"} {
		must.Do(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			code, err := os.ReadFile(path)
			text.Write(code)
			return err
		}))
	}
	return text.String()
}

// An unknown function is named in the error.
func TestUnknownFunction(t *testing.T) {
	_, err := list("NativeCoinAdapter", []string{`{"name":"burn"}`}, map[string]string{`{"name":"burn"}`: "burn"})
	if err == nil || !strings.Contains(err.Error(), "mint") || strings.Contains(err.Error(), "burn") {
		t.Errorf("error %v", err)
	}
}
