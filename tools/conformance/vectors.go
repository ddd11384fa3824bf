// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

// vector is one case of a tree of vectors.
type vector struct {
	id       string // runner/handler/case
	runner   string
	handler  string
	name     string
	kind     string
	input    map[string]any
	expected map[string]any // nil when the operation must fail
	note     string         // what the tree's list says instead, when no file does
}

// readVectors reads every case under dir, in order of names. A file cases.tsv in dir may say what is expected of cases
// whose files are not all there.
func readVectors(dir string) ([]vector, error) {
	listed, err := readList(filepath.Join(dir, "cases.tsv"))
	if err != nil {
		return nil, err
	}
	var vectors []vector
	tree := os.DirFS(dir)
	names, err := fs.Glob(tree, "*/*/*/input.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		v, err := readVector(tree, path.Dir(name))
		if err != nil {
			return nil, err
		}
		if err := v.complete(tree, listed); err != nil {
			return nil, err
		}
		vectors = append(vectors, v)
	}
	if len(vectors) == 0 {
		return nil, fmt.Errorf("no case <runner>/<handler>/<case>/input.yaml under %s", dir)
	}
	return vectors, nil
}

func readVector(tree fs.FS, dir string) (vector, error) {
	parts := strings.Split(dir, "/")
	v := vector{id: dir, runner: parts[0], handler: parts[1], name: parts[2], kind: "pure"}
	input, err := readDocument(tree, dir+"/input.yaml")
	if err != nil {
		return v, err
	}
	v.input = input
	if v.expected, err = readDocument(tree, dir+"/expected.yaml"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}
	meta, err := readDocument(tree, dir+"/meta.yaml")
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return v, err
	default:
		if kind, ok := meta["kind"].(string); ok {
			v.kind = kind
		}
	}
	return v, nil
}

// readList reads what cases.tsv says is expected of cases, by id: "fail", "expected.yaml", "= CASE" or a remark.
func readList(name string) (map[string]string, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	r := csv.NewReader(file)
	r.Comma, r.Comment, r.LazyQuotes, r.FieldsPerRecord = '\t', '#', true, -1
	listed := make(map[string]string)
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return listed, nil
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if len(fields) >= 3 {
			listed[fields[0]] = fields[2]
		}
	}
}

// complete finds what is expected of a case that has no file for it but is listed with something else than a failure.
func (v *vector) complete(tree fs.FS, listed map[string]string) error {
	said := listed[v.id]
	if v.expected != nil || said == "" || said == "fail" || said == "expected.yaml" {
		return nil
	}
	if other, same := strings.CutPrefix(said, "= "); same {
		expected, err := readDocument(tree, path.Dir(v.id)+"/"+other+"/expected.yaml")
		v.expected = expected
		return err
	}
	if v.expected = stated(v.runner+"/"+v.handler, said); v.expected == nil {
		v.note = said
	}
	return nil
}

// stated turns what a list says in words into an output; nil when it has another form.
func stated(handler, said string) map[string]any {
	switch handler {
	case "state_machine/check_message":
		return record{"result": said}
	case "state_machine/is_justified":
		if value, ok := strings.CutPrefix(said, "justified: "); ok {
			return record{"justified": value == "true"}
		}
	case "execution/p256_verify":
		output, gas, ok := strings.Cut(strings.TrimPrefix(said, "output "), ", gas ")
		if !ok {
			return nil
		}
		if strings.HasPrefix(output, "0x00…01") {
			output = "0x" + strings.Repeat("00", 31) + "01"
		}
		return record{"output": output, "gas": gas}
	}
	return nil
}

// readDocument reads a file of the vectors' subset of YAML: mappings, sequences, double-quoted strings, true, false
// and null.
func readDocument(tree fs.FS, name string) (map[string]any, error) {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one document", name)
	}
	value, err := plain(document.Content[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: no mapping", name)
	}
	return fields, nil
}

// plain returns a node as the JSON value that it stands for, and refuses what is outside the subset.
func plain(n *yaml.Node) (any, error) {
	refuse := func(what string) (any, error) {
		return nil, fmt.Errorf("line %d: %s is not in the subset", n.Line, what)
	}
	if n.Anchor != "" || n.HeadComment+n.LineComment+n.FootComment != "" || n.Style&yaml.TaggedStyle != 0 {
		return refuse("an anchor, a comment or a tag")
	}
	flow := n.Style&yaml.FlowStyle != 0 && len(n.Content) > 0
	switch n.Kind {
	case yaml.MappingNode:
		if flow {
			return refuse("a flow mapping")
		}
		fields := make(map[string]any)
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if _, twice := fields[key]; twice {
				return refuse("a repeated key")
			}
			value, err := plain(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			fields[key] = value
		}
		return fields, nil
	case yaml.SequenceNode:
		if flow {
			return refuse("a flow sequence")
		}
		items := make([]any, len(n.Content))
		for i, item := range n.Content {
			value, err := plain(item)
			if err != nil {
				return nil, err
			}
			items[i] = value
		}
		return items, nil
	case yaml.ScalarNode:
		switch {
		case n.Style == yaml.DoubleQuotedStyle:
			return n.Value, nil
		case n.Style == 0 && (n.Value == "true" || n.Value == "false"):
			return n.Value == "true", nil
		case n.Style == 0 && n.Value == "null":
			return nil, nil
		}
		return refuse("the scalar " + n.Value)
	}
	return refuse("an alias")
}
