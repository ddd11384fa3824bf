// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadTransaction returns the argument itself when it begins like a transaction, else the content of the file that it
// names, of at most limit bytes.
func ReadTransaction(name string, limit int64) ([]byte, error) {
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
	input, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read transaction from %s: %w", name, err)
	}
	if int64(len(input)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes: give one transaction", name, limit)
	}
	return input, nil
}
