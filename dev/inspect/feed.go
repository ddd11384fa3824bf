// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
)

// Block is a block with its transactions, decoded without traces.
type Block struct {
	Number       uint64         `json:"number"`
	Hash         common.Hash    `json:"hash"`
	Time         uint64         `json:"time"` // seconds since 1970
	Proposer     common.Address `json:"proposer"`
	GasUsed      uint64         `json:"gasUsed"`
	GasLimit     uint64         `json:"gasLimit"`
	BaseFee      string         `json:"baseFee"` // wei
	Size         uint64         `json:"size"`    // bytes
	Extra        hexutil.Bytes  `json:"-"`
	ParentHash   common.Hash    `json:"parentHash"`
	StateRoot    common.Hash    `json:"stateRoot"`
	Count        int            `json:"count"`        // of transactions
	Transactions []*Transaction `json:"transactions"` // the first ones, as many as were asked for
}

type rpcBlock = dial.Block[Shown]

// Block returns a block, nil when there is none of that number, with its first transactions, at most most.
func (i *Inspector) Block(ctx context.Context, number uint64, most int) (*Block, error) {
	var raw *rpcBlock
	if err := i.source.CallContext(ctx, &raw, "eth_getBlockByNumber", hexutil.Uint64(number), true); err != nil {
		return nil, fmt.Errorf("ask for block %d: %w", number, err)
	}
	if raw == nil {
		return nil, nil
	}
	b := &Block{
		Number: number, Hash: raw.Hash, Time: uint64(raw.Timestamp), Proposer: raw.Miner, GasUsed: uint64(raw.GasUsed),
		GasLimit: uint64(raw.GasLimit), BaseFee: toInt(raw.BaseFee).String(), Size: uint64(raw.Size), Extra: raw.Extra,
		ParentHash: raw.ParentHash, StateRoot: raw.StateRoot, Count: len(raw.Transactions), Transactions: []*Transaction{},
	}
	if len(raw.Transactions) == 0 || most == 0 {
		return b, nil
	}
	var receipts []*rpcReceipt
	if err := i.source.CallContext(ctx, &receipts, "eth_getBlockReceipts", hexutil.Uint64(number)); err != nil {
		return nil, fmt.Errorf("ask for the receipts of block %d: %w", number, err)
	}
	if len(receipts) != len(raw.Transactions) {
		return nil, fmt.Errorf("block %d has %d transactions and %d receipts", number, len(raw.Transactions), len(receipts))
	}
	look := i.newLook(ctx)
	for n := range raw.Transactions[:min(most, len(raw.Transactions))] {
		t := fromRPC(&raw.Transactions[n], receipts[n])
		t.Time = b.Time
		if t.To != nil {
			t.known, t.isCode = look.at(*t.To)
		}
		t.decode(i, look, receipts[n].Logs, Options{NoTokenNames: true})
		b.Transactions = append(b.Transactions, t)
	}
	return b, nil
}

// maxLines is the number of transactions of a block that a feed prints.
const maxLines = 20

// Feed prints a chain as it grows: a line for each block, one for each of its transactions, and for a failed one the
// reason and the tree of calls.
type Feed struct {
	Inspector *Inspector
	Out       io.Writer
	Traces    bool // the tree of calls of every transaction
	Color     bool // for a terminal
	Rewrite   bool // the line of a run of empty blocks is written again for each of them, not at its end: for a terminal

	last  uint64 // block that was printed
	time  uint64 // of that block
	hash  common.Hash
	empty emptyRun
}

// emptyRun is a run of empty blocks, which a feed writes on one line.
type emptyRun struct {
	first   uint64 // 0 for none
	longest uint64 // seconds between two blocks
	line    string // as written
}

// clearLine begins a line of a terminal again. A line with a return at its end is written again.
const clearLine = "\r\x1b[K"

// extend adds a block to the run of empty blocks, seconds after the one before it.
func (f *Feed) extend(number, seconds uint64) {
	f.empty.longest = max(f.empty.longest, seconds)
	blocks := "Block " + thousands(fmt.Sprint(number))
	if f.empty.first == 0 {
		f.empty.first = number
	} else {
		blocks = fmt.Sprintf("Blocks %s to %s", thousands(fmt.Sprint(f.empty.first)), thousands(fmt.Sprint(number)))
	}
	interval := ""
	if f.empty.longest > 1 {
		interval = fmt.Sprintf(", up to %v apart", time.Duration(f.empty.longest)*time.Second)
	}
	f.empty.line = f.paint(dim, blocks+": empty"+interval)
	if f.Rewrite {
		fmt.Fprint(f.Out, clearLine+f.empty.line+"\r")
	}
}

