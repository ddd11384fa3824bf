// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import "math"

// beyondHead makes a query on an Anzeon chain end at the head where it asks for more, as the reference does (spec rpc 2.6), and
// reports whether it also begins above the head: no block can have a match then. math.MaxUint64 stands for the head.
func (f *Filter) beyondHead(begin uint64, end *uint64) bool {
	if !f.sys.backend.ChainConfig().IsAnzeon() {
		return false
	}
	head := f.sys.backend.CurrentHeader().Number.Uint64()
	if *end > head {
		*end = math.MaxUint64
	}
	return begin > head && begin != math.MaxUint64
}

// resolved returns the number of the block that a bound of a query stands for. On an Anzeon chain the limit for ranges is
// measured between these; a query up to the head would otherwise always exceed it.
func (f *Filter) resolved(number uint64) uint64 {
	if number != math.MaxUint64 || !f.sys.backend.ChainConfig().IsAnzeon() {
		return number
	}
	return f.sys.backend.CurrentHeader().Number.Uint64()
}
