// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/messages"
)

// improvements are the identifiers under which the protocol declares deliberate deviations. The specification has
// assigned none to what deviations lists.
var improvements = []string{}

// deviation is something that gwon does otherwise than the vectors say, on purpose. docs/compatibility.md has the
// reasons at length.
type deviation struct {
	handlers []string
	rule     string
	covers   func(v vector, r result) bool
}

// deviations are tried in order. Each is as narrow as the rule that it names: any other difference in the same handler
// is a failure.
var deviations = []deviation{
	{
		[]string{"encoding/message_codec", "encoding/signing_payload"},
		"WBFT-MSG-011, 030: seals have 96 bytes, signatures 65, sequences 64 bits, rounds 32, and claims name a block",
		func(v vector, r result) bool { return r.Status == statusError && outsideBounds(v.expected) },
	},
	{
		[]string{"encoding/hash_with_round", "crypto/seal_data"},
		"WBFT-CRYPTO-044: a header without WBFT extra data has the hash of its bytes; no seal is made for it",
		func(v vector, r result) bool { return r.Status == statusOK && !hasExtra(v.input) },
	},
	{
		[]string{"state_machine/is_justified"},
		"WBFT-SM-061: every sender once, PREPAREs of the sequence, no prepared round above the round",
		func(v vector, r result) bool {
			return v.expected["justified"] == true && given(r, "justified") == false
		},
	},
	{
		[]string{"state_machine/check_message"},
		"WBFT-SM-019: messages of later rounds are kept, and a proposal shows by its justification that its time has come",
		func(v vector, r result) bool {
			want, got := v.expected["result"], given(r, "result")
			early := want == classTooFar || want == classFuture && v.input["code"] == decimal(messages.CodePrePrepare)
			return early && (got == classFuture || got == classProcess)
		},
	},
	{
		[]string{"state_machine/check_message"},
		"WBFT-SM-019: no proposal is looked at while the block that was decided is awaited",
		func(v vector, r result) bool {
			return v.input["state"] == "Committed" && v.input["code"] == decimal(messages.CodePrePrepare) && given(r,
				"result") == classInvalid
		},
	},
	{
		[]string{"state_machine/check_message"},
		"WBFT-SM-019: votes of rounds that were left still decide, and votes for the head are collected in every state",
		func(v vector, r result) bool {
			got := given(r, "result")
			return v.expected["result"] == classOld && isVote(v.input["code"]) && (got == classProcess || got == classExtraSeal)
		},
	},
	{
		[]string{"state_machine/check_message"},
		"WBFT-SM-019: a late proposal is no seal",
		func(v vector, r result) bool {
			return v.expected["result"] == classExtraSeal && v.input["code"] == decimal(messages.CodePrePrepare) && given(r,
				"result") == classOld
		},
	},
	{
		[]string{"network/receive_outcome", "state_machine/rounds"},
		"WBFT-NET-012, 021, 027, 040, 042, TIMER-021, 024: what is no message, or comes while the engine is stopped, is " +
			"dropped silently; no relay goes to the author; a vote for the head goes to the next proposer alone; a timer " +
			"that was ended does nothing; the proposer is sent a repeated ROUND-CHANGE in other bytes too",
		stepsAlike,
	},
	{
		[]string{
			"validators/validators_at", "validators/next_epoch_info", "header/build_proposal_header", "header/verify_header",
			"header/verify_headers", "header/verify_light", "execution/process_finalize",
		},
		"SNET-CFG-025, GEN-007, GEN-019: a configuration that is refused at start has no valid block",
		func(v vector, _ result) bool { return refusedAtStart(v.input) },
	},
	{
		[]string{"validators/validators_at", "header/verify_header", "header/verify_headers", "header/verify_light"},
		"WBFT-HDR-071: the set of a block is that of its own branch, and its parent has to be known",
		func(v vector, _ result) bool { return branches(v.input) },
	},
	{
		[]string{"header/build_proposal_header"},
		"WBFT-HDR-030: the seals that a proposal carries are its parent's, not those of the canonical block of that number",
		func(v vector, _ result) bool { return branches(v.input) },
	},
	{
		[]string{"header/build_proposal_header"},
		"WBFT-HDR-018: a vanity of more than 31 bytes is refused, also where it is extra data itself",
		func(v vector, r result) bool {
			header, err := newReader(v.input).header("header")
			return err == nil && len(header.Extra) > 31 && r.Status == statusError
		},
	},
	{
		[]string{"validators/quorum"},
		"WBFT-VAL-003: an empty set has a join count of 1, so that no sender at all is never enough",
		func(v vector, _ result) bool { return v.input["n"] == "0" },
	},
	{
		[]string{"validators/validators_at"},
		"WBFT-VAL-007: epoch info that names no candidate is refused, not read as the zero address",
		func(v vector, r result) bool { return r.Status == statusError && listsNobody(v.expected) },
	},
	{
		[]string{"validators/next_epoch_info", "execution/process_finalize"},
		"WBFT-EPOCH-019: an epoch with a BLS key of another length than 48 bytes, or with no validator, is refused",
		func(v vector, r result) bool {
			return r.Status == statusError && unusableEpoch(v.expected["epoch_info"])
		},
	},
	{
		[]string{"timers/round_timeout"},
		"WBFT-TIMER-005: durations that do not fit in 64 bits; no configuration that is checked has them",
		func(v vector, _ result) bool {
			return exceeds(v.input["request_timeout"], 1_000_000) || exceeds(v.input["max_request_timeout_seconds"],
				2_000_000_000)
		},
	},
	{
		[]string{"governance/scenarios"},
		"SNET-GOV-076, 137: own contracts refuse batches with repetitions, and removals from the last four validators",
		func(v vector, r result) bool { return refusedByOwnContract(v.expected, r) },
	},
}

