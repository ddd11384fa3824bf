// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// personal serves the namespace of that name for the key files of this node. It has the methods that fee payers need,
// without hardware wallets (spec rpc 4.6). The namespace is optional.
type personal struct {
	node interface {
		AccountManager() *accounts.Manager
		UnlockAllowed() bool
	}
	txs *transactions
}

// keys returns the key store of this node.
func (s *personal) keys() (*keystore.KeyStore, error) {
	for _, backend := range s.node.AccountManager().Backends(keystore.KeyStoreType) {
		if store, ok := backend.(*keystore.KeyStore); ok {
			return store, nil
		}
	}
	return nil, errors.New("this node has no key store: its accounts are held by an external signer")
}

// ListAccounts returns the addresses of all accounts of this node.
func (s *personal) ListAccounts() []common.Address { return s.node.AccountManager().Accounts() }

// walletInfo describes one wallet. A key file is a wallet of one account.
type walletInfo struct {
	URL      string             `json:"url"`
	Status   string             `json:"status"`
	Failure  string             `json:"failure,omitempty"`
	Accounts []accounts.Account `json:"accounts,omitempty"`
}

// ListWallets returns the wallets of this node with their accounts and whether they are unlocked.
func (s *personal) ListWallets() []walletInfo {
	wallets := make([]walletInfo, 0)
	for _, wallet := range s.node.AccountManager().Wallets() {
		status, err := wallet.Status()
		info := walletInfo{URL: wallet.URL().String(), Status: status, Accounts: wallet.Accounts()}
		if err != nil {
			info.Failure = err.Error()
		}
		wallets = append(wallets, info)
	}
	return wallets
}

// NewAccount creates a key, stores it under the passphrase and returns its address.
func (s *personal) NewAccount(passphrase string) (common.AddressEIP55, error) {
	keys, err := s.keys()
	if err != nil {
		return common.AddressEIP55{}, err
	}
	account, err := keys.NewAccount(passphrase)
	return common.AddressEIP55(account.Address), err
}

// ImportRawKey stores a private key of 64 hexadecimal digits under the passphrase and returns its address.
func (s *personal) ImportRawKey(key, passphrase string) (common.Address, error) {
	keys, err := s.keys()
	if err != nil {
		return common.Address{}, err
	}
	private, err := crypto.HexToECDSA(strings.TrimPrefix(key, "0x"))
	if err != nil {
		return common.Address{}, err
	}
	account, err := keys.ImportECDSA(private, passphrase)
	return account.Address, err
}

// UnlockAccount decrypts the key of an account and keeps it for the given seconds. The default is 300; 0 means until
// the node stops. It fails while HTTP or WS is open, unless the operator allowed it.
func (s *personal) UnlockAccount(address common.Address, passphrase string, seconds *uint64) (bool, error) {
	if !s.node.UnlockAllowed() {
		return false, errors.New("account unlock with HTTP access is forbidden")
	}
	duration := uint64(300)
	if seconds != nil {
		duration = *seconds
	}
	if limit := uint64(math.MaxInt64 / time.Second); duration > limit {
		return false, fmt.Errorf("unlock duration too large: at most %d seconds, or 0 until the node stops", limit)
	}
	keys, err := s.keys()
	if err != nil {
		return false, err
	}
	err = keys.TimedUnlock(accounts.Account{Address: address}, passphrase, time.Duration(duration)*time.Second)
	return err == nil, err
}

// LockAccount removes the decrypted key of an account from memory.
func (s *personal) LockAccount(address common.Address) (bool, error) {
	keys, err := s.keys()
	if err != nil {
		return false, err
	}
	err = keys.Lock(address)
	return err == nil, err
}

// Sign signs a message with the prefix of signed messages. The result has 65 bytes [r
//
// s
//
// v], v 27 or 28.
func (s *personal) Sign(message hexutil.Bytes, address common.Address, passphrase string) (hexutil.Bytes, error) {
	wallet, account, err := s.txs.wallet(address)
	if err != nil {
		return nil, err
	}
	signature, err := wallet.SignTextWithPassphrase(account, passphrase, message)
	if err != nil {
		return nil, err
	}
	signature[crypto.RecoveryIDOffset] += 27
	return signature, nil
}

