// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/amounts"
	"gwon/internal/dial"
)

// Kind is a kind of proposal. Command, message, checks and sentences follow from its row in Kinds.
type Kind struct {
	Name  string // command below gwon gov propose
	Usage string
	Of    []Contract // contracts that have it; the command names one of several
	Takes []*Param   // values that its action is executed with

	action  string // name that is hashed (spec system-contracts 1.3, 3.2, 4.2, 5.2, 6.2)
	method  string // function that proposes it
	words   string // description of the action, with the values in order; without values, with the contract
	batch   bool   // a second action and function take several accounts
	prepare func(ctx context.Context, c *Chain, r *Request, d *Details) error
}

// Param is a value of a proposal.
type Param struct {
	Usage string                         // name on the command line; empty where flags give the value
	Parse func(text string) (any, error) // nil for addresses
	typ   string                         // of the contract
	print func(any) string
}

// Details are the values that flags give, and the sender.
type Details struct {
	From      common.Address
	Quorum    uint32         // 0 for the one that the members allow
	Operator  common.Address // of a validator to remove; zero for any
	Timestamp uint64         // of a deposit or withdrawal, in seconds since 1970
	ID        string         // of the deposit or withdrawal
	Reference string         // of the bank
	Memo      string         // may be empty
}

func parseAmount(text string) (any, error) { return amounts.Parse(text, "") }

// parseTip refuses a tip that no contract takes.
func parseTip(text string) (any, error) {
	tip, err := amounts.Parse(text, "")
	if err == nil && tip.Sign() == 0 {
		return nil, errors.New("it would not work: a gas tip of 0 is none: give 1gwei or more")
	}
	return tip, err
}

// parseNumber returns a parser of numbers from 1 to most; others are refused with the text of a contract's error.
func parseNumber(most uint64, refusal string, convert func(uint64) any) func(string) (any, error) {
	return func(text string) (any, error) {
		n, err := strconv.ParseUint(text, 10, 64)
		switch {
		case err != nil || n > math.MaxUint32:
			return nil, fmt.Errorf("%q is no such number", text)
		case n == 0 || n > most:
			return nil, fmt.Errorf("it would not work: %s", errorTexts[refusal])
		}
		return convert(n), nil
	}
}

var (
	account  = &Param{"ADDRESS", nil, "address", listOf}
	operator = &Param{"OPERATOR", nil, "address", listOf}
	sealer   = &Param{"VALIDATOR", nil, "address", listOf}
	accounts = &Param{"ADDRESS...", nil, "address[]", listOf}
	gasTip   = &Param{"AMOUNT", parseTip, "uint256", func(v any) string { return formatGwei(v.(*big.Int)) }}
	amount   = &Param{"AMOUNT", parseAmount, "uint256", func(v any) string { return formatCoins(v.(*big.Int)) }}
	// spec system-contracts 1.2, MAX_ACTIVE_PROPOSALS
	number = &Param{"NUMBER", parseNumber(50, "InvalidMaxProposals",
		func(n uint64) any { return new(big.Int).SetUint64(n) }), "uint256", printed}
	approvals = &Param{"NUMBER", parseNumber(math.MaxUint32, "InvalidQuorum",
		func(n uint64) any { return uint32(n) }), "uint32", printed}
	sender  = &Param{"", nil, "address", listOf}
	quorum  = &Param{"", nil, "uint32", printed}
	payment = &Param{"", nil, "string", func(v any) string { return strconv.Quote(v.(string)) }}
)

func printed(v any) string { return fmt.Sprint(v) }

