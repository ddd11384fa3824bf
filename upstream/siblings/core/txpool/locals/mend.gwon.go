// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package locals

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
)

// mendJournal removes the bytes of a journal that are no transaction, because a kill can leave the beginning of one at
// the end and transactions behind it could not be read. All readable transactions are kept. The original of a journal
// that is damaged before its end, or that is no journal, is kept under the name with the suffix ".damaged".
func mendJournal(path string) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the journal of local transactions: %w", err)
	}
	kept := make([]byte, 0, len(content))
	inside := false // something is damaged that whole transactions follow
	for rest, whole := content, true; len(rest) > 0; {
		size := transactionAt(rest)
		if size > 0 {
			kept, inside = append(kept, rest[:size]...), inside || !whole
		}
		whole = size > 0
		rest = rest[max(size, 1):]
	}
	lost := len(content) - len(kept)
	if lost == 0 {
		return nil
	}
	repaired := path + ".mended"
	if err := writeSynced(repaired, kept); err != nil {
		return fmt.Errorf("mend the journal of local transactions: %w", err)
	}
	if !inside && len(kept) > 0 { // with nothing kept it may be another file
		log.Warn("The journal of local transactions ended in the middle of one, which is lost", "bytes", lost)
	} else {
		original := path + ".damaged"
		for n := 1; isThere(original); n++ {
			original = fmt.Sprintf("%s.damaged.%d", path, n)
		}
		log.Error("The journal of local transactions was damaged; what can be read of it is kept, and the original "+
			"is beside it", "lostBytes", lost, "original", original)
		if err := os.Rename(path, original); err != nil {
			return fmt.Errorf("keep the damaged journal of local transactions: %w", err)
		}
	}
	if err := os.Rename(repaired, path); err != nil {
		return fmt.Errorf("mend the journal of local transactions: %w", err)
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// transactionAt returns the size in bytes of the transaction with which encoded begins, 0 if it does not begin with
// one. The remains of a torn transaction can look whole together with the bytes that follow: then another transaction
// begins inside it, and none behind it.
func transactionAt(encoded []byte) int {
	size := frameAt(encoded)
	if size == 0 || size == len(encoded) || frameAt(encoded[size:]) > 0 {
		return size
	}
	for inside := 1; inside < size; inside++ {
		if frameAt(encoded[inside:]) > 0 {
			return 0
		}
	}
	return size
}

// frameAt returns the size in bytes of what can be read as a transaction at the beginning of encoded; 0 if nothing can.
func frameAt(encoded []byte) int {
	_, _, rest, err := rlp.Split(encoded)
	if err != nil {
		return 0
	}
	size := len(encoded) - len(rest)
	if rlp.DecodeBytes(encoded[:size], new(types.Transaction)) != nil {
		return 0
	}
	return size
}

// writeSynced writes a file that is on disk when it returns.
func writeSynced(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) //nolint:gosec // as upstream's journal
	if err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}
