// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
)

// Bounds of a proof, the same as those of nodes.
const (
	maxProofBytes = 64 << 20
	maxEpochs     = 1024
	maxOrigin     = 4096
	maxValidators = 4096
	maxPath       = 16
)

// Checkpoint is a block that the reader of a proof trusts. Its hash covers the validators that come after it. All parts
// are needed: keys that serve two chains seal blocks of both, and the chain ID tells them apart.
type Checkpoint struct {
	ChainID *big.Int
	Number  uint64
	Hash    common.Hash
}

// Payment is a transaction that a proof shows in a final block.
type Payment struct {
	BlockNumber uint64
	BlockHash   common.Hash
	Time        uint64 // of the block, Unix seconds
	Hash        common.Hash
	From        common.Address
	To          *common.Address // nil for a contract creation
	Value       *big.Int        // wei, moved only if Succeeded
	FeePayer    *common.Address // nil when the sender paid
	Succeeded   bool
	Transfers   []TokenTransfer // of ERC-20 tokens and of the coin, whose contract is CoinAddress
	Logs        []*types.Log    // address, topics and data of all logs
	Transaction *Transaction
}

// TokenTransfer is a log Transfer(address,address,uint256).
type TokenTransfer struct {
	Contract, From, To common.Address
	Value              *big.Int // smallest unit of the contract
}

// Paid reports whether the transaction moved at least value to an account, by one transfer that the contract logged:
// CoinAddress for coins, which logs every movement of them, or an ERC-20 token that the reader trusts.
func (p *Payment) Paid(contract, to common.Address, value *big.Int) bool {
	return p.Succeeded && slices.ContainsFunc(p.Transfers, func(t TokenTransfer) bool {
		return t.Contract == contract && t.To == to && t.Value.Cmp(value) >= 0
	})
}

// proofJSON is an answer of istanbul_getReceiptProof.
type proofJSON struct {
	Version int             `json:"version"`
	Origin  []*types.Header `json:"origin"`
	Epochs  []sealedJSON    `json:"epochs"`
	Block   sealedJSON      `json:"block"`
	Receipt *struct {
		Header          *types.Header   `json:"header"`
		Index           *hexutil.Uint64 `json:"index"`
		Transaction     hexutil.Bytes   `json:"transaction"`
		TransactionPath []hexutil.Bytes `json:"transactionPath"`
		Receipt         hexutil.Bytes   `json:"receipt"`
		ReceiptPath     []hexutil.Bytes `json:"receiptPath"`
	} `json:"receipt"`
}

type sealedJSON struct {
	Header     *types.Header    `json:"header"`
	Validators []common.Address `json:"validators"`
}

// VerifyPayment verifies an answer of istanbul_getReceiptProof from a checkpoint on, and returns what it proves. It
// asks nobody. Errors are *ProofError. What is proven: the validators that follow from the checkpoint have sealed the
// child of a block, and the transaction was executed in that block with this receipt.
func VerifyPayment(proof []byte, trusted Checkpoint) (*Payment, error) {
	p, err := readProof(proof)
	if err != nil {
		return nil, err
	}
	if trusted.ChainID == nil {
		return nil, refuse("trust", "no checkpoint is given: name chain ID, number and hash of a block that you trust")
	}
	set, err := p.start(trusted)
	if err != nil {
		return nil, err
	}
	header, number := p.Block.Header, p.Block.Header.Number.Uint64()
	hash, _ := blockHash(header)
	switch {
	case number < trusted.Number:
		return nil, refuse("older", "block %d, trusted is block %d", number, trusted.Number)
	case number == trusted.Number && (hash != trusted.Hash || len(p.Epochs) > 0):
		return nil, refuse("trust", "block %d is %v, trusted is %v", number, hash, trusted.Hash)
	}
	last := trusted.Number
	if number > last {
		for _, epoch := range p.Epochs {
			if err := epoch.follows(trusted.ChainID, last, set); err != nil {
				return nil, err
			}
			if set, err = appointed(epoch.Header); err != nil {
				return nil, err
			}
			last = epoch.Header.Number.Uint64()
		}
		if err := p.Block.follows(trusted.ChainID, last, set); err != nil {
			return nil, err
		}
	}
	r, index := p.Receipt, uint64(*p.Receipt.Index)
	if hash, _ = blockHash(r.Header); r.Header.Number.Uint64()+1 != number || hash != header.ParentHash {
		return nil, refuse("link", "block %d is not the parent of the sealed block %d", r.Header.Number, number)
	}
	if err := cmp.Or(checkPath(r.Header.TxHash, index, r.Transaction, r.TransactionPath),
		checkPath(r.Header.ReceiptHash, index, r.Receipt, r.ReceiptPath)); err != nil {
		return nil, err
	}
	return paymentOf(p, hash, trusted.ChainID)
}