// listOf formats addresses.
func listOf(v any) string {
	if a, ok := v.(common.Address); ok {
		return a.Hex()
	}
	var list []string
	for _, a := range v.([]common.Address) {
		list = append(list, a.Hex())
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

const (
	addingWords   = "add the member %s, with a quorum of %s from then on"
	removal       = "ACTION_REMOVE_MEMBER"
	removingWords = "remove the member %s, with a quorum of %s from then on"
)

// Kinds lists the kinds of proposals in the order of the help text.
var Kinds = []*Kind{
	{"gas-tip", "Set the gas tip", []Contract{Validator}, []*Param{gasTip},
		"SET_GAS_TIP", "proposeGasTip", "set the gas tip to %s", false, nil},
	{"add-validator", "Add an operator, who then registers a validator", []Contract{Validator},
		[]*Param{operator, quorum}, "ACTION_ADD_MEMBER", "proposeAddMember", addingWords, false, prepareOperator},
	{"remove-validator", "Remove a validator together with its operator", []Contract{Validator},
		[]*Param{sealer, quorum}, removal, "proposeRemoveMember", removingWords, false, prepareRemoval},
	{"add-member", "Add a member to a governance", Governances, []*Param{account, quorum},
		"ACTION_ADD_MEMBER", "proposeAddMember", addingWords, false, prepareMember},
	{"remove-member", "Remove a member from a governance", Governances, []*Param{account, quorum},
		removal, "proposeRemoveMember", removingWords, false, prepareLeaver},
	{"quorum", "Set how many approvals proposals of a governance need", Governances, []*Param{approvals},
		"ACTION_CHANGE_QUORUM", "proposeChangeQuorum", "set the quorum to %s", false, nil},
	{"max-proposals", "Set how many open proposals a member can have", Governances, []*Param{number},
		"ACTION_CHANGE_MAX_PROPOSALS", "proposeChangeMaxProposals", "allow each member %s open proposals", false, nil},
	{"minter", "Let an account mint an amount, instead of what it may mint now", []Contract{MasterMinter},
		[]*Param{account, amount}, "CONFIGURE_MINTER", "proposeConfigureMinter",
		"let %s mint %s, instead of what it may mint now", false, nil},
	{"remove-minter", "Let an account mint no more", []Contract{MasterMinter}, []*Param{account},
		"REMOVE_MINTER", "proposeRemoveMinter", "let %s mint no more", false, nil},
	{"max-allowance", "Set the most that a minter can be allowed", []Contract{MasterMinter}, []*Param{amount},
		"UPDATE_MAX_MINTER_ALLOWANCE", "proposeUpdateMaxMinterAllowance", "let no minter be allowed more than %s", false,
		nil},
	{"mint", "Mint coins for a deposit", []Contract{Minter}, []*Param{account, amount, payment},
		"MINT_WITH_DEPOSIT", "proposeMint", "mint %[2]s to %[1]s for the deposit %[3]s", false, prepareMint},
	{"burn", "Burn own coins for a withdrawal", []Contract{Minter}, []*Param{sender, amount, payment},
		"BURN", "proposeBurn", "burn %[2]s of %[1]s for the withdrawal %[3]s", false, prepareBurn},
	{"pause", "Stop minting and burning, or the configuration of minters", []Contract{MasterMinter, Minter}, nil,
		"PAUSE", "proposePause", "pause %s", false, nil},
	{"unpause", "Let a paused contract go on", []Contract{MasterMinter, Minter}, nil,
		"UNPAUSE", "proposeUnpause", "unpause %s", false, nil},
	{"blacklist", "Put accounts on the blacklist", []Contract{Council}, []*Param{accounts},
		"ADD_BLACKLIST", "proposeAddBlacklist", "put on the blacklist: %s", true, prepareBlacklist},
	{"unblacklist", "Take accounts off the blacklist", []Contract{Council}, []*Param{accounts},
		"REMOVE_BLACKLIST", "proposeRemoveBlacklist", "take off the blacklist: %s", true, nil},
	{"authorize", "Authorize accounts", []Contract{Council}, []*Param{accounts},
		"ADD_AUTHORIZED_ACCOUNT", "proposeAddAuthorizedAccount", "authorize: %s", true, nil},
	{"unauthorize", "Revoke the authorization of accounts", []Contract{Council}, []*Param{accounts},
		"REMOVE_AUTHORIZED_ACCOUNT", "proposeRemoveAuthorizedAccount", "authorize no more: %s", true, nil},
}

// describe formats the action with its values.
func (k *Kind) describe(on Contract, values []any) string {
	if len(k.Takes) == 0 {
		return fmt.Sprintf(k.words, on.title)
	}
	texts := make([]any, len(values))
	for i, v := range values {
		texts[i] = k.Takes[i].print(v)
	}
	return fmt.Sprintf(k.words, texts...)
}

// Request makes a proposal of a kind. Its values are those of the command line. Without a node (c is nil) flags give
// what a node would be asked for.
func (k *Kind) Request(ctx context.Context, c *Chain, on Contract, values []any, d Details) (*Request, error) {
	if !slices.Contains(k.Of, on) {
		var names []string
		for _, can := range k.Of {
			names = append(names, can.Name)
		}
		return nil, fmt.Errorf("%s cannot be %sd: only %s can", on.Name, k.Name, strings.Join(names, " and "))
	}
	r := &Request{Contract: on, Value: new(big.Int), kind: propose, values: values, proposes: k}
	if k.prepare != nil {
		if err := k.prepare(ctx, c, r, &d); err != nil {
			return nil, err
		}
	}
	method, arguments := k.method, r.values
	switch list, many := r.values, k.batch; {
	case r.proof != nil:
		arguments = []any{r.proof}
	case many && len(list[0].([]common.Address)) == 1:
		arguments = []any{list[0].([]common.Address)[0]}
	case many:
		method += "Batch"
	}
	var err error
	if r.Input, err = interfaces()[on].Pack(method, arguments...); err != nil {
		return nil, fmt.Errorf("encode the proposal %s: %w", k.Name, err)
	}
	r.words = r.before + k.describe(on, r.values) + r.behind
	return r, nil
}

// prepareMember keeps the quorum, or raises it to that of two members.
func prepareMember(ctx context.Context, c *Chain, r *Request, d *Details) error {
	member := r.values[0].(common.Address)
	r.member = &member
	if d.Quorum == 0 {
		b, err := c.bodyForQuorum(ctx, r.Contract)
		if err != nil {
			return err
		}
		d.Quorum = max(b.Quorum, 2)
	}
	r.values = append(r.values, d.Quorum)
	return nil
}

// prepareLeaver keeps the quorum, or lowers it to the remaining members.
func prepareLeaver(ctx context.Context, c *Chain, r *Request, d *Details) error {
	if d.Quorum == 0 {
		b, err := c.bodyForQuorum(ctx, r.Contract)
		if err != nil {
			return err
		}
		member := r.values[0].(common.Address)
		if err := b.needMember(member); err != nil {
			return err
		}
		if len(b.Members) == 1 {
			return fmt.Errorf("%s is the only member of %s, which could not govern without it", member.Hex(), r.Contract.title)
		}
		d.Quorum = min(b.Quorum, uint32(len(b.Members)-1))
	}
	r.values = append(r.values, d.Quorum)
	return nil
}

func (c *Chain) bodyForQuorum(ctx context.Context, k Contract) (*Body, error) {
	if c == nil {
		return nil, errors.New("without a node it is not known which quorum there is: give --quorum")
	}
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	if err := c.needCode(ctx, k); err != nil {
		return nil, err
	}
	return c.body(ctx, k)
}

func prepareOperator(ctx context.Context, c *Chain, r *Request, d *Details) error {
	operator := r.values[0].(common.Address)
	r.after = fmt.Sprintf("Once it is executed, the operator registers the validator: gwon gov validator configure "+
		"--from %s --nodekey FILE. It seals from the epoch on that begins after that", operator.Hex())
	return prepareMember(ctx, c, r, d)
}

// prepareRemoval finds the operator of a validator, which is named by its own address or its operator's. Members are
// operators, and the operator leaves GovValidator too.
func prepareRemoval(ctx context.Context, c *Chain, r *Request, d *Details) error {
	named := r.values[0].(common.Address)
	if c == nil {
		if d.Operator == (common.Address{}) {
			return fmt.Errorf("without a node it is not known who the operator of %s is, and operators are what is "+
				"removed: give --operator", named.Hex())
		}
		r.before = fmt.Sprintf("remove the validator %s, if it is that of %s: ", named.Hex(), d.Operator.Hex())
		r.values[0] = d.Operator
		return prepareLeaver(ctx, c, r, d)
	}
	readCtx, stop := context.WithTimeout(ctx, dial.Timeout)
	defer stop()
	if err := c.needCode(readCtx, Validator); err != nil {
		return err
	}
	operator, err := view(readCtx, c, Validator, validator.PackValidatorToOperator(named),
		validator.UnpackValidatorToOperator)
	if err != nil {
		return err
	}
	sealer := named
	if operator == (common.Address{}) {
		operator = named
		sealer, err = view(readCtx, c, Validator, validator.PackOperatorToValidator(named),
			validator.UnpackOperatorToValidator)
		if err != nil {
			return err
		}
		if sealer == (common.Address{}) {
			return fmt.Errorf("%s is neither a validator nor the operator of one", named.Hex())
		}
	}
	if d.Operator != (common.Address{}) && d.Operator != operator {
		return fmt.Errorf("the operator of %s is %s, not %s", named.Hex(), operator.Hex(), d.Operator.Hex())
	}
	r.values[0], r.before = operator, fmt.Sprintf("remove the validator %s: ", sealer.Hex())
	r.after = "Once it is executed, the validator seals until the epoch ends; keep it running until then"
	return prepareLeaver(ctx, c, r, d)
}

// proofArguments is the encoding of a proof (spec system-contracts 5.2).
var proofArguments = arguments("address", "uint256", "uint256", "string", "string", "string")

// prove encodes the reason for a mint or burn.
func (r *Request) prove(of common.Address, coins *big.Int, d *Details) (err error) {
	switch {
	case coins.Sign() == 0:
		return errors.New("the amount cannot be 0")
	case d.ID == "":
		return errors.New("the deposit or withdrawal needs an ID: --id")
	case d.Reference == "":
		return errors.New("a bank reference is needed: --reference")
	}
	r.values, r.behind = []any{of, coins, d.ID}, fmt.Sprintf(" (reference %q)", d.Reference)
	r.proof, err = proofArguments.Pack(of, coins, new(big.Int).SetUint64(d.Timestamp), d.ID, d.Reference, d.Memo)
	return err
}

func prepareMint(_ context.Context, _ *Chain, r *Request, d *Details) error {
	to := r.values[0].(common.Address)
	r.mintTo = &to
	return r.prove(to, r.values[1].(*big.Int), d)
}

// prepareBurn sends the coins along with the message.
func prepareBurn(_ context.Context, _ *Chain, r *Request, d *Details) error {
	r.Value = r.values[0].(*big.Int)
	err := r.prove(d.From, r.Value, d)
	r.behind += "; the coins leave the account now"
	return err
}

func prepareBlacklist(_ context.Context, _ *Chain, r *Request, _ *Details) error {
	r.blacklist = r.values[0].([]common.Address)
	return nil
}

func arguments(types ...string) abi.Arguments {
	var list abi.Arguments
	for _, name := range types {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			panic(fmt.Sprintf("type %s: %v", name, err)) // the names are in this file
		}
		list = append(list, abi.Argument{Type: typ})
	}
	return list
}

// action is an effect of an executed proposal, as contracts name it.
type action struct {
	name string
	kind *Kind
	args abi.Arguments
}

// actions maps action hashes to actions for each contract.
var actions = sync.OnceValue(func() map[Contract]map[common.Hash]action {
	list := make(map[Contract]map[common.Hash]action)
	add := func(k *Kind, name string, args abi.Arguments) {
		for _, on := range k.Of {
			if list[on] == nil {
				list[on] = make(map[common.Hash]action)
			}
			list[on][crypto.Keccak256Hash([]byte(name))] = action{strings.TrimPrefix(name, "ACTION_"), k, args}
		}
	}
	for _, k := range Kinds {
		var types []string
		for _, p := range k.Takes {
			types = append(types, p.typ)
		}
		if k.batch {
			add(k, k.action+"_BATCH", arguments(types...))
			types = []string{account.typ}
		}
		add(k, k.action, arguments(types...))
	}
	return list
})

// opposites are actions of which one undoes the other for the same accounts.
var opposites = map[string]string{
	"ACTION_ADD_MEMBER": removal, "CONFIGURE_MINTER": "REMOVE_MINTER", "PAUSE": "UNPAUSE",
	"ADD_BLACKLIST": "REMOVE_BLACKLIST", "ADD_AUTHORIZED_ACCOUNT": "REMOVE_AUTHORIZED_ACCOUNT",
}

// same reports whether two actions of a contract are one. A member counts whatever quorum goes with it.
func (k *Kind) same(values []any, other *Kind, others []any) bool {
	text := func(values []any) (list []string) {
		for i, v := range values {
			if k.Takes[i] != quorum {
				list = append(list, k.Takes[i].print(v))
			}
		}
		return list
	}
	return k.action == other.action && len(values) == len(others) && slices.Equal(text(values), text(others))
}

// undoes reports whether one of two actions of a contract takes back the other, for one account at least.
func (k *Kind) undoes(values []any, other *Kind, others []any) bool {
	if opposites[k.action] != other.action && opposites[other.action] != k.action {
		return false
	}
	accounts := func(values []any) []common.Address {
		if list, ok := values[0].([]common.Address); ok {
			return list
		}
		return []common.Address{values[0].(common.Address)}
	}
	return len(values) == 0 || slices.ContainsFunc(accounts(values), func(a common.Address) bool {
		return slices.Contains(accounts(others), a)
	})
}

// describeAction returns the name of a proposal's action and its description, and what they were made of; a nil kind
// where the action is unknown.
func describeAction(on Contract, hash common.Hash, callData []byte) (name, words string, kind *Kind, values []any) {
	a, ok := actions()[on][hash]
	if !ok {
		words = fmt.Sprintf("do something that this program does not know: action %v with %#x", hash, callData)
		return hash.Hex(), words, nil, nil
	}
	var err error
	if len(a.args) > 0 {
		values, err = a.args.Unpack(callData)
	}
	if err != nil {
		return a.name, fmt.Sprintf("do %s with malformed data (%v): %#x", a.name, err, callData), nil, nil
	}
	return a.name, a.kind.describe(on, values), a.kind, values
}
