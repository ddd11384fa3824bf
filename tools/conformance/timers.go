// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"math"
	"math/big"
	"time"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/core"
)

// durationOf multiplies as signed 64-bit numbers do.
func durationOf(n *big.Int, unit time.Duration) time.Duration {
	return time.Duration(n.Uint64()) * unit
}

func roundTimeout(in reader) (any, error) {
	base := durationOf(in.integer("request_timeout"), time.Millisecond)
	limit := durationOf(in.integer("max_request_timeout_seconds"), time.Second)
	round := in.integer("round").Uint64()
	timeout := core.RoundTimeout(base, limit, round)
	// The core logs nothing here; which line the reference logs follows from the figures.
	warning := "none"
	switch {
	case limit > 0 && timeout < base:
		warning = "cap_overflow_guard"
	case limit <= 0 && timeout == math.MaxInt64:
		warning = "max_int64_clamp"
	}
	return record{"timeout": decimal(int64(timeout)), "warning": warning}, nil
}

func buildWait(in reader) (any, error) {
	var wait time.Duration
	if in.number("round") == 0 {
		now := time.Unix(0, in.integer("now").Int64())
		wait = wbft.BlockTime(in.number("head_time"), in.number("block_period")).Sub(now)
	}
	return record{"wait": decimal(int64(max(wait, 0)))}, nil
}
