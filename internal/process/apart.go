// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// CheckApart is the rule of commands that write from one place into another: neither is the other or lies inside it,
// by whatever links they are named. Either may not be there yet.
func CheckApart(a, b string) error {
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
			if at == c[3] || sameFile(at, c[3]) {
				return fmt.Errorf("%s lies in %s: name a place outside of it", c[0], c[2])
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// resolve returns a path without symbolic links, as far as it exists.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for rest := ""; ; path = filepath.Dir(path) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(real, rest), err
		}
		rest = filepath.Join(filepath.Base(path), rest)
	}
}
