// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package govern

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/amounts"
	"gwon/internal/usage"
	"gwon/operator/governance"
)

var (
	govChainIDFlag = &cli.Uint64Flag{Name: "chainid", Usage: "Chain ID that the node has to have (0 = any)"}
	govAtFlag      = &cli.StringSliceFlag{Name: "at",
		Usage: "Where a contract stands, as gov-minter=ADDRESS, on networks that have it elsewhere"}
	govLimitFlag    = &cli.Uint64Flag{Name: "limit", Usage: "How many of each list to look at, at most", Value: 100}
	govContractFlag = &cli.StringFlag{Name: "contract", Usage: "gov-validator, gov-master-minter, gov-minter or " +
		"gov-council"}
	govAllFlag    = &cli.BoolFlag{Name: "all", Usage: "Those that are over too"}
	govQuorumFlag = &cli.UintFlag{Name: "quorum",
		Usage: "Approvals that proposals need from then on (default: as many as now, where the members allow it)"}
	govFinalFlag = &cli.BoolFlag{Name: "final", Usage: "A proposal that cannot be executed has failed; without it can " +
		"be tried again"}
	govForceFlag = &cli.BoolFlag{Name: "force", Usage: "With --yes, sign although a warning advises against it; try to " +
		"execute even if the dry run fails, which takes one of the proposal's attempts"}

	govNonceFlag  = &cli.Uint64Flag{Name: "nonce", Usage: "Nonce of the transaction (default: the next one)"}
	govTipFlag    = &cli.StringFlag{Name: "tip", Usage: "Tip per gas, as 27600gwei (default: the governed gas tip)"}
	govFeeCapFlag = &cli.StringFlag{Name: "fee-cap", Usage: "Most to pay per gas, as 70000gwei (default: tip and " +
		"twice the base fee)"}
	govGasFlag      = &cli.Uint64Flag{Name: "gas", Usage: "Gas limit (default: by estimate)"}
	govSignOnlyFlag = &cli.BoolFlag{Name: "sign-only",
		Usage: "Print the signed transaction instead of sending it. With --chainid, --nonce, --gas, --tip and --fee-cap no " +
			"node is asked"}
	govDryRunFlag = &cli.BoolFlag{Name: "dry-run", Usage: "Tell what would happen; sign nothing"}
	govYesFlag    = &cli.BoolFlag{Name: "yes", Usage: "Do not ask before signing"}
	govWaitFlag   = &cli.DurationFlag{Name: "wait", Usage: "How long to wait until the transaction " +
		"is in a block (0 = not at all)",
		Value: time.Minute}

	govIDFlag        = &cli.StringFlag{Name: "id", Usage: "ID of the deposit or withdrawal"}
	govReferenceFlag = &cli.StringFlag{Name: "reference", Usage: "Reference of the bank"}
	govMemoFlag      = &cli.StringFlag{Name: "memo", Usage: "Memo"}
	govTimestampFlag = &cli.Uint64Flag{Name: "timestamp", Usage: "Time of the deposit or withdrawal, in seconds since " +
		"1970 (default: now)"}

	govOperatorFlag = &cli.StringFlag{Name: "operator", Usage: "Operator of the validator, where no node is asked who " +
		"that is"}
)

var (
	govReadFlags = []cli.Flag{attach.RPCFlag, settings.DataDirFlag, govChainIDFlag, govAtFlag, program.JSONFlag}
	govSendFlags = append([]cli.Flag{
		keys.FromFlag, keys.KeyFlag, utils.ExternalSignerFlag, utils.PasswordFileFlag, utils.KeyStoreDirFlag,
		govYesFlag, govForceFlag, govDryRunFlag, govSignOnlyFlag, govWaitFlag, govNonceFlag, govTipFlag, govFeeCapFlag,
		govGasFlag,
	}, govReadFlags...)
)

