// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const greetLine = `{"type":"hello","protocol":"wbft-vector/1","runner":{"name":"test"},"spec_commit":"0"}` + "\n"

// lines runs an adapter over what a runner says and returns what it answers, one object a line.
func lines(t *testing.T, said string) ([]map[string]any, error) {
	t.Helper()
	var out bytes.Buffer
	err := serve(strings.NewReader(said), &out)
	var answers []map[string]any
	for line := range strings.Lines(out.String()) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil || !strings.HasSuffix(line, "}\n") {
			t.Fatalf("line %q: %v", line, err)
		}
		answers = append(answers, object)
	}
	return answers, err
}

// A session: greeting, a case that succeeds, one that fails, one that is not supported, one whose code panics, goodbye.
func TestSession(t *testing.T) {
	handlers["test/panic"] = func(reader) (any, error) { panic("out of order") }
	t.Cleanup(func() { delete(handlers, "test/panic") })
	answers, err := lines(t, greetLine+
		`{"type":"case","id":1,"runner":"crypto","handler":"keccak256","case":"a","kind":"pure","input":{"data":"0x"}}`+"\n"+
		`{"type":"case","id":2,"runner":"crypto","handler":"ecdsa_recover","input":{"data":"0x","signature":"0x"}}`+"\n"+
		`{"type":"case","id":3,"runner":"crypto","handler":"md5","case":"c","kind":"pure","input":{}}`+"\n"+
		`{"type":"case","id":4,"runner":"test","handler":"panic","case":"d","kind":"pure","input":{}}`+"\n"+
		`{"type":"case","id":5,"runner":"crypto","handler":"keccak256","case":"a","kind":"pure","input":{"data":"0x"}}`+"\n"+
		`{"type":"bye"}`+"\n")
	if err != nil || len(answers) != 6 {
		t.Fatalf("%d answers, error %v", len(answers), err)
	}
	if h := answers[0]; h["protocol"] != protocolName || len(h["handlers"].([]any)) != len(handlers) ||
		h["improvements"] == nil {
		t.Errorf("greeting %v", h)
	}
	for i, want := range []record{
		{"id": 1.0, "status": statusOK}, {"id": 2.0, "status": statusError, "error_class": operationClass},
		{"id": 3.0, "status": statusUnsupported}, {"id": 4.0, "status": statusError, "error_class": panicClass},
		{"id": 5.0, "status": statusOK},
	} {
		got := answers[i+1]
		for key, value := range want {
			if got[key] != value {
				t.Errorf("answer %d: %s is %v, want %v", i+1, key, got[key], value)
			}
		}
	}
}

// What is no session ends it with an error, without an answer.
func TestNoSession(t *testing.T) {
	for name, said := range map[string]string{
		"other protocol":         strings.ReplaceAll(greetLine, "vector/1", "vector/2"),
		"no JSON":                "hello\n",
		"case before a greeting": `{"type":"case","id":1,"runner":"crypto","handler":"keccak256","input":{}}` + "\n",
		"no goodbye":             "",
	} {
		t.Run(name, func(t *testing.T) {
			if answers, err := lines(t, said); err == nil || len(answers) > 0 {
				t.Errorf("error %v, answers %v", err, answers)
			}
		})
	}
}
