// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const testnetEndpoint = "https://api.test.stablenet.network"

var (
	fencedCommands = regexp.MustCompile("(?s)\n```\n(.*?)```\n")
	inlineCommand  = regexp.MustCompile("`(gwon [^`]+)`")
)

// commandsIn returns the blocks of commands of a page, and the commands within its sentences, whose lines are joined.
func commandsIn(page string) (blocks, inline []string) {
	for _, m := range fencedCommands.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, m[1])
	}
	for _, m := range inlineCommand.FindAllStringSubmatch(fencedCommands.ReplaceAllString(page, "\n"), -1) {
		inline = append(inline, strings.Join(strings.Fields(m[1]), " "))
	}
	return blocks, inline
}

// The commands of the page for the testnet lead from an empty data directory to a synced follower whose head is that of
// the endpoint. A private network with the chain ID of the testnet stands in for it. The Korean page has the same
// commands.
func TestTestnetPage(t *testing.T) {
	t.Parallel()
	blocks, inline := commandsIn(readPage(t, "docs/operate/testnet.md"))
	korean, koreanInline := commandsIn(readPage(t, "docs/operate/ko/testnet.md"))
	must.That(t, len(blocks) == 3 && len(inline) >= 3,
		"%d blocks of commands, %d commands in sentences", len(blocks), len(inline))
	if !slices.Equal(blocks, korean) || !slices.Equal(inline, koreanInline) {
		t.Errorf("the Korean page has other commands:\n%q\n%q", append(korean, koreanInline...), append(blocks, inline...))
	}

	c := oneNode(t)
	c.awaitHead(t, 5, 0)
	dir := workDir(t)
	file := filepath.Join(dir, "network.toml")
	peers := fmt.Sprintf("[Node.P2P]\nNoDiscovery = true\nStaticNodes = [%q]\n", c.node(0).Enode())
	must.Do(t, os.WriteFile(file, []byte(peers), 0o600))
	data := filepath.Join(dir, ".gwon", "testnet")
	genesis := filepath.Join(c.network.Dir, "genesis.json")
	_, stderr, err := gwon(t, dir, "--datadir", data, "init", genesis)
	must.That(t, err == nil, "init: %v: %s", err, stderr)
	const number = 3
	substituted := strings.NewReplacer(
		testnetEndpoint, c.node(0).HTTP(),
		"gwon --testnet", "gwon --config "+file+" --bootnodes= --nat none --port 0 --cache 64",
		"HASH", c.block(t, 0, uint64(number)).Hash.Hex(),
		"NUMBER", fmt.Sprint(number),
	)
	for i, block := range blocks {
		blocks[i] = substituted.Replace(block)
		must.That(t, blocks[i] != block, "the commands %q name neither the network nor the endpoint", block)
	}
	wait := fmt.Sprintf(`until test "$(gwon attach --datadir "$DATA" --exec 'eth.getBlock("finalized").number >= %d' `+
		`2>/dev/null)" = true; do sleep 1; done`, number)
	script := strings.Join([]string{
		blocks[0], strings.TrimSpace(blocks[1]) + " 2> node.log & NODE=$!", wait, "echo HEAD", blocks[2], "echo STATUS",
		inline[slices.Index(inline, `gwon status --datadir "$DATA"`)] + " || test $? = 2", // 2 is a warning
		"kill $NODE; wait $NODE", "",
	}, "\n")
	fetched, rest, _ := strings.Cut(runCommands(t, dir, script, []string{"NODE"}), "HEAD\n")
	heads, status, _ := strings.Cut(rest, "STATUS\n")
	if want := "No code of govMinter v2"; !strings.Contains(fetched, want) { // the network here has none
		t.Errorf("no %q when the code was fetched:\n%s", want, fetched)
	}
	var finalized uint64
	var hash, same string
	_, err = fmt.Sscanf(heads, "\"%d %66s\"\n%q\n", &finalized, &hash, &same)
	must.That(t, err == nil, "%v in %q", err, heads)
	want := c.block(t, 0, finalized).Hash.Hex()
	expect.That(t, hash == want, "block %d is %s at the follower and %s at the endpoint", finalized, hash, want)
	want = c.block(t, 0, uint64(number)).Hash.Hex()
	expect.That(t, same == want, "block %d is %s at the endpoint, want %s", number, same, want)
	expect.That(t, strings.Contains(status, "Head") && strings.Contains(status, "Peers"), "status: %s", status)

	for _, command := range inline { // those of a validator need a vote: governance_test.go plays them
		words := strings.Fields(command)[1:]
		end := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
		if end < 0 {
			end = len(words)
		}
		help, stderr, err := gwon(t, dir, append(slices.Clone(words[:end]), "--help")...)
		expect.That(t, err == nil, "%s: %v: %s", command, err, stderr)
		for _, word := range words[end:] {
			flag := regexp.MustCompile(regexp.QuoteMeta(word) + `[ ,\n]`)
			expect.That(t, !strings.HasPrefix(word, "--") || flag.MatchString(help),
				"%s: no flag %s in\n%s", command, word, help)
		}
	}
}
