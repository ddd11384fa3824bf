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
)

// pairOf returns a pair of PREPAREs by a validator: with a false seal in the second one it is proven, else explainable.
func pairOf(t *testing.T, sequence uint64, falseSeal bool) (e *evidence.Evidence, validator, blsKey string) {
	t.Helper()
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("command evidence test")))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := bls.DeriveKey(key)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := messages.Sign(m, key); err != nil {
			t.Fatal(err)
		}
		payloads[i], headers = m.Encode(), append(headers, h)
	}
	e, err = evidence.New(evidence.TwoPrepares, common.Hash{1}, payloads[0], payloads[1], headers,
		time.Unix(1_800_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	e.Label, e.Reason = evidence.Explainable, "test"
	return e, crypto.PubkeyToAddress(key.PublicKey).Hex(), fmt.Sprintf("%#x", secret.PublicKey().Bytes())
}

func writeJSON(t *testing.T, name string, v any) string {
	t.Helper()
	content, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// gwon evidence verify: 0 for what is proven, 3 for what can happen to the honest, 1 for what is no evidence, by
// validators that do not come from the file.
func TestEvidenceVerify(t *testing.T) {
	proven, address, key := pairOf(t, 7, true)
	explainable, _, _ := pairOf(t, 8, false)
	forged, _, _ := pairOf(t, 9, true)
	forged.Sequence = 10
	proven9, _, _ := pairOf(t, 9, true) // the same, true
	turned, headless := *proven, *proven
	turned.Messages[0], turned.Messages[1] = proven.Messages[1], proven.Messages[0]
	headless.Headers = nil
	cut := writeJSON(t, "cut.json",
		&evidence.List{Version: 1, Genesis: common.Hash{1}, Evidence: []*evidence.Evidence{proven}, Truncated: true})
	listOf := func(pairs ...*evidence.Evidence) string {
		return writeJSON(t, "evidence.json", &evidence.List{Version: 1, Genesis: common.Hash{1}, Evidence: pairs})
	}
	set := writeJSON(t, "validators.json", []map[string]string{{"address": address, "blsPublicKey": key}})
	epoch := writeJSON(t, "epoch.json",
		map[string]any{"result": map[string]any{"validators": []map[string]string{{"index": "0x0", "addr": address,
			"bls": key}}}})
	genesis := common.Hash{1}.Hex()
	for name, c := range map[string]struct {
		args   []string
		status int // of the process
		says   string
	}{
		"proven":             {[]string{"--validators", set, listOf(proven)}, 0, "PROVEN: " + address + ", sequence 7"},
		"proven, epoch info": {[]string{"--validators", epoch, listOf(proven)}, 0, "1 proven, 0 explainable, 0 refused"},
		"the chain is named": {[]string{"--validators", set, "--genesis", genesis, listOf(proven)}, 0, "1 proven"},
		"another chain": {[]string{"--validators", set, "--genesis", common.Hash{9}.Hex(), listOf(proven)}, 1,
			"REFUSED"},
		"addresses only": {[]string{"--validators", address, listOf(proven)}, 3, "not every seal could be checked"},
		"explainable": {[]string{"--validators", set, listOf(proven, explainable)}, 3,
			"1 proven, 1 explainable, 0 refused"},
		"restarts": {[]string{"--validators", set, listOf(explainable)}, 3,
			"has to have been restarted without its votes in 1 sequences"},
		"forged": {[]string{"--validators", set, listOf(proven, explainable, forged)}, 1,
			"1 proven, 1 explainable, 1 refused"},
		"no validator": {[]string{"--validators", "0x00000000000000000000000000000000000000aa", listOf(proven)}, 1,
			"not among the validators"},
		"several files": {[]string{"--validators", set, listOf(proven), listOf(explainable)}, 3,
			"1 proven, 1 explainable"},
		"a file of a store": {[]string{"--validators", set, writeJSON(t, "one.json", proven)}, 0, "1 proven"},
		"JSON":              {[]string{"--validators", set, "--json", listOf(proven)}, 0, `"label": "proven"`},
		"no source":         {[]string{listOf(proven)}, 1, "give one of --validators, --rpc and --datadir"},
		"two sources": {[]string{"--validators", set, "--rpc", "http://127.0.0.1:1", listOf(proven)}, 1,
			"give one of"},
		"no file":     {[]string{"--validators", set}, 1, "give a file"},
		"absent file": {[]string{"--validators", set, "absent.json"}, 1, "absent.json"},
		"a list of pairs": {[]string{"--validators", set, writeJSON(t, "bare.json", []any{proven})}, 1,
			"neither evidence nor a list"},
		"no list": {[]string{"--validators", set, writeJSON(t, "object.json", map[string]int{})}, 1,
			"neither evidence nor a list"},
		"empty": {[]string{"--validators", set, "-"}, 1, "it is empty"},
		"another type": {[]string{"--validators", set,
			writeJSON(t, "typed.json", map[string]any{"version": 1, "evidence": "0x"})}, 1, `"evidence" is of the wrong form`},
		"repeated": {[]string{"--validators", set, listOf(proven, &turned, proven), listOf(proven)}, 0,
			"3 pairs were repeated, and are counted once\n1 proven, 0 explainable, 0 refused"},
		"repeated, better": {[]string{"--validators", set, listOf(&headless, proven)}, 0,
			"1 pairs were repeated, and are counted once\n1 proven, 0 explainable"},
		"repeated, forged": {[]string{"--validators", set, listOf(forged, proven9, forged)}, 1,
			"1 pairs were repeated, and are counted once\n1 proven, 0 explainable, 1 refused"},
		"truncated":       {[]string{"--validators", set, cut}, 0, cut + " does not have all"},
		"truncated, JSON": {[]string{"--validators", set, "--json", cut}, 0, `"incomplete": [`},
		"on trust": {[]string{"--validators", set, listOf(proven)}, 0,
			"taken on trust. No chain was looked at: messages name none"},
		"on trust, named": {[]string{"--validators", set, "--genesis", genesis, listOf(proven)}, 0,
			"genesis block " + genesis + " is no more than what the file says"},
		"on trust, JSON": {[]string{"--validators", set, "--json", listOf(proven)}, 0,
			`"basis": "Judged by the validators of --validators`},
		"nothing in it": {[]string{"--validators", set, listOf()}, 0,
			"has no evidence: where it comes from there was none, or none that was asked for"},
		"nothing, JSON": {[]string{"--validators", set, "--json", listOf()}, 0, `"empty": [`},
		"nothing, and some": {[]string{"--validators", set, listOf(), listOf(proven, explainable)}, 3,
			"1 proven, 1 explainable, 0 refused"},
		"nothing, this chain": {[]string{"--validators", set, "--genesis", genesis, listOf()}, 0,
			"0 proven, 0 explainable, 0 refused"},
		"nothing, another chain": {[]string{"--validators", set, "--genesis", common.Hash{9}.Hex(), listOf()}, 1,
			"it is of the chain with genesis block " + genesis},
		"nothing, no chain": {[]string{"--validators", set, writeJSON(t, "nowhere.json",
			&evidence.List{Version: 1, Evidence: []*evidence.Evidence{}})}, 1, "does not name the chain"},
		"nothing, by hand": {[]string{"--validators", set, writeJSON(t, "hand.json", []any{})}, 1,
			"neither evidence nor a list"},
		"nothing, unreadable": {[]string{"--validators", set, writeJSON(t, "unreadable.json", &evidence.List{Version: 1,
			Genesis: common.Hash{1}, Unreadable: []string{"x"}})}, 1, "there is some where it comes from"},
		"no validators": {[]string{"--validators", writeJSON(t, "none.json", []string{}), listOf(proven)}, 1,
			"no validators are given"},
		"bad key": {[]string{"--validators", writeJSON(t, "bad.json",
			[]map[string]string{{"address": address, "blsPublicKey": "0x01"}}), listOf(proven)}, 1, "BLS key"},
		"no chain": {[]string{"--datadir", t.TempDir(), listOf(proven)}, 1, "there is no chain"},
	} {
		out, err := runApp(t, "", append([]string{"evidence", "verify"}, c.args...)...)
		status := 0
		if err != nil {
			status = program.StatusOf(err)
			out += err.Error()
		}
		if status != c.status || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit status %d, want %d with %q:\n%s", name, status, c.status, c.says, out)
		}
	}
	content, err := os.ReadFile(listOf(proven))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := runApp(t, string(content), "evidence", "verify", "--validators", set, "-"); err != nil ||
		!strings.Contains(out, "1 proven") {
		t.Errorf("standard input: %v: %s", err, out)
	}
}

// gwon evidence export reads a data directory beside a running node, and what it writes can be verified.
func TestEvidenceExport(t *testing.T) {
	dir := t.TempDir()
	if out, err := runApp(t, "", "evidence", "export", "--datadir", dir); err == nil ||
		!strings.Contains(err.Error(), "is no data directory of gwon") {
		t.Errorf("an empty directory: %v: %s", err, out)
	}
	if err := os.Mkdir(filepath.Join(dir, program.Name), 0o700); err != nil {
		t.Fatal(err)
	}
	// A healthy node has nothing to tell.
	out, says, err := runAppApart(t, "evidence", "export", "--datadir", dir)
	var none evidence.List
	if err != nil || json.Unmarshal([]byte(out), &none) != nil || none.Version != evidence.FormatVersion ||
		none.Evidence == nil || len(none.Evidence) > 0 ||
		strings.Count(says, "\n") != 1 || !strings.Contains(says, "No evidence") {
		t.Errorf("a healthy node: %v: %s, says %q", err, out, says)
	}
	if strings.Contains(out, "genesis") || !strings.Contains(says, "the file names none") {
		t.Errorf("a chain that is not known: %s, says %q", out, says)
	}
	// Of a node that runs and does not answer the vote log names the chain, so that an export without evidence is of use.
	votes := votelog.Owner{Validator: common.Address{1}, Genesis: common.Hash{1}}
	log, err := votelog.Open(filepath.Join(dir, program.Name, wbft.VoteLogFile), votes)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // the node has it open
	release := apptest.Hold(t, dir)
	healthy := filepath.Join(t.TempDir(), "healthy.json")
	out, says, err = runAppApart(t, "evidence", "export", "--datadir", dir, healthy)
	release()
	if err != nil || strings.Contains(says, "not known") {
		t.Errorf("beside a node: %v: %s, says %q", err, out, says)
	}
	if out, err := runApp(t, "", "evidence", "verify", "--validators", "0x00000000000000000000000000000000000000aa",
		"--genesis", common.Hash{1}.Hex(), healthy); err != nil {
		t.Errorf("an export of a healthy node: %v: %s", err, out)
	}
	store, err := evidence.Open(filepath.Join(dir, program.Name), common.Hash{1})
	if err != nil {
		t.Fatal(err)
	}
	var address string
	for n := range uint64(3) {
		var e *evidence.Evidence
		e, address, _ = pairOf(t, n+1, true)
		if _, err := store.Add(e); err != nil {
			t.Fatal(err)
		}
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
		if (err != nil) != c.fail || !strings.Contains(fmt.Sprint(out, err), c.want) {
			t.Errorf("%v: %v: %s", c.args, err, out)
		}
	}
	if out, err = runApp(t, "", "evidence", "verify", "--validators", address,
		file); program.StatusOf(err) != statusExplainable {
		t.Errorf("%v: %s", err, out)
	}
	if out, says, err := runAppApart(t, "evidence", "export", "--datadir", dir, "--from", "9"); err != nil ||
		!strings.Contains(out, `"evidence": []`) ||
		!strings.Contains(says, "none that the flags select") {
		t.Errorf("nothing selected: %v: %s, says %q", err, out, says)
	}
	if out, err = runApp(t, "", "evidence", "export", "--datadir", dir, "--to", "1"); err != nil ||
		strings.Count(out, `"kind"`) != 1 {
		t.Errorf("to standard output: %v: %s", err, out)
	}
	if _, err := runApp(t, "", "evidence", "export", "--datadir", dir, "--from", "3", "--to", "2"); err == nil ||
		!strings.Contains(err.Error(), "not a range") {
		t.Errorf("no range: %v", err)
	}
	// Of another chain that this directory held before.
	other, err := evidence.Open(filepath.Join(dir, program.Name), common.Hash{3})
	if err != nil {
		t.Fatal(err)
	}
	e, _, _ := pairOf(t, 1, true)
	e.Genesis = common.Hash{3}
	if _, err := other.Add(e); err != nil {
		t.Fatal(err)
	}
	if _, err := runApp(t, "", "evidence", "export", "--datadir", dir); err == nil ||
		!strings.Contains(err.Error(), "choose one with --genesis") {
		t.Errorf("two chains: %v", err)
	}
	if out, err := runApp(t, "", "evidence", "export", "--datadir", dir, "--genesis", common.Hash{3}.Hex()); err != nil ||
		strings.Count(out, `"kind"`) != 1 {
		t.Errorf("the other chain: %v: %s", err, out)
	}
}
