// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
)

// Test methods name a network by scheme and host. Another path of the same host is another network.
func TestForksHideTheEndpoint(t *testing.T) {
	const at = "http://carol:hunter22@127.0.0.1:1/v2/PATHKEY?apikey=QUERYKEY"
	f := &Fork{url: at, headers: []*types.Header{{Number: big.NewInt(7)}}}
	c := &Chain{options: Options{Fork: f}}
	expect.Error(t, c.checkFork(&forkOptions{URL: at}), nil, "c.checkFork")
	other := c.checkFork(&forkOptions{URL: strings.Replace(at, "v2", "v3", 1)})
	c.options.Fork = nil
	all := fmt.Sprint(f.forkConfig(), other, c.checkFork(&forkOptions{URL: at}))
	for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
		expect.That(t, other != nil && !strings.Contains(all, secret) && strings.Contains(all, "http://127.0.0.1:1"),
			"%s is shown, or no host: %s", secret, all)
	}
}
