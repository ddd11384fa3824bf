// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/triedb"
)

// lookBack bounds how many blocks the state on disk may be behind the head.
const lookBack = 1 << 20

// stateView is one state, which does not change while it is read.
type stateView interface {
	// next goes to the next account, and returns false behind the last one.
	next() bool
	// account returns the hash and the slim form of the current account.
	account() (common.Hash, []byte)
	// slots calls each for the slots of the current account.
	slots(each func(hash common.Hash, value []byte) error) error
	err() error
	release()
}

// openState opens the newest state that stays as it is, and returns the block that it is of.
func (s *Source) openState() (stateView, *types.Header, error) {
	if scheme := rawdb.ReadStateScheme(s.DB); scheme != rawdb.PathScheme {
		return nil, nil, fmt.Errorf("the state is kept in scheme %q: a snapshot can be made of a database with "+
			"--state.scheme path only", scheme)
	}
	var progress struct { // of the generation of the flat state
		Wiping, Done bool
		Rest         []rlp.RawValue `rlp:"tail"`
	}
	if err := rlp.DecodeBytes(rawdb.ReadSnapshotGenerator(s.DB), &progress); err != nil || !progress.Done {
		return nil, nil, errors.New("the flat state is not complete: let the node run until it logs \"Generated " +
			"snapshot\", then try again")
	}
	if s.Tries != nil {
		if head := rawdb.ReadHeadHeader(s.DB); head != nil && head.Number.Sign() > 0 &&
			head.Hash() == rawdb.ReadHeadBlockHash(s.DB) {
			if accounts, err := s.Tries.AccountIterator(head.Root, common.Hash{}); err == nil {
				return &layeredView{s.Tries, head.Root, accounts}, head, nil
			}
		}
	}
	view, err := openDisk(s.DB)
	if err != nil {
		return nil, nil, err
	}
	head, err := headOf(s.DB, view.root)
	if err != nil {
		view.release()
		return nil, nil, err
	}
	return view, head, nil
}

// headOf returns the newest block with a state root.
func headOf(db ethdb.Database, root common.Hash) (*types.Header, error) {
	number, ok := rawdb.ReadHeaderNumber(db, rawdb.ReadHeadBlockHash(db))
	for n := number; ok && n > 0 && number-n < lookBack; n-- {
		header := rawdb.ReadHeader(db, rawdb.ReadCanonicalHash(db, n), n)
		if header == nil {
			return nil, fmt.Errorf("block %d is not in the database", n)
		}
		if header.Root == root {
			return header, nil
		}
	}
	return nil, errors.New("the state on disk is of no block behind the genesis block: let the node run for five " +
		"minutes more, " +
		"since the state goes to disk that often, and at least 128 blocks behind the head")
}

// errBusy means that the state on disk changed while it was being opened.
var errBusy = errors.New("the state on disk keeps changing: try again")

// diskView is the state on disk, by two iterators that see the key-value store as it was.
type diskView struct {
	root     common.Hash
	accounts ethdb.Iterator
	storage  ethdb.Iterator
	more     bool // storage stands on a slot
}

// openDisk opens the flat state. Each write of the database that changes it also changes the root beside it.
func openDisk(db ethdb.Database) (*diskView, error) {
	for range 3 {
		v := &diskView{
			root:     rawdb.ReadSnapshotRoot(db),
			accounts: db.NewIterator(rawdb.SnapshotAccountPrefix, nil),
			storage:  db.NewIterator(rawdb.SnapshotStoragePrefix, nil),
		}
		if rawdb.ReadSnapshotRoot(db) == v.root {
			v.more = v.storage.Next()
			return v, nil
		}
		v.release()
	}
	return nil, errBusy
}

func (v *diskView) next() bool {
	for v.accounts.Next() {
		if len(v.accounts.Key()) == len(rawdb.SnapshotAccountPrefix)+common.HashLength {
			return true
		}
	}
	return false
}

func (v *diskView) account() (common.Hash, []byte) {
	return common.Hash(v.accounts.Key()[len(rawdb.SnapshotAccountPrefix):]), v.accounts.Value()
}

func (v *diskView) slots(each func(common.Hash, []byte) error) error {
	account, _ := v.account()
	for ; v.more; v.more = v.storage.Next() {
		key := v.storage.Key()[len(rawdb.SnapshotStoragePrefix):]
		if len(key) != 2*common.HashLength {
			continue
		}
		switch of := key[:common.HashLength]; bytes.Compare(of, account[:]) {
		case 1:
			return nil
		case 0:
			if err := each(common.Hash(key[common.HashLength:]), v.storage.Value()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *diskView) err() error { return errors.Join(v.accounts.Error(), v.storage.Error()) }

func (v *diskView) release() {
	v.accounts.Release()
	v.storage.Release()
}

// layeredView is a state that is partly in layers above the one on disk. No other goroutine may use the tries.
type layeredView struct {
	tries    *triedb.Database
	root     common.Hash
	accounts interface {
		Next() bool
		Error() error
		Hash() common.Hash
		Account() []byte
		Release()
	}
}

func (v *layeredView) next() bool { return v.accounts.Next() }

func (v *layeredView) account() (common.Hash, []byte) { return v.accounts.Hash(), v.accounts.Account() }

func (v *layeredView) slots(each func(common.Hash, []byte) error) error {
	hash, slim := v.account()
	account, err := types.FullAccount(slim)
	if err != nil || account.Root == types.EmptyRootHash {
		return err
	}
	storage, err := v.tries.StorageIterator(v.root, hash, common.Hash{})
	if err != nil {
		return err
	}
	defer storage.Release()
	for storage.Next() {
		if err := each(storage.Hash(), storage.Slot()); err != nil {
			return err
		}
	}
	return storage.Error()
}

func (v *layeredView) err() error { return v.accounts.Error() }

func (v *layeredView) release() { v.accounts.Release() }
