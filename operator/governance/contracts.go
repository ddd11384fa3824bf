// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"gwon/contracts"
	"gwon/contracts/bindings"
	"gwon/internal/txobject"
	"gwon/params"
)

// Contract is one of the system contracts.
type Contract struct {
	Name     string // name on the command line
	title    string // name in sentences
	artifact string // name in package contracts
	version  string // version in package contracts with all functions of the others
}

// The system contracts (spec system-contracts).
var (
	Validator    = Contract{"gov-validator", "GovValidator", "govValidator", "g1"}
	MasterMinter = Contract{"gov-master-minter", "GovMasterMinter", "govMasterMinter", "g1"}
	Minter       = Contract{"gov-minter", "GovMinter", "govMinter", "g2"}
	Council      = Contract{"gov-council", "GovCouncil", "govCouncil", "g1"}
	Adapter      = Contract{"native-coin-adapter", "NativeCoinAdapter", "nativeCoinAdapter", "g1"}
)

// Governances lists the contracts with members and proposals.
var Governances = []Contract{Validator, MasterMinter, Minter, Council}

var (
	base         = bindings.NewGovernance()
	validator    = bindings.NewGovValidator()
	masterMinter = bindings.NewGovMasterMinter()
	minter       = bindings.NewGovMinter()
	council      = bindings.NewGovCouncil()
	adapter      = bindings.NewNativeCoinAdapter()
)

// interfaces holds the full ABIs of the contracts; the bindings lack events and errors.
var interfaces = sync.OnceValue(func() map[Contract]abi.ABI {
	list := make(map[Contract]abi.ABI)
	for _, k := range append([]Contract{Adapter}, Governances...) {
		c, ok := contracts.Lookup(k.artifact, k.version)
		if !ok {
			panic(fmt.Sprintf("no artifact of %s %s", k.artifact, k.version)) // the artifacts are part of the program
		}
		list[k] = c.ABI()
	}
	return list
})

// Addresses maps contract names to the addresses of a chain.
type Addresses map[string]common.Address

// DefaultAddresses returns the addresses on public and development networks.
func DefaultAddresses() Addresses {
	return Addresses{
		Validator.Name: params.GovValidatorAddress, MasterMinter.Name: params.GovMasterMinterAddress,
		Minter.Name:  params.GovMinterAddress,
		Council.Name: params.GovCouncilAddress, Adapter.Name: params.NativeCoinAdapterAddress,
	}
}

func (a Addresses) of(k Contract) common.Address { return a[k.Name] }

// Set parses a contract's address in the form name=address.
func (a Addresses) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if _, known := a[name]; !ok || !known {
		return fmt.Errorf("%q names no contract: NAME=ADDRESS, with a name of %s", text,
			strings.Join(slices.Sorted(maps.Keys(a)), ", "))
	}
	address, err := txobject.ParseAccount(value)
	if err != nil {
		return err
	}
	a[name] = address
	return nil
}

// ParseContract returns the governance contract with a name.
func ParseContract(name string) (Contract, error) {
	for _, k := range Governances {
		if name == k.Name || name == strings.TrimPrefix(k.Name, "gov-") || name == k.title {
			return k, nil
		}
	}
	return Contract{}, fmt.Errorf("%q is no governing contract: %s", name, governanceNames())
}

func governanceNames() string {
	var names []string
	for _, k := range Governances {
		names = append(names, k.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// ID identifies a proposal by contract and number, because every contract counts from 1.
type ID struct {
	Contract Contract
	Number   uint64
}

func (id ID) String() string { return fmt.Sprintf("%s:%d", id.Contract.Name, id.Number) }

// MarshalText encodes the ID as a JSON string.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

func (id ID) number() *big.Int { return new(big.Int).SetUint64(id.Number) }

// bareNumberError is a proposal number without a contract.
type bareNumberError struct{ number uint64 }

func (e *bareNumberError) Error() string {
	return fmt.Sprintf("%d alone names no proposal, each contract counts from 1: write CONTRACT:%d with %s", e.number,
		e.number, governanceNames())
}

// ParseID reads a proposal ID such as gov-minter:3.
func ParseID(text string) (ID, error) {
	name, digits, ok := strings.Cut(text, ":")
	if !ok {
		digits = name
	}
	n, valid := new(big.Int).SetString(digits, 10)
	if !valid || n.Sign() <= 0 || !n.IsUint64() {
		return ID{}, fmt.Errorf("%q names no proposal: write it as gov-minter:3", text)
	}
	if !ok {
		return ID{}, &bareNumberError{n.Uint64()}
	}
	k, err := ParseContract(name)
	if err != nil {
		return ID{}, err
	}
	return ID{k, n.Uint64()}, nil
}
