// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var write = flag.Bool("write", false, "write the verdicts of the corpus")

// corpusFile is the corpus of the fuzz target, with the verdict on each object. The SDK for JavaScript reads it too.
const corpusFile = "../../sdk/testdata/objects.jsonl"

// row is a line of the corpus.
type row struct {
	Use     string `json:"use"`
	Input   string `json:"input"`
	Verdict string `json:"verdict"` // "ok", or "refused: " and the field, which is empty for what is no object
}

var usesByName = map[string]Use{"sponsored": Sponsored, "call": Call}

// verdict returns what the reader says of an object.
func verdict(input []byte, use Use) string {
	_, err := Read(input, use)
	if err == nil {
		return "ok"
	}
	var wrong *FieldError
	if !errors.As(err, &wrong) {
		return "no field error: " + err.Error()
	}
	return "refused: " + wrong.Field
}

func loadCorpus(t testing.TB) (rows []row) {
	t.Helper()
	content := must.Get(os.ReadFile(corpusFile))(t)
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r row
		must.Do(t, json.Unmarshal(lines.Bytes(), &r))
		rows = append(rows, r)
	}
	must.That(t, len(rows) >= 500, "%d objects in %s", len(rows), corpusFile)
	return rows
}

// The verdicts of the corpus are those of the reader. "-write" adds random objects, and writes the verdicts.
func TestVerdicts(t *testing.T) {
	if *write {
		writeCorpus(t)
	}
	for _, r := range loadCorpus(t) {
		expect.Equal(t, verdict([]byte(r.Input), usesByName[r.Use]), r.Verdict, "%s %s", r.Use, r.Input)
	}
}

// writeCorpus keeps the objects of the corpus that no table and no generator below makes.
func writeCorpus(t *testing.T) {
	t.Helper()
	var all bytes.Buffer
	encoder := json.NewEncoder(&all)
	encoder.SetEscapeHTML(false)
	seen := make(map[row]bool)
	add := func(input string) {
		for _, use := range []string{"sponsored", "call"} {
			r := row{Use: use, Input: input}
			if seen[r] {
				continue
			}
			seen[r] = true
			r.Verdict = verdict([]byte(input), usesByName[use])
			must.Do(t, encoder.Encode(r))
		}
	}
	for _, input := range edges() {
		add(input)
	}
	objects := rapid.Custom(drawObject)
	for seed := range 200 {
		object := must.Get(json.Marshal(objects.Example(seed)))(t)
		add(string(object))
	}
	if content, err := os.ReadFile(corpusFile); err == nil && len(content) > 0 {
		for _, r := range loadCorpus(t) {
			add(r.Input)
		}
	}
	must.Do(t, os.WriteFile(corpusFile, all.Bytes(), 0o600))
}

const (
	account = "0x00000000000000000000000000000000000000Aa"
	word    = "0x000000000000000000000000000000000000000000000000000000000000000b"
)

// values are texts that some fields take, and some do not.
var values = []any{
	"", "0x", "0X", "0x0", "0X1", "0x1", "0x01", "0x00", "0xfF", "1", "-0x1", " 0x1", "0x1 ", "0x1\n", "x1", "0xg", "0x2",
	"0x16", "0xffffffffffffffff", "0x10000000000000000", "0x" + strings.Repeat("f", 64), "0x1" + strings.Repeat("0", 64),
	account, strings.ToLower(account), account + "0", account[:41], account[2:], word, word + "00", nil, true, 1, 1.5, 0,
	[]any{}, map[string]any{}, []any{account}, "null",
	[]any{map[string]any{"address": account, "storageKeys": []any{}}},
	[]any{map[string]any{"address": account, "storageKeys": []any{word, word}}},
	[]any{map[string]any{"address": account, "storageKeys": []any{word[:65]}}},
	[]any{map[string]any{"address": account, "storageKeys": []any{account}}},
	[]any{map[string]any{"address": account, "storageKeys": nil}},
	[]any{map[string]any{"address": account, "storageKeys": []any{nil}}},
	[]any{map[string]any{"address": account, "storageKeys": word}},
	[]any{map[string]any{"address": account, "storageKeys": []any{}, "memo": "lunch"}},
	[]any{map[string]any{"address": account, "storageKeys": []any{}, "memo": nil}},
	[]any{map[string]any{"address": account, "storagekeys": []any{}}},
	[]any{map[string]any{"address": nil, "storageKeys": []any{}}},
	[]any{map[string]any{"address": account}}, []any{map[string]any{"storageKeys": []any{}}}, []any{nil}, []any{[]any{}},
}

