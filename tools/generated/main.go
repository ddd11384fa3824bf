// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command generated reports generated files that are stale, without generating them again. For each generator
// sums.txt holds one hash over its sources and its results, which the make target writes after it has generated them.
// A changed source or an edited result changes the hash. It says nothing when every hash fits.
//
//	go run ./tools/generated              compare all
//	go run ./tools/generated -write NAME  store the hash of one generator, the last line of its make target
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// generator makes results from sources. Both are files or directories, relative to the root of the repository.
type generator struct {
	name, target string // the target of make that generates and stores the hash
	files        []string
}

var generators = []generator{
	{"contracts", "contracts", []string{
		"contracts/src", "contracts/dev/src", "contracts/compile.mjs", "contracts/package.json",
		"contracts/package-lock.json", "contracts/artifacts", "contracts/dev/artifacts",
		"contracts/proof/src", "contracts/proof/artifacts",
	}},
	{"bindings", "bindings", []string{
		"contracts/artifacts", "contracts/bindings/generate", "contracts/bindings/bindings.go",
	}},
	{"page", "ui", []string{
		"dev/ui/src", "dev/ui/build.mjs", "dev/ui/package.json", "dev/ui/package-lock.json", "dev/ui/tsconfig.json",
		"dev/web/assets",
	}},
}

// sumsFile holds a line "NAME HASH" for each generator.
const sumsFile = "tools/generated/sums.txt"

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 0:
		var stale []string
		if stale, err = compare("."); len(stale) > 0 {
			fmt.Println(strings.Join(stale, "\n"))
			os.Exit(1)
		}
	case len(args) == 2 && args[0] == "-write":
		err = write(".", args[1])
	default:
		err = fmt.Errorf("unknown arguments %q: give none, or -write NAME", args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generated:", err)
		os.Exit(2)
	}
}

// compare returns a line for each generator whose files do not have the stored hash.
func compare(root string) (stale []string, err error) {
	stored, err := readSums(root)
	if err != nil {
		return nil, err
	}
	for _, g := range generators {
		now, err := g.sum(root)
		if err != nil {
			return nil, err
		}
		if stored[g.name] != now {
			stale = append(stale, fmt.Sprintf("%s: sources or results differ from those of the last generation: run make %s",
				g.name, g.target))
		}
	}
	return stale, nil
}

// write stores the hash of the generator with this name.
func write(root, name string) error {
	i := slices.IndexFunc(generators, func(g generator) bool { return g.name == name })
	if i < 0 {
		return fmt.Errorf("there is no generator %q", name)
	}
	sums, err := readSums(root)
	if err != nil {
		return err
	}
	if sums[name], err = generators[i].sum(root); err != nil {
		return err
	}
	var text strings.Builder
	for _, g := range generators {
		if sums[g.name] != "" {
			fmt.Fprintf(&text, "%s %s\n", g.name, sums[g.name])
		}
	}
	return os.WriteFile(filepath.Join(root, sumsFile), []byte(text.String()), 0o644) //nolint:gosec // a public file
}

func readSums(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, sumsFile))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	sums := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if name, sum, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			sums[name] = sum
		}
	}
	return sums, nil
}

// sum returns the hash over names and contents of all files of g, without those in node_modules.
func (g generator) sum(root string) (string, error) {
	h := sha256.New()
	for _, file := range g.files {
		err := filepath.WalkDir(filepath.Join(root, file), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if d.Name() == "node_modules" {
					return fs.SkipDir
				}
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(h, "%s %x\n", filepath.ToSlash(relative), sha256.Sum256(content))
			return err
		})
		if err != nil {
			return "", fmt.Errorf("read the files of %s: %w", g.name, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
