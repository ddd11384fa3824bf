// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package nodekey knows the names under which a directory has the key of a node.
package nodekey

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gwon/internal/secretfile"
)

// Names of the node key in <datadir>/gwon. An encrypted key has another name because earlier programs replace a file
// nodekey that they cannot read by a new key.
const (
	Plain     = "nodekey"
	Encrypted = "nodekey.json"

	// MovingSuffix is that of the node key while gwon-signer init moves it.
	MovingSuffix = ".moving"
)

// Find returns the path of the node key in a directory, <datadir>/gwon. The file may be absent. moving reports
// whether the key is there with MovingSuffix instead. More than one key is an error: one of them would be lost.
func Find(dir string) (path string, moving bool, err error) {
	var found, described []string
	for _, name := range []string{
		Plain, Encrypted, Plain + MovingSuffix, Encrypted + MovingSuffix,
	} {
		file := filepath.Join(dir, name)
		switch _, err := os.Lstat(file); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", false, fmt.Errorf("look for node key: %w", err)
		}
		found, described = append(found, file), append(described, name+ownerOf(file))
	}
	switch len(found) {
	case 0:
		return filepath.Join(dir, Plain), false, nil
	case 1:
		path, moving = strings.CutSuffix(found[0], MovingSuffix)
		return path, moving, nil
	}
	return "", false, fmt.Errorf("%s has more than one node key: %s. Move all but that of the validator to another "+
		"directory; if the rest is *%s, then repeat gwon-signer init, which was moving it", dir,
		strings.Join(described, ", "), MovingSuffix)
}

// ownerOf names the address of a key file, if it can be read.
func ownerOf(file string) string {
	content, err := secretfile.Read(file)
	if err != nil {
		return ""
	}
	address, err := secretfile.Address(content)
	if err != nil {
		return ""
	}
	return " of " + address.Hex()
}

// RefuseMoving returns an error if a key is there with MovingSuffix, which a move that ended early leaves. A new key
// beside it would be taken for the validator's.
func RefuseMoving(key string) error {
	switch _, err := os.Lstat(key + MovingSuffix); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for node key: %w", err)
	}
	return fmt.Errorf("%s is the node key, which gwon-signer init was moving when it ended early: repeat that command "+
		"with the same --dir", key+MovingSuffix)
}
