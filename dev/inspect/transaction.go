// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/dial"
	"gwon/params"
)

// Source answers JSON-RPC calls. A *rpc.Client of go-ethereum is one.
type Source interface {
	CallContext(ctx context.Context, result any, method string, args ...any) error
}

// Inspector decodes transactions of one network.
type Inspector struct {
	source Source // nil for an inspector that asks no node
	book   *Book

	// Explain returns the sentence behind an error of a system contract, "" for none. It may be nil.
	Explain func(name string) string
}

// New returns an inspector that asks a node and knows the contracts of a book. Without a source it decodes signed
// transactions alone, by what they contain.
func New(source Source, book *Book) *Inspector { return &Inspector{source: source, book: book} }

// The states of a transaction.
const (
	Succeeded = "succeeded"
	Failed    = "failed"
	Pending   = "pending"
	Unsent    = "unsent"    // decoded from its bytes
	Simulated = "simulated" // and would succeed
)

// Transaction is everything that is known of a transaction.
type Transaction struct {
	Summary string       `json:"summary"` // a sentence
	Status  string       `json:"status"`
	Hash    *common.Hash `json:"hash,omitempty"` // none for a simulation

	Type  hexutil.Uint64  `json:"type"`
	Block *hexutil.Uint64 `json:"block,omitempty"`
	Index *hexutil.Uint64 `json:"index,omitempty"`
	Time  uint64          `json:"time,omitempty"` // of the block, seconds since 1970

	From    common.Address  `json:"from"`
	To      *common.Address `json:"to,omitempty"`      // nil for a creation
	Creates *common.Address `json:"creates,omitempty"` // the contract's address
	Nonce   hexutil.Uint64  `json:"nonce"`
	Value   Amount          `json:"value"`
	Input   hexutil.Bytes   `json:"input"`
	Call    *Call           `json:"call,omitempty"`

	GasLimit uint64         `json:"gasLimit"`
	GasUsed  uint64         `json:"gasUsed,omitempty"`
	GasPrice string         `json:"gasPrice,omitempty"` // wei: the price paid, or the most that is offered
	FeeCap   string         `json:"maxFeePerGas,omitempty"`
	Tip      string         `json:"maxPriorityFeePerGas,omitempty"`
	Fee      Amount         `json:"fee"` // paid; the most that can be paid while it is not known
	Payer    common.Address `json:"feePayer"`

	Failure *Failure `json:"failure,omitempty"`
	Logs    []Log    `json:"logs"`
	Changes []Change `json:"balanceChanges"`
	Trace   *Frame   `json:"trace,omitempty"`
	Notes   []string `json:"notes,omitempty"` // what could not be found out, and why

	// Names are the names of the addresses above, as far as they have one.
	Names map[common.Address]string `json:"names"`

	line   string // the summary in full
	output []byte
	value  *big.Int
	fee    *big.Int
	known  *Interface // of the callee
	isCode bool       // the callee has code
}

// Delegated reports whether another account than the sender pays the fee.
func (t *Transaction) Delegated() bool { return t.Payer != t.From }

// Log is a log of a transaction.
type Log struct {
	Address  common.Address `json:"address"`
	Contract string         `json:"contract,omitempty"`
	Event    *Event         `json:"event,omitempty"`
	Topics   []common.Hash  `json:"topics"`
	Data     hexutil.Bytes  `json:"data"`
}

// Change is what an account gained or lost of the coin or of a token. Fees are part of it.
type Change struct {
	Account common.Address  `json:"account"`
	Token   *common.Address `json:"token,omitempty"` // nil for the coin
	Amount  string          `json:"amount"`          // in the smallest unit, with its sign
	Text    string          `json:"text"`
}