// Command reads the governances and votes in them.
var Command = &cli.Command{
	Name:  "gov",
	Usage: "Govern a network: look at and vote on proposals, make new ones",
	Description: "Works with any node of any network, public ones included. Before anything is signed the node is " +
		"asked whether it would work, what would happen is told in words, and a person is asked; --yes answers in " +
		"scripts. Flags stand before arguments. With --datadir its node is asked over IPC; key store and node key are " +
		"there, too.\n\n" +
		"A proposal is named by its contract and number, as gov-minter:3. Amounts have a unit: 100coins, 27600gwei. " +
		"On a devnet, devnet:1 stands for its first account. docs/governing.md tries everything there.",
	Subcommands: append(append([]*cli.Command{
		{Name: "status", Usage: "Members, quorums, validators, gas tip, minters, supply, blacklist, authorized accounts",
			Flags: append([]cli.Flag{govLimitFlag}, govReadFlags...), Action: govStatus},
		{Name: "proposals", Usage: "List proposals that can be voted on or have to be closed",
			Flags: append([]cli.Flag{govContractFlag, govAllFlag, govLimitFlag}, govReadFlags...), Action: govProposals},
		{Name: "show", Usage: "Show a proposal", ArgsUsage: "PROPOSAL", Flags: govReadFlags, Action: govShow},
		{Name: "propose", Usage: "Make a proposal", Subcommands: govProposeCommands(), Action: govProposeNothing},
	}, govVoteCommands()...),
		&cli.Command{Name: "validator", Usage: "The own validator", Subcommands: []*cli.Command{govConfigureCommand}},
		&cli.Command{Name: "change-member", Usage: "Hand the own place in a governance to another address, at once",
			ArgsUsage: "ADDRESS", Flags: append([]cli.Flag{govContractFlag}, govSendFlags...),
			Action: govSend(1, func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
				k, err := govContract(ctx)
				if err != nil {
					return nil, err
				}
				account, err := keys.ParseAddress(ctx.Args().First())
				if err != nil {
					return nil, err
				}
				return governance.ChangeMember(k, account), nil
			})},
		&cli.Command{Name: "fund", Usage: "Send own coins to an account, such as an operator who was voted in",
			ArgsUsage: "ADDRESS AMOUNT", Flags: govSendFlags,
			Action: govSend(2, func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
				account, err := keys.ParseAddress(ctx.Args().Get(0))
				if err != nil {
					return nil, err
				}
				amount, err := amounts.Parse(ctx.Args().Get(1), "")
				if err != nil {
					return nil, err
				}
				return governance.Fund(account, amount), nil
			})},
		&cli.Command{Name: "refund", Usage: "Take back coins of burns that were not executed", Flags: govSendFlags,
			Action: govSend(0, func(*cli.Context, *govRun) (*governance.Request, error) {
				return governance.ClaimRefund(), nil
			})},
	),
}

// govRun is what a command that sends has found out before it makes its request.
type govRun struct {
	chain     *governance.Chain // nil without a node
	addresses governance.Addresses
	signer    governance.Signer
}

// govRequest makes what a command asks for.
type govRequest func(*cli.Context, *govRun) (*governance.Request, error)

// manyArguments stands for one or more.
const manyArguments = -1

// formerNames are names that commands answer to, too. Help shows them beside the name.
var formerNames = map[string][]string{
	"authorize":   {"authorise"}, //nolint:misspell // the former name
	"unauthorize": {"unauthorise"},
}

// govProposeCommands returns a command for each kind of proposal.
func govProposeCommands() (list []*cli.Command) {
	for _, k := range governance.Kinds {
		var flags []cli.Flag
		var args []string
		for _, p := range k.Takes {
			if p.Usage != "" {
				args = append(args, p.Usage)
			}
		}
		if len(k.Of) > 1 {
			flags = append(flags, govContractFlag)
		}
		flags = append(flags, govDetailFlags[k.Name]...)
		count := len(args)
		if count == 1 && strings.HasSuffix(args[0], "...") {
			count = manyArguments
		}
		list = append(list, &cli.Command{Name: k.Name, Aliases: formerNames[k.Name], Usage: k.Usage,
			ArgsUsage: strings.Join(args, " "), Flags: append(flags, govSendFlags...),
			Action: govSend(count, func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
				return govProposal(ctx, r, k)
			})})
	}
	return list
}

