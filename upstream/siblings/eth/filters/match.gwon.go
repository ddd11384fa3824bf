// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// fewLogs is up to how many logs a list is searched one by one, which costs less than making a set of it.
const fewLogs = 8

// wanted are the values of one criterion.
type wanted[T comparable] struct {
	list []T
	set  map[T]struct{} // nil for a list that is searched one by one
}

func newWanted[T comparable](list []T, logs int) wanted[T] {
	w := wanted[T]{list: list}
	if logs <= fewLogs || len(list) <= fewLogs {
		return w
	}
	w.set = make(map[T]struct{}, len(list))
	for _, value := range list {
		w.set[value] = struct{}{}
	}
	return w
}

func (w wanted[T]) has(value T) bool {
	if w.set == nil {
		return slices.Contains(w.list, value)
	}
	_, ok := w.set[value]
	return ok
}

// wantedOf returns the criteria of a query, to be compared with a number of logs.
func wantedOf(
	logs int, addresses []common.Address, topics [][]common.Hash,
) (wanted[common.Address], []wanted[common.Hash]) {
	byPosition := make([]wanted[common.Hash], len(topics))
	for i, list := range topics {
		byPosition[i] = newWanted(list, logs)
	}
	return newWanted(addresses, logs), byPosition
}