// Shown is a transaction as a node answers it.
type Shown struct {
	Hash        common.Hash     `json:"hash"`
	Type        hexutil.Uint64  `json:"type"`
	From        common.Address  `json:"from"`
	To          *common.Address `json:"to"`
	Value       *hexutil.Big    `json:"value"`
	Input       hexutil.Bytes   `json:"input"`
	Nonce       hexutil.Uint64  `json:"nonce"`
	Gas         hexutil.Uint64  `json:"gas"`
	GasPrice    *hexutil.Big    `json:"gasPrice"`
	FeeCap      *hexutil.Big    `json:"maxFeePerGas"`
	Tip         *hexutil.Big    `json:"maxPriorityFeePerGas"`
	FeePayer    *common.Address `json:"feePayer"`
	BlockNumber *hexutil.Uint64 `json:"blockNumber"`
	Index       *hexutil.Uint64 `json:"transactionIndex"`
}

// rpcReceipt is a receipt as a node answers it.
type rpcReceipt struct {
	Hash            common.Hash     `json:"transactionHash"`
	Status          hexutil.Uint64  `json:"status"`
	GasUsed         hexutil.Uint64  `json:"gasUsed"`
	GasPrice        *hexutil.Big    `json:"effectiveGasPrice"`
	ContractAddress *common.Address `json:"contractAddress"`
	Logs            []*types.Log    `json:"logs"`
}

// ErrUnknown is the error of a hash that the node knows no transaction of.
var ErrUnknown = errors.New("the node knows no such transaction")

// Options choose what is found out about a transaction.
type Options struct {
	Trace        bool // the tree of calls; for a failed transaction it is always asked for
	NoTrace      bool // not even for a failed transaction
	NoTokenNames bool // do not ask contracts for their symbols
}

// Transaction returns what a node knows of a transaction, in a block or in its pool.
func (i *Inspector) Transaction(ctx context.Context, hash common.Hash, o Options) (*Transaction, error) {
	var tx *Shown
	if err := i.source.CallContext(ctx, &tx, "eth_getTransactionByHash", hash); err != nil {
		return nil, fmt.Errorf("ask for transaction %v: %w", hash, err)
	}
	if tx == nil {
		return nil, fmt.Errorf("%v: %w", hash, ErrUnknown)
	}
	var receipt *rpcReceipt
	var header *dial.Head
	if tx.BlockNumber != nil {
		if err := i.source.CallContext(ctx, &receipt, "eth_getTransactionReceipt", hash); err != nil {
			return nil, fmt.Errorf("ask for the receipt of %v: %w", hash, err)
		}
		if err := i.source.CallContext(ctx, &header, "eth_getBlockByNumber", *tx.BlockNumber, false); err != nil {
			return nil, fmt.Errorf("ask for block %d: %w", uint64(*tx.BlockNumber), err)
		}
	}
	t := fromRPC(tx, receipt)
	if header != nil {
		t.Time = uint64(header.Timestamp)
	}
	var logs []*types.Log
	if receipt != nil {
		logs = receipt.Logs
	}
	i.complete(ctx, t, logs, o)
	return t, nil
}

// fromRPC joins a transaction and its receipt, which is nil for a pending one.
func fromRPC(tx *Shown, receipt *rpcReceipt) *Transaction {
	hash := tx.Hash
	t := &Transaction{
		Status: Pending, Hash: &hash, Type: tx.Type, Block: tx.BlockNumber, Index: tx.Index, From: tx.From, To: tx.To,
		Nonce: tx.Nonce, Input: tx.Input, GasLimit: uint64(tx.Gas), Payer: tx.From, value: toInt(tx.Value),
	}
	t.Value = NewAmount(t.value)
	if tx.FeePayer != nil {
		t.Payer = *tx.FeePayer
	}
	price := tx.GasPrice
	if tx.FeeCap != nil {
		t.FeeCap, t.Tip = tx.FeeCap.ToInt().String(), toInt(tx.Tip).String()
		if receipt == nil {
			price = tx.FeeCap
		}
	}
	gas := t.GasLimit
	if receipt != nil {
		t.Status, t.GasUsed = Failed, uint64(receipt.GasUsed)
		if receipt.Status == hexutil.Uint64(types.ReceiptStatusSuccessful) {
			t.Status = Succeeded
		}
		if receipt.GasPrice != nil {
			price = receipt.GasPrice
		}
		gas = t.GasUsed
		if tx.To == nil {
			t.Creates = receipt.ContractAddress
		}
	}
	t.setFee(toInt(price), gas)
	return t
}