// readProof decodes a proof and checks its bounds.
func readProof(encoded []byte) (*proofJSON, error) {
	if len(encoded) > maxProofBytes {
		return nil, refuse("size", "%d bytes, at most %d are read", len(encoded), maxProofBytes)
	}
	var p proofJSON
	if err := json.Unmarshal(encoded, &p); err != nil {
		return nil, refuse("malformed", "%v", err)
	}
	r := p.Receipt
	switch {
	case p.Version != 1:
		return nil, refuse("malformed", "version %d, version 1 is known", p.Version)
	case r == nil || r.Index == nil:
		return nil, refuse("malformed", "there is no receipt: ask istanbul_getReceiptProof")
	case len(p.Origin) == 0:
		return nil, refuse("malformed", "origin is empty")
	case len(p.Origin) > maxOrigin, len(p.Epochs) > maxEpochs, len(r.TransactionPath) > maxPath,
		len(r.ReceiptPath) > maxPath:
		return nil, refuse("size", "too many headers or nodes: trust a later block")
	}
	headers := append([]*types.Header{r.Header}, p.Origin...)
	for _, s := range append(p.Epochs[:len(p.Epochs):len(p.Epochs)], p.Block) {
		headers = append(headers, s.Header)
		if len(s.Validators) > maxValidators {
			return nil, refuse("size", "%d validators, at most %d are possible", len(s.Validators), maxValidators)
		}
	}
	for _, h := range headers {
		if h == nil || h.Number == nil || !h.Number.IsUint64() || h.Difficulty == nil || h.BaseFee == nil ||
			h.WithdrawalsHash != nil || h.BlobGasUsed != nil || h.ExcessBlobGas != nil || h.ParentBeaconRoot != nil ||
			h.RequestsHash != nil || h.BlockAccessListHash != nil || h.SlotNumber != nil {
			return nil, refuse("malformed", "a header is missing, or is not one of this network")
		}
	}
	return &p, nil
}

// wbftExtra is the extra data of a header.
type wbftExtra struct {
	Vanity, RandaoReveal            []byte
	PrevRound                       uint32
	PrevPreparedSeal, PrevCommitted *wbftSeal `rlp:"nil"`
	Round                           uint32
	PreparedSeal, CommittedSeal     *wbftSeal `rlp:"nil"`
	GasTip                          *big.Int
	EpochInfo                       *epochInfo `rlp:"nil"`
}

type wbftSeal struct{ Sealers, Signature []byte }

type epochInfo struct {
	Candidates []struct {
		Address   common.Address
		Diligence uint64
	}
	Validators    []uint32
	BLSPublicKeys [][]byte
}

func extraOf(h *types.Header) (*wbftExtra, error) {
	extra := new(wbftExtra)
	if err := rlp.DecodeBytes(h.Extra, extra); err != nil {
		return nil, refuse("malformed", "extra data of block %d: %v", h.Number, err)
	}
	return extra, nil
}

// roundHash returns the hash of a header without its seals, as they are made in a round.
func roundHash(h *types.Header, extra wbftExtra, round uint32) common.Hash {
	extra.Round, extra.PreparedSeal, extra.CommittedSeal = round, nil, nil
	stripped := types.CopyHeader(h)
	stripped.Extra, _ = rlp.EncodeToBytes(&extra) // it was decoded
	return stripped.Hash()
}

// blockHash returns the hash of a block, which leaves out the seals over it.
func blockHash(h *types.Header) (common.Hash, *wbftExtra) {
	extra, err := extraOf(h)
	if err != nil || h.Difficulty.Cmp(common.Big1) != 0 {
		return h.Hash(), extra
	}
	return roundHash(h, *extra, 0), extra
}

// validatorSet are the keys of validators.
type validatorSet map[common.Address]bls.G1Affine

