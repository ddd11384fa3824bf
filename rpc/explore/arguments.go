// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Number is a parameter that Otterscan sends as a JSON number, and other programs as a quantity like 0x1b4.
type Number uint64

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(encoded []byte) error {
	if len(encoded) > 0 && encoded[0] != '"' {
		value, err := strconv.ParseUint(string(encoded), 10, 63)
		if err != nil {
			return fmt.Errorf("%.40s is no number: give one like 436, or a quantity like 0x1b4", encoded)
		}
		*n = Number(value)
		return nil
	}
	var quantity hexutil.Uint64
	if err := json.Unmarshal(encoded, &quantity); err != nil {
		return err
	}
	if quantity > 1<<62 {
		return errors.New("the number is too large")
	}
	*n = Number(quantity)
	return nil
}

// Block is a block as a JSON number, a quantity, a tag or a hash.
type Block struct{ gethrpc.BlockNumberOrHash }

// UnmarshalJSON implements json.Unmarshaler.
func (b *Block) UnmarshalJSON(encoded []byte) error {
	if first := bytes.TrimSpace(encoded); len(first) > 0 && first[0] >= '0' && first[0] <= '9' {
		var number Number
		if err := number.UnmarshalJSON(first); err != nil {
			return err
		}
		b.BlockNumberOrHash = gethrpc.BlockNumberOrHashWithNumber(gethrpc.BlockNumber(number))
		return nil
	}
	return b.BlockNumberOrHash.UnmarshalJSON(encoded)
}
