// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/core/history"
)

// ParseHistory reads the value of --history.chain. Upstream has names for points of Ethereum's chains, which no other
// chain has.
func ParseHistory(value string) (policy history.HistoryPolicy, err error) {
	const wants = `want NUMBER:HASH of the oldest block whose transactions stay, or "all"`
	err = policy.UnmarshalText([]byte(value))
	switch {
	case err == nil && (policy.Mode == history.KeepAll || policy.Mode == history.KeepCustom):
		return policy, nil
	case err != nil && strings.Contains(value, ":"):
		return policy, fmt.Errorf("--%s %s: %w; %s", utils.ChainHistoryFlag.Name, value, err, wants)
	case err == nil:
		return policy, fmt.Errorf("--%s %s names no block of this chain: %s", utils.ChainHistoryFlag.Name, value, wants)
	}
	return policy, fmt.Errorf("--%s %q: %s", utils.ChainHistoryFlag.Name, value, wants)
}
