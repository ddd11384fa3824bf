// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/sumdb/dirhash"
)

// modulePath is the upstream module.
const modulePath = "github.com/ethereum/go-ethereum"

// Every Go file of upstream/siblings ends in one of these, so that the tree and a stack trace show whose file it is.
const (
	siblingSuffix     = ".gwon.go"
	siblingTestSuffix = ".gwon_test.go"
)

func isSiblingName(path string) bool {
	return strings.HasSuffix(path, siblingSuffix) || strings.HasSuffix(path, siblingTestSuffix)
}

// project is a working copy of the main module.
type project struct {
	root     string   // absolute path
	version  string   // pinned version of the upstream module, from go.mod
	sum      string   // its h1: hash, from upstream/go-ethereum.sum
	patches  []string // patch names without the .patch suffix, in order of application
	siblings []string // slash-separated paths below upstream/siblings, sorted

	fetch func() (dir string, err error) // returns the verified pristine module
}

func (p *project) tree() string { return filepath.Join(p.root, "build", "go-ethereum") }
func (p *project) patchFile(n string) string {
	return filepath.Join(p.root, "upstream", "patches", n+".patch")
}
func (p *project) siblingDir() string { return filepath.Join(p.root, "upstream", "siblings") }

// openProject reads the pinned version, its hash, and the lists of patches and siblings.
func openProject(root string) (*project, error) {
	p := &project{root: root}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("this is not the root of the project (run it with -root): %w", err)
	}
	mod, err := modfile.Parse("go.mod", gomod, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range mod.Require {
		if r.Mod.Path == modulePath {
			p.version = r.Mod.Version
		}
	}
	if p.version == "" {
		return nil, fmt.Errorf("go.mod does not require %s", modulePath)
	}
	if p.sum, err = readSum(filepath.Join(root, "upstream", "go-ethereum.sum"), p.version); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(root, "upstream", "patches", "*.patch"))
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		p.patches = append(p.patches, strings.TrimSuffix(filepath.Base(n), ".patch"))
	}
	slices.Sort(p.patches)
	err = filepath.WalkDir(p.siblingDir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(p.siblingDir(), path)
		if err == nil && filepath.Ext(rel) != ".md" {
			p.siblings = append(p.siblings, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	slices.Sort(p.siblings)
	p.fetch = p.pristine
	return p, nil
}

// readSum returns the h1: hash that the sum file holds for a version.
func readSum(file, version string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == modulePath && f[1] == version {
			return f[2], nil
		}
	}
	return "", fmt.Errorf("%s has no hash for %s: add the line '%s %s h1:...' with the hash that the Go checksum "+
		"database gives", file, version, modulePath, version)
}

// pristine returns the directory of the verified upstream module in the Go module cache. A missing one is downloaded.
func (p *project) pristine() (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", modulePath+"@"+p.version)
	// Outside any module, so that neither the replacement nor the main module's other requirements take part.
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GO111MODULE=on")
	out, runErr := cmd.Output()
	var res struct{ Error, Dir, Sum string }
	if err := json.Unmarshal(out, &res); err != nil {
		return "", fmt.Errorf("cannot run 'go mod download' for %s@%s (is Go installed and on the PATH?): %w", modulePath,
			p.version, errors.Join(runErr, err))
	}
	if res.Error != "" {
		return "", fmt.Errorf("cannot get %s@%s (no network, or GOPROXY does not serve it): %s", modulePath, p.version,
			res.Error)
	}
	if res.Sum != p.sum {
		return "", fmt.Errorf("%s@%s has hash %s, but upstream/go-ethereum.sum wants %s: do not build from it", modulePath,
			p.version, res.Sum, p.sum)
	}
	have, err := dirhash.HashDir(res.Dir, modulePath+"@"+p.version, dirhash.Hash1)
	if err != nil {
		return "", fmt.Errorf("cannot read the module cache: %w", err)
	}
	if have != p.sum {
		return "", fmt.Errorf("the module cache copy %s was changed (hash %s, want %s): run 'go clean -modcache' and try "+
			"again", res.Dir, have, p.sum)
	}
	return res.Dir, nil
}
