// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import "math"

// settle makes a query on an Anzeon chain end at the head where it asks for more, as the reference does, and reports whether that
// answers it: when it begins above the head no block can have a match, and when it ends before it begins, which two tags or a tag and a
// number can do as well, that is an error (spec rpc 2.6). math.MaxUint64 stands for the head.
func (f *Filter) settle(begin uint64, end *uint64) (done bool, err error) {
	if !f.sys.backend.ChainConfig().IsAnzeon() {
		return false, nil
	}
	head := f.sys.backend.CurrentHeader().Number.Uint64()
	if *end > head || *end == head && begin == math.MaxUint64 { // a search from the head to its number would be one backwards
		*end = math.MaxUint64
	}
	if begin > head && begin != math.MaxUint64 {
		return true, nil
	}
	if first, last := f.resolved(begin), f.resolved(*end); first > last {
		return true, invalidParamsErr("invalid block range params: fromBlock is block %d and above toBlock, which is block %d", first, last)
	}
	return false, nil
}

// resolved returns the number of the block that a bound of a query stands for. On an Anzeon chain the limit for ranges is
// measured between these; a query up to the head would otherwise always exceed it.
func (f *Filter) resolved(number uint64) uint64 {
	if number != math.MaxUint64 || !f.sys.backend.ChainConfig().IsAnzeon() {
		return number
	}
	return f.sys.backend.CurrentHeader().Number.Uint64()
}
