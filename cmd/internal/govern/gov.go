// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package govern

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
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
	govForceFlag = &cli.BoolFlag{Name: "force", Usage: "Try to execute even if the dry run fails, which takes one of " +
		"the proposal's attempts"}

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
		govYesFlag, govDryRunFlag, govSignOnlyFlag, govWaitFlag, govNonceFlag, govTipFlag, govFeeCapFlag, govGasFlag,
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
	Subcommands: []*cli.Command{
		{Name: "status", Usage: "Members, quorums, validators, gas tip, minters, supply, blacklist, authorized accounts",
			Flags: append([]cli.Flag{govLimitFlag}, govReadFlags...), Action: govStatus},
		{Name: "proposals", Usage: "List proposals that can be voted on or have to be closed",
			Flags:  append([]cli.Flag{govContractFlag, govAllFlag, govLimitFlag}, govReadFlags...),
			Action: govProposals},
		{Name: "show", Usage: "Show a proposal", ArgsUsage: "PROPOSAL", Flags: govReadFlags, Action: govShow},
		{Name: "propose", Usage: "Make a proposal", Subcommands: govProposeCommands, Action: govProposeNothing},
		govOnProposal("approve", "Vote for a proposal; the deciding vote tries to execute it", governance.Approve),
		govOnProposal("reject", "Vote against a proposal", governance.Reject),
		govOnProposal("cancel", "Take back an own proposal without votes of other members", governance.Cancel),
		govExecuteCommand,
		govOnProposal("expire", "Close a proposal whose time is over, so that its proposer can make others",
			governance.Expire),
		{Name: "validator", Usage: "The own validator", Subcommands: []*cli.Command{govConfigureCommand}},
		{Name: "change-member", Usage: "Hand the own place in a governance to another address, at once", ArgsUsage: "ADDRESS",
			Flags: append([]cli.Flag{govContractFlag}, govSendFlags...),
			Action: govSend(1, func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
				return withContractAnd(ctx, func(k governance.Contract, a common.Address) (*governance.Request, error) {
					return governance.ChangeMember(k, a), nil
				})
			})},
		{Name: "fund", Usage: "Send own coins to an account, such as an operator who was voted in",
			ArgsUsage: "ADDRESS AMOUNT", Flags: govSendFlags,
			Action: govSend(2, func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
				account, amount, err := accountAndAmount(ctx)
				if err != nil {
					return nil, err
				}
				return governance.Fund(account, amount), nil
			})},
		{Name: "refund", Usage: "Take back coins of burns that were not executed", Flags: govSendFlags,
			Action: govSend(0, func(*cli.Context, *govRun) (*governance.Request, error) {
				return governance.ClaimRefund(), nil
			})},
	},
}

// govRun is what a command that sends has found out before it makes its request.
type govRun struct {
	chain     *governance.Chain // nil without a node
	addresses governance.Addresses
	signer    governance.Signer
}

// govRequest makes what a command asks for.
type govRequest func(*cli.Context, *govRun) (*governance.Request, error)