var govProofFlags = []cli.Flag{govIDFlag, govReferenceFlag, govMemoFlag, govTimestampFlag}

// govDetailFlags are the flags of kinds of proposals beside the contract's.
var govDetailFlags = map[string][]cli.Flag{
	"add-validator": {govQuorumFlag}, "remove-validator": {govQuorumFlag, govOperatorFlag},
	"add-member": {govQuorumFlag}, "remove-member": {govQuorumFlag}, "mint": govProofFlags, "burn": govProofFlags,
}

// govProposal makes a proposal from arguments and flags.
func govProposal(ctx *cli.Context, run *govRun, k *governance.Kind) (_ *governance.Request, err error) {
	on := k.Of[0]
	if len(k.Of) > 1 {
		if on, err = govContract(ctx); err != nil {
			return nil, err
		}
	}
	var values []any
	for _, p := range k.Takes {
		var value any
		text := ctx.Args().Get(len(values))
		switch {
		case p.Usage == "":
			continue
		case strings.HasSuffix(p.Usage, "..."):
			value, err = keys.ParseAddresses(ctx.Args().Slice())
		case p.Parse != nil:
			value, err = p.Parse(text)
		default: // a name of a devnet's account stands for an address
			value, err = keys.ParseAddress(text)
		}
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	details, err := govDetails(ctx, run)
	if err != nil {
		return nil, err
	}
	return k.Request(ctx.Context, run.chain, on, values, details)
}

// govDetails reads the flags of a proposal. A quorum of 0 is none in particular.
func govDetails(ctx *cli.Context, run *govRun) (d governance.Details, err error) {
	quorum := ctx.Uint(govQuorumFlag.Name)
	if ctx.IsSet(govQuorumFlag.Name) && quorum == 0 || uint64(quorum) > math.MaxUint32 {
		return d, fmt.Errorf("--%s %d is no quorum", govQuorumFlag.Name, quorum)
	}
	d = governance.Details{
		From: run.signer.Address(), Quorum: uint32(quorum), Timestamp: ctx.Uint64(govTimestampFlag.Name),
		ID: ctx.String(govIDFlag.Name), Reference: ctx.String(govReferenceFlag.Name), Memo: ctx.String(govMemoFlag.Name),
	}
	if !ctx.IsSet(govTimestampFlag.Name) {
		d.Timestamp = uint64(time.Now().Unix())
	}
	if name := ctx.String(govOperatorFlag.Name); name != "" {
		if d.Operator, err = keys.ParseAddress(name); err != nil {
			return d, fmt.Errorf("--%s: %w", govOperatorFlag.Name, err)
		}
	}
	return d, nil
}

// govProposeNothing answers "gwon gov propose" with nothing behind it.
func govProposeNothing(ctx *cli.Context) error {
	var names []string
	for _, k := range governance.Kinds {
		names = append(names, k.Name)
	}
	return fmt.Errorf("say what to propose: %s; see %s --help", strings.Join(names, ", "), usage.CommandPath(ctx))
}

// govVoteCommands returns the commands on an existing proposal.
func govVoteCommands() (list []*cli.Command) {
	for _, v := range governance.Votes {
		var flags []cli.Flag
		if v.Executes() {
			flags = []cli.Flag{govFinalFlag}
		}
		list = append(list, &cli.Command{Name: v.Name, Usage: v.Usage, ArgsUsage: "PROPOSAL",
			Flags: append(flags, govSendFlags...),
			Action: govSend(1, func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
				id, err := govProposalID(ctx, r.chain)
				if err != nil {
					return nil, err
				}
				return v.Request(id, ctx.Bool(govFinalFlag.Name), ctx.Bool(govForceFlag.Name))
			})})
	}
	return list
}

