// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"
)

// A running node has a limit; flag and environment take precedence over what is found.
func TestMemoryIsLimited(t *testing.T) {
	total, source := utils.UsableMemory()
	if total == 0 || source == "unknown" {
		t.Skip("this machine does not say how much memory it has")
	}
	for name, c := range map[string]struct {
		args []string
		env  string
		set  bool
	}{
		"found":       {nil, "", true},
		"flag":        {[]string{"--memorylimit", "512"}, "", false},
		"environment": {nil, "512MiB", false},
	} {
		t.Run(name, func(t *testing.T) {
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
			t.Setenv("GOMEMLIMIT", c.env)
			err := withFlags(t, func(ctx *cli.Context) error {
				limitMemory(ctx)
				return nil
			}, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			limit := debug.SetMemoryLimit(-1)
			if set := limit != math.MaxInt64; set != c.set {
				t.Errorf("limit %d, set %v, want %v", limit, set, c.set)
			}
			if c.set && uint64(limit) >= total {
				t.Errorf("limit %d of %d bytes", limit, total)
			}
		})
	}
}
