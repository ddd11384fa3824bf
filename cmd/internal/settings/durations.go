// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/log"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/naoina/toml"
	"github.com/naoina/toml/ast"

	"gwon/internal/tomltext"
)

var durationType = reflect.TypeFor[time.Duration]()

// eachKey calls visit for every key of a table and of the sections below it, with the struct type and the table of its
// section. visit may delete the key.
func eachKey(
	section reflect.Type, table *ast.Table, visit func(section reflect.Type, table *ast.Table, kv *ast.KeyValue) error,
) error {
	for section.Kind() == reflect.Pointer {
		section = section.Elem()
	}
	if section.Kind() != reflect.Struct {
		return nil
	}
	for name, value := range table.Fields {
		var err error
		switch value := value.(type) {
		case *ast.KeyValue:
			err = visit(section, table, value)
		case *ast.Table:
			if field, known := section.FieldByName(name); known {
				err = eachKey(field.Type, value, visit)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isDuration(section reflect.Type, key string) bool {
	field, known := section.FieldByName(key)
	return known && field.Type == durationType
}

// movePayerSlots moves Eth.TxPool.PayerSlots of an older file to section Gwon, unless that has a value.
func movePayerSlots(root *ast.Table) {
	const key = "PayerSlots"
	upstream, _ := root.Fields["Eth"].(*ast.Table)
	if upstream == nil {
		return
	}
	pool, _ := upstream.Fields["TxPool"].(*ast.Table)
	if pool == nil || pool.Fields[key] == nil {
		return
	}
	own, _ := root.Fields["Gwon"].(*ast.Table)
	if own == nil {
		own = &ast.Table{Position: pool.Position, Name: "Gwon", Fields: make(map[string]any)}
		root.Fields["Gwon"] = own
	}
	if own.Fields[key] == nil {
		own.Fields[key] = pool.Fields[key]
	}
	delete(pool.Fields, key)
}

// parseConfig parses a configuration file, without its keys that have no effect. A duration in it is a text such as
// "10s", as go-stablenet writes it, or a number of nanoseconds, as go-ethereum does (spec network 7).
func parseConfig(text []byte) (*ast.Table, error) {
	table, err := tomltext.Parse(text)
	if err != nil {
		return nil, err
	}
	movePayerSlots(table)
	visit := func(section reflect.Type, table *ast.Table, kv *ast.KeyValue) error {
		if name := keyName(section, kv.Key); droppedFields[name] {
			log.Warn("Configuration key has no effect", "key", name)
			delete(table.Fields, kv.Key)
			return nil
		}
		given, ok := kv.Value.(*ast.String)
		if !ok || !isDuration(section, kv.Key) {
			return nil
		}
		d, err := time.ParseDuration(given.Value)
		if err != nil {
			return fmt.Errorf("line %d: %s: %w: give a number and a unit, such as \"10s\"", kv.Line, kv.Key, err)
		}
		number := strconv.FormatInt(int64(d), 10)
		kv.Value = &ast.Integer{Position: given.Position, Value: number, Data: []rune(number)}
		return nil
	}
	return table, eachKey(reflect.TypeFor[Config](), table, visit)
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
	visit := func(section reflect.Type, _ *ast.Table, kv *ast.KeyValue) error {
		number, ok := kv.Value.(*ast.Integer)
		if !ok || !isDuration(section, kv.Key) || section == reflect.TypeFor[gethrpc.HTTPTimeouts]() {
			return nil
		}
		d, err := number.Int()
		if err != nil {
			return fmt.Errorf("%s: %w", kv.Key, err)
		}
		lines[kv.Line-1] = fmt.Sprintf("%s = %q", kv.Key, time.Duration(d))
		return nil
	}
	err = eachKey(reflect.TypeFor[Config](), table, visit)
	return []byte(strings.Join(lines, "\n")), err
}
