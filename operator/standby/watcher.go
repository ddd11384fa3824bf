// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package standby

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/time/rate"

	"gwon/internal/dial"
	"gwon/operator/governance"
	"gwon/operator/status"
)

const (
	lookEvery   = time.Second
	lookTimeout = 10 * time.Second
	planTimeout = time.Minute
	// rehearseEvery is the time between two registrations that are signed and not sent.
	rehearseEvery = 5 * time.Minute

	// A transaction that is in no block is sent again at a price that is higher by raisePercent. A pool takes a
	// replacement from 10 % on.
	raisePercent = 25

	reminder = time.Minute // between two equal log lines
)

var (
	readyGauge    = metrics.NewRegisteredGauge("gwon/standby/ready", nil)
	replacedGauge = metrics.NewRegisteredGauge("gwon/standby/replaced", nil)
	signsGauge    = metrics.NewRegisteredGauge("gwon/standby/signs", nil)
	switchMeter   = metrics.NewRegisteredCounter("gwon/standby/switches", nil)
	failedMeter   = metrics.NewRegisteredCounter("gwon/standby/failures", nil)
)

// Signer makes the signed transaction that registers the stand-by, and the same at a higher price.
type Signer interface {
	// Sign plans on the newest block, and says in words what the transaction does. It sends nothing.
	Sign(ctx context.Context) (tx *types.Transaction, words []string, err error)
	// Raise signs the transaction again at a price higher by percent; nil if it cannot.
	Raise(ctx context.Context, tx *types.Transaction, percent int64) (*types.Transaction, error)
}

// Config describes a Watcher.
type Config struct {
	Client   *rpc.Client // the node of the stand-by
	Operator common.Address
	Contract common.Address // GovValidator
	Rule     Rule
	Signer   Signer

	// RaiseAfter is how long a block may take before the transaction is sent again at a higher price. The default is 5 s.
	RaiseAfter time.Duration
}

// Watcher watches the validator of an operator. It is used by one goroutine, but for Last.
type Watcher struct {
	cfg  Config
	last atomic.Pointer[Verdict]

	seen int            // heads seen one after the other
	head uint64         // the last one
	at   time.Time      // when it was seen
	told string         // reason that was logged last
	line rate.Sometimes // of the log, with that reason

	unfit     string    // why the last registration or rehearsal failed, "" if it did not
	rehearsed time.Time // the last one
}

// New returns a Watcher.
func New(cfg Config) (*Watcher, error) {
	if cfg.Rule.Absence < LeastAbsence || cfg.Rule.Absence > MostAbsence {
		return nil, fmt.Errorf("an absence of %d blocks: give %d to %d", cfg.Rule.Absence, LeastAbsence, MostAbsence)
	}
	if cfg.RaiseAfter == 0 {
		cfg.RaiseAfter = 5 * time.Second
	}
	return &Watcher{cfg: cfg}, nil
}

// Last returns the newest verdict; nil before the first look.
func (w *Watcher) Last() *Verdict { return w.last.Load() }

// Run watches, and registers the stand-by when the validator is absent, until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	ticker := time.Tick(lookEvery)
	for {
		w.step(ctx)
		select {
		case <-ticker:
		case <-ctx.Done():
			return
		}
	}
}

// step looks once and acts.
func (w *Watcher) step(ctx context.Context) {
	view, err := w.Look(ctx)
	if ctx.Err() != nil {
		return
	}
	verdict := Verdict{Action: NotReady}
	if err != nil {
		w.seen = 0
		verdict.Reason = err.Error()
	} else {
		verdict = w.judge(view)
	}
	switch verdict.Action {
	case Switch:
		switchMeter.Inc(1)
		if w.unfit == "" {
			log.Warn("Validator absent, registering this stand-by", "reason", verdict.Reason)
		}
		if w.try(ctx, w.Replace); w.unfit != "" {
			failedMeter.Inc(1)
		}
		w.seen = 0 // the next decision needs new blocks
	case Watch:
		if time.Since(w.rehearsed) >= rehearseEvery {
			w.try(ctx, w.rehearse)
		}
	}
	// A failure stands until a try succeeds, so that an alert sees it.
	if w.unfit != "" && (verdict.Action == Switch || verdict.Action == Watch) {
		verdict = Verdict{NotReady, w.unfit}
	}
	w.tell(verdict)
}

