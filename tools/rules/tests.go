// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// rule is one section of one text.
type rule struct{ text, section string }

// self is this package, whose own tests hold citations that are only examples.
const self = "tools/rules/"

var testName = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Z_]`)

// trackedFiles lists the files under version control, as slash-separated paths from root.
func trackedFiles(root string) ([]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("list files of %s with git: %w", root, err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// testsByRule returns the tests that cite each rule, sorted, as "path TestName". A citation outside of tests
// counts for its file.
func testsByRule(root string, files []string) (map[rule][]string, error) {
	citing := make(map[rule][]string)
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, self) {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		cited := findCitations(string(source))
		if len(cited) == 0 {
			continue
		}
		at, err := functionsByLine(file, source)
		if err != nil {
			return nil, err
		}
		for _, c := range cited {
			name := path.Clean(file)
			if f := at(c.line); f != "" {
				name += " " + f
			}
			r := rule{c.text, c.section}
			citing[r] = append(citing[r], name)
		}
	}
	for r, names := range citing {
		slices.Sort(names)
		citing[r] = slices.Compact(names)
	}
	return citing, nil
}

// functionsByLine returns a function that names the test around a line, its comment included, and is empty elsewhere.
func functionsByLine(name string, source []byte) (func(line int) string, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return func(line int) string {
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !testName.MatchString(f.Name.Name) {
				continue
			}
			start := f.Pos()
			if f.Doc != nil {
				start = f.Doc.Pos()
			}
			if files.Position(start).Line <= line && line <= files.Position(f.End()).Line {
				return f.Name.Name
			}
		}
		return ""
	}, nil
}
