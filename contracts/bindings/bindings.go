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
	ABI: "[{\"inputs\":[],\"name\":\"AddressAlreadyExists\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AddressNotFound\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AlreadyInAuthorizedAccountList\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AlreadyInBlacklist\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NotInAuthorizedAccountList\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NotInBlacklist\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroAddressNotAllowed\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"AddressBlacklisted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"AddressUnblacklisted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"AuthorizedAccountAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"AuthorizedAccountRemoved\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"reason\",\"type\":\"string\"}],\"name\":\"ProposalExecutionSkipped\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"ACTION_ADD_AUTHORIZED_ACCOUNT\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_ADD_BLACKLIST\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_ADD_BLACKLIST_BATCH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_REMOVE_AUTHORIZED_ACCOUNT\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_REMOVE_BLACKLIST\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_REMOVE_BLACKLIST_BATCH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getAllAuthorizedAccounts\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getAllBlacklisted\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"getAuthorizedAccountAddress\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getAuthorizedAccountCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"startIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endIndex\",\"type\":\"uint256\"}],\"name\":\"getAuthorizedAccountRange\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getBlacklistCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"startIndex\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"endIndex\",\"type\":\"uint256\"}],\"name\":\"getBlacklistRange\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"getBlacklistedAddress\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"isAuthorizedAccount\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"isBlacklisted\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeAddAuthorizedAccount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeAddAuthorizedAccountBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeAddBlacklist\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeAddBlacklistBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeRemoveAuthorizedAccount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeRemoveAuthorizedAccountBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"proposeRemoveBlacklist\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address[]\",\"name\":\"accounts\",\"type\":\"address[]\"}],\"name\":\"proposeRemoveBlacklistBatch\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
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

// PackACTIONADDAUTHORIZEDACCOUNT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6079a85a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_ADD_AUTHORIZED_ACCOUNT() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONADDAUTHORIZEDACCOUNT() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_ADD_AUTHORIZED_ACCOUNT")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONADDAUTHORIZEDACCOUNT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6079a85a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_ADD_AUTHORIZED_ACCOUNT() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONADDAUTHORIZEDACCOUNT() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_ADD_AUTHORIZED_ACCOUNT")
}

// UnpackACTIONADDAUTHORIZEDACCOUNT is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6079a85a.
//
// Solidity: function ACTION_ADD_AUTHORIZED_ACCOUNT() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONADDAUTHORIZEDACCOUNT(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_ADD_AUTHORIZED_ACCOUNT", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONADDAUTHORIZEDACCOUNTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x77989bac.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONADDAUTHORIZEDACCOUNTBATCH() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONADDAUTHORIZEDACCOUNTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x77989bac.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONADDAUTHORIZEDACCOUNTBATCH() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH")
}

// UnpackACTIONADDAUTHORIZEDACCOUNTBATCH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x77989bac.
//
// Solidity: function ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONADDAUTHORIZEDACCOUNTBATCH(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONADDBLACKLIST is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23e89096.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_ADD_BLACKLIST() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONADDBLACKLIST() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_ADD_BLACKLIST")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONADDBLACKLIST is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23e89096.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_ADD_BLACKLIST() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONADDBLACKLIST() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_ADD_BLACKLIST")
}

// UnpackACTIONADDBLACKLIST is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x23e89096.
//
// Solidity: function ACTION_ADD_BLACKLIST() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONADDBLACKLIST(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_ADD_BLACKLIST", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONADDBLACKLISTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc1b66bf2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_ADD_BLACKLIST_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONADDBLACKLISTBATCH() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_ADD_BLACKLIST_BATCH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONADDBLACKLISTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xc1b66bf2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_ADD_BLACKLIST_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONADDBLACKLISTBATCH() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_ADD_BLACKLIST_BATCH")
}

// UnpackACTIONADDBLACKLISTBATCH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xc1b66bf2.
//
// Solidity: function ACTION_ADD_BLACKLIST_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONADDBLACKLISTBATCH(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_ADD_BLACKLIST_BATCH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONREMOVEAUTHORIZEDACCOUNT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7a1d6734.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_REMOVE_AUTHORIZED_ACCOUNT() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONREMOVEAUTHORIZEDACCOUNT() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_REMOVE_AUTHORIZED_ACCOUNT")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONREMOVEAUTHORIZEDACCOUNT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7a1d6734.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_REMOVE_AUTHORIZED_ACCOUNT() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONREMOVEAUTHORIZEDACCOUNT() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_REMOVE_AUTHORIZED_ACCOUNT")
}

// UnpackACTIONREMOVEAUTHORIZEDACCOUNT is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7a1d6734.
//
// Solidity: function ACTION_REMOVE_AUTHORIZED_ACCOUNT() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONREMOVEAUTHORIZEDACCOUNT(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_REMOVE_AUTHORIZED_ACCOUNT", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONREMOVEAUTHORIZEDACCOUNTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd6491c55.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONREMOVEAUTHORIZEDACCOUNTBATCH() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONREMOVEAUTHORIZEDACCOUNTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd6491c55.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONREMOVEAUTHORIZEDACCOUNTBATCH() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH")
}

// UnpackACTIONREMOVEAUTHORIZEDACCOUNTBATCH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd6491c55.
//
// Solidity: function ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONREMOVEAUTHORIZEDACCOUNTBATCH(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONREMOVEBLACKLIST is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x94d11082.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_REMOVE_BLACKLIST() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONREMOVEBLACKLIST() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_REMOVE_BLACKLIST")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONREMOVEBLACKLIST is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x94d11082.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_REMOVE_BLACKLIST() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONREMOVEBLACKLIST() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_REMOVE_BLACKLIST")
}

// UnpackACTIONREMOVEBLACKLIST is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x94d11082.
//
// Solidity: function ACTION_REMOVE_BLACKLIST() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONREMOVEBLACKLIST(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_REMOVE_BLACKLIST", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONREMOVEBLACKLISTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbfdddcc2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_REMOVE_BLACKLIST_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) PackACTIONREMOVEBLACKLISTBATCH() []byte {
	enc, err := govCouncil.abi.Pack("ACTION_REMOVE_BLACKLIST_BATCH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONREMOVEBLACKLISTBATCH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbfdddcc2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_REMOVE_BLACKLIST_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) TryPackACTIONREMOVEBLACKLISTBATCH() ([]byte, error) {
	return govCouncil.abi.Pack("ACTION_REMOVE_BLACKLIST_BATCH")
}