// appointed returns the validators that an epoch block appoints.
func appointed(h *types.Header) (validatorSet, error) {
	extra, err := extraOf(h)
	if err != nil {
		return nil, err
	}
	info := extra.EpochInfo
	if info == nil || len(info.Validators) == 0 || len(info.Validators) != len(info.BLSPublicKeys) ||
		len(info.Candidates) > maxValidators {
		return nil, refuse("epoch", "block %d appoints no validators", h.Number)
	}
	set := make(validatorSet, len(info.Validators))
	for i, at := range info.Validators {
		var key bls.G1Affine
		if uint64(at) >= uint64(len(info.Candidates)) || len(info.BLSPublicKeys[i]) != bls.SizeOfG1AffineCompressed {
			return nil, refuse("epoch", "block %d: validator %d is not well-formed", h.Number, i)
		}
		if _, err := key.SetBytes(info.BLSPublicKeys[i]); err != nil || key.IsInfinity() {
			return nil, refuse("epoch", "block %d: the key of validator %d is none", h.Number, i)
		}
		set[info.Candidates[at].Address] = key
	}
	if len(set) != len(info.Validators) {
		return nil, refuse("epoch", "block %d appoints a validator twice", h.Number)
	}
	return set, nil
}

// start returns the validators in charge after the trusted block.
func (p *proofJSON) start(trusted Checkpoint) (validatorSet, error) {
	end := p.Origin[len(p.Origin)-1]
	if hash, _ := blockHash(end); end.Number.Uint64() != trusted.Number || hash != trusted.Hash {
		return nil, refuse("trust", "it starts from block %d, %v; trusted is block %d, %v", end.Number, hash, trusted.Number,
			trusted.Hash)
	}
	if trusted.Number > 0 {
		if err := checkReveal(end, trusted.ChainID); err != nil {
			return nil, err
		}
	}
	parent, _ := blockHash(p.Origin[0])
	for i, h := range p.Origin[1:] {
		hash, extra := blockHash(h)
		if h.Number.Uint64() != p.Origin[i].Number.Uint64()+1 || h.ParentHash != parent || extra == nil ||
			extra.EpochInfo != nil {
			return nil, refuse("link", "block %d does not continue block %d of the same epoch", h.Number, p.Origin[i].Number)
		}
		parent = hash
	}
	return appointed(p.Origin[0])
}

// ciphersuite is the domain of all signatures of validators.
var ciphersuite = []byte("BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_")

// checkReveal checks that the proposer of a header has made its reveal for a chain. Seals bind to keys and not to a
// chain; they cover reveal and proposer.
func checkReveal(h *types.Header, chainID *big.Int) error {
	extra, err := extraOf(h)
	if err != nil {
		return err
	}
	digest := crypto.Keccak256(crypto.Keccak256(chainID.Bytes(), []byte{1}, h.Number.Bytes()))
	key, err := crypto.SigToPub(digest, extra.RandaoReveal)
	if err != nil || crypto.PubkeyToAddress(*key) != h.Coinbase {
		return refuse("chain", "block %d was not proposed for chain %d", h.Number, chainID)
	}
	return nil
}

// follows checks that a header comes after the block last, that a quorum of set has sealed it in both phases, and that
// one of set has proposed it for the chain.
func (s sealedJSON) follows(chainID *big.Int, last uint64, set validatorSet) error {
	number := s.Header.Number.Uint64()
	if number <= last {
		return refuse("order", "block %d follows block %d", number, last)
	}
	seen := make(map[common.Address]bool, len(s.Validators))
	for _, v := range s.Validators {
		if _, ok := set[v]; !ok || seen[v] {
			return refuse("validators", "block %d: %v is not in charge, or is named twice", number, v)
		}
		seen[v] = true
	}
	if len(seen) != len(set) {
		return refuse("validators", "block %d: %d validators are named, %d are in charge", number, len(seen), len(set))
	}
	extra, err := extraOf(s.Header)
	if err != nil {
		return err
	}
	round := roundHash(s.Header, *extra, extra.Round)
	for phase, seal := range []*wbftSeal{extra.PreparedSeal, extra.CommittedSeal} {
		digest := crypto.Keccak256(round[:], []byte{byte(phase)})
		if !s.sealed(seal, digest, set) {
			return refuse("seal", "block %d lacks seals of a quorum of its validators", number)
		}
	}
	if _, ok := set[s.Header.Coinbase]; !ok {
		return refuse("validators", "block %d: its proposer %v is not in charge", number, s.Header.Coinbase)
	}
	return checkReveal(s.Header, chainID)
}

