// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/evidence"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// storeOf returns a store with a pair of messages for each sequence from 1 on, alternately by two validators.
func storeOf(t *testing.T, genesis common.Hash, pairs int) *evidence.Store {
	t.Helper()
	store := must.Get(evidence.Open(t.TempDir(), genesis))(t)
	for i := range pairs {
		must.Get(store.Add(&evidence.Evidence{
			Kind: evidence.TwoCommits, Validator: testAddress(byte(1 + i%2)), Genesis: genesis, Sequence: uint64(i + 1),
			Messages: [2]hexutil.Bytes{{1}, {2}}, FirstSeen: time.Unix(1_800_000_000, 0).UTC(), Label: evidence.Proven,
			Reason: "test",
		}))(t)
	}
	return store
}

func TestEvidence(t *testing.T) {
	c, _ := loadChain(t)
	genesis := c.GetHeaderByNumber(0).Hash()
	client := connect(t, gethrpc.API{Namespace: "istanbul",
		Service: &operators{node: c, genesis: genesis, evidence: storeOf(t, genesis, 20)}})
	for params, want := range map[string]any{
		`[{"from":"0x12"}]`:                                     []uint64{18, 19, 20},
		`[{"from":18,"to":"19"}]`:                               []uint64{18, 19},
		`[{"from":4,"to":6,"limit":2}]`:                         []uint64{4, 5},
		`[{"validator":"` + testAddress(2).Hex() + `","to":5}]`: []uint64{2, 4},
		`[{"from":21}]`:                                         []uint64(nil),
		`[{"from":6,"to":5}]`:                                   "-32000 from sequence 6 to 5 is no range: swap them",
		`[{"limit":0}]`:                                         "-32000 limit is 0: give 1 to 1000",
		`[{"limit":1001}]`:                                      "-32000 limit is 1001: give 1 to 1000",
		`[{"fromBlock":1}]`: `-32602 invalid argument 0: a filter of evidence has no ` +
			`"fromBlock": give validator, from, to and limit, all of which may be missing`,
		`[{"from":3,"To":4}]`: `-32602 invalid argument 0: a filter of evidence has no ` +
			`"To": give validator, from, to and limit, all of which may be missing`,
		`[7]`: `-32602 invalid argument 0: a filter is an object with ` +
			`validator, from, to and limit, all of which may be missing`,
		`[{"from":"latest"}]`: `-32602 invalid argument 0: "latest" is no sequence: ` +
			`give a block number`,
		`[{"from":-1}]`: `-32602 invalid argument 0: "-1" is no sequence: ` +
			`give a block number`,
	} {
		t.Run(params, func(t *testing.T) {
			got := ask(t, client, "istanbul_evidence", params)
			if text, refused := want.(string); refused {
				expect.Equal(t, got, text, "%s", params)
				return
			}
			var list evidence.List
			must.Do(t, json.Unmarshal([]byte(got), &list), params, got)
			var sequences []uint64
			for _, e := range list.Evidence {
				sequences = append(sequences, e.Sequence)
			}
			expect.That(t, slices.Equal(sequences, want.([]uint64)) && list.Genesis == genesis &&
				list.Truncated == strings.Contains(params, "limit"), "%s: %v, truncated %t", params, sequences, list.Truncated)
		})
	}
	var all evidence.List
	err := json.Unmarshal([]byte(ask(t, client, "istanbul_evidence", `[]`)), &all)
	expect.That(t, err == nil && len(all.Evidence) == 20, "without a filter: %d, %v", len(all.Evidence), err)
	none := connect(t, gethrpc.API{Namespace: "istanbul", Service: &operators{node: c, genesis: genesis}})
	expect.Contains(t, ask(t, none, "istanbul_evidence", `[]`), `"evidence":[]`, "where none is kept")
}
