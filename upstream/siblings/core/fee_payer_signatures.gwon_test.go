// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/log"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A sealed block with a forged fee payer is imported, counted and reported once, but no node votes for it; it is
// invalid where the configuration says so (spec transactions 2.4, chain 13 no. 1).
func TestImportOfForgedFeePayer(t *testing.T) {
	payerKey := must.Get(crypto.GenerateKey())(t)
	payer := crypto.PubkeyToAddress(payerKey.PublicKey)
	otherKey := must.Get(crypto.GenerateKey())(t)
	signer := types.NewFeeDelegateSigner(anzeonConfig().ChainID)
	signed := must.Get(types.SignTx(delegatedTx(t, payer, 21000), signer, payerKey))(t)
	bySomebodyElse := must.Get(types.SignTx(delegatedTx(t, payer, 21000), signer, otherKey))(t)
	for _, c := range []struct {
		name  string
		tx    *types.Transaction
		check *uint64
		count int64
		err   error
	}{
		{"signed", signed, nil, 0, nil},
		{"signed and checked", signed, new(uint64), 0, nil},
		{"without signature", delegatedTx(t, payer, 21000), nil, 1, nil},
		{"signed by somebody else", bySomebodyElse, nil, 1, nil},
		{"signed by somebody else and checked", bySomebodyElse, new(uint64), 0, types.ErrInvalidFeePayer},
	} {
		t.Run(c.name, func(t *testing.T) {
			gspec := proposalGenesis()
			gspec.Alloc[payer] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
			_, blocks, _ := GenerateChainWithGenesis(gspec, newStageEngine(), 1, func(_ int, b *BlockGen) {
				b.SetExtra(tipExtra(common.Big1))
				b.AddTx(c.tx)
			})
			gspec.Config.Anzeon.FeePayerCheckBlock = c.check
			chain, err := NewBlockChain(rawdb.NewMemoryDatabase(), gspec, newStageEngine(), DefaultConfig())
			must.Do(t, err)
			defer chain.Stop()

			_, err = chain.ExecuteProposal(t.Context(), blocks[0])
			forged := errors.Is(err, types.ErrInvalidFeePayer)
			assert.Truef(t, forged == (c.tx != signed) && (forged || err == nil), "the same block as a proposal: error %v", err)

			var records bytes.Buffer
			before, old := invalidFeePayers.Snapshot().Count(), log.Root()
			log.SetDefault(log.NewLogger(log.JSONHandlerWithLevel(&records, slog.LevelWarn)))
			defer log.SetDefault(old)
			_, err = chain.InsertChain(blocks)
			require.ErrorIs(t, err, c.err)
			log.SetDefault(old)

			assert.Equal(t, c.count, invalidFeePayers.Snapshot().Count()-before, "transactions counted")
			var warnings int64
			for decoder := json.NewDecoder(&records); decoder.More(); {
				var record struct{ Lvl, Hash, Tx string }
				must.Do(t, decoder.Decode(&record))
				if record.Lvl == "warn" && record.Hash == blocks[0].Hash().Hex() && record.Tx == c.tx.Hash().Hex() {
					warnings++
				}
			}
			assert.Equal(t, c.count, warnings, "warnings name the block and the transaction")
			assert.Equal(t, c.err == nil, chain.CurrentBlock().Hash() == blocks[0].Hash(), "block imported")
		})
	}
}

// payerSigner counts how often a fee payer is asked for: nothing else here takes the chain ID from outside.
type payerSigner struct {
	types.Signer
	count int
}

func (s *payerSigner) ChainID() *big.Int {
	s.count++
	return s.Signer.ChainID()
}

// Fee payers are recovered where senders are, ahead of the execution.
func TestFeePayersAreRecoveredAhead(t *testing.T) {
	signer := &payerSigner{Signer: types.LatestSigner(anzeonConfig())}
	cacher := &txSenderCacher{threads: 1, tasks: make(chan *txSenderCacherRequest, 1)}
	plain := types.MustSignNewTx(proposalKey, signer.Signer, &types.LegacyTx{Gas: 21000, GasPrice: common.Big1})
	cacher.Recover(signer, []*types.Transaction{plain, delegatedTx(t, common.Address{1}, 21000), plain})
	close(cacher.tasks)
	cacher.cache()
	assert.Equal(t, 1, signer.count, "fee payers recovered")
}