// endEmpty ends the run of empty blocks. Its line stays.
func (f *Feed) endEmpty() {
	if f.empty.first > 0 && f.Rewrite {
		fmt.Fprint(f.Out, clearLine)
	}
	if f.empty.first > 0 {
		fmt.Fprintln(f.Out, f.empty.line)
	}
	f.empty = emptyRun{}
}

// Colors of a terminal.
const (
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	plain = "\x1b[0m"
)

func (f *Feed) paint(color, text string) string {
	if !f.Color {
		return text
	}
	return color + text + plain
}

// Run prints blocks until ctx ends, which is no error, or the connection does.
func (f *Feed) Run(ctx context.Context, node *rpc.Client) error {
	heads := make(chan *types.Header, 64)
	subscription, err := node.EthSubscribe(ctx, heads, "newHeads")
	if err != nil {
		return fmt.Errorf("subscribe to new blocks: %w", err)
	}
	defer subscription.Unsubscribe()
	defer f.endEmpty()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-subscription.Err():
			if ctx.Err() != nil || err == nil {
				return nil
			}
			return fmt.Errorf("subscription to new blocks: %w", err)
		case head := <-heads:
			if err := f.block(ctx, head.Number.Uint64()); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// block prints a block, and those before it that were missed.
func (f *Feed) block(ctx context.Context, number uint64) error {
	first := number
	if f.last > 0 && f.last < number && number-f.last <= maxLines {
		first = f.last + 1
	}
	for n := first; n <= number; n++ {
		b, err := f.Inspector.Block(ctx, n, maxLines)
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		f.print(ctx, b)
		f.last, f.time = n, b.Time
	}
	return nil
}

func (f *Feed) print(ctx context.Context, b *Block) {
	if f.last > 0 && b.Number <= f.last && b.Hash != f.hash {
		f.endEmpty()
		fmt.Fprintln(f.Out, f.paint(dim, fmt.Sprintf("The chain went back to block %s", thousands(fmt.Sprint(b.Number-1)))))
	}
	f.hash = b.Hash
	follows := f.time > 0 && f.last+1 == b.Number
	if b.Count == 0 {
		if !follows {
			f.endEmpty()
			f.time = b.Time
		}
		f.extend(b.Number, b.Time-f.time)
		return
	}
	f.endEmpty()
	count := fmt.Sprintf("%d transactions", b.Count)
	if b.Count == 1 {
		count = "1 transaction"
	}
	interval := ""
	if follows && b.Time > f.time+1 {
		interval = fmt.Sprintf(", after %v", time.Duration(b.Time-f.time)*time.Second)
	}
	proposer := f.Inspector.book.NameOf(b.Proposer)
	if proposer == "" {
		proposer = shortAddress(b.Proposer)
	}
	gas := ""
	if b.GasLimit > 0 {
		gas = fmt.Sprintf(", %.1f %% of its gas", 100*float64(b.GasUsed)/float64(b.GasLimit))
		if b.GasUsed*1000 < b.GasLimit {
			gas = ", less than 0.1 % of its gas"
		}
	}
	fmt.Fprintf(f.Out, "Block %s by %s: %s%s%s\n", thousands(fmt.Sprint(b.Number)), proposer, count, gas, interval)
	for _, t := range b.Transactions {
		f.transaction(ctx, t)
	}
	if more := b.Count - len(b.Transactions); more > 0 {
		fmt.Fprintf(f.Out, "  and %d more\n", more)
	}
}

func (f *Feed) transaction(ctx context.Context, t *Transaction) {
	if t.Status == Failed || f.Traces {
		if traced, err := f.Inspector.Transaction(ctx, *t.Hash, Options{Trace: true}); err == nil {
			t = traced
		}
	}
	line := fmt.Sprintf("  %s  %s", t.Hash.TerminalString(), t.Line())
	if t.Status == Failed {
		line = f.paint(red, line)
	}
	fmt.Fprintln(f.Out, line)
	if t.Trace == nil || t.Status != Failed && !f.Traces {
		return
	}
	var calls strings.Builder
	if err := t.WriteCalls(&calls, "      "); err == nil {
		fmt.Fprint(f.Out, calls.String())
	}
}
