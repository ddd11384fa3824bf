// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package atomicfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// partialMark follows the name in that of a file that is being written; random digits follow.
const partialMark = ".new-"

// PartialOf returns the name of the file that a file with this name was to become when a crash cut Write short. It
// returns "" for any other name.
func PartialOf(name string) string {
	name, hidden := strings.CutPrefix(name, ".")
	i := strings.LastIndex(name, partialMark)
	if !hidden || i < 0 {
		return ""
	}
	return name[:i]
}

// Write puts content at path, in place of what is there. A crash leaves the old file or the new one. When Write has
// returned without error, a power loss leaves the new one. No reader sees a part of it. Of several writers one wins.
// mode is that of the new file, whatever the umask. The directory must exist.
func Write(path string, content []byte, mode os.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+partialMark+"*")
	if err != nil {
		return err
	}
	if _, err = file.Write(content); err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync() // a rename that reached the disk before the content would leave an empty file
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return SyncDirectory(filepath.Dir(path))
}

// WriteJSON is Write of a value as JSON for people.
func WriteJSON(path string, value any, mode os.FileMode) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return Write(path, append(content, '\n'), mode)
}

// Rename gives a file or directory, which the caller has synced, another name. What has that name already stays, and is
// an error. When Rename has returned without error, a power loss does not take it back.
func Rename(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fmt.Errorf("%s is there already: move it away, or delete it", to))
	}
	return Replace(from, to)
}

// Replace is Rename in place of what has that name. It is for files that the caller has written.
func Replace(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDirectory(filepath.Dir(to))
}

// SyncDirectory makes names in a directory durable.
func SyncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced there; the file system's journal keeps the names
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
