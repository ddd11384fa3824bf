// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"crypto/ecdsa"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/must"
)

var (
	genesis = common.Hash{1}
	parent  = common.Hash{2}
	seen    = time.Unix(1_800_000_000, 0)
)

const sequence = 7

// signer is a validator with its keys.
type signer struct {
	t    testing.TB
	node *ecdsa.PrivateKey
	bls  *bls.SecretKey
}

func newSigner(t testing.TB, name string) *signer {
	t.Helper()
	key := must.Get(crypto.ToECDSA(crypto.Keccak256([]byte("evidence test " + name))))(t)
	secret := must.Get(bls.DeriveKey(key))(t)
	return &signer{t, key, secret}
}

func (s *signer) address() common.Address { return crypto.PubkeyToAddress(s.node.PublicKey) }

func (s *signer) sign(m messages.Message) []byte {
	s.t.Helper()
	must.Do(s.t, messages.Sign(m, s.node))
	return m.Encode()
}

func (s *signer) prepare(round uint64, header *types.Header) []byte {
	digest := extra.SealDigest(header, uint32(round), extra.Prepare)
	return s.sign(&messages.Prepare{
		Sequence: header.Number.Uint64(), Round: round, Digest: header.Hash(), Seal: s.bls.Sign(digest[:]),
	})
}

func (s *signer) commit(round uint64, header *types.Header) []byte {
	digest := extra.SealDigest(header, uint32(round), extra.Commit)
	return s.sign(&messages.Commit{
		Sequence: header.Number.Uint64(), Round: round, Digest: header.Hash(), Seal: s.bls.Sign(digest[:]),
	})
}

// prepareWith is a PREPARE with any seal.
func (s *signer) prepareWith(digest common.Hash, round uint64, seal []byte) []byte {
	return s.sign(&messages.Prepare{Sequence: sequence, Round: round, Digest: digest, Seal: seal})
}

func (s *signer) propose(round uint64, header *types.Header) []byte {
	return s.sign(&messages.PrePrepare{
		Sequence: header.Number.Uint64(), Round: round, Block: types.NewBlockWithHeader(header),
	})
}

// change is a ROUND-CHANGE, with a claim unless prepared is nil.
func (s *signer) change(round uint64, prepared *messages.PreparedClaim) []byte {
	m := &messages.RoundChange{}
	m.Sequence, m.Round, m.Prepared = sequence, round, prepared
	return s.sign(m)
}

// block is a header of a child of a block.
func block(of common.Hash, number uint64, tag string) *types.Header {
	return &types.Header{
		ParentHash: of, Number: new(big.Int).SetUint64(number), Difficulty: big.NewInt(1), BaseFee: big.NewInt(1),
		Extra: (&types.WBFTExtra{Vanity: []byte(tag)}).Encode(), UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash,
		ReceiptHash: types.EmptyReceiptsHash, Root: types.EmptyRootHash,
	}
}

// court is of a set with these validators, on the chain of the tests.
func court(list ...*signer) Court {
	var members []validators.Validator
	for _, s := range list {
		members = append(members, validators.Validator{Address: s.address(), Key: s.bls.PublicKey()})
	}
	return Court{Set: validators.NewSet(members), Genesis: genesis, Parent: parent}
}
