// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/program"
	"gwon/consensus/wbft/bls"
)

// Identity is what the network knows of a validator (spec wbft 2.1, 2.2).
type Identity struct {
	KeyFile           string         `json:"keyFile"`
	NodeID            string         `json:"nodePublicKey"` // 64 bytes, hex without 0x: the user part of an enode URL
	Address           common.Address `json:"address"`
	BLSPublicKey      hexutil.Bytes  `json:"blsPublicKey"`      // 48 bytes, compressed G1
	ProofOfPossession hexutil.Bytes  `json:"proofOfPossession"` // 96 bytes, compressed G2

	// SignedFor is the genesis block for which the vote log beside the key file has messages of the key, nil for none. A
	// network with another genesis block needs another key.
	SignedFor *common.Hash `json:"signedFor,omitempty"`
}

// Identify returns what the network knows of a validator with a key, which is in a file.
func Identify(key *ecdsa.PrivateKey, file string) (*Identity, error) {
	secret, err := bls.DeriveKey(key)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	return &Identity{
		KeyFile:           file,
		NodeID:            hex.EncodeToString(crypto.FromECDSAPub(&key.PublicKey)[1:]),
		Address:           crypto.PubkeyToAddress(key.PublicKey),
		BLSPublicKey:      secret.PublicKey().Bytes(),
		ProofOfPossession: secret.ProofOfPossession(),
	}, nil
}

// Print writes an identity for people, or as JSON.
func (v *Identity) Print(w io.Writer, asJSON bool) error {
	if asJSON {
		return program.PrintIndented(w, v)
	}
	_, err := fmt.Fprintf(w, "Key file:            %s\nNode public key:     %s\nAddress:             %s\n"+
		"BLS public key:      %s\nProof of possession: %s\n",
		v.KeyFile, v.NodeID, v.Address.Hex(), v.BLSPublicKey, v.ProofOfPossession)
	if err == nil && v.SignedFor != nil {
		_, err = fmt.Fprintf(w, "Has signed for:      the network with genesis block %v; make a new key for any other\n",
			v.SignedFor)
	}
	return err
}
