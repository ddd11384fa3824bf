// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package bindings

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Reference imports to suppress errors if they are not otherwise used.
var (
	_ = bytes.Equal
	_ = errors.New
	_ = big.NewInt
	_ = common.Big1
	_ = types.BloomLookup
	_ = abi.ConvertType
)

// GovBaseProposal is an auto generated low-level Go binding around an user-defined struct.
type GovBaseProposal struct {
	ActionType        [32]byte
	MemberVersion     *big.Int
	VotedBitmap       *big.Int
	CreatedAt         *big.Int
	ExecutedAt        *big.Int
	Proposer          common.Address
	RequiredApprovals uint32
	Approved          uint32
	Rejected          uint32
	Status            uint8
	CallData          []byte
}

// GovCouncilMetaData contains all meta data concerning the GovCouncil contract.
var GovCouncilMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"getAuthorizedAccountCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"startIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endIndex\",\"type\":\"uint256\"}],\"name\":\"getAuthorizedAccountRange\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getBlacklistCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"startIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endIndex\",\"type\":\"uint256\"}],\"name\":\"getBlacklistRange\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"isBlacklisted\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeAddAuthorizedAccount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeAddAuthorizedAccountBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeAddBlacklist\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeAddBlacklistBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeRemoveAuthorizedAccount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeRemoveAuthorizedAccountBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeRemoveBlacklist\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeRemoveBlacklistBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "GovCouncil",
}

// GovCouncil is an auto generated Go binding around an Ethereum contract.
type GovCouncil struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *GovCouncil) GetABI() abi.ABI {
	return c.abi
}

