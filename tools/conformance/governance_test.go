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

// governed returns the input of a scenario with four members of both contracts, whose quorum is 3.
func governed(t *testing.T, members []any, steps ...any) record {
	t.Helper()
	var validators, keys []any
	for i := range byte(4) {
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
	coins := new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil).String()
	alloc := []any{}
	for i := range 4 {
		alloc = append(alloc, record{"address": member(i), "balance": coins})
	}
	council := record{"members": []any{member(0), member(1), member(2), member(3)}, "quorum": "3", "expiry": "604800",
		"max_proposals": "3"}
	validator := record{"members": members, "quorum": "3", "expiry": "604800", "max_proposals": "3",
		"validators": validators, "bls_public_keys": keys, "gas_tip": "27600000000000"}
	return record{
		"genesis":      record{"preset": "8283", "gov_validator": validator, "gov_council": council, "alloc": alloc},
		"genesis_time": "1000", "named_accounts": []any{banned(0), banned(1)}, "steps": steps,
	}
}

func member(i int) string { return addressItem(common.Address{19: byte(0xa0 + i)}).(string) }

func banned(i int) string { return addressItem(common.Address{19: byte(0xb0 + i)}).(string) }

// callStep is a step that calls a method of a contract with words as arguments.
func callStep(number, sender int, to common.Address, method string, words ...*big.Int) record {
	data := crypto.Keccak256([]byte(method))[:4]
	for _, word := range words {
		data = append(data, common.BigToHash(word).Bytes()...)
	}
	return record{
		"label": "", "sender": member(sender), "to": addressItem(to), "data": toHex(data), "gas": "2000000",
		"time": decimal(int64(1000 + number)), "number": decimal(int64(number)),
	}
}

// The kinds of scenarios that the vectors have: of both contracts, with reverts, repeated entries and odd genesis
// members. Each is answered, also where the network's contract differs.
func TestKindsOfGovernanceScenarios(t *testing.T) {
	validator, council := params.GovValidatorAddress, params.GovCouncilAddress
	all := []any{member(0), member(1), member(2), member(3)}
	word := func(address string) *big.Int { return common.HexToAddress(address).Big() }
	n := big.NewInt
	for _, row := range []struct {
		name    string
		input   record
		want    []string // of the steps
		blocked int      // accounts on the blacklist in the end
	}{
		{"the same gas tip", governed(t, all,
			callStep(1, 0, validator, "proposeGasTip(uint256)", n(27_600_000_000_000))), []string{"revert"}, 0},
		{"a batch", governed(t, all,
			callStep(1, 0, council, "proposeAddBlacklistBatch(address[])", n(32), n(2), word(banned(0)), word(banned(1))),
			callStep(2, 1, council, "approveProposal(uint256)", n(1)),
			callStep(3, 2, council, "approveProposal(uint256)", n(1))), []string{"success", "success", "success"}, 2},
		{"a batch with a duplicate", governed(t, all,
			callStep(1, 0, council, "proposeAddBlacklistBatch(address[])", n(32), n(3), word(banned(0)), word(banned(0)),
				word(banned(1))),
			callStep(2, 1, council, "approveProposal(uint256)", n(1)),
			callStep(3, 2, council, "approveProposal(uint256)", n(1))), []string{"revert", "revert", "revert"}, 0},
		{"a vote after the end", governed(t, all,
			callStep(1, 0, validator, "proposeGasTip(uint256)", n(30_000_000_000_000)),
			callStep(604_803, 1, validator, "approveProposal(uint256)", n(1))), []string{"success", "success"}, 0},
		{"a member twice in genesis", governed(t, []any{member(0), member(1), member(2), member(0)},
			callStep(1, 1, validator, "proposeRemoveMember(address,uint32)", word(member(0)), n(2))), []string{"revert"}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := ask(t, "governance/scenarios", row.input)
			if r.Status != statusOK {
				t.Fatalf("%s: %s", r.Status, r.Message)
			}
			steps := r.Output.(record)["steps"].([]any)
			if len(steps) != len(row.want) {
				t.Fatalf("%d steps", len(steps))
			}
			for i, want := range row.want {
				if s := steps[i].(record); s["status"] != want {
					t.Errorf("step %d: %v %v, want %s", i, s["status"], s["revert_data"], want)
				}
			}
			last := steps[len(steps)-1].(record)["projection"].(record)
			if blocked := len(last["blacklisted"].([]any)); blocked != row.blocked {
				t.Errorf("%d accounts on the blacklist, want %d", blocked, row.blocked)
			}
		})
	}
}

// What only gwon's contracts refuse is explained, and nothing else is.
func TestOwnRefusalsAreExplained(t *testing.T) {
	steps := func(list ...any) map[string]any { return map[string]any{"steps": list} }
	step := func(status, reverted string) any { return map[string]any{"status": status, "revert_data": reverted} }
	good, bad := step("success", "0x"), step("revert", "0xa2d86a1e")
	for name, row := range map[string]struct {
		want, got map[string]any
		explained bool
	}{
		"equal":            {steps(good), steps(good), false},
		"own refusal":      {steps(good, good), steps(good, bad), true},
		"another refusal":  {steps(good), steps(step("revert", "0x2818e888")), false},
		"success":          {steps(bad), steps(good), false},
		"an earlier one":   {steps(bad, good), steps(good, bad), false},
		"a shorter answer": {steps(good), steps(), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := refusedByOwnContract(row.want, result{Status: statusOK, Output: row.got}); got != row.explained {
				t.Errorf("explained: %t", got)
			}
		})
	}
}