// EcRecover returns the address that signed the message with Sign.
func (s *personal) EcRecover(message, signature hexutil.Bytes) (common.Address, error) {
	if len(signature) != crypto.SignatureLength {
		return common.Address{}, fmt.Errorf("signature must be %d bytes long", crypto.SignatureLength)
	}
	v := signature[crypto.RecoveryIDOffset]
	if v != 27 && v != 28 {
		return common.Address{}, errors.New("invalid Ethereum signature (V is not 27 or 28)")
	}
	plain := append(hexutil.Bytes(nil), signature...)
	plain[crypto.RecoveryIDOffset] = v - 27
	key, err := crypto.SigToPub(accounts.TextHash(message), plain)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*key), nil
}

// SignTransaction signs with the account from. With a fee payer and the sender's signature in the arguments it signs
// with the fee payer's account instead. The key is decrypted for this call.
func (s *personal) SignTransaction(ctx context.Context, args Arguments, passphrase string) (*signedTransaction, error) {
	if args.FeePayer != nil {
		return s.txs.signDelegated(ctx, args, withPassphrase(passphrase))
	}
	if err := args.complete(); err != nil {
		return nil, err
	}
	tx, err := s.sign(ctx, args, passphrase)
	if err != nil {
		return nil, err
	}
	return newSignedTransaction(tx)
}

// SendTransaction fills in missing arguments, signs like SignTransaction and submits.
func (s *personal) SendTransaction(ctx context.Context, args Arguments, passphrase string) (common.Hash, error) {
	if args.FeePayer != nil {
		signed, err := s.txs.signDelegated(ctx, args, withPassphrase(passphrase))
		if err != nil {
			return common.Hash{}, err
		}
		return s.txs.submit(ctx, signed.Tx)
	}
	tx, err := s.signAndSubmit(ctx, args, passphrase)
	if err != nil {
		return common.Hash{}, err
	}
	return tx.Hash(), nil
}

func (s *personal) signAndSubmit(ctx context.Context, args Arguments, passphrase string) (*types.Transaction, error) {
	if args.Nonce == nil && args.From != nil {
		if _, _, err := s.txs.wallet(*args.From); err != nil {
			return nil, err // unknown accounts get no lock
		}
		s.txs.nonces.LockAddr(*args.From)
		defer s.txs.nonces.UnlockAddr(*args.From)
	}
	tx, err := s.sign(ctx, args, passphrase)
	if err != nil {
		return nil, err
	}
	_, err = s.txs.submit(ctx, tx)
	return tx, err
}

// sign fills in missing arguments and signs with the account from.
func (s *personal) sign(ctx context.Context, args Arguments, passphrase string) (*types.Transaction, error) {
	if args.From == nil {
		return nil, errors.New("from is missing: it names the account that signs")
	}
	wallet, account, err := s.txs.wallet(*args.From)
	if err != nil {
		return nil, err
	}
	tx, err := s.txs.fill(ctx, args)
	if err != nil {
		return nil, err
	}
	if tx.Type() == types.BlobTxType {
		return nil, errors.New("this chain has no blob transactions: leave the blob fields out")
	}
	if err := checkFeeCap(tx, s.txs.node.APIBackend().RPCTxFeeCap()); err != nil {
		return nil, err
	}
	return wallet.SignTxWithPassphrase(account, passphrase, tx, s.txs.config().ChainID)
}

// SignRawFeeDelegateTransaction is the eth method of the same name, with the fee payer's key decrypted for this call
// (spec rpc 6.11, transactions 5.2).
func (s *personal) SignRawFeeDelegateTransaction(args Arguments, raw hexutil.Bytes,
	passphrase string) (*signedTransaction, error) {
	if args.FeePayer == nil {
		return nil, errMissingFeePayer
	}
	wallet, account, err := s.txs.wallet(*args.FeePayer)
	if err != nil {
		return nil, err
	}
	senderTx, err := decodeSenderTransaction(raw)
	if err != nil {
		return nil, err
	}
	return s.txs.addFeePayer(args, senderTx, wallet, account, withPassphrase(passphrase))
}
