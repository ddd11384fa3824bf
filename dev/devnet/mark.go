// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/atomicfile"
)

// MarkFile is the file in a node's instance directory that identifies a devnet to the node.
const MarkFile = "devnet-mark.json"

// maxMark is the largest size of that file in bytes.
const maxMark = 64 << 10

// Mark states that gwon devnet created a network, with data that its nodes lack. Every validator of the first block
// has signed it, so it is valid for no other network.
type Mark struct {
	Node       string          `json:"node"`     // name of the node that has the file
	Names      []string        `json:"names"`    // of the validators, in the order of Signatures
	Accounts   int             `json:"accounts"` // well-known accounts with coins
	Members    int             `json:"members"`  // how many of them are members of the governances
	Contracts  string          `json:"contracts,omitempty"`
	Period     uint64          `json:"periodSeconds"`
	Signatures []hexutil.Bytes `json:"signatures"` // of the validators' node keys, 65 bytes each

	validators []common.Address
}

// markDigest is the hash that the validators of a devnet sign.
func markDigest(chainID *big.Int) []byte {
	return crypto.Keccak256(fmt.Appendf(nil, "gwon devnet mark of chain %v", chainID))
}

// writeMarks writes the mark to every node.
func (n *Network) writeMarks() error {
	mark := Mark{Accounts: len(n.Accounts), Contracts: n.Contracts, Period: uint64(n.Period / time.Second)}
	for _, a := range n.Accounts {
		if a.Member {
			mark.Members++
		}
	}
	digest := markDigest(new(big.Int).SetUint64(n.ChainID))
	for _, node := range n.Nodes {
		signature, err := crypto.Sign(digest, node.key)
		if err != nil {
			return fmt.Errorf("sign the network's mark as %s: %w", node.Name, err)
		}
		mark.Names, mark.Signatures = append(mark.Names, node.Name), append(mark.Signatures, signature)
	}
	for _, node := range n.Nodes {
		mark.Node = node.Name
		text, err := json.MarshalIndent(mark, "", "  ")
		if err != nil {
			return fmt.Errorf("encode the network's mark: %w", err)
		}
		if err := atomicfile.Write(filepath.Join(node.Dir, "gwon", MarkFile), append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("write the mark of %s: %w", node.Name, err)
		}
	}
	return nil
}

// ReadMark reads and checks the mark in an instance directory; nil without a file. Each of the validators, which
// genesis appoints, must have signed it.
func ReadMark(dir string, chainID *big.Int, validators []common.Address) (*Mark, error) {
	path := filepath.Join(dir, MarkFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the mark of a devnet: %w", err)
	}
	if info.Size() > maxMark {
		return nil, fmt.Errorf("%s has %d bytes, more than a mark of a devnet: remove it", path, info.Size())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the mark of a devnet: %w", err)
	}
	mark := new(Mark)
	if err := json.Unmarshal(text, mark); err != nil {
		return nil, fmt.Errorf("%s is no mark of a devnet, remove it: %w", path, err)
	}
	if err := mark.check(chainID, validators); err != nil {
		return nil, fmt.Errorf("%s does not fit this chain, remove it: %w", path, err)
	}
	return mark, nil
}

func (m *Mark) check(chainID *big.Int, validators []common.Address) error {
	if len(validators) == 0 {
		return errors.New("the genesis block appoints no validators")
	}
	if len(m.Names) != len(m.Signatures) || m.Accounts < 0 || m.Accounts > maxAccounts || m.Members > m.Accounts {
		return errors.New("its parts contradict each other")
	}
	digest := markDigest(chainID)
	signed := make(map[common.Address]bool)
	for _, signature := range m.Signatures {
		key, err := crypto.SigToPub(digest, signature)
		if err != nil {
			return fmt.Errorf("a signature is malformed: %w", err)
		}
		address := crypto.PubkeyToAddress(*key)
		signed[address] = true
		m.validators = append(m.validators, address)
	}
	for _, v := range validators {
		if !signed[v] {
			return fmt.Errorf("validator %s has not signed it", v.Hex())
		}
	}
	return nil
}

// Validators returns the names of the validators by address.
func (m *Mark) Validators() map[common.Address]string {
	names := make(map[common.Address]string, len(m.validators))
	for i, v := range m.validators {
		names[v] = m.Names[i]
	}
	return names
}
