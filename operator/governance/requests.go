// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/bls"
)

// kind is the check that a contract makes before an action.
type kind int

const (
	propose kind = iota
	voteFor
	voteAgainst
	cancel
	execute
	expire
	byMember // immediate, by a member
	byAnyone
)

// Request is a message to a governance contract without its sender.
type Request struct {
	Contract Contract
	Input    []byte
	Value    *big.Int // wei sent with the message

	kind      kind
	id        ID               // proposal to vote on
	words     string           // action of the sender, for example "votes for"
	size      uint64           // size of the action that a vote may execute, in words of 32 bytes
	mintTo    *common.Address  // recipient of coins
	blacklist []common.Address // accounts to be blacklisted
	member    *common.Address  // future member
	sealer    *common.Address  // validator to be registered

	proposes       *Kind // kind of a proposal
	values         []any // its values
	proof          []byte
	before, behind string // words around the description of the action

	final bool   // a failed execution ends the proposal
	force bool   // execute even if the dry run fails
	after string // next step after the execution
}

// Vote is a command on an existing proposal.
type Vote struct {
	Name, Usage string
	method      string
	words       string
	kind        kind
}

// Votes lists the commands on proposals in the order of the help text.
var Votes = []Vote{
	{"approve", "Vote for a proposal; the deciding vote tries to execute it", "approveProposal", "votes for", voteFor},
	{"reject", "Vote against a proposal", "disapproveProposal", "votes against", voteAgainst},
	{"cancel", "Take back an own proposal without votes of other members", "cancelProposal", "cancels", cancel},
	{"execute", "Execute an approved proposal", "executeProposal", "executes", execute},
	{"expire", "Close a proposal whose time is over, so that its proposer can make others", "expireProposal",
		"closes the expired", expire},
}

// Executes reports whether the command tries to execute the proposal.
func (v Vote) Executes() bool { return v.kind == execute }

// Request makes the request. Final and force are for executions: with final, a failed one ends the proposal, otherwise
// it can be repeated as often as the contract allows; with force, the attempt is made even if the dry run fails.
func (v Vote) Request(id ID, final, force bool) (*Request, error) {
	if final {
		v.method, v.words = "executeWithFailure", "executes, or ends as failed,"
	}
	input, err := interfaces()[id.Contract].Pack(v.method, id.number())
	if err != nil {
		return nil, fmt.Errorf("encode %s %v: %w", v.Name, id, err)
	}
	return &Request{Contract: id.Contract, Input: input, Value: new(big.Int), kind: v.kind, id: id, words: v.words,
		final: final, force: force}, nil
}

func atOnceRequest(k Contract, by kind, input []byte, words string, args ...any) *Request {
	return &Request{Contract: k, Input: input, Value: new(big.Int), kind: by, words: fmt.Sprintf(words, args...)}
}

// ConfigureValidator registers the sender's validator or a new key for it (spec system-contracts 3.2,
// configureValidator). The key has 48 bytes, its proof of possession 96 (spec wbft 2.2).
func ConfigureValidator(sealer common.Address, key, possession []byte) (*Request, error) {
	public, err := bls.ParsePublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("BLS public key: %w", err)
	}
	if !bls.VerifyPossession(public, possession) {
		return nil, errors.New("the proof of possession is not one for that BLS public key: gwon validator show prints both")
	}
	r := atOnceRequest(Validator, byMember, validator.PackConfigureValidator(sealer, key, possession),
		"registers %s as its validator, with the BLS key %#x…", sealer.Hex(), key[:8])
	r.sealer, r.after = &sealer, "It seals from the next epoch on"
	return r, nil
}

// ChangeMember replaces the sender by another address in one governance, without a vote.
func ChangeMember(k Contract, to common.Address) *Request {
	r := atOnceRequest(k, byMember, base.PackChangeMember(to),
		"hands its place in %s to %s, at once and without a vote", k.title, to.Hex())
	r.member = &to
	return r
}

// Fund sends coins of the sender to an account.
func Fund(to common.Address, amount *big.Int) *Request {
	r := atOnceRequest(Adapter, byAnyone, adapter.PackTransfer(to, amount), "sends %s to %s", formatCoins(amount),
		to.Hex())
	r.mintTo = &to
	return r
}

// ClaimRefund withdraws the coins of burns that were not executed. GovMinter v1 has no such function.
func ClaimRefund() *Request {
	return atOnceRequest(Minter, byAnyone, minter.PackClaimBurnRefund(),
		"takes back the coins of its burns that were not executed")
}

// ValidatorOf returns the validator that an operator has registered at the contract GovValidator, zero for none, after
// the newest block.
func ValidatorOf(ctx context.Context, client *rpc.Client, contract, operator common.Address) (common.Address, error) {
	var out hexutil.Bytes
	call := map[string]any{"to": contract, "input": hexutil.Bytes(validator.PackOperatorToValidator(operator))}
	if err := client.CallContext(ctx, &out, "eth_call", call, "latest"); err != nil {
		return common.Address{}, fmt.Errorf("ask %s for the validator of %v: %w", Validator.title, operator,
			sentence(Validator, err))
	}
	return unpacked(Validator, contract, out, validator.UnpackOperatorToValidator)
}
