// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/accounts/external"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/internal/secretfile"
	"gwon/internal/txobject"
	"gwon/internal/wellknown"
)

// Flags that name the sender of a transaction.
var (
	FromFlag = &cli.StringFlag{
		Name: "from",
		Usage: "Who sends: address or index of a key-store account, devnet:1 for the first account of a devnet, " +
			"or dev:1 for that of gwon-dev node",
	}
	KeyFlag = &cli.StringFlag{
		Name: "key", Usage: "File with the sender's private key in hex, in place of the key store",
	}
)

// DevnetPrefix begins a sender that is a well-known account of a devnet, counted from 1.
const DevnetPrefix = "devnet:"

// DevPrefix begins one of gwon-dev node with the mnemonic of developer tools.
const DevPrefix = "dev:"

// Signer signs as the sender.
type Signer interface {
	Address() common.Address
	SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error)
}

// keySigner signs with a key in memory.
type keySigner struct{ *ecdsa.PrivateKey }

func (s keySigner) Address() common.Address { return crypto.PubkeyToAddress(s.PublicKey) }

func (s keySigner) SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	return types.SignTx(tx, types.LatestSignerForChainID(chainID), s.PrivateKey)
}

// NewSigner returns who sends. A password is asked for only when it comes to signing.
func NewSigner(ctx *cli.Context) (Signer, error) {
	from, file, endpoint := ctx.String(FromFlag.Name), ctx.String(KeyFlag.Name), ctx.String(utils.ExternalSignerFlag.Name)
	switch {
	case file != "" && (from != "" || endpoint != ""):
		return nil, fmt.Errorf("--%s names the sender by itself: leave --%s and --%s out", KeyFlag.Name, FromFlag.Name,
			utils.ExternalSignerFlag.Name)
	case file != "":
		key, err := secretfile.LoadKey(program.ExpandHome(file))
		if err != nil {
			return nil, fmt.Errorf("private key: %w", err)
		}
		return keySigner{key}, nil
	case from == "":
		return nil, fmt.Errorf("say who sends: --%s with an account of the key store, devnet:1 on a devnet, or dev:1 on "+
			"gwon-dev node; or --%s with a key file", FromFlag.Name, KeyFlag.Name)
	case endpoint != "":
		return newExternalSigner(from, program.ExpandHome(endpoint))
	case isWellKnown(from):
		return newDevnetSigner(from)
	}
	return newKeyStoreSigner(ctx, from)
}

func newDevnetSigner(name string) (Signer, error) {
	account, err := WellKnownAccount(name)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", FromFlag.Name, err)
	}
	return keySigner{account.Key}, nil
}

// isWellKnown reports whether a name is that of an account whose key everybody knows.
func isWellKnown(name string) bool {
	return strings.HasPrefix(name, DevnetPrefix) || strings.HasPrefix(name, DevPrefix)
}

// WellKnownAccount returns an account of a devnet or of gwon-dev node by its name, as devnet:1 or dev:1.
func WellKnownAccount(name string) (wellknown.Account, error) {
	if digits, ok := strings.CutPrefix(name, DevPrefix); ok {
		number, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || number == 0 || number > wellknown.Funded {
			return wellknown.Account{}, fmt.Errorf("%s: accounts of gwon-dev node are %s1 to %s%d", name, DevPrefix,
				DevPrefix, wellknown.Funded)
		}
		list, err := wellknown.Accounts(wellknown.Mnemonic, int(number))
		if err != nil {
			return wellknown.Account{}, err
		}
		return list[number-1], nil
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(name, DevnetPrefix), 10, 16)
	if err != nil || number == 0 {
		return wellknown.Account{}, fmt.Errorf("%s: accounts of a devnet are %s1, %s2 and so on", name, DevnetPrefix,
			DevnetPrefix)
	}
	return wellknown.OfDevnet(int(number) - 1)
}

// ParseAddress reads an address, or the name of a well-known account.
func ParseAddress(text string) (common.Address, error) {
	if isWellKnown(text) {
		account, err := WellKnownAccount(text)
		return account.Address, err
	}
	return txobject.ParseAccount(text)
}

// ParseAddresses reads several, each different.
func ParseAddresses(texts []string) ([]common.Address, error) {
	var list []common.Address
	for _, text := range texts {
		account, err := ParseAddress(text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(list, account) {
			return nil, fmt.Errorf("%s is named twice", account.Hex())
		}
		list = append(list, account)
	}
	return list, nil
}

// keyStoreSigner signs with an account of the key store.
type keyStoreSigner struct{ *StoredAccount }

func newKeyStoreSigner(ctx *cli.Context, name string) (Signer, error) {
	if strings.HasPrefix(name, "0x") {
		if _, err := txobject.ParseAccount(name); err != nil {
			return nil, fmt.Errorf("--%s: %w", FromFlag.Name, err)
		}
	}
	account, err := OpenAccount(ctx, FromFlag.Name, name)
	if err != nil {
		return nil, err
	}
	return keyStoreSigner{account}, nil
}

func (s keyStoreSigner) Address() common.Address { return s.StoredAccount.Address }

func (s keyStoreSigner) SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	password, err := s.password("Signing as")
	if err != nil {
		return nil, err
	}
	return s.store.SignTxWithPassphrase(s.account, password, tx, chainID)
}

// externalSigner has another program sign, such as clef, which asks its own user.
type externalSigner struct {
	signer  *external.ExternalSigner
	address common.Address
}

func newExternalSigner(from, endpoint string) (Signer, error) {
	address, err := txobject.ParseAccount(from)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", FromFlag.Name, err)
	}
	signer, err := external.NewExternalSigner(endpoint)
	if err != nil {
		return nil, fmt.Errorf("connect to external signer: %w", err)
	}
	if !signer.Contains(accounts.Account{Address: address}) {
		return nil, errors.New("the external signer has no account " + address.Hex())
	}
	return &externalSigner{signer, address}, nil
}

func (s *externalSigner) Address() common.Address { return s.address }

func (s *externalSigner) SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	return s.signer.SignTx(accounts.Account{Address: s.address}, tx, chainID)
}
