// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"golang.org/x/sync/errgroup"

	"gwon/internal/dial"
)

// Status is the state of all governance contracts after a block. Values of contracts without code are absent.
type Status struct {
	ChainID     *big.Int         `json:"chainId"`
	Block       uint64           `json:"block"`
	Time        uint64           `json:"time"` // of the block, seconds since 1970
	Governances []*Body          `json:"governances"`
	GasTip      *hexutil.Big     `json:"gasTip,omitempty"` // wei
	Validators  []ValidatorEntry `json:"validators,omitempty"`
	Supply      *hexutil.Big     `json:"supply,omitempty"` // wei
	Minters     []MinterEntry    `json:"minters,omitempty"`
	MaxMinting  *hexutil.Big     `json:"maxMinterAllowance,omitempty"` // wei
	Reserved    *hexutil.Big     `json:"reservedByOpenMints,omitempty"`
	Paused      []string         `json:"paused"` // contracts
	Blacklist   *AccountList     `json:"blacklist,omitempty"`
	Authorized  *AccountList     `json:"authorized,omitempty"`
}

// ValidatorEntry is a registered validator.
type ValidatorEntry struct {
	Address  common.Address `json:"address"`
	Operator common.Address `json:"operator"`
	BLSKey   hexutil.Bytes  `json:"blsPublicKey"`
	Sealing  *bool          `json:"sealing"` // in the current validator set; null if the node does not report it
	// SealsFrom is the block from which a registered validator that does not seal counts; 0 if that is not known.
	SealsFrom uint64 `json:"sealsFrom,omitempty"`
}

// MinterEntry is an account with an allowance.
type MinterEntry struct {
	Address   common.Address `json:"address"`
	Allowance *hexutil.Big   `json:"allowance"` // wei
}

// AccountList is the start of a list of accounts.
type AccountList struct {
	Count    uint64           `json:"count"`
	Accounts []common.Address `json:"accounts"` // up to the requested limit
}