// NewGovCouncil creates a new instance of GovCouncil.
func NewGovCouncil() *GovCouncil {
	parsed, err := GovCouncilMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &GovCouncil{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *GovCouncil) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackGetAuthorizedAccountCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6a6debd7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getAuthorizedAccountCount() view returns(uint256)
func (govCouncil *GovCouncil) PackGetAuthorizedAccountCount() []byte {
	enc, err := govCouncil.abi.Pack("getAuthorizedAccountCount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetAuthorizedAccountCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6a6debd7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getAuthorizedAccountCount() view returns(uint256)
func (govCouncil *GovCouncil) TryPackGetAuthorizedAccountCount() ([]byte, error) {
	return govCouncil.abi.Pack("getAuthorizedAccountCount")
}

// UnpackGetAuthorizedAccountCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6a6debd7.
//
// Solidity: function getAuthorizedAccountCount() view returns(uint256)
func (govCouncil *GovCouncil) UnpackGetAuthorizedAccountCount(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("getAuthorizedAccountCount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetAuthorizedAccountRange is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2d6e5715.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getAuthorizedAccountRange(uint256 startIndex, uint256 endIndex) view returns(address[])
func (govCouncil *GovCouncil) PackGetAuthorizedAccountRange(startIndex *big.Int, endIndex *big.Int) []byte {
	enc, err := govCouncil.abi.Pack("getAuthorizedAccountRange", startIndex, endIndex)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetAuthorizedAccountRange is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x2d6e5715.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getAuthorizedAccountRange(uint256 startIndex, uint256 endIndex) view returns(address[])
func (govCouncil *GovCouncil) TryPackGetAuthorizedAccountRange(startIndex *big.Int, endIndex *big.Int) ([]byte, error) {
	return govCouncil.abi.Pack("getAuthorizedAccountRange", startIndex, endIndex)
}

// UnpackGetAuthorizedAccountRange is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x2d6e5715.
//
// Solidity: function getAuthorizedAccountRange(uint256 startIndex, uint256 endIndex) view returns(address[])
func (govCouncil *GovCouncil) UnpackGetAuthorizedAccountRange(data []byte) ([]common.Address, error) {
	out, err := govCouncil.abi.Unpack("getAuthorizedAccountRange", data)
	if err != nil {
		return *new([]common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new([]common.Address)).(*[]common.Address)
	return out0, nil
}

// PackGetBlacklistCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe860cb8f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getBlacklistCount() view returns(uint256)
func (govCouncil *GovCouncil) PackGetBlacklistCount() []byte {
	enc, err := govCouncil.abi.Pack("getBlacklistCount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetBlacklistCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe860cb8f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getBlacklistCount() view returns(uint256)
func (govCouncil *GovCouncil) TryPackGetBlacklistCount() ([]byte, error) {
	return govCouncil.abi.Pack("getBlacklistCount")
}

// UnpackGetBlacklistCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe860cb8f.
//
// Solidity: function getBlacklistCount() view returns(uint256)
func (govCouncil *GovCouncil) UnpackGetBlacklistCount(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("getBlacklistCount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetBlacklistRange is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x820706e4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getBlacklistRange(uint256 startIndex, uint256 endIndex) view returns(address[])
func (govCouncil *GovCouncil) PackGetBlacklistRange(startIndex *big.Int, endIndex *big.Int) []byte {
	enc, err := govCouncil.abi.Pack("getBlacklistRange", startIndex, endIndex)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetBlacklistRange is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x820706e4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getBlacklistRange(uint256 startIndex, uint256 endIndex) view returns(address[])
func (govCouncil *GovCouncil) TryPackGetBlacklistRange(startIndex *big.Int, endIndex *big.Int) ([]byte, error) {
	return govCouncil.abi.Pack("getBlacklistRange", startIndex, endIndex)
}

// UnpackGetBlacklistRange is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x820706e4.
//
// Solidity: function getBlacklistRange(uint256 startIndex, uint256 endIndex) view returns(address[])
func (govCouncil *GovCouncil) UnpackGetBlacklistRange(data []byte) ([]common.Address, error) {
	out, err := govCouncil.abi.Unpack("getBlacklistRange", data)
	if err != nil {
		return *new([]common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new([]common.Address)).(*[]common.Address)
	return out0, nil
}

// PackIsBlacklisted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfe575a87.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isBlacklisted(address account) view returns(bool)
func (govCouncil *GovCouncil) PackIsBlacklisted(account common.Address) []byte {
	enc, err := govCouncil.abi.Pack("isBlacklisted", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsBlacklisted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfe575a87.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isBlacklisted(address account) view returns(bool)
func (govCouncil *GovCouncil) TryPackIsBlacklisted(account common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("isBlacklisted", account)
}

// UnpackIsBlacklisted is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfe575a87.
//
// Solidity: function isBlacklisted(address account) view returns(bool)
func (govCouncil *GovCouncil) UnpackIsBlacklisted(data []byte) (bool, error) {
	out, err := govCouncil.abi.Unpack("isBlacklisted", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackProposeAddAuthorizedAccount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x93a8bb99.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeAddAuthorizedAccount(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeAddAuthorizedAccount(account common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeAddAuthorizedAccount", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeAddAuthorizedAccount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x93a8bb99.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeAddAuthorizedAccount(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeAddAuthorizedAccount(account common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeAddAuthorizedAccount", account)
}

// UnpackProposeAddAuthorizedAccount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x93a8bb99.
//
// Solidity: function proposeAddAuthorizedAccount(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeAddAuthorizedAccount(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeAddAuthorizedAccount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeAddAuthorizedAccountBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe0fccde8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeAddAuthorizedAccountBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeAddAuthorizedAccountBatch(accounts []common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeAddAuthorizedAccountBatch", accounts)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeAddAuthorizedAccountBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe0fccde8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeAddAuthorizedAccountBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeAddAuthorizedAccountBatch(accounts []common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeAddAuthorizedAccountBatch", accounts)
}

// UnpackProposeAddAuthorizedAccountBatch is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe0fccde8.
//
// Solidity: function proposeAddAuthorizedAccountBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeAddAuthorizedAccountBatch(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeAddAuthorizedAccountBatch", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeAddBlacklist is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d321273.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeAddBlacklist(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeAddBlacklist(account common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeAddBlacklist", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeAddBlacklist is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d321273.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeAddBlacklist(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeAddBlacklist(account common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeAddBlacklist", account)
}

// UnpackProposeAddBlacklist is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0d321273.
//
// Solidity: function proposeAddBlacklist(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeAddBlacklist(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeAddBlacklist", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeAddBlacklistBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xce236ec4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeAddBlacklistBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeAddBlacklistBatch(accounts []common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeAddBlacklistBatch", accounts)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeAddBlacklistBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xce236ec4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeAddBlacklistBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeAddBlacklistBatch(accounts []common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeAddBlacklistBatch", accounts)
}

// UnpackProposeAddBlacklistBatch is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xce236ec4.
//
// Solidity: function proposeAddBlacklistBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeAddBlacklistBatch(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeAddBlacklistBatch", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeRemoveAuthorizedAccount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcf44550e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeRemoveAuthorizedAccount(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeRemoveAuthorizedAccount(account common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeRemoveAuthorizedAccount", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeRemoveAuthorizedAccount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcf44550e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeRemoveAuthorizedAccount(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeRemoveAuthorizedAccount(account common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeRemoveAuthorizedAccount", account)
}

// UnpackProposeRemoveAuthorizedAccount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xcf44550e.
//
// Solidity: function proposeRemoveAuthorizedAccount(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeRemoveAuthorizedAccount(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeRemoveAuthorizedAccount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeRemoveAuthorizedAccountBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5216de37.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeRemoveAuthorizedAccountBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeRemoveAuthorizedAccountBatch(accounts []common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeRemoveAuthorizedAccountBatch", accounts)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeRemoveAuthorizedAccountBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5216de37.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeRemoveAuthorizedAccountBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeRemoveAuthorizedAccountBatch(accounts []common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeRemoveAuthorizedAccountBatch", accounts)
}

// UnpackProposeRemoveAuthorizedAccountBatch is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5216de37.
//
// Solidity: function proposeRemoveAuthorizedAccountBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeRemoveAuthorizedAccountBatch(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeRemoveAuthorizedAccountBatch", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeRemoveBlacklist is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3d4c0452.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeRemoveBlacklist(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeRemoveBlacklist(account common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeRemoveBlacklist", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeRemoveBlacklist is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3d4c0452.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeRemoveBlacklist(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeRemoveBlacklist(account common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeRemoveBlacklist", account)
}

// UnpackProposeRemoveBlacklist is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3d4c0452.
//
// Solidity: function proposeRemoveBlacklist(address account) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeRemoveBlacklist(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeRemoveBlacklist", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeRemoveBlacklistBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x911ad022.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeRemoveBlacklistBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) PackProposeRemoveBlacklistBatch(accounts []common.Address) []byte {
	enc, err := govCouncil.abi.Pack("proposeRemoveBlacklistBatch", accounts)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeRemoveBlacklistBatch is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x911ad022.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeRemoveBlacklistBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) TryPackProposeRemoveBlacklistBatch(accounts []common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("proposeRemoveBlacklistBatch", accounts)
}

// UnpackProposeRemoveBlacklistBatch is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x911ad022.
//
// Solidity: function proposeRemoveBlacklistBatch(address[] accounts) returns(uint256 proposalId)
func (govCouncil *GovCouncil) UnpackProposeRemoveBlacklistBatch(data []byte) (*big.Int, error) {
	out, err := govCouncil.abi.Unpack("proposeRemoveBlacklistBatch", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// GovMasterMinterMetaData contains all meta data concerning the GovMasterMinter contract.
var GovMasterMinterMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"getAllMinters\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"minters\",\"type\":\"address[]\"},{\"internalType\":\"uint256[]\",\"name\":\"allowances\",\"type\":\"uint256[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"maxMinterAllowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"minterAllowedAmount\",\"type\":\"uint256\"}],\"name\":\"proposeConfigureMinter\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"}],\"name\":\"proposeRemoveMinter\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"newLimit\",\"type\":\"uint256\"}],\"name\":\"proposeUpdateMaxMinterAllowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "GovMasterMinter",
}

// GovMasterMinter is an auto generated Go binding around an Ethereum contract.
type GovMasterMinter struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *GovMasterMinter) GetABI() abi.ABI {
	return c.abi
}

// NewGovMasterMinter creates a new instance of GovMasterMinter.
func NewGovMasterMinter() *GovMasterMinter {
	parsed, err := GovMasterMinterMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &GovMasterMinter{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *GovMasterMinter) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackGetAllMinters is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa045442c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getAllMinters() view returns(address[] minters, uint256[] allowances)
func (govMasterMinter *GovMasterMinter) PackGetAllMinters() []byte {
	enc, err := govMasterMinter.abi.Pack("getAllMinters")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetAllMinters is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa045442c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getAllMinters() view returns(address[] minters, uint256[] allowances)
func (govMasterMinter *GovMasterMinter) TryPackGetAllMinters() ([]byte, error) {
	return govMasterMinter.abi.Pack("getAllMinters")
}

// GetAllMintersOutput serves as a container for the return parameters of contract
// method GetAllMinters.
type GetAllMintersOutput struct {
	Minters    []common.Address
	Allowances []*big.Int
}

// UnpackGetAllMinters is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa045442c.
//
// Solidity: function getAllMinters() view returns(address[] minters, uint256[] allowances)
func (govMasterMinter *GovMasterMinter) UnpackGetAllMinters(data []byte) (GetAllMintersOutput, error) {
	out, err := govMasterMinter.abi.Unpack("getAllMinters", data)
	outstruct := new(GetAllMintersOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Minters = *abi.ConvertType(out[0], new([]common.Address)).(*[]common.Address)
	outstruct.Allowances = *abi.ConvertType(out[1], new([]*big.Int)).(*[]*big.Int)
	return *outstruct, nil
}

// PackMaxMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc0a2344f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function maxMinterAllowance() view returns(uint256)
func (govMasterMinter *GovMasterMinter) PackMaxMinterAllowance() []byte {
	enc, err := govMasterMinter.abi.Pack("maxMinterAllowance")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMaxMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc0a2344f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function maxMinterAllowance() view returns(uint256)
func (govMasterMinter *GovMasterMinter) TryPackMaxMinterAllowance() ([]byte, error) {
	return govMasterMinter.abi.Pack("maxMinterAllowance")
}

// UnpackMaxMinterAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc0a2344f.
//
// Solidity: function maxMinterAllowance() view returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackMaxMinterAllowance(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("maxMinterAllowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeConfigureMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x898420a9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeConfigureMinter(address minter, uint256 minterAllowedAmount) returns(uint256)
func (govMasterMinter *GovMasterMinter) PackProposeConfigureMinter(minter common.Address, minterAllowedAmount *big.Int) []byte {
	enc, err := govMasterMinter.abi.Pack("proposeConfigureMinter", minter, minterAllowedAmount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeConfigureMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x898420a9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeConfigureMinter(address minter, uint256 minterAllowedAmount) returns(uint256)
func (govMasterMinter *GovMasterMinter) TryPackProposeConfigureMinter(minter common.Address, minterAllowedAmount *big.Int) ([]byte, error) {
	return govMasterMinter.abi.Pack("proposeConfigureMinter", minter, minterAllowedAmount)
}

// UnpackProposeConfigureMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x898420a9.
//
// Solidity: function proposeConfigureMinter(address minter, uint256 minterAllowedAmount) returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackProposeConfigureMinter(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("proposeConfigureMinter", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeRemoveMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x93364117.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeRemoveMinter(address minter) returns(uint256)
func (govMasterMinter *GovMasterMinter) PackProposeRemoveMinter(minter common.Address) []byte {
	enc, err := govMasterMinter.abi.Pack("proposeRemoveMinter", minter)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeRemoveMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x93364117.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeRemoveMinter(address minter) returns(uint256)
func (govMasterMinter *GovMasterMinter) TryPackProposeRemoveMinter(minter common.Address) ([]byte, error) {
	return govMasterMinter.abi.Pack("proposeRemoveMinter", minter)
}

// UnpackProposeRemoveMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x93364117.
//
// Solidity: function proposeRemoveMinter(address minter) returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackProposeRemoveMinter(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("proposeRemoveMinter", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeUpdateMaxMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd3261855.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeUpdateMaxMinterAllowance(uint256 newLimit) returns(uint256)
func (govMasterMinter *GovMasterMinter) PackProposeUpdateMaxMinterAllowance(newLimit *big.Int) []byte {
	enc, err := govMasterMinter.abi.Pack("proposeUpdateMaxMinterAllowance", newLimit)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeUpdateMaxMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd3261855.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeUpdateMaxMinterAllowance(uint256 newLimit) returns(uint256)
func (govMasterMinter *GovMasterMinter) TryPackProposeUpdateMaxMinterAllowance(newLimit *big.Int) ([]byte, error) {
	return govMasterMinter.abi.Pack("proposeUpdateMaxMinterAllowance", newLimit)
}

// UnpackProposeUpdateMaxMinterAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd3261855.
//
// Solidity: function proposeUpdateMaxMinterAllowance(uint256 newLimit) returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackProposeUpdateMaxMinterAllowance(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("proposeUpdateMaxMinterAllowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// GovMinterMetaData contains all meta data concerning the GovMinter contract.
var GovMinterMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"claimBurnRefund\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"emergencyPaused\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"proofData\",\"type\":\"bytes\"}],\"name\":\"proposeBurn\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"proofData\",\"type\":\"bytes\"}],\"name\":\"proposeMint\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposePause\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposeUnpause\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"reservedMintAmount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
	ID:  "GovMinter",
}

// GovMinter is an auto generated Go binding around an Ethereum contract.
type GovMinter struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *GovMinter) GetABI() abi.ABI {
	return c.abi
}

// NewGovMinter creates a new instance of GovMinter.
func NewGovMinter() *GovMinter {
	parsed, err := GovMinterMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &GovMinter{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *GovMinter) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackClaimBurnRefund is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x936834b9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function claimBurnRefund() returns()
func (govMinter *GovMinter) PackClaimBurnRefund() []byte {
	enc, err := govMinter.abi.Pack("claimBurnRefund")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackClaimBurnRefund is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x936834b9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function claimBurnRefund() returns()
func (govMinter *GovMinter) TryPackClaimBurnRefund() ([]byte, error) {
	return govMinter.abi.Pack("claimBurnRefund")
}

// PackEmergencyPaused is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x27c830a9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function emergencyPaused() view returns(bool)
func (govMinter *GovMinter) PackEmergencyPaused() []byte {
	enc, err := govMinter.abi.Pack("emergencyPaused")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackEmergencyPaused is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x27c830a9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function emergencyPaused() view returns(bool)
func (govMinter *GovMinter) TryPackEmergencyPaused() ([]byte, error) {
	return govMinter.abi.Pack("emergencyPaused")
}

// UnpackEmergencyPaused is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x27c830a9.
//
// Solidity: function emergencyPaused() view returns(bool)
func (govMinter *GovMinter) UnpackEmergencyPaused(data []byte) (bool, error) {
	out, err := govMinter.abi.Unpack("emergencyPaused", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackProposeBurn is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x64e2a8fc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeBurn(bytes proofData) payable returns(uint256)
func (govMinter *GovMinter) PackProposeBurn(proofData []byte) []byte {
	enc, err := govMinter.abi.Pack("proposeBurn", proofData)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeBurn is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x64e2a8fc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeBurn(bytes proofData) payable returns(uint256)
func (govMinter *GovMinter) TryPackProposeBurn(proofData []byte) ([]byte, error) {
	return govMinter.abi.Pack("proposeBurn", proofData)
}

// UnpackProposeBurn is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x64e2a8fc.
//
// Solidity: function proposeBurn(bytes proofData) payable returns(uint256)
func (govMinter *GovMinter) UnpackProposeBurn(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("proposeBurn", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1e5e0426.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeMint(bytes proofData) returns(uint256)
func (govMinter *GovMinter) PackProposeMint(proofData []byte) []byte {
	enc, err := govMinter.abi.Pack("proposeMint", proofData)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1e5e0426.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeMint(bytes proofData) returns(uint256)
func (govMinter *GovMinter) TryPackProposeMint(proofData []byte) ([]byte, error) {
	return govMinter.abi.Pack("proposeMint", proofData)
}

// UnpackProposeMint is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x1e5e0426.
//
// Solidity: function proposeMint(bytes proofData) returns(uint256)
func (govMinter *GovMinter) UnpackProposeMint(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("proposeMint", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposePause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfffa080a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposePause() returns(uint256)
func (govMinter *GovMinter) PackProposePause() []byte {
	enc, err := govMinter.abi.Pack("proposePause")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposePause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfffa080a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposePause() returns(uint256)
func (govMinter *GovMinter) TryPackProposePause() ([]byte, error) {
	return govMinter.abi.Pack("proposePause")
}

// UnpackProposePause is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfffa080a.
//
// Solidity: function proposePause() returns(uint256)
func (govMinter *GovMinter) UnpackProposePause(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("proposePause", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeUnpause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfae8a3d6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeUnpause() returns(uint256)
func (govMinter *GovMinter) PackProposeUnpause() []byte {
	enc, err := govMinter.abi.Pack("proposeUnpause")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeUnpause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfae8a3d6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeUnpause() returns(uint256)
func (govMinter *GovMinter) TryPackProposeUnpause() ([]byte, error) {
	return govMinter.abi.Pack("proposeUnpause")
}

// UnpackProposeUnpause is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfae8a3d6.
//
// Solidity: function proposeUnpause() returns(uint256)
func (govMinter *GovMinter) UnpackProposeUnpause(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("proposeUnpause", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackReservedMintAmount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8bbd935d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function reservedMintAmount() view returns(uint256)
func (govMinter *GovMinter) PackReservedMintAmount() []byte {
	enc, err := govMinter.abi.Pack("reservedMintAmount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReservedMintAmount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8bbd935d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function reservedMintAmount() view returns(uint256)
func (govMinter *GovMinter) TryPackReservedMintAmount() ([]byte, error) {
	return govMinter.abi.Pack("reservedMintAmount")
}

// UnpackReservedMintAmount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8bbd935d.
//
// Solidity: function reservedMintAmount() view returns(uint256)
func (govMinter *GovMinter) UnpackReservedMintAmount(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("reservedMintAmount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// GovValidatorMetaData contains all meta data concerning the GovValidator contract.
var GovValidatorMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"address\",\"name\":\"_newValidator\",\"type\":\"address\"},{\"internalType\":\"bytes\",\"name\":\"_blsKey\",\"type\":\"bytes\"},{\"internalType\":\"bytes\",\"name\":\"_blsSig\",\"type\":\"bytes\"}],\"name\":\"configureValidator\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"gasTip\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"operatorToValidator\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"_newTip\",\"type\":\"uint256\"}],\"name\":\"proposeGasTip\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"validatorList\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"validatorToBlsKey\",\"outputs\":[{\"internalType\":\"bytes\",\"name\":\"\",\"type\":\"bytes\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"validatorToOperator\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
	ID:  "GovValidator",
}

// GovValidator is an auto generated Go binding around an Ethereum contract.
type GovValidator struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *GovValidator) GetABI() abi.ABI {
	return c.abi
}

// NewGovValidator creates a new instance of GovValidator.
func NewGovValidator() *GovValidator {
	parsed, err := GovValidatorMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &GovValidator{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *GovValidator) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConfigureValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x76b82623.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function configureValidator(address _newValidator, bytes _blsKey, bytes _blsSig) returns()
func (govValidator *GovValidator) PackConfigureValidator(newValidator common.Address, blsKey []byte, blsSig []byte) []byte {
	enc, err := govValidator.abi.Pack("configureValidator", newValidator, blsKey, blsSig)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackConfigureValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x76b82623.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function configureValidator(address _newValidator, bytes _blsKey, bytes _blsSig) returns()
func (govValidator *GovValidator) TryPackConfigureValidator(newValidator common.Address, blsKey []byte, blsSig []byte) ([]byte, error) {
	return govValidator.abi.Pack("configureValidator", newValidator, blsKey, blsSig)
}

// PackGasTip is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa6f324f2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function gasTip() view returns(uint256)
func (govValidator *GovValidator) PackGasTip() []byte {
	enc, err := govValidator.abi.Pack("gasTip")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGasTip is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa6f324f2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function gasTip() view returns(uint256)
func (govValidator *GovValidator) TryPackGasTip() ([]byte, error) {
	return govValidator.abi.Pack("gasTip")
}

// UnpackGasTip is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa6f324f2.
//
// Solidity: function gasTip() view returns(uint256)
func (govValidator *GovValidator) UnpackGasTip(data []byte) (*big.Int, error) {
	out, err := govValidator.abi.Unpack("gasTip", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackOperatorToValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe14a9da6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function operatorToValidator(address ) view returns(address)
func (govValidator *GovValidator) PackOperatorToValidator(arg0 common.Address) []byte {
	enc, err := govValidator.abi.Pack("operatorToValidator", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackOperatorToValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe14a9da6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function operatorToValidator(address ) view returns(address)
func (govValidator *GovValidator) TryPackOperatorToValidator(arg0 common.Address) ([]byte, error) {
	return govValidator.abi.Pack("operatorToValidator", arg0)
}

// UnpackOperatorToValidator is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe14a9da6.
//
// Solidity: function operatorToValidator(address ) view returns(address)
func (govValidator *GovValidator) UnpackOperatorToValidator(data []byte) (common.Address, error) {
	out, err := govValidator.abi.Unpack("operatorToValidator", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackProposeGasTip is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeeaf6816.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeGasTip(uint256 _newTip) returns(uint256)
func (govValidator *GovValidator) PackProposeGasTip(newTip *big.Int) []byte {
	enc, err := govValidator.abi.Pack("proposeGasTip", newTip)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeGasTip is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeeaf6816.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeGasTip(uint256 _newTip) returns(uint256)
func (govValidator *GovValidator) TryPackProposeGasTip(newTip *big.Int) ([]byte, error) {
	return govValidator.abi.Pack("proposeGasTip", newTip)
}

// UnpackProposeGasTip is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xeeaf6816.
//
// Solidity: function proposeGasTip(uint256 _newTip) returns(uint256)
func (govValidator *GovValidator) UnpackProposeGasTip(data []byte) (*big.Int, error) {
	out, err := govValidator.abi.Unpack("proposeGasTip", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackValidatorList is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5890ef79.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function validatorList() view returns(address[])
func (govValidator *GovValidator) PackValidatorList() []byte {
	enc, err := govValidator.abi.Pack("validatorList")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackValidatorList is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5890ef79.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function validatorList() view returns(address[])
func (govValidator *GovValidator) TryPackValidatorList() ([]byte, error) {
	return govValidator.abi.Pack("validatorList")
}

// UnpackValidatorList is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5890ef79.
//
// Solidity: function validatorList() view returns(address[])
func (govValidator *GovValidator) UnpackValidatorList(data []byte) ([]common.Address, error) {
	out, err := govValidator.abi.Unpack("validatorList", data)
	if err != nil {
		return *new([]common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new([]common.Address)).(*[]common.Address)
	return out0, nil
}

// PackValidatorToBlsKey is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a78608.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function validatorToBlsKey(address ) view returns(bytes)
func (govValidator *GovValidator) PackValidatorToBlsKey(arg0 common.Address) []byte {
	enc, err := govValidator.abi.Pack("validatorToBlsKey", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackValidatorToBlsKey is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a78608.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function validatorToBlsKey(address ) view returns(bytes)
func (govValidator *GovValidator) TryPackValidatorToBlsKey(arg0 common.Address) ([]byte, error) {
	return govValidator.abi.Pack("validatorToBlsKey", arg0)
}

// UnpackValidatorToBlsKey is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70a78608.
//
// Solidity: function validatorToBlsKey(address ) view returns(bytes)
func (govValidator *GovValidator) UnpackValidatorToBlsKey(data []byte) ([]byte, error) {
	out, err := govValidator.abi.Unpack("validatorToBlsKey", data)
	if err != nil {
		return *new([]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([]byte)).(*[]byte)
	return out0, nil
}

// PackValidatorToOperator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x35efc734.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function validatorToOperator(address ) view returns(address)
func (govValidator *GovValidator) PackValidatorToOperator(arg0 common.Address) []byte {
	enc, err := govValidator.abi.Pack("validatorToOperator", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackValidatorToOperator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x35efc734.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function validatorToOperator(address ) view returns(address)
func (govValidator *GovValidator) TryPackValidatorToOperator(arg0 common.Address) ([]byte, error) {
	return govValidator.abi.Pack("validatorToOperator", arg0)
}

// UnpackValidatorToOperator is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x35efc734.
//
// Solidity: function validatorToOperator(address ) view returns(address)
func (govValidator *GovValidator) UnpackValidatorToOperator(data []byte) (common.Address, error) {
	out, err := govValidator.abi.Unpack("validatorToOperator", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// GovernanceMetaData contains all meta data concerning the Governance contract.
var GovernanceMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"approveProposal\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"canExecuteProposal\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"result\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"attemptsLeft\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"cancelProposal\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newMember\",\"type\":\"address\"}],\"name\":\"changeMember\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"currentProposalId\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"disapproveProposal\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"executeProposal\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"executeWithFailure\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"expireProposal\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"success\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"targetVersion\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"getMemberAt\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"targetVersion\",\"type\":\"uint256\"}],\"name\":\"getMemberCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"getProposal\",\"outputs\":[{\"components\":[{\"internalType\":\"bytes32\",\"name\":\"actionType\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"memberVersion\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"votedBitmap\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"createdAt\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"executedAt\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"proposer\",\"type\":\"address\"},{\"internalType\":\"uint32\",\"name\":\"requiredApprovals\",\"type\":\"uint32\"},{\"internalType\":\"uint32\",\"name\":\"approved\",\"type\":\"uint32\"},{\"internalType\":\"uint32\",\"name\":\"rejected\",\"type\":\"uint32\"},{\"internalType\":\"enumGovBase.ProposalStatus\",\"name\":\"status\",\"type\":\"uint8\"},{\"internalType\":\"bytes\",\"name\":\"callData\",\"type\":\"bytes\"}],\"internalType\":\"structGovBase.Proposal\",\"name\":\"\",\"type\":\"tuple\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"maxActiveProposalsPerMember\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"memberVersion\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposalExpiry\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newMember\",\"type\":\"address\"},{\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"proposeAddMember\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"newMax\",\"type\":\"uint256\"}],\"name\":\"proposeChangeMaxProposals\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"proposeChangeQuorum\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"proposeRemoveMember\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"quorum\",\"outputs\":[{\"internalType\":\"uint32\",\"name\":\"\",\"type\":\"uint32\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
	ID:  "Governance",
}

// Governance is an auto generated Go binding around an Ethereum contract.
type Governance struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *Governance) GetABI() abi.ABI {
	return c.abi
}

// NewGovernance creates a new instance of Governance.
func NewGovernance() *Governance {
	parsed, err := GovernanceMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Governance{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Governance) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackApproveProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x98951b56.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function approveProposal(uint256 proposalId) returns()
func (governance *Governance) PackApproveProposal(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("approveProposal", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackApproveProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x98951b56.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function approveProposal(uint256 proposalId) returns()
func (governance *Governance) TryPackApproveProposal(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("approveProposal", proposalId)
}

// PackCanExecuteProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x824ea8ed.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function canExecuteProposal(uint256 proposalId) view returns(uint8 result, uint256 attemptsLeft)
func (governance *Governance) PackCanExecuteProposal(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("canExecuteProposal", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCanExecuteProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x824ea8ed.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function canExecuteProposal(uint256 proposalId) view returns(uint8 result, uint256 attemptsLeft)
func (governance *Governance) TryPackCanExecuteProposal(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("canExecuteProposal", proposalId)
}

// CanExecuteProposalOutput serves as a container for the return parameters of contract
// method CanExecuteProposal.
type CanExecuteProposalOutput struct {
	Result       uint8
	AttemptsLeft *big.Int
}

// UnpackCanExecuteProposal is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x824ea8ed.
//
// Solidity: function canExecuteProposal(uint256 proposalId) view returns(uint8 result, uint256 attemptsLeft)
func (governance *Governance) UnpackCanExecuteProposal(data []byte) (CanExecuteProposalOutput, error) {
	out, err := governance.abi.Unpack("canExecuteProposal", data)
	outstruct := new(CanExecuteProposalOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Result = *abi.ConvertType(out[0], new(uint8)).(*uint8)
	outstruct.AttemptsLeft = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackCancelProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe0a8f6f5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function cancelProposal(uint256 proposalId) returns()
func (governance *Governance) PackCancelProposal(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("cancelProposal", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCancelProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe0a8f6f5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function cancelProposal(uint256 proposalId) returns()
func (governance *Governance) TryPackCancelProposal(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("cancelProposal", proposalId)
}

// PackChangeMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x63869328.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function changeMember(address newMember) returns()
func (governance *Governance) PackChangeMember(newMember common.Address) []byte {
	enc, err := governance.abi.Pack("changeMember", newMember)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackChangeMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x63869328.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function changeMember(address newMember) returns()
func (governance *Governance) TryPackChangeMember(newMember common.Address) ([]byte, error) {
	return governance.abi.Pack("changeMember", newMember)
}

// PackCurrentProposalId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfeac729d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currentProposalId() view returns(uint256)
func (governance *Governance) PackCurrentProposalId() []byte {
	enc, err := governance.abi.Pack("currentProposalId")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrentProposalId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfeac729d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currentProposalId() view returns(uint256)
func (governance *Governance) TryPackCurrentProposalId() ([]byte, error) {
	return governance.abi.Pack("currentProposalId")
}

// UnpackCurrentProposalId is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfeac729d.
//
// Solidity: function currentProposalId() view returns(uint256)
func (governance *Governance) UnpackCurrentProposalId(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("currentProposalId", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackDisapproveProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc8541fe0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function disapproveProposal(uint256 proposalId) returns()
func (governance *Governance) PackDisapproveProposal(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("disapproveProposal", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDisapproveProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc8541fe0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function disapproveProposal(uint256 proposalId) returns()
func (governance *Governance) TryPackDisapproveProposal(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("disapproveProposal", proposalId)
}

// PackExecuteProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d61b519.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function executeProposal(uint256 proposalId) returns(bool)
func (governance *Governance) PackExecuteProposal(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("executeProposal", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackExecuteProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d61b519.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function executeProposal(uint256 proposalId) returns(bool)
func (governance *Governance) TryPackExecuteProposal(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("executeProposal", proposalId)
}

// UnpackExecuteProposal is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0d61b519.
//
// Solidity: function executeProposal(uint256 proposalId) returns(bool)
func (governance *Governance) UnpackExecuteProposal(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("executeProposal", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackExecuteWithFailure is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24b858c8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function executeWithFailure(uint256 proposalId) returns(bool)
func (governance *Governance) PackExecuteWithFailure(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("executeWithFailure", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackExecuteWithFailure is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x24b858c8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function executeWithFailure(uint256 proposalId) returns(bool)
func (governance *Governance) TryPackExecuteWithFailure(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("executeWithFailure", proposalId)
}

// UnpackExecuteWithFailure is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x24b858c8.
//
// Solidity: function executeWithFailure(uint256 proposalId) returns(bool)
func (governance *Governance) UnpackExecuteWithFailure(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("executeWithFailure", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackExpireProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe1b526b0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function expireProposal(uint256 proposalId) returns(bool success)
func (governance *Governance) PackExpireProposal(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("expireProposal", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackExpireProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe1b526b0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function expireProposal(uint256 proposalId) returns(bool success)
func (governance *Governance) TryPackExpireProposal(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("expireProposal", proposalId)
}

// UnpackExpireProposal is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe1b526b0.
//
// Solidity: function expireProposal(uint256 proposalId) returns(bool success)
func (governance *Governance) UnpackExpireProposal(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("expireProposal", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackGetMemberAt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x20a30268.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMemberAt(uint256 targetVersion, uint256 index) view returns(address)
func (governance *Governance) PackGetMemberAt(targetVersion *big.Int, index *big.Int) []byte {
	enc, err := governance.abi.Pack("getMemberAt", targetVersion, index)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMemberAt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x20a30268.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMemberAt(uint256 targetVersion, uint256 index) view returns(address)
func (governance *Governance) TryPackGetMemberAt(targetVersion *big.Int, index *big.Int) ([]byte, error) {
	return governance.abi.Pack("getMemberAt", targetVersion, index)
}

// UnpackGetMemberAt is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x20a30268.
//
// Solidity: function getMemberAt(uint256 targetVersion, uint256 index) view returns(address)
func (governance *Governance) UnpackGetMemberAt(data []byte) (common.Address, error) {
	out, err := governance.abi.Unpack("getMemberAt", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackGetMemberCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5ce9284f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMemberCount(uint256 targetVersion) view returns(uint256)
func (governance *Governance) PackGetMemberCount(targetVersion *big.Int) []byte {
	enc, err := governance.abi.Pack("getMemberCount", targetVersion)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMemberCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5ce9284f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMemberCount(uint256 targetVersion) view returns(uint256)
func (governance *Governance) TryPackGetMemberCount(targetVersion *big.Int) ([]byte, error) {
	return governance.abi.Pack("getMemberCount", targetVersion)
}

// UnpackGetMemberCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5ce9284f.
//
// Solidity: function getMemberCount(uint256 targetVersion) view returns(uint256)
func (governance *Governance) UnpackGetMemberCount(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("getMemberCount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc7f758a8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getProposal(uint256 proposalId) view returns((bytes32,uint256,uint256,uint256,uint256,address,uint32,uint32,uint32,uint8,bytes))
func (governance *Governance) PackGetProposal(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("getProposal", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc7f758a8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getProposal(uint256 proposalId) view returns((bytes32,uint256,uint256,uint256,uint256,address,uint32,uint32,uint32,uint8,bytes))
func (governance *Governance) TryPackGetProposal(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("getProposal", proposalId)
}

// UnpackGetProposal is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc7f758a8.
//
// Solidity: function getProposal(uint256 proposalId) view returns((bytes32,uint256,uint256,uint256,uint256,address,uint32,uint32,uint32,uint8,bytes))
func (governance *Governance) UnpackGetProposal(data []byte) (GovBaseProposal, error) {
	out, err := governance.abi.Unpack("getProposal", data)
	if err != nil {
		return *new(GovBaseProposal), err
	}
	out0 := *abi.ConvertType(out[0], new(GovBaseProposal)).(*GovBaseProposal)
	return out0, nil
}

// PackMaxActiveProposalsPerMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0e12ebd7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function maxActiveProposalsPerMember() view returns(uint256)
func (governance *Governance) PackMaxActiveProposalsPerMember() []byte {
	enc, err := governance.abi.Pack("maxActiveProposalsPerMember")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMaxActiveProposalsPerMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0e12ebd7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function maxActiveProposalsPerMember() view returns(uint256)
func (governance *Governance) TryPackMaxActiveProposalsPerMember() ([]byte, error) {
	return governance.abi.Pack("maxActiveProposalsPerMember")
}

// UnpackMaxActiveProposalsPerMember is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0e12ebd7.
//
// Solidity: function maxActiveProposalsPerMember() view returns(uint256)
func (governance *Governance) UnpackMaxActiveProposalsPerMember(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("maxActiveProposalsPerMember", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMemberVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6ad89315.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function memberVersion() view returns(uint256)
func (governance *Governance) PackMemberVersion() []byte {
	enc, err := governance.abi.Pack("memberVersion")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMemberVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6ad89315.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function memberVersion() view returns(uint256)
func (governance *Governance) TryPackMemberVersion() ([]byte, error) {
	return governance.abi.Pack("memberVersion")
}

// UnpackMemberVersion is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6ad89315.
//
// Solidity: function memberVersion() view returns(uint256)
func (governance *Governance) UnpackMemberVersion(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("memberVersion", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposalExpiry is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7f4b33e9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposalExpiry() view returns(uint256)
func (governance *Governance) PackProposalExpiry() []byte {
	enc, err := governance.abi.Pack("proposalExpiry")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposalExpiry is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7f4b33e9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposalExpiry() view returns(uint256)
func (governance *Governance) TryPackProposalExpiry() ([]byte, error) {
	return governance.abi.Pack("proposalExpiry")
}

// UnpackProposalExpiry is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7f4b33e9.
//
// Solidity: function proposalExpiry() view returns(uint256)
func (governance *Governance) UnpackProposalExpiry(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("proposalExpiry", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeAddMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c646aa6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeAddMember(address newMember, uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) PackProposeAddMember(newMember common.Address, newQuorum uint32) []byte {
	enc, err := governance.abi.Pack("proposeAddMember", newMember, newQuorum)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeAddMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c646aa6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeAddMember(address newMember, uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) TryPackProposeAddMember(newMember common.Address, newQuorum uint32) ([]byte, error) {
	return governance.abi.Pack("proposeAddMember", newMember, newQuorum)
}

// UnpackProposeAddMember is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5c646aa6.
//
// Solidity: function proposeAddMember(address newMember, uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) UnpackProposeAddMember(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("proposeAddMember", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeChangeMaxProposals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa67bdb91.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeChangeMaxProposals(uint256 newMax) returns(uint256 proposalId)
func (governance *Governance) PackProposeChangeMaxProposals(newMax *big.Int) []byte {
	enc, err := governance.abi.Pack("proposeChangeMaxProposals", newMax)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeChangeMaxProposals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa67bdb91.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeChangeMaxProposals(uint256 newMax) returns(uint256 proposalId)
func (governance *Governance) TryPackProposeChangeMaxProposals(newMax *big.Int) ([]byte, error) {
	return governance.abi.Pack("proposeChangeMaxProposals", newMax)
}

// UnpackProposeChangeMaxProposals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa67bdb91.
//
// Solidity: function proposeChangeMaxProposals(uint256 newMax) returns(uint256 proposalId)
func (governance *Governance) UnpackProposeChangeMaxProposals(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("proposeChangeMaxProposals", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeChangeQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9d497366.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeChangeQuorum(uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) PackProposeChangeQuorum(newQuorum uint32) []byte {
	enc, err := governance.abi.Pack("proposeChangeQuorum", newQuorum)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeChangeQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9d497366.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeChangeQuorum(uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) TryPackProposeChangeQuorum(newQuorum uint32) ([]byte, error) {
	return governance.abi.Pack("proposeChangeQuorum", newQuorum)
}

// UnpackProposeChangeQuorum is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x9d497366.
//
// Solidity: function proposeChangeQuorum(uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) UnpackProposeChangeQuorum(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("proposeChangeQuorum", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackProposeRemoveMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbfbd7f4c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeRemoveMember(address member, uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) PackProposeRemoveMember(member common.Address, newQuorum uint32) []byte {
	enc, err := governance.abi.Pack("proposeRemoveMember", member, newQuorum)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposeRemoveMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbfbd7f4c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposeRemoveMember(address member, uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) TryPackProposeRemoveMember(member common.Address, newQuorum uint32) ([]byte, error) {
	return governance.abi.Pack("proposeRemoveMember", member, newQuorum)
}

// UnpackProposeRemoveMember is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xbfbd7f4c.
//
// Solidity: function proposeRemoveMember(address member, uint32 newQuorum) returns(uint256 proposalId)
func (governance *Governance) UnpackProposeRemoveMember(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("proposeRemoveMember", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1703a018.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function quorum() view returns(uint32)
func (governance *Governance) PackQuorum() []byte {
	enc, err := governance.abi.Pack("quorum")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1703a018.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function quorum() view returns(uint32)
func (governance *Governance) TryPackQuorum() ([]byte, error) {
	return governance.abi.Pack("quorum")
}

// UnpackQuorum is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x1703a018.
//
// Solidity: function quorum() view returns(uint32)
func (governance *Governance) UnpackQuorum(data []byte) (uint32, error) {
	out, err := governance.abi.Unpack("quorum", data)
	if err != nil {
		return *new(uint32), err
	}
	out0 := *abi.ConvertType(out[0], new(uint32)).(*uint32)
	return out0, nil
}

// NativeCoinAdapterMetaData contains all meta data concerning the NativeCoinAdapter contract.
var NativeCoinAdapterMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"_amount\",\"type\":\"uint256\"}],\"name\":\"burn\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"_to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"_amount\",\"type\":\"uint256\"}],\"name\":\"mint\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalSupply\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transfer\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "NativeCoinAdapter",
}

// NativeCoinAdapter is an auto generated Go binding around an Ethereum contract.
type NativeCoinAdapter struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *NativeCoinAdapter) GetABI() abi.ABI {
	return c.abi
}

// NewNativeCoinAdapter creates a new instance of NativeCoinAdapter.
func NewNativeCoinAdapter() *NativeCoinAdapter {
	parsed, err := NativeCoinAdapterMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &NativeCoinAdapter{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *NativeCoinAdapter) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackBurn is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x42966c68.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function burn(uint256 _amount) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackBurn(amount *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("burn", amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBurn is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x42966c68.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function burn(uint256 _amount) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackBurn(amount *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("burn", amount)
}

// PackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function mint(address _to, uint256 _amount) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackMint(to common.Address, amount *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("mint", to, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function mint(address _to, uint256 _amount) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackMint(to common.Address, amount *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("mint", to, amount)
}

// UnpackMint is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x40c10f19.
//
// Solidity: function mint(address _to, uint256 _amount) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackMint(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("mint", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalSupply() view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) PackTotalSupply() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("totalSupply")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalSupply() view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackTotalSupply() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("totalSupply")
}

// UnpackTotalSupply is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x18160ddd.
//
// Solidity: function totalSupply() view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackTotalSupply(data []byte) (*big.Int, error) {
	out, err := nativeCoinAdapter.abi.Unpack("totalSupply", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackTransfer(to common.Address, value *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("transfer", to, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackTransfer(to common.Address, value *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("transfer", to, value)
}

// UnpackTransfer is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa9059cbb.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackTransfer(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("transfer", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}
