// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"context"
	"crypto/ecdsa"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	gethparams "github.com/ethereum/go-ethereum/params"
	"golang.org/x/sync/errgroup"

	"gwon/contracts/bindings"
	"gwon/params"
)

const requests = 32 // concurrent requests while accounts are prepared

// token encodes calls of the native coin adapter, the coin as an ERC-20 token (spec system-contracts 2).
var token = bindings.NewNativeCoinAdapter()

// account is a sender or a funded account.
type account struct {
	key     *ecdsa.PrivateKey
	address common.Address
	nonce   uint64 // next nonce
	held    []int  // deferred transactions, with their position among the sender's
}

func newAccount(key *ecdsa.PrivateKey) *account {
	return &account{key: key, address: crypto.PubkeyToAddress(key.PublicKey)}
}

// derive returns the key of sender i. It is derived from the first funded key, so that later runs reuse the coins.
func derive(from *ecdsa.PrivateKey, i int) (*ecdsa.PrivateKey, error) {
	return crypto.ToECDSA(crypto.Keccak256(crypto.FromECDSA(from), []byte("gwon load"),
		binary.BigEndian.AppendUint64(nil, uint64(i))))
}

// fees are the prices of all transactions of a run, in wei.
type fees struct{ tip, feeCap *big.Int }

// dearer is the growth of the base fee per second on a busy chain (spec wbft 1.5). leastDearer is the smallest
// margin, enough for 70 blocks.
const dearer, leastDearer = 1.02, 4

// suggested reads the tip from a node. Its fee cap covers a base fee that rises for twice the length of the run,
// because the last transactions may wait.
func suggested(ctx context.Context, client *ethclient.Client, lasts time.Duration) (fees, error) {
	tip, err := client.SuggestGasTipCap(ctx)
	if err != nil {
		return fees{}, fmt.Errorf("ask for the tip: %w", err)
	}
	head, err := client.HeaderByNumber(ctx, nil)
	if err != nil {
		return fees{}, fmt.Errorf("ask for the head: %w", err)
	}
	if head.BaseFee == nil {
		return fees{}, errors.New("the chain has no base fee")
	}
	most := new(big.Int).SetUint64(eip1559.MaxBaseFee)
	if factor := max(leastDearer, 2*math.Pow(dearer, lasts.Seconds())); factor < 1e6 {
		if dear := new(big.Int).Mul(head.BaseFee, big.NewInt(int64(factor))); dear.Cmp(most) < 0 {
			most = dear
		}
	}
	return fees{tip, new(big.Int).Add(tip, most)}, nil
}

// gasOf is the gas limit of a kind.
func gasOf(k Kind) uint64 {
	if k == Token {
		return 100_000
	}
	return gethparams.TxGas
}

