// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// proposed makes a proposal as the command with a name does.
func proposed(ctx context.Context, c *Chain, name string, k Contract, d Details, values ...any) (*Request, error) {
	i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Name == name })
	return Kinds[i].Request(ctx, c, k, values, d)
}

// offline makes a proposal that needs no node.
func offline(name string, k Contract, values ...any) *Request {
	r, err := proposed(context.Background(), nil, name, k, Details{}, values...)
	if err != nil {
		panic(err)
	}
	return r
}

func GasTip(tip *big.Int) *Request               { return offline("gas-tip", Validator, tip) }
func Quorum(k Contract, n uint32) *Request       { return offline("quorum", k, n) }
func MaxProposals(k Contract, n int64) *Request  { return offline("max-proposals", k, big.NewInt(n)) }
func RemoveMinter(a common.Address) *Request     { return offline("remove-minter", MasterMinter, a) }
func MaxAllowance(wei *big.Int) *Request         { return offline("max-allowance", MasterMinter, wei) }
func Blacklist(list []common.Address) *Request   { return offline("blacklist", Council, list) }
func Unblacklist(list []common.Address) *Request { return offline("unblacklist", Council, list) }
func Authorize(list []common.Address) *Request   { return offline("authorize", Council, list) }
func Unauthorize(list []common.Address) *Request { return offline("unauthorize", Council, list) }
func ConfigureMinter(a common.Address, wei *big.Int) *Request {
	return offline("minter", MasterMinter, a, wei)
}

func Pause(k Contract, paused bool) (*Request, error) {
	name := map[bool]string{true: "pause", false: "unpause"}[paused]
	return proposed(context.Background(), nil, name, k, Details{})
}

// mintOf and burnOf propose to mint or burn coins of an account.
func mintOf(to common.Address, amount int64, id string) request {
	return func(ctx context.Context, c *Chain) (*Request, error) {
		return proposed(ctx, c, "mint", Minter, Details{ID: id, Reference: "bank", Timestamp: 1}, to, coins(amount))
	}
}

func burnOf(of common.Address, amount int64, id string) request {
	return func(ctx context.Context, c *Chain) (*Request, error) {
		return proposed(ctx, c, "burn", Minter, Details{From: of, ID: id, Reference: "bank", Timestamp: 1}, coins(amount))
	}
}

func addMember(k Contract, n int, quorum uint32) request {
	return func(ctx context.Context, c *Chain) (*Request, error) {
		return proposed(ctx, c, "add-member", k, Details{Quorum: quorum}, addr(n))
	}
}

func removeMember(k Contract, n int, quorum uint32) request {
	return func(ctx context.Context, c *Chain) (*Request, error) {
		return proposed(ctx, c, "remove-member", k, Details{Quorum: quorum}, addr(n))
	}
}

func addValidator(operator common.Address) request {
	return func(ctx context.Context, c *Chain) (*Request, error) {
		return proposed(ctx, c, "add-validator", Validator, Details{}, operator)
	}
}

func vote(i int, id ID, final, force bool) *Request {
	r, err := Votes[i].Request(id, final, force)
	if err != nil {
		panic(err)
	}
	return r
}

func Approve(id ID) *Request                    { return vote(0, id, false, false) }
func Reject(id ID) *Request                     { return vote(1, id, false, false) }
func Cancel(id ID) *Request                     { return vote(2, id, false, false) }
func Execute(id ID, final, force bool) *Request { return vote(3, id, final, force) }
func Expire(id ID) *Request                     { return vote(4, id, false, false) }
