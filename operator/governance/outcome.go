// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
)

// receiptPoll is the interval of requests for a receipt.
const receiptPoll = 100 * time.Millisecond

// Outcome describes the effects of a transaction.
type Outcome struct {
	Transaction common.Hash `json:"transaction"`
	Block       uint64      `json:"block"`
	GasUsed     uint64      `json:"gasUsed"`
	Proposal    *Proposal   `json:"proposal,omitempty"` // created or changed proposal, after the transaction
	Effects     []string    `json:"effects"`            // sentences, in order
	Result      string      `json:"result"`             // one sentence
}

// resendPause is the time between two attempts on a full pool.
const resendPause = time.Second

// Send submits a signed transaction. While the node's pool is full it repeats the submission until patience is over.
func (c *Chain) Send(ctx context.Context, tx *types.Transaction, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for again := false; ; again = true {
		err := c.send(ctx, tx)
		var coded rpc.Error
		full := errors.As(err, &coded) && coded.ErrorCode() == rpc.CodeLimit
		switch {
		// the response to an earlier attempt may have been lost
		case err == nil, again && dial.Says(err, dial.Known):
			return nil
		case !full:
			return fmt.Errorf("%s does not take the transaction: %w", c.Endpoint, sentence(Contract{title: c.Endpoint}, err))
		case time.Until(deadline) < resendPause:
			return fmt.Errorf("%s does not take the transaction now, it is not sent: %w; try again later, or give a longer "+
				"--wait", c.Endpoint, err)
		}
		select {
		case <-time.After(resendPause):
		case <-ctx.Done():
			return fmt.Errorf("the transaction is not sent: %w", ctx.Err())
		}
	}
}

func (c *Chain) send(ctx context.Context, tx *types.Transaction) error {
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	return c.client.SendTransaction(ctx, tx)
}

// WaitingError means that a transaction was sent and its outcome is unknown.
type WaitingError struct {
	Transaction common.Hash
	text        string
	err         error // may be nil
}

func (e *WaitingError) Error() string { return e.text }
func (e *WaitingError) Unwrap() error { return e.err }

// Await waits for the receipt of a plan's transaction and returns its outcome. A failed transaction is an error.
func (c *Chain) Await(ctx context.Context, p *Plan, tx *types.Transaction, patience time.Duration) (*Outcome, error) {
	receipt, err := c.receipt(ctx, tx.Hash(), patience)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout)
	defer cancel()
	if receipt.Status != types.ReceiptStatusSuccessful {
		return nil, c.failure(ctx, p, tx, receipt)
	}
	if err := c.refresh(ctx); err != nil {
		return nil, err
	}
	c.Block = max(c.Block, receipt.BlockNumber.Uint64())
	out := &Outcome{Transaction: tx.Hash(), Block: receipt.BlockNumber.Uint64(), GasUsed: receipt.GasUsed,
		Effects: []string{}}
	id := p.Request.id
	for _, l := range receipt.Logs {
		name, fields := c.decode(l)
		if name == "ProposalCreated" && l.Address == c.Addresses.of(p.Request.Contract) {
			id = ID{p.Request.Contract, fields["proposalId"].(*big.Int).Uint64()}
		}
		if words := effect(name, fields); words != "" {
			out.Effects = append(out.Effects, words)
		}
	}
	if id.Number == 0 {
		out.Result = "Done."
		return out, nil
	}
	if out.Proposal, err = c.Proposal(ctx, id); err != nil {
		return nil, fmt.Errorf("the transaction %v is in block %d, but what became of %v is not known: %w", tx.Hash(),
			out.Block, id, err)
	}
	out.Result = out.Proposal.result()
	return out, nil
}

func (c *Chain) receipt(ctx context.Context, hash common.Hash, patience time.Duration) (*types.Receipt, error) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.Tick(receiptPoll)
	var last error
	for {
		receipt, err := c.client.TransactionReceipt(ctx, hash)
		if err == nil {
			return receipt, nil
		}
		if !errors.Is(err, ethereum.NotFound) && ctx.Err() == nil {
			last = err
		}
		select {
		case <-ticker:
		case <-ctx.Done():
			if last != nil {
				return nil, &WaitingError{hash, fmt.Sprintf("whether the transaction %v was executed is not known: %v; ask "+
					"for its receipt: %s", hash, last, ReceiptCommand(hash, c.Endpoint)), last}
			}
			return nil, &WaitingError{hash, fmt.Sprintf("the transaction %v was sent, and is in no block after %v; it may "+
				"still be executed, and a second one as well: ask for its receipt before trying again: %s", hash,
				time.Since(begun).Round(time.Millisecond), ReceiptCommand(hash, c.Endpoint)), nil}
		}
	}
}

// ReceiptCommand returns the command that shows whether a transaction is in a block, null while it is not.
func ReceiptCommand(hash common.Hash, endpoint string) string {
	return fmt.Sprintf(`gwon attach --exec 'eth.getTransactionReceipt("%v")' %s`, hash, endpoint)
}

