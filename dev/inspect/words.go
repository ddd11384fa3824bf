// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"gwon/params"
)

// deed is what a transaction does, in the forms that sentences need: "A" + past + rest, "A tried" + infinitive + rest.
type deed struct {
	who              common.Address
	past, infinitive string
	rest             string
	by               *common.Address // the sender, where another account is the subject
}

// summary returns the transaction in a sentence. Addresses in it are whole, so that readers can replace them by names.
// In full it has the arguments of the call and the gas, for readers who see nothing else.
func (t *Transaction) summary(b *Book, full bool) string {
	d := t.deed(b, full)
	who, by := d.who.Hex(), ""
	if d.by != nil {
		by = ", sent by " + d.by.Hex()
	}
	switch t.Status {
	case Succeeded:
		return fmt.Sprintf("%s %s%s%s; %s", who, d.past, d.rest, by, t.feeWords(full))
	case Failed:
		reason := ""
		if t.Failure != nil {
			reason = ": " + t.Failure.Text
		}
		if t.Hash == nil {
			return fmt.Sprintf("%s would fail to %s%s%s%s", who, d.infinitive, d.rest, by, reason)
		}
		return fmt.Sprintf("%s tried to %s%s%s and failed%s; %s", who, d.infinitive, d.rest, by, reason, t.feeWords(full))
	case Simulated:
		return fmt.Sprintf("%s would %s%s%s, for %s gas", who, d.infinitive, d.rest, by, thousands(fmt.Sprint(t.GasUsed)))
	case Pending:
		return fmt.Sprintf("%s waits to %s%s%s; %s", who, d.infinitive, d.rest, by, t.feeWords(full))
	}
	return fmt.Sprintf("%s wants to %s%s%s; %s", who, d.infinitive, d.rest, by, t.feeWords(full))
}

// feeWords says which fee is paid by whom.
func (t *Transaction) feeWords(full bool) string {
	gas := ""
	if full && t.GasUsed > 0 {
		gas = fmt.Sprintf(" for %s gas", thousands(fmt.Sprint(t.GasUsed)))
	}
	switch known := t.Status == Succeeded || t.Status == Failed; {
	case known && t.Delegated():
		return fmt.Sprintf("%s paid the fee of %s%s", t.Payer.Hex(), t.Fee.Text, gas)
	case known:
		return fmt.Sprintf("the fee was %s%s", t.Fee.Text, gas)
	case t.Delegated():
		return fmt.Sprintf("%s will pay a fee of at most %s", t.Payer.Hex(), t.Fee.Text)
	}
	return fmt.Sprintf("the fee will be at most %s", t.Fee.Text)
}

// deed finds out what a transaction does.
func (t *Transaction) deed(b *Book, full bool) deed {
	d := deed{who: t.From}
	switch {
	case t.To == nil:
		d.past, d.infinitive, d.rest = "created", "create", " a contract"
		if t.Creates != nil {
			d.rest = " the contract " + t.Creates.Hex()
		}
		if t.value.Sign() > 0 {
			d.rest += " with " + t.Value.Text
		}
		return d
	case t.Call != nil && !t.Call.Guessed && t.coinDeed(&d):
		return d
	case t.Call != nil && t.governanceDeed(&d):
		return d
	case t.Call != nil:
		d.past, d.infinitive, d.rest = "called", "call", fmt.Sprintf(" %s of %s", t.function(full), t.callee(b))
	case len(t.Input) == 0 && t.value.Sign() == 0 && !t.isCode:
		d.past, d.infinitive, d.rest = "sent", "send", fmt.Sprintf(" %s an empty transaction", t.To.Hex())
		return d
	case len(t.Input) == 0 || !t.isCode:
		d.past, d.infinitive, d.rest = "paid", "pay", fmt.Sprintf(" %s %s", t.To.Hex(), t.Value.Text)
		if t.value.Sign() == 0 {
			d.past, d.infinitive, d.rest = "sent", "send", fmt.Sprintf(" %s %d bytes", t.To.Hex(), len(t.Input))
		}
		return d
	default:
		d.past, d.infinitive, d.rest = "called", "call", " the contract "+t.callee(b)
	}
	if t.value.Sign() > 0 {
		d.rest += " with " + t.Value.Text
	}
	return d
}

// function names the function that is called, in full with its arguments.
func (t *Transaction) function(full bool) string {
	if !full {
		return t.Call.Function
	}
	return fmt.Sprintf("%s(%s)", t.Call.Function, argumentText(t.Call.Arguments))
}

// callee names the contract that is called: a system contract by its name, every other one by its address.
func (t *Transaction) callee(b *Book) string {
	if known := b.At(*t.To); known != nil {
		return known.Name
	}
	return t.To.Hex()
}

// coinDeed describes calls of the coin's contract that move coins or let others do so.
func (t *Transaction) coinDeed(d *deed) bool {
	if *t.To != params.NativeCoinAdapterAddress {
		return false
	}
	args := make(map[string]string)
	for _, a := range t.Call.Arguments {
		args[strings.Trim(a.Name, "_")] = textOf(a)
	}
	switch t.Call.Function {
	case "transfer":
		d.past, d.infinitive, d.rest = "paid", "pay", fmt.Sprintf(" %s %s", args["to"], args["value"])
	case "transferFrom", "transferWithAuthorization", "receiveWithAuthorization":
		d.who, d.by = common.HexToAddress(args["from"]), &t.From
		d.past, d.infinitive, d.rest = "paid", "pay", fmt.Sprintf(" %s %s", args["to"], args["value"])
	case "approve":
		d.past, d.infinitive = "allowed", "allow"
		d.rest = fmt.Sprintf(" %s to spend %s", args["spender"], args["value"])
	case "mint":
		d.past, d.infinitive, d.rest = "minted", "mint", fmt.Sprintf(" %s for %s", args["amount"], args["to"])
	case "burn":
		d.past, d.infinitive, d.rest = "burned", "burn", " "+args["amount"]
	default:
		return false
	}
	return !strings.Contains(d.rest, "  ") && !strings.HasSuffix(d.rest, " ")
}

// governanceDeed describes votes.
func (t *Transaction) governanceDeed(d *deed) bool {
	if t.Call.Guessed || len(t.Call.Arguments) != 1 || t.Call.Arguments[0].Name != "proposalId" {
		return false
	}
	words, ok := map[string][2]string{
		"approveProposal":    {"approved", "approve"},
		"disapproveProposal": {"rejected", "reject"},
		"executeProposal":    {"executed", "execute"},
		"cancelProposal":     {"canceled", "cancel"},
		"expireProposal":     {"closed the expired", "close the expired"},
	}[t.Call.Function]
	if !ok {
		return false
	}
	d.past, d.infinitive = words[0], words[1]
	d.rest = fmt.Sprintf(" proposal %s of %s", textOf(t.Call.Arguments[0]), t.Call.Contract)
	return true
}
