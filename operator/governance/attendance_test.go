// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// attended are answers of a node whose validators 1 to 3 seal the present epoch. seal are those that do, peers those
// that are connected; nil where the node does not name its peers.
func attended(t *testing.T, seal, peers []int, own int, sealing bool) map[string]string {
	t.Helper()
	of := func(n int) common.Address { return crypto.PubkeyToAddress(validatorKey(n).PublicKey) }
	set, total, infos := []common.Address{of(1), of(2), of(3)}, make(map[common.Address]int), []p2p.PeerInfo{}
	for _, n := range seal {
		total[of(n)] = 7
	}
	for _, n := range peers {
		infos = append(infos, p2p.PeerInfo{Enode: enode.NewV4(&validatorKey(n).PublicKey, nil, 0, 0).URLv4()})
	}
	list := map[string]string{
		"istanbul_epochInfo":     `{"number":"0x0","next":"0x1e"}`,
		"istanbul_getValidators": string(must.Get(json.Marshal(set))(t)),
		"istanbul_status":        fmt.Sprintf(`{"sealerActivity":{"total":%s}}`, must.Get(json.Marshal(total))(t)),
	}
	if peers != nil {
		list["admin_peers"] = string(must.Get(json.Marshal(infos))(t))
		list["istanbul_consensusStatus"] = fmt.Sprintf(`{"address":%q,"sealing":%v}`, of(own).Hex(), sealing)
	}
	return list
}

// A change of the set says who is here of the validators after the epoch, where that matters, and is doubted where the
// network would stand still by what the node knows. spec: wbft 3.4
func TestQuorumOfTheNextSet(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	c.do(1, addValidator(addr(4)))
	c.do(2, plain(Approve(ID{Validator, 1})))
	remove := func(n int) request {
		return func(ctx context.Context, chain *Chain) (*Request, error) {
			return proposed(ctx, chain, "remove-validator", Validator, Details{}, addr(n))
		}
	}
	c.do(1, remove(3))
	const stops = "The network would stand still"
	one, none := []int{1}, []int{}
	for _, test := range []struct {
		name        string
		seal, peers []int
		own         int
		sealing     bool
		from        int
		request     request
		warns       string // "" for nothing
		doubted     bool
	}{
		{"all are here", []int{1, 2, 3}, []int{4}, 1, true, 4, configure(t, 4), "", false},
		{"the key is the node's", []int{1, 2, 3}, none, 4, true, 4, configure(t, 4), "", false},
		{"the node does not seal", []int{1, 2, 3}, one, 4, false, 4, configure(t, 4), "3 of 4 validators are here", false},
		{"no node has the key", []int{1, 2, 3}, one, 1, true, 4, configure(t, 4),
			"from block 31 on, at the earliest, 3 of 4 validators are here, 3 are needed; missing: ", false},
		{"no peers are named", []int{1, 2, 3}, nil, 1, true, 4, configure(t, 4), "runs is not known at ", false},
		{"the node with the key may follow", []int{1, 2}, []int{3, 4}, 1, true, 4, configure(t, 4), "runs with --mine", true},
		{"a silent one is borne", []int{1, 2}, []int{3}, 4, true, 4, configure(t, 4), "", false},
		{"one away, no node has the key", []int{1, 2}, one, 1, true, 4, configure(t, 4), "2 of 4 validators are here", true},
		{"one silent, no node has the key", []int{1, 2}, []int{3}, 1, true, 4, configure(t, 4), "connected and silent", true},
		{"one away, no peers are named", []int{1, 2}, nil, 1, true, 4, configure(t, 4), "2 of 4 validators are here", true},
		{"two away, no peers are named", one, nil, 1, true, 4, configure(t, 4), "1 of 4 validators are here", true},
		{"another key, its node is asked", []int{1, 2, 3}, none, 4, true, 1, configure(t, 4), "", false},
		{"another key, its node may follow", []int{1, 2, 3}, []int{4}, 1, true, 1, configure(t, 4), "give its --rpc", true},
		{"another key, no node has it", []int{1, 2, 3}, []int{2}, 1, true, 1, configure(t, 4), "2 of 3 validators", true},
		{"the others are left", []int{1, 2, 3}, none, 1, true, 1, remove(3), "", false},
		{"the one away is removed", []int{1, 2}, none, 1, true, 1, remove(3), "", false},
		{"one of the rest is away", []int{1, 3}, none, 1, true, 1, remove(3), "1 of 2 validators are here, 2 are", true},
		{"a vote for that", []int{1, 3}, none, 1, true, 2, plain(Approve(ID{Validator, 2})), "1 of 2 validators", true},
		{"a vote against it", []int{1, 3}, none, 1, true, 2, plain(Reject(ID{Validator, 2})), "", false},
		{"a change that is none of the set", one, none, 1, true, 1, plain(GasTip(gwei(30_000))), "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			chain := c.answering(attended(t, test.seal, test.peers, test.own, test.sealing))
			r := must.Get(test.request(t.Context(), chain))(t)
			p := must.Get(chain.Plan(t.Context(), addr(test.from), r, &Settings{}))(t)
			expect.Equal(t, len(p.Doubts) > 0, test.doubted, "doubted: %q", p.Doubts)
			if says(t, p.Words, test.warns); test.doubted {
				says(t, p.Doubts, stops, test.warns)
			}
			if test.warns == "" {
				for _, word := range p.Words {
					if strings.Contains(word, "validators are here") {
						t.Errorf("warns: %q", word)
					}
				}
			}
		})
	}
}
