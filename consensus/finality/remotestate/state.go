// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/params"
)

const (
	// MaxSlots bounds the storage slots of one question.
	MaxSlots = 256

	maxAccessed = 4096 // accounts and slots that are read ahead for one call
	maxTogether = 1024 // accounts and slots of one request: their paths take some 8 MB

	// maxSearched bounds the nibbles of a path for which Node looks for a key. 16^6 keys take some seconds.
	maxSearched = 6
)

// ErrAbsent means that a node was not read yet, and that no known node refers to it.
var ErrAbsent = errors.New("the node was not read yet")

// State is the state after a proven block. It is safe for concurrent use.
type State struct {
	r      *Reader
	header *types.Header
}

// State returns the state after a proven block. It asks nothing.
func (r *Reader) State(proven *types.Header) *State { return &State{r, proven} }

// Account returns an account, nil when there is none.
func (s *State) Account(ctx context.Context, address common.Address) (*types.StateAccount, error) {
	account, err := s.stored(address)
	if !errors.Is(err, ErrAbsent) {
		return account, err
	}
	if err := s.Fetch(ctx, []Wanted{{Address: address}}); err != nil {
		return nil, err
	}
	return s.stored(address)
}

// stored returns an account from the nodes of the store.
func (s *State) stored(address common.Address) (*types.StateAccount, error) {
	value, err := storedValue(s.header.Root, crypto.Keccak256Hash(address[:]), s.r.store.node)
	if err != nil || value == nil {
		return nil, err
	}
	return accountOf(value)
}

func accountOf(value []byte) (*types.StateAccount, error) {
	account := new(types.StateAccount)
	if err := rlp.DecodeBytes(value, account); err != nil {
		return nil, fmt.Errorf("an account cannot be read: %w", err)
	}
	return account, nil
}

// Storage returns a word of the storage of an account, zero where there is none.
func (s *State) Storage(ctx context.Context, address common.Address, slot common.Hash) (common.Hash, error) {
	word, err := s.word(address, slot)
	if !errors.Is(err, ErrAbsent) {
		return word, err
	}
	if err := s.Fetch(ctx, []Wanted{{address, []common.Hash{slot}}}); err != nil {
		return common.Hash{}, err
	}
	return s.word(address, slot)
}

// word returns a word from the nodes of the store.
func (s *State) word(address common.Address, slot common.Hash) (common.Hash, error) {
	account, err := s.stored(address)
	if err != nil || account == nil {
		return common.Hash{}, err
	}
	value, err := storedValue(account.Root, crypto.Keccak256Hash(slot[:]), s.r.store.node)
	if err != nil {
		return common.Hash{}, err
	}
	return wordOf(value)
}

func wordOf(value []byte) (common.Hash, error) {
	if value == nil {
		return common.Hash{}, nil
	}
	content, rest, err := rlp.SplitString(value)
	if err != nil || len(rest) > 0 || len(content) > common.HashLength {
		return common.Hash{}, errors.New("a word of the storage cannot be read")
	}
	return common.BytesToHash(content), nil
}

