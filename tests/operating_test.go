// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// operatePages are the pages of the operating manual, in the order of docs/operate/install.md.
var operatePages = []string{
	"install", "follower", "status", "health", "rpc-node", "finality-proofs", "validator", "backup", "disk", "evidence",
	"transaction-pool", "monitoring", "upgrade", "recovery",
}

// manual returns the pages of the operating manual as one text.
func manual(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, page := range operatePages {
		text.WriteString(readPage(t, "docs/operate/"+page+".md"))
	}
	return text.String()
}

// tableOf returns the first column of the first table after a heading line of the manual, without the table's own
// heading.
func tableOf(t *testing.T, text, after string) []string {
	t.Helper()
	_, rest, found := strings.Cut(text, after)
	must.That(t, found, "the manual has no %q", after)
	var cells []string
	for line := range strings.Lines(rest[strings.Index(rest, "|---"):]) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if !strings.HasPrefix(line, "|---") {
			cells = append(cells, strings.Trim(strings.TrimSpace(strings.Split(line, "|")[1]), "`"))
		}
	}
	must.That(t, len(cells) >= 3, "table after %q: %q", after, cells)
	return cells
}

// testStep matches what a document shows as commands, and what only its test runs: <!-- test ... -->.
var testStep = regexp.MustCompile("(?s)```sh\n(.*?)```|<!-- test\n(.*?)-->")

// continuation matches a step of the test that goes on with the command above it, as "& NODE=$!".
var continuation = regexp.MustCompile(`^(&|\|\||2?>) ?`)

// commandsOf returns the commands of a document as one script.
func commandsOf(t *testing.T, document string) string {
	t.Helper()
	var script strings.Builder
	for _, step := range testStep.FindAllStringSubmatch(document, -1) {
		if continuation.MatchString(step[2]) {
			before := strings.TrimSuffix(script.String(), "\n")
			last := before[strings.LastIndex(before, "\n")+1:]
			must.That(t, !strings.Contains(last, " # "), "the comment of %q takes in what goes on with it", last)
			script.Reset()
			script.WriteString(before + " ")
		}
		script.WriteString(step[1] + step[2])
	}
	must.That(t, script.Len() != 0, "the document has no commands")
	return script.String()
}

// runCommands runs a script in a directory with the programs under test, and returns what it prints. The first command
// that fails ends the script, and so does a variable that is not set. Its processes, which variables name, end with it.
func runCommands(t *testing.T, dir, commands string, processes []string, env ...string) string {
	t.Helper()
	needTools(t, "sh", "curl", "grep", "sed", "timeout", "install", "mv")
	var clear, list strings.Builder
	for _, p := range processes {
		fmt.Fprintf(&clear, "%s=\n", p)
		fmt.Fprintf(&list, "$%s ", p)
	}
	script := "set -eu\n" + clear.String() + "trap 'for p in " + list.String() +
		"; do kill $p 2>/dev/null && wait $p || true; done' EXIT\n" + commands
	cmd := exec.Command("timeout", "300", "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(append(environment(dir), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH")), env...)
	output, err := cmd.CombinedOutput()
	must.That(t, err == nil, "%v:\n%s\nof\n%s", err, output, script)
	return string(output)
}

// runPage runs the commands of a page with words of it replaced, which the page has to have, behind a preamble.
func runPage(t *testing.T, dir, page, preamble string, processes []string, words ...string) string {
	t.Helper()
	commands := commandsOf(t, readPage(t, page))
	body := preamble + commands
	for i := 0; i < len(words); i += 2 {
		must.That(t, strings.Contains(commands, words[i]), "the commands of %s do not contain %q", page, words[i])
		body = strings.ReplaceAll(body, words[i], words[i+1])
	}
	return runCommands(t, dir, body, processes)
}

// rewritten returns commands with what the patterns match replaced, each of which has to match.
func rewritten(t *testing.T, commands string, changes [][2]string) string {
	t.Helper()
	for _, change := range changes {
		pattern := regexp.MustCompile(change[0])
		must.That(t, pattern.MatchString(commands), "no command has %s", change[0])
		commands = pattern.ReplaceAllString(commands, change[1])
	}
	return commands
}

