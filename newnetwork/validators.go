// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package newnetwork

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/params"
)

// Validator is the public part of a validator, as gwon validator show --json prints it, and where the others find it.
type Validator struct {
	NodeID            string         `json:"nodePublicKey"` // 64 bytes, hex
	Address           common.Address `json:"address"`
	BLSPublicKey      hexutil.Bytes  `json:"blsPublicKey"`
	ProofOfPossession hexutil.Bytes  `json:"proofOfPossession"`
	Endpoint          string         `json:"endpoint"` // HOST:PORT of peers
	Operator          common.Address `json:"operator"` // member of the governances; the validator's address if zero
}

// ReadValidators reads validators, each a JSON object, one after the other or in lists. Errors name the number of the
// validator, from 1, and what is wrong.
func ReadValidators(from io.Reader) ([]Validator, error) {
	var list []Validator
	for in := json.NewDecoder(from); ; {
		var next json.RawMessage
		err := in.Decode(&next)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("want the output of gwon validator show --json for each validator: %w", err)
		}
		if !bytes.HasPrefix(next, []byte("[")) {
			next = slicesOf(next)
		}
		var some []Validator
		if err := json.Unmarshal(next, &some); err != nil {
			return nil, fmt.Errorf("validator %d or one after it: %w", len(list)+1, err)
		}
		if list = append(list, some...); len(list) > params.MaxGovernanceMembers {
			return nil, fmt.Errorf("a network can start with at most %d validators", params.MaxGovernanceMembers)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("it names no validator: put the output of gwon validator show --json there for each")
	}
	seen := make(map[string]int)
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, fmt.Errorf("validator %d (%v): %w", i+1, list[i].Address, err)
		}
		for _, of := range []string{list[i].NodeID, list[i].Endpoint, list[i].BLSPublicKey.String()} {
			if other := seen[of]; other > 0 {
				return nil, fmt.Errorf("validators %d and %d have the same %s", other, i+1, of)
			}
			seen[of] = i + 1
		}
	}
	return list, nil
}

// slicesOf returns a JSON list of one value.
func slicesOf(value json.RawMessage) json.RawMessage {
	return append(append([]byte("["), value...), ']')
}

// check verifies that the keys belong together and that the holder has the BLS key (spec wbft 2.1, 2.2).
func (v *Validator) check() error {
	id, err := hex.DecodeString(v.NodeID)
	if err != nil {
		return fmt.Errorf("nodePublicKey has to be 128 hexadecimal digits: %w", err)
	}
	key, err := crypto.UnmarshalPubkey(append([]byte{4}, id...))
	if err != nil {
		return fmt.Errorf("nodePublicKey %s is no public key: %w", v.NodeID, err)
	}
	if address := crypto.PubkeyToAddress(*key); address != v.Address {
		return fmt.Errorf("nodePublicKey is that of %v", address)
	}
	public, err := bls.ParsePublicKey(v.BLSPublicKey)
	if err != nil {
		return fmt.Errorf("blsPublicKey: %w", err)
	}
	if !bls.VerifyPossession(public, v.ProofOfPossession) {
		return errors.New("proofOfPossession does not belong to blsPublicKey: take both from gwon validator show")
	}
	host, port, err := net.SplitHostPort(v.Endpoint)
	if err != nil || host == "" {
		return fmt.Errorf("endpoint %q: want \"endpoint\": \"HOST:PORT\", where others find this validator", v.Endpoint)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return fmt.Errorf("endpoint %q: the port has to be a number from 1 to 65535", v.Endpoint)
	}
	return nil
}

// enode returns the URL under which the other validators dial this one.
func (v *Validator) enode() string { return fmt.Sprintf("enode://%s@%s", v.NodeID, v.Endpoint) }
