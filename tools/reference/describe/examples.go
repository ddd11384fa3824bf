// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Example is a call and its answer.
type Example struct {
	Params []json.RawMessage
	Result json.RawMessage
}

// Refusal is an error with which a method answers.
type Refusal struct {
	Code    int
	Message string
}

// examples are those of methods, from conversations in the form of tests/rpc.
type examples struct {
	calls    map[string]Example
	refusals map[string][]Refusal
}

// signed and delegated are the transactions of spec rpc 6.11.
const (
	signed = "0x02f87082205b0486191a20322000863691d6afc00082520894e2fae1ac69f1316a3573bd6b3ae91580d54d0b010180" +
		"c080a054a4aa12007e3f822a1ca3a039bfc283c03c7db547a9c6f309ce64e242f61bb2a0424425efb09c94f4fdd9198f" +
		"78ab2aacc47e05c18e461a4a709c52753da297b5"
	delegated = "0x16f8caf87082205b0486191a20322000863691d6afc00082520894e2fae1ac69f1316a3573bd6b3ae91580d54d0b01" +
		"0180c080a054a4aa12007e3f822a1ca3a039bfc283c03c7db547a9c6f309ce64e242f61bb2a0424425efb09c94f4fdd9" +
		"198f78ab2aacc47e05c18e461a4a709c52753da297b594e2fae1ac69f1316a3573bd6b3ae91580d54d0b0101a0ba5540" +
		"0c75f78053df5f0e4da58e25b6dc5cbb775e8268f2a0d3209cce94aa6ba065be77700425ee893f3c58bd9263b31d022d" +
		"9bd2a177130dfd09387e31efc252"
)

// samples stand in the place of words and patterns of conversations, which differ from chain to chain.
var samples = map[string]string{
	"<address>":  "0x9f06a2b1c4d5e6f708192a3b4c5d6e7f8091b73d",
	"<data>":     "0xf8c2a1d0",
	"<hash>":     "0x7c5a4b0d6c2f1e9a8b3d4c5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293",
	"<quantity>": "0x2a",
	"<version>":  "gwon/v0.3.0",

	"${second}":       "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
	"${raw}":          delegated,
	"${result}":       "0x2a",
	"${block}":        "0x1f0c7a9e5d3b4862917a0c4e8f6b2d1530794e8a6c5b3f2d1e0f9a8b7c6d5e4f",
	"${genesis}":      "0x04b1d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5061728394a5b6c7d8e9f",
	"${mined}":        "0x93cbe4f0a1d5726b8c3e9f02d4a6b8c1e3f507192b4d6f8a0c2e4f6081a3c5e7",
	"${delegated}":    "0x5be0a1c3d5e7f90b2d4f6182a4c6e8f01b3d5f7192a4b6c8dae0f1c2b3d4e5f6",
	"${sender hash}":  "0xa4c6e8f01b3d5f7192a4b6c8dae0f1c2b3d4e5f65be0a1c3d5e7f90b2d4f6182",
	"${sender}":       "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
	"${payer}":        "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
	"${recipient}":    "0x00000000000000000000000000000000000000aa",
	"${good}":         signed,
	"${low tip}":      signed,
	"${good 2}":       signed,
	"${mined tx}":     signed,
	"${delegated tx}": delegated,
}

var placeholder = regexp.MustCompile(`<(address|data|hash|quantity|version)>|\$\{[a-z0-9 ]+\}`)

// readExamples reads the conversations in the files *.io below a directory. The example of a method is the first
// call with a result in the file of its name.
func readExamples(conversations fs.FS) (*examples, error) {
	x := &examples{calls: make(map[string]Example), refusals: make(map[string][]Refusal)}
	err := fs.WalkDir(conversations, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".io" {
			return err
		}
		content, err := fs.ReadFile(conversations, file)
		if err != nil {
			return err
		}
		return x.read(strings.TrimSuffix(path.Base(file), ".io"), content)
	})
	if err != nil {
		return nil, fmt.Errorf("read conversations: %w", err)
	}
	for method, refusals := range x.refusals {
		slices.SortFunc(refusals, func(a, b Refusal) int {
			return cmp.Or(cmp.Compare(b.Code, a.Code), cmp.Compare(a.Message, b.Message))
		})
		x.refusals[method] = slices.Compact(refusals)
	}
	return x, nil
}

func (x *examples) read(file string, content []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	var call struct {
		Method string
		Params []json.RawMessage
	}
	for lines.Scan() {
		if body, ok := strings.CutPrefix(lines.Text(), ">> "); ok {
			call.Method, call.Params = "", nil
			if json.Unmarshal([]byte(sample(body)), &call) != nil {
				call.Method = "" // a batch, or what is no call at all
			}
			continue
		}
		body, ok := strings.CutPrefix(lines.Text(), "<< ")
		if !ok || call.Method == "" {
			continue
		}
		var answer struct {
			Result json.RawMessage
			Error  *Refusal
		}
		if err := json.Unmarshal([]byte(sample(body)), &answer); err != nil {
			return fmt.Errorf("%s.io: answer %.60q: %w", file, body, err)
		}
		switch _, known := x.calls[call.Method]; {
		case answer.Error != nil && worthTelling(answer.Error.Code):
			x.refusals[call.Method] = append(x.refusals[call.Method], *answer.Error)
		case answer.Error == nil && file == call.Method && !known:
			x.calls[call.Method] = Example{call.Params, answer.Result}
		}
	}
	return lines.Err()
}

// worthTelling reports whether an error is of the method itself. Every method refuses wrong parameters in the same
// way.
func worthTelling(code int) bool { return code > -32600 || code < -32768 }

func sample(text string) string {
	text = strings.ReplaceAll(text, `"<any>"`, "{}")
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := samples[name]; ok {
			return value
		}
		return name
	})
}