func toInt(n *hexutil.Big) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n.ToInt()
}

func (t *Transaction) setFee(price *big.Int, gas uint64) {
	t.GasPrice = price.String()
	t.fee = new(big.Int).Mul(price, new(big.Int).SetUint64(gas))
	t.Fee = NewAmount(t.fee)
}

// Decode decodes a signed transaction from its bytes, and recovers its sender.
func Decode(raw []byte) (common.Address, *types.Transaction, error) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Address{}, nil, fmt.Errorf("these %d bytes are no signed transaction: %w", len(raw), err)
	}
	from, err := types.Sender(types.NewAnzeonSigner(tx.ChainId()), tx)
	if err != nil {
		return from, nil, fmt.Errorf("the sender's signature of the transaction does not fit: %w", err)
	}
	return from, tx, nil
}

// Raw decodes a signed transaction from its bytes, without sending it. With a source it asks for the interface of the
// callee.
func (i *Inspector) Raw(ctx context.Context, raw []byte) (*Transaction, error) {
	from, tx, err := Decode(raw)
	if err != nil {
		return nil, err
	}
	signer := types.NewAnzeonSigner(tx.ChainId())
	hash := tx.Hash()
	t := &Transaction{
		Status: Unsent, Hash: &hash, Type: hexutil.Uint64(tx.Type()), From: from, To: tx.To(),
		Nonce: hexutil.Uint64(tx.Nonce()), Input: tx.Data(), GasLimit: tx.Gas(), Payer: from, value: tx.Value(),
		Value: NewAmount(tx.Value()),
	}
	if tx.Type() >= types.DynamicFeeTxType {
		t.FeeCap, t.Tip = tx.GasFeeCap().String(), tx.GasTipCap().String()
	}
	if payer := tx.FeePayer(); payer != nil {
		t.Payer = *payer
		if err := types.VerifyFeePayer(signer, tx); err != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("The fee payer's signature is missing or wrong: %v.", err))
		}
	}
	if id := tx.ChainId(); id.Sign() > 0 {
		network := fmt.Sprintf("It is signed for chain %v", id)
		if n, ok := params.NetworkByID(id.Uint64()); ok && id.IsUint64() {
			network += fmt.Sprintf(", that of the WKRC %s", n.Name)
		}
		t.Notes = append(t.Notes, network+".")
	} else {
		t.Notes = append(t.Notes, "It is signed for no chain: any chain would take it.")
	}
	if t.To == nil {
		t.Creates = new(crypto.CreateAddress(from, tx.Nonce()))
	}
	t.setFee(tx.GasFeeCap(), tx.Gas())
	i.complete(ctx, t, nil, Options{NoTrace: true})
	return t, nil
}

// complete decodes everything that calls, logs and the trace say.
func (i *Inspector) complete(ctx context.Context, t *Transaction, logs []*types.Log, o Options) {
	look := i.newLook(ctx)
	if t.To != nil {
		t.known, t.isCode = look.at(*t.To)
	}
	if (o.Trace || t.Status == Failed) && !o.NoTrace && t.Block != nil {
		trace, err := i.trace(ctx, *t.Hash)
		if err != nil {
			t.Notes = append(t.Notes, note(err))
		} else {
			t.takeTrace(trace, look)
		}
	}
	t.decode(i, look, logs, o)
}

