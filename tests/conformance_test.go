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

	"gwon/devchain"
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
}

// matches reports whether an answer is what is expected. Objects have the same keys, lists the same length.
func matches(want, got any) bool {
	switch want := want.(type) {
	case string:
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
	switch answer := answer.(type) {
	case string:
		if name, ok := names[strings.ToLower(answer)]; ok {
			return name
		}
		switch {
		case key == "timestamp" || key == "size" || key == "blockTimestamp":
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

// conversationChain starts a developer chain behind the public profile and returns the words of the conversations.
func conversationChain(t *testing.T) (url string, words map[string]string) {
	t.Helper()
	c := prepareCluster(t, 1)
	startDev(t, c, "--rpc.profile", "public")
	c.awaitHead(t, 0, 0)
	list, err := devchain.Accounts(devchain.Mnemonic, 3)
	if err != nil {
		t.Fatal(err)
	}
	var id hexutil.Big
	c.must(t, 0, &id, "eth_chainId")
	signer := types.NewLondonSigner(id.ToInt())
	raw := func(tx *types.Transaction, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := tx.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
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
	transfer, err := types.SignNewTx(list[0].Key, signer, fee(0, tip))
	if err != nil {
		t.Fatal(err)
	}
	var hash common.Hash
	c.must(t, 0, &hash, "eth_sendRawTransaction", raw(transfer, nil))
	c.await(t, "receipt", func() (bool, string) {
		var receipt json.RawMessage
		c.must(t, 0, &receipt, "eth_getTransactionReceipt", hash)
		return len(receipt) > 0 && string(receipt) != "null", string(receipt)
	})
	foreign := fee(0, tip)
	foreign.ChainID = common.Big1
	words = map[string]string{
		"sender": strings.ToLower(list[0].Address.Hex()), "recipient": strings.ToLower(to.Hex()),
		"mined":   transfer.Hash().Hex(),
		"genesis": c.block(t, 0, "0x0").Hash.Hex(), "block": c.block(t, 0, "0x1").Hash.Hex(),
		"good":     raw(types.SignNewTx(list[1].Key, signer, fee(0, tip))),
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
	url, words := conversationChain(t)
	var files []string
	err := filepath.WalkDir(conversations, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".io" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".io"), func(t *testing.T) { converse(t, url, file, words) })
	}
}

// converse plays one file: each line ">> " is sent, and the line "<< " after it is the answer.
func converse(t *testing.T, url, file string, words map[string]string) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	var recorded []string
	asked := 0
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
		answer := say(t, url, replaceWords(request, words))
		if *recordConversations {
			recorded = append(recorded, strings.TrimRight("<< "+recordedAnswer(t, answer, words), " "))
			continue
		}
		if at+1 == len(lines) || !strings.HasPrefix(lines[at+1], "<<") {
			t.Fatalf("%s:%d: no answer is recorded", file, at+1)
		}
		want := replaceWords(strings.TrimSpace(lines[at+1][2:]), words)
		if !sameAnswer(t, want, answer) {
			t.Errorf("%s\n is answered with %s\n want %s", request, answer, want)
		}
	}
	if asked == 0 {
		t.Errorf("%s asks nothing", file)
	}
	if *recordConversations {
		if err := os.WriteFile(file, []byte(strings.Join(recorded, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
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
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

func decodeAnswer(t *testing.T, text string) (answer any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
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
		names[strings.ToLower(value)] = "${" + name + "}"
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(generalize("", decodeAnswer(t, answer), names)); err != nil {
		t.Fatal(err)
	}
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
		{``, ``, true},
		{``, `{}`, false},
	} {
		t.Run(test.want+" "+test.got, func(t *testing.T) {
			if same := sameAnswer(t, test.want, test.got); same != test.same {
				t.Errorf("same: %v, want %v", same, test.same)
			}
		})
	}
}
