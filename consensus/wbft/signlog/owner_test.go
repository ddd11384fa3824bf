// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// recovered is how the shell tells who signed a message.
func recovered(code uint64, payload []byte) (common.Address, error) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return common.Address{}, err
	}
	return m.Signer()
}

// The log of another key or of another network in the data directory is refused, with what to do, and left as it is: its
// votes would be sent as one's own and one's own would be forgotten.
func TestForeignLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes")
	l := open(t, path)
	must(t, l.Write([]Record{vote(Prepare, 7, 0, 1)}, nil))
	must(t, l.Close())
	content, err := os.ReadFile(path)
	must(t, err)
	other := Owner{Validator: common.Address{19: 7}, Genesis: common.Hash{31: 7}}
	for name, c := range map[string]struct {
		owner Owner
		says  []string
	}{
		"another key":     {Owner{Validator: other.Validator, Genesis: owner.Genesis}, []string{owner.Validator.String(), other.Validator.String(), "node key"}},
		"another network": {Owner{Validator: owner.Validator, Genesis: other.Genesis}, []string{owner.Genesis.String(), other.Genesis.String(), "move the file away"}},
	} {
		for range 2 { // a refusal must not leave the lock behind
			_, err := Open(path, c.owner, recovered)
			if !errors.Is(err, ErrForeign) || errors.Is(err, ErrCorrupt) {
				t.Fatalf("%s: %v, want ErrForeign", name, err)
			}
			for _, part := range append(c.says, path) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q does not name %q", name, err, part)
				}
			}
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, content) {
		t.Errorf("the foreign file was changed: %v", err)
	}
	// The owner is told by the file that takes the place of the first, too.
	l = open(t, path)
	must(t, l.rewrite())
	must(t, l.Close())
	if _, err := Open(path, other, recovered); !errors.Is(err, ErrForeign) {
		t.Errorf("written anew: %v, want ErrForeign", err)
	}
	if got := stateOf(open(t, path)); !reflect.DeepEqual(got, state{votesOf(vote(Prepare, 7, 0, 1))}) {
		t.Errorf("the owner finds %v", got)
	}
}

// A file in the format before is taken over when all in it was signed by this key, and names its owner from then on; that of
// another key is refused and left as it is.
func TestFileWithoutOwner(t *testing.T) {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("signlog test validator")))
	must(t, err)
	content, err := os.ReadFile("testdata/gwonvot1.log")
	must(t, err)
	path := filepath.Join(t.TempDir(), "votes")
	must(t, os.WriteFile(path, content, 0o600))

	if _, err := Open(path, owner, recovered); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), crypto.PubkeyToAddress(key.PublicKey).String()) {
		t.Errorf("another key: %v, want ErrForeign", err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, content) {
		t.Errorf("the foreign file was changed: %v", err)
	}

	mine := Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: owner.Genesis}
	var kinds [][]uint64
	for range 2 {
		l, err := Open(path, mine, recovered)
		must(t, err)
		kinds = nil
		for _, s := range l.Sequences() {
			codes := []uint64{s.Number}
			for _, r := range s.Records {
				codes = append(codes, r.Code)
			}
			kinds = append(kinds, codes)
		}
		if want := [][]uint64{{7, Prepare, Commit}, {8, Prepare, Commit, RoundChange}}; !reflect.DeepEqual(kinds, want) {
			t.Fatalf("records %v, want %v", kinds, want)
		}
		if k := l.Sequences()[1].Lock; k == nil || string(k.Certificate) != "certificate" {
			t.Errorf("lock %v", k)
		}
		if err := l.Write([]Record{vote(Prepare, 8, 0, 99)}, nil); !errors.Is(err, ErrConflict) {
			t.Errorf("contradiction to a vote that was taken over: %v", err)
		}
		must(t, l.Close())
	}
	now, err := os.ReadFile(path)
	must(t, err)
	if !bytes.HasPrefix(now, []byte(magic)) {
		t.Errorf("the file is still of the old format: %q", now[:len(magic)])
	}
	if _, err := Open(path, Owner{Validator: mine.Validator, Genesis: common.Hash{1}}, recovered); !errors.Is(err, ErrForeign) {
		t.Errorf("taken over, then opened for another network: %v", err)
	}

	// One strange message among good ones is enough, as is one that cannot be read.
	for name, c := range map[string]struct {
		payload []byte
		want    error
	}{"strange": {strange(t), ErrForeign}, "unreadable": {[]byte{1}, ErrCorrupt}} {
		l := newLog("", Owner{})
		if _, err := l.load(content); err != nil {
			t.Fatal(err)
		}
		frame := legacyFrame(t, l, voteEntry(Record{Code: Prepare, Sequence: 9, Digest: common.Hash{9}, Payload: c.payload}))
		must(t, os.WriteFile(path, append(bytes.Clone(content), frame...), 0o600))
		if _, err := Open(path, mine, recovered); !errors.Is(err, c.want) {
			t.Errorf("%s message: %v, want %v", name, err, c.want)
		}
	}
}

