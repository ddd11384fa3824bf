// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/keys"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/nodekey"
	"gwon/internal/vectors"
)

type keyVector struct {
	Address           common.Address `json:"address"`
	PrivateKey        hexutil.Bytes  `json:"privateKey"`
	BLSPublicKey      hexutil.Bytes  `json:"blsPublicKey"`
	ProofOfPossession hexutil.Bytes  `json:"proofOfPossession"`
}

// gwon validator prints what the reference derives from the same key (testdata/keys.json, spec wbft 2.1 and 2.2; the
// last one is that of spec network 8).
func TestValidatorShow(t *testing.T) {
	var recorded struct {
		Keys []keyVector `json:"keys"`
	}
	vectors.Load(t, "keys.json", &recorded)
	list := append(recorded.Keys, keyVector{
		Address:    common.HexToAddress("0xed5424f04cc7d939f88115c11b9c7cddd3f08013"),
		PrivateKey: common.FromHex("997dd6a22b7e6853f9527dce2037fdd1347b17fc501792a3af89d7736ae0d4e0"),
		BLSPublicKey: common.FromHex("88001bb83e93055ddb0166a7976872f6b1218e377a69631ad1b36bbc2e286449" +
			"1462d839a52063134481d836a13151b4"),
		ProofOfPossession: common.FromHex("accf2594615b1b274f059ab74011e814d739fb4f266a80c82ab2dafc357452b6" +
			"3b0a984196db05d20dc469cdde87975d02a6ef0d117d20ffcf9374622cb2a40121708a6375b5ccc2cd9cbdd20e2f2055" +
			"0318438c3dd0bef9b999aad0f23388ae"),
	})
	for _, want := range list {
		file := filepath.Join(t.TempDir(), "nodekey")
		writeKey(t, file, mustKey(t, want.PrivateKey))
		out := must.Get(run(t, "validator", "show", "--nodekey", file, "--json"))(t)
		var got keys.Identity
		must.Do(t, json.Unmarshal([]byte(out), &got))
		expect.That(t, got.Address == want.Address && bytes.Equal(got.BLSPublicKey, want.BLSPublicKey) &&
			bytes.Equal(got.ProofOfPossession, want.ProofOfPossession), "got %+v\nwant %+v", got, want)
	}
}

// A key says for which network it has signed, where that is knowable: another network needs another key.
func TestValidatorShowsUse(t *testing.T) {
	dir := t.TempDir()
	key := mustKey(t, bytes.Repeat([]byte{7}, 32))
	writeKey(t, filepath.Join(dir, "gwon", "nodekey"), key)
	show := func() string { return must.Get(run(t, "validator", "show", "--datadir", dir, "--json"))(t) }
	owner := votelog.Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: common.Hash{0xab}}
	votes, err := votelog.Open(filepath.Join(dir, "gwon", "votes.log"), owner)
	must.Do(t, err)
	out := show()
	expect.That(t, !strings.Contains(out, "signedFor"), "an empty log: %s", out)
	err = votes.Write([]votelog.Record{{Code: messages.CodePrepare, Sequence: 5, Digest: common.Hash{1}}}, nil)
	must.Do(t, errors.Join(err, votes.Close()))
	expect.Contains(t, show(), `"signedFor": "`+owner.Genesis.Hex(), "show")
}

// writeKey writes a node key as gwon validator new does.
func writeKey(t *testing.T, file string, key *ecdsa.PrivateKey) {
	t.Helper()
	must.Do(t, keys.WriteNewSecret(file, []byte(hex.EncodeToString(crypto.FromECDSA(key)))))
}

func mustKey(t *testing.T, raw []byte) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(crypto.ToECDSA(raw))(t)
}

// A new key is readable by its owner only, and never replaces an older one.
func TestValidatorNew(t *testing.T) {
	dir := t.TempDir()
	create := func() (string, error) { return run(t, "validator", "new", "--datadir", dir) }
	printed, err := create()
	must.Do(t, err)
	file := filepath.Join(dir, "gwon", "nodekey")
	info := must.Get(os.Stat(file))(t)
	expect.That(t, runtime.GOOS == "windows" || info.Mode().Perm() == 0o600, "mode %o, want 600", info.Mode().Perm())
	before := must.Get(os.ReadFile(file))(t)
	expect.That(t, !strings.Contains(printed, string(before)), "the private key was printed")
	_, err = hex.DecodeString(string(before))
	expect.That(t, err == nil && len(before) == 64, "key file with %d bytes: %v", len(before), err)
	expect.Says(t, expect.Err(create()), "never overwritten", "second key")
	after, err := os.ReadFile(file)
	expect.That(t, err == nil && bytes.Equal(before, after), "the key changed (error %v)", err)
	_, err = run(t, "validator", "show", "--datadir", t.TempDir())
	expect.That(t, err != nil && !errors.Is(err, fs.ErrNotExist),
		"missing key: error %v, want one that says what to do", err)
}

// A key that gwon-signer init was moving is the validator's. No command makes or takes another one beside it.
func TestMovingKeyIsRefused(t *testing.T) {
	backup, _, _ := backedUp(t)
	for _, name := range []string{keys.PlainFile, keys.EncryptedFile} {
		for _, command := range [][]string{
			{"validator", "new"}, {"validator", "new", "--encrypt"}, {"validator", "show"}, {"validator", "votes", "import"},
			{"backup"}, {"restore"},
		} {
			for _, byName := range []bool{false, true} {
				t.Run(fmt.Sprint(name, command, byName), func(t *testing.T) {
					dir, file := t.TempDir(), backup
					moving := filepath.Join(dir, "gwon", name+nodekey.MovingSuffix)
					writeKey(t, moving, mustKey(t, bytes.Repeat([]byte{7}, 32)))
					args := append(slices.Clone(command), "--datadir", dir)
					if byName {
						args = append(args, "--nodekey", filepath.Join(dir, "gwon", name))
					}
					switch args[len(command)-1] {
					case "backup":
						file = filepath.Join(dir, "backup")
						args = append(args, file)
					case "restore":
						args = append(args, file)
					case "import":
						votes := must.Get(json.Marshal(must.Get(readBackupVotes(file))(t)))(t)
						args = append(args, apptest.TempFile(t, string(votes)))
					}
					if out, err := run(t, args...); err == nil || !strings.Contains(err.Error(), moving) ||
						!strings.Contains(err.Error(), "gwon-signer init") {
						t.Errorf("%s, error %v", out, err)
					}
					entries, err := os.ReadDir(filepath.Join(dir, "gwon"))
					expect.That(t, err == nil && len(entries) == 1, "%v, error %v", entries, err)
				})
			}
		}
	}
}

// readBackupVotes returns the votes of a backup.
func readBackupVotes(file string) (*votelog.Interchange, error) {
	_, votes, err := readBackup(file)
	return votes, err
}