// Code returns the code of an account.
func (s *State) Code(ctx context.Context, address common.Address) ([]byte, error) {
	account, err := s.Account(ctx, address)
	if err != nil || account == nil || bytes.Equal(account.CodeHash, types.EmptyCodeHash[:]) {
		return nil, err
	}
	hash := common.BytesToHash(account.CodeHash)
	if code, found := get[[]byte](s.r.store, kindCode, hash); found {
		return code, nil
	}
	var code hexutil.Bytes
	err = s.r.nodes.ask("eth_getCode", func(p *endpoint) error {
		raw, err := p.call(ctx, "eth_getCode", address, s.at())
		if err != nil {
			return s.old(err)
		}
		if err := decode(raw, &code, "code"); err != nil {
			return err
		}
		if len(code) > params.MaxCode || crypto.Keccak256Hash(code) != hash {
			return lie("code", "%d bytes that do not have the hash %v", len(code), hash)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return code, add(s.r.store, kindCode, []byte(code))
}

func (s *State) at() hexutil.Uint64 { return hexutil.Uint64(s.header.Number.Uint64()) }

// old adds to the error of a node without the state which block that is, and the remedy.
func (s *State) old(err error) error {
	if !errors.Is(err, ErrPruned) {
		return err
	}
	return fmt.Errorf("the state of block %d is gone there (go-stablenet keeps that of the newest 128 blocks): choose a "+
		"newer block, or an archive node: %w", s.header.Number, err)
}

// Wanted is an account and words of its storage.
type Wanted struct {
	Address common.Address
	Slots   []common.Hash
}

// Fetch reads accounts and storage in few requests. What the store has is not asked for.
func (s *State) Fetch(ctx context.Context, wanted []Wanted) error {
	var missing []Wanted
	for _, w := range wanted {
		if len(w.Slots) == 0 {
			if _, err := s.stored(w.Address); errors.Is(err, ErrAbsent) {
				missing = append(missing, w)
			} else if err != nil {
				return err
			}
			continue
		}
		var slots []common.Hash
		for _, slot := range w.Slots {
			if _, err := s.word(w.Address, slot); errors.Is(err, ErrAbsent) {
				slots = append(slots, slot)
			} else if err != nil {
				return err
			}
		}
		for part := range slices.Chunk(slots, MaxSlots) {
			missing = append(missing, Wanted{w.Address, part})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var nodes []placed
	err := s.r.nodes.ask("eth_getProof", func(p *endpoint) error {
		nodes = nodes[:0]
		for rest := missing; len(rest) > 0; {
			together := rest[:together(rest)]
			rest = rest[len(together):]
			args := make([][]any, len(together))
			for i, w := range together {
				keys := make([]string, len(w.Slots))
				for j, slot := range w.Slots {
					keys[j] = slot.Hex()
				}
				args[i] = []any{w.Address, keys, s.at()}
			}
			answers, err := p.calls(ctx, "eth_getProof", args)
			if err != nil {
				return s.old(err)
			}
			for i, raw := range answers {
				way, err := verifyProof(raw, s.header.Root, together[i])
				if err != nil {
					return err
				}
				nodes = append(nodes, way...)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return add(s.r.store, kindNode, nodes...)
}

// together returns how many of the first ones of a list are asked for in one request.
func together(list []Wanted) int {
	size := 0
	for i, w := range list {
		if size += 1 + len(w.Slots); size > maxTogether && i > 0 {
			return i
		}
	}
	return len(list)
}

// FetchAccessed reads what a call reads, as far as a server can tell: accounts, their code and storage. call is the
// object of eth_call. The list is a hint, and what it names is proven like any other state.
func (s *State) FetchAccessed(ctx context.Context, call json.RawMessage) error {
	var wanted []Wanted
	err := s.r.nodes.ask("eth_createAccessList", func(p *endpoint) error {
		raw, err := p.call(ctx, "eth_createAccessList", call, s.at())
		if err != nil {
			return s.old(err)
		}
		var answer struct {
			AccessList types.AccessList `json:"accessList"`
		}
		if err := decode(raw, &answer, "accessList"); err != nil {
			return err
		}
		wanted = nil
		left := maxAccessed
		for _, a := range answer.AccessList {
			if left -= 1 + len(a.StorageKeys); left < 0 {
				break // the rest is read one by one
			}
			wanted = append(wanted, Wanted{Address: a.Address}, Wanted{a.Address, a.StorageKeys})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Fetch(ctx, wanted)
}

// accountProof is the answer of eth_getProof.
type accountProof struct {
	Address      common.Address  `json:"address"`
	AccountProof []hexutil.Bytes `json:"accountProof"`
	Balance      *hexutil.Big    `json:"balance"`
	CodeHash     common.Hash     `json:"codeHash"`
	Nonce        hexutil.Uint64  `json:"nonce"`
	StorageHash  common.Hash     `json:"storageHash"`
	Extra        *hexutil.Uint64 `json:"extra"` // of an account without flags it may be missing
	StorageProof []struct {
		Key   string          `json:"key"`
		Value *hexutil.Big    `json:"value"`
		Proof []hexutil.Bytes `json:"proof"`
	} `json:"storageProof"`
}

// verifyProof checks each field of an answer against the root of a proven state. It returns the nodes.
func verifyProof(raw json.RawMessage, root common.Hash, wanted Wanted) ([]placed, error) {
	var proof accountProof
	if err := decode(raw, &proof, "proof"); err != nil {
		return nil, err
	}
	if proof.Address != wanted.Address {
		return nil, lie("address", "it is %v, not %v", proof.Address, wanted.Address)
	}
	value, nodes, err := follow(root, crypto.Keccak256Hash(wanted.Address[:]), proof.AccountProof)
	if err != nil {
		return nil, lie("accountProof", "%v", err)
	}
	account := types.NewEmptyStateAccount()
	if value != nil {
		if account, err = accountOf(value); err != nil {
			return nil, lie("accountProof", "%v", err)
		}
	}
	if err := proof.compare(account, value != nil); err != nil {
		return nil, err
	}
	if len(proof.StorageProof) != len(wanted.Slots) {
		return nil, lie("storageProof", "it has %d words, not %d", len(proof.StorageProof), len(wanted.Slots))
	}
	for i, slot := range wanted.Slots {
		word := proof.StorageProof[i]
		field := fmt.Sprintf("storageProof[%d]", i)
		if key, err := slotOf(word.Key); err != nil || key != slot {
			return nil, lie(field+".key", "it is %.80q, not %v", word.Key, slot)
		}
		value, way, err := follow(account.Root, crypto.Keccak256Hash(slot[:]), word.Proof)
		if err != nil {
			return nil, lie(field+".proof", "%v", err)
		}
		proven, err := wordOf(value)
		if err != nil {
			return nil, lie(field+".proof", "%v", err)
		}
		if word.Value == nil || word.Value.ToInt().Cmp(proven.Big()) != 0 {
			return nil, lie(field+".value", "it is %v, and %v is proven", word.Value, proven)
		}
		for j := range way {
			way[j].Owner = wanted.Address
		}
		nodes = append(nodes, way...)
	}
	return nodes, nil
}

// compare checks what an answer says of an account against what its path proves.
func (p *accountProof) compare(account *types.StateAccount, exists bool) error {
	differs := func(have, proven common.Hash) bool {
		return have != proven && (exists || have != common.Hash{})
	}
	switch {
	case p.Balance == nil || p.Balance.ToInt().Cmp(account.Balance.ToBig()) != 0:
		return lie("balance", "it is %v, and %v is proven", p.Balance, account.Balance)
	case uint64(p.Nonce) != account.Nonce:
		return lie("nonce", "it is %d, and %d is proven", uint64(p.Nonce), account.Nonce)
	case differs(p.CodeHash, common.BytesToHash(account.CodeHash)):
		return lie("codeHash", "it is %v, and %#x is proven", p.CodeHash, account.CodeHash)
	case differs(p.StorageHash, account.Root):
		return lie("storageHash", "it is %v, and %v is proven", p.StorageHash, account.Root)
	case p.Extra != nil && uint64(*p.Extra) != account.Extra:
		return lie("extra", "it is %#x, and %#x is proven", uint64(*p.Extra), account.Extra)
	}
	return nil
}

// slotOf reads the key of a word. Nodes write it in full, or as a number.
func slotOf(text string) (common.Hash, error) {
	digits, hex := strings.CutPrefix(text, "0x")
	if !hex || len(digits) > 2*common.HashLength {
		return common.Hash{}, errors.New("no slot")
	}
	content, err := hexutil.Decode("0x" + strings.Repeat("0", 2*common.HashLength-len(digits)) + digits)
	return common.BytesToHash(content), err
}

// Node returns a node of a trie by its hash. A reader that knows no key needs it: the deletion of a value merges a
// branch with its last child. The path of the node is found in the nodes above it, and a key that passes there by
// trying, so that any server can answer.
func (s *State) Node(ctx context.Context, hash common.Hash) ([]byte, error) {
	if blob, err := s.r.store.node(hash); err == nil {
		return blob, nil
	}
	at, found := s.r.store.place(hash)
	if !found && hash != s.header.Root { // whose path is empty
		return nil, fmt.Errorf("node %v: %w", hash, ErrAbsent)
	}
	key, err := keyBelow(at.Path, at.Owner == common.Address{})
	if err != nil {
		return nil, fmt.Errorf("node %v: %w", hash, err)
	}
	wanted := Wanted{Address: common.BytesToAddress(key)}
	if (at.Owner != common.Address{}) {
		wanted = Wanted{at.Owner, []common.Hash{common.BytesToHash(key)}}
	}
	if err := s.Fetch(ctx, []Wanted{wanted}); err != nil {
		return nil, fmt.Errorf("node %v: %w", hash, err)
	}
	return s.r.store.node(hash)
}

// keyBelow returns an address or a slot whose hash begins with a path.
func keyBelow(path []byte, address bool) ([]byte, error) {
	if len(path) > maxSearched {
		return nil, fmt.Errorf("it is %d nibbles below the root, and keys are found for %d", len(path), maxSearched)
	}
	key := make([]byte, common.HashLength)
	if address {
		key = key[:common.AddressLength]
	}
	hasher := crypto.NewKeccakState()
	var hash [common.HashLength]byte
	// Each path of maxSearched nibbles has a key among this number but for a chance of e^-64.
	for i := range uint64(64) << (4 * maxSearched) {
		binary.BigEndian.PutUint64(key[len(key)-8:], i)
		hasher.Reset()
		_, _ = hasher.Write(key) // never fails
		_, _ = hasher.Read(hash[:])
		if matches(hash, path) {
			return key, nil
		}
	}
	return nil, fmt.Errorf("no key was found below %x", path)
}

func matches(hash [common.HashLength]byte, path []byte) bool {
	for i, nibble := range path {
		half := hash[i/2] >> 4
		if i%2 == 1 {
			half = hash[i/2] & 15
		}
		if half != nibble {
			return false
		}
	}
	return true
}