// sealed reports whether a seal is one of a quorum over a digest.
func (s sealedJSON) sealed(seal *wbftSeal, digest []byte, set validatorSet) bool {
	n := len(s.Validators)
	if seal == nil || len(seal.Signature) != bls.SizeOfG2AffineCompressed {
		return false
	}
	var sum bls.G1Jac
	count := 0
	for i, b := range seal.Sealers {
		for bit := range 8 {
			if b>>bit&1 == 0 {
				continue
			}
			if 8*i+bit >= n {
				return false
			}
			key := set[s.Validators[8*i+bit]]
			sum.AddMixed(&key)
			count++
		}
	}
	var signature bls.G2Affine
	if _, err := signature.SetBytes(seal.Signature); err != nil || signature.IsInfinity() || count < n-(n-1)/3 {
		return false
	}
	message, err := bls.HashToG2(digest, ciphersuite)
	if err != nil {
		return false
	}
	_, _, generator, _ := bls.Generators()
	var key, minus bls.G1Affine
	key.FromJacobian(&sum)
	minus.Neg(&generator)
	good, err := bls.PairingCheck([]bls.G1Affine{key, minus}, []bls.G2Affine{message, signature})
	return err == nil && good && !key.IsInfinity()
}

// pathReader hands out the nodes of a path in order, each to the hash that it has.
type pathReader struct{ rest []hexutil.Bytes }

// Has implements ethdb.KeyValueReader.
func (r *pathReader) Has(hash []byte) (bool, error) {
	return len(r.rest) > 0 && bytes.Equal(crypto.Keccak256(r.rest[0]), hash), nil
}

// Get implements ethdb.KeyValueReader.
func (r *pathReader) Get(hash []byte) ([]byte, error) {
	if ok, err := r.Has(hash); !ok {
		return nil, err
	}
	node := r.rest[0]
	r.rest = r.rest[1:]
	return node, nil
}

// checkPath checks that a root covers an item at an index, by exactly the nodes of the path.
func checkPath(root common.Hash, index uint64, item []byte, path []hexutil.Bytes) error {
	nodes := pathReader{path}
	value, err := trie.VerifyProof(root, rlp.AppendUint64(nil, index), &nodes)
	if err != nil || len(nodes.rest) > 0 || len(value) == 0 || !bytes.Equal(value, item) {
		return refuse("path", "the block does not have this transaction or receipt at index %d", index)
	}
	return nil
}

var transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// paymentOf returns what transaction and receipt of a verified proof say.
func paymentOf(p *proofJSON, hash common.Hash, chainID *big.Int) (*Payment, error) {
	tx, err := Decode(p.Receipt.Transaction)
	if err != nil {
		return nil, refuse("transaction", "%v", err)
	}
	from, feePayer, err := tx.Check(chainID)
	if err != nil {
		return nil, refuse("transaction", "%v", err)
	}
	encoded := bytes.Clone(p.Receipt.Receipt)
	if len(encoded) > 0 && encoded[0] == FeeDelegatedTxType {
		encoded[0] = types.DynamicFeeTxType // the same form, which go-ethereum knows
	}
	receipt := new(types.Receipt)
	if err := receipt.UnmarshalBinary(encoded); err != nil {
		return nil, refuse("transaction", "receipt: %v", err)
	}
	payment := &Payment{
		BlockNumber: p.Receipt.Header.Number.Uint64(), BlockHash: hash, Time: p.Receipt.Header.Time, Hash: tx.Hash(),
		From: from, To: tx.SenderTx().To(), Value: tx.SenderTx().Value(), FeePayer: feePayer,
		Succeeded: receipt.Status == types.ReceiptStatusSuccessful, Logs: receipt.Logs, Transaction: tx,
	}
	for _, l := range receipt.Logs {
		if len(l.Topics) == 3 && l.Topics[0] == transferTopic && len(l.Data) == common.HashLength {
			payment.Transfers = append(payment.Transfers, TokenTransfer{l.Address, common.BytesToAddress(l.Topics[1][:]),
				common.BytesToAddress(l.Topics[2][:]), new(big.Int).SetBytes(l.Data)})
		}
	}
	return payment, nil
}
