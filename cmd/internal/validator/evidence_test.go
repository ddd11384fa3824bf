// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/program"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// pairOf returns a pair of PREPAREs by a validator: with a false seal in the second one it is proven, else explainable.
func pairOf(t *testing.T, sequence uint64, falseSeal bool) (e *evidence.Evidence, validator, blsKey string) {
	t.Helper()
	key := must.Get(crypto.ToECDSA(crypto.Keccak256([]byte("command evidence test"))))(t)
	secret := must.Get(bls.DeriveKey(key))(t)
	var payloads [2][]byte
	var headers []*types.Header
	for i := range payloads {
		h := &types.Header{
			ParentHash: common.Hash{2}, Number: new(big.Int).SetUint64(sequence), Difficulty: big.NewInt(1),
			BaseFee: big.NewInt(1),
			Extra:   (&types.WBFTExtra{Vanity: []byte{byte(i)}}).Encode(),
		}
		digest := extra.SealDigest(h, 0, extra.Prepare)
		if falseSeal && i == 1 {
			digest[0] ^= 1
		}
		m := &messages.Prepare{Sequence: sequence, Digest: h.Hash(), Seal: secret.Sign(digest[:])}
		must.Do(t, messages.Sign(m, key))
		payloads[i], headers = m.Encode(), append(headers, h)
	}
	e = must.Get(evidence.New(evidence.TwoPrepares, common.Hash{1}, payloads[0], payloads[1], headers,
		time.Unix(1_800_000_000, 0)))(t)
	e.Label, e.Reason = evidence.Explainable, "test"
	return e, crypto.PubkeyToAddress(key.PublicKey).Hex(), fmt.Sprintf("%#x", secret.PublicKey().Bytes())
}

// gwon evidence export reads a data directory beside a running node.
func TestEvidenceExport(t *testing.T) {
	dir := t.TempDir()
	if out, err := runApp(t, "", "evidence", "export", "--datadir", dir); err == nil ||
		!strings.Contains(err.Error(), "is no data directory of gwon") {
		t.Errorf("an empty directory: %v: %s", err, out)
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, program.Name), 0o700))
	// A healthy node has nothing to tell.
	out, says, err := runAppApart(t, "evidence", "export", "--datadir", dir)
	var none evidence.List
	expect.That(t, err == nil && json.Unmarshal([]byte(out), &none) == nil && none.Version == evidence.FormatVersion &&
		none.Evidence != nil && len(none.Evidence) == 0 && strings.Count(says, "\n") == 1 &&
		strings.Contains(says, "No evidence"), "a healthy node: %v: %s, says %q", err, out, says)
	expect.That(t, !strings.Contains(out, "genesis") && strings.Contains(says, "the file names none"),
		"a chain that is not known: %s, says %q", out, says)
	// Of a node that runs and does not answer the vote log names the chain, so that an export without evidence is of use.
	votes := votelog.Owner{Validator: common.Address{1}, Genesis: common.Hash{1}}
	log := must.Get(votelog.Open(filepath.Join(dir, program.Name, wbft.VoteLogFile), votes))(t)
	defer log.Close() //nolint:errcheck // the node has it open
	release := apptest.Hold(t, dir)
	healthy := filepath.Join(t.TempDir(), "healthy.json")
	out, says, err = runAppApart(t, "evidence", "export", "--datadir", dir, healthy)
	release()
	expect.That(t, err == nil && !strings.Contains(says, "not known"), "beside a node: %v: %s, says %q", err, out, says)
	if content, err := os.ReadFile(healthy); err != nil || !strings.Contains(string(content), common.Hash{1}.Hex()) {
		t.Errorf("an export of a healthy node: %v: %s", err, content)
	}
	store := must.Get(evidence.Open(filepath.Join(dir, program.Name), common.Hash{1}))(t)
	var address string
	for n := range uint64(3) {
		var e *evidence.Evidence
		e, address, _ = pairOf(t, n+1, true)
		must.Get(store.Add(e))(t)
	}
	file := filepath.Join(t.TempDir(), "out.json")
	for _, c := range []struct {
		args []string
		want string // in the output or error
		fail bool
	}{
		{nil, "Exported 2 pairs", false}, {nil, "exists already: name a new file, or replace it with --force", true},
		{[]string{"--force"}, "Exported 2 pairs", false},
	} {
		args := append([]string{"evidence", "export", "--datadir", dir, "--from", "2", "--validator", address}, c.args...)
		out, err := runApp(t, "", append(args, file)...)
		expect.That(t, (err != nil) == c.fail && strings.Contains(fmt.Sprint(out, err), c.want),
			"%v: %v: %s", c.args, err, out)
	}
	content, err := os.ReadFile(file)
	expect.That(t, err == nil && strings.Count(string(content), `"label": "explainable"`) == 2, "%v: %s", err, content)
	out, says, err = runAppApart(t, "evidence", "export", "--datadir", dir, "--from", "9")
	expect.That(t, err == nil && strings.Contains(out, `"evidence": []`) &&
		strings.Contains(says, "none that the flags select"), "nothing selected: %v: %s, says %q", err, out, says)
	out, err = runApp(t, "", "evidence", "export", "--datadir", dir, "--to", "1")
	expect.That(t, err == nil && strings.Count(out, `"kind"`) == 1, "to standard output: %v: %s", err, out)
	_, err = runApp(t, "", "evidence", "export", "--datadir", dir, "--from", "3", "--to", "2")
	expect.That(t, err != nil && strings.Contains(err.Error(), "not a range"), "no range: %v", err)
	// Of another chain that this directory held before.
	other := must.Get(evidence.Open(filepath.Join(dir, program.Name), common.Hash{3}))(t)
	e, _, _ := pairOf(t, 1, true)
	e.Genesis = common.Hash{3}
	must.Get(other.Add(e))(t)
	expect.Says(t, expect.Err(runApp(t, "", "evidence", "export", "--datadir", dir)), "choose one with --genesis",
		"two chains")
	out, err = runApp(t, "", "evidence", "export", "--datadir", dir, "--genesis", common.Hash{3}.Hex())
	expect.That(t, err == nil && strings.Count(out, `"kind"`) == 1, "the other chain: %v: %s", err, out)
}
