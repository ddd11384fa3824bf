// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/gorilla/websocket"

	"gwon/docs/reference"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
)

// conversations is the directory of the recorded conversations, see its README.
const conversations = "rpc"

var recordConversations = flag.Bool("rpc.record", false, "write the answers of the node into tests/rpc")

// patterns stand in an expected answer for what differs from chain to chain.
var patterns = map[string]*regexp.Regexp{
	"<hash>":     regexp.MustCompile(`^0x[0-9a-f]{64}$`),
	"<address>":  regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`),
	"<data>":     regexp.MustCompile(`^0x([0-9a-f]{2})*$`),
	"<quantity>": regexp.MustCompile(`^0x(0|[1-9a-f][0-9a-f]*)$`),
	"<version>":  regexp.MustCompile(`^[a-z]+/.+$`),
}

// anything stands in an expected answer for any value.
const anything = "<any>"

// matches reports whether an answer is what is expected. Objects have the same keys, lists the same length.
func matches(want, got any) bool {
	switch want := want.(type) {
	case string:
		if want == anything {
			return true
		}
		text, ok := got.(string)
		if pattern := patterns[want]; pattern != nil {
			return ok && pattern.MatchString(text)
		}
		return ok && text == want
	case map[string]any:
		fields, ok := got.(map[string]any)
		if !ok || len(fields) != len(want) {
			return false
		}
		for key, value := range want {
			field, ok := fields[key]
			if !ok || !matches(value, field) {
				return false
			}
		}
		return true
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(want, list, matches)
	}
	return want == got
}

// generalize replaces in a recorded answer what differs from chain to chain.
func generalize(key string, answer any, names map[string]string) any {
	if key == "info" || key == "methods" || key == "components" { // of rpc.discover, which has a test of its own
		return anything
	}
	switch answer := answer.(type) {
	case string:
		if name, ok := names[strings.ToLower(answer)]; ok {
			return name
		}
		switch {
		case key == "timestamp" || key == "size" || key == "blockTimestamp":
			return "<quantity>"
		case key == "vanityData" || key == "forkId":
			return "<data>"
		case strings.HasPrefix(answer, "anvil/"):
			return "<version>"
		case key == "result" && patterns["<quantity>"].MatchString(answer) && len(answer) >= 30 && len(answer) < 42:
			// the identifier of a filter
			return "<quantity>"
		case patterns["<hash>"].MatchString(answer):
			return "<hash>"
		case patterns["<address>"].MatchString(answer):
			return "<address>"
		case key != "data" && key != "input" && len(answer) > 66 && patterns["<data>"].MatchString(answer):
			return "<data>"
		}
	case map[string]any:
		for key, value := range answer {
			answer[key] = generalize(key, value, names)
		}
	case []any:
		for i, value := range answer {
			answer[i] = generalize(key, value, names)
		}
	}
	return answer
}

// conversationChain starts a developer chain and returns the words of the conversations.
func conversationChain(t *testing.T, options ...string) (url string, words map[string]string) {
	t.Helper()
	c := prepareCluster(t, 1)
	startDev(t, c, append(options, "--ws", "--ws.port", fmt.Sprint(c.node(0).HTTPPort))...)
	c.awaitHead(t, 0, 0)
	list := must.Get(wellknown.Accounts(wellknown.Mnemonic, 3))(t)
	id := get[hexutil.Big](t, c, 0, "eth_chainId")
	signer := types.NewLondonSigner(id.ToInt())
	raw := func(tx *types.Transaction, err error) string {
		must.Do(t, err)
		encoded := must.Get(tx.MarshalBinary())(t)
		return hexutil.Encode(encoded)
	}
	to := common.HexToAddress("0x00000000000000000000000000000000000000aa")
	fee := func(nonce uint64, tip int64) *types.DynamicFeeTx {
		return &types.DynamicFeeTx{
			ChainID: id.ToInt(), Nonce: nonce, To: &to, Value: common.Big1, Gas: 100_000, GasTipCap: big.NewInt(tip),
			GasFeeCap: big.NewInt(100_000_000_000_000),
		}
	}
	const tip = 27_600_000_000_000
	transfer := must.Get(types.SignNewTx(list[0].Key, signer, fee(0, tip)))(t)
	hash := get[common.Hash](t, c, 0, "eth_sendRawTransaction", raw(transfer, nil))
	c.await(t, "receipt", func() (bool, string) {
		receipt := get[json.RawMessage](t, c, 0, "eth_getTransactionReceipt", hash)
		return len(receipt) > 0 && string(receipt) != "null", string(receipt)
	})
	foreign := fee(0, tip)
	foreign.ChainID = common.Big1
	inner := must.Get(types.SignNewTx(list[2].Key, signer, fee(0, tip)))(t)
	delegated, err := types.WrapFeeDelegated(inner, list[0].Address)
	if err == nil {
		delegated, err = types.SignTx(delegated, types.NewFeeDelegateSigner(id.ToInt()), list[0].Key)
	}
	must.Do(t, err)
	words = map[string]string{
		"sender": strings.ToLower(list[0].Address.Hex()), "recipient": strings.ToLower(to.Hex()),
		"second": strings.ToLower(list[1].Address.Hex()),
		"payer":  strings.ToLower(list[0].Address.Hex()), "sender hash": inner.Hash().Hex(),
		"delegated":    delegated.Hash().Hex(),
		"delegated tx": raw(delegated, nil),
		"mined":        transfer.Hash().Hex(),
		"genesis":      c.block(t, 0, "0x0").Hash.Hex(), "block": c.block(t, 0, "0x1").Hash.Hex(),
		"good":     raw(types.SignNewTx(list[1].Key, signer, fee(0, tip))),
		"good 2":   raw(types.SignNewTx(list[1].Key, signer, fee(1, tip))),
		"low tip":  raw(types.SignNewTx(list[1].Key, signer, fee(0, tip-1))),
		"mined tx": raw(transfer, nil),
		"unsigned": raw(types.NewTx(fee(0, tip)), nil),
		"foreign":  raw(types.SignNewTx(list[1].Key, types.NewLondonSigner(common.Big1), foreign)),
		"1001 calls": "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"},`, 1000) +
			`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}]`,
	}
	return fmt.Sprintf("http://127.0.0.1:%d", c.node(0).HTTPPort), words
}

