// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/log"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Needless lines appear at debug verbosity only. Other lines, and the same text as an error, stay as they are.
func TestNeedlessLines(t *testing.T) {
	earlier := log.Root()
	t.Cleanup(func() { log.SetDefault(earlier) })
	const always, dev = "Opened Era store", "P2P server will be useless, neither dialing nor listening"
	write := func() {
		log.Info(always)
		log.New("module", "x").Warn(always)
		log.Error(always, "stays", "1")
		log.Warn(dev, "own", dev)
		log.New("module", "y").Info("Something else", "stays", "2")
		log.Info(importLine, "number", 5, "blocks", 1)
		log.Info(" - Boho                       #0")
		log.Info("Failed to load journal, discard it", "err", errors.New("journal not found"))
	}
	for _, c := range []struct {
		name      string
		verbosity int
		dev       bool
		want      []string // beginnings of the lines
	}{
		{"node", 3, false, []string{"ERROR", "WARN ", "INFO "}},
		{"developer chain", 3, true, []string{"ERROR", "INFO "}},
		{"debug", 4, true, []string{"DEBUG", "DEBUG", "ERROR", "DEBUG", "INFO ", "DEBUG", "DEBUG", "DEBUG"}},
		{"errors alone", 1, false, []string{"ERROR"}},
	} {
		var out bytes.Buffer
		handler := log.NewGlogHandler(log.NewTerminalHandler(&out, false))
		handler.Verbosity(log.FromLegacyLevel(c.verbosity))
		log.SetDefault(log.NewLogger(handler))
		QuietLog(c.dev)
		write()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != len(c.want) {
			t.Errorf("%s: %q", c.name, lines)
			continue
		}
		for i, line := range lines {
			expect.That(t, strings.HasPrefix(line, c.want[i]), "%s: line %q, want level %s", c.name, line, c.want[i])
		}
		got := out.String()
		if c.verbosity == 3 && (!strings.Contains(got, "stays=1") || !strings.Contains(got, "module=y stays=2")) {
			t.Errorf("%s: fields are missing in %q", c.name, got)
		}
	}
}

// Every needless line is one that upstream writes: a text that has changed is noticed here.
func TestNeedlessLinesExist(t *testing.T) {
	written := make(map[string]bool)
	upstream := filepath.Join("..", "..", "..", "build", "go-ethereum")
	must.Do(t, filepath.WalkDir(upstream, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			text, isText := call.Args[0].(*ast.BasicLit)
			if ok && isText && (method.Sel.Name == "Info" || method.Sel.Name == "Warn") {
				if line, err := strconv.Unquote(text.Value); err == nil {
					written[line] = true
				}
			}
			return true
		})
		return nil
	}))
	for _, lines := range []map[string]bool{needlessLines, needlessDevLines} {
		for line := range lines {
			expect.That(t, written[line], "upstream does not write %q at the levels info and warn", line)
		}
	}
}

// No line advises a command of another program. What it says besides stays.
func TestForeignAdvice(t *testing.T) {
	earlier := log.Root()
	t.Cleanup(func() { log.SetDefault(earlier) })
	var out bytes.Buffer
	log.SetDefault(log.NewLogger(log.NewTerminalHandler(&out, false)))
	QuietLog(false)
	log.Warn("Pebble database uses legacy v1 format; upgrade offline with 'geth db pebble-upgrade'")
	log.Error("Run 'geth prune-history --history.chain all' to prune history.")
	got := out.String()
	expect.That(t, !strings.Contains(got, "geth") && strings.Contains(got, "legacy v1 format") &&
		strings.Count(got, "\n") == 1, "log %q", got)
}

// Several blocks in one import line are a sync, which stays in the log.
func TestImportOfSeveralBlocks(t *testing.T) {
	earlier := log.Root()
	t.Cleanup(func() { log.SetDefault(earlier) })
	var out bytes.Buffer
	handler := log.NewGlogHandler(log.NewTerminalHandler(&out, false))
	handler.Verbosity(log.LevelInfo)
	log.SetDefault(log.NewLogger(handler))
	QuietLog(false)
	log.Info(importLine, "number", 5, "blocks", 12)
	expect.Contains(t, out.String(), "blocks=12", "log")
}
