// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var updateFlag = flag.Bool("update", false, "write what happens into the scenarios")

// block is a part of a scenario: commands, and what happened while they were carried out.
type block struct {
	comments, commands, happened []string
}

// divider stands between commands and what happened.
const divider = "----"

// parseScenario takes a file apart: lines of comments and commands up to a divider, what happened up to an empty line,
// and so on.
func parseScenario(content string) []block {
	var list []block
	var b block
	happened := false
	for _, line := range strings.Split(strings.TrimRight(content, "\n")+"\n\n", "\n") {
		switch {
		case line == divider:
			happened = true
		case line == "" && happened:
			list = append(list, b)
			b, happened = block{}, false
		case line == "" && len(b.commands) == 0:
			if len(b.comments) > 0 {
				b.comments = append(b.comments, "")
			}
		case happened:
			b.happened = append(b.happened, line)
		case strings.HasPrefix(line, "#"):
			b.comments = append(b.comments, line)
		default:
			b.commands = append(b.commands, line)
		}
	}
	return list
}

func formatScenario(list []block) string {
	var out strings.Builder
	for _, b := range list {
		for _, line := range slices.Concat(b.comments, b.commands, []string{divider}, b.happened, []string{""}) {
			fmt.Fprintln(&out, line)
		}
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// telling are the words in a line of the trace that a reader of a scenario wants to see.
var telling = []string{
	" starts ",
	"crashes",
	"stops",
	"loses power",
	"sends",
	"locks",
	"decides",
	"commits block",
	"imports block",
	"takes block",
	"accuses",
	"blames",
	"signs nothing",
	"vote log",
	"halted",
	"FAILS",
	"disk is",
	"partition",
	"healed",
	"at height",
	"fails:",
	"does not start",
}

// TestScenario plays the scenarios of testdata: failures that were found, and those that other implementations of the
// family are known for. Each file tells what it is about and what has to happen. -update writes what does happen.
func TestScenario(t *testing.T) {
	eachScenario(t, func(t *testing.T, file, content string) {
		list := parseScenario(content)
		expect.Error(t, playScenario(t, list), nil, "%s", file)
		got := formatScenario(list)
		if got == content {
			return
		}
		if !*updateFlag {
			t.Errorf("%s: something else happens; go test ./consensus/wbft/sim -run Scenario/%s -update writes it.\n%s",
				file, strings.TrimSuffix(filepath.Base(file), ".txt"), got)
			return
		}
		must.Do(t, os.WriteFile(file, []byte(got), 0o644))
	})
}

// eachScenario runs a test for each scenario of testdata.
func eachScenario(t *testing.T, test func(t *testing.T, file, content string)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	must.That(t, err == nil && len(files) != 0, "%d scenarios: %v", len(files), err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			content := must.Get(os.ReadFile(file))(t)
			test(t, file, string(content))
		})
	}
}

// playScenario plays the blocks and replaces what happened by what does happen. It returns the promise that broke.
func playScenario(t *testing.T, list []block) (broken error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(false)
		defer func() { p.Network().Close() }()
		for i := range list {
			from := 0
			if p.net != nil {
				from = p.net.length()
			}
			for _, command := range list[i].commands {
				if err := p.Play(command); err != nil {
					broken = err
				}
			}
			list[i].happened = nil
			if p.net == nil {
				continue
			}
			for _, l := range p.net.since(from) {
				if !strings.HasPrefix(l.text, "sends again") &&
					slices.ContainsFunc(telling, func(word string) bool { return strings.Contains(l.text, word) }) {
					list[i].happened = append(list[i].happened, strings.TrimRight(l.String(), " "))
				}
			}
		}
	})
	return broken
}