var govProposeCommands = []*cli.Command{
	govPropose("gas-tip", "Set the gas tip", "AMOUNT", 1, func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
		tip, err := governance.ParseAmount(ctx.Args().First())
		if err != nil {
			return nil, err
		}
		return governance.GasTip(tip), nil
	}),
	govPropose("add-validator", "Add an operator, who then registers a validator", "OPERATOR", 1,
		func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
			operator, err := keys.ParseAddress(ctx.Args().First())
			if err != nil {
				return nil, err
			}
			quorum, err := govQuorum(ctx)
			if err != nil {
				return nil, err
			}
			return governance.AddValidator(ctx.Context, r.chain, operator, quorum)
		}, govQuorumFlag),
	govPropose("remove-validator", "Remove a validator together with its operator", "VALIDATOR", 1,
		func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
			named, err := keys.ParseAddress(ctx.Args().First())
			if err != nil {
				return nil, err
			}
			quorum, err := govQuorum(ctx)
			if err != nil {
				return nil, err
			}
			var operator common.Address
			if name := ctx.String(govOperatorFlag.Name); name != "" {
				if operator, err = keys.ParseAddress(name); err != nil {
					return nil, fmt.Errorf("--%s: %w", govOperatorFlag.Name, err)
				}
			}
			return governance.RemoveValidator(ctx.Context, r.chain, named, operator, quorum)
		}, govQuorumFlag, govOperatorFlag),
	govPropose("add-member", "Add a member to a governance", "ADDRESS", 1,
		func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
			return ofMember(ctx, r, governance.AddMember)
		}, govContractFlag, govQuorumFlag),
	govPropose("remove-member", "Remove a member from a governance", "ADDRESS", 1,
		func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
			return ofMember(ctx, r, governance.RemoveMember)
		}, govContractFlag, govQuorumFlag),
	govPropose("quorum", "Set how many approvals proposals of a governance need", "NUMBER", 1,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			return withContractNumber(ctx, 32,
				func(k governance.Contract, n uint64) *governance.Request { return governance.Quorum(k, uint32(n)) })
		}, govContractFlag),
	govPropose("max-proposals", "Set how many open proposals a member can have", "NUMBER", 1,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			return withContractNumber(ctx, 64, governance.MaxProposals)
		}, govContractFlag),
	govPropose("minter", "Let an account mint an amount, instead of what it may mint now", "ADDRESS AMOUNT", 2,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			account, amount, err := accountAndAmount(ctx)
			if err != nil {
				return nil, err
			}
			return governance.ConfigureMinter(account, amount), nil
		}),
	govPropose("remove-minter", "Let an account mint no more", "ADDRESS", 1,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			account, err := keys.ParseAddress(ctx.Args().First())
			if err != nil {
				return nil, err
			}
			return governance.RemoveMinter(account), nil
		}),
	govPropose("max-allowance", "Set the most that a minter can be allowed", "AMOUNT", 1,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			most, err := governance.ParseAmount(ctx.Args().First())
			if err != nil {
				return nil, err
			}
			return governance.MaxAllowance(most), nil
		}),
	govPropose("mint", "Mint coins for a deposit", "ADDRESS AMOUNT", 2,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			account, amount, err := accountAndAmount(ctx)
			if err != nil {
				return nil, err
			}
			return governance.Mint(govProof(ctx, account, amount))
		}, govIDFlag, govReferenceFlag, govMemoFlag, govTimestampFlag),
	govPropose("burn", "Burn own coins for a withdrawal", "AMOUNT", 1,
		func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
			amount, err := governance.ParseAmount(ctx.Args().First())
			if err != nil {
				return nil, err
			}
			return governance.Burn(govProof(ctx, r.signer.Address(), amount))
		}, govIDFlag, govReferenceFlag, govMemoFlag, govTimestampFlag),
	govPropose("pause", "Stop minting and burning, or the configuration of minters", "", 0,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			return withContract(ctx, func(k governance.Contract) (*governance.Request, error) {
				return governance.Pause(k, true)
			})
		}, govContractFlag),
	govPropose("unpause", "Let a paused contract go on", "", 0,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			return withContract(ctx, func(k governance.Contract) (*governance.Request, error) {
				return governance.Pause(k, false)
			})
		}, govContractFlag),
	govForAccounts("blacklist", "Put accounts on the blacklist", governance.Blacklist),
	govForAccounts("unblacklist", "Take accounts off the blacklist", governance.Unblacklist),
	withAlias("authorise", //nolint:misspell // the former name
		govForAccounts("authorize", "Authorize accounts", governance.Authorize)),
	withAlias("unauthorise", govForAccounts("unauthorize", "Revoke the authorization of accounts",
		governance.Unauthorize)),
}

// govProposeNothing answers "gwon gov propose" with nothing behind it.
func govProposeNothing(ctx *cli.Context) error {
	var names []string
	for _, c := range govProposeCommands {
		names = append(names, c.Name)
	}
	return fmt.Errorf("say what to propose: %s; see %s --help", strings.Join(names, ", "), program.CommandPath(ctx))
}

// withAlias lets a command answer to a former name too. Help shows it beside the name.
func withAlias(name string, command *cli.Command) *cli.Command {
	command.Aliases = append(command.Aliases, name)
	return command
}

func govPropose(name, usage, args string, count int, request govRequest, flags ...cli.Flag) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, ArgsUsage: args, Flags: append(flags, govSendFlags...),
		Action: govSend(count, request)}
}

// manyArguments stands for one or more.
const manyArguments = -1

func govForAccounts(name, usage string, request func([]common.Address) *governance.Request) *cli.Command {
	return govPropose(name, usage, "ADDRESS...", manyArguments,
		func(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
			accounts, err := keys.ParseAddresses(ctx.Args().Slice())
			if err != nil {
				return nil, err
			}
			return request(accounts), nil
		})
}

func govOnProposal(name, usage string, request func(governance.ID) *governance.Request) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, ArgsUsage: "PROPOSAL", Flags: govSendFlags,
		Action: govSend(1, func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
			id, err := govProposalID(ctx, r.chain)
			if err != nil {
				return nil, err
			}
			return request(id), nil
		})}
}

var govExecuteCommand = &cli.Command{
	Name: "execute", Usage: "Execute an approved proposal", ArgsUsage: "PROPOSAL",
	Flags: append([]cli.Flag{govFinalFlag, govForceFlag}, govSendFlags...),
	Action: govSend(1, func(ctx *cli.Context, r *govRun) (*governance.Request, error) {
		id, err := govProposalID(ctx, r.chain)
		if err != nil {
			return nil, err
		}
		return governance.Execute(id, ctx.Bool(govFinalFlag.Name), ctx.Bool(govForceFlag.Name)), nil
	}),
}

