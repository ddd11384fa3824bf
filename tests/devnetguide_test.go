// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"regexp"
	"testing"
)

// The commands of docs/governing.md work in their order as they stand, but for the port: the gas tip changes, a fifth
// validator is added, seals, and is removed, an account is put on the blacklist, coins are minted and burnt.
// They work a second time, too, which -short leaves out.
func TestDevnetGuide(t *testing.T) {
	t.Parallel()
	commands := rewritten(t, commandsOf(t, readPage(t, "docs/governing.md")), [][2]string{
		{`(gwon-dev devnet)`, "$1 --http.port 0"},
		{`(until grep -q "The network is up" .*\n)`, "${1}RPC=$$(sed -n 's/^RPC  *//p' devnet.log)\n"},
		{`(gwon gov (?:status|proposals|show|approve|refund|propose [a-z-]+|validator configure))`, "$1 --rpc $$RPC"},
		{`http://127\.0\.0\.1:8545`, "$$RPC"},
	})
	dir := workDir(t)
	t.Run("first", func(t *testing.T) { followDevnetGuide(t, dir, commands) })
	if !testing.Short() {
		t.Run("second", func(t *testing.T) { followDevnetGuide(t, dir, commands) })
	}
}

// followDevnetGuide runs the commands of the guide in dir.
func followDevnetGuide(t *testing.T, dir, commands string) {
	t.Helper()
	output := runCommands(t, dir, commands, []string{"FIFTH", "DEVNET"})
	for _, want := range []string{
		"Gas tip +30000 gwei", "gov-validator:1 +voting +1 of 2 for", "registers 0x[0-9a-fA-F]{40} as its validator",
		" seals\n",
		"remove the validator 0x",
		"is no member of GovValidator any more", `0x9E9ce4AbFFFcc799EA3EfFDc44eCE98Fa9f785cd is on the blacklist`,
		"Blacklist +1\n",
		"is on the blacklist.*\nrefused, as it should be",
		"1000 coins were minted to 0x178fefBBf63c0F2F45B25D8ea0918178d50Cb084",
		"250 coins were burnt",
		"Supply +10000000750 coins",
	} {
		if !regexp.MustCompile(want).MatchString(output) {
			t.Errorf("no %s in the output", want)
		}
	}
	if t.Failed() {
		t.Logf("output:\n%s", output)
	}
}