// explain returns the rule of the deviation that a difference belongs to; empty when there is none.
func explain(v vector, r result) string {
	for _, d := range deviations {
		for _, name := range d.handlers {
			if name == v.runner+"/"+v.handler && d.covers(v, r) {
				return d.rule
			}
		}
	}
	return ""
}

// given returns a value of a result's output.
func given(r result, key string) any {
	fields, _ := r.Output.(map[string]any)
	return fields[key]
}

func isVote(code any) bool {
	return code == decimal(messages.CodePrepare) || code == decimal(messages.CodeCommit)
}

// exceeds reports whether a decimal number times a unit has more than 63 bits.
func exceeds(value any, unit int64) bool {
	text, _ := value.(string)
	n, ok := new(big.Int).SetString(text, 10)
	return ok && n.Mul(n, big.NewInt(unit)).BitLen() > 63
}

// hasExtra reports whether the header of an input has extra data of WBFT.
func hasExtra(input map[string]any) bool {
	in := newReader(input)
	header, err := in.header("header")
	if err != nil {
		return true
	}
	_, err = types.DecodeWBFTExtra(header.Extra)
	return err == nil
}

// outsideBounds reports whether a message as written has a part that no honest node sends and gwon does not decode.
func outsideBounds(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, size := range map[string]int{"signature": messages.SignatureLength, "seal": messages.SealLength} {
			if text, ok := value[key].(string); ok && size != sizeOf(text) {
				return true
			}
		}
		for key, bits := range map[string]int{"sequence": 64, "round": 32, "prepared_round": 32} {
			text, _ := value[key].(string)
			if n, ok := new(big.Int).SetString(text, 10); ok && n.BitLen() > bits {
				return true
			}
		}
		if value["prepared_round"] != nil && value["prepared_digest"] == hashItem([32]byte{}) {
			return true
		}
		for _, part := range value {
			if outsideBounds(part) {
				return true
			}
		}
	case []any:
		for _, item := range value {
			if outsideBounds(item) {
				return true
			}
		}
	}
	return false
}

// sizeOf returns the number of bytes that a text in hex has, -1 for other texts.
func sizeOf(text string) int {
	b, err := hexutil.Decode(text)
	if err != nil {
		return -1
	}
	return len(b)
}

// stepsAlike reports whether a node does in each step what the reference does, but for what a node does differently
// by design.
func stepsAlike(v vector, r result) bool {
	output, ok := r.Output.(map[string]any)
	if !ok {
		return false
	}
	inputs, _ := v.input["steps"].([]any)
	want, _ := v.expected["steps"].([]any)
	got, _ := output["steps"].([]any)
	if len(want) != len(got) || len(inputs) != len(got) {
		return false
	}
	steps := make([]any, len(want))
	for i := range want {
		input, _ := inputs[i].(map[string]any)
		expected, _ := want[i].(map[string]any)
		given, _ := got[i].(map[string]any)
		steps[i] = given
		for _, alike := range []func(input, expected, given map[string]any) []string{
			silentlyDropped, notToAuthor, lateVote, retried,
		} {
			for _, key := range alike(input, expected, given) {
				if _, has := given[key]; has {
					given = maps.Clone(given)
					given[key] = expected[key]
					steps[i] = given
				}
			}
		}
	}
	return difference("", v.expected, record{"start": output["start"], "steps": steps}) == ""
}

// silentlyDropped returns what differs when a node drops a frame silently that the reference hands to its core in vain
// or closes the connection for.
func silentlyDropped(_, expected, given map[string]any) []string {
	refused := expected["outcome"] == outcomeDisconnect || expected["outcome"] == outcomeIgnore && expected["check"] == nil
	if refused && (given["outcome"] == outcomeDropSilent || given["outcome"] == outcomeIgnore) {
		return []string{"outcome", "dedup_key", "relay"}
	}
	return nil
}

