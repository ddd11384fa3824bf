// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"gwon/internal/dial"
	"gwon/params"
)

// Settings are the values of a transaction that a person may set. Nil values are read from the node.
type Settings struct {
	ChainID *big.Int
	Nonce   *uint64
	Tip     *big.Int // wei per gas
	FeeCap  *big.Int // wei per gas
	Gas     *uint64
}

// Complete returns an error that names the first value missing without a node.
func (s *Settings) Complete() error {
	for _, part := range []struct {
		missing bool
		flag    string
	}{
		{s.ChainID == nil, "chainid"}, {s.Nonce == nil, "nonce"}, {s.Gas == nil, "gas"}, {s.Tip == nil, "tip"},
		{s.FeeCap == nil, "fee-cap"},
	} {
		if part.missing {
			return fmt.Errorf("without a node --%s is needed", part.flag)
		}
	}
	return s.check()
}

func (s *Settings) check() error {
	if s.Tip != nil && s.FeeCap != nil && s.Tip.Cmp(s.FeeCap) > 0 {
		return fmt.Errorf("the tip of %s is above the fee cap of %s", formatGwei(s.Tip), formatGwei(s.FeeCap))
	}
	return nil
}

// Plan is an unsigned transaction with a description of its effects.
type Plan struct {
	From    common.Address
	Request *Request
	Tx      *types.Transaction
	Words   []string // sentences
	Doubts  []string // those of Words that a person has to see before the transaction is signed
}

// doubt adds a warning that --yes alone does not answer.
func (p *Plan) doubt(warning string) {
	p.Words, p.Doubts = append(p.Words, warning), append(p.Doubts, warning)
}

// Offline plans a transaction without a node. It checks only the request itself.
func Offline(from common.Address, r *Request, s *Settings, at Addresses) (*Plan, error) {
	if err := s.Complete(); err != nil {
		return nil, err
	}
	words := fmt.Sprintf("%s proposes to %s to %s.", from.Hex(), r.Contract.title, r.words)
	switch {
	case r.kind == byMember || r.kind == byAnyone:
		words = fmt.Sprintf("%s %s.", from.Hex(), r.words)
	case r.kind != propose:
		words = fmt.Sprintf("%s %s %v, whose content is not known here.", from.Hex(), r.words, r.id)
	}
	if err := r.checkAccounts(at); err != nil {
		return nil, err
	}
	to := at.of(r.Contract)
	least, err := intrinsicGas(from, to, r)
	if err != nil {
		return nil, err
	}
	if *s.Gas < least {
		return nil, fmt.Errorf("it takes more than %d gas before the contract has done anything, and --gas allows %d", least,
			*s.Gas)
	}
	p := &Plan{From: from, Request: r, Words: []string{words, "No node was asked: whether it works is not known."}}
	p.build(s.ChainID, *s.Nonce, *s.Gas, s.Tip, s.FeeCap, to)
	return p, nil
}

// intrinsicGas returns the gas that a request costs before execution (spec transactions 3).
func intrinsicGas(from, to common.Address, r *Request) (uint64, error) {
	value, overflow := uint256.FromBig(r.Value)
	if overflow {
		return 0, fmt.Errorf("%v is more than can be handed over", r.Value)
	}
	rules := gethparams.Rules{IsHomestead: true, IsIstanbul: true}
	least, err := core.IntrinsicGas(r.Input, nil, nil, from, &to, value, rules)
	if err != nil {
		return 0, fmt.Errorf("count the gas: %w", err)
	}
	return least, nil
}

func (p *Plan) build(chainID *big.Int, nonce, gas uint64, tip, feeCap *big.Int, to common.Address) {
	p.Tx = types.NewTx(&types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: gas, To: &to, Value: p.Request.Value,
		Data: p.Request.Input,
	})
}

