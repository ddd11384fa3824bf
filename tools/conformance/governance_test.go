// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/core"
	"gwon/params"
)

func wantedCode(contract, version string) (common.Hash, bool) {
	return core.CodeHash(contract, version)
}

// Two members vote a gas tip in; one who is none cannot (spec system-contracts 1.4, 3.2).
func TestGovernanceScenario(t *testing.T) {
	members := []any{"0x00000000000000000000000000000000000000a1", "0x00000000000000000000000000000000000000a2"}
	var validators, keys []any
	for i := range byte(2) {
		key, err := crypto.ToECDSA(crypto.Keccak256([]byte{i}))
		if err != nil {
			t.Fatal(err)
		}
		secret, err := bls.DeriveKey(key)
		if err != nil {
			t.Fatal(err)
		}
		validators = append(validators, addressItem(crypto.PubkeyToAddress(key.PublicKey)))
		keys = append(keys, toHex(secret.PublicKey().Bytes()))
	}
	stranger := "0x00000000000000000000000000000000000000a3"
	coins := new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil).String()
	alloc := []any{}
	for _, a := range append(append([]any{}, members...), stranger) {
		alloc = append(alloc, record{"address": a, "balance": coins})
	}
	body := record{"members": members, "quorum": "2", "expiry": "604800", "max_proposals": "3"}
	governed := record{"validators": validators, "bls_public_keys": keys, "gas_tip": "100"}
	for k, v := range body {
		governed[k] = v
	}
	step := func(sender any, data string, n int64) record {
		return record{
			"label": "", "sender": sender, "to": addressItem(params.GovValidatorAddress), "data": data, "gas": "2000000",
			"time": decimal(1000 + n), "number": decimal(n),
		}
	}
	propose := "0xeeaf6816" + toHex(common.BigToHash(big.NewInt(3e9)).Bytes())[2:] // proposeGasTip(3 gwei)
	approve := "0x98951b56" + toHex(common.BigToHash(big.NewInt(1)).Bytes())[2:]   // approveProposal(1)
	r := ask(t, "governance/scenarios", record{
		"genesis":      record{"preset": "8282", "gov_validator": governed, "gov_council": body, "alloc": alloc},
		"genesis_time": "1000", "named_accounts": []any{stranger},
		"steps": []any{step(stranger, propose, 1), step(members[0], propose, 2), step(members[1], approve, 3)},
	})
	if r.Status != statusOK {
		t.Fatalf("%s: %s", r.Status, r.Message)
	}
	steps := r.Output.(record)["steps"].([]any)
	for i, want := range []struct {
		status, tip, reverted string
	}{{"revert", "100", "0x2818e888"}, {"success", "100", "0x"}, {"success", "3000000000", "0x"}} {
		s := steps[i].(record)
		projection := s["projection"].(record)
		if s["status"] != want.status || projection["gas_tip"] != want.tip || s["revert_data"] != want.reverted {
			t.Errorf("step %d: %v, tip %v, data %v; want %+v", i, s["status"], projection["gas_tip"], s["revert_data"], want)
		}
		if writes := len(s["write_set"].([]any)); (writes > 0) != (want.status == "success") {
			t.Errorf("step %d changes %d slots", i, writes)
		}
		if d := difference("", validators, projection["validators"]); d != "" {
			t.Errorf("step %d: validators: %s", i, d)
		}
	}
}