// Each recorded conversation with a public node goes as recorded.
// spec: rpc 2.4, 2.5, 9
func TestConversations(t *testing.T) {
	t.Parallel()
	url, words := conversationChain(t, "--rpc.profile", "public")
	converseAll(t, url, words, func(file string) bool { return !withKeys(file) })
	t.Run("discover over http", func(t *testing.T) {
		checkDiscovered(t, func(body string) string { return say(t, url, body) }, "eth_subscribe", "eth_unsubscribe")
	})
	t.Run("discover over websocket", func(t *testing.T) { checkDiscovered(t, dialConversation(t, url)) })
}

// Each recorded conversation with a node that has keys goes as recorded.
// spec: rpc 9.4
func TestConversationsWithKeys(t *testing.T) {
	t.Parallel()
	url, words := conversationChain(t)
	converseAll(t, url, words, withKeys)
}

// withKeys reports whether a conversation is with a node that has keys.
func withKeys(file string) bool { return filepath.Base(filepath.Dir(file)) == "keys" }

// converseAll plays the files that are wanted, in their order.
func converseAll(t *testing.T, url string, words map[string]string, wanted func(file string) bool) {
	var files []string
	err := filepath.WalkDir(conversations, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".io" && wanted(path) {
			files = append(files, path)
		}
		return err
	})
	must.That(t, err == nil && len(files) != 0, "%d conversations, %v", len(files), err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".io"), func(t *testing.T) { converse(t, url, file, words) })
	}
}

