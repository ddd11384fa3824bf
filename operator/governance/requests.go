// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

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
	operator  *common.Address  // future operator of a validator

	final bool   // a failed execution ends the proposal
	force bool   // execute even if the dry run fails
	never error  // reason why the request always fails, if known without a contract
	after string // next step after the execution
}

func proposal(k Contract, input []byte, words string) *Request {
	return &Request{Contract: k, Input: input, Value: new(big.Int), kind: propose, words: words}
}

// GasTip proposes a gas tip, in wei.
func GasTip(tip *big.Int) *Request {
	r := proposal(Validator, validator.PackProposeGasTip(tip), "set the gas tip to "+formatGwei(tip))
	if tip.Sign() == 0 {
		r.never = errors.New("a gas tip of 0 is none: give 1gwei or more")
	}
	return r
}

// AddMember proposes a member of a governance. Quorum 0 keeps the current one, or raises it to that of two members,
// which needs a node.
func AddMember(ctx context.Context, c *Chain, k Contract, member common.Address, quorum uint32) (*Request, error) {
	if quorum == 0 {
		b, err := c.bodyForQuorum(ctx, k)
		if err != nil {
			return nil, err
		}
		quorum = max(b.Quorum, 2)
	}
	words := fmt.Sprintf("add the member %s, with a quorum of %d from then on", member.Hex(), quorum)
	return proposal(k, base.PackProposeAddMember(member, quorum), words), nil
}

// RemoveMember proposes the removal of a member. Quorum 0 keeps the current one, or lowers it to the remaining
// members, which needs a node.
func RemoveMember(ctx context.Context, c *Chain, k Contract, member common.Address, quorum uint32) (*Request, error) {
	if quorum == 0 {
		b, err := c.bodyForQuorum(ctx, k)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(b.Members, member) {
			return nil, fmt.Errorf("%s is no member of %s; its members are %s", member.Hex(), k.title, listOf(b.Members))
		}
		if len(b.Members) == 1 {
			return nil, fmt.Errorf("%s is the only member of %s, which could not govern without it", member.Hex(), k.title)
		}
		quorum = min(b.Quorum, uint32(len(b.Members)-1))
	}
	words := fmt.Sprintf("remove the member %s, with a quorum of %d from then on", member.Hex(), quorum)
	return proposal(k, base.PackProposeRemoveMember(member, quorum), words), nil
}