// try makes a registration or rehearses it, and keeps why it failed.
func (w *Watcher) try(ctx context.Context, register func(context.Context) error) {
	w.unfit = ""
	if err := register(ctx); err != nil {
		w.unfit = "the registration fails: " + err.Error()
	}
	w.rehearsed = time.Now()
}

// rehearse does all that Replace does but the submission. It is given less time, in which no head is seen.
func (w *Watcher) rehearse(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	_, _, err := w.cfg.Signer.Sign(ctx)
	return err
}

// judge counts the heads and decides.
func (w *Watcher) judge(v *View) Verdict {
	switch {
	case v.Head <= w.head && v.Time.Sub(w.at) <= recentHead && w.seen > 0:
	case v.Head > w.head && v.Time.Sub(w.at) <= recentHead:
		w.seen, w.head, w.at = w.seen+1, v.Head, v.Time
	default: // a first look, or a gap
		w.seen, w.head, w.at = 1, v.Head, v.Time
	}
	signsGauge.Update(int64(v.Signs[v.Validator]))
	return w.cfg.Rule.Decide(v, w.seen)
}

// tell publishes a verdict, and logs it when it is new or old.
func (w *Watcher) tell(v Verdict) {
	w.last.Store(&v)
	readyGauge.Update(flag(v.Action != NotReady))
	replacedGauge.Update(flag(v.Action == Replaced))
	key := fmt.Sprint(v.Action)
	if v.Action == NotReady {
		key += strings.Map(noDigits, v.Reason) // a reason that only counts on is the same one
	}
	if key != w.told {
		w.told, w.line = key, rate.Sometimes{Interval: reminder}
	}
	w.line.Do(func() {
		switch v.Action {
		case NotReady:
			log.Error("Stand-by not ready", "reason", v.Reason)
		case Replaced:
			log.Info("Stand-by in place", "state", v.Reason)
		default:
			log.Info("Validator watched", "state", v.Reason)
		}
	})
}

func noDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return -1
	}
	return r
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// question is a call to a node and the place of its result.
type question struct {
	result any
	method string
	args   []any
}

// ask asks a node one question after the other.
func ask(ctx context.Context, node *rpc.Client, list []question) error {
	for _, q := range list {
		err := node.CallContext(ctx, q.result, q.method, q.args...)
		switch {
		case dial.LacksMethod(err):
			namespace, _, _ := strings.Cut(q.method, "_")
			return fmt.Errorf("the endpoint has no namespace %s: give that of the node's IPC, or add it to --http.api of "+
				"the node: %w", namespace, err)
		case err != nil:
			return fmt.Errorf("the node does not answer %s: %w", q.method, err)
		}
	}
	return nil
}

// Look asks the node for what the rule judges.
func (w *Watcher) Look(ctx context.Context) (*View, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	var (
		head    *dial.Head
		syncing any
		core    struct {
			Address common.Address
			status.Consensus
		}
		v = &View{Time: time.Now()}
	)
	err := ask(ctx, w.cfg.Client, []question{
		{&head, "eth_getBlockByNumber", []any{"latest", false}},
		{&syncing, "eth_syncing", nil},
		{&core, "istanbul_consensusStatus", nil},
	})
	if err != nil {
		return nil, err
	}
	v.Node, v.Silent = core.Address, core.Silent()
	if head == nil {
		return nil, errors.New("the node has no block")
	}
	v.Head, v.HeadTime = uint64(head.Number), head.Time()
	v.Syncing = syncing != false
	if v.Validator, err = governance.ValidatorOf(ctx, w.cfg.Client, w.cfg.Contract, w.cfg.Operator); err != nil {
		return nil, err
	}
	return v, w.lookBack(ctx, v)
}

