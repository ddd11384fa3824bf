// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

// largestSet bounds the sets that a case may ask for.
const largestSet = 1 << 20

func setSize(in reader, key string) (int, error) {
	n := in.number(key)
	if n > largestSet {
		return 0, unsupported{fmt.Sprintf("%s %d is more than %d", key, n, largestSet)}
	}
	return int(n), nil
}

func quorum(in reader) (any, error) {
	n, err := setSize(in, "n")
	if err != nil {
		return nil, err
	}
	set := validators.NewSet(make([]validators.Validator, n))
	// F is a real number in the specification and is never made here: quorum and join count are computed in integers.
	bits := binary.BigEndian.AppendUint64(nil, math.Float64bits((float64(n)-1)/3))
	return record{"f_float64_bits": toHex(bits), "quorum": decimal(set.Quorum()),
		"f_plus_one": decimal(set.JoinCount())}, nil
}

func setOfAddresses(list []common.Address) *validators.Set {
	members := make([]validators.Validator, len(list))
	for i, a := range list {
		members[i].Address = a
	}
	return validators.NewSet(members)
}

func proposer(in reader) (any, error) {
	set := setOfAddresses(in.addresses("validators"))
	if set.Len() == 0 {
		return record{"index": nil, "address": nil}, nil
	}
	address := set.Proposer(in.number("policy"), in.address("last_proposer"), in.integer("round").Uint64())
	index, _ := set.Index(address)
	return record{"index": decimal(index), "address": addressItem(address)}, nil
}

func epochBoundary(in reader) (any, error) {
	config, err := consensusConfig(in.object("config"))
	if err != nil {
		return nil, err
	}
	number := in.integer("number").Uint64() // block numbers have 64 bits
	if config.WBFTAt(number).EpochLength == 0 {
		return nil, errors.New("an epoch of no blocks has no boundary")
	}
	last := config.LastEpochBlock(number)
	return record{"is_epoch_block": last == number, "last_epoch_block": decimal(last)}, nil
}

func validatorsAt(in reader) (any, error) {
	f, err := readFixture(in.object("chain"))
	if err != nil {
		return nil, err
	}
	number := in.number("number")
	header := f.genesis
	if number > 0 {
		header = &types.Header{Number: in.integer("number"), ParentHash: in.hash("parent_hash")}
	}
	var set *validators.Set
	if number == 0 {
		set, err = genesisSet(f.config)
	} else if err = f.refused; err == nil {
		set, err = f.engine.ValidatorsFor(f, header)
	}
	if err != nil {
		return nil, err
	}
	list := []any{}
	for i := range set.Len() {
		v := set.At(i)
		list = append(list, record{"address": addressItem(v.Address), "bls_public_key": toHex(v.Key.Bytes())})
	}
	policy := f.config.WBFTAt(number).ProposerPolicy
	return record{"validators": list, "proposer_policy": orNull(policy, func(p *uint64) any { return decimal(*p) })}, nil
}

func shuffle(in reader) (any, error) {
	n, err := setSize(in, "count")
	if err != nil {
		return nil, err
	}
	to := validators.Shuffle(n, in.hash("seed"))
	shuffled := []any{}
	for _, i := range in.numbers("indices") {
		if i >= uint64(n) {
			return nil, fmt.Errorf("index %d of %d", i, n)
		}
		shuffled = append(shuffled, decimal(to[i]))
	}
	return record{"shuffled": shuffled}, nil
}

func sortCandidates(in reader) (any, error) {
	order := validators.SortCandidates(in.numbers("diligences"))
	return record{"order": listOf(order, func(i int) any { return decimal(i) })}, nil
}

func nextEpochInfo(in reader) (any, error) {
	f, err := runnable(in)
	if err != nil {
		return nil, err
	}
	header, err := in.header("header")
	if err != nil {
		return nil, err
	}
	var candidates []validators.EpochCandidate
	for _, c := range in.objects("candidates") {
		candidates = append(candidates, validators.EpochCandidate{
			Address: c.address("address"), BLSPublicKey: slices.Clip(c.bytes("bls_public_key")),
		})
	}
	if number := header.Number.Uint64(); f.config.LastEpochBlock(number) != number {
		return record{"epoch_info": nil}, nil
	}
	info, err := f.engine.NextEpochInfo(f, header, candidates)
	if err != nil {
		return nil, err
	}
	return record{"epoch_info": writeEpochInfo(info)}, nil
}