// Plan checks a request, executes it on the pending state, and describes its effects. The error is one sentence for a
// person.
func (c *Chain) Plan(ctx context.Context, from common.Address, r *Request, s *Settings) (*Plan, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	if err := c.needCode(ctx, r.Contract); err != nil {
		return nil, err
	}
	if err := r.checkAccounts(c.Addresses); err != nil {
		return nil, err
	}
	p := &Plan{From: from, Request: r}
	balance, err := c.client.BalanceAt(ctx, from, new(big.Int).SetUint64(c.Block))
	if err != nil {
		return nil, fmt.Errorf("ask %s for the coins of %s: %w", c.Endpoint, from.Hex(), err)
	}
	if balance.Cmp(r.Value) < 0 {
		return nil, fmt.Errorf("%s has %s, and would have to hand over %s", from.Hex(), formatCoins(balance),
			formatCoins(r.Value))
	}
	describe, err := c.checkRequest(ctx, from, r)
	if err != nil {
		return nil, err
	}
	to := c.Addresses.of(r.Contract)
	out, estimate, err := c.dryRun(ctx, ethereum.CallMsg{From: from, To: &to, Value: r.Value, Data: r.Input})
	if err != nil {
		return nil, fmt.Errorf("it would not work: %w%s", sentence(r.Contract, err), c.placesOf(ctx, from, r.Contract, err))
	}
	if p.Words, err = describe(out); err != nil {
		return nil, err
	}
	warnings, err := c.warnings(ctx, from, r)
	if err != nil {
		return nil, err
	}
	p.Words = append(p.Words, warnings...)
	if err := c.checkQuorum(ctx, p); err != nil {
		return nil, err
	}
	if r.after != "" {
		p.Words = append(p.Words, r.after+".")
	}
	return p, c.price(ctx, p, s, estimate, balance)
}

// checkAccounts refuses addresses without a key where an account belongs. gwon's contracts report a mint there at
// execution, go-stablenet's never (docs/system-contracts.md, 14); no contract reports a member.
func (r *Request) checkAccounts(at Addresses) error {
	for _, account := range []struct {
		address *common.Address
		never   string
	}{{r.mintTo, "coins at %s could never be spent"}, {r.member, "a member %s could never vote"}} {
		if account.address == nil {
			continue
		}
		if what := at.Keyless(*account.address); what != "" {
			return fmt.Errorf(account.never+": it is %s; name the account that is meant", account.address.Hex(), what)
		}
	}
	return nil
}

// Keyless describes an address that can send nothing; empty for other addresses.
func (a Addresses) Keyless(address common.Address) string {
	_, upstream := vm.PrecompiledContractsCancun[address]
	switch {
	case upstream, address == secp256r1Address, address == params.BLSPossessionAddress:
		return "a precompiled contract"
	case address == params.CoinManagerAddress, address == params.AccountManagerAddress:
		return "a native manager"
	}
	for name, contract := range a { // none has a function that moves coins on
		if address == contract {
			return "the system contract " + name
		}
	}
	return ""
}

// secp256r1Address is the address of the precompile of EIP-7951.
var secp256r1Address = common.BigToAddress(big.NewInt(0x100))

