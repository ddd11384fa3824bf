// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package apart keeps the places of a command apart.
package apart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Check is the rule of commands that write from one place into another: neither is the other or lies inside it,
// by whatever links they are named. Either may not be there yet.
func Check(a, b string) error {
	first, err := resolve(a)
	if err != nil {
		return err
	}
	second, err := resolve(b)
	if err != nil {
		return err
	}
	for _, c := range [][4]string{{a, first, b, second}, {b, second, a, first}} {
		for at := c[1]; ; at = filepath.Dir(at) {
			if at == c[3] || SameFile(at, c[3]) {
				return fmt.Errorf("%s lies in %s: name a place outside of it", c[0], c[2])
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// SameFile reports whether two paths lead to one file.
func SameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// resolve returns a path without symbolic links, as far as it exists. Dots behind a link are those of its target.
func resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = here + string(filepath.Separator) + path
	}
	for rest := ""; ; {
		real, err := filepath.EvalSymlinks(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(real, rest), err
		}
		above, name := filepath.Split(strings.TrimRight(path, string(filepath.Separator)))
		path, rest = above, filepath.Join(name, rest)
	}
}