// edges are objects with one field, and texts that are no objects.
func edges() []string {
	all := []string{
		"", " ", "{}", " {} ", "null", "[]", "0", `"0x"`, "{", "}", "{}{}", "{} x", `{"to"}`, `{"to":}`, `{to:"0x"}`, "[{}]",
		`{"gas":"0x1","gas":"x"}`, `{"gas":"x","gas":"0x1"}`, `{"gas":"x","gas":null}`, `{"":"0x1"}`, `{"__proto__":"0x1"}`,
		`{"constructor":"0x1"}`, `{"toString":"0x1"}`, `{"GAS":"0x1"}`, `{"gas ":"0x1"}`, `{"g\u0061s":"0x1"}`,
		`{"g\u0061s":"x"}`, `{"gas":"0x\u0031"}`, `{"data":"0x01","input":"0x01"}`, `{"data":"0x01","input":"0x02"}`,
		`{"data":"0x","input":"0x02"}`, `{"data":"0x0a","input":"0x0A"}`, `{"data":null,"input":"0x02"}`,
		`{"z":1,"a":1}`, `{"z":1,"gas":"x"}`, `{"value":"x","gas":"x"}`, `{"é":1}`, `{"` + strings.Repeat("n", 100) + `":1}`,
		`{"from":"x","accessList":"x","type":"0x4"}`, `{"type":"0x4","input":"0x01","data":"0x02"}`, `{"gas":1e400}`,
		`{"gas":01}`, `{"gas":'0x1'}`, `{"gas":"0x1",}`, "{\"gas\":\"0x1\n\"}", `{"gas":"\x"}`, `{"gas":NaN}`,
	}
	names := []string{"memo", "gasLimit", "chainID"}
	for name := range uses {
		names = append(names, name)
	}
	for _, name := range sorted(names) {
		few := values
		if uses[name]&Call == 0 {
			few = []any{"0x1", nil, []any{}}
		}
		for _, value := range few {
			text, err := json.Marshal(map[string]any{name: value})
			if err != nil {
				panic(err)
			}
			all = append(all, string(text))
		}
	}
	return all
}

// drawObject draws an object with each field on or off, mostly with a value that the field takes.
func drawObject(r *rapid.T) map[string]any {
	good := map[string]any{
		"from": account, "to": account, "value": "0x5", "data": "0x0102", "input": "0x0102", "gas": "0x5208",
		"maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x1", "nonce": "0x7", "chainId": "0x205b", "type": "0x2",
		"accessList": []any{map[string]any{"address": account, "storageKeys": []any{word}}},
	}
	object := make(map[string]any)
	foreign := rapid.IntRange(0, 3).Draw(r, "fields of other uses") == 0
	wrong := rapid.IntRange(0, 2).Draw(r, "other values") == 0
	for _, name := range sorted(keysOf(uses)) {
		value, ok := good[name]
		if !ok && !foreign {
			continue
		}
		if wrong && rapid.IntRange(0, 7).Draw(r, "other value of "+name) == 0 || !ok {
			value = rapid.SampledFrom(values).Draw(r, "value of "+name)
		}
		if most := 1; rapid.IntRange(0, 15).Draw(r, name) <= most || ok && rapid.Bool().Draw(r, name) {
			object[name] = value
		}
	}
	return object
}

// Whatever an object has is refused by name, or is in the transaction, in what estimates it and in what shows it.
func TestNothingIsDropped(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		given := drawObject(r)
		input := must.Get(json.Marshal(given))(r)
		o, err := Read(input, Sponsored)
		if err == nil {
			err = o.CheckChain(big8283())
		}
		if err != nil {
			var wrong *FieldError
			must.That(r, errors.As(err, &wrong) && given[wrong.Field] != nil && strings.HasPrefix(err.Error(), wrong.Field+" "),
				"%s: %v", input, err)
			return
		}
		tx := o.Complete(big8283(), big8283(), big8283())
		shown := must.Get(tx.Show())(r)
		call := asMap(r, tx.Call())
		free := asMap(r, o.AtNoPrice(1<<24))
		for name, value := range given {
			if value == nil || name == "type" {
				continue
			}
			name = strings.Replace(name, "data", "input", 1)
			want := canonical(r, value)
			expect.Deep(r, canonical(r, shown.Tx[name]), want, "%s was %v, is shown as", name, want)
			isFee := strings.HasPrefix(name, "max")
			if got := call[name]; !isFee && name != "chainId" && !reflect.DeepEqual(canonical(r, got), want) &&
				(name != "gas" || value != "0x0") {
				r.Errorf("%s was %v, is tried as %v", name, want, got)
			}
			if got, ok := free[name]; isFee == ok || ok && name != "gas" && !reflect.DeepEqual(canonical(r, got), want) {
				r.Errorf("%s was %v, is called with %v", name, want, got)
			}
		}
	})
}

// The reader ends with an object or an error that names a field, and takes nothing that it does not return.
func FuzzRead(f *testing.F) {
	for i, r := range loadCorpus(f) {
		if i%8 == 0 || r.Verdict == "ok" { // the whole of it takes longer than short runs have
			f.Add(r.Input, r.Use == "call")
		}
	}
	f.Fuzz(func(t *testing.T, input string, call bool) {
		use := Sponsored
		if call {
			use = Call
		}
		said := verdict([]byte(input), use)
		must.That(t, !strings.HasPrefix(said, "no field error"), "%v", said)
		if said != "ok" {
			return
		}
		var given map[string]any
		must.Do(t, json.Unmarshal([]byte(input), &given))
		o := must.Get(Read([]byte(input), use))(t)
		again := must.Get(json.Marshal(o.Call()))(t)
		second, err := Read(again, Call)
		must.That(t, err == nil, "%s: %v", again, err)
		if o.FeeCap != nil {
			o.GasPrice = nil
		}
		expect.That(t, reflect.DeepEqual(o, second), "%s is %+v, then %+v", input, o, second)
		for name, value := range given {
			expect.That(t, uses[name]&use != 0 || value == nil, "%s is taken", name)
		}
	})
}