var govConfigureCommand = &cli.Command{
	Name:  "configure",
	Usage: "Register the sender's validator, or give it another key",
	Description: "The sender is an operator, a member of GovValidator. The validator's address, BLS key and proof " +
		"of possession come from its node key: --nodekey, or the data directory's. Where that is on another machine, " +
		`give what "gwon validator show" prints there.`,
	Flags:  slices.Concat(keys.RegistrationFlags, govSendFlags),
	Action: govSend(0, govConfigure),
}

func govConfigure(ctx *cli.Context, _ *govRun) (*governance.Request, error) {
	sealer, key, possession, err := keys.Registration(ctx)
	if err != nil {
		return nil, err
	}
	return governance.ConfigureValidator(sealer, key, possession)
}

// withContract needs --contract: a person in a hurry says what they mean.
func withContract(
	ctx *cli.Context, request func(governance.Contract) (*governance.Request, error),
) (*governance.Request, error) {
	if !ctx.IsSet(govContractFlag.Name) {
		return nil, fmt.Errorf("say which contract: --%s %s", govContractFlag.Name, govContractFlag.Usage)
	}
	k, err := governance.ParseContract(ctx.String(govContractFlag.Name))
	if err != nil {
		return nil, err
	}
	return request(k)
}

// memberRequest makes a request about an account and the quorum that holds with or without it.
type memberRequest func(
	context.Context, *governance.Chain, governance.Contract, common.Address, uint32,
) (*governance.Request, error)

func ofMember(ctx *cli.Context, r *govRun, request memberRequest) (*governance.Request, error) {
	return withContractAnd(ctx, func(k governance.Contract, account common.Address) (*governance.Request, error) {
		quorum, err := govQuorum(ctx)
		if err != nil {
			return nil, err
		}
		return request(ctx.Context, r.chain, k, account, quorum)
	})
}

func withContractAnd(
	ctx *cli.Context, request func(governance.Contract, common.Address) (*governance.Request, error),
) (*governance.Request, error) {
	return withContract(ctx, func(k governance.Contract) (*governance.Request, error) {
		account, err := keys.ParseAddress(ctx.Args().First())
		if err != nil {
			return nil, err
		}
		return request(k, account)
	})
}

// govQuorum returns the quorum that the user wants, 0 for none in particular.
func govQuorum(ctx *cli.Context) (uint32, error) {
	quorum := ctx.Uint(govQuorumFlag.Name)
	if ctx.IsSet(govQuorumFlag.Name) && quorum == 0 || uint64(quorum) > math.MaxUint32 {
		return 0, fmt.Errorf("--%s %d is no quorum", govQuorumFlag.Name, quorum)
	}
	return uint32(quorum), nil
}

func withContractNumber(
	ctx *cli.Context, bits int, request func(governance.Contract, uint64) *governance.Request,
) (*governance.Request, error) {
	return withContract(ctx, func(k governance.Contract) (*governance.Request, error) {
		n, err := strconv.ParseUint(ctx.Args().First(), 10, bits)
		if err != nil {
			return nil, fmt.Errorf("%q is no such number", ctx.Args().First())
		}
		return request(k, n), nil
	})
}

func accountAndAmount(ctx *cli.Context) (common.Address, *big.Int, error) {
	account, err := keys.ParseAddress(ctx.Args().Get(0))
	if err != nil {
		return common.Address{}, nil, err
	}
	amount, err := governance.ParseAmount(ctx.Args().Get(1))
	return account, amount, err
}

func govProof(ctx *cli.Context, account common.Address, amount *big.Int) *governance.Proof {
	at := ctx.Uint64(govTimestampFlag.Name)
	if !ctx.IsSet(govTimestampFlag.Name) {
		at = uint64(time.Now().Unix())
	}
	return &governance.Proof{Account: account, Amount: amount, Timestamp: at, ID: ctx.String(govIDFlag.Name),
		Reference: ctx.String(govReferenceFlag.Name), Memo: ctx.String(govMemoFlag.Name)}
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
		return program.NoSuchCommand(ctx)
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
		return program.NoSuchCommand(ctx)
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
			n, err := governance.ParseAmount(text)
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
			return fmt.Errorf("%s takes %s; see %s --help", program.CommandPath(ctx), argumentsOf(ctx), program.CommandPath(ctx))
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
	if err := confirm(ctx); err != nil {
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
	var waiting *governance.WaitingError
	if errors.As(err, &waiting) && ctx.Bool(program.JSONFlag.Name) {
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
func confirm(ctx *cli.Context) error {
	if ctx.Bool(govYesFlag.Name) {
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