// UnpackACTIONREMOVEBLACKLISTBATCH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xbfdddcc2.
//
// Solidity: function ACTION_REMOVE_BLACKLIST_BATCH() view returns(bytes32)
func (govCouncil *GovCouncil) UnpackACTIONREMOVEBLACKLISTBATCH(data []byte) ([32]byte, error) {
	out, err := govCouncil.abi.Unpack("ACTION_REMOVE_BLACKLIST_BATCH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackGetAllAuthorizedAccounts is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb7bb66d2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getAllAuthorizedAccounts() view returns(address[])
func (govCouncil *GovCouncil) PackGetAllAuthorizedAccounts() []byte {
	enc, err := govCouncil.abi.Pack("getAllAuthorizedAccounts")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetAllAuthorizedAccounts is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb7bb66d2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getAllAuthorizedAccounts() view returns(address[])
func (govCouncil *GovCouncil) TryPackGetAllAuthorizedAccounts() ([]byte, error) {
	return govCouncil.abi.Pack("getAllAuthorizedAccounts")
}

// UnpackGetAllAuthorizedAccounts is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xb7bb66d2.
//
// Solidity: function getAllAuthorizedAccounts() view returns(address[])
func (govCouncil *GovCouncil) UnpackGetAllAuthorizedAccounts(data []byte) ([]common.Address, error) {
	out, err := govCouncil.abi.Unpack("getAllAuthorizedAccounts", data)
	if err != nil {
		return *new([]common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new([]common.Address)).(*[]common.Address)
	return out0, nil
}

// PackGetAllBlacklisted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaffe1400.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getAllBlacklisted() view returns(address[])
func (govCouncil *GovCouncil) PackGetAllBlacklisted() []byte {
	enc, err := govCouncil.abi.Pack("getAllBlacklisted")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetAllBlacklisted is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaffe1400.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getAllBlacklisted() view returns(address[])
func (govCouncil *GovCouncil) TryPackGetAllBlacklisted() ([]byte, error) {
	return govCouncil.abi.Pack("getAllBlacklisted")
}

// UnpackGetAllBlacklisted is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xaffe1400.
//
// Solidity: function getAllBlacklisted() view returns(address[])
func (govCouncil *GovCouncil) UnpackGetAllBlacklisted(data []byte) ([]common.Address, error) {
	out, err := govCouncil.abi.Unpack("getAllBlacklisted", data)
	if err != nil {
		return *new([]common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new([]common.Address)).(*[]common.Address)
	return out0, nil
}

// PackGetAuthorizedAccountAddress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7f5d6dcc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getAuthorizedAccountAddress(uint256 index) view returns(address)
func (govCouncil *GovCouncil) PackGetAuthorizedAccountAddress(index *big.Int) []byte {
	enc, err := govCouncil.abi.Pack("getAuthorizedAccountAddress", index)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetAuthorizedAccountAddress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7f5d6dcc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getAuthorizedAccountAddress(uint256 index) view returns(address)
func (govCouncil *GovCouncil) TryPackGetAuthorizedAccountAddress(index *big.Int) ([]byte, error) {
	return govCouncil.abi.Pack("getAuthorizedAccountAddress", index)
}

// UnpackGetAuthorizedAccountAddress is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7f5d6dcc.
//
// Solidity: function getAuthorizedAccountAddress(uint256 index) view returns(address)
func (govCouncil *GovCouncil) UnpackGetAuthorizedAccountAddress(data []byte) (common.Address, error) {
	out, err := govCouncil.abi.Unpack("getAuthorizedAccountAddress", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
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

// PackGetBlacklistedAddress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb20ccd16.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getBlacklistedAddress(uint256 index) view returns(address)
func (govCouncil *GovCouncil) PackGetBlacklistedAddress(index *big.Int) []byte {
	enc, err := govCouncil.abi.Pack("getBlacklistedAddress", index)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetBlacklistedAddress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb20ccd16.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getBlacklistedAddress(uint256 index) view returns(address)
func (govCouncil *GovCouncil) TryPackGetBlacklistedAddress(index *big.Int) ([]byte, error) {
	return govCouncil.abi.Pack("getBlacklistedAddress", index)
}

// UnpackGetBlacklistedAddress is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xb20ccd16.
//
// Solidity: function getBlacklistedAddress(uint256 index) view returns(address)
func (govCouncil *GovCouncil) UnpackGetBlacklistedAddress(data []byte) (common.Address, error) {
	out, err := govCouncil.abi.Unpack("getBlacklistedAddress", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackIsAuthorizedAccount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84fd5477.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isAuthorizedAccount(address account) view returns(bool)
func (govCouncil *GovCouncil) PackIsAuthorizedAccount(account common.Address) []byte {
	enc, err := govCouncil.abi.Pack("isAuthorizedAccount", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsAuthorizedAccount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x84fd5477.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isAuthorizedAccount(address account) view returns(bool)
func (govCouncil *GovCouncil) TryPackIsAuthorizedAccount(account common.Address) ([]byte, error) {
	return govCouncil.abi.Pack("isAuthorizedAccount", account)
}

// UnpackIsAuthorizedAccount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x84fd5477.
//
// Solidity: function isAuthorizedAccount(address account) view returns(bool)
func (govCouncil *GovCouncil) UnpackIsAuthorizedAccount(data []byte) (bool, error) {
	out, err := govCouncil.abi.Unpack("isAuthorizedAccount", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
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

// GovCouncilAddressBlacklisted represents a AddressBlacklisted event raised by the GovCouncil contract.
type GovCouncilAddressBlacklisted struct {
	Account    common.Address
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovCouncilAddressBlacklistedEventName = "AddressBlacklisted"

// ContractEventName returns the user-defined event name.
func (GovCouncilAddressBlacklisted) ContractEventName() string {
	return GovCouncilAddressBlacklistedEventName
}

// UnpackAddressBlacklistedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event AddressBlacklisted(address indexed account, uint256 indexed proposalId)
func (govCouncil *GovCouncil) UnpackAddressBlacklistedEvent(log *types.Log) (*GovCouncilAddressBlacklisted, error) {
	event := "AddressBlacklisted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govCouncil.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovCouncilAddressBlacklisted)
	if len(log.Data) > 0 {
		if err := govCouncil.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govCouncil.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovCouncilAddressUnblacklisted represents a AddressUnblacklisted event raised by the GovCouncil contract.
type GovCouncilAddressUnblacklisted struct {
	Account    common.Address
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovCouncilAddressUnblacklistedEventName = "AddressUnblacklisted"

// ContractEventName returns the user-defined event name.
func (GovCouncilAddressUnblacklisted) ContractEventName() string {
	return GovCouncilAddressUnblacklistedEventName
}

// UnpackAddressUnblacklistedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event AddressUnblacklisted(address indexed account, uint256 indexed proposalId)
func (govCouncil *GovCouncil) UnpackAddressUnblacklistedEvent(log *types.Log) (*GovCouncilAddressUnblacklisted, error) {
	event := "AddressUnblacklisted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govCouncil.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovCouncilAddressUnblacklisted)
	if len(log.Data) > 0 {
		if err := govCouncil.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govCouncil.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovCouncilAuthorizedAccountAdded represents a AuthorizedAccountAdded event raised by the GovCouncil contract.
type GovCouncilAuthorizedAccountAdded struct {
	Account    common.Address
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovCouncilAuthorizedAccountAddedEventName = "AuthorizedAccountAdded"

// ContractEventName returns the user-defined event name.
func (GovCouncilAuthorizedAccountAdded) ContractEventName() string {
	return GovCouncilAuthorizedAccountAddedEventName
}

// UnpackAuthorizedAccountAddedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event AuthorizedAccountAdded(address indexed account, uint256 indexed proposalId)
func (govCouncil *GovCouncil) UnpackAuthorizedAccountAddedEvent(log *types.Log) (*GovCouncilAuthorizedAccountAdded, error) {
	event := "AuthorizedAccountAdded"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govCouncil.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovCouncilAuthorizedAccountAdded)
	if len(log.Data) > 0 {
		if err := govCouncil.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govCouncil.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovCouncilAuthorizedAccountRemoved represents a AuthorizedAccountRemoved event raised by the GovCouncil contract.
type GovCouncilAuthorizedAccountRemoved struct {
	Account    common.Address
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovCouncilAuthorizedAccountRemovedEventName = "AuthorizedAccountRemoved"

// ContractEventName returns the user-defined event name.
func (GovCouncilAuthorizedAccountRemoved) ContractEventName() string {
	return GovCouncilAuthorizedAccountRemovedEventName
}

// UnpackAuthorizedAccountRemovedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event AuthorizedAccountRemoved(address indexed account, uint256 indexed proposalId)
func (govCouncil *GovCouncil) UnpackAuthorizedAccountRemovedEvent(log *types.Log) (*GovCouncilAuthorizedAccountRemoved, error) {
	event := "AuthorizedAccountRemoved"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govCouncil.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovCouncilAuthorizedAccountRemoved)
	if len(log.Data) > 0 {
		if err := govCouncil.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govCouncil.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovCouncilProposalExecutionSkipped represents a ProposalExecutionSkipped event raised by the GovCouncil contract.
type GovCouncilProposalExecutionSkipped struct {
	Account    common.Address
	ProposalId *big.Int
	Reason     string
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovCouncilProposalExecutionSkippedEventName = "ProposalExecutionSkipped"

// ContractEventName returns the user-defined event name.
func (GovCouncilProposalExecutionSkipped) ContractEventName() string {
	return GovCouncilProposalExecutionSkippedEventName
}

// UnpackProposalExecutionSkippedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalExecutionSkipped(address indexed account, uint256 indexed proposalId, string reason)
func (govCouncil *GovCouncil) UnpackProposalExecutionSkippedEvent(log *types.Log) (*GovCouncilProposalExecutionSkipped, error) {
	event := "ProposalExecutionSkipped"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govCouncil.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovCouncilProposalExecutionSkipped)
	if len(log.Data) > 0 {
		if err := govCouncil.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govCouncil.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (govCouncil *GovCouncil) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], govCouncil.abi.Errors["AddressAlreadyExists"].ID.Bytes()[:4]) {
		return govCouncil.UnpackAddressAlreadyExistsError(raw[4:])
	}
	if bytes.Equal(raw[:4], govCouncil.abi.Errors["AddressNotFound"].ID.Bytes()[:4]) {
		return govCouncil.UnpackAddressNotFoundError(raw[4:])
	}
	if bytes.Equal(raw[:4], govCouncil.abi.Errors["AlreadyInAuthorizedAccountList"].ID.Bytes()[:4]) {
		return govCouncil.UnpackAlreadyInAuthorizedAccountListError(raw[4:])
	}
	if bytes.Equal(raw[:4], govCouncil.abi.Errors["AlreadyInBlacklist"].ID.Bytes()[:4]) {
		return govCouncil.UnpackAlreadyInBlacklistError(raw[4:])
	}
	if bytes.Equal(raw[:4], govCouncil.abi.Errors["NotInAuthorizedAccountList"].ID.Bytes()[:4]) {
		return govCouncil.UnpackNotInAuthorizedAccountListError(raw[4:])
	}
	if bytes.Equal(raw[:4], govCouncil.abi.Errors["NotInBlacklist"].ID.Bytes()[:4]) {
		return govCouncil.UnpackNotInBlacklistError(raw[4:])
	}
	if bytes.Equal(raw[:4], govCouncil.abi.Errors["ZeroAddressNotAllowed"].ID.Bytes()[:4]) {
		return govCouncil.UnpackZeroAddressNotAllowedError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// GovCouncilAddressAlreadyExists represents a AddressAlreadyExists error raised by the GovCouncil contract.
type GovCouncilAddressAlreadyExists struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AddressAlreadyExists()
func GovCouncilAddressAlreadyExistsErrorID() common.Hash {
	return common.HexToHash("0xa2d86a1e65504ff520c69913e69910901dc63c914e3b9907951baea164793230")
}

// UnpackAddressAlreadyExistsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AddressAlreadyExists()
func (govCouncil *GovCouncil) UnpackAddressAlreadyExistsError(raw []byte) (*GovCouncilAddressAlreadyExists, error) {
	out := new(GovCouncilAddressAlreadyExists)
	if err := govCouncil.abi.UnpackIntoInterface(out, "AddressAlreadyExists", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovCouncilAddressNotFound represents a AddressNotFound error raised by the GovCouncil contract.
type GovCouncilAddressNotFound struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AddressNotFound()
func GovCouncilAddressNotFoundErrorID() common.Hash {
	return common.HexToHash("0x6054b4694ec3ce6b31b2da015d6503ffa5a7a75773fb82f980371eb5c091b8e6")
}

// UnpackAddressNotFoundError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AddressNotFound()
func (govCouncil *GovCouncil) UnpackAddressNotFoundError(raw []byte) (*GovCouncilAddressNotFound, error) {
	out := new(GovCouncilAddressNotFound)
	if err := govCouncil.abi.UnpackIntoInterface(out, "AddressNotFound", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovCouncilAlreadyInAuthorizedAccountList represents a AlreadyInAuthorizedAccountList error raised by the GovCouncil contract.
type GovCouncilAlreadyInAuthorizedAccountList struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AlreadyInAuthorizedAccountList()
func GovCouncilAlreadyInAuthorizedAccountListErrorID() common.Hash {
	return common.HexToHash("0x03e181d6d81ab96ae52bd41ac934d42adb32e19f4a6c30f57fedf90774a5b20c")
}

// UnpackAlreadyInAuthorizedAccountListError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AlreadyInAuthorizedAccountList()
func (govCouncil *GovCouncil) UnpackAlreadyInAuthorizedAccountListError(raw []byte) (*GovCouncilAlreadyInAuthorizedAccountList, error) {
	out := new(GovCouncilAlreadyInAuthorizedAccountList)
	if err := govCouncil.abi.UnpackIntoInterface(out, "AlreadyInAuthorizedAccountList", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovCouncilAlreadyInBlacklist represents a AlreadyInBlacklist error raised by the GovCouncil contract.
type GovCouncilAlreadyInBlacklist struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AlreadyInBlacklist()
func GovCouncilAlreadyInBlacklistErrorID() common.Hash {
	return common.HexToHash("0xab6809d447877f62e3308a803da5c005a193b5e44d6b3acbe69f105afbd5251f")
}

// UnpackAlreadyInBlacklistError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AlreadyInBlacklist()
func (govCouncil *GovCouncil) UnpackAlreadyInBlacklistError(raw []byte) (*GovCouncilAlreadyInBlacklist, error) {
	out := new(GovCouncilAlreadyInBlacklist)
	if err := govCouncil.abi.UnpackIntoInterface(out, "AlreadyInBlacklist", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovCouncilNotInAuthorizedAccountList represents a NotInAuthorizedAccountList error raised by the GovCouncil contract.
type GovCouncilNotInAuthorizedAccountList struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotInAuthorizedAccountList()
func GovCouncilNotInAuthorizedAccountListErrorID() common.Hash {
	return common.HexToHash("0x0bb41c4ac0a61cb45ca33e1a75832ac2b208e9cc091aa0abffa058d3a37edb5e")
}

// UnpackNotInAuthorizedAccountListError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotInAuthorizedAccountList()
func (govCouncil *GovCouncil) UnpackNotInAuthorizedAccountListError(raw []byte) (*GovCouncilNotInAuthorizedAccountList, error) {
	out := new(GovCouncilNotInAuthorizedAccountList)
	if err := govCouncil.abi.UnpackIntoInterface(out, "NotInAuthorizedAccountList", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovCouncilNotInBlacklist represents a NotInBlacklist error raised by the GovCouncil contract.
type GovCouncilNotInBlacklist struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotInBlacklist()
func GovCouncilNotInBlacklistErrorID() common.Hash {
	return common.HexToHash("0x9a96e684804dc2700734a708a89af1ca50f927d0f89164dceecaece0485be8a9")
}

// UnpackNotInBlacklistError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotInBlacklist()
func (govCouncil *GovCouncil) UnpackNotInBlacklistError(raw []byte) (*GovCouncilNotInBlacklist, error) {
	out := new(GovCouncilNotInBlacklist)
	if err := govCouncil.abi.UnpackIntoInterface(out, "NotInBlacklist", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovCouncilZeroAddressNotAllowed represents a ZeroAddressNotAllowed error raised by the GovCouncil contract.
type GovCouncilZeroAddressNotAllowed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ZeroAddressNotAllowed()
func GovCouncilZeroAddressNotAllowedErrorID() common.Hash {
	return common.HexToHash("0x8579befe7a7d1f6d487cd1c655815626f91b8c445c21c78ade0abd2a41e54dd8")
}

// UnpackZeroAddressNotAllowedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ZeroAddressNotAllowed()
func (govCouncil *GovCouncil) UnpackZeroAddressNotAllowedError(raw []byte) (*GovCouncilZeroAddressNotAllowed, error) {
	out := new(GovCouncilZeroAddressNotAllowed)
	if err := govCouncil.abi.UnpackIntoInterface(out, "ZeroAddressNotAllowed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterMetaData contains all meta data concerning the GovMasterMinter contract.
var GovMasterMinterMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"ContractNotPaused\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ContractPaused\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidAllowance\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidMinterAddress\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidTokenAddress\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MinterAllowanceExceeded\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MinterConfigurationFailed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MinterRemovalFailed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NotAMinter\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"TokenOperationFailed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"TooManyMinters\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"EmergencyPaused\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"EmergencyUnpaused\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"oldLimit\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"newLimit\",\"type\":\"uint256\"}],\"name\":\"MaxMinterAllowanceUpdated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"allowance\",\"type\":\"uint256\"}],\"name\":\"MinterConfigured\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"}],\"name\":\"MinterRemoved\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"ACTION_CONFIGURE_MINTER\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_PAUSE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_REMOVE_MINTER\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_UNPAUSE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_UPDATE_MAX_MINTER_ALLOWANCE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"canMint\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"emergencyPaused\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"fiatToken\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getAllMinters\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"minters\",\"type\":\"address[]\"},{\"internalType\":\"uint256[]\",\"name\":\"allowances\",\"type\":\"uint256[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"getIsMinter\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"}],\"name\":\"getMinterAllowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"getMinterAt\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"allowance\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getMinterCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getMinterStats\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"totalMinters\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"totalAllowance\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"}],\"name\":\"getMinterStatus\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"isMinter\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"maxMinterAllowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"_minter\",\"type\":\"address\"}],\"name\":\"minterAllowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"minterAllowedAmount\",\"type\":\"uint256\"}],\"name\":\"proposeConfigureMinter\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposePause\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"}],\"name\":\"proposeRemoveMinter\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposeUnpause\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"newLimit\",\"type\":\"uint256\"}],\"name\":\"proposeUpdateMaxMinterAllowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
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

// PackACTIONCONFIGUREMINTER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf0425e23.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_CONFIGURE_MINTER() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) PackACTIONCONFIGUREMINTER() []byte {
	enc, err := govMasterMinter.abi.Pack("ACTION_CONFIGURE_MINTER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONCONFIGUREMINTER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf0425e23.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_CONFIGURE_MINTER() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) TryPackACTIONCONFIGUREMINTER() ([]byte, error) {
	return govMasterMinter.abi.Pack("ACTION_CONFIGURE_MINTER")
}

// UnpackACTIONCONFIGUREMINTER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf0425e23.
//
// Solidity: function ACTION_CONFIGURE_MINTER() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) UnpackACTIONCONFIGUREMINTER(data []byte) ([32]byte, error) {
	out, err := govMasterMinter.abi.Unpack("ACTION_CONFIGURE_MINTER", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8762da8b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_PAUSE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) PackACTIONPAUSE() []byte {
	enc, err := govMasterMinter.abi.Pack("ACTION_PAUSE")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8762da8b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_PAUSE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) TryPackACTIONPAUSE() ([]byte, error) {
	return govMasterMinter.abi.Pack("ACTION_PAUSE")
}

// UnpackACTIONPAUSE is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8762da8b.
//
// Solidity: function ACTION_PAUSE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) UnpackACTIONPAUSE(data []byte) ([32]byte, error) {
	out, err := govMasterMinter.abi.Unpack("ACTION_PAUSE", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONREMOVEMINTER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0c45a4ff.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_REMOVE_MINTER() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) PackACTIONREMOVEMINTER() []byte {
	enc, err := govMasterMinter.abi.Pack("ACTION_REMOVE_MINTER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONREMOVEMINTER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0c45a4ff.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_REMOVE_MINTER() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) TryPackACTIONREMOVEMINTER() ([]byte, error) {
	return govMasterMinter.abi.Pack("ACTION_REMOVE_MINTER")
}

// UnpackACTIONREMOVEMINTER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0c45a4ff.
//
// Solidity: function ACTION_REMOVE_MINTER() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) UnpackACTIONREMOVEMINTER(data []byte) ([32]byte, error) {
	out, err := govMasterMinter.abi.Unpack("ACTION_REMOVE_MINTER", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONUNPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd86c707c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_UNPAUSE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) PackACTIONUNPAUSE() []byte {
	enc, err := govMasterMinter.abi.Pack("ACTION_UNPAUSE")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONUNPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd86c707c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_UNPAUSE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) TryPackACTIONUNPAUSE() ([]byte, error) {
	return govMasterMinter.abi.Pack("ACTION_UNPAUSE")
}

// UnpackACTIONUNPAUSE is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd86c707c.
//
// Solidity: function ACTION_UNPAUSE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) UnpackACTIONUNPAUSE(data []byte) ([32]byte, error) {
	out, err := govMasterMinter.abi.Unpack("ACTION_UNPAUSE", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONUPDATEMAXMINTERALLOWANCE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x89d3b57d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_UPDATE_MAX_MINTER_ALLOWANCE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) PackACTIONUPDATEMAXMINTERALLOWANCE() []byte {
	enc, err := govMasterMinter.abi.Pack("ACTION_UPDATE_MAX_MINTER_ALLOWANCE")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONUPDATEMAXMINTERALLOWANCE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x89d3b57d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_UPDATE_MAX_MINTER_ALLOWANCE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) TryPackACTIONUPDATEMAXMINTERALLOWANCE() ([]byte, error) {
	return govMasterMinter.abi.Pack("ACTION_UPDATE_MAX_MINTER_ALLOWANCE")
}

// UnpackACTIONUPDATEMAXMINTERALLOWANCE is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x89d3b57d.
//
// Solidity: function ACTION_UPDATE_MAX_MINTER_ALLOWANCE() view returns(bytes32)
func (govMasterMinter *GovMasterMinter) UnpackACTIONUPDATEMAXMINTERALLOWANCE(data []byte) ([32]byte, error) {
	out, err := govMasterMinter.abi.Unpack("ACTION_UPDATE_MAX_MINTER_ALLOWANCE", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackCanMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d5e34a4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function canMint(address minter, uint256 amount) view returns(bool)
func (govMasterMinter *GovMasterMinter) PackCanMint(minter common.Address, amount *big.Int) []byte {
	enc, err := govMasterMinter.abi.Pack("canMint", minter, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCanMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0d5e34a4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function canMint(address minter, uint256 amount) view returns(bool)
func (govMasterMinter *GovMasterMinter) TryPackCanMint(minter common.Address, amount *big.Int) ([]byte, error) {
	return govMasterMinter.abi.Pack("canMint", minter, amount)
}

// UnpackCanMint is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0d5e34a4.
//
// Solidity: function canMint(address minter, uint256 amount) view returns(bool)
func (govMasterMinter *GovMasterMinter) UnpackCanMint(data []byte) (bool, error) {
	out, err := govMasterMinter.abi.Unpack("canMint", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackEmergencyPaused is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x27c830a9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function emergencyPaused() view returns(bool)
func (govMasterMinter *GovMasterMinter) PackEmergencyPaused() []byte {
	enc, err := govMasterMinter.abi.Pack("emergencyPaused")
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
func (govMasterMinter *GovMasterMinter) TryPackEmergencyPaused() ([]byte, error) {
	return govMasterMinter.abi.Pack("emergencyPaused")
}

// UnpackEmergencyPaused is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x27c830a9.
//
// Solidity: function emergencyPaused() view returns(bool)
func (govMasterMinter *GovMasterMinter) UnpackEmergencyPaused(data []byte) (bool, error) {
	out, err := govMasterMinter.abi.Unpack("emergencyPaused", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackFiatToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a724a26.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fiatToken() view returns(address)
func (govMasterMinter *GovMasterMinter) PackFiatToken() []byte {
	enc, err := govMasterMinter.abi.Pack("fiatToken")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFiatToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a724a26.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fiatToken() view returns(address)
func (govMasterMinter *GovMasterMinter) TryPackFiatToken() ([]byte, error) {
	return govMasterMinter.abi.Pack("fiatToken")
}

// UnpackFiatToken is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5a724a26.
//
// Solidity: function fiatToken() view returns(address)
func (govMasterMinter *GovMasterMinter) UnpackFiatToken(data []byte) (common.Address, error) {
	out, err := govMasterMinter.abi.Unpack("fiatToken", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
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

// PackGetIsMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x17fc30d4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getIsMinter(address account) view returns(bool)
func (govMasterMinter *GovMasterMinter) PackGetIsMinter(account common.Address) []byte {
	enc, err := govMasterMinter.abi.Pack("getIsMinter", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetIsMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x17fc30d4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getIsMinter(address account) view returns(bool)
func (govMasterMinter *GovMasterMinter) TryPackGetIsMinter(account common.Address) ([]byte, error) {
	return govMasterMinter.abi.Pack("getIsMinter", account)
}

// UnpackGetIsMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x17fc30d4.
//
// Solidity: function getIsMinter(address account) view returns(bool)
func (govMasterMinter *GovMasterMinter) UnpackGetIsMinter(data []byte) (bool, error) {
	out, err := govMasterMinter.abi.Unpack("getIsMinter", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackGetMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6ae8d6c8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMinterAllowance(address minter) view returns(uint256)
func (govMasterMinter *GovMasterMinter) PackGetMinterAllowance(minter common.Address) []byte {
	enc, err := govMasterMinter.abi.Pack("getMinterAllowance", minter)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6ae8d6c8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMinterAllowance(address minter) view returns(uint256)
func (govMasterMinter *GovMasterMinter) TryPackGetMinterAllowance(minter common.Address) ([]byte, error) {
	return govMasterMinter.abi.Pack("getMinterAllowance", minter)
}

// UnpackGetMinterAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6ae8d6c8.
//
// Solidity: function getMinterAllowance(address minter) view returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackGetMinterAllowance(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("getMinterAllowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetMinterAt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1ff06065.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMinterAt(uint256 index) view returns(address minter, uint256 allowance)
func (govMasterMinter *GovMasterMinter) PackGetMinterAt(index *big.Int) []byte {
	enc, err := govMasterMinter.abi.Pack("getMinterAt", index)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMinterAt is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1ff06065.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMinterAt(uint256 index) view returns(address minter, uint256 allowance)
func (govMasterMinter *GovMasterMinter) TryPackGetMinterAt(index *big.Int) ([]byte, error) {
	return govMasterMinter.abi.Pack("getMinterAt", index)
}

// GetMinterAtOutput serves as a container for the return parameters of contract
// method GetMinterAt.
type GetMinterAtOutput struct {
	Minter    common.Address
	Allowance *big.Int
}

// UnpackGetMinterAt is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x1ff06065.
//
// Solidity: function getMinterAt(uint256 index) view returns(address minter, uint256 allowance)
func (govMasterMinter *GovMasterMinter) UnpackGetMinterAt(data []byte) (GetMinterAtOutput, error) {
	out, err := govMasterMinter.abi.Unpack("getMinterAt", data)
	outstruct := new(GetMinterAtOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Minter = *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	outstruct.Allowance = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackGetMinterCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8dbb94eb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMinterCount() view returns(uint256)
func (govMasterMinter *GovMasterMinter) PackGetMinterCount() []byte {
	enc, err := govMasterMinter.abi.Pack("getMinterCount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMinterCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8dbb94eb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMinterCount() view returns(uint256)
func (govMasterMinter *GovMasterMinter) TryPackGetMinterCount() ([]byte, error) {
	return govMasterMinter.abi.Pack("getMinterCount")
}

// UnpackGetMinterCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8dbb94eb.
//
// Solidity: function getMinterCount() view returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackGetMinterCount(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("getMinterCount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetMinterStats is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0e953aa0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMinterStats() view returns(uint256 totalMinters, uint256 totalAllowance)
func (govMasterMinter *GovMasterMinter) PackGetMinterStats() []byte {
	enc, err := govMasterMinter.abi.Pack("getMinterStats")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMinterStats is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0e953aa0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMinterStats() view returns(uint256 totalMinters, uint256 totalAllowance)
func (govMasterMinter *GovMasterMinter) TryPackGetMinterStats() ([]byte, error) {
	return govMasterMinter.abi.Pack("getMinterStats")
}

// GetMinterStatsOutput serves as a container for the return parameters of contract
// method GetMinterStats.
type GetMinterStatsOutput struct {
	TotalMinters   *big.Int
	TotalAllowance *big.Int
}

// UnpackGetMinterStats is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0e953aa0.
//
// Solidity: function getMinterStats() view returns(uint256 totalMinters, uint256 totalAllowance)
func (govMasterMinter *GovMasterMinter) UnpackGetMinterStats(data []byte) (GetMinterStatsOutput, error) {
	out, err := govMasterMinter.abi.Unpack("getMinterStats", data)
	outstruct := new(GetMinterStatsOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.TotalMinters = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.TotalAllowance = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackGetMinterStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbbb30c5d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMinterStatus(address minter) view returns(bool)
func (govMasterMinter *GovMasterMinter) PackGetMinterStatus(minter common.Address) []byte {
	enc, err := govMasterMinter.abi.Pack("getMinterStatus", minter)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMinterStatus is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbbb30c5d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMinterStatus(address minter) view returns(bool)
func (govMasterMinter *GovMasterMinter) TryPackGetMinterStatus(minter common.Address) ([]byte, error) {
	return govMasterMinter.abi.Pack("getMinterStatus", minter)
}

// UnpackGetMinterStatus is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xbbb30c5d.
//
// Solidity: function getMinterStatus(address minter) view returns(bool)
func (govMasterMinter *GovMasterMinter) UnpackGetMinterStatus(data []byte) (bool, error) {
	out, err := govMasterMinter.abi.Unpack("getMinterStatus", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIsMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaa271e1a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isMinter(address ) view returns(bool)
func (govMasterMinter *GovMasterMinter) PackIsMinter(arg0 common.Address) []byte {
	enc, err := govMasterMinter.abi.Pack("isMinter", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaa271e1a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isMinter(address ) view returns(bool)
func (govMasterMinter *GovMasterMinter) TryPackIsMinter(arg0 common.Address) ([]byte, error) {
	return govMasterMinter.abi.Pack("isMinter", arg0)
}

// UnpackIsMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xaa271e1a.
//
// Solidity: function isMinter(address ) view returns(bool)
func (govMasterMinter *GovMasterMinter) UnpackIsMinter(data []byte) (bool, error) {
	out, err := govMasterMinter.abi.Unpack("isMinter", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
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

// PackMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8a6db9c3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function minterAllowance(address _minter) view returns(uint256)
func (govMasterMinter *GovMasterMinter) PackMinterAllowance(minter common.Address) []byte {
	enc, err := govMasterMinter.abi.Pack("minterAllowance", minter)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8a6db9c3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function minterAllowance(address _minter) view returns(uint256)
func (govMasterMinter *GovMasterMinter) TryPackMinterAllowance(minter common.Address) ([]byte, error) {
	return govMasterMinter.abi.Pack("minterAllowance", minter)
}

// UnpackMinterAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8a6db9c3.
//
// Solidity: function minterAllowance(address _minter) view returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackMinterAllowance(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("minterAllowance", data)
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

// PackProposePause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfffa080a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposePause() returns(uint256)
func (govMasterMinter *GovMasterMinter) PackProposePause() []byte {
	enc, err := govMasterMinter.abi.Pack("proposePause")
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
func (govMasterMinter *GovMasterMinter) TryPackProposePause() ([]byte, error) {
	return govMasterMinter.abi.Pack("proposePause")
}

// UnpackProposePause is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfffa080a.
//
// Solidity: function proposePause() returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackProposePause(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("proposePause", data)
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

// PackProposeUnpause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfae8a3d6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposeUnpause() returns(uint256)
func (govMasterMinter *GovMasterMinter) PackProposeUnpause() []byte {
	enc, err := govMasterMinter.abi.Pack("proposeUnpause")
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
func (govMasterMinter *GovMasterMinter) TryPackProposeUnpause() ([]byte, error) {
	return govMasterMinter.abi.Pack("proposeUnpause")
}

// UnpackProposeUnpause is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfae8a3d6.
//
// Solidity: function proposeUnpause() returns(uint256)
func (govMasterMinter *GovMasterMinter) UnpackProposeUnpause(data []byte) (*big.Int, error) {
	out, err := govMasterMinter.abi.Unpack("proposeUnpause", data)
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

// GovMasterMinterEmergencyPaused represents a EmergencyPaused event raised by the GovMasterMinter contract.
type GovMasterMinterEmergencyPaused struct {
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovMasterMinterEmergencyPausedEventName = "EmergencyPaused"

// ContractEventName returns the user-defined event name.
func (GovMasterMinterEmergencyPaused) ContractEventName() string {
	return GovMasterMinterEmergencyPausedEventName
}

// UnpackEmergencyPausedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event EmergencyPaused(uint256 indexed proposalId)
func (govMasterMinter *GovMasterMinter) UnpackEmergencyPausedEvent(log *types.Log) (*GovMasterMinterEmergencyPaused, error) {
	event := "EmergencyPaused"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMasterMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMasterMinterEmergencyPaused)
	if len(log.Data) > 0 {
		if err := govMasterMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMasterMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMasterMinterEmergencyUnpaused represents a EmergencyUnpaused event raised by the GovMasterMinter contract.
type GovMasterMinterEmergencyUnpaused struct {
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovMasterMinterEmergencyUnpausedEventName = "EmergencyUnpaused"

// ContractEventName returns the user-defined event name.
func (GovMasterMinterEmergencyUnpaused) ContractEventName() string {
	return GovMasterMinterEmergencyUnpausedEventName
}

// UnpackEmergencyUnpausedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event EmergencyUnpaused(uint256 indexed proposalId)
func (govMasterMinter *GovMasterMinter) UnpackEmergencyUnpausedEvent(log *types.Log) (*GovMasterMinterEmergencyUnpaused, error) {
	event := "EmergencyUnpaused"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMasterMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMasterMinterEmergencyUnpaused)
	if len(log.Data) > 0 {
		if err := govMasterMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMasterMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMasterMinterMaxMinterAllowanceUpdated represents a MaxMinterAllowanceUpdated event raised by the GovMasterMinter contract.
type GovMasterMinterMaxMinterAllowanceUpdated struct {
	OldLimit *big.Int
	NewLimit *big.Int
	Raw      *types.Log // Blockchain specific contextual infos
}

const GovMasterMinterMaxMinterAllowanceUpdatedEventName = "MaxMinterAllowanceUpdated"

// ContractEventName returns the user-defined event name.
func (GovMasterMinterMaxMinterAllowanceUpdated) ContractEventName() string {
	return GovMasterMinterMaxMinterAllowanceUpdatedEventName
}

// UnpackMaxMinterAllowanceUpdatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MaxMinterAllowanceUpdated(uint256 oldLimit, uint256 newLimit)
func (govMasterMinter *GovMasterMinter) UnpackMaxMinterAllowanceUpdatedEvent(log *types.Log) (*GovMasterMinterMaxMinterAllowanceUpdated, error) {
	event := "MaxMinterAllowanceUpdated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMasterMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMasterMinterMaxMinterAllowanceUpdated)
	if len(log.Data) > 0 {
		if err := govMasterMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMasterMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMasterMinterMinterConfigured represents a MinterConfigured event raised by the GovMasterMinter contract.
type GovMasterMinterMinterConfigured struct {
	Minter    common.Address
	Allowance *big.Int
	Raw       *types.Log // Blockchain specific contextual infos
}

const GovMasterMinterMinterConfiguredEventName = "MinterConfigured"

// ContractEventName returns the user-defined event name.
func (GovMasterMinterMinterConfigured) ContractEventName() string {
	return GovMasterMinterMinterConfiguredEventName
}

// UnpackMinterConfiguredEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MinterConfigured(address indexed minter, uint256 allowance)
func (govMasterMinter *GovMasterMinter) UnpackMinterConfiguredEvent(log *types.Log) (*GovMasterMinterMinterConfigured, error) {
	event := "MinterConfigured"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMasterMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMasterMinterMinterConfigured)
	if len(log.Data) > 0 {
		if err := govMasterMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMasterMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMasterMinterMinterRemoved represents a MinterRemoved event raised by the GovMasterMinter contract.
type GovMasterMinterMinterRemoved struct {
	Minter common.Address
	Raw    *types.Log // Blockchain specific contextual infos
}

const GovMasterMinterMinterRemovedEventName = "MinterRemoved"

// ContractEventName returns the user-defined event name.
func (GovMasterMinterMinterRemoved) ContractEventName() string {
	return GovMasterMinterMinterRemovedEventName
}

// UnpackMinterRemovedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MinterRemoved(address indexed minter)
func (govMasterMinter *GovMasterMinter) UnpackMinterRemovedEvent(log *types.Log) (*GovMasterMinterMinterRemoved, error) {
	event := "MinterRemoved"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMasterMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMasterMinterMinterRemoved)
	if len(log.Data) > 0 {
		if err := govMasterMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMasterMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (govMasterMinter *GovMasterMinter) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["ContractNotPaused"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackContractNotPausedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["ContractPaused"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackContractPausedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["InvalidAllowance"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackInvalidAllowanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["InvalidMinterAddress"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackInvalidMinterAddressError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["InvalidTokenAddress"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackInvalidTokenAddressError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["MinterAllowanceExceeded"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackMinterAllowanceExceededError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["MinterConfigurationFailed"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackMinterConfigurationFailedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["MinterRemovalFailed"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackMinterRemovalFailedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["NotAMinter"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackNotAMinterError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["TokenOperationFailed"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackTokenOperationFailedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMasterMinter.abi.Errors["TooManyMinters"].ID.Bytes()[:4]) {
		return govMasterMinter.UnpackTooManyMintersError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// GovMasterMinterContractNotPaused represents a ContractNotPaused error raised by the GovMasterMinter contract.
type GovMasterMinterContractNotPaused struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ContractNotPaused()
func GovMasterMinterContractNotPausedErrorID() common.Hash {
	return common.HexToHash("0xdcdde9dd57f2c462524b1f86add9cca86585a7e19f1560bbffd143cae135b06d")
}

// UnpackContractNotPausedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ContractNotPaused()
func (govMasterMinter *GovMasterMinter) UnpackContractNotPausedError(raw []byte) (*GovMasterMinterContractNotPaused, error) {
	out := new(GovMasterMinterContractNotPaused)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "ContractNotPaused", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterContractPaused represents a ContractPaused error raised by the GovMasterMinter contract.
type GovMasterMinterContractPaused struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ContractPaused()
func GovMasterMinterContractPausedErrorID() common.Hash {
	return common.HexToHash("0xab35696f06e428ebc5ceba8cd17f8fed287baf43440206d1943af1ee53e6d267")
}

// UnpackContractPausedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ContractPaused()
func (govMasterMinter *GovMasterMinter) UnpackContractPausedError(raw []byte) (*GovMasterMinterContractPaused, error) {
	out := new(GovMasterMinterContractPaused)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "ContractPaused", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterInvalidAllowance represents a InvalidAllowance error raised by the GovMasterMinter contract.
type GovMasterMinterInvalidAllowance struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidAllowance()
func GovMasterMinterInvalidAllowanceErrorID() common.Hash {
	return common.HexToHash("0x65ba6fc35bd07cd98647247f7cb931df15b1acf144f942aaa8ad2d915dfe5a91")
}

// UnpackInvalidAllowanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidAllowance()
func (govMasterMinter *GovMasterMinter) UnpackInvalidAllowanceError(raw []byte) (*GovMasterMinterInvalidAllowance, error) {
	out := new(GovMasterMinterInvalidAllowance)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "InvalidAllowance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterInvalidMinterAddress represents a InvalidMinterAddress error raised by the GovMasterMinter contract.
type GovMasterMinterInvalidMinterAddress struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidMinterAddress()
func GovMasterMinterInvalidMinterAddressErrorID() common.Hash {
	return common.HexToHash("0x9a913f9acb073fa71fae4ef83cc22c6d74e6154200257f1f353d3c45fe3b636d")
}

// UnpackInvalidMinterAddressError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidMinterAddress()
func (govMasterMinter *GovMasterMinter) UnpackInvalidMinterAddressError(raw []byte) (*GovMasterMinterInvalidMinterAddress, error) {
	out := new(GovMasterMinterInvalidMinterAddress)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "InvalidMinterAddress", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterInvalidTokenAddress represents a InvalidTokenAddress error raised by the GovMasterMinter contract.
type GovMasterMinterInvalidTokenAddress struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidTokenAddress()
func GovMasterMinterInvalidTokenAddressErrorID() common.Hash {
	return common.HexToHash("0x1eb00b060744db3481faf0194406a24519f5ebec8d2a15aa546096e06fd8c96c")
}

// UnpackInvalidTokenAddressError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidTokenAddress()
func (govMasterMinter *GovMasterMinter) UnpackInvalidTokenAddressError(raw []byte) (*GovMasterMinterInvalidTokenAddress, error) {
	out := new(GovMasterMinterInvalidTokenAddress)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "InvalidTokenAddress", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterMinterAllowanceExceeded represents a MinterAllowanceExceeded error raised by the GovMasterMinter contract.
type GovMasterMinterMinterAllowanceExceeded struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MinterAllowanceExceeded()
func GovMasterMinterMinterAllowanceExceededErrorID() common.Hash {
	return common.HexToHash("0xec40845180faf650e81bcc3bc591aba00b267cff49df93d267fe7f55503320d3")
}

// UnpackMinterAllowanceExceededError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MinterAllowanceExceeded()
func (govMasterMinter *GovMasterMinter) UnpackMinterAllowanceExceededError(raw []byte) (*GovMasterMinterMinterAllowanceExceeded, error) {
	out := new(GovMasterMinterMinterAllowanceExceeded)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "MinterAllowanceExceeded", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterMinterConfigurationFailed represents a MinterConfigurationFailed error raised by the GovMasterMinter contract.
type GovMasterMinterMinterConfigurationFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MinterConfigurationFailed()
func GovMasterMinterMinterConfigurationFailedErrorID() common.Hash {
	return common.HexToHash("0xb1849b6eee517a6efc5a2d2471588c902b9b1d18ef8f7f16eb9dfa37462147d4")
}

// UnpackMinterConfigurationFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MinterConfigurationFailed()
func (govMasterMinter *GovMasterMinter) UnpackMinterConfigurationFailedError(raw []byte) (*GovMasterMinterMinterConfigurationFailed, error) {
	out := new(GovMasterMinterMinterConfigurationFailed)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "MinterConfigurationFailed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterMinterRemovalFailed represents a MinterRemovalFailed error raised by the GovMasterMinter contract.
type GovMasterMinterMinterRemovalFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MinterRemovalFailed()
func GovMasterMinterMinterRemovalFailedErrorID() common.Hash {
	return common.HexToHash("0x7930acfb84d9cf726577886203a456387244252f79b12f2bbd23af00bab21fe4")
}

// UnpackMinterRemovalFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MinterRemovalFailed()
func (govMasterMinter *GovMasterMinter) UnpackMinterRemovalFailedError(raw []byte) (*GovMasterMinterMinterRemovalFailed, error) {
	out := new(GovMasterMinterMinterRemovalFailed)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "MinterRemovalFailed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterNotAMinter represents a NotAMinter error raised by the GovMasterMinter contract.
type GovMasterMinterNotAMinter struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotAMinter()
func GovMasterMinterNotAMinterErrorID() common.Hash {
	return common.HexToHash("0x904497b88ec362bdbe4bcdfbab873b92d56e29032696cb4a3990494017f70b96")
}

// UnpackNotAMinterError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotAMinter()
func (govMasterMinter *GovMasterMinter) UnpackNotAMinterError(raw []byte) (*GovMasterMinterNotAMinter, error) {
	out := new(GovMasterMinterNotAMinter)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "NotAMinter", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterTokenOperationFailed represents a TokenOperationFailed error raised by the GovMasterMinter contract.
type GovMasterMinterTokenOperationFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TokenOperationFailed()
func GovMasterMinterTokenOperationFailedErrorID() common.Hash {
	return common.HexToHash("0x63ee02d4edd4986b80b9f13fdd2e9f300cbfbae93c13911997d56ad1ba4a352b")
}

// UnpackTokenOperationFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TokenOperationFailed()
func (govMasterMinter *GovMasterMinter) UnpackTokenOperationFailedError(raw []byte) (*GovMasterMinterTokenOperationFailed, error) {
	out := new(GovMasterMinterTokenOperationFailed)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "TokenOperationFailed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMasterMinterTooManyMinters represents a TooManyMinters error raised by the GovMasterMinter contract.
type GovMasterMinterTooManyMinters struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TooManyMinters()
func GovMasterMinterTooManyMintersErrorID() common.Hash {
	return common.HexToHash("0x93818859f43a1e241d91afa67cc6faa2d8696e05168e9e7dedeb09d3009cbf00")
}

// UnpackTooManyMintersError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TooManyMinters()
func (govMasterMinter *GovMasterMinter) UnpackTooManyMintersError(raw []byte) (*GovMasterMinterTooManyMinters, error) {
	out := new(GovMasterMinterTooManyMinters)
	if err := govMasterMinter.abi.UnpackIntoInterface(out, "TooManyMinters", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterMetaData contains all meta data concerning the GovMinter contract.
var GovMinterMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"BurnAmountMismatch\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"BurnFromMustBeProposer\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ContractNotPaused\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ContractPaused\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"DepositIdAlreadyUsed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"DepositIdInUse\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InsufficientBurnBalance\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InsufficientMinterAllowance\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidAmount\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidBankReference\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidBeneficiary\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidDepositId\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidProofData\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidTargetAddress\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidTokenAddress\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidWithdrawalId\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MintFailed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoRefundAvailable\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ProofAlreadyUsed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"RefundTransferFailed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"WithdrawalIdAlreadyUsed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"WithdrawalIdInUse\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"requester\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"BurnDepositRefunded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"withdrawalId\",\"type\":\"string\"}],\"name\":\"BurnExecuted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"user\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"BurnPrepaid\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"requester\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"BurnRefundClaimed\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"string\",\"name\":\"depositId\",\"type\":\"string\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"requester\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"address\",\"name\":\"beneficiary\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"string\",\"name\":\"bankReference\",\"type\":\"string\"}],\"name\":\"DepositMintProposed\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"EmergencyPaused\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"EmergencyUnpaused\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"ACTION_BURN\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_MINT_WITH_DEPOSIT\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_PAUSE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_UNPAUSE\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"burnBalance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"name\":\"burnProposals\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"requester\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"claimBurnRefund\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"name\":\"depositIdToProposalId\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"emergencyPaused\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"name\":\"executedDepositIds\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"name\":\"executedWithdrawalIds\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"fiatToken\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"name\":\"mintProposalAmounts\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"proofData\",\"type\":\"bytes\"}],\"name\":\"proposeBurn\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"proofData\",\"type\":\"bytes\"}],\"name\":\"proposeMint\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposePause\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposeUnpause\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"refundableBalance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"reservedMintAmount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"name\":\"usedProofHashes\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"name\":\"withdrawalIdToProposalId\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
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

// PackACTIONBURN is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4aee043e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_BURN() view returns(bytes32)
func (govMinter *GovMinter) PackACTIONBURN() []byte {
	enc, err := govMinter.abi.Pack("ACTION_BURN")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONBURN is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4aee043e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_BURN() view returns(bytes32)
func (govMinter *GovMinter) TryPackACTIONBURN() ([]byte, error) {
	return govMinter.abi.Pack("ACTION_BURN")
}

// UnpackACTIONBURN is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4aee043e.
//
// Solidity: function ACTION_BURN() view returns(bytes32)
func (govMinter *GovMinter) UnpackACTIONBURN(data []byte) ([32]byte, error) {
	out, err := govMinter.abi.Unpack("ACTION_BURN", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONMINTWITHDEPOSIT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf174e06f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_MINT_WITH_DEPOSIT() view returns(bytes32)
func (govMinter *GovMinter) PackACTIONMINTWITHDEPOSIT() []byte {
	enc, err := govMinter.abi.Pack("ACTION_MINT_WITH_DEPOSIT")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONMINTWITHDEPOSIT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf174e06f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_MINT_WITH_DEPOSIT() view returns(bytes32)
func (govMinter *GovMinter) TryPackACTIONMINTWITHDEPOSIT() ([]byte, error) {
	return govMinter.abi.Pack("ACTION_MINT_WITH_DEPOSIT")
}

// UnpackACTIONMINTWITHDEPOSIT is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf174e06f.
//
// Solidity: function ACTION_MINT_WITH_DEPOSIT() view returns(bytes32)
func (govMinter *GovMinter) UnpackACTIONMINTWITHDEPOSIT(data []byte) ([32]byte, error) {
	out, err := govMinter.abi.Unpack("ACTION_MINT_WITH_DEPOSIT", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8762da8b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_PAUSE() view returns(bytes32)
func (govMinter *GovMinter) PackACTIONPAUSE() []byte {
	enc, err := govMinter.abi.Pack("ACTION_PAUSE")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8762da8b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_PAUSE() view returns(bytes32)
func (govMinter *GovMinter) TryPackACTIONPAUSE() ([]byte, error) {
	return govMinter.abi.Pack("ACTION_PAUSE")
}

// UnpackACTIONPAUSE is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8762da8b.
//
// Solidity: function ACTION_PAUSE() view returns(bytes32)
func (govMinter *GovMinter) UnpackACTIONPAUSE(data []byte) ([32]byte, error) {
	out, err := govMinter.abi.Unpack("ACTION_PAUSE", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONUNPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd86c707c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_UNPAUSE() view returns(bytes32)
func (govMinter *GovMinter) PackACTIONUNPAUSE() []byte {
	enc, err := govMinter.abi.Pack("ACTION_UNPAUSE")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONUNPAUSE is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd86c707c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_UNPAUSE() view returns(bytes32)
func (govMinter *GovMinter) TryPackACTIONUNPAUSE() ([]byte, error) {
	return govMinter.abi.Pack("ACTION_UNPAUSE")
}

// UnpackACTIONUNPAUSE is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd86c707c.
//
// Solidity: function ACTION_UNPAUSE() view returns(bytes32)
func (govMinter *GovMinter) UnpackACTIONUNPAUSE(data []byte) ([32]byte, error) {
	out, err := govMinter.abi.Unpack("ACTION_UNPAUSE", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackBurnBalance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x98179c41.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function burnBalance(address ) view returns(uint256)
func (govMinter *GovMinter) PackBurnBalance(arg0 common.Address) []byte {
	enc, err := govMinter.abi.Pack("burnBalance", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBurnBalance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x98179c41.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function burnBalance(address ) view returns(uint256)
func (govMinter *GovMinter) TryPackBurnBalance(arg0 common.Address) ([]byte, error) {
	return govMinter.abi.Pack("burnBalance", arg0)
}

// UnpackBurnBalance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x98179c41.
//
// Solidity: function burnBalance(address ) view returns(uint256)
func (govMinter *GovMinter) UnpackBurnBalance(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("burnBalance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackBurnProposals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x094c30aa.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function burnProposals(uint256 ) view returns(uint256 amount, address requester)
func (govMinter *GovMinter) PackBurnProposals(arg0 *big.Int) []byte {
	enc, err := govMinter.abi.Pack("burnProposals", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBurnProposals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x094c30aa.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function burnProposals(uint256 ) view returns(uint256 amount, address requester)
func (govMinter *GovMinter) TryPackBurnProposals(arg0 *big.Int) ([]byte, error) {
	return govMinter.abi.Pack("burnProposals", arg0)
}

// BurnProposalsOutput serves as a container for the return parameters of contract
// method BurnProposals.
type BurnProposalsOutput struct {
	Amount    *big.Int
	Requester common.Address
}

// UnpackBurnProposals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x094c30aa.
//
// Solidity: function burnProposals(uint256 ) view returns(uint256 amount, address requester)
func (govMinter *GovMinter) UnpackBurnProposals(data []byte) (BurnProposalsOutput, error) {
	out, err := govMinter.abi.Unpack("burnProposals", data)
	outstruct := new(BurnProposalsOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.Amount = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.Requester = *abi.ConvertType(out[1], new(common.Address)).(*common.Address)
	return *outstruct, nil
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

// PackDepositIdToProposalId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6e46aad8.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function depositIdToProposalId(string ) view returns(uint256)
func (govMinter *GovMinter) PackDepositIdToProposalId(arg0 string) []byte {
	enc, err := govMinter.abi.Pack("depositIdToProposalId", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDepositIdToProposalId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x6e46aad8.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function depositIdToProposalId(string ) view returns(uint256)
func (govMinter *GovMinter) TryPackDepositIdToProposalId(arg0 string) ([]byte, error) {
	return govMinter.abi.Pack("depositIdToProposalId", arg0)
}

// UnpackDepositIdToProposalId is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x6e46aad8.
//
// Solidity: function depositIdToProposalId(string ) view returns(uint256)
func (govMinter *GovMinter) UnpackDepositIdToProposalId(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("depositIdToProposalId", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
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

// PackExecutedDepositIds is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x71ef5052.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function executedDepositIds(string ) view returns(bool)
func (govMinter *GovMinter) PackExecutedDepositIds(arg0 string) []byte {
	enc, err := govMinter.abi.Pack("executedDepositIds", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackExecutedDepositIds is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x71ef5052.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function executedDepositIds(string ) view returns(bool)
func (govMinter *GovMinter) TryPackExecutedDepositIds(arg0 string) ([]byte, error) {
	return govMinter.abi.Pack("executedDepositIds", arg0)
}

// UnpackExecutedDepositIds is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x71ef5052.
//
// Solidity: function executedDepositIds(string ) view returns(bool)
func (govMinter *GovMinter) UnpackExecutedDepositIds(data []byte) (bool, error) {
	out, err := govMinter.abi.Unpack("executedDepositIds", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackExecutedWithdrawalIds is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x465b37e6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function executedWithdrawalIds(string ) view returns(bool)
func (govMinter *GovMinter) PackExecutedWithdrawalIds(arg0 string) []byte {
	enc, err := govMinter.abi.Pack("executedWithdrawalIds", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackExecutedWithdrawalIds is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x465b37e6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function executedWithdrawalIds(string ) view returns(bool)
func (govMinter *GovMinter) TryPackExecutedWithdrawalIds(arg0 string) ([]byte, error) {
	return govMinter.abi.Pack("executedWithdrawalIds", arg0)
}

// UnpackExecutedWithdrawalIds is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x465b37e6.
//
// Solidity: function executedWithdrawalIds(string ) view returns(bool)
func (govMinter *GovMinter) UnpackExecutedWithdrawalIds(data []byte) (bool, error) {
	out, err := govMinter.abi.Unpack("executedWithdrawalIds", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackFiatToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a724a26.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fiatToken() view returns(address)
func (govMinter *GovMinter) PackFiatToken() []byte {
	enc, err := govMinter.abi.Pack("fiatToken")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFiatToken is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a724a26.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fiatToken() view returns(address)
func (govMinter *GovMinter) TryPackFiatToken() ([]byte, error) {
	return govMinter.abi.Pack("fiatToken")
}

// UnpackFiatToken is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5a724a26.
//
// Solidity: function fiatToken() view returns(address)
func (govMinter *GovMinter) UnpackFiatToken(data []byte) (common.Address, error) {
	out, err := govMinter.abi.Unpack("fiatToken", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackMintProposalAmounts is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd5efe813.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function mintProposalAmounts(uint256 ) view returns(uint256)
func (govMinter *GovMinter) PackMintProposalAmounts(arg0 *big.Int) []byte {
	enc, err := govMinter.abi.Pack("mintProposalAmounts", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMintProposalAmounts is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd5efe813.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function mintProposalAmounts(uint256 ) view returns(uint256)
func (govMinter *GovMinter) TryPackMintProposalAmounts(arg0 *big.Int) ([]byte, error) {
	return govMinter.abi.Pack("mintProposalAmounts", arg0)
}

// UnpackMintProposalAmounts is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd5efe813.
//
// Solidity: function mintProposalAmounts(uint256 ) view returns(uint256)
func (govMinter *GovMinter) UnpackMintProposalAmounts(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("mintProposalAmounts", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
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

// PackRefundableBalance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb03d36cd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function refundableBalance(address ) view returns(uint256)
func (govMinter *GovMinter) PackRefundableBalance(arg0 common.Address) []byte {
	enc, err := govMinter.abi.Pack("refundableBalance", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRefundableBalance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb03d36cd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function refundableBalance(address ) view returns(uint256)
func (govMinter *GovMinter) TryPackRefundableBalance(arg0 common.Address) ([]byte, error) {
	return govMinter.abi.Pack("refundableBalance", arg0)
}

// UnpackRefundableBalance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xb03d36cd.
//
// Solidity: function refundableBalance(address ) view returns(uint256)
func (govMinter *GovMinter) UnpackRefundableBalance(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("refundableBalance", data)
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

// PackUsedProofHashes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd87318b2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function usedProofHashes(bytes32 ) view returns(bool)
func (govMinter *GovMinter) PackUsedProofHashes(arg0 [32]byte) []byte {
	enc, err := govMinter.abi.Pack("usedProofHashes", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUsedProofHashes is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd87318b2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function usedProofHashes(bytes32 ) view returns(bool)
func (govMinter *GovMinter) TryPackUsedProofHashes(arg0 [32]byte) ([]byte, error) {
	return govMinter.abi.Pack("usedProofHashes", arg0)
}

// UnpackUsedProofHashes is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd87318b2.
//
// Solidity: function usedProofHashes(bytes32 ) view returns(bool)
func (govMinter *GovMinter) UnpackUsedProofHashes(data []byte) (bool, error) {
	out, err := govMinter.abi.Unpack("usedProofHashes", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackWithdrawalIdToProposalId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9a4dcd35.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function withdrawalIdToProposalId(string ) view returns(uint256)
func (govMinter *GovMinter) PackWithdrawalIdToProposalId(arg0 string) []byte {
	enc, err := govMinter.abi.Pack("withdrawalIdToProposalId", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackWithdrawalIdToProposalId is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9a4dcd35.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function withdrawalIdToProposalId(string ) view returns(uint256)
func (govMinter *GovMinter) TryPackWithdrawalIdToProposalId(arg0 string) ([]byte, error) {
	return govMinter.abi.Pack("withdrawalIdToProposalId", arg0)
}

// UnpackWithdrawalIdToProposalId is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x9a4dcd35.
//
// Solidity: function withdrawalIdToProposalId(string ) view returns(uint256)
func (govMinter *GovMinter) UnpackWithdrawalIdToProposalId(data []byte) (*big.Int, error) {
	out, err := govMinter.abi.Unpack("withdrawalIdToProposalId", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// GovMinterBurnDepositRefunded represents a BurnDepositRefunded event raised by the GovMinter contract.
type GovMinterBurnDepositRefunded struct {
	ProposalId *big.Int
	Requester  common.Address
	Amount     *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovMinterBurnDepositRefundedEventName = "BurnDepositRefunded"

// ContractEventName returns the user-defined event name.
func (GovMinterBurnDepositRefunded) ContractEventName() string {
	return GovMinterBurnDepositRefundedEventName
}

// UnpackBurnDepositRefundedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event BurnDepositRefunded(uint256 indexed proposalId, address indexed requester, uint256 amount)
func (govMinter *GovMinter) UnpackBurnDepositRefundedEvent(log *types.Log) (*GovMinterBurnDepositRefunded, error) {
	event := "BurnDepositRefunded"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMinterBurnDepositRefunded)
	if len(log.Data) > 0 {
		if err := govMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMinterBurnExecuted represents a BurnExecuted event raised by the GovMinter contract.
type GovMinterBurnExecuted struct {
	From         common.Address
	Amount       *big.Int
	WithdrawalId string
	Raw          *types.Log // Blockchain specific contextual infos
}

const GovMinterBurnExecutedEventName = "BurnExecuted"

// ContractEventName returns the user-defined event name.
func (GovMinterBurnExecuted) ContractEventName() string {
	return GovMinterBurnExecutedEventName
}

// UnpackBurnExecutedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event BurnExecuted(address indexed from, uint256 indexed amount, string withdrawalId)
func (govMinter *GovMinter) UnpackBurnExecutedEvent(log *types.Log) (*GovMinterBurnExecuted, error) {
	event := "BurnExecuted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMinterBurnExecuted)
	if len(log.Data) > 0 {
		if err := govMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMinterBurnPrepaid represents a BurnPrepaid event raised by the GovMinter contract.
type GovMinterBurnPrepaid struct {
	User   common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const GovMinterBurnPrepaidEventName = "BurnPrepaid"

// ContractEventName returns the user-defined event name.
func (GovMinterBurnPrepaid) ContractEventName() string {
	return GovMinterBurnPrepaidEventName
}

// UnpackBurnPrepaidEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event BurnPrepaid(address indexed user, uint256 amount)
func (govMinter *GovMinter) UnpackBurnPrepaidEvent(log *types.Log) (*GovMinterBurnPrepaid, error) {
	event := "BurnPrepaid"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMinterBurnPrepaid)
	if len(log.Data) > 0 {
		if err := govMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMinterBurnRefundClaimed represents a BurnRefundClaimed event raised by the GovMinter contract.
type GovMinterBurnRefundClaimed struct {
	Requester common.Address
	Amount    *big.Int
	Raw       *types.Log // Blockchain specific contextual infos
}

const GovMinterBurnRefundClaimedEventName = "BurnRefundClaimed"

// ContractEventName returns the user-defined event name.
func (GovMinterBurnRefundClaimed) ContractEventName() string {
	return GovMinterBurnRefundClaimedEventName
}

// UnpackBurnRefundClaimedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event BurnRefundClaimed(address indexed requester, uint256 amount)
func (govMinter *GovMinter) UnpackBurnRefundClaimedEvent(log *types.Log) (*GovMinterBurnRefundClaimed, error) {
	event := "BurnRefundClaimed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMinterBurnRefundClaimed)
	if len(log.Data) > 0 {
		if err := govMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMinterDepositMintProposed represents a DepositMintProposed event raised by the GovMinter contract.
type GovMinterDepositMintProposed struct {
	ProposalId    *big.Int
	DepositId     common.Hash
	Requester     common.Address
	Beneficiary   common.Address
	Amount        *big.Int
	BankReference string
	Raw           *types.Log // Blockchain specific contextual infos
}

const GovMinterDepositMintProposedEventName = "DepositMintProposed"

// ContractEventName returns the user-defined event name.
func (GovMinterDepositMintProposed) ContractEventName() string {
	return GovMinterDepositMintProposedEventName
}

// UnpackDepositMintProposedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event DepositMintProposed(uint256 indexed proposalId, string indexed depositId, address indexed requester, address beneficiary, uint256 amount, string bankReference)
func (govMinter *GovMinter) UnpackDepositMintProposedEvent(log *types.Log) (*GovMinterDepositMintProposed, error) {
	event := "DepositMintProposed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMinterDepositMintProposed)
	if len(log.Data) > 0 {
		if err := govMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMinterEmergencyPaused represents a EmergencyPaused event raised by the GovMinter contract.
type GovMinterEmergencyPaused struct {
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovMinterEmergencyPausedEventName = "EmergencyPaused"

// ContractEventName returns the user-defined event name.
func (GovMinterEmergencyPaused) ContractEventName() string {
	return GovMinterEmergencyPausedEventName
}

// UnpackEmergencyPausedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event EmergencyPaused(uint256 indexed proposalId)
func (govMinter *GovMinter) UnpackEmergencyPausedEvent(log *types.Log) (*GovMinterEmergencyPaused, error) {
	event := "EmergencyPaused"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMinterEmergencyPaused)
	if len(log.Data) > 0 {
		if err := govMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovMinterEmergencyUnpaused represents a EmergencyUnpaused event raised by the GovMinter contract.
type GovMinterEmergencyUnpaused struct {
	ProposalId *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovMinterEmergencyUnpausedEventName = "EmergencyUnpaused"

// ContractEventName returns the user-defined event name.
func (GovMinterEmergencyUnpaused) ContractEventName() string {
	return GovMinterEmergencyUnpausedEventName
}

// UnpackEmergencyUnpausedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event EmergencyUnpaused(uint256 indexed proposalId)
func (govMinter *GovMinter) UnpackEmergencyUnpausedEvent(log *types.Log) (*GovMinterEmergencyUnpaused, error) {
	event := "EmergencyUnpaused"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govMinter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovMinterEmergencyUnpaused)
	if len(log.Data) > 0 {
		if err := govMinter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govMinter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (govMinter *GovMinter) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], govMinter.abi.Errors["BurnAmountMismatch"].ID.Bytes()[:4]) {
		return govMinter.UnpackBurnAmountMismatchError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["BurnFromMustBeProposer"].ID.Bytes()[:4]) {
		return govMinter.UnpackBurnFromMustBeProposerError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["ContractNotPaused"].ID.Bytes()[:4]) {
		return govMinter.UnpackContractNotPausedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["ContractPaused"].ID.Bytes()[:4]) {
		return govMinter.UnpackContractPausedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["DepositIdAlreadyUsed"].ID.Bytes()[:4]) {
		return govMinter.UnpackDepositIdAlreadyUsedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["DepositIdInUse"].ID.Bytes()[:4]) {
		return govMinter.UnpackDepositIdInUseError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InsufficientBurnBalance"].ID.Bytes()[:4]) {
		return govMinter.UnpackInsufficientBurnBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InsufficientMinterAllowance"].ID.Bytes()[:4]) {
		return govMinter.UnpackInsufficientMinterAllowanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidAmount"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidAmountError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidBankReference"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidBankReferenceError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidBeneficiary"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidBeneficiaryError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidDepositId"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidDepositIdError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidProofData"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidProofDataError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidTargetAddress"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidTargetAddressError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidTokenAddress"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidTokenAddressError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["InvalidWithdrawalId"].ID.Bytes()[:4]) {
		return govMinter.UnpackInvalidWithdrawalIdError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["MintFailed"].ID.Bytes()[:4]) {
		return govMinter.UnpackMintFailedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["NoRefundAvailable"].ID.Bytes()[:4]) {
		return govMinter.UnpackNoRefundAvailableError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["ProofAlreadyUsed"].ID.Bytes()[:4]) {
		return govMinter.UnpackProofAlreadyUsedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["RefundTransferFailed"].ID.Bytes()[:4]) {
		return govMinter.UnpackRefundTransferFailedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["WithdrawalIdAlreadyUsed"].ID.Bytes()[:4]) {
		return govMinter.UnpackWithdrawalIdAlreadyUsedError(raw[4:])
	}
	if bytes.Equal(raw[:4], govMinter.abi.Errors["WithdrawalIdInUse"].ID.Bytes()[:4]) {
		return govMinter.UnpackWithdrawalIdInUseError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// GovMinterBurnAmountMismatch represents a BurnAmountMismatch error raised by the GovMinter contract.
type GovMinterBurnAmountMismatch struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BurnAmountMismatch()
func GovMinterBurnAmountMismatchErrorID() common.Hash {
	return common.HexToHash("0xa4ab8ae7d11f62ac4e0a229c5a6d5be948837f67eb1c18b3568ddd409dc9dab4")
}

// UnpackBurnAmountMismatchError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BurnAmountMismatch()
func (govMinter *GovMinter) UnpackBurnAmountMismatchError(raw []byte) (*GovMinterBurnAmountMismatch, error) {
	out := new(GovMinterBurnAmountMismatch)
	if err := govMinter.abi.UnpackIntoInterface(out, "BurnAmountMismatch", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterBurnFromMustBeProposer represents a BurnFromMustBeProposer error raised by the GovMinter contract.
type GovMinterBurnFromMustBeProposer struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error BurnFromMustBeProposer()
func GovMinterBurnFromMustBeProposerErrorID() common.Hash {
	return common.HexToHash("0x67d36ef9ebff77db849376cf8e1b02cdf1144ac2cfb02a8542fd61c238e065cd")
}

// UnpackBurnFromMustBeProposerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error BurnFromMustBeProposer()
func (govMinter *GovMinter) UnpackBurnFromMustBeProposerError(raw []byte) (*GovMinterBurnFromMustBeProposer, error) {
	out := new(GovMinterBurnFromMustBeProposer)
	if err := govMinter.abi.UnpackIntoInterface(out, "BurnFromMustBeProposer", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterContractNotPaused represents a ContractNotPaused error raised by the GovMinter contract.
type GovMinterContractNotPaused struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ContractNotPaused()
func GovMinterContractNotPausedErrorID() common.Hash {
	return common.HexToHash("0xdcdde9dd57f2c462524b1f86add9cca86585a7e19f1560bbffd143cae135b06d")
}

// UnpackContractNotPausedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ContractNotPaused()
func (govMinter *GovMinter) UnpackContractNotPausedError(raw []byte) (*GovMinterContractNotPaused, error) {
	out := new(GovMinterContractNotPaused)
	if err := govMinter.abi.UnpackIntoInterface(out, "ContractNotPaused", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterContractPaused represents a ContractPaused error raised by the GovMinter contract.
type GovMinterContractPaused struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ContractPaused()
func GovMinterContractPausedErrorID() common.Hash {
	return common.HexToHash("0xab35696f06e428ebc5ceba8cd17f8fed287baf43440206d1943af1ee53e6d267")
}

// UnpackContractPausedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ContractPaused()
func (govMinter *GovMinter) UnpackContractPausedError(raw []byte) (*GovMinterContractPaused, error) {
	out := new(GovMinterContractPaused)
	if err := govMinter.abi.UnpackIntoInterface(out, "ContractPaused", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterDepositIdAlreadyUsed represents a DepositIdAlreadyUsed error raised by the GovMinter contract.
type GovMinterDepositIdAlreadyUsed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DepositIdAlreadyUsed()
func GovMinterDepositIdAlreadyUsedErrorID() common.Hash {
	return common.HexToHash("0xe9e70a8227a0b03cce63f643ae9e1925659f10190221a9cc282dee05e4c0065c")
}

// UnpackDepositIdAlreadyUsedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DepositIdAlreadyUsed()
func (govMinter *GovMinter) UnpackDepositIdAlreadyUsedError(raw []byte) (*GovMinterDepositIdAlreadyUsed, error) {
	out := new(GovMinterDepositIdAlreadyUsed)
	if err := govMinter.abi.UnpackIntoInterface(out, "DepositIdAlreadyUsed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterDepositIdInUse represents a DepositIdInUse error raised by the GovMinter contract.
type GovMinterDepositIdInUse struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DepositIdInUse()
func GovMinterDepositIdInUseErrorID() common.Hash {
	return common.HexToHash("0x06c134748bd2e8edd4dc21ad962341f5d9a47d9185b1555b10674063760ad906")
}

// UnpackDepositIdInUseError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DepositIdInUse()
func (govMinter *GovMinter) UnpackDepositIdInUseError(raw []byte) (*GovMinterDepositIdInUse, error) {
	out := new(GovMinterDepositIdInUse)
	if err := govMinter.abi.UnpackIntoInterface(out, "DepositIdInUse", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInsufficientBurnBalance represents a InsufficientBurnBalance error raised by the GovMinter contract.
type GovMinterInsufficientBurnBalance struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientBurnBalance()
func GovMinterInsufficientBurnBalanceErrorID() common.Hash {
	return common.HexToHash("0x931461724f779fc9e0e6fc244d21c16d58324502f399a4f3660863c5a3ccee84")
}

// UnpackInsufficientBurnBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientBurnBalance()
func (govMinter *GovMinter) UnpackInsufficientBurnBalanceError(raw []byte) (*GovMinterInsufficientBurnBalance, error) {
	out := new(GovMinterInsufficientBurnBalance)
	if err := govMinter.abi.UnpackIntoInterface(out, "InsufficientBurnBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInsufficientMinterAllowance represents a InsufficientMinterAllowance error raised by the GovMinter contract.
type GovMinterInsufficientMinterAllowance struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientMinterAllowance()
func GovMinterInsufficientMinterAllowanceErrorID() common.Hash {
	return common.HexToHash("0xfd736106d2a69757d8a02d5122869e6b0d88c13a3e0f569cb86ca4647aa98651")
}

// UnpackInsufficientMinterAllowanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientMinterAllowance()
func (govMinter *GovMinter) UnpackInsufficientMinterAllowanceError(raw []byte) (*GovMinterInsufficientMinterAllowance, error) {
	out := new(GovMinterInsufficientMinterAllowance)
	if err := govMinter.abi.UnpackIntoInterface(out, "InsufficientMinterAllowance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidAmount represents a InvalidAmount error raised by the GovMinter contract.
type GovMinterInvalidAmount struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidAmount()
func GovMinterInvalidAmountErrorID() common.Hash {
	return common.HexToHash("0x2c5211c6cb73b16841677a034781e8336d18ce66df858e54153c86854e11f7b8")
}

// UnpackInvalidAmountError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidAmount()
func (govMinter *GovMinter) UnpackInvalidAmountError(raw []byte) (*GovMinterInvalidAmount, error) {
	out := new(GovMinterInvalidAmount)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidAmount", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidBankReference represents a InvalidBankReference error raised by the GovMinter contract.
type GovMinterInvalidBankReference struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidBankReference()
func GovMinterInvalidBankReferenceErrorID() common.Hash {
	return common.HexToHash("0xa5cb24a726f6498cbd567116fefaed7b8cded854f4b5c87e4ca810a51fe67420")
}

// UnpackInvalidBankReferenceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidBankReference()
func (govMinter *GovMinter) UnpackInvalidBankReferenceError(raw []byte) (*GovMinterInvalidBankReference, error) {
	out := new(GovMinterInvalidBankReference)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidBankReference", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidBeneficiary represents a InvalidBeneficiary error raised by the GovMinter contract.
type GovMinterInvalidBeneficiary struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidBeneficiary()
func GovMinterInvalidBeneficiaryErrorID() common.Hash {
	return common.HexToHash("0x5566df5cdafd2b10e48cbaa4c78acc04bb5fd57c415457db5486c5735af165fc")
}

// UnpackInvalidBeneficiaryError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidBeneficiary()
func (govMinter *GovMinter) UnpackInvalidBeneficiaryError(raw []byte) (*GovMinterInvalidBeneficiary, error) {
	out := new(GovMinterInvalidBeneficiary)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidBeneficiary", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidDepositId represents a InvalidDepositId error raised by the GovMinter contract.
type GovMinterInvalidDepositId struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidDepositId()
func GovMinterInvalidDepositIdErrorID() common.Hash {
	return common.HexToHash("0xa2ca05e1c4f99def0be49717dc594d91a12fcdea3ab0796650d4d130be88a38b")
}

// UnpackInvalidDepositIdError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidDepositId()
func (govMinter *GovMinter) UnpackInvalidDepositIdError(raw []byte) (*GovMinterInvalidDepositId, error) {
	out := new(GovMinterInvalidDepositId)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidDepositId", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidProofData represents a InvalidProofData error raised by the GovMinter contract.
type GovMinterInvalidProofData struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidProofData()
func GovMinterInvalidProofDataErrorID() common.Hash {
	return common.HexToHash("0xe3e9432639350035bd814ce692d2fc2f256b0ae9728a298d56a9e7156f5002bb")
}

// UnpackInvalidProofDataError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidProofData()
func (govMinter *GovMinter) UnpackInvalidProofDataError(raw []byte) (*GovMinterInvalidProofData, error) {
	out := new(GovMinterInvalidProofData)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidProofData", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidTargetAddress represents a InvalidTargetAddress error raised by the GovMinter contract.
type GovMinterInvalidTargetAddress struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidTargetAddress()
func GovMinterInvalidTargetAddressErrorID() common.Hash {
	return common.HexToHash("0xf1a492cccd90664baefd931c8fbc8e6c2fde0e4a89a9cc800f1ccb65b434a5a3")
}

// UnpackInvalidTargetAddressError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidTargetAddress()
func (govMinter *GovMinter) UnpackInvalidTargetAddressError(raw []byte) (*GovMinterInvalidTargetAddress, error) {
	out := new(GovMinterInvalidTargetAddress)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidTargetAddress", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidTokenAddress represents a InvalidTokenAddress error raised by the GovMinter contract.
type GovMinterInvalidTokenAddress struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidTokenAddress()
func GovMinterInvalidTokenAddressErrorID() common.Hash {
	return common.HexToHash("0x1eb00b060744db3481faf0194406a24519f5ebec8d2a15aa546096e06fd8c96c")
}

// UnpackInvalidTokenAddressError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidTokenAddress()
func (govMinter *GovMinter) UnpackInvalidTokenAddressError(raw []byte) (*GovMinterInvalidTokenAddress, error) {
	out := new(GovMinterInvalidTokenAddress)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidTokenAddress", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterInvalidWithdrawalId represents a InvalidWithdrawalId error raised by the GovMinter contract.
type GovMinterInvalidWithdrawalId struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidWithdrawalId()
func GovMinterInvalidWithdrawalIdErrorID() common.Hash {
	return common.HexToHash("0xf57f9d7d2d7c276a8f1ab1aa5c6ab9f1e3cd729e23de22bccbc477dc853596e5")
}

// UnpackInvalidWithdrawalIdError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidWithdrawalId()
func (govMinter *GovMinter) UnpackInvalidWithdrawalIdError(raw []byte) (*GovMinterInvalidWithdrawalId, error) {
	out := new(GovMinterInvalidWithdrawalId)
	if err := govMinter.abi.UnpackIntoInterface(out, "InvalidWithdrawalId", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterMintFailed represents a MintFailed error raised by the GovMinter contract.
type GovMinterMintFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MintFailed()
func GovMinterMintFailedErrorID() common.Hash {
	return common.HexToHash("0x07637bd8c529eaaf83a4ba0751193400dbbdf1058dc9580997b37619f49299af")
}

// UnpackMintFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MintFailed()
func (govMinter *GovMinter) UnpackMintFailedError(raw []byte) (*GovMinterMintFailed, error) {
	out := new(GovMinterMintFailed)
	if err := govMinter.abi.UnpackIntoInterface(out, "MintFailed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterNoRefundAvailable represents a NoRefundAvailable error raised by the GovMinter contract.
type GovMinterNoRefundAvailable struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NoRefundAvailable()
func GovMinterNoRefundAvailableErrorID() common.Hash {
	return common.HexToHash("0xe49c14cb1a0fa6d3763b943fd4458db1103ac29b7fe03f599732df79549821d0")
}

// UnpackNoRefundAvailableError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NoRefundAvailable()
func (govMinter *GovMinter) UnpackNoRefundAvailableError(raw []byte) (*GovMinterNoRefundAvailable, error) {
	out := new(GovMinterNoRefundAvailable)
	if err := govMinter.abi.UnpackIntoInterface(out, "NoRefundAvailable", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterProofAlreadyUsed represents a ProofAlreadyUsed error raised by the GovMinter contract.
type GovMinterProofAlreadyUsed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ProofAlreadyUsed()
func GovMinterProofAlreadyUsedErrorID() common.Hash {
	return common.HexToHash("0xc9838a653e522fd496d34dd47578b2e3e32c0622fd254ba95a90268d917bd9be")
}

// UnpackProofAlreadyUsedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ProofAlreadyUsed()
func (govMinter *GovMinter) UnpackProofAlreadyUsedError(raw []byte) (*GovMinterProofAlreadyUsed, error) {
	out := new(GovMinterProofAlreadyUsed)
	if err := govMinter.abi.UnpackIntoInterface(out, "ProofAlreadyUsed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterRefundTransferFailed represents a RefundTransferFailed error raised by the GovMinter contract.
type GovMinterRefundTransferFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error RefundTransferFailed()
func GovMinterRefundTransferFailedErrorID() common.Hash {
	return common.HexToHash("0xcbe4e8c307cd9a03180bd18c194e8169128259fe72ca538702c540fd0ad404dd")
}

// UnpackRefundTransferFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error RefundTransferFailed()
func (govMinter *GovMinter) UnpackRefundTransferFailedError(raw []byte) (*GovMinterRefundTransferFailed, error) {
	out := new(GovMinterRefundTransferFailed)
	if err := govMinter.abi.UnpackIntoInterface(out, "RefundTransferFailed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterWithdrawalIdAlreadyUsed represents a WithdrawalIdAlreadyUsed error raised by the GovMinter contract.
type GovMinterWithdrawalIdAlreadyUsed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error WithdrawalIdAlreadyUsed()
func GovMinterWithdrawalIdAlreadyUsedErrorID() common.Hash {
	return common.HexToHash("0xe7f89b78a619b11f801aef1858186a9ced0d5a648774935c094bc2ffab20b468")
}

// UnpackWithdrawalIdAlreadyUsedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error WithdrawalIdAlreadyUsed()
func (govMinter *GovMinter) UnpackWithdrawalIdAlreadyUsedError(raw []byte) (*GovMinterWithdrawalIdAlreadyUsed, error) {
	out := new(GovMinterWithdrawalIdAlreadyUsed)
	if err := govMinter.abi.UnpackIntoInterface(out, "WithdrawalIdAlreadyUsed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovMinterWithdrawalIdInUse represents a WithdrawalIdInUse error raised by the GovMinter contract.
type GovMinterWithdrawalIdInUse struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error WithdrawalIdInUse()
func GovMinterWithdrawalIdInUseErrorID() common.Hash {
	return common.HexToHash("0x4b375b88df7bde6f748f480a917c8676329a9a981fd705c408ff70c2c9799764")
}

// UnpackWithdrawalIdInUseError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error WithdrawalIdInUse()
func (govMinter *GovMinter) UnpackWithdrawalIdInUseError(raw []byte) (*GovMinterWithdrawalIdInUse, error) {
	out := new(GovMinterWithdrawalIdInUse)
	if err := govMinter.abi.UnpackIntoInterface(out, "WithdrawalIdInUse", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorMetaData contains all meta data concerning the GovValidator contract.
var GovValidatorMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"AlreadyRegisteredBlsKey\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AlreadyValidatorExists\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"FailedToVerifyBlsKey\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidBlsKey\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidBlsKeyLength\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidGasTip\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidSignatureLength\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidValidator\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NoConfigurationChanging\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"SameGasTip\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"oldTip\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"newTip\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"updater\",\"type\":\"address\"}],\"name\":\"GasTipUpdated\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"ACTION_SET_GAS_TIP\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"BLS_PUBLIC_KEY_LENGTH\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"BLS_SIGNATURE_LENGTH\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bytes\",\"name\":\"\",\"type\":\"bytes\"}],\"name\":\"blsKeyToValidator\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"blsPoP\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"_newValidator\",\"type\":\"address\"},{\"internalType\":\"bytes\",\"name\":\"_blsKey\",\"type\":\"bytes\"},{\"internalType\":\"bytes\",\"name\":\"_blsSig\",\"type\":\"bytes\"}],\"name\":\"configureValidator\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"gasTip\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getGasTipGwei\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"_validator\",\"type\":\"address\"}],\"name\":\"isValidator\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"operatorToValidator\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"_newTip\",\"type\":\"uint256\"}],\"name\":\"proposeGasTip\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"validatorCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"validatorList\",\"outputs\":[{\"internalType\":\"address[]\",\"name\":\"\",\"type\":\"address[]\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"validatorToBlsKey\",\"outputs\":[{\"internalType\":\"bytes\",\"name\":\"\",\"type\":\"bytes\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"validatorToOperator\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
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

// PackACTIONSETGASTIP is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x563123e6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_SET_GAS_TIP() view returns(bytes32)
func (govValidator *GovValidator) PackACTIONSETGASTIP() []byte {
	enc, err := govValidator.abi.Pack("ACTION_SET_GAS_TIP")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONSETGASTIP is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x563123e6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_SET_GAS_TIP() view returns(bytes32)
func (govValidator *GovValidator) TryPackACTIONSETGASTIP() ([]byte, error) {
	return govValidator.abi.Pack("ACTION_SET_GAS_TIP")
}

// UnpackACTIONSETGASTIP is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x563123e6.
//
// Solidity: function ACTION_SET_GAS_TIP() view returns(bytes32)
func (govValidator *GovValidator) UnpackACTIONSETGASTIP(data []byte) ([32]byte, error) {
	out, err := govValidator.abi.Unpack("ACTION_SET_GAS_TIP", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackBLSPUBLICKEYLENGTH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8280a25a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function BLS_PUBLIC_KEY_LENGTH() view returns(uint256)
func (govValidator *GovValidator) PackBLSPUBLICKEYLENGTH() []byte {
	enc, err := govValidator.abi.Pack("BLS_PUBLIC_KEY_LENGTH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBLSPUBLICKEYLENGTH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8280a25a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function BLS_PUBLIC_KEY_LENGTH() view returns(uint256)
func (govValidator *GovValidator) TryPackBLSPUBLICKEYLENGTH() ([]byte, error) {
	return govValidator.abi.Pack("BLS_PUBLIC_KEY_LENGTH")
}

// UnpackBLSPUBLICKEYLENGTH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8280a25a.
//
// Solidity: function BLS_PUBLIC_KEY_LENGTH() view returns(uint256)
func (govValidator *GovValidator) UnpackBLSPUBLICKEYLENGTH(data []byte) (*big.Int, error) {
	out, err := govValidator.abi.Unpack("BLS_PUBLIC_KEY_LENGTH", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackBLSSIGNATURELENGTH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdfe5b236.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function BLS_SIGNATURE_LENGTH() view returns(uint256)
func (govValidator *GovValidator) PackBLSSIGNATURELENGTH() []byte {
	enc, err := govValidator.abi.Pack("BLS_SIGNATURE_LENGTH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBLSSIGNATURELENGTH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdfe5b236.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function BLS_SIGNATURE_LENGTH() view returns(uint256)
func (govValidator *GovValidator) TryPackBLSSIGNATURELENGTH() ([]byte, error) {
	return govValidator.abi.Pack("BLS_SIGNATURE_LENGTH")
}

// UnpackBLSSIGNATURELENGTH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xdfe5b236.
//
// Solidity: function BLS_SIGNATURE_LENGTH() view returns(uint256)
func (govValidator *GovValidator) UnpackBLSSIGNATURELENGTH(data []byte) (*big.Int, error) {
	out, err := govValidator.abi.Unpack("BLS_SIGNATURE_LENGTH", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackBlsKeyToValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe169eca1.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function blsKeyToValidator(bytes ) view returns(address)
func (govValidator *GovValidator) PackBlsKeyToValidator(arg0 []byte) []byte {
	enc, err := govValidator.abi.Pack("blsKeyToValidator", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBlsKeyToValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe169eca1.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function blsKeyToValidator(bytes ) view returns(address)
func (govValidator *GovValidator) TryPackBlsKeyToValidator(arg0 []byte) ([]byte, error) {
	return govValidator.abi.Pack("blsKeyToValidator", arg0)
}

// UnpackBlsKeyToValidator is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe169eca1.
//
// Solidity: function blsKeyToValidator(bytes ) view returns(address)
func (govValidator *GovValidator) UnpackBlsKeyToValidator(data []byte) (common.Address, error) {
	out, err := govValidator.abi.Unpack("blsKeyToValidator", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackBlsPoP is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf9bf4553.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function blsPoP() view returns(address)
func (govValidator *GovValidator) PackBlsPoP() []byte {
	enc, err := govValidator.abi.Pack("blsPoP")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBlsPoP is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xf9bf4553.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function blsPoP() view returns(address)
func (govValidator *GovValidator) TryPackBlsPoP() ([]byte, error) {
	return govValidator.abi.Pack("blsPoP")
}

// UnpackBlsPoP is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xf9bf4553.
//
// Solidity: function blsPoP() view returns(address)
func (govValidator *GovValidator) UnpackBlsPoP(data []byte) (common.Address, error) {
	out, err := govValidator.abi.Unpack("blsPoP", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
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

// PackGetGasTipGwei is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x040bba71.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getGasTipGwei() view returns(uint256)
func (govValidator *GovValidator) PackGetGasTipGwei() []byte {
	enc, err := govValidator.abi.Pack("getGasTipGwei")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetGasTipGwei is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x040bba71.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getGasTipGwei() view returns(uint256)
func (govValidator *GovValidator) TryPackGetGasTipGwei() ([]byte, error) {
	return govValidator.abi.Pack("getGasTipGwei")
}

// UnpackGetGasTipGwei is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x040bba71.
//
// Solidity: function getGasTipGwei() view returns(uint256)
func (govValidator *GovValidator) UnpackGetGasTipGwei(data []byte) (*big.Int, error) {
	out, err := govValidator.abi.Unpack("getGasTipGwei", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackIsValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfacd743b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isValidator(address _validator) view returns(bool)
func (govValidator *GovValidator) PackIsValidator(validator common.Address) []byte {
	enc, err := govValidator.abi.Pack("isValidator", validator)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsValidator is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfacd743b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isValidator(address _validator) view returns(bool)
func (govValidator *GovValidator) TryPackIsValidator(validator common.Address) ([]byte, error) {
	return govValidator.abi.Pack("isValidator", validator)
}

// UnpackIsValidator is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfacd743b.
//
// Solidity: function isValidator(address _validator) view returns(bool)
func (govValidator *GovValidator) UnpackIsValidator(data []byte) (bool, error) {
	out, err := govValidator.abi.Unpack("isValidator", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
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

// PackValidatorCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0f43a677.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function validatorCount() view returns(uint256)
func (govValidator *GovValidator) PackValidatorCount() []byte {
	enc, err := govValidator.abi.Pack("validatorCount")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackValidatorCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0f43a677.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function validatorCount() view returns(uint256)
func (govValidator *GovValidator) TryPackValidatorCount() ([]byte, error) {
	return govValidator.abi.Pack("validatorCount")
}

// UnpackValidatorCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0f43a677.
//
// Solidity: function validatorCount() view returns(uint256)
func (govValidator *GovValidator) UnpackValidatorCount(data []byte) (*big.Int, error) {
	out, err := govValidator.abi.Unpack("validatorCount", data)
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

// GovValidatorGasTipUpdated represents a GasTipUpdated event raised by the GovValidator contract.
type GovValidatorGasTipUpdated struct {
	OldTip  *big.Int
	NewTip  *big.Int
	Updater common.Address
	Raw     *types.Log // Blockchain specific contextual infos
}

const GovValidatorGasTipUpdatedEventName = "GasTipUpdated"

// ContractEventName returns the user-defined event name.
func (GovValidatorGasTipUpdated) ContractEventName() string {
	return GovValidatorGasTipUpdatedEventName
}

// UnpackGasTipUpdatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event GasTipUpdated(uint256 oldTip, uint256 newTip, address indexed updater)
func (govValidator *GovValidator) UnpackGasTipUpdatedEvent(log *types.Log) (*GovValidatorGasTipUpdated, error) {
	event := "GasTipUpdated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != govValidator.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovValidatorGasTipUpdated)
	if len(log.Data) > 0 {
		if err := govValidator.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range govValidator.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (govValidator *GovValidator) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], govValidator.abi.Errors["AlreadyRegisteredBlsKey"].ID.Bytes()[:4]) {
		return govValidator.UnpackAlreadyRegisteredBlsKeyError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["AlreadyValidatorExists"].ID.Bytes()[:4]) {
		return govValidator.UnpackAlreadyValidatorExistsError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["FailedToVerifyBlsKey"].ID.Bytes()[:4]) {
		return govValidator.UnpackFailedToVerifyBlsKeyError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["InvalidBlsKey"].ID.Bytes()[:4]) {
		return govValidator.UnpackInvalidBlsKeyError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["InvalidBlsKeyLength"].ID.Bytes()[:4]) {
		return govValidator.UnpackInvalidBlsKeyLengthError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["InvalidGasTip"].ID.Bytes()[:4]) {
		return govValidator.UnpackInvalidGasTipError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["InvalidSignatureLength"].ID.Bytes()[:4]) {
		return govValidator.UnpackInvalidSignatureLengthError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["InvalidValidator"].ID.Bytes()[:4]) {
		return govValidator.UnpackInvalidValidatorError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["NoConfigurationChanging"].ID.Bytes()[:4]) {
		return govValidator.UnpackNoConfigurationChangingError(raw[4:])
	}
	if bytes.Equal(raw[:4], govValidator.abi.Errors["SameGasTip"].ID.Bytes()[:4]) {
		return govValidator.UnpackSameGasTipError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// GovValidatorAlreadyRegisteredBlsKey represents a AlreadyRegisteredBlsKey error raised by the GovValidator contract.
type GovValidatorAlreadyRegisteredBlsKey struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AlreadyRegisteredBlsKey()
func GovValidatorAlreadyRegisteredBlsKeyErrorID() common.Hash {
	return common.HexToHash("0x968978b9ab2f348aca3ae9e3919df99e5ca860e1333a71b2f0383a6eca2cf50d")
}

// UnpackAlreadyRegisteredBlsKeyError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AlreadyRegisteredBlsKey()
func (govValidator *GovValidator) UnpackAlreadyRegisteredBlsKeyError(raw []byte) (*GovValidatorAlreadyRegisteredBlsKey, error) {
	out := new(GovValidatorAlreadyRegisteredBlsKey)
	if err := govValidator.abi.UnpackIntoInterface(out, "AlreadyRegisteredBlsKey", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorAlreadyValidatorExists represents a AlreadyValidatorExists error raised by the GovValidator contract.
type GovValidatorAlreadyValidatorExists struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AlreadyValidatorExists()
func GovValidatorAlreadyValidatorExistsErrorID() common.Hash {
	return common.HexToHash("0x7a04e12a34592417512259a847fab8641a41b18ebb417e733a308ba04572ce60")
}

// UnpackAlreadyValidatorExistsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AlreadyValidatorExists()
func (govValidator *GovValidator) UnpackAlreadyValidatorExistsError(raw []byte) (*GovValidatorAlreadyValidatorExists, error) {
	out := new(GovValidatorAlreadyValidatorExists)
	if err := govValidator.abi.UnpackIntoInterface(out, "AlreadyValidatorExists", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorFailedToVerifyBlsKey represents a FailedToVerifyBlsKey error raised by the GovValidator contract.
type GovValidatorFailedToVerifyBlsKey struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FailedToVerifyBlsKey()
func GovValidatorFailedToVerifyBlsKeyErrorID() common.Hash {
	return common.HexToHash("0x20e5cb5378c76482353659f06d969be69b7c323f0579e4685415a0231490ed05")
}

// UnpackFailedToVerifyBlsKeyError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FailedToVerifyBlsKey()
func (govValidator *GovValidator) UnpackFailedToVerifyBlsKeyError(raw []byte) (*GovValidatorFailedToVerifyBlsKey, error) {
	out := new(GovValidatorFailedToVerifyBlsKey)
	if err := govValidator.abi.UnpackIntoInterface(out, "FailedToVerifyBlsKey", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorInvalidBlsKey represents a InvalidBlsKey error raised by the GovValidator contract.
type GovValidatorInvalidBlsKey struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidBlsKey()
func GovValidatorInvalidBlsKeyErrorID() common.Hash {
	return common.HexToHash("0xdd98f1a8748b4a1142baeb3776d9aaef5b219d4c397a370e03bddce5dd91470b")
}

// UnpackInvalidBlsKeyError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidBlsKey()
func (govValidator *GovValidator) UnpackInvalidBlsKeyError(raw []byte) (*GovValidatorInvalidBlsKey, error) {
	out := new(GovValidatorInvalidBlsKey)
	if err := govValidator.abi.UnpackIntoInterface(out, "InvalidBlsKey", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorInvalidBlsKeyLength represents a InvalidBlsKeyLength error raised by the GovValidator contract.
type GovValidatorInvalidBlsKeyLength struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidBlsKeyLength()
func GovValidatorInvalidBlsKeyLengthErrorID() common.Hash {
	return common.HexToHash("0x78fa7d041cd7569e8dcefba5f5816bb19bebda18c8cb44469e97ddb4075fa937")
}

// UnpackInvalidBlsKeyLengthError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidBlsKeyLength()
func (govValidator *GovValidator) UnpackInvalidBlsKeyLengthError(raw []byte) (*GovValidatorInvalidBlsKeyLength, error) {
	out := new(GovValidatorInvalidBlsKeyLength)
	if err := govValidator.abi.UnpackIntoInterface(out, "InvalidBlsKeyLength", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorInvalidGasTip represents a InvalidGasTip error raised by the GovValidator contract.
type GovValidatorInvalidGasTip struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidGasTip()
func GovValidatorInvalidGasTipErrorID() common.Hash {
	return common.HexToHash("0x9d0a544d217b4d872cb941c30d948733dc1869792c92211246e8b8ca229f1cae")
}

// UnpackInvalidGasTipError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidGasTip()
func (govValidator *GovValidator) UnpackInvalidGasTipError(raw []byte) (*GovValidatorInvalidGasTip, error) {
	out := new(GovValidatorInvalidGasTip)
	if err := govValidator.abi.UnpackIntoInterface(out, "InvalidGasTip", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorInvalidSignatureLength represents a InvalidSignatureLength error raised by the GovValidator contract.
type GovValidatorInvalidSignatureLength struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidSignatureLength()
func GovValidatorInvalidSignatureLengthErrorID() common.Hash {
	return common.HexToHash("0x4be6321b1c5c52e8bf12be29c94fdc79660cce8a7886a11425ece4c2331dafa7")
}

// UnpackInvalidSignatureLengthError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidSignatureLength()
func (govValidator *GovValidator) UnpackInvalidSignatureLengthError(raw []byte) (*GovValidatorInvalidSignatureLength, error) {
	out := new(GovValidatorInvalidSignatureLength)
	if err := govValidator.abi.UnpackIntoInterface(out, "InvalidSignatureLength", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorInvalidValidator represents a InvalidValidator error raised by the GovValidator contract.
type GovValidatorInvalidValidator struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidValidator()
func GovValidatorInvalidValidatorErrorID() common.Hash {
	return common.HexToHash("0x682a6e7c20600f361eaefb598cbd5420061f2b13ac94bbde7c6f97af1ebeec30")
}

// UnpackInvalidValidatorError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidValidator()
func (govValidator *GovValidator) UnpackInvalidValidatorError(raw []byte) (*GovValidatorInvalidValidator, error) {
	out := new(GovValidatorInvalidValidator)
	if err := govValidator.abi.UnpackIntoInterface(out, "InvalidValidator", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorNoConfigurationChanging represents a NoConfigurationChanging error raised by the GovValidator contract.
type GovValidatorNoConfigurationChanging struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NoConfigurationChanging()
func GovValidatorNoConfigurationChangingErrorID() common.Hash {
	return common.HexToHash("0xcd73b6166dd36d5363e9ef09b7ca7e8944880388c03302ac446a8d8bd560ac50")
}

// UnpackNoConfigurationChangingError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NoConfigurationChanging()
func (govValidator *GovValidator) UnpackNoConfigurationChangingError(raw []byte) (*GovValidatorNoConfigurationChanging, error) {
	out := new(GovValidatorNoConfigurationChanging)
	if err := govValidator.abi.UnpackIntoInterface(out, "NoConfigurationChanging", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovValidatorSameGasTip represents a SameGasTip error raised by the GovValidator contract.
type GovValidatorSameGasTip struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SameGasTip()
func GovValidatorSameGasTipErrorID() common.Hash {
	return common.HexToHash("0xd224a7bbd36ae0a29a887a4db82eea9d022424beb2a817c07648f5f61d636d57")
}

// UnpackSameGasTipError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SameGasTip()
func (govValidator *GovValidator) UnpackSameGasTipError(raw []byte) (*GovValidatorSameGasTip, error) {
	out := new(GovValidatorSameGasTip)
	if err := govValidator.abi.UnpackIntoInterface(out, "SameGasTip", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceMetaData contains all meta data concerning the Governance contract.
var GovernanceMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"AlreadyAMember\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"AlreadyApproved\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"DuplicateMember\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"IndexOutOfBounds\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InsufficientApprovals\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidMaxProposals\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidMemberAddress\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidMemberVersion\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidProposal\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidProposalExpiry\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"InvalidQuorum\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"MemberIndexOverflow\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NotAMember\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NotProposer\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ProposalAlreadyInVoting\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ProposalNotExecutable\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ProposalNotInVoting\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ReentrantCall\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"TooManyActiveProposals\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"TooManyExecutionAttempts\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"oldMax\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"newMax\",\"type\":\"uint256\"}],\"name\":\"MaxProposalsPerMemberUpdated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"totalMembers\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"MemberAdded\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"oldMember\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newMember\",\"type\":\"address\"}],\"name\":\"MemberChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"totalMembers\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"MemberRemoved\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"approver\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"approved\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"rejected\",\"type\":\"uint256\"}],\"name\":\"ProposalApproved\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"canceller\",\"type\":\"address\"}],\"name\":\"ProposalCancelled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"proposer\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bytes32\",\"name\":\"actionType\",\"type\":\"bytes32\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"memberVersion\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"requiredApprovals\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"callData\",\"type\":\"bytes\"}],\"name\":\"ProposalCreated\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"executor\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"success\",\"type\":\"bool\"}],\"name\":\"ProposalExecuted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"executor\",\"type\":\"address\"}],\"name\":\"ProposalExpired\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"executor\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bytes\",\"name\":\"reason\",\"type\":\"bytes\"}],\"name\":\"ProposalFailed\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"rejector\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"approved\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"rejected\",\"type\":\"uint256\"}],\"name\":\"ProposalRejected\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"voter\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bool\",\"name\":\"approval\",\"type\":\"bool\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"approved\",\"type\":\"uint256\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"rejected\",\"type\":\"uint256\"}],\"name\":\"ProposalVoted\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":false,\"internalType\":\"uint32\",\"name\":\"oldQuorum\",\"type\":\"uint32\"},{\"indexed\":false,\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"QuorumUpdated\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"ACTION_ADD_MEMBER\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_CHANGE_MAX_PROPOSALS\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_CHANGE_MEMBER\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_CHANGE_QUORUM\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"ACTION_REMOVE_MEMBER\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"INITIAL_MEMBER_VERSION\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_MEMBER_INDEX\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"MAX_RETRY_COUNT\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"approveProposal\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"canCreateProposal\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"canExecuteProposal\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"result\",\"type\":\"uint8\"},{\"internalType\":\"uint256\",\"name\":\"attemptsLeft\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"cancelProposal\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newMember\",\"type\":\"address\"}],\"name\":\"changeMember\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"currentProposalId\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"disapproveProposal\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"executeProposal\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"executeWithFailure\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"expireProposal\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"success\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"}],\"name\":\"getMemberActiveProposalCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"targetVersion\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"index\",\"type\":\"uint256\"}],\"name\":\"getMemberAt\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"targetVersion\",\"type\":\"uint256\"}],\"name\":\"getMemberCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"getProposal\",\"outputs\":[{\"components\":[{\"internalType\":\"bytes32\",\"name\":\"actionType\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"memberVersion\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"votedBitmap\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"createdAt\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"executedAt\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"proposer\",\"type\":\"address\"},{\"internalType\":\"uint32\",\"name\":\"requiredApprovals\",\"type\":\"uint32\"},{\"internalType\":\"uint32\",\"name\":\"approved\",\"type\":\"uint32\"},{\"internalType\":\"uint32\",\"name\":\"rejected\",\"type\":\"uint32\"},{\"internalType\":\"enumGovBase.ProposalStatus\",\"name\":\"status\",\"type\":\"uint8\"},{\"internalType\":\"bytes\",\"name\":\"callData\",\"type\":\"bytes\"}],\"internalType\":\"structGovBase.Proposal\",\"name\":\"\",\"type\":\"tuple\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"targetVersion\",\"type\":\"uint256\"}],\"name\":\"getQuorum\",\"outputs\":[{\"internalType\":\"uint32\",\"name\":\"\",\"type\":\"uint32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"hasApproved\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"targetVersion\",\"type\":\"uint256\"}],\"name\":\"isMember\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"isProposalExecutable\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"name\":\"isProposalInVoting\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"maxActiveProposalsPerMember\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"memberActiveProposalCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"memberVersion\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"members\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"isActive\",\"type\":\"bool\"},{\"internalType\":\"uint32\",\"name\":\"joinedAt\",\"type\":\"uint32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"name\":\"proposalExecutionCount\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"proposalExpiry\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"name\":\"proposals\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"actionType\",\"type\":\"bytes32\"},{\"internalType\":\"uint256\",\"name\":\"memberVersion\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"votedBitmap\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"createdAt\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"executedAt\",\"type\":\"uint256\"},{\"internalType\":\"address\",\"name\":\"proposer\",\"type\":\"address\"},{\"internalType\":\"uint32\",\"name\":\"requiredApprovals\",\"type\":\"uint32\"},{\"internalType\":\"uint32\",\"name\":\"approved\",\"type\":\"uint32\"},{\"internalType\":\"uint32\",\"name\":\"rejected\",\"type\":\"uint32\"},{\"internalType\":\"enumGovBase.ProposalStatus\",\"name\":\"status\",\"type\":\"uint8\"},{\"internalType\":\"bytes\",\"name\":\"callData\",\"type\":\"bytes\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"newMember\",\"type\":\"address\"},{\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"proposeAddMember\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"newMax\",\"type\":\"uint256\"}],\"name\":\"proposeChangeMaxProposals\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"proposeChangeQuorum\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"member\",\"type\":\"address\"},{\"internalType\":\"uint32\",\"name\":\"newQuorum\",\"type\":\"uint32\"}],\"name\":\"proposeRemoveMember\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"proposalId\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"quorum\",\"outputs\":[{\"internalType\":\"uint32\",\"name\":\"\",\"type\":\"uint32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"name\":\"versionedMemberList\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
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

// PackACTIONADDMEMBER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa11f9caa.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_ADD_MEMBER() view returns(bytes32)
func (governance *Governance) PackACTIONADDMEMBER() []byte {
	enc, err := governance.abi.Pack("ACTION_ADD_MEMBER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONADDMEMBER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa11f9caa.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_ADD_MEMBER() view returns(bytes32)
func (governance *Governance) TryPackACTIONADDMEMBER() ([]byte, error) {
	return governance.abi.Pack("ACTION_ADD_MEMBER")
}

// UnpackACTIONADDMEMBER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa11f9caa.
//
// Solidity: function ACTION_ADD_MEMBER() view returns(bytes32)
func (governance *Governance) UnpackACTIONADDMEMBER(data []byte) ([32]byte, error) {
	out, err := governance.abi.Unpack("ACTION_ADD_MEMBER", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONCHANGEMAXPROPOSALS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa6c96cad.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_CHANGE_MAX_PROPOSALS() view returns(bytes32)
func (governance *Governance) PackACTIONCHANGEMAXPROPOSALS() []byte {
	enc, err := governance.abi.Pack("ACTION_CHANGE_MAX_PROPOSALS")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONCHANGEMAXPROPOSALS is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa6c96cad.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_CHANGE_MAX_PROPOSALS() view returns(bytes32)
func (governance *Governance) TryPackACTIONCHANGEMAXPROPOSALS() ([]byte, error) {
	return governance.abi.Pack("ACTION_CHANGE_MAX_PROPOSALS")
}

// UnpackACTIONCHANGEMAXPROPOSALS is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa6c96cad.
//
// Solidity: function ACTION_CHANGE_MAX_PROPOSALS() view returns(bytes32)
func (governance *Governance) UnpackACTIONCHANGEMAXPROPOSALS(data []byte) ([32]byte, error) {
	out, err := governance.abi.Unpack("ACTION_CHANGE_MAX_PROPOSALS", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONCHANGEMEMBER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x63bc2f44.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_CHANGE_MEMBER() view returns(bytes32)
func (governance *Governance) PackACTIONCHANGEMEMBER() []byte {
	enc, err := governance.abi.Pack("ACTION_CHANGE_MEMBER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONCHANGEMEMBER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x63bc2f44.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_CHANGE_MEMBER() view returns(bytes32)
func (governance *Governance) TryPackACTIONCHANGEMEMBER() ([]byte, error) {
	return governance.abi.Pack("ACTION_CHANGE_MEMBER")
}

// UnpackACTIONCHANGEMEMBER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x63bc2f44.
//
// Solidity: function ACTION_CHANGE_MEMBER() view returns(bytes32)
func (governance *Governance) UnpackACTIONCHANGEMEMBER(data []byte) ([32]byte, error) {
	out, err := governance.abi.Unpack("ACTION_CHANGE_MEMBER", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONCHANGEQUORUM is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeb1133ee.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_CHANGE_QUORUM() view returns(bytes32)
func (governance *Governance) PackACTIONCHANGEQUORUM() []byte {
	enc, err := governance.abi.Pack("ACTION_CHANGE_QUORUM")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONCHANGEQUORUM is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xeb1133ee.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_CHANGE_QUORUM() view returns(bytes32)
func (governance *Governance) TryPackACTIONCHANGEQUORUM() ([]byte, error) {
	return governance.abi.Pack("ACTION_CHANGE_QUORUM")
}

// UnpackACTIONCHANGEQUORUM is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xeb1133ee.
//
// Solidity: function ACTION_CHANGE_QUORUM() view returns(bytes32)
func (governance *Governance) UnpackACTIONCHANGEQUORUM(data []byte) ([32]byte, error) {
	out, err := governance.abi.Unpack("ACTION_CHANGE_QUORUM", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackACTIONREMOVEMEMBER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x291795f9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function ACTION_REMOVE_MEMBER() view returns(bytes32)
func (governance *Governance) PackACTIONREMOVEMEMBER() []byte {
	enc, err := governance.abi.Pack("ACTION_REMOVE_MEMBER")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackACTIONREMOVEMEMBER is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x291795f9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function ACTION_REMOVE_MEMBER() view returns(bytes32)
func (governance *Governance) TryPackACTIONREMOVEMEMBER() ([]byte, error) {
	return governance.abi.Pack("ACTION_REMOVE_MEMBER")
}

// UnpackACTIONREMOVEMEMBER is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x291795f9.
//
// Solidity: function ACTION_REMOVE_MEMBER() view returns(bytes32)
func (governance *Governance) UnpackACTIONREMOVEMEMBER(data []byte) ([32]byte, error) {
	out, err := governance.abi.Unpack("ACTION_REMOVE_MEMBER", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackINITIALMEMBERVERSION is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x657ceef6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function INITIAL_MEMBER_VERSION() view returns(uint256)
func (governance *Governance) PackINITIALMEMBERVERSION() []byte {
	enc, err := governance.abi.Pack("INITIAL_MEMBER_VERSION")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackINITIALMEMBERVERSION is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x657ceef6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function INITIAL_MEMBER_VERSION() view returns(uint256)
func (governance *Governance) TryPackINITIALMEMBERVERSION() ([]byte, error) {
	return governance.abi.Pack("INITIAL_MEMBER_VERSION")
}

// UnpackINITIALMEMBERVERSION is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x657ceef6.
//
// Solidity: function INITIAL_MEMBER_VERSION() view returns(uint256)
func (governance *Governance) UnpackINITIALMEMBERVERSION(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("INITIAL_MEMBER_VERSION", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMAXMEMBERINDEX is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x774c9ce2.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_MEMBER_INDEX() view returns(uint256)
func (governance *Governance) PackMAXMEMBERINDEX() []byte {
	enc, err := governance.abi.Pack("MAX_MEMBER_INDEX")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXMEMBERINDEX is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x774c9ce2.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_MEMBER_INDEX() view returns(uint256)
func (governance *Governance) TryPackMAXMEMBERINDEX() ([]byte, error) {
	return governance.abi.Pack("MAX_MEMBER_INDEX")
}

// UnpackMAXMEMBERINDEX is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x774c9ce2.
//
// Solidity: function MAX_MEMBER_INDEX() view returns(uint256)
func (governance *Governance) UnpackMAXMEMBERINDEX(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("MAX_MEMBER_INDEX", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackMAXRETRYCOUNT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x011f78c0.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function MAX_RETRY_COUNT() view returns(uint256)
func (governance *Governance) PackMAXRETRYCOUNT() []byte {
	enc, err := governance.abi.Pack("MAX_RETRY_COUNT")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMAXRETRYCOUNT is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x011f78c0.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function MAX_RETRY_COUNT() view returns(uint256)
func (governance *Governance) TryPackMAXRETRYCOUNT() ([]byte, error) {
	return governance.abi.Pack("MAX_RETRY_COUNT")
}

// UnpackMAXRETRYCOUNT is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x011f78c0.
//
// Solidity: function MAX_RETRY_COUNT() view returns(uint256)
func (governance *Governance) UnpackMAXRETRYCOUNT(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("MAX_RETRY_COUNT", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
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

// PackCanCreateProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x73098faf.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function canCreateProposal(address member) view returns(bool)
func (governance *Governance) PackCanCreateProposal(member common.Address) []byte {
	enc, err := governance.abi.Pack("canCreateProposal", member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCanCreateProposal is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x73098faf.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function canCreateProposal(address member) view returns(bool)
func (governance *Governance) TryPackCanCreateProposal(member common.Address) ([]byte, error) {
	return governance.abi.Pack("canCreateProposal", member)
}

// UnpackCanCreateProposal is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x73098faf.
//
// Solidity: function canCreateProposal(address member) view returns(bool)
func (governance *Governance) UnpackCanCreateProposal(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("canCreateProposal", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
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

// PackGetMemberActiveProposalCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdeaa406e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getMemberActiveProposalCount(address member) view returns(uint256)
func (governance *Governance) PackGetMemberActiveProposalCount(member common.Address) []byte {
	enc, err := governance.abi.Pack("getMemberActiveProposalCount", member)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetMemberActiveProposalCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdeaa406e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getMemberActiveProposalCount(address member) view returns(uint256)
func (governance *Governance) TryPackGetMemberActiveProposalCount(member common.Address) ([]byte, error) {
	return governance.abi.Pack("getMemberActiveProposalCount", member)
}

// UnpackGetMemberActiveProposalCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xdeaa406e.
//
// Solidity: function getMemberActiveProposalCount(address member) view returns(uint256)
func (governance *Governance) UnpackGetMemberActiveProposalCount(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("getMemberActiveProposalCount", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
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

// PackGetQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7c5a43ec.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getQuorum(uint256 targetVersion) view returns(uint32)
func (governance *Governance) PackGetQuorum(targetVersion *big.Int) []byte {
	enc, err := governance.abi.Pack("getQuorum", targetVersion)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetQuorum is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7c5a43ec.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getQuorum(uint256 targetVersion) view returns(uint32)
func (governance *Governance) TryPackGetQuorum(targetVersion *big.Int) ([]byte, error) {
	return governance.abi.Pack("getQuorum", targetVersion)
}

// UnpackGetQuorum is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7c5a43ec.
//
// Solidity: function getQuorum(uint256 targetVersion) view returns(uint32)
func (governance *Governance) UnpackGetQuorum(data []byte) (uint32, error) {
	out, err := governance.abi.Unpack("getQuorum", data)
	if err != nil {
		return *new(uint32), err
	}
	out0 := *abi.ConvertType(out[0], new(uint32)).(*uint32)
	return out0, nil
}

// PackHasApproved is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1c189d18.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function hasApproved(address member, uint256 proposalId) view returns(bool)
func (governance *Governance) PackHasApproved(member common.Address, proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("hasApproved", member, proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackHasApproved is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x1c189d18.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function hasApproved(address member, uint256 proposalId) view returns(bool)
func (governance *Governance) TryPackHasApproved(member common.Address, proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("hasApproved", member, proposalId)
}

// UnpackHasApproved is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x1c189d18.
//
// Solidity: function hasApproved(address member, uint256 proposalId) view returns(bool)
func (governance *Governance) UnpackHasApproved(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("hasApproved", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIsMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x85752d03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isMember(address account, uint256 targetVersion) view returns(bool)
func (governance *Governance) PackIsMember(account common.Address, targetVersion *big.Int) []byte {
	enc, err := governance.abi.Pack("isMember", account, targetVersion)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsMember is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x85752d03.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isMember(address account, uint256 targetVersion) view returns(bool)
func (governance *Governance) TryPackIsMember(account common.Address, targetVersion *big.Int) ([]byte, error) {
	return governance.abi.Pack("isMember", account, targetVersion)
}

// UnpackIsMember is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x85752d03.
//
// Solidity: function isMember(address account, uint256 targetVersion) view returns(bool)
func (governance *Governance) UnpackIsMember(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("isMember", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIsProposalExecutable is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8465fc63.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isProposalExecutable(uint256 proposalId) view returns(bool)
func (governance *Governance) PackIsProposalExecutable(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("isProposalExecutable", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsProposalExecutable is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8465fc63.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isProposalExecutable(uint256 proposalId) view returns(bool)
func (governance *Governance) TryPackIsProposalExecutable(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("isProposalExecutable", proposalId)
}

// UnpackIsProposalExecutable is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8465fc63.
//
// Solidity: function isProposalExecutable(uint256 proposalId) view returns(bool)
func (governance *Governance) UnpackIsProposalExecutable(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("isProposalExecutable", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIsProposalInVoting is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3bcb5a7d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isProposalInVoting(uint256 proposalId) view returns(bool)
func (governance *Governance) PackIsProposalInVoting(proposalId *big.Int) []byte {
	enc, err := governance.abi.Pack("isProposalInVoting", proposalId)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsProposalInVoting is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3bcb5a7d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isProposalInVoting(uint256 proposalId) view returns(bool)
func (governance *Governance) TryPackIsProposalInVoting(proposalId *big.Int) ([]byte, error) {
	return governance.abi.Pack("isProposalInVoting", proposalId)
}

// UnpackIsProposalInVoting is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3bcb5a7d.
//
// Solidity: function isProposalInVoting(uint256 proposalId) view returns(bool)
func (governance *Governance) UnpackIsProposalInVoting(data []byte) (bool, error) {
	out, err := governance.abi.Unpack("isProposalInVoting", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
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

// PackMemberActiveProposalCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa96b3a92.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function memberActiveProposalCount(address ) view returns(uint256)
func (governance *Governance) PackMemberActiveProposalCount(arg0 common.Address) []byte {
	enc, err := governance.abi.Pack("memberActiveProposalCount", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMemberActiveProposalCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa96b3a92.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function memberActiveProposalCount(address ) view returns(uint256)
func (governance *Governance) TryPackMemberActiveProposalCount(arg0 common.Address) ([]byte, error) {
	return governance.abi.Pack("memberActiveProposalCount", arg0)
}

// UnpackMemberActiveProposalCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa96b3a92.
//
// Solidity: function memberActiveProposalCount(address ) view returns(uint256)
func (governance *Governance) UnpackMemberActiveProposalCount(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("memberActiveProposalCount", data)
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

// PackMembers is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x08ae4b0c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function members(address ) view returns(bool isActive, uint32 joinedAt)
func (governance *Governance) PackMembers(arg0 common.Address) []byte {
	enc, err := governance.abi.Pack("members", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMembers is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x08ae4b0c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function members(address ) view returns(bool isActive, uint32 joinedAt)
func (governance *Governance) TryPackMembers(arg0 common.Address) ([]byte, error) {
	return governance.abi.Pack("members", arg0)
}

// MembersOutput serves as a container for the return parameters of contract
// method Members.
type MembersOutput struct {
	IsActive bool
	JoinedAt uint32
}

// UnpackMembers is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x08ae4b0c.
//
// Solidity: function members(address ) view returns(bool isActive, uint32 joinedAt)
func (governance *Governance) UnpackMembers(data []byte) (MembersOutput, error) {
	out, err := governance.abi.Unpack("members", data)
	outstruct := new(MembersOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.IsActive = *abi.ConvertType(out[0], new(bool)).(*bool)
	outstruct.JoinedAt = *abi.ConvertType(out[1], new(uint32)).(*uint32)
	return *outstruct, nil
}

// PackProposalExecutionCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x132e578b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposalExecutionCount(uint256 ) view returns(uint256)
func (governance *Governance) PackProposalExecutionCount(arg0 *big.Int) []byte {
	enc, err := governance.abi.Pack("proposalExecutionCount", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposalExecutionCount is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x132e578b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposalExecutionCount(uint256 ) view returns(uint256)
func (governance *Governance) TryPackProposalExecutionCount(arg0 *big.Int) ([]byte, error) {
	return governance.abi.Pack("proposalExecutionCount", arg0)
}

// UnpackProposalExecutionCount is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x132e578b.
//
// Solidity: function proposalExecutionCount(uint256 ) view returns(uint256)
func (governance *Governance) UnpackProposalExecutionCount(data []byte) (*big.Int, error) {
	out, err := governance.abi.Unpack("proposalExecutionCount", data)
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

// PackProposals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x013cf08b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function proposals(uint256 ) view returns(bytes32 actionType, uint256 memberVersion, uint256 votedBitmap, uint256 createdAt, uint256 executedAt, address proposer, uint32 requiredApprovals, uint32 approved, uint32 rejected, uint8 status, bytes callData)
func (governance *Governance) PackProposals(arg0 *big.Int) []byte {
	enc, err := governance.abi.Pack("proposals", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackProposals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x013cf08b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function proposals(uint256 ) view returns(bytes32 actionType, uint256 memberVersion, uint256 votedBitmap, uint256 createdAt, uint256 executedAt, address proposer, uint32 requiredApprovals, uint32 approved, uint32 rejected, uint8 status, bytes callData)
func (governance *Governance) TryPackProposals(arg0 *big.Int) ([]byte, error) {
	return governance.abi.Pack("proposals", arg0)
}

// ProposalsOutput serves as a container for the return parameters of contract
// method Proposals.
type ProposalsOutput struct {
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

// UnpackProposals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x013cf08b.
//
// Solidity: function proposals(uint256 ) view returns(bytes32 actionType, uint256 memberVersion, uint256 votedBitmap, uint256 createdAt, uint256 executedAt, address proposer, uint32 requiredApprovals, uint32 approved, uint32 rejected, uint8 status, bytes callData)
func (governance *Governance) UnpackProposals(data []byte) (ProposalsOutput, error) {
	out, err := governance.abi.Unpack("proposals", data)
	outstruct := new(ProposalsOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.ActionType = *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	outstruct.MemberVersion = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	outstruct.VotedBitmap = abi.ConvertType(out[2], new(big.Int)).(*big.Int)
	outstruct.CreatedAt = abi.ConvertType(out[3], new(big.Int)).(*big.Int)
	outstruct.ExecutedAt = abi.ConvertType(out[4], new(big.Int)).(*big.Int)
	outstruct.Proposer = *abi.ConvertType(out[5], new(common.Address)).(*common.Address)
	outstruct.RequiredApprovals = *abi.ConvertType(out[6], new(uint32)).(*uint32)
	outstruct.Approved = *abi.ConvertType(out[7], new(uint32)).(*uint32)
	outstruct.Rejected = *abi.ConvertType(out[8], new(uint32)).(*uint32)
	outstruct.Status = *abi.ConvertType(out[9], new(uint8)).(*uint8)
	outstruct.CallData = *abi.ConvertType(out[10], new([]byte)).(*[]byte)
	return *outstruct, nil
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

// PackVersionedMemberList is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x65257410.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function versionedMemberList(uint256 , uint256 ) view returns(address)
func (governance *Governance) PackVersionedMemberList(arg0 *big.Int, arg1 *big.Int) []byte {
	enc, err := governance.abi.Pack("versionedMemberList", arg0, arg1)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackVersionedMemberList is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x65257410.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function versionedMemberList(uint256 , uint256 ) view returns(address)
func (governance *Governance) TryPackVersionedMemberList(arg0 *big.Int, arg1 *big.Int) ([]byte, error) {
	return governance.abi.Pack("versionedMemberList", arg0, arg1)
}

// UnpackVersionedMemberList is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x65257410.
//
// Solidity: function versionedMemberList(uint256 , uint256 ) view returns(address)
func (governance *Governance) UnpackVersionedMemberList(data []byte) (common.Address, error) {
	out, err := governance.abi.Unpack("versionedMemberList", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// GovernanceMaxProposalsPerMemberUpdated represents a MaxProposalsPerMemberUpdated event raised by the Governance contract.
type GovernanceMaxProposalsPerMemberUpdated struct {
	OldMax *big.Int
	NewMax *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const GovernanceMaxProposalsPerMemberUpdatedEventName = "MaxProposalsPerMemberUpdated"

// ContractEventName returns the user-defined event name.
func (GovernanceMaxProposalsPerMemberUpdated) ContractEventName() string {
	return GovernanceMaxProposalsPerMemberUpdatedEventName
}

// UnpackMaxProposalsPerMemberUpdatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MaxProposalsPerMemberUpdated(uint256 oldMax, uint256 newMax)
func (governance *Governance) UnpackMaxProposalsPerMemberUpdatedEvent(log *types.Log) (*GovernanceMaxProposalsPerMemberUpdated, error) {
	event := "MaxProposalsPerMemberUpdated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceMaxProposalsPerMemberUpdated)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceMemberAdded represents a MemberAdded event raised by the Governance contract.
type GovernanceMemberAdded struct {
	Member       common.Address
	TotalMembers *big.Int
	NewQuorum    uint32
	Raw          *types.Log // Blockchain specific contextual infos
}

const GovernanceMemberAddedEventName = "MemberAdded"

// ContractEventName returns the user-defined event name.
func (GovernanceMemberAdded) ContractEventName() string {
	return GovernanceMemberAddedEventName
}

// UnpackMemberAddedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MemberAdded(address indexed member, uint256 totalMembers, uint32 newQuorum)
func (governance *Governance) UnpackMemberAddedEvent(log *types.Log) (*GovernanceMemberAdded, error) {
	event := "MemberAdded"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceMemberAdded)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceMemberChanged represents a MemberChanged event raised by the Governance contract.
type GovernanceMemberChanged struct {
	OldMember common.Address
	NewMember common.Address
	Raw       *types.Log // Blockchain specific contextual infos
}

const GovernanceMemberChangedEventName = "MemberChanged"

// ContractEventName returns the user-defined event name.
func (GovernanceMemberChanged) ContractEventName() string {
	return GovernanceMemberChangedEventName
}

// UnpackMemberChangedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MemberChanged(address indexed oldMember, address indexed newMember)
func (governance *Governance) UnpackMemberChangedEvent(log *types.Log) (*GovernanceMemberChanged, error) {
	event := "MemberChanged"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceMemberChanged)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceMemberRemoved represents a MemberRemoved event raised by the Governance contract.
type GovernanceMemberRemoved struct {
	Member       common.Address
	TotalMembers *big.Int
	NewQuorum    uint32
	Raw          *types.Log // Blockchain specific contextual infos
}

const GovernanceMemberRemovedEventName = "MemberRemoved"

// ContractEventName returns the user-defined event name.
func (GovernanceMemberRemoved) ContractEventName() string {
	return GovernanceMemberRemovedEventName
}

// UnpackMemberRemovedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MemberRemoved(address indexed member, uint256 totalMembers, uint32 newQuorum)
func (governance *Governance) UnpackMemberRemovedEvent(log *types.Log) (*GovernanceMemberRemoved, error) {
	event := "MemberRemoved"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceMemberRemoved)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalApproved represents a ProposalApproved event raised by the Governance contract.
type GovernanceProposalApproved struct {
	ProposalId *big.Int
	Approver   common.Address
	Approved   *big.Int
	Rejected   *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalApprovedEventName = "ProposalApproved"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalApproved) ContractEventName() string {
	return GovernanceProposalApprovedEventName
}

// UnpackProposalApprovedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalApproved(uint256 indexed proposalId, address indexed approver, uint256 approved, uint256 rejected)
func (governance *Governance) UnpackProposalApprovedEvent(log *types.Log) (*GovernanceProposalApproved, error) {
	event := "ProposalApproved"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalApproved)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalCancelled represents a ProposalCancelled event raised by the Governance contract.
type GovernanceProposalCancelled struct {
	ProposalId *big.Int
	Canceller  common.Address
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalCancelledEventName = "ProposalCancelled"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalCancelled) ContractEventName() string {
	return GovernanceProposalCancelledEventName
}

// UnpackProposalCancelledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalCancelled(uint256 indexed proposalId, address indexed canceller)
func (governance *Governance) UnpackProposalCancelledEvent(log *types.Log) (*GovernanceProposalCancelled, error) {
	event := "ProposalCancelled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalCancelled)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalCreated represents a ProposalCreated event raised by the Governance contract.
type GovernanceProposalCreated struct {
	ProposalId        *big.Int
	Proposer          common.Address
	ActionType        [32]byte
	MemberVersion     *big.Int
	RequiredApprovals *big.Int
	CallData          []byte
	Raw               *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalCreatedEventName = "ProposalCreated"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalCreated) ContractEventName() string {
	return GovernanceProposalCreatedEventName
}

// UnpackProposalCreatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalCreated(uint256 indexed proposalId, address indexed proposer, bytes32 actionType, uint256 memberVersion, uint256 requiredApprovals, bytes callData)
func (governance *Governance) UnpackProposalCreatedEvent(log *types.Log) (*GovernanceProposalCreated, error) {
	event := "ProposalCreated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalCreated)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalExecuted represents a ProposalExecuted event raised by the Governance contract.
type GovernanceProposalExecuted struct {
	ProposalId *big.Int
	Executor   common.Address
	Success    bool
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalExecutedEventName = "ProposalExecuted"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalExecuted) ContractEventName() string {
	return GovernanceProposalExecutedEventName
}

// UnpackProposalExecutedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalExecuted(uint256 indexed proposalId, address indexed executor, bool success)
func (governance *Governance) UnpackProposalExecutedEvent(log *types.Log) (*GovernanceProposalExecuted, error) {
	event := "ProposalExecuted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalExecuted)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalExpired represents a ProposalExpired event raised by the Governance contract.
type GovernanceProposalExpired struct {
	ProposalId *big.Int
	Executor   common.Address
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalExpiredEventName = "ProposalExpired"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalExpired) ContractEventName() string {
	return GovernanceProposalExpiredEventName
}

// UnpackProposalExpiredEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalExpired(uint256 indexed proposalId, address indexed executor)
func (governance *Governance) UnpackProposalExpiredEvent(log *types.Log) (*GovernanceProposalExpired, error) {
	event := "ProposalExpired"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalExpired)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalFailed represents a ProposalFailed event raised by the Governance contract.
type GovernanceProposalFailed struct {
	ProposalId *big.Int
	Executor   common.Address
	Reason     []byte
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalFailedEventName = "ProposalFailed"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalFailed) ContractEventName() string {
	return GovernanceProposalFailedEventName
}

// UnpackProposalFailedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalFailed(uint256 indexed proposalId, address indexed executor, bytes reason)
func (governance *Governance) UnpackProposalFailedEvent(log *types.Log) (*GovernanceProposalFailed, error) {
	event := "ProposalFailed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalFailed)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalRejected represents a ProposalRejected event raised by the Governance contract.
type GovernanceProposalRejected struct {
	ProposalId *big.Int
	Rejector   common.Address
	Approved   *big.Int
	Rejected   *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalRejectedEventName = "ProposalRejected"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalRejected) ContractEventName() string {
	return GovernanceProposalRejectedEventName
}

// UnpackProposalRejectedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalRejected(uint256 indexed proposalId, address indexed rejector, uint256 approved, uint256 rejected)
func (governance *Governance) UnpackProposalRejectedEvent(log *types.Log) (*GovernanceProposalRejected, error) {
	event := "ProposalRejected"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalRejected)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceProposalVoted represents a ProposalVoted event raised by the Governance contract.
type GovernanceProposalVoted struct {
	ProposalId *big.Int
	Voter      common.Address
	Approval   bool
	Approved   *big.Int
	Rejected   *big.Int
	Raw        *types.Log // Blockchain specific contextual infos
}

const GovernanceProposalVotedEventName = "ProposalVoted"

// ContractEventName returns the user-defined event name.
func (GovernanceProposalVoted) ContractEventName() string {
	return GovernanceProposalVotedEventName
}

// UnpackProposalVotedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ProposalVoted(uint256 indexed proposalId, address indexed voter, bool approval, uint256 approved, uint256 rejected)
func (governance *Governance) UnpackProposalVotedEvent(log *types.Log) (*GovernanceProposalVoted, error) {
	event := "ProposalVoted"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceProposalVoted)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// GovernanceQuorumUpdated represents a QuorumUpdated event raised by the Governance contract.
type GovernanceQuorumUpdated struct {
	OldQuorum uint32
	NewQuorum uint32
	Raw       *types.Log // Blockchain specific contextual infos
}

const GovernanceQuorumUpdatedEventName = "QuorumUpdated"

// ContractEventName returns the user-defined event name.
func (GovernanceQuorumUpdated) ContractEventName() string {
	return GovernanceQuorumUpdatedEventName
}

// UnpackQuorumUpdatedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event QuorumUpdated(uint32 oldQuorum, uint32 newQuorum)
func (governance *Governance) UnpackQuorumUpdatedEvent(log *types.Log) (*GovernanceQuorumUpdated, error) {
	event := "QuorumUpdated"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != governance.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(GovernanceQuorumUpdated)
	if len(log.Data) > 0 {
		if err := governance.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range governance.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (governance *Governance) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], governance.abi.Errors["AlreadyAMember"].ID.Bytes()[:4]) {
		return governance.UnpackAlreadyAMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["AlreadyApproved"].ID.Bytes()[:4]) {
		return governance.UnpackAlreadyApprovedError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["DuplicateMember"].ID.Bytes()[:4]) {
		return governance.UnpackDuplicateMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["IndexOutOfBounds"].ID.Bytes()[:4]) {
		return governance.UnpackIndexOutOfBoundsError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["InsufficientApprovals"].ID.Bytes()[:4]) {
		return governance.UnpackInsufficientApprovalsError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["InvalidMaxProposals"].ID.Bytes()[:4]) {
		return governance.UnpackInvalidMaxProposalsError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["InvalidMemberAddress"].ID.Bytes()[:4]) {
		return governance.UnpackInvalidMemberAddressError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["InvalidMemberVersion"].ID.Bytes()[:4]) {
		return governance.UnpackInvalidMemberVersionError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["InvalidProposal"].ID.Bytes()[:4]) {
		return governance.UnpackInvalidProposalError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["InvalidProposalExpiry"].ID.Bytes()[:4]) {
		return governance.UnpackInvalidProposalExpiryError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["InvalidQuorum"].ID.Bytes()[:4]) {
		return governance.UnpackInvalidQuorumError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["MemberIndexOverflow"].ID.Bytes()[:4]) {
		return governance.UnpackMemberIndexOverflowError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["NotAMember"].ID.Bytes()[:4]) {
		return governance.UnpackNotAMemberError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["NotProposer"].ID.Bytes()[:4]) {
		return governance.UnpackNotProposerError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["ProposalAlreadyInVoting"].ID.Bytes()[:4]) {
		return governance.UnpackProposalAlreadyInVotingError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["ProposalNotExecutable"].ID.Bytes()[:4]) {
		return governance.UnpackProposalNotExecutableError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["ProposalNotInVoting"].ID.Bytes()[:4]) {
		return governance.UnpackProposalNotInVotingError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["ReentrantCall"].ID.Bytes()[:4]) {
		return governance.UnpackReentrantCallError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["TooManyActiveProposals"].ID.Bytes()[:4]) {
		return governance.UnpackTooManyActiveProposalsError(raw[4:])
	}
	if bytes.Equal(raw[:4], governance.abi.Errors["TooManyExecutionAttempts"].ID.Bytes()[:4]) {
		return governance.UnpackTooManyExecutionAttemptsError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// GovernanceAlreadyAMember represents a AlreadyAMember error raised by the Governance contract.
type GovernanceAlreadyAMember struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AlreadyAMember()
func GovernanceAlreadyAMemberErrorID() common.Hash {
	return common.HexToHash("0xa929afd18f7b5228dd8080e7576c054677cc557c6291983d7f431fb9509f6ccb")
}

// UnpackAlreadyAMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AlreadyAMember()
func (governance *Governance) UnpackAlreadyAMemberError(raw []byte) (*GovernanceAlreadyAMember, error) {
	out := new(GovernanceAlreadyAMember)
	if err := governance.abi.UnpackIntoInterface(out, "AlreadyAMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceAlreadyApproved represents a AlreadyApproved error raised by the Governance contract.
type GovernanceAlreadyApproved struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error AlreadyApproved()
func GovernanceAlreadyApprovedErrorID() common.Hash {
	return common.HexToHash("0x101f817a2457b2fcd2728e709f840e8180b3b74a761c9cbd09a4fa605a43f8b1")
}

// UnpackAlreadyApprovedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error AlreadyApproved()
func (governance *Governance) UnpackAlreadyApprovedError(raw []byte) (*GovernanceAlreadyApproved, error) {
	out := new(GovernanceAlreadyApproved)
	if err := governance.abi.UnpackIntoInterface(out, "AlreadyApproved", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceDuplicateMember represents a DuplicateMember error raised by the Governance contract.
type GovernanceDuplicateMember struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error DuplicateMember()
func GovernanceDuplicateMemberErrorID() common.Hash {
	return common.HexToHash("0xece0e402f43ae3854fae67d6f147cfe8e272dac6f8a120b6691c009bfdd89081")
}

// UnpackDuplicateMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error DuplicateMember()
func (governance *Governance) UnpackDuplicateMemberError(raw []byte) (*GovernanceDuplicateMember, error) {
	out := new(GovernanceDuplicateMember)
	if err := governance.abi.UnpackIntoInterface(out, "DuplicateMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceIndexOutOfBounds represents a IndexOutOfBounds error raised by the Governance contract.
type GovernanceIndexOutOfBounds struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error IndexOutOfBounds()
func GovernanceIndexOutOfBoundsErrorID() common.Hash {
	return common.HexToHash("0x4e23d035f7b33ce60795ca9f0e8e6031d7a267562e8e7756f8c197bb3b4ef58b")
}

// UnpackIndexOutOfBoundsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error IndexOutOfBounds()
func (governance *Governance) UnpackIndexOutOfBoundsError(raw []byte) (*GovernanceIndexOutOfBounds, error) {
	out := new(GovernanceIndexOutOfBounds)
	if err := governance.abi.UnpackIntoInterface(out, "IndexOutOfBounds", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceInsufficientApprovals represents a InsufficientApprovals error raised by the Governance contract.
type GovernanceInsufficientApprovals struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientApprovals()
func GovernanceInsufficientApprovalsErrorID() common.Hash {
	return common.HexToHash("0x8af69cf1a621ac0fe5037d69bd450e6f01a6d2f2abfee77931caf2e435b13a64")
}

// UnpackInsufficientApprovalsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientApprovals()
func (governance *Governance) UnpackInsufficientApprovalsError(raw []byte) (*GovernanceInsufficientApprovals, error) {
	out := new(GovernanceInsufficientApprovals)
	if err := governance.abi.UnpackIntoInterface(out, "InsufficientApprovals", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceInvalidMaxProposals represents a InvalidMaxProposals error raised by the Governance contract.
type GovernanceInvalidMaxProposals struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidMaxProposals()
func GovernanceInvalidMaxProposalsErrorID() common.Hash {
	return common.HexToHash("0xe46113f511d33eb7aed123df3fe5365ec4bee0be8cced7460dea6947731267e2")
}

// UnpackInvalidMaxProposalsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidMaxProposals()
func (governance *Governance) UnpackInvalidMaxProposalsError(raw []byte) (*GovernanceInvalidMaxProposals, error) {
	out := new(GovernanceInvalidMaxProposals)
	if err := governance.abi.UnpackIntoInterface(out, "InvalidMaxProposals", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceInvalidMemberAddress represents a InvalidMemberAddress error raised by the Governance contract.
type GovernanceInvalidMemberAddress struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidMemberAddress()
func GovernanceInvalidMemberAddressErrorID() common.Hash {
	return common.HexToHash("0xddf1d6dd0de300a38ecce03c21b82264b1311fd7d5768c7be24f8ff433cd7b42")
}

// UnpackInvalidMemberAddressError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidMemberAddress()
func (governance *Governance) UnpackInvalidMemberAddressError(raw []byte) (*GovernanceInvalidMemberAddress, error) {
	out := new(GovernanceInvalidMemberAddress)
	if err := governance.abi.UnpackIntoInterface(out, "InvalidMemberAddress", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceInvalidMemberVersion represents a InvalidMemberVersion error raised by the Governance contract.
type GovernanceInvalidMemberVersion struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidMemberVersion()
func GovernanceInvalidMemberVersionErrorID() common.Hash {
	return common.HexToHash("0x57b61a5473282136707e99cbf2fb09555abf992d4fd69f0550853140b89af3ba")
}

// UnpackInvalidMemberVersionError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidMemberVersion()
func (governance *Governance) UnpackInvalidMemberVersionError(raw []byte) (*GovernanceInvalidMemberVersion, error) {
	out := new(GovernanceInvalidMemberVersion)
	if err := governance.abi.UnpackIntoInterface(out, "InvalidMemberVersion", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceInvalidProposal represents a InvalidProposal error raised by the Governance contract.
type GovernanceInvalidProposal struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidProposal()
func GovernanceInvalidProposalErrorID() common.Hash {
	return common.HexToHash("0xee0328084153aa82b382e5ac3fa02d9ec9e875b566a9de1158dd47e965a8bbe7")
}

// UnpackInvalidProposalError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidProposal()
func (governance *Governance) UnpackInvalidProposalError(raw []byte) (*GovernanceInvalidProposal, error) {
	out := new(GovernanceInvalidProposal)
	if err := governance.abi.UnpackIntoInterface(out, "InvalidProposal", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceInvalidProposalExpiry represents a InvalidProposalExpiry error raised by the Governance contract.
type GovernanceInvalidProposalExpiry struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidProposalExpiry()
func GovernanceInvalidProposalExpiryErrorID() common.Hash {
	return common.HexToHash("0x87321fdd1f4f656296fb560afd7c217405af1aeb03426eb02b384f379092476f")
}

// UnpackInvalidProposalExpiryError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidProposalExpiry()
func (governance *Governance) UnpackInvalidProposalExpiryError(raw []byte) (*GovernanceInvalidProposalExpiry, error) {
	out := new(GovernanceInvalidProposalExpiry)
	if err := governance.abi.UnpackIntoInterface(out, "InvalidProposalExpiry", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceInvalidQuorum represents a InvalidQuorum error raised by the Governance contract.
type GovernanceInvalidQuorum struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InvalidQuorum()
func GovernanceInvalidQuorumErrorID() common.Hash {
	return common.HexToHash("0xd17357795ecba19dd63be269e91083e3977c3fb4c3a1d8b197d4a64adaf0dc22")
}

// UnpackInvalidQuorumError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InvalidQuorum()
func (governance *Governance) UnpackInvalidQuorumError(raw []byte) (*GovernanceInvalidQuorum, error) {
	out := new(GovernanceInvalidQuorum)
	if err := governance.abi.UnpackIntoInterface(out, "InvalidQuorum", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceMemberIndexOverflow represents a MemberIndexOverflow error raised by the Governance contract.
type GovernanceMemberIndexOverflow struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error MemberIndexOverflow()
func GovernanceMemberIndexOverflowErrorID() common.Hash {
	return common.HexToHash("0x443afd790126f57186a984db6e0baf511b28ee53465b65ce4e4619aecb6ddc99")
}

// UnpackMemberIndexOverflowError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error MemberIndexOverflow()
func (governance *Governance) UnpackMemberIndexOverflowError(raw []byte) (*GovernanceMemberIndexOverflow, error) {
	out := new(GovernanceMemberIndexOverflow)
	if err := governance.abi.UnpackIntoInterface(out, "MemberIndexOverflow", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceNotAMember represents a NotAMember error raised by the Governance contract.
type GovernanceNotAMember struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotAMember()
func GovernanceNotAMemberErrorID() common.Hash {
	return common.HexToHash("0x2818e8886b0a6eaa41c55df374c20f56fe3bf8d1523a08f844fe8a5995ece075")
}

// UnpackNotAMemberError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotAMember()
func (governance *Governance) UnpackNotAMemberError(raw []byte) (*GovernanceNotAMember, error) {
	out := new(GovernanceNotAMember)
	if err := governance.abi.UnpackIntoInterface(out, "NotAMember", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceNotProposer represents a NotProposer error raised by the Governance contract.
type GovernanceNotProposer struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotProposer()
func GovernanceNotProposerErrorID() common.Hash {
	return common.HexToHash("0x7d1b73b9e4d2de7c54c7f525eb1bb198f28468e4744a3abe465a704d5a4c471f")
}

// UnpackNotProposerError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotProposer()
func (governance *Governance) UnpackNotProposerError(raw []byte) (*GovernanceNotProposer, error) {
	out := new(GovernanceNotProposer)
	if err := governance.abi.UnpackIntoInterface(out, "NotProposer", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceProposalAlreadyInVoting represents a ProposalAlreadyInVoting error raised by the Governance contract.
type GovernanceProposalAlreadyInVoting struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ProposalAlreadyInVoting()
func GovernanceProposalAlreadyInVotingErrorID() common.Hash {
	return common.HexToHash("0x55fe7109ce9a0ea0ca319b498255194106e9c9cc43d86bd1ff8bfe70767fe504")
}

// UnpackProposalAlreadyInVotingError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ProposalAlreadyInVoting()
func (governance *Governance) UnpackProposalAlreadyInVotingError(raw []byte) (*GovernanceProposalAlreadyInVoting, error) {
	out := new(GovernanceProposalAlreadyInVoting)
	if err := governance.abi.UnpackIntoInterface(out, "ProposalAlreadyInVoting", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceProposalNotExecutable represents a ProposalNotExecutable error raised by the Governance contract.
type GovernanceProposalNotExecutable struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ProposalNotExecutable()
func GovernanceProposalNotExecutableErrorID() common.Hash {
	return common.HexToHash("0x78fd328aaa25a78228209ab2451d30d5acb459173c2c6d184659d6a114a018c2")
}

// UnpackProposalNotExecutableError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ProposalNotExecutable()
func (governance *Governance) UnpackProposalNotExecutableError(raw []byte) (*GovernanceProposalNotExecutable, error) {
	out := new(GovernanceProposalNotExecutable)
	if err := governance.abi.UnpackIntoInterface(out, "ProposalNotExecutable", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceProposalNotInVoting represents a ProposalNotInVoting error raised by the Governance contract.
type GovernanceProposalNotInVoting struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ProposalNotInVoting()
func GovernanceProposalNotInVotingErrorID() common.Hash {
	return common.HexToHash("0x77036cbbbdeb23148fab5ff37833de1bcf964817f85e3a95c6d151e728367728")
}

// UnpackProposalNotInVotingError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ProposalNotInVoting()
func (governance *Governance) UnpackProposalNotInVotingError(raw []byte) (*GovernanceProposalNotInVoting, error) {
	out := new(GovernanceProposalNotInVoting)
	if err := governance.abi.UnpackIntoInterface(out, "ProposalNotInVoting", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceReentrantCall represents a ReentrantCall error raised by the Governance contract.
type GovernanceReentrantCall struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ReentrantCall()
func GovernanceReentrantCallErrorID() common.Hash {
	return common.HexToHash("0x37ed32e8b98f05c268547554617c26adb4478b89452c6df1b1c862cb749b1c27")
}

// UnpackReentrantCallError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ReentrantCall()
func (governance *Governance) UnpackReentrantCallError(raw []byte) (*GovernanceReentrantCall, error) {
	out := new(GovernanceReentrantCall)
	if err := governance.abi.UnpackIntoInterface(out, "ReentrantCall", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceTooManyActiveProposals represents a TooManyActiveProposals error raised by the Governance contract.
type GovernanceTooManyActiveProposals struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TooManyActiveProposals()
func GovernanceTooManyActiveProposalsErrorID() common.Hash {
	return common.HexToHash("0x090b564b8eb0c94c0653edd9f947766b0926c9f41b1b5fe361724412220bc58a")
}

// UnpackTooManyActiveProposalsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TooManyActiveProposals()
func (governance *Governance) UnpackTooManyActiveProposalsError(raw []byte) (*GovernanceTooManyActiveProposals, error) {
	out := new(GovernanceTooManyActiveProposals)
	if err := governance.abi.UnpackIntoInterface(out, "TooManyActiveProposals", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// GovernanceTooManyExecutionAttempts represents a TooManyExecutionAttempts error raised by the Governance contract.
type GovernanceTooManyExecutionAttempts struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error TooManyExecutionAttempts()
func GovernanceTooManyExecutionAttemptsErrorID() common.Hash {
	return common.HexToHash("0xea8284a1de4e76ddf88bb84851bf20beaad50f8ba457ed3a5b09216acf7478f9")
}

// UnpackTooManyExecutionAttemptsError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error TooManyExecutionAttempts()
func (governance *Governance) UnpackTooManyExecutionAttemptsError(raw []byte) (*GovernanceTooManyExecutionAttempts, error) {
	out := new(GovernanceTooManyExecutionAttempts)
	if err := governance.abi.UnpackIntoInterface(out, "TooManyExecutionAttempts", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// NativeCoinAdapterMetaData contains all meta data concerning the NativeCoinAdapter contract.
var NativeCoinAdapterMetaData = bind.MetaData{
	ABI: "[{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Approval\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"authorizer\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"}],\"name\":\"AuthorizationCanceled\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"authorizer\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"}],\"name\":\"AuthorizationUsed\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"burner\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"Burn\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"newMasterMinter\",\"type\":\"address\"}],\"name\":\"MasterMinterChanged\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"Mint\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"minterAllowedAmount\",\"type\":\"uint256\"}],\"name\":\"MinterConfigured\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"oldMinter\",\"type\":\"address\"}],\"name\":\"MinterRemoved\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Transfer\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"CANCEL_AUTHORIZATION_TYPEHASH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"DOMAIN_SEPARATOR\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"PERMIT_TYPEHASH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"RECEIVE_WITH_AUTHORIZATION_TYPEHASH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"TRANSFER_WITH_AUTHORIZATION_TYPEHASH\",\"outputs\":[{\"internalType\":\"bytes32\",\"name\":\"\",\"type\":\"bytes32\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"}],\"name\":\"allowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"approve\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"authorizer\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"}],\"name\":\"authorizationState\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"balanceOf\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"_amount\",\"type\":\"uint256\"}],\"name\":\"burn\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"authorizer\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"},{\"internalType\":\"uint8\",\"name\":\"v\",\"type\":\"uint8\"},{\"internalType\":\"bytes32\",\"name\":\"r\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"s\",\"type\":\"bytes32\"}],\"name\":\"cancelAuthorization\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"authorizer\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"name\":\"cancelAuthorization\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"minterAllowedAmount\",\"type\":\"uint256\"}],\"name\":\"configureMinter\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"currency\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"decimals\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"decrement\",\"type\":\"uint256\"}],\"name\":\"decreaseAllowance\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"increment\",\"type\":\"uint256\"}],\"name\":\"increaseAllowance\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"isMinter\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"masterMinter\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"_to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"_amount\",\"type\":\"uint256\"}],\"name\":\"mint\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"}],\"name\":\"minterAllowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"name\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"}],\"name\":\"nonces\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"deadline\",\"type\":\"uint256\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"name\":\"permit\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"deadline\",\"type\":\"uint256\"},{\"internalType\":\"uint8\",\"name\":\"v\",\"type\":\"uint8\"},{\"internalType\":\"bytes32\",\"name\":\"r\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"s\",\"type\":\"bytes32\"}],\"name\":\"permit\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validAfter\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validBefore\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"name\":\"receiveWithAuthorization\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validAfter\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validBefore\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"},{\"internalType\":\"uint8\",\"name\":\"v\",\"type\":\"uint8\"},{\"internalType\":\"bytes32\",\"name\":\"r\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"s\",\"type\":\"bytes32\"}],\"name\":\"receiveWithAuthorization\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"minter\",\"type\":\"address\"}],\"name\":\"removeMinter\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"symbol\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalSupply\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transfer\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transferFrom\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validAfter\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validBefore\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"},{\"internalType\":\"bytes\",\"name\":\"signature\",\"type\":\"bytes\"}],\"name\":\"transferWithAuthorization\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validAfter\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"validBefore\",\"type\":\"uint256\"},{\"internalType\":\"bytes32\",\"name\":\"nonce\",\"type\":\"bytes32\"},{\"internalType\":\"uint8\",\"name\":\"v\",\"type\":\"uint8\"},{\"internalType\":\"bytes32\",\"name\":\"r\",\"type\":\"bytes32\"},{\"internalType\":\"bytes32\",\"name\":\"s\",\"type\":\"bytes32\"}],\"name\":\"transferWithAuthorization\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"_newMasterMinter\",\"type\":\"address\"}],\"name\":\"updateMasterMinter\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"version\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"pure\",\"type\":\"function\"}]",
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

// PackCANCELAUTHORIZATIONTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd9169487.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function CANCEL_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) PackCANCELAUTHORIZATIONTYPEHASH() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("CANCEL_AUTHORIZATION_TYPEHASH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCANCELAUTHORIZATIONTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd9169487.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function CANCEL_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackCANCELAUTHORIZATIONTYPEHASH() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("CANCEL_AUTHORIZATION_TYPEHASH")
}

// UnpackCANCELAUTHORIZATIONTYPEHASH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd9169487.
//
// Solidity: function CANCEL_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackCANCELAUTHORIZATIONTYPEHASH(data []byte) ([32]byte, error) {
	out, err := nativeCoinAdapter.abi.Unpack("CANCEL_AUTHORIZATION_TYPEHASH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackDOMAINSEPARATOR is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3644e515.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function DOMAIN_SEPARATOR() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) PackDOMAINSEPARATOR() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("DOMAIN_SEPARATOR")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDOMAINSEPARATOR is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3644e515.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function DOMAIN_SEPARATOR() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackDOMAINSEPARATOR() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("DOMAIN_SEPARATOR")
}

// UnpackDOMAINSEPARATOR is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3644e515.
//
// Solidity: function DOMAIN_SEPARATOR() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackDOMAINSEPARATOR(data []byte) ([32]byte, error) {
	out, err := nativeCoinAdapter.abi.Unpack("DOMAIN_SEPARATOR", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackPERMITTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x30adf81f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function PERMIT_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) PackPERMITTYPEHASH() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("PERMIT_TYPEHASH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPERMITTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x30adf81f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function PERMIT_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackPERMITTYPEHASH() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("PERMIT_TYPEHASH")
}

// UnpackPERMITTYPEHASH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x30adf81f.
//
// Solidity: function PERMIT_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackPERMITTYPEHASH(data []byte) ([32]byte, error) {
	out, err := nativeCoinAdapter.abi.Unpack("PERMIT_TYPEHASH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackRECEIVEWITHAUTHORIZATIONTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7f2eecc3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) PackRECEIVEWITHAUTHORIZATIONTYPEHASH() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("RECEIVE_WITH_AUTHORIZATION_TYPEHASH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRECEIVEWITHAUTHORIZATIONTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7f2eecc3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackRECEIVEWITHAUTHORIZATIONTYPEHASH() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("RECEIVE_WITH_AUTHORIZATION_TYPEHASH")
}

// UnpackRECEIVEWITHAUTHORIZATIONTYPEHASH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7f2eecc3.
//
// Solidity: function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackRECEIVEWITHAUTHORIZATIONTYPEHASH(data []byte) ([32]byte, error) {
	out, err := nativeCoinAdapter.abi.Unpack("RECEIVE_WITH_AUTHORIZATION_TYPEHASH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackTRANSFERWITHAUTHORIZATIONTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa0cc6a68.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function TRANSFER_WITH_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) PackTRANSFERWITHAUTHORIZATIONTYPEHASH() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("TRANSFER_WITH_AUTHORIZATION_TYPEHASH")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTRANSFERWITHAUTHORIZATIONTYPEHASH is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa0cc6a68.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function TRANSFER_WITH_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackTRANSFERWITHAUTHORIZATIONTYPEHASH() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("TRANSFER_WITH_AUTHORIZATION_TYPEHASH")
}

// UnpackTRANSFERWITHAUTHORIZATIONTYPEHASH is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa0cc6a68.
//
// Solidity: function TRANSFER_WITH_AUTHORIZATION_TYPEHASH() view returns(bytes32)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackTRANSFERWITHAUTHORIZATIONTYPEHASH(data []byte) ([32]byte, error) {
	out, err := nativeCoinAdapter.abi.Unpack("TRANSFER_WITH_AUTHORIZATION_TYPEHASH", data)
	if err != nil {
		return *new([32]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([32]byte)).(*[32]byte)
	return out0, nil
}

// PackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) PackAllowance(owner common.Address, spender common.Address) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("allowance", owner, spender)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackAllowance(owner common.Address, spender common.Address) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("allowance", owner, spender)
}

// UnpackAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xdd62ed3e.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackAllowance(data []byte) (*big.Int, error) {
	out, err := nativeCoinAdapter.abi.Unpack("allowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackApprove(spender common.Address, value *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("approve", spender, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackApprove(spender common.Address, value *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("approve", spender, value)
}

// UnpackApprove is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x095ea7b3.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackApprove(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("approve", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackAuthorizationState is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe94a0102.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function authorizationState(address authorizer, bytes32 nonce) view returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackAuthorizationState(authorizer common.Address, nonce [32]byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("authorizationState", authorizer, nonce)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAuthorizationState is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe94a0102.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function authorizationState(address authorizer, bytes32 nonce) view returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackAuthorizationState(authorizer common.Address, nonce [32]byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("authorizationState", authorizer, nonce)
}

// UnpackAuthorizationState is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe94a0102.
//
// Solidity: function authorizationState(address authorizer, bytes32 nonce) view returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackAuthorizationState(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("authorizationState", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) PackBalanceOf(account common.Address) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("balanceOf", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackBalanceOf(account common.Address) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("balanceOf", account)
}

// UnpackBalanceOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70a08231.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackBalanceOf(data []byte) (*big.Int, error) {
	out, err := nativeCoinAdapter.abi.Unpack("balanceOf", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
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

// PackCancelAuthorization is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a049a70.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackCancelAuthorization(authorizer common.Address, nonce [32]byte, v uint8, r [32]byte, s [32]byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("cancelAuthorization", authorizer, nonce, v, r, s)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCancelAuthorization is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5a049a70.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackCancelAuthorization(authorizer common.Address, nonce [32]byte, v uint8, r [32]byte, s [32]byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("cancelAuthorization", authorizer, nonce, v, r, s)
}

// PackCancelAuthorization0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb7b72899.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackCancelAuthorization0(authorizer common.Address, nonce [32]byte, signature []byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("cancelAuthorization0", authorizer, nonce, signature)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCancelAuthorization0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xb7b72899.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackCancelAuthorization0(authorizer common.Address, nonce [32]byte, signature []byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("cancelAuthorization0", authorizer, nonce, signature)
}

// PackConfigureMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4e44d956.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function configureMinter(address minter, uint256 minterAllowedAmount) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackConfigureMinter(minter common.Address, minterAllowedAmount *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("configureMinter", minter, minterAllowedAmount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackConfigureMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4e44d956.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function configureMinter(address minter, uint256 minterAllowedAmount) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackConfigureMinter(minter common.Address, minterAllowedAmount *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("configureMinter", minter, minterAllowedAmount)
}

// UnpackConfigureMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4e44d956.
//
// Solidity: function configureMinter(address minter, uint256 minterAllowedAmount) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackConfigureMinter(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("configureMinter", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackCurrency is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe5a6b10f.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function currency() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) PackCurrency() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("currency")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCurrency is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe5a6b10f.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function currency() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackCurrency() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("currency")
}

// UnpackCurrency is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xe5a6b10f.
//
// Solidity: function currency() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackCurrency(data []byte) (string, error) {
	out, err := nativeCoinAdapter.abi.Unpack("currency", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function decimals() view returns(uint8)
func (nativeCoinAdapter *NativeCoinAdapter) PackDecimals() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("decimals")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function decimals() view returns(uint8)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackDecimals() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("decimals")
}

// UnpackDecimals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x313ce567.
//
// Solidity: function decimals() view returns(uint8)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackDecimals(data []byte) (uint8, error) {
	out, err := nativeCoinAdapter.abi.Unpack("decimals", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackDecreaseAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa457c2d7.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function decreaseAllowance(address spender, uint256 decrement) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackDecreaseAllowance(spender common.Address, decrement *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("decreaseAllowance", spender, decrement)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDecreaseAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa457c2d7.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function decreaseAllowance(address spender, uint256 decrement) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackDecreaseAllowance(spender common.Address, decrement *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("decreaseAllowance", spender, decrement)
}

// UnpackDecreaseAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa457c2d7.
//
// Solidity: function decreaseAllowance(address spender, uint256 decrement) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackDecreaseAllowance(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("decreaseAllowance", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIncreaseAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x39509351.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function increaseAllowance(address spender, uint256 increment) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackIncreaseAllowance(spender common.Address, increment *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("increaseAllowance", spender, increment)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIncreaseAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x39509351.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function increaseAllowance(address spender, uint256 increment) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackIncreaseAllowance(spender common.Address, increment *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("increaseAllowance", spender, increment)
}

// UnpackIncreaseAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x39509351.
//
// Solidity: function increaseAllowance(address spender, uint256 increment) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackIncreaseAllowance(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("increaseAllowance", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackIsMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaa271e1a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function isMinter(address account) view returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackIsMinter(account common.Address) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("isMinter", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackIsMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaa271e1a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function isMinter(address account) view returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackIsMinter(account common.Address) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("isMinter", account)
}

// UnpackIsMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xaa271e1a.
//
// Solidity: function isMinter(address account) view returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackIsMinter(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("isMinter", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackMasterMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x35d99f35.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function masterMinter() view returns(address)
func (nativeCoinAdapter *NativeCoinAdapter) PackMasterMinter() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("masterMinter")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMasterMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x35d99f35.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function masterMinter() view returns(address)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackMasterMinter() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("masterMinter")
}

// UnpackMasterMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x35d99f35.
//
// Solidity: function masterMinter() view returns(address)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackMasterMinter(data []byte) (common.Address, error) {
	out, err := nativeCoinAdapter.abi.Unpack("masterMinter", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
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

// PackMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8a6db9c3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function minterAllowance(address minter) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) PackMinterAllowance(minter common.Address) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("minterAllowance", minter)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMinterAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x8a6db9c3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function minterAllowance(address minter) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackMinterAllowance(minter common.Address) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("minterAllowance", minter)
}

// UnpackMinterAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x8a6db9c3.
//
// Solidity: function minterAllowance(address minter) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackMinterAllowance(data []byte) (*big.Int, error) {
	out, err := nativeCoinAdapter.abi.Unpack("minterAllowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function name() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) PackName() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("name")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function name() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackName() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("name")
}

// UnpackName is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x06fdde03.
//
// Solidity: function name() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackName(data []byte) (string, error) {
	out, err := nativeCoinAdapter.abi.Unpack("name", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackNonces is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7ecebe00.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function nonces(address owner) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) PackNonces(owner common.Address) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("nonces", owner)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackNonces is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7ecebe00.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function nonces(address owner) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackNonces(owner common.Address) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("nonces", owner)
}

// UnpackNonces is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7ecebe00.
//
// Solidity: function nonces(address owner) view returns(uint256)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackNonces(data []byte) (*big.Int, error) {
	out, err := nativeCoinAdapter.abi.Unpack("nonces", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackPermit is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9fd5a6cf.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackPermit(owner common.Address, spender common.Address, value *big.Int, deadline *big.Int, signature []byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("permit", owner, spender, value, deadline, signature)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPermit is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x9fd5a6cf.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackPermit(owner common.Address, spender common.Address, value *big.Int, deadline *big.Int, signature []byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("permit", owner, spender, value, deadline, signature)
}

// PackPermit0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd505accf.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackPermit0(owner common.Address, spender common.Address, value *big.Int, deadline *big.Int, v uint8, r [32]byte, s [32]byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("permit0", owner, spender, value, deadline, v, r, s)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPermit0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd505accf.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackPermit0(owner common.Address, spender common.Address, value *big.Int, deadline *big.Int, v uint8, r [32]byte, s [32]byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("permit0", owner, spender, value, deadline, v, r, s)
}

// PackReceiveWithAuthorization is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x88b7ab63.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackReceiveWithAuthorization(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, signature []byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("receiveWithAuthorization", from, to, value, validAfter, validBefore, nonce, signature)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReceiveWithAuthorization is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x88b7ab63.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackReceiveWithAuthorization(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, signature []byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("receiveWithAuthorization", from, to, value, validAfter, validBefore, nonce, signature)
}

// PackReceiveWithAuthorization0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xef55bec6.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackReceiveWithAuthorization0(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, v uint8, r [32]byte, s [32]byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("receiveWithAuthorization0", from, to, value, validAfter, validBefore, nonce, v, r, s)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackReceiveWithAuthorization0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xef55bec6.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackReceiveWithAuthorization0(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, v uint8, r [32]byte, s [32]byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("receiveWithAuthorization0", from, to, value, validAfter, validBefore, nonce, v, r, s)
}

// PackRemoveMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3092afd5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function removeMinter(address minter) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackRemoveMinter(minter common.Address) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("removeMinter", minter)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackRemoveMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x3092afd5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function removeMinter(address minter) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackRemoveMinter(minter common.Address) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("removeMinter", minter)
}

// UnpackRemoveMinter is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x3092afd5.
//
// Solidity: function removeMinter(address minter) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackRemoveMinter(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("removeMinter", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function symbol() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) PackSymbol() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("symbol")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function symbol() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackSymbol() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("symbol")
}

// UnpackSymbol is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x95d89b41.
//
// Solidity: function symbol() view returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackSymbol(data []byte) (string, error) {
	out, err := nativeCoinAdapter.abi.Unpack("symbol", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
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

// PackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) PackTransferFrom(from common.Address, to common.Address, value *big.Int) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("transferFrom", from, to, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackTransferFrom(from common.Address, to common.Address, value *big.Int) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("transferFrom", from, to, value)
}

// UnpackTransferFrom is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x23b872dd.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackTransferFrom(data []byte) (bool, error) {
	out, err := nativeCoinAdapter.abi.Unpack("transferFrom", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackTransferWithAuthorization is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcf092995.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackTransferWithAuthorization(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, signature []byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("transferWithAuthorization", from, to, value, validAfter, validBefore, nonce, signature)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferWithAuthorization is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xcf092995.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackTransferWithAuthorization(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, signature []byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("transferWithAuthorization", from, to, value, validAfter, validBefore, nonce, signature)
}

// PackTransferWithAuthorization0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe3ee160e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackTransferWithAuthorization0(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, v uint8, r [32]byte, s [32]byte) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("transferWithAuthorization0", from, to, value, validAfter, validBefore, nonce, v, r, s)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferWithAuthorization0 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xe3ee160e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackTransferWithAuthorization0(from common.Address, to common.Address, value *big.Int, validAfter *big.Int, validBefore *big.Int, nonce [32]byte, v uint8, r [32]byte, s [32]byte) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("transferWithAuthorization0", from, to, value, validAfter, validBefore, nonce, v, r, s)
}

// PackUpdateMasterMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaa20e1e4.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function updateMasterMinter(address _newMasterMinter) returns()
func (nativeCoinAdapter *NativeCoinAdapter) PackUpdateMasterMinter(newMasterMinter common.Address) []byte {
	enc, err := nativeCoinAdapter.abi.Pack("updateMasterMinter", newMasterMinter)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackUpdateMasterMinter is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xaa20e1e4.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function updateMasterMinter(address _newMasterMinter) returns()
func (nativeCoinAdapter *NativeCoinAdapter) TryPackUpdateMasterMinter(newMasterMinter common.Address) ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("updateMasterMinter", newMasterMinter)
}

// PackVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x54fd4d50.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function version() pure returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) PackVersion() []byte {
	enc, err := nativeCoinAdapter.abi.Pack("version")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackVersion is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x54fd4d50.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function version() pure returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) TryPackVersion() ([]byte, error) {
	return nativeCoinAdapter.abi.Pack("version")
}

// UnpackVersion is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x54fd4d50.
//
// Solidity: function version() pure returns(string)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackVersion(data []byte) (string, error) {
	out, err := nativeCoinAdapter.abi.Unpack("version", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// NativeCoinAdapterApproval represents a Approval event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterApproval struct {
	Owner   common.Address
	Spender common.Address
	Value   *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterApprovalEventName = "Approval"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterApproval) ContractEventName() string {
	return NativeCoinAdapterApprovalEventName
}

// UnpackApprovalEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Approval(address indexed owner, address indexed spender, uint256 value)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackApprovalEvent(log *types.Log) (*NativeCoinAdapterApproval, error) {
	event := "Approval"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterApproval)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterAuthorizationCanceled represents a AuthorizationCanceled event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterAuthorizationCanceled struct {
	Authorizer common.Address
	Nonce      [32]byte
	Raw        *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterAuthorizationCanceledEventName = "AuthorizationCanceled"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterAuthorizationCanceled) ContractEventName() string {
	return NativeCoinAdapterAuthorizationCanceledEventName
}

// UnpackAuthorizationCanceledEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackAuthorizationCanceledEvent(log *types.Log) (*NativeCoinAdapterAuthorizationCanceled, error) {
	event := "AuthorizationCanceled"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterAuthorizationCanceled)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterAuthorizationUsed represents a AuthorizationUsed event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterAuthorizationUsed struct {
	Authorizer common.Address
	Nonce      [32]byte
	Raw        *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterAuthorizationUsedEventName = "AuthorizationUsed"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterAuthorizationUsed) ContractEventName() string {
	return NativeCoinAdapterAuthorizationUsedEventName
}

// UnpackAuthorizationUsedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackAuthorizationUsedEvent(log *types.Log) (*NativeCoinAdapterAuthorizationUsed, error) {
	event := "AuthorizationUsed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterAuthorizationUsed)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterBurn represents a Burn event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterBurn struct {
	Burner common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterBurnEventName = "Burn"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterBurn) ContractEventName() string {
	return NativeCoinAdapterBurnEventName
}

// UnpackBurnEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Burn(address indexed burner, uint256 amount)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackBurnEvent(log *types.Log) (*NativeCoinAdapterBurn, error) {
	event := "Burn"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterBurn)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterMasterMinterChanged represents a MasterMinterChanged event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterMasterMinterChanged struct {
	NewMasterMinter common.Address
	Raw             *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterMasterMinterChangedEventName = "MasterMinterChanged"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterMasterMinterChanged) ContractEventName() string {
	return NativeCoinAdapterMasterMinterChangedEventName
}

// UnpackMasterMinterChangedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MasterMinterChanged(address indexed newMasterMinter)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackMasterMinterChangedEvent(log *types.Log) (*NativeCoinAdapterMasterMinterChanged, error) {
	event := "MasterMinterChanged"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterMasterMinterChanged)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterMint represents a Mint event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterMint struct {
	Minter common.Address
	To     common.Address
	Amount *big.Int
	Raw    *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterMintEventName = "Mint"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterMint) ContractEventName() string {
	return NativeCoinAdapterMintEventName
}

// UnpackMintEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Mint(address indexed minter, address indexed to, uint256 amount)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackMintEvent(log *types.Log) (*NativeCoinAdapterMint, error) {
	event := "Mint"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterMint)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterMinterConfigured represents a MinterConfigured event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterMinterConfigured struct {
	Minter              common.Address
	MinterAllowedAmount *big.Int
	Raw                 *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterMinterConfiguredEventName = "MinterConfigured"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterMinterConfigured) ContractEventName() string {
	return NativeCoinAdapterMinterConfiguredEventName
}

// UnpackMinterConfiguredEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MinterConfigured(address indexed minter, uint256 minterAllowedAmount)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackMinterConfiguredEvent(log *types.Log) (*NativeCoinAdapterMinterConfigured, error) {
	event := "MinterConfigured"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterMinterConfigured)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterMinterRemoved represents a MinterRemoved event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterMinterRemoved struct {
	OldMinter common.Address
	Raw       *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterMinterRemovedEventName = "MinterRemoved"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterMinterRemoved) ContractEventName() string {
	return NativeCoinAdapterMinterRemovedEventName
}

// UnpackMinterRemovedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event MinterRemoved(address indexed oldMinter)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackMinterRemovedEvent(log *types.Log) (*NativeCoinAdapterMinterRemoved, error) {
	event := "MinterRemoved"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterMinterRemoved)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// NativeCoinAdapterTransfer represents a Transfer event raised by the NativeCoinAdapter contract.
type NativeCoinAdapterTransfer struct {
	From  common.Address
	To    common.Address
	Value *big.Int
	Raw   *types.Log // Blockchain specific contextual infos
}

const NativeCoinAdapterTransferEventName = "Transfer"

// ContractEventName returns the user-defined event name.
func (NativeCoinAdapterTransfer) ContractEventName() string {
	return NativeCoinAdapterTransferEventName
}

// UnpackTransferEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Transfer(address indexed from, address indexed to, uint256 value)
func (nativeCoinAdapter *NativeCoinAdapter) UnpackTransferEvent(log *types.Log) (*NativeCoinAdapterTransfer, error) {
	event := "Transfer"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != nativeCoinAdapter.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(NativeCoinAdapterTransfer)
	if len(log.Data) > 0 {
		if err := nativeCoinAdapter.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range nativeCoinAdapter.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}
