// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import "math"

// settle moves the end of a query on an Anzeon chain down to the head, as go-stablenet does. It reports whether the
// query is done without a search: a query that begins above the head has no logs, and a query that ends before it
// begins, also by its tags, is an error (spec rpc 2.6). math.MaxUint64 stands for the head.
func (f *Filter) settle(begin uint64, end *uint64) (done bool, err error) {
	if !f.sys.backend.ChainConfig().IsAnzeon() {
		return false, nil
	}
	head := f.sys.backend.CurrentHeader().Number.Uint64()
	// From the tag of the head to the head's number would be a search backwards.
	if *end > head || *end == head && begin == math.MaxUint64 {
		*end = math.MaxUint64
	}
	if begin > head && begin != math.MaxUint64 {
		return true, nil
	}
	if first, last := f.resolved(begin), f.resolved(*end); first > last {
		const text = "invalid block range params: fromBlock is block %d and above toBlock, which is block %d"
		return true, invalidParamsErr(text, first, last)
	}
	return false, nil
}

// resolved returns the number of the block that a bound of a query stands for. The limit for ranges on an Anzeon chain
// is measured between these numbers because a query up to the head would otherwise always exceed it.
func (f *Filter) resolved(number uint64) uint64 {
	if number != math.MaxUint64 || !f.sys.backend.ChainConfig().IsAnzeon() {
		return number
	}
	return f.sys.backend.CurrentHeader().Number.Uint64()
}
