// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package finality

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
)

// MaxPath bounds the nodes of a Merkle path. Indices of a block have keys of at most ten nibbles.
const MaxPath = 16

// ErrNewest reports that the block has no child yet, with which a proof of its receipts is made.
var ErrNewest = errors.New("is the newest: its child, with which the proof is made, comes within seconds: ask again")

// Inclusion shows a transaction and its receipt in a block, by Merkle paths to the two roots in the header. Both are in
// consensus encoding. Without the transaction a receipt does not say whose it is.
type Inclusion struct {
	// Header is the parent of the sealed block. The hash in the child proves it; its own seals are not looked at.
	Header *types.Header `json:"header"`

	Index           hexutil.Uint64  `json:"index"` // in the block
	Transaction     hexutil.Bytes   `json:"transaction"`
	TransactionPath []hexutil.Bytes `json:"transactionPath"` // nodes from the root on
	Receipt         hexutil.Bytes   `json:"receipt"`
	ReceiptPath     []hexutil.Bytes `json:"receiptPath"`
}

// Executed is a transaction of a final block, with its receipt.
type Executed struct {
	Header      *types.Header
	Index       uint64 // in the block
	Transaction *types.Transaction

	// Receipt has what the header covers: type, status, cumulative gas, bloom and logs. Hash and place of the transaction
	// are set in it and in its logs. Indices of logs, the gas of this transaction alone and its price are not.
	Receipt *types.Receipt
}

// BuildReceipt makes a proof of the transaction at an index of a block and of its receipt, for those who trust the
// block of the number trusted, which must not be above the child of the block. The error wraps what Build returns,
// ErrNewest, ErrPath for lists that the header does not cover, or ErrSize.
func BuildReceipt(chain Chain, trusted uint64, block *types.Block, receipts types.Receipts, index int) (*Proof, error) {
	if n := block.Transactions().Len(); index < 0 || index >= n || len(receipts) != n {
		return nil, fmt.Errorf("%w: transaction %d of %d with %d receipts", ErrPath, index, n, len(receipts))
	}
	// A quorum of a set that has grown since proves the ancestors of what it sealed, not the sealed block itself.
	child := block.NumberU64() + 1
	if chain.Header(child) == nil {
		return nil, fmt.Errorf("block %d %w", block.NumberU64(), ErrNewest)
	}
	p, err := Build(chain, trusted, child)
	if err != nil {
		return nil, err
	}
	return p, p.Include(block, receipts, index)
}

// Include adds the transaction at an index of a block, and its receipt, to a proof of the child of the block. The error
// wraps ErrPath for what the headers do not cover, or ErrSize.
func (p *Proof) Include(block *types.Block, receipts types.Receipts, index int) error {
	if p.Block.Header.ParentHash != block.Hash() {
		return fmt.Errorf("%w: block %v is not the one that the chain has at %d", ErrPath, block.Hash(), block.NumberU64())
	}
	if n := block.Transactions().Len(); index < 0 || index >= n || len(receipts) != n {
		return fmt.Errorf("%w: transaction %d of %d with %d receipts", ErrPath, index, n, len(receipts))
	}
	made := &Inclusion{Header: block.Header(), Index: hexutil.Uint64(index)} //nolint:gosec // not negative
	var err error
	made.Transaction, made.TransactionPath, err = pathOf(block.Transactions(), index, block.TxHash())
	if err != nil {
		return fmt.Errorf("transactions of block %d: %w", block.NumberU64(), err)
	}
	made.Receipt, made.ReceiptPath, err = pathOf(receipts, index, block.ReceiptHash())
	if err != nil {
		return fmt.Errorf("receipts of block %d: %w", block.NumberU64(), err)
	}
	if size := made.size(); size > maxInclusion {
		return fmt.Errorf("%w: transaction and receipt with their paths have %d bytes, at most %d are allowed",
			ErrSize, size, maxInclusion)
	}
	p.Receipt = made
	return nil
}

// pathOf returns an item of a list in consensus encoding with its path to the root.
func pathOf(list types.DerivableList, index int, root common.Hash) ([]byte, []hexutil.Bytes, error) {
	items := trie.NewEmpty(nil)
	var encoded bytes.Buffer
	for i := range list.Len() {
		encoded.Reset()
		list.EncodeIndex(i, &encoded)
		if err := items.Update(keyOf(uint64(i)), bytes.Clone(encoded.Bytes())); err != nil {
			return nil, nil, err
		}
	}
	if hash := items.Hash(); hash != root {
		return nil, nil, fmt.Errorf("%w: the list has the root %v, and the header says %v", ErrPath, hash, root)
	}
	var path pathWriter
	if err := items.Prove(keyOf(uint64(index)), &path); err != nil { //nolint:gosec // not negative
		return nil, nil, err
	}
	encoded.Reset()
	list.EncodeIndex(index, &encoded)
	return encoded.Bytes(), path, nil
}

// keyOf returns the key of an index in the trees of transactions and receipts.
func keyOf(index uint64) []byte { return rlp.AppendUint64(nil, index) }

// pathWriter collects the nodes of a path in order.
type pathWriter []hexutil.Bytes

