// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"

	"gwon/internal/tomltext"
)

// invalid returns an error with the code of wrong parameters. The text says what was expected.
func invalid(format string, args ...any) error {
	return &gethrpc.Refusal{Code: gethrpc.CodeParams, Text: fmt.Sprintf(format, args...)}
}

// number reads a JSON number, or a string with decimal digits or with 0x and hexadecimal ones.
func number(raw []byte, what string) (*big.Int, error) {
	wrong := func() (*big.Int, error) {
		return nil, fmt.Errorf("expected %s as 12, \"12\" or \"0xc\", got %s", what, tomltext.Shortened(string(raw)))
	}
	text := string(raw)
	if strings.HasPrefix(text, `"`) {
		if json.Unmarshal(raw, &text) != nil {
			return wrong()
		}
	}
	digits, base := text, 10
	if rest, hex := strings.CutPrefix(strings.ToLower(text), "0x"); hex {
		digits, base = rest, 16
	}
	if len(digits) == 0 || len(digits) > 78 || strings.ContainsAny(digits, "+-_ ") {
		return wrong()
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		// Number.MAX_SAFE_INTEGER and above can come in scientific notation.
		f, err := strconv.ParseFloat(text, 64)
		if base != 10 || err != nil || f < 0 || f > 1<<63 || f != float64(uint64(f)) {
			return wrong()
		}
		n = new(big.Int).SetUint64(uint64(f))
	}
	return n, nil
}

// Quantity is a parameter of at most 64 bits.
type Quantity uint64

// UnmarshalJSON implements json.Unmarshaler.
func (q *Quantity) UnmarshalJSON(raw []byte) error {
	n, err := number(raw, "a number of at most 64 bits")
	if err != nil {
		return err
	}
	if !n.IsUint64() {
		return fmt.Errorf("expected a number of at most 64 bits, got %s", tomltext.Shortened(string(raw)))
	}
	*q = Quantity(n.Uint64())
	return nil
}

// Expected says what the parameter is, for an answer to a call without it.
func (Quantity) Expected() string { return "a number of at most 64 bits as 12, \"12\" or \"0xc\"" }

// value returns the quantity, or another number where none was given.
func (q *Quantity) value(otherwise uint64) uint64 {
	if q == nil {
		return otherwise
	}
	return uint64(*q)
}

// Amount is a parameter of at most 256 bits.
type Amount uint256.Int

// UnmarshalJSON implements json.Unmarshaler.
func (a *Amount) UnmarshalJSON(raw []byte) error {
	n, err := number(raw, "an amount of at most 256 bits")
	if err != nil {
		return err
	}
	if (*uint256.Int)(a).SetFromBig(n) {
		return fmt.Errorf("expected an amount of at most 256 bits, got %s", tomltext.Shortened(string(raw)))
	}
	return nil
}

// Expected says what the parameter is.
func (Amount) Expected() string { return "an amount of at most 256 bits as 12, \"12\" or \"0xc\"" }

func (a *Amount) int() *uint256.Int { return (*uint256.Int)(a) }

// Word is a parameter of 32 bytes. Shorter hexadecimal ones stand for the same number.
type Word common.Hash

// UnmarshalJSON implements json.Unmarshaler.
func (w *Word) UnmarshalJSON(raw []byte) error {
	n, err := number(raw, "a word of at most 32 bytes")
	if err != nil {
		return err
	}
	if n.BitLen() > 256 {
		return fmt.Errorf("expected a word of at most 32 bytes, got %s", tomltext.Shortened(string(raw)))
	}
	*w = Word(common.BigToHash(n))
	return nil
}

// Expected says what the parameter is.
func (Word) Expected() string { return "a word of at most 32 bytes as 12, \"12\" or \"0xc\"" }

// read decodes a parameter, and says what was expected instead of another one.
func read(raw []byte, into any, expected string) error {
	if json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("expected %s, got %s", expected, tomltext.Shortened(string(raw)))
	}
	return nil
}

// Address is a parameter that is an address.
type Address common.Address

// UnmarshalJSON implements json.Unmarshaler.
func (a *Address) UnmarshalJSON(raw []byte) error {
	return read(raw, (*common.Address)(a), a.Expected())
}

// Expected says what the parameter is.
func (Address) Expected() string { return "an address of 0x and 40 hexadecimal digits" }

// Hash is a parameter that is the hash of a transaction.
type Hash common.Hash

// UnmarshalJSON implements json.Unmarshaler.
func (h *Hash) UnmarshalJSON(raw []byte) error { return read(raw, (*common.Hash)(h), h.Expected()) }

// Expected says what the parameter is.
func (Hash) Expected() string { return "a hash of 0x and 64 hexadecimal digits" }

// Data is a parameter of any number of bytes.
type Data []byte

// UnmarshalJSON implements json.Unmarshaler.
func (d *Data) UnmarshalJSON(raw []byte) error { return read(raw, (*hexutil.Bytes)(d), d.Expected()) }

// Expected says what the parameter is.
func (Data) Expected() string { return "bytes as 0x and two hexadecimal digits for each" }

// Switch is a parameter that turns something on or off.
type Switch bool

// UnmarshalJSON implements json.Unmarshaler.
func (s *Switch) UnmarshalJSON(raw []byte) error { return read(raw, (*bool)(s), s.Expected()) }

// Expected says what the parameter is.
func (Switch) Expected() string { return "true or false" }
