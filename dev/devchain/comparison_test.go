// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// comparisonFile has test methods with the values that tests use, and what gwon, anvil and Hardhat's own network
// answer. tests/clients/methods.mjs asks all three.
const comparisonFile = "../../tests/clients/methods.json"

// comparedCase is one row of that file.
type comparedCase struct {
	Calls                [][]any
	Answer               string // "type" for the type of the answer alone
	See                  any    // what is looked at afterwards: minutes, seconds, or a request
	Gwon, Anvil, Hardhat string
	Slow                 bool
	Why                  string // gwon's answer is another one
}

func comparedCases(t *testing.T) (cases []comparedCase) {
	t.Helper()
	text := must.Get(os.ReadFile(comparisonFile))(t)
	must.Do(t, json.Unmarshal(text, &cases))
	must.That(t, len(cases) >= 100, "%d cases", len(cases))
	return cases
}

// agreement says with which of the other programs gwon agrees.
func (c *comparedCase) agreement() string {
	var with, against []string
	for name, answer := range map[string]string{"anvil": c.Anvil, "Hardhat": c.Hardhat} {
		switch answer {
		case "no such method", "no answer within a minute":
		case c.Gwon:
			with = append(with, name)
		default:
			against = append(against, name)
		}
	}
	switch {
	case len(against) == 0:
		return "yes"
	case len(with) > 0:
		return with[0]
	}
	return "no"
}

// TestComparison asks a developer chain what the file asks, and compares the answers. Where gwon agrees with no other
// program, the file says why.
func TestComparison(t *testing.T) {
	c := start(t, 0)
	for _, test := range comparedCases(t) {
		calls := must.Get(json.Marshal(test.Calls))(t)
		t.Run(fmt.Sprintf("%.90s", calls), func(t *testing.T) {
			expect.That(t, test.agreement() != "no" || test.Why != "",
				"gwon answers %q, anvil %q, Hardhat %q, and no reason is given", test.Gwon, test.Anvil, test.Hardhat)
			if strings.Contains(string(calls), "0x2710") {
				t.Skip("10,000 blocks take too long for each run: make clients asks for them")
			}
			expect.Equal(t, c.answerOf(t, test), test.Gwon, "answer")
		})
	}
}

// comparisonBase is the timestamp of the block before each case.
const comparisonBase = 4_000_000_000

// answerOf is the function of that name in tests/clients/methods.mjs.
func (c *testChain) answerOf(t *testing.T, test comparedCase) (text string) {
	t.Helper()
	c.do("hardhat_reset")
	c.do("evm_setNextBlockTimestamp", comparisonBase)
	c.call(nil, "evm_mine")
	before := c.head()
	var results []any
	for _, call := range test.Calls {
		var result any
		err := c.try(&result, call[0].(string), filled(call[1:], results)...)
		results = append(results, result)
		var refusal gethrpc.Error
		switch {
		case errors.As(err, &refusal) && refusal.ErrorCode() == -32601:
			return "no such method"
		case errors.As(err, &refusal):
			text = "refused"
		case err != nil:
			t.Fatal(err)
		case test.Answer == "type":
			text = typeOf(result)
		default:
			text = word(t, result)
		}
	}
	switch see := test.See.(type) {
	case string:
		head := c.head()
		blocks, seconds := head.number-before.number, head.time-comparisonBase
		if see == "seconds" {
			return fmt.Sprintf("%s; %d blocks, %d s", text, blocks, seconds)
		}
		return fmt.Sprintf("%s; %d blocks, %.0f min", text, blocks, math.Round(float64(seconds)/60))
	case []any:
		var seen any
		params, _ := see[1].([]any)
		if err := c.try(&seen, see[0].(string), filled(params, results)...); err != nil {
			return text + "; refused"
		}
		if len(see) > 2 {
			seen = seen.(map[string]any)[see[2].(string)]
		}
		encoded := must.Get(json.Marshal(seen))(t)
		return fmt.Sprintf("%s; %s", text, encoded)
	}
	return text
}

// comparedHead is the newest block.
type comparedHead struct{ number, time int64 }

func (c *testChain) head() comparedHead {
	c.Helper()
	head := c.chain.CurrentBlock()
	return comparedHead{head.Number.Int64(), int64(head.Time)}
}

var placeholder = regexp.MustCompile(`^\$\d$`)

// filled puts results of earlier calls in the place of "$0", "$1" and so on.
func filled(params, results []any) []any {
	list := make([]any, len(params))
	for i, p := range params {
		switch p := p.(type) {
		case string:
			list[i] = p
			if placeholder.MatchString(p) {
				list[i] = results[p[1]-'0']
			}
		case float64:
			list[i] = json.Number(fmt.Sprintf("%.0f", p))
		default:
			list[i] = p
		}
	}
	return list
}

// word returns an answer as text: done for one that says no more than that.
func word(t *testing.T, result any) string {
	t.Helper()
	switch result {
	case nil, true, "0", "0x0":
		return "done"
	}
	encoded := must.Get(json.Marshal(result))(t)
	return string(encoded)
}

// typeOf returns JavaScript's name of an answer's type.
func typeOf(result any) string {
	switch result.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "object"
}

// comparison returns the part of the page with the values to which gwon answers as no other program.
func comparison(compared []comparedCase) string {
	var page strings.Builder
	page.WriteString(`
## Beside anvil and Hardhat

Where anvil 1.7.1 and Hardhat 2.29.1 differ, gwon answers as one of them: mostly as Hardhat, in the
time between mined blocks and in what it refuses. These answers are those of neither,
of all values in [methods.json](../../tests/clients/methods.json). "done" stands for an answer
without further content. What is read afterwards follows it: blocks and the time that the call has
added, or a value. A dash is a method that the program does not have.

| Calls | gwon | anvil | Hardhat | Reason |
|---|---|---|---|---|
`)
	short := regexp.MustCompile(`(0x0{20,}aa)|(0x)(f{16}|0{16}|1{16}|12121212)[0-9a-f]*`)
	cell := func(s string) string {
		s = short.ReplaceAllString(strings.ReplaceAll(s, "no such method", "-"), "${2}${3}…")
		s = strings.ReplaceAll(strings.ReplaceAll(s, `"…"`, "A"), "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "B")
		return strings.ReplaceAll(s, "|", `\|`)
	}
	var rows []string
	cases := make(map[string][]string) // by the rest of the row
	for _, c := range compared {
		if c.agreement() != "no" {
			continue
		}
		row := fmt.Sprintf("%s | %s | %s | %s", cell(c.Gwon), cell(c.Anvil), cell(c.Hardhat), c.Why)
		if cases[row] == nil {
			rows = append(rows, row)
		}
		var calls []string
		for _, call := range c.Calls {
			text, err := json.Marshal(call[1:])
			if err != nil {
				continue // it was decoded from JSON
			}
			calls = append(calls, fmt.Sprintf("`%s%s`", call[0], cell(string(text))))
		}
		cases[row] = append(cases[row], strings.Join(calls, ", "))
	}
	for _, row := range rows {
		fmt.Fprintf(&page, "| %s | %s |\n", strings.Join(cases[row], " or "), row)
	}
	return page.String()
}