var govConfigureCommand = &cli.Command{
	Name:  "configure",
	Usage: "Register the sender's validator, or give it another key",
	Description: "The sender is an operator, a member of GovValidator. The validator's address, BLS key and proof " +
		"of possession come from its node key: --nodekey, or the data directory's. Where that is on another machine, " +
		`give what "gwon validator show" prints there.`,
	Flags: slices.Concat(keys.RegistrationFlags, govSendFlags),
	Action: govSend(0, func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
		sealer, key, possession, err := keys.Registration(ctx)
		if err != nil {
			return nil, err
		}
		return governance.ConfigureValidator(sealer, key, possession)
	}),
}

// govContract needs --contract: a person in a hurry says what they mean.
func govContract(ctx *cli.Context) (governance.Contract, error) {
	if !ctx.IsSet(govContractFlag.Name) {
		return governance.Contract{}, fmt.Errorf("say which contract: --%s %s", govContractFlag.Name, govContractFlag.Usage)
	}
	return governance.ParseContract(ctx.String(govContractFlag.Name))
}

func govProposalID(ctx *cli.Context, chain *governance.Chain) (governance.ID, error) {
	id, err := governance.ParseID(ctx.Args().First())
	if err != nil && chain != nil {
		err = chain.Resolve(ctx.Context, err)
	}
	return id, err
}

func govAddresses(ctx *cli.Context) (governance.Addresses, error) {
	at := governance.DefaultAddresses()
	for _, text := range ctx.StringSlice(govAtFlag.Name) {
		if err := at.Set(text); err != nil {
			return nil, fmt.Errorf("--%s: %w", govAtFlag.Name, err)
		}
	}
	return at, nil
}

func govChainID(ctx *cli.Context) *big.Int {
	if id := ctx.Uint64(govChainIDFlag.Name); id != 0 {
		return new(big.Int).SetUint64(id)
	}
	return nil
}

// openGov connects to the node of a command that reads.
func openGov(ctx *cli.Context) (*governance.Chain, error) {
	at, err := govAddresses(ctx)
	if err != nil {
		return nil, err
	}
	return dialGov(ctx, at)
}

// dialGov connects to the node, and says which network that is: a default port may be another network's.
func dialGov(ctx *cli.Context, at governance.Addresses) (*governance.Chain, error) {
	endpoint, err := attach.Endpoint(ctx)
	if err != nil {
		return nil, err
	}
	chain, err := governance.Open(ctx.Context, endpoint, govChainID(ctx), at)
	if err != nil {
		return nil, err
	}
	network, err := chain.Network(ctx.Context)
	if err != nil {
		chain.Close()
		return nil, err
	}
	fmt.Fprintf(ctx.App.ErrWriter, "Network: %s, by the node at %s\n", network, chain.Endpoint)
	return chain, nil
}

func govStatus(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return usage.NoSuchCommand(ctx)
	}
	chain, err := openGov(ctx)
	if err != nil {
		return err
	}
	defer chain.Close()
	status, err := chain.Status(ctx.Context, ctx.Uint64(govLimitFlag.Name))
	if err != nil {
		return err
	}
	return program.Print(ctx, status, func() error { return status.WriteTable(ctx.App.Writer) })
}

func govProposals(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return usage.NoSuchCommand(ctx)
	}
	of := governance.Governances
	if name := ctx.String(govContractFlag.Name); name != "" {
		k, err := governance.ParseContract(name)
		if err != nil {
			return err
		}
		of = []governance.Contract{k}
	}
	chain, err := openGov(ctx)
	if err != nil {
		return err
	}
	defer chain.Close()
	list, older, err := chain.Proposals(ctx.Context, of, ctx.Bool(govAllFlag.Name), ctx.Uint64(govLimitFlag.Name))
	if err != nil {
		return err
	}
	return program.Print(ctx, map[string]any{"proposals": list, "older": older}, func() error {
		return governance.WriteProposals(ctx.App.Writer, list, older)
	})
}

