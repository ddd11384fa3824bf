// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command advisories reports what needs no vulnerability database: modules of go.mod behind a version that
// tools/advisories.txt names, and a toolchain behind the newest patch release of its line. It fails if there are any.
//
//	go run -C build ./advisories -root ..
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	goversion "go/version"
)

const (
	table = "tools/advisories.txt"
	// grace is how long a patch release of Go is public before a toolchain without it fails.
	grace = 14 * 24 * time.Hour
)

func main() {
	root := flag.String("root", ".", "root of the repository")
	flag.Parse()
	behind, err := run(*root)
	if err == nil && len(behind) > 0 {
		err = errors.New(strings.Join(behind, "\n"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "advisories:", err)
		os.Exit(1)
	}
}

func run(root string) ([]string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(table)))
	if err != nil {
		return nil, err
	}
	used, err := versions(mod)
	if err != nil {
		return nil, err
	}
	list, err := parse(string(text))
	if err != nil {
		return nil, err
	}
	behind := compare(used, list)
	newer, err := newestPatch(used["go"], time.Now(), goList)
	if err != nil {
		fmt.Printf("NOT CHECKED: whether %s is the newest patch of its line: %v\n", used["go"], err)
		return behind, nil
	}
	if newer != "" {
		behind = append(behind, fmt.Sprintf("the toolchain %s of go.mod is behind %s, its line's newest patch that is "+
			"public for 14 days or has no date: raise it and run the tests", used["go"], newer))
	}
	return behind, nil
}

// versions returns the version of each module in a go.mod, and under "go" the toolchain that builds it.
func versions(mod []byte) (map[string]string, error) {
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil, err
	}
	if f.Toolchain == nil || !goversion.IsValid(f.Toolchain.Name) {
		return nil, errors.New("go.mod names no toolchain: add a line like toolchain go1.27.4")
	}
	used := map[string]string{"go": f.Toolchain.Name}
	for _, r := range f.Require {
		used[r.Mod.Path] = r.Mod.Version
	}
	return used, nil
}

// advisory is a row of the table: the version of a module that mends a fault.
type advisory struct{ module, fixed, name string }

func parse(text string) (list []advisory, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		bad := func(why string) error { return fmt.Errorf("%s:%d: %s", table, number, why) }
		if len(words) != 4 {
			return nil, bad("a row is MODULE FIXED-VERSION ADVISORY DATE")
		}
		if _, err := time.Parse(time.DateOnly, words[3]); err != nil {
			return nil, bad(words[3] + " is no date: write it like 2026-10-08")
		}
		a := advisory{words[0], "v" + words[1], words[2]}
		valid := semver.IsValid(a.fixed)
		if a.module == "go" {
			a.fixed = "go" + words[1]
			valid = goversion.IsValid(a.fixed)
		}
		if !valid {
			return nil, bad(words[1] + " is no version: write it like 1.27.4")
		}
		list = append(list, a)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no rows", table)
	}
	return list, nil
}

// compare returns a line for each advisory that a used version is behind. Go mends a fault in several lines. A line of
// which no row of that fault speaks is behind if a later one is mended.
func compare(used map[string]string, list []advisory) (behind []string) {
	lines := make(map[[2]string]bool) // lines of Go by advisory that have a row
	for _, a := range list {
		if a.module == "go" {
			lines[[2]string{a.name, goversion.Lang(a.fixed)}] = true
		}
	}
	for _, a := range list {
		version, ok := used[a.module]
		if !ok {
			continue
		}
		old := semver.Compare(version, a.fixed) < 0
		if a.module == "go" {
			line := goversion.Lang(version)
			old = goversion.Compare(version, a.fixed) < 0 &&
				(goversion.Lang(a.fixed) == line || !lines[[2]string{a.name, line}])
		}
		if old {
			behind = append(behind, fmt.Sprintf("%s %s of go.mod is behind %s, which mends %s: raise it",
				a.module, version, a.fixed, a.name))
		}
	}
	return behind
}

// newestPatch returns the newest patch release of a toolchain's line if it is newer than the toolchain and public for
// the time of grace. One without a date counts at once. The function list asks the module proxy.
func newestPatch(toolchain string, now time.Time, list func(...string) (string, error)) (newest string, err error) {
	all, err := list("-versions", "go")
	if err != nil {
		return "", err
	}
	found := false
	for _, version := range strings.Fields(all) {
		version = "go" + version
		if !goversion.IsValid(version) || goversion.Lang(version) != goversion.Lang(toolchain) {
			continue
		}
		found = true
		if goversion.Compare(version, toolchain) <= 0 || newest != "" && goversion.Compare(version, newest) <= 0 {
			continue
		}
		// The module go itself has no date. Its toolchains are released together.
		date, err := list("-f", `{{with .Time}}{{.Format "2006-01-02"}}{{end}}`,
			"golang.org/toolchain@v0.0.1-"+version+".linux-amd64")
		if day, bad := time.Parse(time.DateOnly, strings.TrimSpace(date)); err != nil || bad != nil || now.Sub(day) >= grace {
			newest = version
		}
	}
	if !found {
		return "", fmt.Errorf("the module proxy names no release of %s", goversion.Lang(toolchain))
	}
	return newest, nil
}

// goList returns what go list -m prints.
func goList(args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"list", "-m"}, args...)...) //nolint:gosec // names of modules
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return string(out), nil
}