// lookBack asks for the seals of the window.
func (w *Watcher) lookBack(ctx context.Context, v *View) error {
	v.From = 1
	if v.Head > w.cfg.Rule.Absence {
		v.From = v.Head - w.cfg.Rule.Absence + 1
	}
	if v.Head == 0 {
		return nil
	}
	var activity status.Activity
	err := ask(ctx, w.cfg.Client, []question{
		{&activity, "istanbul_status", []any{hexutil.Uint64(v.From), hexutil.Uint64(v.Head)}},
		{&v.First, "istanbul_getValidators", []any{hexutil.Uint64(v.From)}},
		{&v.Next, "istanbul_getValidators", []any{"pending"}},
	})
	if err != nil {
		return err
	}
	v.Signs, v.Sealed = activity.Signs(), activity.SealerActivity.PrevCommitted
	return nil
}

// Replace registers the stand-by as the validator of the operator, at a higher price while no block takes it. The set
// of validators changes with the next epoch.
func (w *Watcher) Replace(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, planTimeout)
	tx, words, err := w.cfg.Signer.Sign(limit)
	cancel()
	if err != nil {
		return err
	}
	for _, sentence := range words {
		log.Info("Registration", "of", sentence)
	}
	var sent []common.Hash
	for raises := 0; ; raises++ {
		failed := w.send(ctx, tx)
		if failed == nil || ctx.Err() != nil { // an answer that was not awaited
			sent = append(sent, tx.Hash())
		}
		switch receipt := w.await(ctx, sent); {
		case receipt == nil && ctx.Err() != nil && len(sent) > 0:
			return inNoBlock(sent, "yet")
		case receipt == nil:
		case receipt.Status != types.ReceiptStatusSuccessful:
			return fmt.Errorf("transaction %v failed in block %v", receipt.TxHash, receipt.BlockNumber)
		default:
			log.Info("Stand-by registered", "operator", w.cfg.Operator, "validator", w.cfg.Rule.Own, "number",
				receipt.BlockNumber, "transaction", receipt.TxHash)
			return nil
		}
		if len(sent) == 0 {
			return fmt.Errorf("the node does not take the transaction: %w", failed)
		}
		if raises == 10 { // times 9.3
			return inNoBlock(sent, fmt.Sprintf("after %d prices", raises+1))
		}
		limit, cancel := context.WithTimeout(ctx, planTimeout)
		raised, err := w.cfg.Signer.Raise(limit, tx, raisePercent)
		cancel()
		if err != nil {
			return err
		}
		if raised != nil {
			tx = raised
		}
	}
}

// inNoBlock describes transactions with one nonce that were sent.
func inNoBlock(sent []common.Hash, after string) error {
	last := sent[len(sent)-1]
	return fmt.Errorf("transaction %v is in no block %s, and may still be executed: ask for its receipt: %s", last, after,
		governance.ReceiptCommand(last, "ENDPOINT"))
}

// send submits a transaction.
func (w *Watcher) send(ctx context.Context, tx *types.Transaction) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return w.cfg.Client.CallContext(ctx, new(common.Hash), "eth_sendRawTransaction", hexutil.Bytes(raw))
}

// await waits for a receipt of one of the transactions, which share a nonce; nil if no block takes one in time.
func (w *Watcher) await(ctx context.Context, sent []common.Hash) *types.Receipt {
	ctx, cancel := context.WithTimeout(ctx, w.cfg.RaiseAfter)
	defer cancel()
	ticker := time.Tick(w.cfg.RaiseAfter / 20)
	for {
		for _, hash := range sent {
			var receipt *types.Receipt
			if err := w.cfg.Client.CallContext(ctx, &receipt, "eth_getTransactionReceipt", hash); err == nil && receipt != nil {
				return receipt
			}
		}
		select {
		case <-ticker:
		case <-ctx.Done():
			return nil
		}
	}
}

// Planned signs by the operator's key.
type Planned struct {
	Client    *rpc.Client
	Endpoint  string
	Addresses governance.Addresses
	Operator  governance.Signer
	Request   *governance.Request

	plan    *governance.Plan
	pending atomic.Bool // the signer has not answered
}