// legacyFrame is a frame of the formats before.
func legacyFrame(t *testing.T, l *Log, entries ...entry) []byte {
	t.Helper()
	body, err := appendEntries(nil, entries)
	must(t, err)
	length := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b := append(bytes.Clone(l.marker[:]), length...)
	return append(binary.BigEndian.AppendUint32(b, checksum(length, body)), body...)
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

// A file of the format before this one is taken over, with nothing lost of it, a torn last record apart, and is as complete as it was.
func TestFileOfTheFormatBefore(t *testing.T) {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("signlog test validator")))
	must(t, err)
	mine := Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: owner.Genesis, ChainID: 8283}
	first, err := os.ReadFile("testdata/gwonvot1.log")
	must(t, err)
	content, err := os.ReadFile("testdata/gwonvot2.log")
	must(t, err)
	path := filepath.Join(t.TempDir(), "votes")
	must(t, os.WriteFile(path, first, 0o600))
	l, err := Open(path, mine, recovered)
	must(t, err)
	want := stateOf(l)
	must(t, l.Close())
	for _, tail := range []string{"", "gwonv", string(make([]byte, 30))} {
		must(t, os.WriteFile(path, append(bytes.Clone(content), tail...), 0o600))
		for i := range 2 {
			l, err := Open(path, mine, recovered)
			must(t, err)
			if got := describe(stateOf(l)); got != describe(want) {
				t.Errorf("start %d: %s, want %s", i, got, describe(want))
			}
			if o := l.Origin(); o == nil || *o != (Origin{}) {
				t.Errorf("start %d: origin %v", i, o)
			}
			if torn := l.Torn(); i == 0 && torn != int64(len(tail)) || i == 1 && torn != 0 {
				t.Errorf("start %d: %d bytes torn", i, torn)
			}
			must(t, l.Close())
		}
		now, err := os.ReadFile(path)
		must(t, err)
		if !bytes.HasPrefix(now, []byte(magic)) {
			t.Errorf("the file is still of the old format: %q", now[:len(magic)])
		}
	}
	// From then on the file names the chain ID too.
	other := mine
	other.ChainID = 8282
	if _, err := Open(path, other, recovered); !errors.Is(err, ErrForeign) {
		t.Errorf("opened for another chain ID: %v", err)
	}
	unknown := mine
	unknown.ChainID = 0
	l, err = Open(path, unknown, recovered)
	must(t, err)
	if l.owner.ChainID != 8283 {
		t.Errorf("chain ID %d", l.owner.ChainID)
	}
	must(t, l.Close())
}

// strange is a PREPARE of another validator.
func strange(t *testing.T) []byte {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("another")))
	must(t, err)
	m := &messages.Prepare{Sequence: 9, Digest: common.Hash{9}, Seal: make([]byte, 96)}
	must(t, messages.Sign(m, key))
	return m.Encode()
}

// A flipped bit in a file of the older format is damage, too, wherever it is before the last record.
func TestDamageWithoutOwner(t *testing.T) {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("signlog test validator")))
	must(t, err)
	mine := Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: owner.Genesis}
	content, err := os.ReadFile("testdata/gwonvot1.log")
	must(t, err)
	l := newLog("", mine)
	if _, err := l.load(content); err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndex(content, l.marker[:])
	path := filepath.Join(t.TempDir(), "votes")
	for at := range last {
		damaged := bytes.Clone(content)
		damaged[at] ^= 1
		must(t, os.WriteFile(path, damaged, 0o600))
		if _, err := OpenOn(unsynced{}, path, mine, recovered); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("byte %d: %v, want ErrCorrupt", at, err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) {
			t.Fatalf("byte %d: the damaged file was changed: %v", at, err)
		}
	}
}