func govShow(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("name one proposal, as in: gwon gov show gov-minter:3")
	}
	chain, err := openGov(ctx)
	if err != nil {
		return err
	}
	defer chain.Close()
	id, err := govProposalID(ctx, chain)
	if err != nil {
		return err
	}
	p, err := chain.Proposal(ctx.Context, id)
	if err != nil {
		return err
	}
	return program.Print(ctx, p, func() error { return p.WriteTable(ctx.App.Writer) })
}

// govSettings reads what the user decides about the transaction.
func govSettings(ctx *cli.Context) (*governance.Settings, error) {
	s := &governance.Settings{ChainID: govChainID(ctx)}
	for _, amount := range []struct {
		flag *cli.StringFlag
		to   **big.Int
	}{{govTipFlag, &s.Tip}, {govFeeCapFlag, &s.FeeCap}} {
		if text := ctx.String(amount.flag.Name); text != "" {
			n, err := amounts.Parse(text, "")
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", amount.flag.Name, err)
			}
			*amount.to = n
		}
	}
	if ctx.IsSet(govNonceFlag.Name) {
		s.Nonce = new(ctx.Uint64(govNonceFlag.Name))
	}
	if ctx.IsSet(govGasFlag.Name) {
		s.Gas = new(ctx.Uint64(govGasFlag.Name))
	}
	return s, nil
}

// govSend makes the action of a command that sends a transaction.
func govSend(args int, request govRequest) cli.ActionFunc {
	return func(ctx *cli.Context) error {
		if n := ctx.NArg(); n != args && (args != manyArguments || n == 0) {
			return fmt.Errorf("%s takes %s; see %s --help", usage.CommandPath(ctx), argumentsOf(ctx), usage.CommandPath(ctx))
		}
		until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
		defer stop()
		ctx.Context = until
		return runGovSend(ctx, request)
	}
}

func argumentsOf(ctx *cli.Context) string {
	if ctx.Command.ArgsUsage == "" {
		return "no arguments"
	}
	return ctx.Command.ArgsUsage
}

// runGovSend plans a transaction, tells what it would do, asks, and signs, sends and awaits it, as far as flags let it.
func runGovSend(ctx *cli.Context, request govRequest) error {
	if wait := ctx.Duration(govWaitFlag.Name); wait < 0 {
		return fmt.Errorf("--%s %v is no time to wait: give 0 for not at all, or more", govWaitFlag.Name, wait)
	}
	settings, err := govSettings(ctx)
	if err != nil {
		return err
	}
	run, err := beginGov(ctx, settings)
	if err != nil {
		return err
	}
	if run.chain != nil {
		defer run.chain.Close()
	}
	plan, err := planGov(ctx, run, request, settings)
	if err != nil {
		return err
	}
	for _, sentence := range plan.Words {
		fmt.Fprintln(ctx.App.ErrWriter, sentence)
	}
	if ctx.Bool(govDryRunFlag.Name) {
		return program.Print(ctx, map[string]any{"from": plan.From, "to": plan.Tx.To(), "data": hexutil.Bytes(plan.Tx.Data()),
			"value": (*hexutil.Big)(plan.Tx.Value()),
			"gas":   plan.Tx.Gas(), "nonce": plan.Tx.Nonce(), "words": plan.Words}, func() error { return nil })
	}
	if err := confirm(ctx, plan); err != nil {
		return err
	}
	tx, err := plan.Sign(run.signer)
	if err != nil {
		return err
	}
	if ctx.Bool(govSignOnlyFlag.Name) {
		return printSignedVote(ctx, tx)
	}
	return sendGov(ctx, run.chain, plan, tx)
}