// decode fills what follows from the fields, the logs and the trace.
func (t *Transaction) decode(i *Inspector, look *look, logs []*types.Log, o Options) {
	if t.To != nil && (t.isCode || t.known != nil || i.source == nil) {
		t.Call = i.book.call(t.known, t.Input, t.output)
	}
	t.Logs = make([]Log, 0, len(logs))
	for _, l := range logs {
		known, _ := look.at(l.Address)
		entry := Log{Address: l.Address, Topics: l.Topics, Data: l.Data, Event: i.book.event(known, l)}
		if known != nil {
			entry.Contract = known.Name
		}
		t.Logs = append(t.Logs, entry)
	}
	t.Changes = t.changes(logs, look, o)
	t.Names = t.collectNames(i.book, look)
	t.Summary, t.line = t.summary(i.book, false), t.summary(i.book, true)
}

// changes sums up what accounts gained and lost by transfers and the fee. A transaction that is not in a block has
// none.
func (t *Transaction) changes(logs []*types.Log, look *look, o Options) []Change {
	type key struct{ account, token common.Address }
	sums, order := make(map[key]*big.Int), []key{}
	add := func(account, token common.Address, n *big.Int) {
		k := key{account, token}
		if sums[k] == nil {
			sums[k], order = new(big.Int), append(order, k)
		}
		sums[k].Add(sums[k], n)
	}
	list := []Change{}
	if t.Status == Pending || t.Status == Unsent {
		return list
	}
	for _, l := range logs {
		from, to, n, unique, ok := transfer(l)
		if !ok {
			continue
		}
		if unique {
			token := l.Address
			text := fmt.Sprintf("token %v of %s", n, look.symbol(token, o))
			list = append(list, Change{from, &token, "-1", "-1 " + text}, Change{to, &token, "1", "+1 " + text})
			continue
		}
		if from != (common.Address{}) {
			add(from, l.Address, new(big.Int).Neg(n))
		}
		if to != (common.Address{}) {
			add(to, l.Address, n)
		}
	}
	if t.Status != Simulated {
		add(t.Payer, params.NativeCoinAdapterAddress, new(big.Int).Neg(t.fee))
	}
	coins := make([]Change, 0, len(order))
	for _, k := range order {
		n := sums[k]
		if n.Sign() == 0 {
			continue
		}
		change := Change{Account: k.account, Amount: n.String()}
		if k.token == params.NativeCoinAdapterAddress {
			change.Text = signed(n, Coins(n))
		} else {
			token := k.token
			change.Token, change.Text = &token, signed(n, look.tokenAmount(token, n, o))
		}
		coins = append(coins, change)
	}
	slices.SortStableFunc(coins, func(x, y Change) int { // the coin first
		return boolInt(x.Token != nil) - boolInt(y.Token != nil)
	})
	return append(coins, list...)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func signed(n *big.Int, text string) string {
	if n.Sign() <= 0 {
		return text
	}
	if rest, about := strings.CutPrefix(text, "about "); about {
		return "about +" + rest
	}
	return "+" + text
}

// collectNames names every address that is shown.
func (t *Transaction) collectNames(b *Book, look *look) map[common.Address]string {
	names := make(map[common.Address]string)
	add := func(a common.Address) {
		if name := b.NameOf(a); name != "" {
			names[a] = name
		} else if known := look.known[a]; known != nil {
			names[a] = known.Name
		}
	}
	add(t.From)
	add(t.Payer)
	for _, a := range []*common.Address{t.To, t.Creates} {
		if a != nil {
			add(*a)
		}
	}
	for _, l := range t.Logs {
		add(l.Address)
		if l.Event != nil {
			addArguments(l.Event.Arguments, add)
		}
	}
	if t.Call != nil {
		addArguments(t.Call.Arguments, add)
	}
	for _, c := range t.Changes {
		add(c.Account)
		if c.Token != nil {
			add(*c.Token)
		}
	}
	if t.Trace != nil {
		t.Trace.walk(func(f *Frame) {
			add(f.From)
			if f.To != nil {
				add(*f.To)
			}
		})
	}
	return names
}

func addArguments(args []Argument, add func(common.Address)) {
	for _, a := range args {
		if text, ok := a.Value.(string); ok && a.Type == "address" {
			add(common.HexToAddress(text))
		}
	}
}
