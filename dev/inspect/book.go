// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/contracts"
	"gwon/params"
)

// Interface is the interface of a contract.
type Interface struct {
	Name string
	ABI  abi.ABI

	coins bool // amounts are of the coin
	code  *pattern
}

// Book holds the interfaces and names of contracts. The zero value is empty; NewBook knows the system contracts. A Book
// must not change while it is in use.
type Book struct {
	names     map[common.Address]string
	addresses map[common.Address]*Interface
	codes     map[int][]*Interface // of artifacts, by the length of their code
	all       []*Interface
}

// systemContracts are the contracts of every chain, with the artifact that has all functions of its other versions.
var systemContracts = []struct {
	address           common.Address
	title             string
	artifact, version string
}{
	{params.NativeCoinAdapterAddress, "NativeCoinAdapter", "nativeCoinAdapter", "g1"},
	{params.GovValidatorAddress, "GovValidator", "govValidator", "g1"},
	{params.GovMasterMinterAddress, "GovMasterMinter", "govMasterMinter", "g1"},
	{params.GovMinterAddress, "GovMinter", "govMinter", "g2"},
	{params.GovCouncilAddress, "GovCouncil", "govCouncil", "g1"},
}

// NewBook returns a book with the system contracts at their usual addresses.
func NewBook() *Book {
	b := &Book{
		names: map[common.Address]string{
			params.BLSPossessionAddress: "BLS possession check",
		},
		addresses: make(map[common.Address]*Interface),
		codes:     make(map[int][]*Interface),
	}
	b.addManagers()
	for _, c := range systemContracts {
		artifact, ok := contracts.Lookup(c.artifact, c.version)
		if !ok {
			panic(fmt.Sprintf("no artifact of %s %s", c.artifact, c.version)) // the artifacts are part of the program
		}
		known := &Interface{Name: c.title, ABI: artifact.ABI(), coins: true}
		b.addresses[c.address], b.names[c.address] = known, c.title
		b.all = append(b.all, known)
	}
	return b
}

// Name gives an address a name, as "devnet:1".
func (b *Book) Name(address common.Address, name string) { b.names[address] = name }

// Names returns all names.
func (b *Book) Names() map[common.Address]string { return maps.Clone(b.names) }

// Decode decodes a call of a known contract, with its output. It returns nil where the interface does not fit.
func (b *Book) Decode(known *Interface, input, output []byte) *Call {
	return b.call(known, input, output)
}

// SystemContracts returns the addresses of the system contracts.
func SystemContracts() []common.Address {
	list := make([]common.Address, len(systemContracts))
	for n, c := range systemContracts {
		list[n] = c.address
	}
	return list
}

// NameOf returns the name of an address, "" for none.
func (b *Book) NameOf(address common.Address) string { return b.names[address] }

// At returns the interface of a system contract by its address, nil for none.
func (b *Book) At(address common.Address) *Interface { return b.addresses[address] }

// HasArtifacts reports whether interfaces are known by the code of their contracts.
func (b *Book) HasArtifacts() bool { return len(b.codes) > 0 }

// Artifacts returns the interfaces that are known by code, sorted by name.
func (b *Book) Artifacts() []*Interface {
	var list []*Interface
	for _, same := range b.codes {
		list = append(list, same...)
	}
	slices.SortFunc(list, func(x, y *Interface) int { return cmp.Compare(x.Name, y.Name) })
	return list
}

// ByCode returns the interface whose artifact has this deployed code, nil for none.
func (b *Book) ByCode(code []byte) *Interface {
	for _, i := range b.codes[len(code)] {
		if i.code.matches(code) {
			return i
		}
	}
	return nil
}

// Call is a decoded call of a contract.
type Call struct {
	Contract  string     `json:"contract,omitempty"`
	Function  string     `json:"function"`
	Signature string     `json:"signature"`
	Arguments []Argument `json:"arguments"`
	Result    []Argument `json:"result,omitempty"`
	// Guessed is set where the function was recognized by its selector alone: the contract is not known.
	Guessed bool `json:"guessed,omitempty"`
}