// beginGov finds the sender, and connects to the node unless flags leave nothing to ask for.
func beginGov(ctx *cli.Context, settings *governance.Settings) (*govRun, error) {
	addresses, err := govAddresses(ctx)
	if err != nil {
		return nil, err
	}
	signer, err := keys.NewSigner(ctx)
	if err != nil {
		return nil, err
	}
	run := &govRun{addresses: addresses, signer: signer}
	signOnly := ctx.Bool(govSignOnlyFlag.Name)
	if signOnly && !ctx.IsSet(attach.RPCFlag.Name) && settings.Complete() == nil {
		return run, nil
	}
	run.chain, err = dialGov(ctx, addresses)
	if err != nil && signOnly {
		hint := settings.Complete()
		if hint == nil {
			hint = fmt.Errorf("leave --%s out to sign without a node", attach.RPCFlag.Name)
		}
		err = fmt.Errorf("%w (%w)", err, hint)
	}
	return run, err
}

// planGov plans the transaction of a request, with a node or without one.
func planGov(
	ctx *cli.Context, run *govRun, request govRequest, settings *governance.Settings,
) (*governance.Plan, error) {
	wanted, err := request(ctx, run)
	if err != nil {
		return nil, err
	}
	if run.chain == nil {
		return governance.Offline(run.signer.Address(), wanted, settings, run.addresses)
	}
	return run.chain.Plan(ctx.Context, run.signer.Address(), wanted, settings)
}

// printSignedVote prints a transaction that is not sent.
func printSignedVote(ctx *cli.Context, tx *types.Transaction) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	return program.Print(ctx, map[string]any{"transaction": tx.Hash(), "raw": hexutil.Bytes(raw)}, func() error {
		_, err := fmt.Fprintln(ctx.App.Writer, hexutil.Encode(raw))
		return err
	})
}

// sendGov sends a transaction, waits for its block as long as the flag says, and prints the outcome.
func sendGov(ctx *cli.Context, chain *governance.Chain, plan *governance.Plan, tx *types.Transaction) error {
	wait := ctx.Duration(govWaitFlag.Name)
	sent := time.Now()
	if err := chain.Send(ctx.Context, tx, wait); err != nil {
		return err
	}
	if wait <= 0 {
		return program.Print(ctx, map[string]any{"transaction": tx.Hash()}, func() error {
			_, err := fmt.Fprintf(ctx.App.Writer, "Sent: transaction %v\n", tx.Hash())
			return err
		})
	}
	left := max(wait-time.Since(sent), time.Millisecond).Round(time.Millisecond)
	outcome, err := chain.Await(ctx.Context, plan, tx, left)
	if waiting, ok := errors.AsType[*governance.WaitingError](err); ok && ctx.Bool(program.JSONFlag.Name) {
		answer := map[string]any{"transaction": waiting.Transaction, "waiting": true, "result": err.Error()}
		err = errors.Join(program.Print(ctx, answer, nil), err)
	}
	if err != nil {
		return err
	}
	err = program.Print(ctx, outcome, func() error {
		lines := append(outcome.Effects, outcome.Result)
		_, err := fmt.Fprintf(ctx.App.Writer, "Transaction %v is in block %d.\n%s\n", outcome.Transaction, outcome.Block,
			strings.Join(lines, "\n"))
		return err
	})
	if err != nil {
		return err
	}
	return plan.Failed(outcome)
}

// confirm asks a person, unless they have answered beforehand.
func confirm(ctx *cli.Context, plan *governance.Plan) error {
	if ctx.Bool(govYesFlag.Name) {
		if len(plan.Doubts) > 0 && !ctx.Bool(govForceFlag.Name) {
			return fmt.Errorf("nothing was signed: --%s does not answer this warning; where it is meant, give --%s too: %s",
				govYesFlag.Name, govForceFlag.Name, plan.Doubts[0])
		}
		return nil
	}
	if !isatty.IsTerminal(os.Stdin.Fd()) {
		return fmt.Errorf("nothing was signed: there is no terminal to ask on; give --%s", govYesFlag.Name)
	}
	yes, err := prompt.Stdin.PromptConfirm("Sign this?")
	if err != nil {
		return fmt.Errorf("nothing was signed: %w", err)
	}
	if !yes {
		return errors.New("nothing was signed")
	}
	return nil
}
