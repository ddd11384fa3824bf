// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signlog"
)

// voterDir makes a data directory of a validator.
func voterDir(t *testing.T, seed string) (dir string, owner signlog.Owner, commit func(sequence uint64) signlog.Record) {
	t.Helper()
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte(seed)))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := writeNodeKey(filepath.Join(dir, clientName, "nodekey"), key); err != nil {
		t.Fatal(err)
	}
	commit = func(sequence uint64) signlog.Record {
		m := &messages.Commit{Sequence: sequence, Digest: common.Hash{byte(sequence)}, Seal: make([]byte, messages.SealLength)}
		if err := messages.Sign(m, key); err != nil {
			t.Fatal(err)
		}
		return signlog.Record{Code: messages.CodeCommit, Sequence: sequence, Digest: m.Digest, Payload: m.Encode()}
	}
	return dir, signlog.Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: common.Hash{7}, ChainID: 8283}, commit
}

// gwon validator votes: what a key has signed moves from one directory to another, and neither to another key, nor while a process
// has it.
func TestVotesMove(t *testing.T) {
	seed := "votes test " + t.TempDir()
	from, owner, commit := voterDir(t, seed)
	to, _, _ := voterDir(t, seed)
	fails := func(want string, args ...string) {
		t.Helper()
		if out, err := runApp(t, "", append([]string{"validator", "votes"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q: %s", args, err, want, out)
		}
	}
	works := func(args ...string) string {
		t.Helper()
		out, err := runApp(t, "", append([]string{"validator", "votes"}, args...)...)
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return out
	}
	fails("there is no vote log", "show", "--datadir", from)
	fails("there is no vote log", "export", "--datadir", from)

	log, err := signlog.Open(filepath.Join(from, clientName, wbft.VotesFile), owner, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Write([]signlog.Record{commit(41), commit(42)}, []signlog.Lock{{Sequence: 42, Certificate: []byte{1}}}); err != nil {
		t.Fatal(err)
	}
	// While the validator runs its votes can be seen, and go nowhere.
	for _, want := range []string{owner.Validator.Hex(), owner.Genesis.Hex(), "8283", "block 42, round 0", "Messages:             2"} {
		if out := works("show", "--datadir", from); !strings.Contains(out, want) {
			t.Errorf("shown without %q:\n%s", want, out)
		}
	}
	file := filepath.Join(t.TempDir(), "votes.json")
	fails("in use by another process", "export", "--datadir", from, file)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := signlog.Look(signlog.OS{}, filepath.Join(from, clientName, wbft.VotesFile))
	if err != nil {
		t.Fatal(err)
	}

	if out := works("export", "--datadir", from, file); !strings.Contains(out, "Exported 2 messages") {
		t.Errorf("exported: %s", out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the export is open to others: %v, %v", info.Mode(), err)
	}
	fails("exists already", "export", "--datadir", from, file)
	var shown signlog.Interchange
	if err := json.Unmarshal([]byte(works("export", "--datadir", from)), &shown); err != nil || shown.Metadata != before.Metadata || len(shown.Data[0].Messages) != 2 {
		t.Errorf("to standard output: %+v, %v", shown, err)
	}

	// Not while the key is in use, wherever.
	key, err := keylock.Acquire(owner.Validator, owner.Genesis)
	if err != nil {
		t.Fatal(err)
	}
	fails("in use by another process", "import", "--datadir", to, file)
	if err := key.Close(); err != nil {
		t.Fatal(err)
	}
	if out := works("import", "--datadir", to, file); !strings.Contains(out, "Imported 2 messages and 1 locks") {
		t.Errorf("imported: %s", out)
	}
	var moved signlog.Interchange
	if err := json.Unmarshal([]byte(works("show", "--json", "--datadir", to)), &moved); err != nil {
		t.Fatal(err)
	}
	if a, b := mustJSON(t, moved.Data[0].Messages), mustJSON(t, before.Data[0].Messages); !bytes.Equal(a, b) || moved.Metadata != before.Metadata {
		t.Errorf("moved %s %+v, want %s %+v", a, moved.Metadata, b, before.Metadata)
	}
	if out := works("import", "--datadir", to, file); !strings.Contains(out, "Imported 0 messages and 0 locks") {
		t.Errorf("imported again: %s", out)
	}

	stranger, _, _ := voterDir(t, seed+" another")
	fails("the node key", "import", "--datadir", stranger, file)
	fails("there is no node key", "import", "--datadir", t.TempDir(), file)
	fails("give the file", "import", "--datadir", to)
	fails("no such file", "import", "--datadir", to, file+".absent")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, forged := range map[string]string{
		"is of chain ID 1, not 8283": strings.Replace(string(text), `"8283"`, `"1"`, 1),
		"with genesis block":         strings.Replace(string(text), owner.Genesis.Hex(), common.Hash{8}.Hex(), 1),
		"it is recorded as one of":   strings.Replace(string(text), `"digest": "`+common.Hash{41}.Hex(), `"digest": "`+common.Hash{40}.Hex(), 1),
		"is signed by":               strings.Replace(string(text), hex.EncodeToString(commit(42).Payload[len(commit(42).Payload)-20:]), strings.Repeat("01", 20), 1),
		"not the JSON form":          string(text[:len(text)/2]),
	} {
		path := filepath.Join(t.TempDir(), "forged.json")
		if forged == string(text) {
			t.Fatalf("%s: nothing was changed in %s", name, text)
		}
		if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		want := name
		if name == "is signed by" {
			want = "message 1" // signed by nobody or by somebody else, as chance has it
		} else if name == "with genesis block" {
			want = "not the log of this validator"
		} else if strings.HasPrefix(name, "is of chain ID") {
			want = "chain ID"
		}
		fails(want, "import", "--datadir", to, path)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
