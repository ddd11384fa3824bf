// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Within reports whether the directory path is dir or lies in it. The file system answers, so that links, dots and the
// working directory make no difference. path need not be there: the nearest directory above it stands for it.
func Within(path, dir string) (bool, error) {
	outer, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(path)
	for errors.Is(err, fs.ErrNotExist) && path != "." { // not cleaned: what follows a link and dots is elsewhere then
		if path, _ = filepath.Split(strings.TrimRight(path, string(filepath.Separator))); path == "" {
			path = "."
		}
		info, err = os.Stat(path)
	}
	for err == nil {
		if os.SameFile(info, outer) {
			return true, nil
		}
		path += string(filepath.Separator) + ".."
		below := info
		if info, err = os.Stat(path); err == nil && os.SameFile(info, below) {
			return false, nil // the root is above itself
		}
	}
	return false, err
}