// Put implements ethdb.KeyValueWriter.
func (w *pathWriter) Put(_, node []byte) error {
	*w = append(*w, bytes.Clone(node))
	return nil
}

// Delete implements ethdb.KeyValueWriter.
func (*pathWriter) Delete([]byte) error { return errors.New("nodes of a path are not deleted") }

// pathReader hands out the nodes of a path in order, each to the hash that it has.
type pathReader struct{ rest []hexutil.Bytes }

// Has implements ethdb.KeyValueReader.
func (r *pathReader) Has(hash []byte) (bool, error) {
	return len(r.rest) > 0 && bytes.Equal(crypto.Keccak256(r.rest[0]), hash), nil
}

// Get implements ethdb.KeyValueReader.
func (r *pathReader) Get(hash []byte) ([]byte, error) {
	if ok, _ := r.Has(hash); !ok { // never fails
		return nil, fmt.Errorf("%w: the next node does not have the hash %x", ErrPath, hash)
	}
	node := r.rest[0]
	r.rest = r.rest[1:]
	return node, nil
}

// FollowPath returns the value of a key in the trie with a root, nil where the trie has none. The path has the encoded
// nodes from the root on: each that the key needs, and no others. The caller bounds its length. The error wraps
// ErrPath.
func FollowPath(root common.Hash, key []byte, path []hexutil.Bytes) ([]byte, error) {
	nodes := pathReader{path}
	value, err := trie.VerifyProof(root, key, &nodes)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrPath, err)
	case len(nodes.rest) > 0:
		return nil, fmt.Errorf("%w: %d nodes follow the end of the path", ErrPath, len(nodes.rest))
	}
	return value, nil
}

// checkPath checks that a root covers an item at an index, by exactly the nodes of the path.
func checkPath(root common.Hash, index uint64, item []byte, path []hexutil.Bytes) error {
	value, err := FollowPath(root, keyOf(index), path)
	switch {
	case err != nil:
		return err
	case len(value) == 0 || !bytes.Equal(value, item):
		return fmt.Errorf("%w: the path leads to other bytes", ErrPath)
	}
	return nil
}

// VerifyReceipt checks a proof like Verify, and returns the transaction that it shows in the parent of the sealed
// block. The parent is proven also where the sealers are a quorum of an older and smaller set than the one in charge.
// The seals in its header are not. The error wraps one of the errors of this package. Nothing in proof is changed.
func VerifyReceipt(proof *Proof, trusted Trusted) (*Executed, error) {
	child, err := Verify(proof, trusted)
	if err != nil {
		return nil, err
	}
	shown := proof.Receipt
	if shown == nil {
		return nil, fmt.Errorf("%w: it is about block %d alone: ask istanbul_getReceiptProof", ErrNoReceipt, child.Number)
	}
	header, hash := shown.Header, shown.Header.Hash()
	if header.Number.Uint64()+1 != child.Number.Uint64() || hash != child.ParentHash {
		return nil, fmt.Errorf("%w: block %d with the transaction is not the parent of the sealed block %d", ErrLink,
			header.Number, child.Number)
	}
	index := uint64(shown.Index)
	if err := checkPath(header.TxHash, index, shown.Transaction, shown.TransactionPath); err != nil {
		return nil, fmt.Errorf("transaction: %w", err)
	}
	if err := checkPath(header.ReceiptHash, index, shown.Receipt, shown.ReceiptPath); err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	tx, receipt := new(types.Transaction), new(types.Receipt)
	if err := tx.UnmarshalBinary(shown.Transaction); err != nil {
		return nil, fmt.Errorf("%w: transaction: %w", ErrMalformed, err)
	}
	if err := receipt.UnmarshalBinary(shown.Receipt); err != nil {
		return nil, fmt.Errorf("%w: receipt: %w", ErrMalformed, err)
	}
	receipt.TxHash, receipt.BlockHash, receipt.BlockNumber = tx.Hash(), hash, header.Number
	receipt.TransactionIndex = uint(index)
	for _, log := range receipt.Logs {
		log.TxHash, log.TxIndex, log.BlockHash = receipt.TxHash, receipt.TransactionIndex, hash
		log.BlockNumber, log.BlockTimestamp = header.Number.Uint64(), header.Time
	}
	return &Executed{header, index, tx, receipt}, nil
}

// maxInclusion bounds the bytes of an inclusion. A hexadecimal proof of them leaves half of MaxBytes to headers.
const maxInclusion = MaxBytes / 4

func (i *Inclusion) size() int {
	size := len(i.Transaction) + len(i.Receipt)
	for _, path := range [][]hexutil.Bytes{i.TransactionPath, i.ReceiptPath} {
		for _, node := range path {
			size += len(node)
		}
	}
	return size
}

// check refuses an inclusion that exceeds the bounds.
func (i *Inclusion) check() error {
	if n := max(len(i.TransactionPath), len(i.ReceiptPath)); n > MaxPath {
		return fmt.Errorf("%w: a path of %d nodes, at most %d are allowed", ErrSize, n, MaxPath)
	}
	if size := i.size(); size > maxInclusion {
		return fmt.Errorf("%w: transaction and receipt with their paths have %d bytes, at most %d are allowed", ErrSize,
			size, maxInclusion)
	}
	return checkHeader(i.Header)
}