// warnings returns warnings about unusual requests that are possible.
func (c *Chain) warnings(ctx context.Context, from common.Address, r *Request) ([]string, error) {
	list, err := c.rivals(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.mintTo != nil {
		ok, err := c.hasCode(ctx, Council)
		if err != nil {
			return nil, err
		}
		if ok {
			blacklisted, err := view(ctx, c, Council, council.PackIsBlacklisted(*r.mintTo), council.UnpackIsBlacklisted)
			if err != nil {
				return nil, err
			}
			if blacklisted {
				list = append(list, fmt.Sprintf("Warning: %s is on the blacklist: the mint fails as long as it is there.",
					r.mintTo.Hex()))
			}
		}
	}
	for _, a := range r.blacklist {
		switch {
		case a == from:
			list = append(list, fmt.Sprintf("Warning: %s is the sender itself: it could send nothing any more.", a.Hex()))
		case c.Addresses.Keyless(a) != "":
			list = append(list, fmt.Sprintf("Warning: %s is %s: no account could call it any more.", a.Hex(),
				c.Addresses.Keyless(a)))
		}
	}
	if r.member != nil && r.Contract == Validator {
		operator, err := view(ctx, c, Validator, validator.PackValidatorToOperator(*r.member),
			validator.UnpackValidatorToOperator)
		if err != nil {
			return nil, err
		}
		if operator != (common.Address{}) {
			list = append(list, fmt.Sprintf("Warning: %s is the address of a validator, that of the operator %s: an operator "+
				"has an address of its own.",
				r.member.Hex(), operator.Hex()))
		}
	}
	return list, nil
}

// looked is how many of the newest proposals of a contract are searched for open ones.
const looked = 200

// placesOf returns the open proposals of an account when a contract refuses a further one.
func (c *Chain) placesOf(ctx context.Context, from common.Address, k Contract, err error) string {
	var refusal *Refusal
	if !errors.As(sentence(k, err), &refusal) || refusal.Name != "TooManyActiveProposals" {
		return ""
	}
	list, _, err := c.Proposals(ctx, []Contract{k}, false, looked)
	if err != nil {
		return ""
	}
	var text strings.Builder
	for _, p := range list {
		switch {
		case p.Proposer != from:
		case p.Unclosed:
			fmt.Fprintf(&text, "; %v has expired: gwon gov expire %v", p.ID, p.ID)
		case p.status == approved:
			fmt.Fprintf(&text, "; %v is approved: gwon gov execute %v", p.ID, p.ID)
		case p.Approvals > 1 || p.Rejections > 0:
			fmt.Fprintf(&text, "; %v is being voted on", p.ID)
		default:
			fmt.Fprintf(&text, "; %v is open: gwon gov cancel %v", p.ID, p.ID)
		}
	}
	return text.String()
}

// price sets gas limit and fees of a transaction.
func (c *Chain) price(ctx context.Context, p *Plan, s *Settings, estimate uint64, balance *big.Int) (err error) {
	gas := estimate + estimate/2
	if p.Request.kind == voteFor {
		gas += 300_000 + 100_000*p.Request.size // another vote may make this one the deciding one, which executes the action
	}
	if s.Gas != nil {
		if gas = *s.Gas; gas < estimate {
			return fmt.Errorf("it takes %d gas, and --gas allows %d", estimate, gas)
		}
	}
	if gas > c.gasLimit {
		if s.Gas == nil {
			gas = c.gasLimit // the estimate plus its margin may exceed the block
		} else {
			return fmt.Errorf("--gas allows %d, and a block holds %d: no node takes the transaction", gas, c.gasLimit)
		}
	}
	nonce, err := c.nonce(ctx, p, s.Nonce)
	if err != nil {
		return err
	}
	offered, governed, err := c.governedTip(ctx)
	if err != nil {
		return err
	}
	tip := s.Tip
	switch {
	case tip == nil:
		tip = offered
	case governed && tip.Cmp(offered) < 0:
		return fmt.Errorf("the tip of %s is below the governed gas tip of %s: no node takes the transaction; leave --tip "+
			"out", formatGwei(tip),
			formatGwei(offered))
	}
	feeCap := s.FeeCap
	if feeCap == nil {
		feeCap = dial.FeeCap(tip, c.baseFee)
	} else if least := new(big.Int).Add(tip, c.baseFee); feeCap.Cmp(least) < 0 {
		return fmt.Errorf("the fee cap of %s is below tip and base fee, %s: no block takes the transaction now",
			formatGwei(feeCap), formatGwei(least))
	}
	fee := new(big.Int).Mul(feeCap, new(big.Int).SetUint64(gas))
	if total := new(big.Int).Add(fee, p.Request.Value); total.Cmp(balance) > 0 {
		return fmt.Errorf("%s has %s, and this may cost %s: a fee of at most %s, and %s to hand over", p.From.Hex(),
			formatCoins(balance), formatCoins(total), formatCoins(fee), formatCoins(p.Request.Value))
	}
	p.Words = append(p.Words, fmt.Sprintf("The fee is about %s and at most %s (gas tip %s), on %s.",
		formatCoins(new(big.Int).Mul(new(big.Int).Add(tip, c.baseFee), new(big.Int).SetUint64(estimate))), formatCoins(fee),
		formatGwei(tip),
		chainName(c.ID)))
	p.build(c.ID, nonce, gas, tip, feeCap, c.Addresses.of(p.Request.Contract))
	return nil
}

// nonce returns the nonce of the transaction, checks a given one, and warns of transactions that wait: what they pay
// would be paid twice. A nil want means the next nonce.
func (c *Chain) nonce(ctx context.Context, p *Plan, want *uint64) (uint64, error) {
	from := p.From.Hex()
	next, err := c.client.PendingNonceAt(ctx, p.From)
	if err != nil {
		return 0, fmt.Errorf("ask %s for the nonce of %s: %w", c.Endpoint, from, err)
	}
	used, err := c.client.NonceAt(ctx, p.From, nil)
	switch {
	case err != nil:
		return 0, fmt.Errorf("ask %s for the nonce of %s: %w", c.Endpoint, from, err)
	case want == nil && used < next:
		p.doubt(fmt.Sprintf("Warning: transactions of %s that are in no block yet: %d%s. This one would be executed "+
			"after them: wait for them, or say what is meant. --nonce %d replaces the first, --nonce %d comes after all.",
			from, next-used, c.waiting(ctx, p.From, used), used, next))
		return next, nil
	case want == nil:
		return next, nil
	case *want < used:
		return 0, fmt.Errorf("the nonce %d of %s is used: the next one is %d; leave --nonce out", *want, from, next)
	case *want < next:
		p.Words = append(p.Words, fmt.Sprintf("Warning: a transaction of %s with the nonce %d waits already: this one "+
			"replaces it only at a price at least a tenth higher.", from, *want))
	case *want > next:
		p.Words = append(p.Words, fmt.Sprintf("Warning: the next nonce of %s is %d: this transaction waits until those "+
			"before %d are executed.", from, next, *want))
	}
	return *want, nil
}

// waiting names the pool's transaction with a nonce; empty where the node does not show its pool.
func (c *Chain) waiting(ctx context.Context, from common.Address, nonce uint64) string {
	var pool map[string]map[string]struct{ Hash common.Hash }
	if c.rpc.CallContext(ctx, &pool, "txpool_contentFrom", from) != nil {
		return ""
	}
	first, ok := pool["pending"][strconv.FormatUint(nonce, 10)]
	if !ok {
		return ""
	}
	return fmt.Sprintf(", the first is %v", first.Hash)
}

// governedTip returns the tip that a transaction should offer in wei per unit of gas. The result governed is false
// where the node only suggests it.
func (c *Chain) governedTip(ctx context.Context) (tip *big.Int, governed bool, err error) {
	ok, err := c.hasCode(ctx, Validator)
	if err != nil {
		return nil, false, err
	}
	if ok {
		tip, err = view(ctx, c, Validator, validator.PackGasTip(), validator.UnpackGasTip)
		return tip, true, err
	}
	if tip, err = c.client.SuggestGasTipCap(ctx); err != nil {
		return nil, false, fmt.Errorf("ask %s for the gas tip: %w", c.Endpoint, err)
	}
	return tip, false, nil
}

// checkRequest checks the subject of a request. The returned function describes it from the result of the dry run.
func (c *Chain) checkRequest(ctx context.Context, from common.Address,
	r *Request) (func(out []byte) ([]string, error), error) {
	said := func(words ...string) func([]byte) ([]string, error) {
		return func([]byte) ([]string, error) { return words, nil }
	}
	switch r.kind {
	case byAnyone:
		return said(fmt.Sprintf("%s %s.", from.Hex(), r.words)), nil
	case byMember, propose:
		b, err := c.body(ctx, r.Contract)
		if err != nil {
			return nil, err
		}
		if err := b.needMember(from); err != nil {
			return nil, err
		}
		if r.kind == byMember {
			return said(fmt.Sprintf("%s %s.", from.Hex(), r.words)), nil
		}
		return func(out []byte) ([]string, error) { return describeProposal(from, r, b, out) }, nil
	}
	p, err := c.Proposal(ctx, r.id)
	if err != nil {
		return nil, err
	}
	return c.checkVote(ctx, from, r, p)
}

func describeProposal(from common.Address, r *Request, b *Body, out []byte) ([]string, error) {
	id, err := validator.UnpackProposeGasTip(out) // all proposing functions return the number in one encoding
	if err != nil || !id.IsUint64() {
		return nil, fmt.Errorf("%s answers with %#x where the number of a proposal belongs", r.Contract.title, out)
	}
	first := fmt.Sprintf("%s proposes to %s to %s.", from.Hex(), r.Contract.title, r.words)
	if b.Quorum <= 1 {
		return []string{first, fmt.Sprintf("One vote is enough: it becomes proposal %v and is executed at once, if it can "+
				"be.", ID{r.Contract, id.Uint64()})},
			nil
	}
	return []string{first, fmt.Sprintf("It becomes proposal %v, with 1 of the %d approvals that it needs.",
		ID{r.Contract, id.Uint64()}, b.Quorum)}, nil
}

// checkVote checks a proposal before a vote, cancellation, execution or expiry.
func (c *Chain) checkVote(ctx context.Context, from common.Address, r *Request,
	p *Proposal) (func([]byte) ([]string, error), error) {
	if over := p.over(); over != "" && r.kind != expire {
		return nil, errors.New(over)
	}
	if !slices.Contains(p.Members, from) {
		return nil, fmt.Errorf("%s has no vote on %v: it was no member of %s when that was proposed; those who can vote "+
			"are %s", from.Hex(), p.ID,
			r.Contract.title, listOf(p.Members))
	}
	words := []string{fmt.Sprintf("%s %s proposal %v of %s: to %s.", from.Hex(), r.words, p.ID, p.Proposer.Hex(),
		p.Description)}
	if r.kind == voteFor || r.kind == execute {
		r.proposes, r.values = p.kind, p.values // which the warnings compare with other proposals
	}
	switch r.kind {
	case voteFor, voteAgainst:
		if slices.Contains(p.Voted, from) {
			return nil, fmt.Errorf("%s has voted on %v already; it has %s", from.Hex(), p.ID, p.count())
		}
		r.size = p.size
		words = append(words, p.afterVote(r.kind == voteFor))
		if r.kind == voteFor && p.Approvals+1 >= p.Required {
			reason, err := c.refusal(ctx, p)
			if err != nil {
				return nil, err
			}
			if reason != "" {
				words = append(words, "It would not be executed now: "+reason+". It stays approved, until somebody executes it.")
			}
		}
	case cancel:
		switch {
		case p.status != voting:
			return nil, fmt.Errorf("%v cannot be canceled any more: it is %s", p.ID, p.Status)
		case p.Proposer != from:
			return nil, fmt.Errorf("only who proposed %v can cancel it: %s", p.ID, p.Proposer.Hex())
		case p.Approvals > 1 || p.Rejections > 0:
			return nil, fmt.Errorf("%v cannot be canceled any more: others have voted on it; it has %s", p.ID, p.count())
		}
	case execute:
		if p.status != approved {
			return nil, fmt.Errorf("%v cannot be executed yet: it has %s", p.ID, p.count())
		}
		can, err := view(ctx, c, r.Contract, base.PackCanExecuteProposal(p.ID.number()), base.UnpackCanExecuteProposal)
		if err != nil {
			return nil, err
		}
		return c.checkExecution(ctx, r, p, words, can.AttemptsLeft), nil
	case expire:
		switch {
		case p.Open:
			return nil, fmt.Errorf("%v has not expired: it can be voted on until %s", p.ID, formatTime(p.ExpiresAt))
		case p.status != voting && p.status != approved:
			return nil, errors.New(p.over())
		}
	}
	return func([]byte) ([]string, error) { return words, nil }, nil
}

// checkExecution returns a function that describes an execution from its dry run.
func (c *Chain) checkExecution(ctx context.Context, r *Request, p *Proposal, words []string,
	left *big.Int) func([]byte) ([]string, error) {
	return func(out []byte) ([]string, error) {
		works, err := base.UnpackExecuteProposal(out) // executeWithFailure has the same result
		if err != nil {
			return nil, fmt.Errorf("%s answers with %#x where it should say whether the execution succeeds",
				r.Contract.title, out)
		}
		switch {
		case works:
			return append(words, fmt.Sprintf("It would succeed now. It can be tried %s.", times(left))), nil
		case left.Sign() == 0:
			return append(words, "It was tried as often as a proposal can be: this ends it as failed."), nil
		}
		reason, err := c.refusal(ctx, p)
		if err != nil {
			return nil, err
		}
		if reason == "" {
			reason = "its action fails"
		}
		switch {
		case r.final:
			return append(words, fmt.Sprintf("It would not work now: %s. This ends it as failed.", reason)), nil
		case r.force:
			return append(words, fmt.Sprintf("It would not work now: %s. This takes one of the %s that it has.", reason,
				attempts(left))), nil
		}
		return nil, fmt.Errorf("it would not work now: %s; it would take one of the %s that %v has: --force does it all "+
			"the same, --final ends it as failed",
			reason, attempts(left), p.ID)
	}
}

// times formats a number of tries.
func times(n *big.Int) string {
	if n.Cmp(common.Big1) == 0 {
		return "1 more time"
	}
	return fmt.Sprintf("%v more times", n)
}

// attempts formats a number of execution attempts.
func attempts(n *big.Int) string {
	if n.Cmp(common.Big1) == 0 {
		return "1 attempt"
	}
	return fmt.Sprintf("%v attempts", n)
}

// refusal returns the reason why a contract would not execute a proposal now, as far as it is known before the vote
// that decides; empty for none.
func (c *Chain) refusal(ctx context.Context, p *Proposal) (string, error) {
	adds := p.Action == "ADD_MEMBER"
	if p.kind == nil || !adds && p.Action != "REMOVE_MEMBER" {
		return c.refusalOfCoin(ctx, p), nil
	}
	b, err := c.body(ctx, p.ID.Contract)
	if err != nil {
		return "", err
	}
	if member := p.values[0].(common.Address); slices.Contains(b.Members, member) == adds {
		return fmt.Sprintf("%s is %s member of %s", member.Hex(), map[bool]string{true: "a", false: "no"}[adds],
			b.contract.title), nil
	}
	return "", nil
}

// rivals returns warnings about other open proposals with the action of a request, or one that undoes it: an approved
// one is executed by any member, long after others have forgotten it.
func (c *Chain) rivals(ctx context.Context, r *Request) (list []string, err error) {
	if r.proposes == nil {
		return nil, nil
	}
	b, err := c.body(ctx, r.Contract)
	if err != nil {
		return nil, err
	}
	last := seconds(b.Proposals)
	for number := last; number > last-min(last, looked); number-- {
		p, _, err := c.proposal(ctx, ID{r.Contract, number}, b.Expiry)
		if err != nil || c.Time > p.ExpiresAt { // those before are older
			return list, err
		}
		if p.ID == r.id || !p.Open || p.kind == nil {
			continue
		}
		ready := p.status == approved
		switch {
		case r.proposes.same(r.values, p.kind, p.values) && ready:
			list = append(list, fmt.Sprintf("Warning: %v is approved to do the same: gwon gov execute %v.", p.ID, p.ID))
		case r.proposes.same(r.values, p.kind, p.values):
			list = append(list, fmt.Sprintf("Warning: %v proposes the same: gwon gov approve %v.", p.ID, p.ID))
		case r.proposes.undoes(r.values, p.kind, p.values) && ready:
			list = append(list, fmt.Sprintf("Warning: %v is approved to %s: until %s a single member can undo this with it. "+
				"gwon gov execute --final %v ends it now.", p.ID, p.Description, formatTime(p.ExpiresAt), p.ID))
		case r.proposes.undoes(r.values, p.kind, p.values):
			list = append(list, fmt.Sprintf("Warning: %v proposes to %s, which would undo this: gwon gov reject %v.", p.ID,
				p.Description, p.ID))
		}
	}
	return list, nil
}

// refusalOfCoin returns the reason why the coin would refuse a mint or burn; empty for none. GovMinter itself reports
// only a failed execution (spec system-contracts 5.2).
func (c *Chain) refusalOfCoin(ctx context.Context, p *Proposal) string {
	if p.Action != "MINT_WITH_DEPOSIT" && p.Action != "BURN" {
		return ""
	}
	args, err := arguments("address", "uint256", "string").Unpack(p.callData)
	if err != nil {
		return "its data is malformed"
	}
	input := adapter.PackBurn(args[1].(*big.Int))
	if p.Action != "BURN" {
		input = adapter.PackMint(args[0].(common.Address), args[1].(*big.Int))
	}
	to := c.Addresses.of(Adapter)
	_, err = c.client.CallContract(ctx, ethereum.CallMsg{From: p.Contract, To: &to, Data: input},
		new(big.Int).SetUint64(c.Block))
	if err == nil {
		return ""
	}
	return sentence(Adapter, err).Error()
}

// count describes the votes of a proposal.
func (p *Proposal) count() string {
	text := fmt.Sprintf("%d of the %d approvals that it needs", p.Approvals, p.Required)
	if p.Rejections > 0 {
		text += fmt.Sprintf(", and %d against", p.Rejections)
	}
	return text
}

// afterVote describes a proposal after one more vote (spec system-contracts 1.6).
func (p *Proposal) afterVote(yes bool) string {
	after := *p
	if yes {
		after.Approvals++
		if after.Approvals >= after.Required {
			return fmt.Sprintf("It then has %s: the vote decides, and tries to execute it.", after.count())
		}
		return fmt.Sprintf("It then has %s.", after.count())
	}
	after.Rejections++
	if p.status == voting && int(after.Rejections) > len(p.Members)-int(p.Required) {
		return fmt.Sprintf("It then has %s: the vote decides, and it is rejected.", after.count())
	}
	return fmt.Sprintf("It then has %s.", after.count())
}