// Sign implements Signer.
func (p *Planned) Sign(ctx context.Context) (*types.Transaction, []string, error) {
	chain, err := governance.Attach(ctx, p.Client, p.Endpoint, p.Addresses)
	if err != nil {
		return nil, nil, err
	}
	if p.plan, err = chain.Plan(ctx, p.Operator.Address(), p.Request, new(governance.Settings)); err != nil {
		return nil, nil, err
	}
	tx, err := p.sign(ctx)
	return tx, p.plan.Words, err
}

// Raise implements Signer.
func (p *Planned) Raise(ctx context.Context, _ *types.Transaction, percent int64) (*types.Transaction, error) {
	p.plan = p.plan.Raise(percent)
	return p.sign(ctx)
}

// sign signs the plan. A signer in another program may ask a person, so the wait ends with ctx.
func (p *Planned) sign(ctx context.Context) (*types.Transaction, error) {
	if !p.pending.CompareAndSwap(false, true) {
		return nil, errors.New("the signer of the operator has not answered an earlier request")
	}
	type answer struct {
		tx  *types.Transaction
		err error
	}
	signed, plan := make(chan answer, 1), p.plan
	go func() {
		tx, err := plan.Sign(p.Operator)
		p.pending.Store(false)
		signed <- answer{tx, err}
	}()
	select {
	case a := <-signed:
		return a.tx, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the signer of the operator does not answer: %w", ctx.Err())
	}
}

// Presigned is a transaction that was signed beforehand, so that the operator's key is on no machine that runs. It is
// good as long as the operator sends nothing else, and up to its fee cap.
type Presigned struct {
	Client   *rpc.Client
	Tx       *types.Transaction
	Operator common.Address
	Contract common.Address
	Input    []byte // of the registration
}

// Sign implements Signer.
func (p *Presigned) Sign(ctx context.Context) (*types.Transaction, []string, error) {
	var (
		id    hexutil.Big
		nonce hexutil.Uint64
		head  dial.Head
	)
	err := ask(ctx, p.Client, []question{
		{&id, "eth_chainId", nil},
		{&nonce, "eth_getTransactionCount", []any{p.Operator, "pending"}},
		{&head, "eth_getBlockByNumber", []any{"latest", false}},
	})
	if err != nil {
		return nil, nil, err
	}
	sender, err := types.Sender(types.LatestSignerForChainID(id.ToInt()), p.Tx)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the signed transaction is not of chain %v: %w", id.ToInt(), err)
	case sender != p.Operator:
		return nil, nil, fmt.Errorf("the signed transaction is of %v, not of the operator %v", sender, p.Operator)
	case p.Tx.To() == nil || *p.Tx.To() != p.Contract || string(p.Tx.Data()) != string(p.Input):
		return nil, nil, errors.New("the signed transaction does not register this stand-by")
	case p.Tx.Nonce() != uint64(nonce):
		return nil, nil, fmt.Errorf("the signed transaction has the nonce %d, the next one of the operator is %d: sign "+
			"another", p.Tx.Nonce(), nonce)
	case head.BaseFee != nil && p.Tx.GasFeeCap().Cmp(new(big.Int).Add(head.BaseFee.ToInt(), p.Tx.GasTipCap())) < 0:
		return nil, nil, errors.New("the fee cap of the signed transaction is below the present price: sign another")
	}
	// The node executes it as it is, which finds an operator without coins, on the blacklist or no longer a member.
	call := map[string]any{
		"from": p.Operator, "to": p.Contract, "gas": hexutil.Uint64(p.Tx.Gas()), "value": (*hexutil.Big)(p.Tx.Value()),
		"maxFeePerGas": (*hexutil.Big)(p.Tx.GasFeeCap()), "maxPriorityFeePerGas": (*hexutil.Big)(p.Tx.GasTipCap()),
		"input": hexutil.Bytes(p.Tx.Data()),
	}
	if err := p.Client.CallContext(ctx, new(hexutil.Bytes), "eth_call", call, "latest"); err != nil {
		return nil, nil, fmt.Errorf("the signed transaction would not work: %w", err)
	}
	return p.Tx, []string{fmt.Sprintf("The transaction %v was signed beforehand.", p.Tx.Hash())}, nil
}

// Raise implements Signer.
func (p *Presigned) Raise(context.Context, *types.Transaction, int64) (*types.Transaction, error) {
	return nil, nil
}
