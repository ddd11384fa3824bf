// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The log of another key or of another network in the data directory is refused, with what to do, and left as it is:
// its votes would be sent as one's own and one's own would be forgotten.
func TestForeignLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	must.Do(t, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	must.Do(t, l.Close())
	content := must.Get(os.ReadFile(path))(t)
	other := Owner{Validator: common.Address{19: 7}, Genesis: common.Hash{31: 7}}
	for name, c := range map[string]struct {
		owner Owner
		says  []string
	}{
		"another key": {Owner{Validator: other.Validator, Genesis: owner.Genesis},
			[]string{owner.Validator.String(), other.Validator.String(), "node key"}},
		"another network": {Owner{Validator: owner.Validator, Genesis: other.Genesis},
			[]string{owner.Genesis.String(), other.Genesis.String(), "make a new key"}},
	} {
		for range 2 { // a refusal must not leave the lock behind
			_, err := Open(path, c.owner)
			must.That(t, errors.Is(err, ErrForeign) && !errors.Is(err, ErrCorrupt), "%s: %v, want ErrForeign", name, err)
			for _, part := range append(c.says, path) {
				expect.That(t, strings.Contains(err.Error(), part), "%s: %q does not name %q", name, err, part)
			}
		}
	}
	now, err := os.ReadFile(path)
	expect.That(t, err == nil && bytes.Equal(now, content), "the foreign file was changed: %v", err)
	// The owner is told by the file that takes the place of the first, too.
	l = open(t, path)
	must.Do(t, l.rewrite())
	must.Do(t, l.Close())
	expect.Error(t, expect.Err(Open(path, other)), ErrForeign, "compacted")
	expect.Deep(t, stateOf(open(t, path)), state{votesOf(vote(Prepare, 7, 0, 1))}, "the owner finds")
}

// describe puts a state into words, the same for payloads that are absent in either way.
func describe(s state) (text string) {
	for _, sequence := range s {
		text += fmt.Sprintf("%d: %x", sequence.Number, sequence.Records)
		if sequence.Lock != nil {
			text += fmt.Sprintf(" %x", *sequence.Lock)
		}
	}
	return text
}

// A file in an older format is refused and left as it is, with its format and what to do about it. Look refuses it too.
func TestOldFormat(t *testing.T) {
	for _, format := range []string{"gwonvot1", "gwonvot2"} {
		t.Run(format, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "votes")
			content := append([]byte(format), "L\x01?B\xe2W\x11\xb5 and records"...)
			must.Do(t, os.WriteFile(path, content, 0o600))
			for range 2 { // a refusal must not leave the lock behind
				_, err := Open(path, owner)
				refused(t, err, path, format)
			}
			_, err := Look(OS{}, path)
			refused(t, err, path, format)
			now, err := os.ReadFile(path)
			expect.That(t, err == nil && bytes.Equal(now, content), "the file was changed: %v", err)
		})
	}
}

func refused(t *testing.T, err error, path, format string) {
	t.Helper()
	must.That(t, errors.Is(err, ErrOldFormat) && !errors.Is(err, ErrCorrupt), "%v, want ErrOldFormat", err)
	for _, part := range []string{path, format, "5eb96ecc", "move it away"} {
		expect.That(t, strings.Contains(err.Error(), part), "%q does not name %q", err, part)
	}
}

// A log that does not know its chain ID learns it from the file, and the file keeps it. spec: wbft 9.1
func TestChainIDOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	mine, other := owner, owner
	mine.ChainID, other.ChainID = 8283, 8282
	for _, o := range []Owner{mine, owner, mine} {
		l := must.Get(Open(path, o))(t)
		expect.Equal(t, l.owner.ChainID, 8283, "opened with chain ID %d", o.ChainID)
		must.Do(t, l.rewrite())
		must.Do(t, l.Close())
	}
	if _, err := Open(path, other); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), "8282") {
		t.Errorf("opened for another chain ID: %v, want ErrForeign", err)
	}
}
