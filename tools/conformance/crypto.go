// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"

	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
)

func keccak(in reader) (any, error) {
	return record{"hash": toHex(crypto.Keccak256(in.bytes("data")))}, nil
}

func ecdsaSign(in reader) (any, error) {
	key, err := crypto.ToECDSA(in.bytes("private_key"))
	if err != nil {
		return nil, err
	}
	signature, err := crypto.Sign(crypto.Keccak256(in.bytes("data")), key)
	if err != nil {
		return nil, err
	}
	return record{"signature": toHex(signature), "address": addressItem(crypto.PubkeyToAddress(key.PublicKey))}, nil
}

func ecdsaRecover(in reader) (any, error) {
	key, err := crypto.SigToPub(crypto.Keccak256(in.bytes("data")), in.bytes("signature"))
	if err != nil {
		return nil, err
	}
	return record{"address": addressItem(crypto.PubkeyToAddress(*key))}, nil
}

func blsDerive(in reader) (any, error) {
	node, err := crypto.ToECDSA(in.bytes("private_key"))
	if err != nil {
		return nil, err
	}
	key, err := bls.DeriveKey(node)
	if err != nil {
		return nil, err
	}
	return record{"secret_key": toHex(key.Bytes()), "public_key": toHex(key.PublicKey().Bytes())}, nil
}

func blsSign(in reader) (any, error) {
	key, err := bls.ParseSecretKey(in.bytes("secret_key"))
	if err != nil {
		return nil, err
	}
	return record{"signature": toHex(key.Sign(in.bytes("message")))}, nil
}

func publicKeys(in reader) ([]*bls.PublicKey, error) {
	var keys []*bls.PublicKey
	for i, encoded := range in.byteList("public_keys") {
		key, err := bls.ParsePublicKey(encoded)
		if err != nil {
			return nil, fmt.Errorf("public key %d: %w", i, err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("no public keys")
	}
	return keys, nil
}

func blsVerify(in reader) (any, error) {
	keys, err := publicKeys(in)
	if err != nil {
		return nil, err
	}
	signature := in.bytes("signature")
	if _, err := bls.ParseSignature(signature); err != nil {
		return nil, err
	}
	return record{"valid": bls.VerifyAggregate(keys, in.bytes("message"), signature)}, nil
}

func blsAggregate(in reader) (any, error) {
	var signatures []*bls.Signature
	for i, encoded := range in.byteList("signatures") {
		s, err := bls.ParseSignature(encoded)
		if err != nil {
			return nil, fmt.Errorf("signature %d: %w", i, err)
		}
		signatures = append(signatures, s)
	}
	return record{"signature": toHex(bls.Sum(signatures))}, nil
}

func aggregatePublicKeys(in reader) (any, error) {
	keys, err := publicKeys(in)
	if err != nil {
		return nil, err
	}
	return record{"public_key": toHex(bls.SumKeys(keys))}, nil
}

func sealData(in reader) (any, error) {
	header, err := in.header("header")
	if err != nil {
		return nil, err
	}
	digest := extra.SealDigest(header, uint32(in.number("round")), byte(in.number("seal_type")))
	return record{"seal_data": toHex(digest[:])}, nil
}

func randaoData(in reader) (any, error) {
	data := extra.RandaoData(in.integer("chain_id"), in.number("number"))
	return record{"randao_data": toHex(data[:])}, nil
}

func randaoMix(in reader) (any, error) {
	mix := extra.MixHash(in.hash("parent_mix"), in.bytes("reveal"))
	return record{"mix": toHex(mix[:])}, nil
}
