// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"os"
	"strings"

	"gwon/internal/atomicfile"
)

// ReadTransaction returns the argument itself when it begins like a transaction, else the content of the file that it
// names, of at most limit bytes.
func ReadTransaction(name string) ([]byte, error) {
	if strings.HasPrefix(name, "0x") || strings.HasPrefix(strings.TrimSpace(name), "{") {
		return []byte(name), nil
	}
	in := os.Stdin
	if name != "-" {
		file, err := os.Open(ExpandHome(name))
		if err != nil {
			return nil, fmt.Errorf("read transaction: %w: give 0x and hexadecimal digits, a file, or -", err)
		}
		defer file.Close() //nolint:errcheck // read only
		in = file
	}
	input, err := atomicfile.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read transaction from %s: %w", name, err)
	}
	return input, nil
}