// prepare creates the senders and funds them for the cost of their transactions.
func (r *run) prepare(ctx context.Context) error {
	for _, key := range r.Keys {
		r.payers = append(r.payers, newAccount(key))
	}
	for i := range min(r.Senders, r.total) {
		key, err := derive(r.Keys[0], i)
		if err != nil {
			return fmt.Errorf("make the key of sender %d: %w", i, err)
		}
		r.senders = append(r.senders, newAccount(key))
	}
	each := int64((r.total + len(r.senders) - 1) / len(r.senders))
	need := new(big.Int).Mul(r.fees.feeCap, new(big.Int).SetUint64(r.maxGas()))
	need.Add(need, common.Big1).Mul(need, big.NewInt(each))

	balances := make([]*big.Int, len(r.senders))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(requests)
	funds := make([]*big.Int, len(r.payers))
	for i, a := range r.payers {
		group.Go(func() error { return r.look(groupCtx, a, &funds[i]) })
	}
	for i, a := range r.senders {
		group.Go(func() error { return r.look(groupCtx, a, &balances[i]) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var rich []*account
	for i, a := range r.payers {
		if funds[i].Cmp(need) > 0 {
			rich = append(rich, a)
		}
	}
	if len(rich) == 0 {
		return fmt.Errorf("none of the %d accounts has the %v wei that one sender needs; the first is %v", len(r.payers),
			need, r.payers[0].address)
	}
	r.payers = rich
	return r.fund(ctx, balances, need)
}

// maxGas returns the gas limit of the most expensive kind of the run.
func (r *run) maxGas() uint64 {
	most := uint64(0)
	for _, k := range r.kinds {
		most = max(most, gasOf(k))
	}
	return most
}

// look reads nonce and balance of an account.
func (r *run) look(ctx context.Context, a *account, balance **big.Int) error {
	return r.ask(func(c *ethclient.Client) (err error) {
		if a.nonce, err = c.PendingNonceAt(ctx, a.address); err != nil {
			return fmt.Errorf("nonce of %v: %w", a.address, err)
		}
		if *balance, err = c.BalanceAt(ctx, a.address, nil); err != nil {
			return fmt.Errorf("balance of %v: %w", a.address, err)
		}
		return nil
	})
}

// fund transfers missing coins to every sender and waits for the transfers.
func (r *run) fund(ctx context.Context, balances []*big.Int, need *big.Int) error {
	var last []common.Hash
	funded := 0
	for i, a := range r.senders {
		if balances[i].Cmp(need) >= 0 {
			continue
		}
		payer := r.payers[funded%len(r.payers)]
		tx, err := types.SignNewTx(payer.key, r.signer, &types.DynamicFeeTx{
			ChainID: r.signer.ChainID(), Nonce: payer.nonce, GasTipCap: r.fees.tip, GasFeeCap: r.fees.feeCap,
			Gas: gethparams.TxGas,
			To:  &a.address, Value: new(big.Int).Sub(need, balances[i]),
		})
		if err != nil {
			return fmt.Errorf("sign for %v: %w", payer.address, err)
		}
		if err := r.send(ctx, 0, tx, alone); err != nil {
			return fmt.Errorf("give coins of %v to a sender: %w", payer.address, err)
		}
		payer.nonce++
		funded++
		if last = append(last, tx.Hash()); len(last) > len(r.payers) {
			last = last[1:]
		}
		// A pool takes a limited number of transactions of one account; further ones wait for a block.
		if funded%(16*len(r.payers)) == 0 {
			if err := r.await(ctx, last); err != nil {
				return err
			}
		}
	}
	r.say("%d senders, %d of them were given coins", len(r.senders), funded)
	return r.await(ctx, last)
}

// await waits until the transactions are in blocks.
func (r *run) await(ctx context.Context, hashes []common.Hash) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	ticker := time.Tick(100 * time.Millisecond)
	for _, hash := range hashes {
		for {
			var receipt *types.Receipt
			err := r.ask(func(c *ethclient.Client) (err error) {
				receipt, err = c.TransactionReceipt(ctx, hash)
				return err
			})
			if err == nil && receipt.Status == types.ReceiptStatusSuccessful {
				break
			}
			if err == nil {
				return fmt.Errorf("the transaction %v that gives coins to a sender failed", hash)
			}
			select {
			case <-ticker:
			case <-ctx.Done():
				return fmt.Errorf("the transaction %v that gives coins to a sender is in no block: %w", hash, context.Cause(ctx))
			}
		}
	}
	return nil
}

// spoil replaces the signature of the fee payer, or of the sender, by one of an account without coins.
func (r *run) spoil(tx *types.Transaction) (*types.Transaction, error) {
	signature := make([]byte, crypto.SignatureLength)
	v, rr, s := tx.RawSignatureValues()
	rr.FillBytes(signature[:32])
	s.FillBytes(signature[32:64])
	signature[31] ^= 1
	signature[64] = byte(v.Uint64() & 1)
	if tx.Type() == types.FeeDelegateTxType {
		return tx.WithSignature(types.NewFeeDelegateSigner(r.signer.ChainID()), signature)
	}
	return tx.WithSignature(r.signer, signature)
}

// recipient returns who is paid by transaction i of the run.
func (r *run) recipient(i int) common.Address {
	if r.Recipients == 0 {
		return r.senders[(i+1)%len(r.senders)].address
	}
	random := binary.BigEndian.Uint64(crypto.Keccak256(binary.BigEndian.AppendUint64(nil, uint64(i))))
	return common.BigToAddress(new(big.Int).SetUint64(1<<33 + random%uint64(r.Recipients)))
}

// sign signs transaction i of the run with its sender's next nonce.
func (r *run) sign(i int, nonce uint64) (*types.Transaction, error) {
	var (
		sender = r.senders[i%len(r.senders)]
		to     = r.recipient(i)
		inner  = types.DynamicFeeTx{
			ChainID: r.signer.ChainID(), Nonce: nonce, GasTipCap: r.fees.tip, GasFeeCap: r.fees.feeCap, Gas: gasOf(Transfer),
			To: &to, Value: common.Big1,
		}
	)
	// Senders alternate, so the kind changes with every round of senders too.
	kind := r.kinds[(i+i/len(r.senders))%len(r.kinds)]
	if kind == Token {
		at := params.NativeCoinAdapterAddress
		inner.Gas, inner.To, inner.Value = gasOf(Token), &at, new(big.Int)
		inner.Data = token.PackTransfer(to, common.Big1)
	}
	tx, err := types.SignNewTx(sender.key, r.signer, &inner)
	if err != nil || kind != Delegated {
		return tx, err
	}
	payer := r.payers[i%len(r.payers)]
	v, rr, s := tx.RawSignatureValues()
	return types.SignNewTx(payer.key, types.NewFeeDelegateSigner(r.signer.ChainID()), &types.FeeDelegateTx{
		SenderTx: types.DynamicFeeTx{
			ChainID: inner.ChainID, Nonce: nonce, GasTipCap: inner.GasTipCap, GasFeeCap: inner.GasFeeCap, Gas: inner.Gas,
			To:    inner.To,
			Value: inner.Value, Data: inner.Data, V: v, R: rr, S: s,
		},
		FeePayer: &payer.address,
	})
}
