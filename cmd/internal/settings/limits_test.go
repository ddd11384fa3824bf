// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A running node has a limit; flag and environment take precedence over what is found.
func TestMemoryIsLimited(t *testing.T) {
	total, source := bridge.UsableMemory()
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
			must.Do(t, withFlags(t, func(ctx *cli.Context) error {
				limitMemory(ctx)
				return nil
			}, c.args...))
			limit := debug.SetMemoryLimit(-1)
			expect.Equal(t, limit != math.MaxInt64, c.set, "limit %d, set", limit)
			expect.That(t, !c.set || uint64(limit) < total, "limit %d of %d bytes", limit, total)
		})
	}
}

// A value that is none of its flag's is answered with the flag, the value and what is possible.
func TestChoices(t *testing.T) {
	hash := "0x" + strings.Repeat("1", 64)
	for _, row := range []struct{ args, want string }{
		{"--syncmode full --gcmode archive --db.engine pebble --nat extip:10.0.0.1 --netrestrict 10.0.0.0/8", ""},
		{"--nat stun:10.0.0.1:3478 --eth.requiredblocks 1=" + hash + ",0x2=" + hash, ""},
		{"--syncmode light", `--syncmode "light" is not possible: give full or snap`},
		{"--gcmode all", `--gcmode "all" is not possible: give full or archive`},
		{"--db.engine rocksdb", `--db.engine "rocksdb" is not possible: give pebble or leveldb`},
		{"--crypto.kzg foo", `--crypto.kzg "foo" is not possible: give gokzg`},
		{"--crypto.kzg ckzg", `--crypto.kzg "ckzg" is not possible: give gokzg`},
		{"--nat foo", `--nat "foo" is not possible: give any, none,`},
		{"--netrestrict 10.0.0.1", `--netrestrict "10.0.0.1" is not possible: give networks in CIDR notation`},
		{"--txpool.locals 0x1", `--txpool.locals "0x1" is not possible: give addresses`},
		{"--eth.requiredblocks 1", `--eth.requiredblocks "1" is not possible: give NUMBER=HASH`},
		{"--eth.requiredblocks x=" + hash, "is not possible: give NUMBER=HASH"},
		{"--whitelist 1=0x1", `--whitelist "1=0x1" is not possible: give NUMBER=HASH`},
		{"--syncmode light --nat foo", `give full or snap` + "\n" + `--nat "foo"`},
	} {
		t.Run(row.args, func(t *testing.T) {
			err := withFlags(t, checkValues, strings.Fields(row.args)...)
			expect.Ends(t, err, row.want, "the error")
		})
	}
}

// Flags of an endpoint that is not opened are named with the flag that opens it, unless a file or profile does.
func TestUselessFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	must.Do(t, os.WriteFile(file, []byte("[Node]\nHTTPHost = \"127.0.0.1\"\nWSPort = 1\n"), 0o600))
	for _, row := range []struct{ args, want string }{
		{"--rpc.gascap 1 --port 1", ""},
		{"--http.port 1", "[--http.port] add --http"},
		{"--http.addr 127.0.0.1 --http.api eth --graphql", "[--http.addr --http.api --graphql] add --http"},
		{"--http --http.port 1", ""},
		{"--http --ws.port 1 --ws.api eth", "[--ws.port --ws.api] add --ws"},
		{"--ws --ws.port 1 --http.port 1", "[--http.port] add --http"},
		{"--http.port 1 --ws.port 1", "[--http.port] add --http [--ws.port] add --ws"},
		{"--rpc.profile public --http.port 1", ""},
		{"--config " + file + " --http.port 1", ""},
		{"--config " + file, ""},
	} {
		t.Run(row.args, func(t *testing.T) {
			expect.Error(t, withFlags(t, func(ctx *cli.Context) error {
				cfg, _, err := Load(ctx)
				if err != nil {
					return err
				}
				if _, err := cfg.ApplyProfile(ctx); err != nil {
					return err
				}
				var got []string
				for _, group := range cfg.UselessFlags(ctx) {
					got = append(got, fmt.Sprint(group.Flags), group.Remedy)
				}
				expect.Equal(t, strings.Join(got, " "), row.want, "strings.Join")
				return nil
			}, strings.Fields(row.args)...), nil, "error")
		})
	}
}
