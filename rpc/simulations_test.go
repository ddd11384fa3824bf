// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// simulation is the arguments of a simulation in which some code is called a number of times.
func simulation(code string, calls int, full bool) string {
	call := `{"to":"0x00000000000000000000000000000000000000aa"}`
	return fmt.Sprintf(`[{"returnFullTransactions":%v,"blockStateCalls":[{"stateOverrides":{`+
		`"0x00000000000000000000000000000000000000aa":{"code":"%s"}},"calls":[%s]}]},"latest"]`,
		full, code, strings.TrimSuffix(strings.Repeat(call+",", calls), ","))
}

// A simulation on a public node ends above a limit of result bytes, for every kind of content. The operator gets the
// full result. spec: rpc 9.7
func TestBytesOfSimulations(t *testing.T) {
	n, upstream := startNode(t, Options{})
	for _, c := range []struct {
		name, code string
		full       bool
	}{
		{"returned", "0x6110005ff3", false}, // 4 KiB of zeros
		{"reverted", "0x6110005ffd", false},
		{"logged", "0x6110005fa0", false},
		{"full transactions", "0x", true},
		{"nothing", "0x", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			params := simulation(c.code, 40, c.full)
			want := ask(t, upstream, "eth_simulateV1", params)
			must.That(t, strings.HasPrefix(want, `[{"`), "%v", want)
			for most, refused := range map[int]bool{len(want) - 1: true, 3*len(want) + 2000: false} {
				public, operator := overHTTP(t, "eth", &simulations{n, most})
				text := fmt.Sprintf("-32003 the answer would have more than %d bytes: simulate fewer calls, or calls that return "+
					"and log less", most)
				if have := ask(t, public, "eth_simulateV1", params); refused && have != text {
					t.Errorf("%d bytes of %d: %.200s", most, len(want), have)
				} else if !refused && len(have) != len(want) {
					t.Errorf("%d bytes: %.200s, want %.200s", most, have, want)
				}
				have := ask(t, operator, "eth_simulateV1", params)
				expect.That(t, len(have) == len(want), "the operator has %.200s", have)
			}
		})
	}
}

// The profile for public nodes sets that limit. spec: rpc 9.7
func TestSimulationsOfThePublicProfile(t *testing.T) {
	n, _ := startNode(t, Options{})
	for _, public := range []bool{true, false} {
		t.Run(fmt.Sprintf("public %v", public), func(t *testing.T) {
			found := false
			for _, api := range APIs(n, Options{Public: public}) {
				s, ok := api.Service.(*simulations)
				found = found || ok && s.most == gethrpc.MaxAnswer
			}
			expect.Equal(t, found, public, "bounded")
		})
	}
}

// Blocks of a simulation without times are a block period apart, as on the chain, also those that fill a gap. A time
// that is given counts. Numbers that upstream's simulator refuses are refused as before.
func TestSimulatedBlocksAreAPeriodApart(t *testing.T) {
	n, _ := startNode(t, Options{})
	config, head := n.Chain().Config(), n.Chain().CurrentBlock()
	period := config.WBFTAt(1).BlockPeriodSeconds
	for _, public := range []bool{true, false} {
		client := connect(t, APIs(n, Options{Public: public})...)
		for _, tt := range []struct {
			name, blocks, at string
			offsets          []uint64 // of the times from that of the head
			refused          string
		}{
			{"none given", `{}, {}`, `,"latest"`, []uint64{period, 2 * period}, ""},
			{"no block given", `{}, {}`, ``, []uint64{period, 2 * period}, ""},
			{"a gap", fmt.Sprintf(`{}, {"blockOverrides": {"number": "%#x"}}`, head.Number.Uint64()+4), `,"latest"`,
				[]uint64{period, 2 * period, 3 * period, 4 * period}, ""},
			{"a time", fmt.Sprintf(`{"blockOverrides": {"time": "%#x"}}, {}`, head.Time+100), `,"latest"`,
				[]uint64{100, 100 + period}, ""},
			{"a number behind", fmt.Sprintf(`{}, {"blockOverrides": {"number": "%#x"}}`, head.Number), `,"latest"`, nil,
				"block numbers must be in order"},
			{"too many", fmt.Sprintf(`{"blockOverrides": {"number": "%#x"}}`, head.Number.Uint64()+257), `,"latest"`, nil,
				"too many blocks"},
			{"empty", ``, `,"latest"`, nil, "empty input"},
		} {
			t.Run(fmt.Sprintf("%s public %v", tt.name, public), func(t *testing.T) {
				text := ask(t, client, "eth_simulateV1", fmt.Sprintf(`[{"blockStateCalls":[%s]}%s]`, tt.blocks, tt.at))
				if tt.refused != "" {
					expect.Contains(t, text, tt.refused, "text")
					return
				}
				var blocks []struct{ Number, Timestamp hexutil.Uint64 }
				must.Do(t, json.Unmarshal([]byte(text), &blocks), text)
				var offsets []uint64
				for i, b := range blocks {
					offsets = append(offsets, uint64(b.Timestamp)-head.Time)
					expect.Equal(t, uint64(b.Number), head.Number.Uint64()+uint64(i)+1,
						"block %d, want %d", b.Number, head.Number.Uint64()+uint64(i)+1)
				}
				expect.That(t, slices.Equal(offsets, tt.offsets), "times %v after that of the head, want %v", offsets, tt.offsets)
			})
		}
	}
}