// selectorSize is the number of bytes that name a function or an error.
const selectorSize = 4

// call decodes the input of a call, nil where no interface fits. known may be nil.
func (b *Book) call(known *Interface, input, output []byte) *Call {
	if len(input) < selectorSize {
		return nil
	}
	candidates, guessed := []*Interface{known}, false
	if known == nil {
		candidates, guessed = b.all, true
	}
	for _, i := range candidates {
		method, err := i.ABI.MethodById(input[:selectorSize])
		if err != nil {
			continue
		}
		values, err := rules.Decode(method.Inputs, input[selectorSize:])
		if err != nil {
			continue
		}
		coins := i.coins && !guessed
		call := &Call{
			Function: method.RawName, Signature: method.Sig, Guessed: guessed,
			Arguments: arguments(values, coins),
		}
		if !guessed {
			call.Contract = i.Name
		}
		if results, err := rules.Decode(method.Outputs, output); err == nil && len(output) > 0 {
			call.Result = arguments(results, coins)
		}
		return call
	}
	return nil
}

// Event is a decoded log.
type Event struct {
	Name      string     `json:"name"`
	Signature string     `json:"signature"`
	Arguments []Argument `json:"arguments"`
	Guessed   bool       `json:"guessed,omitempty"` // as in Call
}

// event decodes a log, nil where no interface fits. known may be nil.
func (b *Book) event(known *Interface, l *types.Log) *Event {
	if len(l.Topics) == 0 {
		return nil
	}
	candidates, guessed := []*Interface{known}, false
	if known == nil {
		candidates, guessed = b.all, true
	}
	for _, i := range candidates {
		spec, err := i.ABI.EventByID(l.Topics[0])
		if err != nil {
			continue
		}
		values, err := rules.Log(spec.Inputs, l)
		if err != nil {
			continue
		}
		return &Event{spec.RawName, spec.Sig, arguments(values, i.coins && !guessed), guessed}
	}
	return nil
}

// failure decodes the data of a revert as an error of one of the known contracts.
func (b *Book) failure(known *Interface, data []byte) (name string, args []Argument) {
	if len(data) < selectorSize {
		return "", nil
	}
	candidates := b.all
	if known != nil {
		candidates = append([]*Interface{known}, b.all...)
	}
	for _, i := range candidates {
		spec, err := i.ABI.ErrorByID([selectorSize]byte(data[:selectorSize]))
		if err != nil {
			continue
		}
		values, err := rules.Decode(spec.Inputs, data[selectorSize:])
		if err != nil {
			continue
		}
		return spec.Name, arguments(values, i.coins)
	}
	return "", nil
}

// delegatePrefix begins the code of an account that runs the code of another one (EIP-7702).
const delegatePrefix = "\xef\x01\x00"

// delegate returns the account whose code another account runs.
func delegate(code []byte) (common.Address, bool) {
	rest, ok := strings.CutPrefix(string(code), delegatePrefix)
	if !ok || len(rest) != common.AddressLength {
		return common.Address{}, false
	}
	return common.BytesToAddress([]byte(rest)), true
}

// TransferTopic is the first topic of a Transfer of ERC-20 and ERC-721.
var TransferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// transfer returns what a Transfer log moved: an amount (ERC-20) or the number of a token (ERC-721).
func transfer(l *types.Log) (from, to common.Address, n *big.Int, unique, ok bool) {
	if len(l.Topics) < 3 || l.Topics[0] != TransferTopic {
		return from, to, nil, false, false
	}
	from, to = common.BytesToAddress(l.Topics[1][:]), common.BytesToAddress(l.Topics[2][:])
	switch {
	case len(l.Topics) == 3 && len(l.Data) == common.HashLength:
		return from, to, new(big.Int).SetBytes(l.Data), false, true
	case len(l.Topics) == 4 && len(l.Data) == 0:
		return from, to, l.Topics[3].Big(), true, true
	}
	return from, to, nil, false, false
}
