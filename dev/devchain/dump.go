// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
)

const (
	dumpVersion = 1

	// maxDump bounds what a dump unpacks to.
	maxDump = 256 << 20
)

// accountsDump is the content of a dump: RLP, compressed with gzip.
type accountsDump struct {
	Version uint64
	Writes  []write
}

// dump returns the accounts of the newest block. The lock is held.
func (c *Chain) dump() ([]byte, error) {
	if c.options.Fork != nil {
		return nil, errors.New("a forked chain holds no more than it has read of the state: evm_snapshot keeps a moment")
	}
	statedb, err := c.state()
	if err != nil {
		return nil, err
	}
	writes, err := allAccounts(statedb)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	if err := rlp.Encode(packed, accountsDump{dumpVersion, writes}); err != nil {
		return nil, fmt.Errorf("encode accounts: %w", err)
	}
	if err := packed.Close(); err != nil {
		return nil, fmt.Errorf("compress accounts: %w", err)
	}
	return out.Bytes(), nil
}

// allAccounts returns the writes that make the accounts of a state.
func allAccounts(statedb *state.StateDB) (writes []write, err error) {
	for text, account := range statedb.RawDump(&state.DumpConfig{}).Accounts {
		if account.Address == nil {
			return nil, fmt.Errorf("the address of account %s is not stored: its preimage is missing", text)
		}
		address := *account.Address
		if account.Balance != "0" {
			balance, ok := new(big.Int).SetString(account.Balance, 10)
			if !ok {
				return nil, fmt.Errorf("balance %q of account %v is no number", account.Balance, address)
			}
			writes = append(writes, setBalance(address, uint256.MustFromBig(balance)))
		}
		if account.Nonce != 0 {
			writes = append(writes, setNonce(address, account.Nonce))
		}
		if len(account.Code) > 0 {
			writes = append(writes, setCode(address, account.Code))
		}
		if flags := statedb.GetExtra(address); flags != 0 {
			writes = append(writes, setFlags(address, flags))
		}
		for slot, value := range account.Storage {
			writes = append(writes, setStorage(address, slot, common.HexToHash(value)))
		}
	}
	slices.SortFunc(writes, func(a, b write) int {
		if c := a.Address.Cmp(b.Address); c != 0 {
			return c
		}
		if a.Field != b.Field {
			return int(a.Field) - int(b.Field)
		}
		return a.Slot.Cmp(b.Slot)
	})
	return writes, nil
}

// load sets the accounts of a dump and moves the total supply with their coins. The lock is held.
func (c *Chain) load(dump []byte) error {
	const expected = "expected the result of evm_dumpState of gwon"
	packed, err := gzip.NewReader(bytes.NewReader(dump))
	if err != nil {
		return invalid("%s: %v", expected, err)
	}
	plain, err := io.ReadAll(io.LimitReader(packed, maxDump+1))
	if err != nil {
		return invalid("%s: %v", expected, err)
	}
	if len(plain) > maxDump {
		return invalid("%s of at most %d bytes", expected, maxDump)
	}
	var accounts accountsDump
	if err := rlp.DecodeBytes(plain, &accounts); err != nil {
		return invalid("%s: %v", expected, err)
	}
	if accounts.Version != dumpVersion {
		return invalid("%s: version %d is not %d", expected, accounts.Version, dumpVersion)
	}
	return c.changeCoins(accounts.Writes...)
}
