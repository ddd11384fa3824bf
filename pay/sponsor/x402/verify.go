// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package x402

import (
	"context"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// margin is how many seconds an authorization has to be valid beyond now, so that a block can take it.
const margin = 6

var (
	// transferSelector is that of transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,
	// bytes32,bytes32) (spec system-contracts 2.2).
	transferSelector = hexutil.MustDecode("0xe3ee160e")
	// transferType is the EIP-712 type hash of TransferWithAuthorization (spec system-contracts 2.2).
	transferType = common.HexToHash("0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267")
)

// Domain is what signatures for the coin's contract name.
type Domain struct {
	Name, Version string
	Separator     common.Hash
}

// State is what the chain says of an authorization at its newest block.
type State struct {
	Balance     *big.Int // of the authorizer, in wei
	Used        bool     // the nonce is used or canceled
	HasCode     bool     // the authorizer has code
	Blacklisted *common.Address
}

// Verified is an authorization that can be settled now.
type Verified struct {
	Balance *big.Int // of the authorizer, in wei
	Time    uint64   // of the newest block, in seconds since 1970
	Gas     uint64   // that the transfer is given
}

// Terms are the payments that an API key may have settled. Amounts are wei; nil is no limit.
type Terms struct {
	PayTo    map[common.Address]bool // nil for any
	Min, Max *big.Int
}

// Network is a chain and who pays there. Errors of type *Refusal tell the shop what is wrong. Others stay inside.
type Network interface {
	// Domain returns the domain of signatures, and the time of the newest block in seconds since 1970. It asks the chain
	// for neither at most requests.
	Domain(ctx context.Context) (*Domain, uint64, error)
	// Try has the chain try the transfer, and returns the gas to give it, or why it would fail.
	Try(ctx context.Context, a *Authorization) (gas uint64, failure string, err error)
	// State asks the chain about an authorization.
	State(ctx context.Context, a *Authorization) (*State, error)
	// Judge returns the rule of the sponsor that forbids to settle, nil for none. It reserves nothing.
	Judge(a *Authorization, data []byte, gas uint64) error
	// Sign returns a signed transaction that calls the coin. Every holder can submit it.
	Sign(data []byte, gas uint64) (raw []byte, err error)
	// Send has a transaction paid and submitted, and waits for its receipt. The same transaction has the same result.
	// A *Refusal means that nothing was paid or submitted. Receipt.Pending is set when no block has it in time.
	Send(ctx context.Context, customer common.Address, raw []byte) (*Receipt, error)
	// Decided reports whether a transaction that was sent has ended: in a block, or without one.
	Decided(raw []byte) (bool, error)
}

// Receipt is what became of a transaction.
type Receipt struct {
	Hash      common.Hash
	Pending   bool
	Failed    bool
	Transfers []Transfer // of the coin
}

// Transfer is a transfer that the coin has logged.
type Transfer struct {
	From, To common.Address
	Value    *uint256.Int // wei
}

// StructHash is the EIP-712 hash of the authorization without its domain. It tells authorizations apart.
func (a *Authorization) StructHash() common.Hash {
	value, after, before := a.Value.Bytes32(), a.ValidAfter.Bytes32(), a.ValidBefore.Bytes32()
	return crypto.Keccak256Hash(transferType[:], common.LeftPadBytes(a.From[:], 32), common.LeftPadBytes(a.To[:], 32),
		value[:], after[:], before[:], a.Nonce[:])
}

// CallData is the call of the coin's contract that moves the amount.
func (a *Authorization) CallData() []byte {
	data := append([]byte{}, transferSelector...)
	data = append(data, common.LeftPadBytes(a.From[:], 32)...)
	data = append(data, common.LeftPadBytes(a.To[:], 32)...)
	for _, n := range []*uint256.Int{a.Value, a.ValidAfter, a.ValidBefore} {
		word := n.Bytes32()
		data = append(data, word[:]...)
	}
	data = append(data, a.Nonce[:]...)
	data = append(data, common.LeftPadBytes([]byte{a.Signature[64] + 27}, 32)...)
	return append(data, a.Signature[:64]...)
}

// refuseTerms compares authorization, requirements and terms.
func (p *Payment) refuseTerms(t *Terms) *Refusal {
	amount := p.Amount.ToBig()
	switch {
	case p.To != p.PayTo:
		return refuse(ReasonRecipient, "the authorization pays %v: payTo is %v", p.To, p.PayTo)
	case p.From == p.PayTo:
		return refuse(ReasonRecipient, "%v pays itself: a settlement would cost its fee for nothing", p.From)
	case !p.Value.Eq(p.Amount):
		return refuse(ReasonAmount, "the authorization pays %v wei: the amount is %v wei", p.Value, p.Amount)
	case t.PayTo != nil && !t.PayTo[p.PayTo]:
		return refuse(ReasonRefused+"pay_to", "pay_to: payments to %v are not settled for this API key", p.PayTo)
	case t.Max != nil && amount.Cmp(t.Max) > 0:
		return refuse(ReasonRefused+"max_amount", "max_amount: the amount is %v wei, at most %v wei are settled", amount,
			t.Max)
	case t.Min != nil && amount.Cmp(t.Min) < 0:
		return refuse(ReasonRefused+"min_amount", "min_amount: the amount is %v wei, at least %v wei are settled", amount,
			t.Min)
	}
	return nil
}

// refuseForm applies the rules that need no state of an account: coin, times and signature.
func (p *Payment) refuseForm(d *Domain, blockTime uint64, now time.Time) *Refusal {
	// A block may be late, and a clock wrong: an authorization has to be valid by both.
	before := new(uint256.Int).SetUint64(max(blockTime, uint64(now.Unix())) + margin)
	switch {
	case p.Name != d.Name:
		return refuse(ReasonName, "extra.name is %s: the coin calls itself %q", quote(p.Name), d.Name)
	case p.Version != d.Version:
		return refuse(ReasonTokenVersion, "extra.version is %s: that of the coin is %q", quote(p.Version), d.Version)
	case p.ValidBefore.Lt(before):
		return refuse(ReasonValidBefore, "validBefore is %v: a block is sure to take authorizations from %v on",
			p.ValidBefore, before)
	case !p.ValidAfter.LtUint64(blockTime):
		return refuse(ReasonValidAfter, "validAfter is %v: the newest block is of %d, and has to be later",
			p.ValidAfter, blockTime)
	}
	return p.refuseSignature(d)
}

// refuseState applies the rules that depend on accounts.
func (p *Payment) refuseState(s *State) *Refusal {
	switch {
	case s.HasCode:
		return refuse(ReasonSignature, "%v has code: signatures of accounts with a key alone are served", p.From)
	case s.Used:
		return refuse(ReasonUsed, "the nonce %v of %v is used or canceled", p.Nonce, p.From)
	case s.Blacklisted != nil:
		return refuse(ReasonSimulation, "%v is on the blacklist of the chain", *s.Blacklisted)
	case s.Balance.Cmp(p.Value.ToBig()) < 0:
		return refuse(ReasonBalance, "%v has %v wei: the authorization pays %v wei", p.From, s.Balance, p.Value)
	}
	return nil
}

// refuseSignature takes signatures of accounts with a key alone, in the form that the coin's contract takes.
func (p *Payment) refuseSignature(d *Domain) *Refusal {
	r, s := new(big.Int).SetBytes(p.Signature[:32]), new(big.Int).SetBytes(p.Signature[32:64])
	if !crypto.ValidateSignatureValues(p.Signature[64], r, s, true) {
		return refuse(ReasonSignature, "r or s of the signature is out of range: the higher s of two is refused")
	}
	hash := p.StructHash()
	digest := crypto.Keccak256([]byte{0x19, 0x01}, d.Separator[:], hash[:])
	key, err := crypto.SigToPub(digest, p.Signature[:])
	if err != nil {
		return refuse(ReasonSignature, "the signature belongs to no account")
	}
	if signer := crypto.PubkeyToAddress(*key); signer != p.From {
		return refuse(ReasonSignature, "the signature is not that of %v: by chain, coin and fields it is of %v",
			p.From, signer)
	}
	return nil
}

// Verify returns why a payment cannot be settled now, nil where it can. It changes nothing. The cheap rules come first:
// a stranger without a signature and the coins has the chain try nothing. The error is *Refusal, or the network's.
func Verify(ctx context.Context, n Network, p *Payment, t *Terms, now time.Time) (*Verified, error) {
	if refusal := p.refuseTerms(t); refusal != nil {
		return nil, refusal
	}
	domain, blockTime, err := n.Domain(ctx)
	if err != nil {
		return nil, err
	}
	if refusal := p.refuseForm(domain, blockTime, now); refusal != nil {
		return nil, refusal
	}
	state, err := n.State(ctx, &p.Authorization)
	if err != nil {
		return nil, err
	}
	if refusal := p.refuseState(state); refusal != nil {
		return nil, refusal
	}
	gas, failure, err := n.Try(ctx, &p.Authorization)
	if err != nil {
		return nil, err
	}
	if failure != "" {
		return nil, refuse(ReasonSimulation, "the transfer would fail: %s", failure)
	}
	if err := n.Judge(&p.Authorization, p.CallData(), gas); err != nil {
		return nil, err
	}
	return &Verified{state.Balance, blockTime, gas}, nil
}