// checkDiscovered checks that an endpoint describes the methods of the public profile, but for those without, and that
// each of them exists.
func checkDiscovered(t *testing.T, ask func(body string) string, without ...string) {
	type document struct {
		Methods []struct {
			Name    string
			Profile string `json:"x-profile"`
		}
	}
	var whole document
	must.Do(t, json.Unmarshal(reference.OpenRPC, &whole))
	want := []string{"eth_accounts", "eth_sendTransaction"} // a developer chain has its own
	for _, m := range whole.Methods {
		if m.Profile == "public" && !slices.Contains(without, m.Name) {
			want = append(want, m.Name)
		}
	}
	var answer struct{ Result document }
	described := ask(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":[]}`)
	must.Do(t, json.Unmarshal([]byte(described), &answer))
	var got []string
	for _, m := range answer.Result.Methods {
		got = append(got, m.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	expect.That(t, slices.Equal(got, want), "described %v\nwant %v", got, want)
	for _, name := range got {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{}}`, name) // which no method takes
		expect.Contains(t, ask(call), "-32602", "%s is described, and is answered with", name)
	}
}

// converse plays one file: each line ">> " is sent, and the line "<< " after it is the answer.
func converse(t *testing.T, url, file string, words map[string]string) {
	content := must.Get(os.ReadFile(file))(t)
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	var recorded []string
	asked := 0
	ask := func(body string) string { return say(t, url, body) }
	if filepath.Base(filepath.Dir(file)) == "websocket" {
		ask = dialConversation(t, url)
	}
	words = maps.Clone(words)
	for at, line := range lines {
		request, isRequest := strings.CutPrefix(line, ">> ")
		if strings.HasPrefix(line, "<<") {
			continue
		}
		recorded = append(recorded, line)
		if !isRequest {
			continue
		}
		asked++
		answer := ask(replaceWords(request, words))
		var result struct{ Result any }
		if json.Unmarshal([]byte(answer), &result) == nil {
			switch result := result.Result.(type) {
			case string:
				words["result"] = result
			case map[string]any:
				if raw, ok := result["raw"].(string); ok {
					words["raw"] = raw
				}
			}
		}
		if *recordConversations {
			recorded = append(recorded, strings.TrimRight("<< "+recordedAnswer(t, answer, words), " "))
			continue
		}
		must.That(t, at+1 != len(lines) && strings.HasPrefix(lines[at+1], "<<"), "%s:%d: no answer is recorded", file, at+1)
		want := replaceWords(strings.TrimSpace(lines[at+1][2:]), words)
		expect.That(t, sameAnswer(t, want, answer), "%s\n is answered with %s\n want %s", request, answer, want)
	}
	expect.That(t, asked != 0, "%s asks nothing", file)
	if *recordConversations {
		must.Do(t, os.WriteFile(file, []byte(strings.Join(recorded, "\n")+"\n"), 0o644))
	}
}

// dialConversation connects to a node by WebSocket and returns what asks it.
func dialConversation(t *testing.T, url string) func(body string) string {
	t.Helper()
	connection, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http"), nil)
	must.Do(t, err)
	expect.Error(t, response.Body.Close(), nil, "response.Body.Close")
	t.Cleanup(func() { expect.Error(t, connection.Close(), nil, "connection.Close") })
	return func(body string) string {
		must.Do(t, connection.WriteMessage(websocket.TextMessage, []byte(body)))
		_, answer, err := connection.ReadMessage()
		must.Do(t, err)
		return strings.TrimSpace(string(answer))
	}
}

func replaceWords(text string, words map[string]string) string {
	for name, value := range words {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
	}
	return text
}

// say posts a body as it is and returns the answer.
func say(t *testing.T, url, body string) string {
	t.Helper()
	answer := must.Get(http.Post(url, "application/json", strings.NewReader(body)))(t)
	defer func() { expect.Error(t, answer.Body.Close(), nil, "answer.Body.Close") }()
	content := must.Get(io.ReadAll(answer.Body))(t)
	return strings.TrimSpace(string(content))
}

func decodeAnswer(t *testing.T, text string) (answer any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	must.Do(t, decoder.Decode(&answer), text)
	return answer
}

func sameAnswer(t *testing.T, want, got string) bool {
	if want == "" || got == "" {
		return want == got
	}
	return matches(decodeAnswer(t, want), decodeAnswer(t, got))
}

func recordedAnswer(t *testing.T, answer string, words map[string]string) string {
	if answer == "" {
		return ""
	}
	names := make(map[string]string)
	for name, value := range words {
		if name == "result" || name == "raw" || name == "payer" {
			continue // the first two are of one file, and the payer is the sender
		}
		names[strings.ToLower(value)] = "${" + name + "}"
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	must.Do(t, encoder.Encode(generalize("", decodeAnswer(t, answer), names)))
	return strings.TrimSpace(out.String())
}

// An answer that differs in a value, a key or its form is another one.
func TestAnswersAreCompared(t *testing.T) {
	for _, test := range []struct {
		want, got string
		same      bool
	}{
		{`{"id":1,"result":"0x1"}`, `{"result":"0x1","id":1}`, true},
		{`{"id":1,"result":"0x1"}`, `{"id":1,"result":"0x2"}`, false},
		{`{"id":1}`, `{"id":"1"}`, false},
		{`{"id":1}`, `{"id":1,"more":null}`, false},
		{`{"id":1,"result":null}`, `{"id":1}`, false},
		{`["<quantity>"]`, `["0x10"]`, true},
		{`["<quantity>"]`, `["0x01"]`, false},
		{`["<quantity>"]`, `[16]`, false},
		{`["<quantity>"]`, `["0x1","0x1"]`, false},
		{`["<data>"]`, `["0x012"]`, false},
		{`["<hash>"]`, `["0x01"]`, false},
		{`{"id":"<any>"}`, `{"id":[1]}`, true},
		{`{"id":"<any>"}`, `{}`, false},
		{``, ``, true},
		{``, `{}`, false},
	} {
		t.Run(test.want+" "+test.got, func(t *testing.T) {
			expect.Equal(t, sameAnswer(t, test.want, test.got), test.same, "same")
		})
	}
}
