// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// startInProcess serves an adapter from a goroutine of the test.
func startInProcess(t *testing.T) func() (*adapter, error) {
	return func() (*adapter, error) {
		in, toAdapter := io.Pipe()
		fromAdapter, out := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			err := serve(in, out)
			out.CloseWithError(io.EOF)
			ended <- err
		}()
		stop := func() { in.CloseWithError(errors.New("stopped")); out.CloseWithError(errors.New("stopped")) }
		t.Cleanup(stop)
		return &adapter{toAdapter, newLines(fromAdapter), stop, func() error { return <-ended }}, nil
	}
}

// judged runs a tree of vectors through an adapter.
func judged(t *testing.T, dir string) map[string]outcome {
	t.Helper()
	vectors, err := readVectors(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{start: startInProcess(t)}
	outcomes := make(map[string]outcome)
	for i, v := range vectors {
		o, err := d.judge(int64(i), v)
		if err != nil {
			t.Fatal(err)
		}
		outcomes[v.id] = o
	}
	d.end()
	return outcomes
}

// The runner reports each kind of difference, and a case that must fail and does not. testdata/vectors is our own.
func TestRunner(t *testing.T) {
	outcomes := judged(t, "testdata/vectors")
	for id, want := range map[string]struct {
		verdict verdict
		detail  string // a part of it
	}{
		"crypto/keccak256/nothing":                          {passed, ""},
		"crypto/keccak256/wrong_value":                      {failed, `hash: want "0xc5d246`},
		"crypto/keccak256/key_too_few":                      {failed, `key "length" is missing`},
		"crypto/keccak256/key_too_many":                     {failed, `key "hash" is not expected`},
		"crypto/keccak256/must_fail_passes":                 {failed, "must fail, but gave"},
		"crypto/keccak256/input_unknown":                    {noSupport, "input data: want bytes"},
		"crypto/blake3/no_handler":                          {noSupport, "no such handler"},
		"validators/shuffle/index_outside":                  {passed, ""},
		"validators/quorum/seven":                           {passed, ""},
		"validators/sort_candidates/three":                  {passed, ""},
		"timers/round_timeout/third":                        {passed, ""},
		"timers/build_wait/later_round":                     {passed, ""},
		"encoding/extra_codec/empty":                        {passed, ""},
		"encoding/extra_codec/listed_same":                  {passed, ""},
		"state_machine/is_justified/claim_of_a_later_round": {explained, "justified: want true, got false"},
	} {
		t.Run(id, func(t *testing.T) {
			o, ran := outcomes[id]
			if !ran || o.verdict != want.verdict || !strings.Contains(o.detail, want.detail) || want.detail == "" &&
				o.detail != "" {
				t.Errorf("ran %v, verdict %v, detail %q; want verdict %v, detail with %q", ran, o.verdict, o.detail,
					want.verdict, want.detail)
			}
			delete(outcomes, id)
		})
	}
	for id := range outcomes {
		t.Errorf("case %s has no row here", id)
	}
}

// The table counts, and the run fails exactly when a case failed without an explanation.
func TestReport(t *testing.T) {
	var good, all []outcome
	for _, o := range judged(t, "testdata/vectors") {
		if all = append(all, o); o.verdict != failed {
			good = append(good, o)
		}
	}
	var text strings.Builder
	if err := report(&text, good, true); err != nil {
		t.Errorf("error %v for cases that passed or are explained", err)
	}
	if err := report(&text, all, false); err == nil || !strings.Contains(err.Error(), "4 of 15 cases") {
		t.Errorf("error %v, want one that counts 4 of 15", err)
	}
	for _, want := range []string{"8          1       4            2  total",
		"FAILED       crypto/keccak256/wrong_value: hash: want"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("report lacks %q:\n%s", want, &text)
		}
	}
}

// What is outside the subset of YAML is refused, not interpreted.
func TestVectorForm(t *testing.T) {
	for name, input := range map[string]string{
		"number":        "n: 7\n",
		"plain text":    "n: seven\n",
		"single quotes": "n: '7'\n",
		"comment":       "n: \"7\" # seven\n",
		"flow list":     "n: [\"7\"]\n",
		"flow mapping":  "n: {a: \"7\"}\n",
		"anchor":        "n: &a \"7\"\nm: *a\n",
		"tag":           "n: !!str \"7\"\n",
		"repeated key":  "n: \"7\"\nn: \"8\"\n",
		"two documents": "n: \"7\"\n---\nn: \"8\"\n",
		"list":          "- \"7\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := filepath.Join(dir, "validators", "quorum", "case")
			if err := os.MkdirAll(at, 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at, "input.yaml"), []byte(input), 0o600); err != nil {
				t.Fatal(err)
			}
			if v, err := readVectors(dir); err == nil {
				t.Errorf("read as %v", v)
			}
		})
	}
	if _, err := readVectors(t.TempDir()); err == nil {
		t.Error("a directory without a case is no error")
	}
	partial := t.TempDir()
	for name, text := range map[string]string{"whole/input.yaml": "n: \"7\"\n", "lost/expected.yaml": "q: \"5\"\n"} {
		at := filepath.Join(partial, "validators", "quorum", name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := readVectors(partial); err == nil || !strings.Contains(err.Error(), "no input.yaml") {
		t.Errorf("a case without its input: read as %v, error %v", v, err)
	}
}

// A case that must fail passes by an error of the operation, not by a panic, nor by an adapter that dies. No deviation
// explains these.
func TestFailuresThatCount(t *testing.T) {
	mustFail := vector{runner: "crypto", handler: "keccak256"}
	explainable := vector{
		runner: "encoding", handler: "message_codec", expected: record{"sequence": "99999999999999999999"},
	}
	for class, want := range map[string]verdict{
		operationClass: passed, panicClass: failed, "adapter": failed, "": failed,
	} {
		r := result{Status: statusError, ErrorClass: class, Message: "because"}
		if o := compare(mustFail, r); o.verdict != want || (o.detail == "") != (want == passed) {
			t.Errorf("must fail, class %q: verdict %v, detail %q", class, o.verdict, o.detail)
		}
		if o := compare(explainable, r); (o.verdict == explained) != (class == operationClass) {
			t.Errorf("may fail, class %q: verdict %v, detail %q", class, o.verdict, o.detail)
		}
	}
	if err := report(new(strings.Builder), []outcome{{verdict: noSupport}}, false); err == nil {
		t.Error("a run in which nothing was compared is no error")
	}
}

// An adapter that dies is replaced, and the case that it died of has failed.
func TestAdapterDies(t *testing.T) {
	start, started := startInProcess(t), 0
	d := &driver{start: func() (*adapter, error) {
		a, err := start()
		if started++; started == 1 {
			wait := a.wait
			a.wait = func() error { return errors.Join(wait(), errors.New("died")) }
		}
		return a, err
	}}
	v := vector{id: "a/b/c", runner: "crypto", handler: "keccak256", input: record{"data": "0x"},
		expected: record{"hash": "0x"}}
	if err := d.open(); err != nil {
		t.Fatal(err)
	}
	d.peer.stop()
	for i, want := range []string{"adapter: ", "hash: want"} {
		o, err := d.judge(int64(i), v)
		if err != nil || o.verdict != failed || !strings.Contains(o.detail, want) {
			t.Errorf("case %d: verdict %v, detail %q, error %v", i, o.verdict, o.detail, err)
		}
	}
	if started != 2 {
		t.Errorf("%d adapters were started, want 2", started)
	}
	d.end()
}
