// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/params"
)

// Kinds of items of a state.
const (
	accountItem = 1 // hash of the address, account in slim form
	slotItem    = 2 // of the account before it: hash of the key, value in RLP
	codeItem    = 3 // of the account that follows, unless an earlier one had the same: hash, code
)

const (
	maxStateValue = 256     // bytes of an item. A value of a slot has 33, an account about 120
	codesHeld     = 1 << 20 // whose hashes are in memory, about 128 bytes each: a state is proven at its end alone
)

// stateItem is an entry of a state. Accounts are in ascending order of hashes, and so are the slots of each.
type stateItem struct {
	Kind  uint8
	Hash  common.Hash
	Value []byte
}

// stateStore takes what a state consists of.
type stateStore interface {
	putAccount(hash common.Hash, slim []byte)
	putSlot(account, hash common.Hash, value []byte)
	putCode(hash common.Hash, code []byte)
	hasCode(hash common.Hash) bool // that was flushed
	putNode(owner common.Hash, path, blob []byte)
	flush(all bool) error
}

// stateBuilder makes the tries of a state from its items in order.
type stateBuilder struct {
	store    stateStore // nil when the root alone is wanted
	accounts *trie.StackTrie
	codes    map[common.Hash]struct{} // the last ones
	most     int                      // of codes
	stored   bool                     // the store alone has those before
	pending  common.Hash              // code that the next account must have; zero for none

	begun   bool        // there is a current account
	hash    common.Hash // of the current account
	account *types.StateAccount
	storage *trie.StackTrie // nil until the first slot
	slot    common.Hash     // last one
}

func newStateBuilder(store stateStore, most int) *stateBuilder {
	b := &stateBuilder{store: store, codes: make(map[common.Hash]struct{}), most: most}
	b.accounts = b.newTrie(common.Hash{})
	return b
}

func (b *stateBuilder) newTrie(owner common.Hash) *trie.StackTrie {
	if b.store == nil {
		return trie.NewStackTrie(nil)
	}
	return trie.NewStackTrie(func(path []byte, _ common.Hash, blob []byte) { b.store.putNode(owner, path, blob) })
}

// add takes the next item.
func (b *stateBuilder) add(item *stateItem) error {
	limit := maxStateValue
	if item.Kind == codeItem {
		limit = params.MaxCode
	}
	if n := len(item.Value); n == 0 || n > limit {
		return fmt.Errorf("an entry of kind %d has %d bytes, from 1 to %d are allowed", item.Kind, n, limit)
	}
	var err error
	switch item.Kind {
	case accountItem:
		err = b.addAccount(item)
	case slotItem:
		err = b.addSlot(item)
	case codeItem:
		err = b.addCode(item)
	default:
		err = fmt.Errorf("unknown kind %d", item.Kind)
	}
	if err == nil && b.store != nil {
		err = b.store.flush(false)
	}
	return err
}

func (b *stateBuilder) addAccount(item *stateItem) error {
	if b.begun && item.Hash.Cmp(b.hash) <= 0 {
		return fmt.Errorf("account %v does not come after %v", item.Hash, b.hash)
	}
	if err := b.finishAccount(); err != nil {
		return err
	}
	account, err := types.FullAccount(item.Value)
	if err != nil {
		return fmt.Errorf("account %v: %w", item.Hash, err)
	}
	if !bytes.Equal(types.SlimAccountRLP(*account), item.Value) {
		return fmt.Errorf("account %v is not in canonical form", item.Hash)
	}
	code := common.BytesToHash(account.CodeHash)
	if b.pending != (common.Hash{}) && b.pending != code {
		return fmt.Errorf("code %v belongs to no account", b.pending)
	}
	b.pending = common.Hash{}
	if _, ok := b.codes[code]; !ok && code != types.EmptyCodeHash && !(b.stored && b.store.hasCode(code)) {
		return fmt.Errorf("code %v of account %v is missing", code, item.Hash)
	}
	if b.store != nil {
		b.store.putAccount(item.Hash, item.Value)
	}
	b.begun, b.hash, b.account = true, item.Hash, account
	return nil
}

func (b *stateBuilder) addSlot(item *stateItem) error {
	if !b.begun || b.pending != (common.Hash{}) {
		return fmt.Errorf("slot %v has no account before it", item.Hash)
	}
	if b.storage == nil {
		b.storage = b.newTrie(b.hash)
	} else if item.Hash.Cmp(b.slot) <= 0 {
		return fmt.Errorf("slot %v of account %v does not come after %v", item.Hash, b.hash, b.slot)
	}
	b.slot = item.Hash
	if b.store != nil {
		b.store.putSlot(b.hash, item.Hash, item.Value)
	}
	return b.storage.Update(item.Hash[:], item.Value)
}

func (b *stateBuilder) addCode(item *stateItem) error {
	if have := crypto.Keccak256Hash(item.Value); have != item.Hash {
		return fmt.Errorf("code %v has hash %v", item.Hash, have)
	}
	if _, twice := b.codes[item.Hash]; twice || b.pending != (common.Hash{}) {
		return fmt.Errorf("code %v is surplus", item.Hash)
	}
	if len(b.codes) == b.most {
		if b.store == nil {
			return fmt.Errorf("the state has more than %d codes: have gwon snapshot fetch prove it, which keeps them on disk",
				b.most)
		}
		if err := b.store.flush(true); err != nil {
			return err
		}
		clear(b.codes)
		b.stored = true
	}
	b.codes[item.Hash], b.pending = struct{}{}, item.Hash
	if b.store != nil {
		b.store.putCode(item.Hash, item.Value)
	}
	return nil
}

// finishAccount puts the current account, whose slots are complete, into the trie.
func (b *stateBuilder) finishAccount() error {
	if !b.begun {
		return nil
	}
	root := types.EmptyRootHash
	if b.storage != nil {
		root, b.storage = b.storage.Hash(), nil
	}
	if root != b.account.Root {
		return fmt.Errorf("the slots of account %v have root %v, the account says %v", b.hash, root, b.account.Root)
	}
	full, err := rlp.EncodeToBytes(b.account)
	if err != nil {
		return err
	}
	return b.accounts.Update(b.hash[:], full)
}

// root returns the root of the complete state.
func (b *stateBuilder) root() (common.Hash, error) {
	if b.pending != (common.Hash{}) {
		return common.Hash{}, errors.New("the state ends with code that belongs to no account")
	}
	if err := b.finishAccount(); err != nil {
		return common.Hash{}, err
	}
	b.begun = false
	root := b.accounts.Hash()
	if b.store != nil {
		return root, b.store.flush(true)
	}
	return root, nil
}