// Status reads the state of all contracts, with at most limit entries of account lists.
func (c *Chain) Status(ctx context.Context, limit uint64) (*Status, error) {
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	s := &Status{ChainID: c.ID, Block: c.Block, Time: c.Time, Paused: []string{}}
	with := make(map[string]bool)
	for _, k := range Governances {
		ok, err := c.hasCode(ctx, k)
		if err != nil {
			return nil, err
		}
		with[k.Name] = ok
		b := &Body{Contract: k.Name, Address: c.Addresses.of(k)}
		if ok {
			if b, err = c.body(ctx, k); err != nil {
				return nil, err
			}
		}
		s.Governances = append(s.Governances, b)
	}
	token, err := c.hasCode(ctx, Adapter)
	if err != nil {
		return nil, err
	}
	var steps []func(context.Context, *Status) error
	if with[Validator.Name] {
		steps = append(steps, c.readValidators)
	}
	if with[MasterMinter.Name] {
		steps = append(steps, c.readMinters)
	}
	if with[Minter.Name] {
		steps = append(steps, c.readMinting)
	}
	if with[Council.Name] {
		steps = append(steps, func(ctx context.Context, s *Status) error { return c.readAccounts(ctx, s, limit) })
	}
	if token {
		steps = append(steps, func(ctx context.Context, s *Status) error {
			supply, err := view(ctx, c, Adapter, adapter.PackTotalSupply(), adapter.UnpackTotalSupply)
			s.Supply = (*hexutil.Big)(supply)
			return err
		})
	}
	for _, step := range steps {
		if err := step(ctx, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (c *Chain) readValidators(ctx context.Context, s *Status) error {
	tip, err := view(ctx, c, Validator, validator.PackGasTip(), validator.UnpackGasTip)
	if err != nil {
		return err
	}
	s.GasTip = (*hexutil.Big)(tip)
	list, err := view(ctx, c, Validator, validator.PackValidatorList(), validator.UnpackValidatorList)
	if err != nil {
		return err
	}
	var sealing []common.Address
	var epoch struct {
		Next hexutil.Uint64 `json:"next"` // whose registered validators seal the blocks above it
	}
	told, err := c.told(ctx, &sealing, "istanbul_getValidators", hexutil.Uint64(c.Block))
	if err != nil {
		return err
	}
	dated, err := c.told(ctx, &epoch, "istanbul_epochInfo", hexutil.Uint64(max(c.Block, 1)-1))
	if err != nil {
		return err
	}
	s.Validators = make([]ValidatorEntry, len(list))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, v := range list {
		e := &s.Validators[i]
		e.Address = v
		if told {
			if e.Sealing = new(slices.Contains(sealing, v)); dated && !*e.Sealing {
				e.SealsFrom = uint64(epoch.Next) + 1
			}
		}
		group.Go(func() (err error) {
			pack, unpack := validator.PackValidatorToOperator(v), validator.UnpackValidatorToOperator
			if e.Operator, err = view(ctx, c, Validator, pack, unpack); err != nil {
				return err
			}
			e.BLSKey, err = view(ctx, c, Validator, validator.PackValidatorToBlsKey(v), validator.UnpackValidatorToBlsKey)
			return err
		})
	}
	return group.Wait()
}

func (c *Chain) readMinters(ctx context.Context, s *Status) error {
	all, err := view(ctx, c, MasterMinter, masterMinter.PackGetAllMinters(), masterMinter.UnpackGetAllMinters)
	if err != nil {
		return err
	}
	if len(all.Minters) != len(all.Allowances) {
		return fmt.Errorf("%s names %d minters and %d allowances", MasterMinter.title, len(all.Minters), len(all.Allowances))
	}
	for i, m := range all.Minters {
		s.Minters = append(s.Minters, MinterEntry{m, (*hexutil.Big)(all.Allowances[i])})
	}
	most, err := view(ctx, c, MasterMinter, masterMinter.PackMaxMinterAllowance(), masterMinter.UnpackMaxMinterAllowance)
	if err != nil {
		return err
	}
	s.MaxMinting = (*hexutil.Big)(most)
	return c.readPause(ctx, s, MasterMinter)
}

func (c *Chain) readMinting(ctx context.Context, s *Status) error {
	reserved, err := view(ctx, c, Minter, minter.PackReservedMintAmount(), minter.UnpackReservedMintAmount)
	if err != nil {
		return err
	}
	s.Reserved = (*hexutil.Big)(reserved)
	return c.readPause(ctx, s, Minter)
}

// readPause reads whether a contract is paused.
func (c *Chain) readPause(ctx context.Context, s *Status, k Contract) error {
	paused, err := view(ctx, c, k, minter.PackEmergencyPaused(), minter.UnpackEmergencyPaused)
	if paused {
		s.Paused = append(s.Paused, k.Name)
	}
	return err
}

func (c *Chain) readAccounts(ctx context.Context, s *Status, limit uint64) (err error) {
	s.Blacklist, err = c.accountList(ctx, limit, council.PackGetBlacklistCount(), council.PackGetBlacklistRange,
		council.UnpackGetBlacklistRange)
	if err != nil {
		return err
	}
	s.Authorized, err = c.accountList(ctx, limit, council.PackGetAuthorizedAccountCount(),
		council.PackGetAuthorizedAccountRange, council.UnpackGetAuthorizedAccountRange)
	return err
}

// accountList reads the start of a list; the contract's ranges include their end.
func (c *Chain) accountList(ctx context.Context, limit uint64, count []byte, pack func(from, to *big.Int) []byte,
	unpack func([]byte) ([]common.Address, error)) (*AccountList, error) {
	n, err := view(ctx, c, Council, count, council.UnpackGetBlacklistCount)
	if err != nil {
		return nil, err
	}
	list := &AccountList{Count: seconds(n), Accounts: []common.Address{}}
	if most := min(list.Count, limit); most > 0 {
		list.Accounts, err = view(ctx, c, Council, pack(new(big.Int), new(big.Int).SetUint64(most-1)), unpack)
	}
	return list, err
}
