// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"fmt"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// feedSource has blocks 1 to 5. Block 4 has a transaction of Alice, and the others are empty. Block 3 is late.
func feedSource() node {
	source := node{"eth_getCode": `"0x"`}
	for number, time := range map[int]int{1: 100, 2: 101, 3: 104, 4: 105, 5: 106} {
		transactions := ""
		if number == 4 {
			transactions = fmt.Sprintf(
				`{"hash":"%s","type":"0x2","from":"%s","to":"%s","value":"0x1","input":"0x"}`, txHash, alice, bob)
		}
		source[fmt.Sprintf("eth_getBlockByNumber 0x%x", number)] = fmt.Sprintf(
			`{"number":"0x%x","timestamp":"0x%x","miner":"%s","transactions":[%s]}`, number, time, carol, transactions)
	}
	source["eth_getBlockReceipts"] = fmt.Sprintf(
		`[{"transactionHash":"%s","status":"0x1","gasUsed":"0x5208","effectiveGasPrice":"0x1"}]`, txHash)
	return source
}

func printed(t *testing.T, rewrite bool) []string {
	t.Helper()
	var out strings.Builder
	f := &Feed{Inspector: New(feedSource(), named()), Out: &out, Rewrite: rewrite}
	for number := range uint64(5) {
		must.Do(t, f.block(t.Context(), number+1))
	}
	f.endEmpty()
	return shown(out.String())
}

// shown returns the lines that stay on a terminal.
func shown(output string) []string {
	var lines []string
	for line := range strings.Lines(output) {
		if at := strings.LastIndex(line, clearLine); at >= 0 {
			line = line[at+len(clearLine):]
		}
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines
}

// A run of empty blocks is one line, on a terminal and in a file.
func TestEmptyBlocks(t *testing.T) {
	for _, rewrite := range []bool{true, false} {
		t.Run(fmt.Sprintf("terminal %v", rewrite), func(t *testing.T) {
			wanted := []string{
				"Blocks 1 to 3: empty, up to 3s apart",
				"Block 4 by Carol: 1 transaction", "  000000..000077  Alice paid", "Block 5: empty",
			}
			got := printed(t, rewrite)
			must.Equal(t, len(got), len(wanted), "got %q, want %q", got, wanted)
			for i, want := range wanted {
				expect.That(t, strings.HasPrefix(got[i], want), "line %d is %q, want %q", i, got[i], want)
			}
		})
	}
}

// A chain that went back to a snapshot says so before its next block.
func TestFeedAfterRevert(t *testing.T) {
	source := feedSource()
	var out strings.Builder
	f := &Feed{Inspector: New(source, named()), Out: &out}
	key := "eth_getBlockByNumber 0x2"
	source[key] = strings.Replace(source[key], "{", fmt.Sprintf(`{"hash":"%s",`, txHash), 1)
	for _, number := range []uint64{1, 2, 3, 3, 2} {
		must.Do(t, f.block(t.Context(), number))
	}
	f.endEmpty()
	got := strings.Count(out.String(), "The chain went back to block 1\nBlock 2: empty")
	expect.That(t, got == 1 && strings.Count(out.String(), "went back") == 1, "%q", out.String())
}