// failure returns the reason of a failed transaction, as far as its repetition on the previous state shows it.
func (c *Chain) failure(ctx context.Context, p *Plan, tx *types.Transaction, receipt *types.Receipt) error {
	prefix := fmt.Sprintf("the transaction %v failed in block %v", tx.Hash(), receipt.BlockNumber)
	if receipt.GasUsed == tx.Gas() {
		return fmt.Errorf("%s: it took more than its %d gas; give --gas", prefix, tx.Gas())
	}
	look := ReceiptCommand(tx.Hash(), c.Endpoint)
	switch {
	case p.Request.id.Number != 0:
		look = fmt.Sprintf("gwon gov show %v", p.Request.id)
	case p.Request.kind == propose:
		look = "gwon gov proposals"
	}
	call := ethereum.CallMsg{From: p.From, To: tx.To(), Value: tx.Value(), Data: tx.Data()}
	before := new(big.Int).Sub(receipt.BlockNumber, common.Big1)
	_, err := c.client.CallContract(ctx, call, before)
	if err != nil {
		return fmt.Errorf("%s: %w; look with %s", prefix, sentence(p.Request.Contract, err), look)
	}
	// The transaction succeeds on the previous state, so an earlier one in the block has changed it. The state after the
	// block shows the effect.
	if _, err = c.client.CallContract(ctx, call, receipt.BlockNumber); err != nil {
		return fmt.Errorf("%s, where something else came first: %w; look with %s", prefix,
			sentence(p.Request.Contract, err), look)
	}
	return fmt.Errorf("%s: something else in that block came first; look with %s", prefix, look)
}

// Failed returns an error when the plan was to execute a proposal and the proposal was not executed. The transaction
// itself succeeds in that case.
func (p *Plan) Failed(out *Outcome) error {
	if p.Request.kind != execute || out.Proposal == nil || out.Proposal.Status == "executed" {
		return nil
	}
	return fmt.Errorf("%v was not executed: it is %s", out.Proposal.ID, out.Proposal.Status)
}

// result describes the state of a proposal.
func (p *Proposal) result() string {
	switch {
	case p.Status == "executed":
		return fmt.Sprintf("Proposal %v has %s and was executed.", p.ID, p.count())
	case p.Open && p.status == approved:
		return fmt.Sprintf("Proposal %v has %s, but could not be executed yet: gwon gov execute %v tries again, until %s.",
			p.ID, p.count(), p.ID, formatTime(p.ExpiresAt))
	case p.Open:
		return fmt.Sprintf("Proposal %v has %s. Members vote until %s: gwon gov approve %v.", p.ID, p.count(),
			formatTime(p.ExpiresAt), p.ID)
	default:
		return fmt.Sprintf("Proposal %v is %s; it had %s.", p.ID, p.Status, p.count())
	}
}

// decode decodes a log of a system contract: the event's name, empty if unknown, and its fields.
func (c *Chain) decode(l *types.Log) (string, map[string]any) {
	for k, contract := range interfaces() {
		if l.Address != c.Addresses.of(k) || len(l.Topics) == 0 {
			continue
		}
		event, err := contract.EventByID(l.Topics[0])
		if err != nil {
			continue
		}
		fields := map[string]any{"contract": k}
		var indexed abi.Arguments
		for _, in := range event.Inputs {
			if in.Indexed {
				indexed = append(indexed, in)
			}
		}
		if err := abi.ParseTopicsIntoMap(fields, indexed, l.Topics[1:]); err != nil {
			return "", nil
		}
		if err := contract.UnpackIntoMap(fields, event.Name, l.Data); err != nil {
			return "", nil
		}
		return event.Name, fields
	}
	return "", nil
}

// effects maps events to sentences. Events that accompany a vote or transfer have none.
var effects = map[string]string{
	"GasTipUpdated":                "The gas tip is {newTip} from the next block on; it was {oldTip}.",
	"MemberAdded":                  "{member} is a member of {contract}, one of {totalMembers}.",
	"MemberRemoved":                "{member} is no member of {contract} any more; {totalMembers} are left.",
	"MemberChanged":                "{newMember} is a member of {contract} in place of {oldMember}.",
	"QuorumUpdated":                "The quorum of {contract} is {newQuorum}; it was {oldQuorum}.",
	"MaxProposalsPerMemberUpdated": "A member of {contract} can have {newMax} open proposals; it was {oldMax}.",
	"MinterConfigured":             "{minter} may mint {allowance}.",
	"MinterRemoved":                "{minter} may mint no more.",
	"MaxMinterAllowanceUpdated":    "The most that a minter can be allowed has changed.",
	"EmergencyPaused":              "{contract} is paused.",
	"EmergencyUnpaused":            "{contract} goes on.",
	"Mint":                         "{amount} were minted to {to}.",
	"Burn":                         "{amount} were burnt.",
	"BurnPrepaid":                  "{user} handed over {amount}.",
	"BurnDepositRefunded":          "{requester} can take back {amount}: gwon gov refund.",
	"BurnRefundClaimed":            "{requester} took back {amount}.",
	"AddressBlacklisted":           "{account} is on the blacklist.",
	"AddressUnblacklisted":         "{account} is off the blacklist.",
	"AuthorizedAccountAdded":       "{account} is authorized.",
	"AuthorizedAccountRemoved":     "{account} is authorized no more.",
	"ProposalExecuted":             "The execution of {name}:{proposalId} failed, and took one of its attempts.",
	"ProposalFailed":               "{name}:{proposalId} has failed: {reason}.",
	"ProposalExecutionSkipped":     "Nothing was done about {account}: {reason}.",
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// effect describes an event; empty for one without a sentence. The coin repeats events of GovMasterMinter.
func effect(name string, f map[string]any) string {
	on := f["contract"].(Contract)
	repeated := strings.HasPrefix(name, "Minter") && on != MasterMinter
	if f["success"] == true || repeated {
		return ""
	}
	return placeholder.ReplaceAllStringFunc(effects[name], func(field string) string {
		field = strings.Trim(field, "{}")
		switch v := f[field].(type) {
		case Contract:
			return v.title
		case common.Address:
			return v.Hex()
		case string, []byte:
			return fmt.Sprintf("%q", v)
		case *big.Int:
			switch field {
			case "newTip", "oldTip":
				return formatGwei(v)
			case "amount", "allowance":
				return formatCoins(v)
			}
		}
		if field == "name" {
			return on.Name
		}
		return fmt.Sprint(f[field])
	})
}