func (c *Chain) bodyForQuorum(ctx context.Context, k Contract) (*Body, error) {
	if c == nil {
		return nil, errors.New("without a node it is not known which quorum there is: give --quorum")
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := c.needCode(ctx, k); err != nil {
		return nil, err
	}
	return c.body(ctx, k)
}

// AddValidator proposes an operator, a member of GovValidator that then registers a validator.
func AddValidator(ctx context.Context, c *Chain, operator common.Address, quorum uint32) (*Request, error) {
	r, err := AddMember(ctx, c, Validator, operator, quorum)
	if err == nil {
		r.operator = &operator
		r.after = fmt.Sprintf("Once it is executed, the operator registers the validator: gwon gov validator configure "+
			"--from %s --nodekey FILE. It seals from the epoch on that begins after that", operator.Hex())
	}
	return r, err
}

// RemoveValidator proposes the removal of a validator, named by its own address or its operator's. The operator
// leaves GovValidator too. Without a node the operator must be given; with a node zero means any operator.
func RemoveValidator(ctx context.Context, c *Chain, named, given common.Address, quorum uint32) (*Request, error) {
	if c == nil {
		if given == (common.Address{}) {
			return nil, fmt.Errorf("without a node it is not known who the operator of %s is, and operators are what is "+
				"removed: give --operator",
				named.Hex())
		}
		r, err := RemoveMember(ctx, c, Validator, given, quorum)
		if err == nil {
			r.words = fmt.Sprintf("remove the validator %s, if it is that of %s: %s", named.Hex(), given.Hex(), r.words)
		}
		return r, err
	}
	readCtx, stop := context.WithTimeout(ctx, requestTimeout)
	defer stop()
	if err := c.needCode(readCtx, Validator); err != nil {
		return nil, err
	}
	operator, err := view(readCtx, c, Validator, validator.PackValidatorToOperator(named),
		validator.UnpackValidatorToOperator)
	if err != nil {
		return nil, err
	}
	sealer := named
	if operator == (common.Address{}) {
		operator = named
		sealer, err = view(readCtx, c, Validator, validator.PackOperatorToValidator(named),
			validator.UnpackOperatorToValidator)
		if err != nil {
			return nil, err
		}
		if sealer == (common.Address{}) {
			return nil, fmt.Errorf("%s is neither a validator nor the operator of one", named.Hex())
		}
	}
	if given != (common.Address{}) && given != operator {
		return nil, fmt.Errorf("the operator of %s is %s, not %s", named.Hex(), operator.Hex(), given.Hex())
	}
	r, err := RemoveMember(ctx, c, Validator, operator, quorum)
	if err != nil {
		return nil, err
	}
	r.words = fmt.Sprintf("remove the validator %s: %s", sealer.Hex(), r.words)
	r.after = "Once it is executed, the validator seals until the epoch ends; keep it running until then"
	return r, nil
}

// Quorum proposes the number of approvals that a proposal needs.
func Quorum(k Contract, quorum uint32) *Request {
	r := proposal(k, base.PackProposeChangeQuorum(quorum), fmt.Sprintf("set the quorum of %s to %d", k.title, quorum))
	if quorum == 0 {
		r.never = errors.New(errorTexts["InvalidQuorum"])
	}
	return r
}

// MaxProposals proposes the number of open proposals per member.
func MaxProposals(k Contract, most uint64) *Request {
	r := proposal(k, base.PackProposeChangeMaxProposals(new(big.Int).SetUint64(most)),
		fmt.Sprintf("allow each member of %s %d open proposals", k.title, most))
	if most == 0 || most > 50 { // spec system-contracts 1.2, MAX_ACTIVE_PROPOSALS
		r.never = errors.New(errorTexts["InvalidMaxProposals"])
	}
	return r
}

// ConfigureMinter proposes the allowance of a minter in wei, which replaces the current one.
func ConfigureMinter(account common.Address, allowance *big.Int) *Request {
	words := fmt.Sprintf("let %s mint %s, instead of what it may mint now", account.Hex(), formatCoins(allowance))
	return proposal(MasterMinter, masterMinter.PackProposeConfigureMinter(account, allowance), words)
}

// RemoveMinter proposes the removal of a minter.
func RemoveMinter(account common.Address) *Request {
	return proposal(MasterMinter, masterMinter.PackProposeRemoveMinter(account),
		fmt.Sprintf("let %s mint no more", account.Hex()))
}

// MaxAllowance proposes the largest allowance of a minter in wei.
func MaxAllowance(most *big.Int) *Request {
	return proposal(MasterMinter, masterMinter.PackProposeUpdateMaxMinterAllowance(most),
		fmt.Sprintf("let no minter be allowed more than %s", formatCoins(most)))
}

// Pause proposes to pause or resume a contract.
func Pause(k Contract, paused bool) (*Request, error) {
	if k != Minter && k != MasterMinter {
		return nil, fmt.Errorf("%s cannot be paused: only %s and %s can", k.Name, Minter.Name, MasterMinter.Name)
	}
	if paused {
		return proposal(k, minter.PackProposePause(), "pause "+k.title), nil // both contracts have this function
	}
	return proposal(k, minter.PackProposeUnpause(), "unpause "+k.title), nil
}

// Proof is the reason for a mint or burn.
type Proof struct {
	Account   common.Address // recipient of minted coins, or owner of burned ones
	Amount    *big.Int       // wei
	Timestamp uint64         // seconds since 1970
	ID        string         // ID of the deposit or withdrawal
	Reference string         // reference of the bank
	Memo      string         // may be empty
}

// proofArguments is the encoding of a proof (spec system-contracts 5.2).
var proofArguments = arguments("address", "uint256", "uint256", "string", "string", "string")

func (p *Proof) encode() ([]byte, error) {
	switch {
	case p.Amount.Sign() == 0:
		return nil, errors.New("the amount cannot be 0")
	case p.ID == "":
		return nil, errors.New("the deposit or withdrawal needs an ID: --id")
	case p.Reference == "":
		return nil, errors.New("a bank reference is needed: --reference")
	}
	return proofArguments.Pack(p.Account, p.Amount, new(big.Int).SetUint64(p.Timestamp), p.ID, p.Reference, p.Memo)
}

// Mint proposes to mint for a deposit.
func Mint(p *Proof) (*Request, error) {
	data, err := p.encode()
	if err != nil {
		return nil, err
	}
	words := fmt.Sprintf("mint %s to %s for the deposit %q (reference %q)", formatCoins(p.Amount), p.Account.Hex(), p.ID,
		p.Reference)
	r := proposal(Minter, minter.PackProposeMint(data), words)
	r.mintTo = &p.Account
	return r, nil
}

// Burn proposes to burn coins of the sender, which the message transfers.
func Burn(p *Proof) (*Request, error) {
	data, err := p.encode()
	if err != nil {
		return nil, err
	}
	words := fmt.Sprintf("burn %s of %s for the withdrawal %q (reference %q); the coins leave the account now",
		formatCoins(p.Amount),
		p.Account.Hex(), p.ID, p.Reference)
	r := proposal(Minter, minter.PackProposeBurn(data), words)
	r.Value = p.Amount
	return r, nil
}

// accountsRequest proposes an action for accounts, with the single function for one and the batch for several.
func accountsRequest(accounts []common.Address, one func(common.Address) []byte, several func([]common.Address) []byte,
	words string) *Request {
	input := several(accounts)
	if len(accounts) == 1 {
		input = one(accounts[0])
	}
	return proposal(Council, input, fmt.Sprintf(words, listOf(accounts)))
}

// Blacklist proposes to put accounts on the blacklist.
func Blacklist(accounts []common.Address) *Request {
	r := accountsRequest(accounts, council.PackProposeAddBlacklist, council.PackProposeAddBlacklistBatch,
		"put on the blacklist: %s")
	r.blacklist = accounts
	return r
}

// Unblacklist proposes to take accounts off the blacklist.
func Unblacklist(accounts []common.Address) *Request {
	return accountsRequest(accounts, council.PackProposeRemoveBlacklist, council.PackProposeRemoveBlacklistBatch,
		"take off the blacklist: %s")
}

// Authorize proposes to authorize accounts, which choose their own tips.
func Authorize(accounts []common.Address) *Request {
	return accountsRequest(accounts, council.PackProposeAddAuthorizedAccount,
		council.PackProposeAddAuthorizedAccountBatch, "authorize: %s")
}

// Unauthorize proposes to remove the authorization of accounts.
func Unauthorize(accounts []common.Address) *Request {
	return accountsRequest(accounts, council.PackProposeRemoveAuthorizedAccount,
		council.PackProposeRemoveAuthorizedAccountBatch,
		"authorize no more: %s")
}

func onProposal(id ID, k kind, input []byte, words string) *Request {
	return &Request{Contract: id.Contract, Input: input, Value: new(big.Int), kind: k, id: id, words: words}
}

// Approve votes for a proposal; the deciding vote executes it.
func Approve(id ID) *Request {
	return onProposal(id, voteFor, base.PackApproveProposal(id.number()), "votes for")
}

// Reject votes against a proposal.
func Reject(id ID) *Request {
	return onProposal(id, voteAgainst, base.PackDisapproveProposal(id.number()), "votes against")
}

// Cancel withdraws a proposal of the sender.
func Cancel(id ID) *Request {
	return onProposal(id, cancel, base.PackCancelProposal(id.number()), "cancels")
}

// Execute executes an approved proposal. With final, a failed execution ends the proposal; otherwise it can be
// repeated as often as the contract allows. With force, the attempt is made even if the dry run fails.
func Execute(id ID, final, force bool) *Request {
	r := onProposal(id, execute, base.PackExecuteProposal(id.number()), "executes")
	if final {
		r = onProposal(id, execute, base.PackExecuteWithFailure(id.number()), "executes, or ends as failed,")
	}
	r.final, r.force = final, force
	return r
}

// Expire closes an expired proposal, which frees a place of its proposer.
func Expire(id ID) *Request {
	return onProposal(id, expire, base.PackExpireProposal(id.number()), "closes the expired")
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
	words := fmt.Sprintf("registers %s as its validator, with the BLS key %#x…", sealer.Hex(), key[:8])
	return &Request{Contract: Validator, Input: validator.PackConfigureValidator(sealer, key, possession),
		Value: new(big.Int),
		kind:  byMember, words: words,
		after: "It seals from the next epoch on"}, nil
}

// ChangeMember replaces the sender by another address in one governance, without a vote.
func ChangeMember(k Contract, to common.Address) *Request {
	return &Request{Contract: k, Input: base.PackChangeMember(to), Value: new(big.Int), kind: byMember,
		words: fmt.Sprintf("hands its place in %s to %s, at once and without a vote", k.title, to.Hex())}
}

// Fund sends coins of the sender to an account.
func Fund(to common.Address, amount *big.Int) *Request {
	return &Request{Contract: Adapter, Input: adapter.PackTransfer(to, amount), Value: new(big.Int), kind: byAnyone,
		words: fmt.Sprintf("sends %s to %s", formatCoins(amount), to.Hex()), mintTo: &to}
}

// ClaimRefund withdraws the coins of burns that were not executed. GovMinter v1 has no such function.
func ClaimRefund() *Request {
	return &Request{Contract: Minter, Input: minter.PackClaimBurnRefund(), Value: new(big.Int), kind: byAnyone,
		words: "takes back the coins of its burns that were not executed"}
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
	address, err := validator.UnpackOperatorToValidator(out)
	if err != nil {
		return common.Address{}, fmt.Errorf("%s at %v answers what it should not (%d bytes): %w", Validator.title, contract,
			len(out), err)
	}
	return address, nil
}