// The commands of the manual work in their order, on a follower of a private network; the metrics it names exist.
func TestOperatingManual(t *testing.T) {
	t.Parallel()
	needTools(t, "tar")
	c := oneNode(t)
	dir := workDir(t)
	text := manual(t)
	file := filepath.Join(dir, "network.toml")
	peers := fmt.Sprintf("[Node.P2P]\nNoDiscovery = true\nStaticNodes = [%q]\n", c.node(0).Enode())
	must.Do(t, os.WriteFile(file, []byte(peers), 0o600))
	data := filepath.Join(dir, "data")
	commands := commandsOf(t, text)
	substitute := func(old, new string) {
		t.Helper()
		must.That(t, strings.Contains(commands, old), "the manual's commands do not contain %q", old)
		commands = strings.ReplaceAll(commands, old, new)
	}
	flags := ` --bootnodes= --nodiscover --nat none --port 0 --cache 64"`
	substitute(`NETWORK="--testnet"`, `NETWORK="--config `+file+flags)
	substitute(`DATA="$HOME/.gwon/testnet"`, `DATA="`+data+`"`)
	for _, port := range []string{"8545", "8550", "6060"} {
		substitute("127.0.0.1:"+port, fmt.Sprintf("127.0.0.1:$PORT_%s", port))
	}
	substitute("--http --metrics", "--http --http.port $PORT_8545 --metrics")
	substitute("--rpc.profile public & NODE", "--rpc.profile public --http.port $PORT_8545 & NODE")
	substitute("proof verify --testnet", fmt.Sprintf("proof verify --chain %d --trusted %s", chainID,
		c.block(t, 0, uint64(0)).Hash.Hex()))
	substitute("--metrics.addr 127.0.0.1", "--metrics.addr 127.0.0.1 --metrics.port $PORT_6060")
	substitute("--rpc.profile operator", "--rpc.profile operator --http.port $PORT_8545 --rpc.operator.port $PORT_8550")
	const end = "kill $NODE; wait $NODE\n"
	commands, found := strings.CutSuffix(commands, end)
	must.That(t, found, "the manual does not end with %q", end)
	commands += "curl -sf http://127.0.0.1:$PORT_6060/metrics > metrics\n" + end

	genesis := filepath.Join(c.network.Dir, "genesis.json")
	_, stderr, err := gwon(t, dir, "--datadir", data, "init", genesis)
	must.That(t, err == nil, "init: %v: %s", err, stderr)
	var ports []string
	for _, port := range []string{"8545", "8550", "6060"} {
		ports = append(ports, fmt.Sprintf("PORT_%s=%d", port, freePort(t)))
	}
	output := runCommands(t, dir, commands, []string{"NODE"}, ports...)
	for _, want := range []string{
		"proofOfPossession|Proof of possession", ` is \d+ s old`, `gwon/gstable-compatible/v`, "blockRange",
		"chain_head_block [1-9]",
	} {
		expect.That(t, regexp.MustCompile(want).MatchString(output), "no %s in the output:\n%s", want, output)
	}

	scraped := must.Get(os.ReadFile(filepath.Join(dir, "metrics")))(t)
	for _, metric := range tableOf(t, text, "## Metrics with their alarms") {
		expect.Contains(t, string(scraped), "\n"+metric+" ", "a running node has no metric %s", metric)
	}
}

// Every flag of the manual exists.
func TestOperatingManualFlags(t *testing.T) {
	t.Parallel()
	var help strings.Builder
	for _, command := range [][]string{
		{"--help-all"}, {"attach", "--help"}, {"validator", "new", "--help"}, {"validator", "votes", "import", "--help"},
		{"removedb", "--help"}, {"evidence", "export", "--help"},
		{"network", "new", "--help"}, {"status", "--help"}, {"doctor", "--help"}, {"proof", "verify", "--help"},
	} {
		stdout, stderr, err := gwon(t, t.TempDir(), command...)
		must.That(t, err == nil, "%v: %s", err, stderr)
		help.WriteString(stdout)
	}
	flags := regexp.MustCompile(`(?:^|[ (\x60"])(--[a-z][a-z.]*(?:-[a-z]+)*)`).FindAllStringSubmatch(manual(t), -1)
	must.That(t, len(flags) >= 20, "%d flags found in the manual", len(flags))
	for _, flag := range flags {
		expect.That(t, regexp.MustCompile(regexp.QuoteMeta(flag[1])+`[ ,\n]`).MatchString(help.String()),
			"gwon --help-all does not know %s", flag[1])
	}
}

// Every log line that the manual tells what to do about is one that the program can write.
func TestOperatingManualLogLines(t *testing.T) {
	var source strings.Builder
	must.Do(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == filepath.Join("..", "build") || strings.HasPrefix(d.Name(), ".") && path != ".."):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		source.Write(text)
		return err
	}))
	for _, line := range tableOf(t, manual(t), "## Log lines") {
		expect.Contains(t, source.String(), `"`+line, "no code writes the log line %q", line)
	}
}