// notToAuthor returns what differs when a node relays to all that the reference relays to but the author.
func notToAuthor(input, expected, given map[string]any) []string {
	want, _ := expected["relay_to"].([]any)
	got, isList := given["relay_to"].([]any)
	_, author, err := messageIn(input)
	if err != nil || !isList {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(want), func(a any) bool { return a == addressItem(author) })
	if len(others) < len(want) && slices.Equal(others, got) {
		return []string{"relay_to"}
	}
	return nil
}

// lateVote returns what differs when a node passes a vote for the head on to the next proposer alone, or drops a copy.
func lateVote(input, expected, given map[string]any) []string {
	m, _, err := messageIn(input)
	if err != nil || expected["check"] != classExtraSeal {
		return nil
	}
	state, _ := given["state"].(map[string]any)
	view, _ := state["view"].(map[string]any)
	if view["sequence"] == decimal(m.View().Sequence+1) {
		return []string{"outcome", "check", "relay", "relay_to"}
	}
	return nil
}

// retried returns what differs when the proposer is sent a repeated ROUND-CHANGE in other bytes besides, or when the
// timer that repeats it was ended before by a proposal.
func retried(input, expected, given map[string]any) []string {
	if input["kind"] != "retry_timeout" {
		return nil
	}
	want, _ := expected["sent"].([]any)
	got, _ := given["sent"].([]any)
	state, _ := given["state"].(map[string]any)
	if len(got) == 0 && state["state"] != "AcceptRequest" {
		return []string{"sent", "timers"}
	}
	if len(want) != 1 || len(got) != 2 || difference("", want[0], got[0]) != "" {
		return nil
	}
	first, _ := got[0].(map[string]any)
	second, _ := got[1].(map[string]any)
	if first["signature"] == second["signature"] {
		return []string{"sent"}
	}
	return nil
}

// messageIn returns the message of a step and its author.
func messageIn(input map[string]any) (messages.Message, common.Address, error) {
	in := newReader(input)
	m, err := messages.Decode(in.number("code"), in.bytes("payload"))
	if err = cmp.Or(err, *in.err); err != nil {
		return nil, common.Address{}, err
	}
	author, err := m.Signer()
	return m, author, err
}

// branches reports whether a chain has headers beside the canonical ones, or lacks the parent that a case names.
func branches(input map[string]any) bool {
	chain, _ := input["chain"].(map[string]any)
	if beside, _ := chain["non_canonical"].([]any); len(beside) > 0 {
		return true
	}
	parent, named := input["parent_hash"].(string)
	if !named || input["number"] == "0" {
		return false
	}
	f, err := readFixture(newReader(input).object("chain"))
	return err == nil && f.GetHeaderByHash(common.HexToHash(parent)) == nil
}

// refusedAtStart reports whether no node runs with the configuration of a chain.
func refusedAtStart(input map[string]any) bool {
	f, err := readFixture(newReader(input).object("chain"))
	return err == nil && f.refused != nil
}

// listsNobody reports whether a list of validators has the zero address.
func listsNobody(expected map[string]any) bool {
	list, _ := expected["validators"].([]any)
	return slices.ContainsFunc(list, func(item any) bool {
		v, _ := item.(map[string]any)
		return v["address"] == addressItem(common.Address{})
	})
}

// unusableEpoch reports whether epoch info describes a set that no seals can be verified with.
func unusableEpoch(value any) bool {
	info, ok := value.(map[string]any)
	if !ok {
		return false
	}
	keys, _ := info["bls_public_keys"].([]any)
	return len(keys) == 0 || slices.ContainsFunc(keys, func(key any) bool {
		text, _ := key.(string)
		return sizeOf(text) != bls.PublicKeyLength
	})
}

// ownRefusals are the errors of what gwon's contracts refuse and the network's do not (docs/system-contracts.md).
var ownRefusals = []string{"0xa2d86a1e", "0x682a6e7c"} // AddressAlreadyExists, InvalidValidator

// refusedByOwnContract reports whether the first step with another result is one that gwon's contracts refuse.
func refusedByOwnContract(expected map[string]any, r result) bool {
	want, _ := expected["steps"].([]any)
	got, _ := given(r, "steps").([]any)
	for i := range min(len(want), len(got)) {
		w, _ := want[i].(map[string]any)
		g, _ := got[i].(map[string]any)
		if w["status"] != g["status"] {
			reverted, _ := g["revert_data"].(string)
			return w["status"] == "success" && g["status"] == "revert" && slices.Contains(ownRefusals, reverted)
		}
	}
	return false
}
