// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// genesisForm mirrors the content of a genesis file, with the types that upstream's decoder uses.
type genesisForm struct {
	Config        *gethparams.ChainConfig                    `json:"config"`
	Nonce         math.HexOrDecimal64                        `json:"nonce"`
	Timestamp     math.HexOrDecimal64                        `json:"timestamp"`
	ExtraData     hexutil.Bytes                              `json:"extraData"`
	GasLimit      math.HexOrDecimal64                        `json:"gasLimit"`
	Difficulty    *math.HexOrDecimal256                      `json:"difficulty"`
	Mixhash       common.Hash                                `json:"mixHash"`
	Coinbase      common.Address                             `json:"coinbase"`
	Alloc         map[common.UnprefixedAddress]types.Account `json:"alloc"`
	Number        math.HexOrDecimal64                        `json:"number"`
	GasUsed       math.HexOrDecimal64                        `json:"gasUsed"`
	ParentHash    common.Hash                                `json:"parentHash"`
	BaseFee       *math.HexOrDecimal256                      `json:"baseFeePerGas"`
	ExcessBlobGas *math.HexOrDecimal64                       `json:"excessBlobGas"`
	BlobGasUsed   *math.HexOrDecimal64                       `json:"blobGasUsed"`
}

// accountForm mirrors an account of the allocation. Its storage is not checked in detail.
type accountForm struct {
	Code    hexutil.Bytes         `json:"code"`
	Storage map[string]string     `json:"storage"`
	Balance *math.HexOrDecimal256 `json:"balance"`
	Nonce   math.HexOrDecimal64   `json:"nonce"`
	Extra   math.HexOrDecimal64   `json:"extra"`
}

// forms describes the notation of a value by the type that it is decoded into.
var forms = map[reflect.Type]string{
	reflect.TypeFor[math.HexOrDecimal64](): "a number below 2^64: " +
		"decimal digits, or a string of 0x and hexadecimal digits",
	reflect.TypeFor[math.HexOrDecimal256](): "a number below 2^256: " +
		"decimal digits, or a string of 0x and hexadecimal digits",
	reflect.TypeFor[big.Int]():                  "a whole number without quotation marks",
	reflect.TypeFor[hexutil.Bytes]():            "a string of 0x and an even number of hexadecimal digits",
	reflect.TypeFor[common.Hash]():              "a string of 0x and 64 hexadecimal digits",
	reflect.TypeFor[common.Address]():           "a string of 0x and 40 hexadecimal digits",
	reflect.TypeFor[common.UnprefixedAddress](): "an address of 40 hexadecimal digits",
}

// wrongForm adds to a decoding error of a genesis file the place, the expected notation and the value found.
func wrongForm(data []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("invalid JSON in line %d: %w", line, err)
	}
	if wrong := findWrongForm("", data, reflect.TypeFor[genesisForm]()); wrong != "" {
		return errors.New(wrong)
	}
	// after " for " the error of a missing field has the name of a Go type
	text, _, _ := strings.Cut(err.Error(), " for ")
	return fmt.Errorf("read genesis: %s", text)
}

// findWrongForm returns a description of the first value that typ cannot hold, or an empty string.
func findWrongForm(path string, value json.RawMessage, typ reflect.Type) string {
	if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
		return "" // like an absent value
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if json.Unmarshal(value, reflect.New(typ).Interface()) == nil && typ != reflect.TypeFor[genesisForm]() {
		return ""
	}
	wanted := func(form string) string {
		what := path
		if what == "" {
			what = "the file"
		}
		return fmt.Sprintf("%s must be %s, not %s", what, form, shortened(value))
	}
	if form, ok := forms[typ]; ok {
		return wanted(form)
	}
	if typ == reflect.TypeFor[types.Account]() {
		if wrong := findWrongForm(path, value, reflect.TypeFor[accountForm]()); wrong != "" {
			return wrong
		}
		return wanted(`an account with a "balance", and storage of 32-byte words in hexadecimal`)
	}
	switch typ.Kind() {
	case reflect.Struct, reflect.Map:
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) != nil {
			return wanted("an object, {...}")
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if wrong := findWrongMember(path, key, members[key], typ); wrong != "" {
				return wrong
			}
		}
	case reflect.Slice:
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return wanted("a list, [...]")
		}
		for i, item := range items {
			if wrong := findWrongForm(fmt.Sprintf("%s[%d]", path, i), item, typ.Elem()); wrong != "" {
				return wrong
			}
		}
	case reflect.Bool:
		return wanted("true or false")
	case reflect.String:
		return wanted("a string")
	case reflect.Uint64, reflect.Int64, reflect.Uint, reflect.Int:
		return wanted("a whole number without quotation marks")
	}
	return ""
}

func findWrongMember(path, key string, value json.RawMessage, typ reflect.Type) string {
	inner := key
	if path != "" {
		inner = path + "." + key
	}
	if typ.Kind() == reflect.Map {
		name, err := json.Marshal(key)
		if err != nil || json.Unmarshal(name, reflect.New(typ.Key()).Interface()) != nil {
			return fmt.Sprintf("%s: the key must be %s, not %q", path, forms[typ.Key()], key)
		}
		return findWrongForm(inner, value, typ.Elem())
	}
	for _, field := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && strings.EqualFold(name, key) {
			return findWrongForm(inner, value, field.Type)
		}
	}
	return ""
}

// shortened returns the beginning of a value in the file.
func shortened(value []byte) string {
	const most = 60
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return "what stands there"
	}
	if compact.Len() > most {
		return string(bytes.ToValidUTF8(compact.Bytes()[:most], nil)) + "..."
	}
	return compact.String()
}
