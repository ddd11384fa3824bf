// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// typeNames are the types of transactions for a person.
var typeNames = map[uint64]string{
	0: "legacy", 1: "with access list (EIP-2930)", 2: "dynamic fee (EIP-1559)",
	4:    "with delegation of accounts (EIP-7702)",
	0x16: "fee-delegated",
}

// TypeName returns the type for a person.
func (t *Transaction) TypeName() string {
	if name, ok := typeNames[uint64(t.Type)]; ok {
		return fmt.Sprintf("%#x, %s", uint64(t.Type), name)
	}
	return fmt.Sprintf("%#x", uint64(t.Type))
}

// WriteText prints the transaction for a person: the summary first, then each part that it has.
func (t *Transaction) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\n\n", t.Named(t.Summary))
	if t.Hash != nil {
		fmt.Fprintf(table, "Transaction\t%v\n", *t.Hash)
	}
	fmt.Fprintf(table, "Status\t%s\n", t.Status)
	if t.Failure != nil {
		fmt.Fprintf(table, "Reason\t%s\n", t.Failure.Text)
		if t.Failure.Contract != nil {
			fmt.Fprintf(table, "Failed in\t%s\n", t.address(*t.Failure.Contract))
		}
	}
	if t.Block != nil {
		at := ""
		if t.Time > 0 {
			at = ", " + time.Unix(int64(t.Time), 0).UTC().Format(time.DateTime) + " UTC"
		}
		fmt.Fprintf(table, "Block\t%d%s\n", uint64(*t.Block), at)
	}
	if t.Status != Simulated && t.Hash != nil {
		fmt.Fprintf(table, "Type\t%s\n", t.TypeName())
	}
	fmt.Fprintf(table, "From\t%s\n", t.address(t.From))
	switch {
	case t.To != nil:
		fmt.Fprintf(table, "To\t%s\n", t.address(*t.To))
	case t.Creates != nil:
		fmt.Fprintf(table, "Creates\t%s\n", t.address(*t.Creates))
	}
	fmt.Fprintf(table, "Value\t%s\n", t.Value.Text)
	if t.Hash != nil {
		fmt.Fprintf(table, "Nonce\t%d\n", uint64(t.Nonce))
	}
	t.writeFee(table)
	if t.Call != nil {
		fmt.Fprintf(table, "\nCall\t%s%s\n", t.Call.Signature, guessed(t.Call.Guessed))
		writeArguments(table, t.Call.Arguments, t.Names)
	} else if len(t.Input) > 0 {
		fmt.Fprintf(table, "Input\t%s\n", shorten(hexutil.Encode(t.Input)))
	}
	for n, l := range t.Logs {
		t.writeLog(table, n, l)
	}
	for n, c := range t.Changes {
		if n == 0 {
			fmt.Fprintf(table, "\nBalance changes\n")
		}
		fmt.Fprintf(table, "  %s\t%s\n", t.address(c.Account), c.Text)
	}
	for _, note := range t.Notes {
		fmt.Fprintf(table, "\n%s\n", note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if t.Trace == nil {
		return nil
	}
	fmt.Fprintf(w, "\nCalls\n")
	return t.WriteCalls(w, "  ")
}

func (t *Transaction) writeFee(w io.Writer) {
	gas := fmt.Sprintf("limit %s", thousands(fmt.Sprint(t.GasLimit)))
	if t.GasUsed > 0 {
		gas = thousands(fmt.Sprint(t.GasUsed)) + " used"
		if t.GasLimit > 0 {
			gas += fmt.Sprintf(" of %s", thousands(fmt.Sprint(t.GasLimit)))
		}
	}
	fmt.Fprintf(w, "Gas\t%s\n", gas)
	switch {
	case t.Status == Pending || t.Status == Unsent:
		fmt.Fprintf(w, "Fee\tat most %s\n", t.Fee.Text)
	case t.Hash == nil:
		fmt.Fprintf(w, "Fee\t%s at the price of now\n", t.Fee.Text)
	default:
		fmt.Fprintf(w, "Fee\t%s\n", t.Fee.Text)
	}
	if t.Delegated() {
		fmt.Fprintf(w, "Fee payer\t%s\n", t.address(t.Payer))
	}
}

func (t *Transaction) writeLog(w io.Writer, n int, l Log) {
	if n == 0 {
		fmt.Fprintf(w, "\nLogs\n")
	}
	if l.Event == nil {
		fmt.Fprintf(w, "  %s\t%d topics, %d bytes: %s\n", t.address(l.Address), len(l.Topics), len(l.Data),
			shorten(hexutil.Encode(l.Data)))
		return
	}
	fmt.Fprintf(w, "  %s.%s%s\t%s\n", t.shortName(l.Address), l.Event.Name, guessed(l.Event.Guessed),
		t.Named(argumentText(l.Event.Arguments)))
}

func guessed(yes bool) string {
	if yes {
		return " (guessed)"
	}
	return ""
}

func writeArguments(w io.Writer, args []Argument, names map[common.Address]string) {
	for _, a := range args {
		text := textOf(a)
		if a.Type == "address" {
			if name := names[common.HexToAddress(text)]; name != "" {
				text += " (" + name + ")"
			}
		}
		fmt.Fprintf(w, "  %s\t%s\n", a.Name, text)
	}
}

// address returns an address with its name.
func (t *Transaction) address(a common.Address) string {
	if name := t.Names[a]; name != "" {
		return fmt.Sprintf("%s (%s)", a.Hex(), name)
	}
	return a.Hex()
}

// shortName returns the name of an address, or else its beginning and end.
func (t *Transaction) shortName(a common.Address) string {
	if name := t.Names[a]; name != "" {
		return name
	}
	return shortAddress(a)
}

func shortAddress(a common.Address) string {
	text := a.Hex()
	return text[:8] + "…" + text[len(text)-4:]
}

var addressPattern = regexp.MustCompile(`0x[0-9a-fA-F]{40}\b`)

// Named replaces addresses in a text by their names, as far as they have one.
func (t *Transaction) Named(text string) string {
	return addressPattern.ReplaceAllStringFunc(text, func(s string) string {
		if name := t.Names[common.HexToAddress(s)]; name != "" {
			return name
		}
		return s
	})
}

// Line returns the transaction in a line of a terminal: the summary with arguments and gas, and with names or the
// beginnings and ends of addresses.
func (t *Transaction) Line() string {
	return addressPattern.ReplaceAllStringFunc(t.line, func(s string) string {
		return t.shortName(common.HexToAddress(s))
	})
}

// WriteCalls prints the tree of calls, a call in a line, each line behind an indent.
func (t *Transaction) WriteCalls(w io.Writer, indent string) error {
	if t.Trace == nil {
		return nil
	}
	return t.writeFrame(w, t.Trace, indent, "", "")
}

func (t *Transaction) writeFrame(w io.Writer, f *Frame, indent, branch, below string) error {
	if _, err := fmt.Fprintf(w, "%s%s%s\n", indent, branch, t.frameLine(f)); err != nil {
		return err
	}
	for n, c := range f.Calls {
		next, under := "├─ ", "│  "
		if n == len(f.Calls)-1 && f.Omitted == 0 {
			next, under = "└─ ", "   "
		}
		if err := t.writeFrame(w, c, indent, below+next, below+under); err != nil {
			return err
		}
	}
	if f.Omitted > 0 {
		_, err := fmt.Fprintf(w, "%s%s└─ and %d more calls\n", indent, below, f.Omitted)
		return err
	}
	return nil
}

// frameLine describes a call: target, function with arguments, value, gas, and how it failed.
func (t *Transaction) frameLine(f *Frame) string {
	var text strings.Builder
	if f.Kind != "CALL" {
		text.WriteString(strings.ToLower(f.Kind) + " ")
	}
	if f.To != nil {
		text.WriteString(t.shortName(*f.To))
	}
	switch {
	case f.Call != nil:
		fmt.Fprintf(&text, ".%s(%s)", f.Call.Function, t.Named(joined(f.Call.Arguments, textOf)))
		if len(f.Call.Result) > 0 {
			text.WriteString(" -> " + t.Named(joined(f.Call.Result, textOf)))
		}
	case len(f.Input) >= selectorSize && !strings.HasPrefix(f.Kind, "CREATE"):
		fmt.Fprintf(&text, ".%#x", []byte(f.Input[:selectorSize]))
	}
	if f.Value != nil {
		text.WriteString(", with " + f.Value.Text)
	}
	fmt.Fprintf(&text, "  [%s gas]", thousands(fmt.Sprint(uint64(f.GasUsed))))
	if f.err != "" && f.Failure != nil {
		text.WriteString("  failed: " + f.Failure.Text)
	}
	return text.String()
}
