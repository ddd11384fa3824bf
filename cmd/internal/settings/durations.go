// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/naoina/toml"
	"github.com/naoina/toml/ast"
)

var durationType = reflect.TypeFor[time.Duration]()

// eachDuration calls visit for every key of a table that a time.Duration of the struct type section belongs to.
func eachDuration(
	section reflect.Type, table *ast.Table, visit func(section reflect.Type, kv *ast.KeyValue) error,
) error {
	for section.Kind() == reflect.Pointer {
		section = section.Elem()
	}
	if section.Kind() != reflect.Struct {
		return nil
	}
	for name, value := range table.Fields {
		field, known := section.FieldByName(name)
		if !known {
			continue
		}
		var err error
		switch value := value.(type) {
		case *ast.KeyValue:
			if field.Type == durationType {
				err = visit(section, value)
			}
		case *ast.Table:
			err = eachDuration(field.Type, value, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseConfig parses a configuration file. A duration in it is a text such as "10s", as go-stablenet writes it, or a
// number of nanoseconds, as go-ethereum does (spec network 7).
func parseConfig(text []byte) (*ast.Table, error) {
	table, err := toml.Parse(text)
	if err != nil {
		return nil, err
	}
	return table, eachDuration(reflect.TypeFor[Config](), table, func(_ reflect.Type, kv *ast.KeyValue) error {
		given, ok := kv.Value.(*ast.String)
		if !ok {
			return nil
		}
		d, err := time.ParseDuration(given.Value)
		if err != nil {
			return fmt.Errorf("line %d: %s: %w: give a number and a unit, such as \"10s\"", kv.Line, kv.Key, err)
		}
		number := strconv.FormatInt(int64(d), 10)
		kv.Value = &ast.Integer{Position: given.Position, Value: number, Data: []rune(number)}
		return nil
	})
}

// Marshal writes a configuration with durations as text, but those of section HTTPTimeouts: go-stablenet reads just
// that form.
func Marshal(cfg *Config) ([]byte, error) {
	text, err := tomlFormat.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	table, err := toml.Parse(text)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	err = eachDuration(reflect.TypeFor[Config](), table, func(section reflect.Type, kv *ast.KeyValue) error {
		number, ok := kv.Value.(*ast.Integer)
		if !ok || section == reflect.TypeFor[gethrpc.HTTPTimeouts]() {
			return nil
		}
		d, err := number.Int()
		if err != nil {
			return fmt.Errorf("%s: %w", kv.Key, err)
		}
		lines[kv.Line-1] = fmt.Sprintf("%s = %q", kv.Key, time.Duration(d))
		return nil
	})
	return []byte(strings.Join(lines, "\n")), err
}
