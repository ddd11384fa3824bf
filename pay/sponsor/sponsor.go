// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/time/rate"

	"gwon/internal/dial"
	"gwon/internal/door"
	"gwon/internal/follow"
	"gwon/internal/start"
	"gwon/internal/txobject"
	"gwon/params"
	"gwon/pay/sponsor/x402"
	"gwon/pay/txsign"
)

const (
	maxTxSize    = params.MaxTransactionBytes - 128 // bytes of a sender's transaction: the rest is the fee payer's part
	maxLookups   = 5                                // of a nonce, when blocks come in between
	signedCached = 1 << 16                          // signed transactions in memory, for look-ups and repetitions

	refusalLogInterval = time.Minute // between log lines about refusals of the node
)

// Sponsor judges, reserves, signs, submits and settles. It is safe for concurrent use.
type Sponsor struct {
	config  atomic.Pointer[Config]
	node    *rpc.Client
	http    *http.Client // of node
	lookups *lookups
	passed  *passing // questions of callers
	chainID *big.Int
	books   *Books
	payers  *payers
	audit   *auditLog
	metrics *meters
	hooks   *http.Client
	signed  *lru.Cache[common.Hash, *txsign.Signed] // by the sender's hash
	senders *lru.Cache[common.Hash, common.Hash]    // the sender's hash by that on the chain, of what was signed
	limits  *limiters
	turns   *door.Queue[common.Hash] // of what is submitted, by the sender's hash
	answers *door.Account            // KiB of answers that are made or not read yet
	x402    *x402.Facilitator        // nil when it is off
	coin    coin

	fees      atomic.Pointer[fees]
	head      *announcer
	following atomic.Bool    // the node answers, and its blocks are read
	submitted atomic.Bool    // what was open at the last interruption was submitted again
	unsent    atomic.Bool    // signer or node gave no answer, so that a reservation may not have been submitted
	refusals  rate.Sometimes // log lines about refusals of the node

	// Of the follower alone:
	chain   follow.Follower[blockTx]
	last    follow.Place  // in the books
	settled []hexutil.Big // balances of the payers after that block, nil where they were not read
	mover   mover

	ended   chan error // another chain, which ends the sponsor
	stop    func()
	done    sync.WaitGroup
	closers start.Closers
}

// fees are those of the newest block, in wei for a unit of gas, with its time in seconds since 1970.
type fees struct {
	baseFee, tip *big.Int
	gasLimit     uint64
	time         uint64
}

// announcer wakes those who wait for the next block.
type announcer struct{ c atomic.Pointer[chan struct{}] }

func newAnnouncer() *announcer {
	a, c := new(announcer), make(chan struct{})
	a.c.Store(&c)
	return a
}

func (a *announcer) next() <-chan struct{} { return *a.c.Load() }

func (a *announcer) announce() {
	c := make(chan struct{})
	close(*a.c.Swap(&c))
}

// New connects to the node, opens books and payers, and follows the chain. The caller closes the result.
func New(ctx context.Context, c *Config) (*Sponsor, error) {
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	s.following.Store(true)
	following, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() { s.follow(following) })
	return s, nil
}

// open connects to the node, and opens books and payers. Blocks are read by catchUp alone.
func open(ctx context.Context, c *Config) (*Sponsor, error) {
	s := &Sponsor{
		payers: &payers{}, metrics: &meters{refusals: make(map[string]uint64)}, limits: newLimiters(),
		hooks:   newHTTPClient(2 * time.Second),
		signed:  lru.NewCache[common.Hash, *txsign.Signed](signedCached),
		turns:   door.NewLocks[common.Hash](),
		answers: door.NewAccount(door.Bound{Own: maxWritten / shareOf, Sum: maxWritten}),
		senders: lru.NewCache[common.Hash, common.Hash](signedCached),
		head:    newAnnouncer(), http: newHTTPClient(0), // calls have their own limits of time
		ended: make(chan error, 1), stop: func() {}, refusals: rate.Sometimes{Interval: refusalLogInterval},
	}
	s.mover = mover{s: s, tries: make(map[common.Address]*try)}
	s.chain = follow.Follower[blockTx]{
		Block: s.header, Every: followInterval, Pause: followInterval, Most: followPause,
		Final:  func(err error) bool { return errors.Is(err, follow.ErrOtherChain) },
		Report: func(err error, _ time.Duration) { log.Warn("Node not followed", "block", s.last.Number+1, "err", err) },
	}
	s.config.Store(c)
	if err := s.openAll(ctx, c); err != nil {
		return nil, errors.Join(err, s.closers.Close())
	}
	return s, nil
}

// openAll opens what a sponsor uses. What was opened before an error is closed by the closers.
func (s *Sponsor) openAll(ctx context.Context, c *Config) (err error) {
	if s.books, err = OpenBooks(c.Data); err != nil {
		return err
	}
	s.closers.Add(s.books.Close)
	if err = s.interrupted(); err != nil {
		return err
	}
	if s.audit, err = openAudit(filepath.Join(c.Data, "audit.jsonl")); err != nil {
		return err
	}
	s.closers.Add(s.audit.close)
	s.books.audit = s.audit.write
	if s.payers.lines, err = linesOf(ctx, c, s.books); err != nil {
		return err
	}
	node, err := dial.Open(ctx, c.Node, dial.Options{Transport: s.http.Transport})
	if err != nil {
		return fmt.Errorf("connect to the node: %w", err)
	}
	s.node = node.Client
	s.closers.Add(func() error { s.node.Close(); s.http.CloseIdleConnections(); return nil })
	if s.passed, err = newPassing(ctx, c.Node, s.http.Transport); err != nil {
		return err
	}
	s.closers.Add(func() error { s.passed.node.Close(); return nil })
	s.lookups = newLookups(s.batch)
	s.closers.Add(func() error { s.lookups.close(); return nil })
	if err := s.bind(ctx); err != nil {
		return err
	}
	if c.X402.on() {
		if s.x402, err = x402.Open(filepath.Join(c.Data, "x402.db")); err != nil {
			return err
		}
		s.closers.Add(s.x402.Close)
	}
	return nil
}

// Ended has the error that ended the sponsor by itself: its node is on another chain than the books.
func (s *Sponsor) Ended() <-chan error { return s.ended }

// StopFollowing ends the reading of blocks: nothing is sponsored or settled any more.
func (s *Sponsor) StopFollowing() { s.stop() }

// Close ends the sponsor. Requests have to have ended before.
func (s *Sponsor) Close() error {
	s.stop()
	s.done.Wait()
	return s.closers.Close()
}

// Reload takes the policies of a configuration. What needs a new start is an error, and nothing changes then.
func (s *Sponsor) Reload(c *Config) error {
	old := s.config.Load()
	if c.Listen != old.Listen || c.Metrics != old.Metrics || c.Node != old.Node || c.Data != old.Data {
		return errors.New("listen, metrics, node and data change at a start alone: end the sponsor and start it again")
	}
	if !slices.Equal(c.CORS, old.CORS) {
		return errors.New("cors changes at a start alone: end the sponsor and start it again")
	}
	if c.X402.on() != old.X402.on() {
		return errors.New("x402 is switched on and off at a start alone: end the sponsor and start it again")
	}
	if !reflect.DeepEqual(c.Payers, old.Payers) {
		return errors.New("payers change at a start alone: end the sponsor and start it again")
	}
	if err := s.audit.reopen(); err != nil {
		return err
	}
	s.config.Store(c)
	return nil
}

// findKey returns the policy of an API key, nil for none. Every hash is compared, each in constant time.
func (c *Config) findKey(key string) *Key {
	sum := sha256.Sum256([]byte(key))
	var found *Key
	for _, k := range c.Keys {
		switch {
		case k.Hash == nil:
			if key == "" {
				found = k
			}
		case subtle.ConstantTimeCompare(k.Hash[:], sum[:]) == 1 && key != "":
			found = k
		}
	}
	return found
}

// Send has a sender's transaction paid and submitted, and returns the sender's hash, as it does again for the same one.
func (s *Sponsor) Send(ctx context.Context, k *Key, raw []byte, client string) (common.Hash, error) {
	return s.send(ctx, &caller{k, client}, raw, common.Address{})
}

// send is Send. The limits of a sender are those of the customer, where there is one.
func (s *Sponsor) send(ctx context.Context, who *caller, raw []byte, customer common.Address) (common.Hash, error) {
	sender, err := s.parse(raw)
	if err != nil {
		return common.Hash{}, err
	}
	end, err := s.turns.Take(ctx, sender.Hash)
	if err != nil {
		return common.Hash{}, err
	}
	defer end()
	r, fresh, err := s.decide(ctx, who, sender, customer, false)
	if err != nil {
		return common.Hash{}, err
	}
	if r == nil {
		return sender.Hash, nil // is in a block
	}
	// A client that goes away must not leave a reservation without a submission.
	ctx = context.WithoutCancel(ctx)
	_, err = s.signAndSubmit(ctx, sender, r)
	var refused *submissionRefused
	if errors.As(err, &refused) {
		_, now, bookErr := s.books.Find(sender.Hash)
		if bookErr != nil {
			return common.Hash{}, bookErr
		}
		if now != nil && now.Payer != r.Payer { // its coins have moved away meanwhile
			_, err = s.signAndSubmit(ctx, sender, now)
		}
	}
	if fresh && errors.As(err, &refused) && dial.Begins(refused.cause, refusals...) {
		err = s.takeBack(sender, refused)
	}
	if err != nil {
		if !errors.As(err, new(*Refusal)) {
			s.metrics.failed.Add(1)
		}
		return common.Hash{}, err
	}
	return sender.Hash, nil
}

// submissionRefused is the error of a submission that the node has answered with an error.
type submissionRefused struct {
	callError
	cause error
}

func newSubmissionRefused(cause error, text string) *submissionRefused {
	return &submissionRefused{callError{codeRejected, cause.Error() + ": " + text,
		refuse("node", nil, cause.Error(), "the node refused the sponsored transaction")}, cause}
}

// takeBack releases what the node has refused at its first submission. The signature has not left the sponsor before,
// and the node keeps nothing of it: nobody can submit it any more.
func (s *Sponsor) takeBack(sender *txsign.Signed, refused *submissionRefused) error {
	s.signed.Remove(sender.Hash)
	if err := s.books.Release(sender.Hash, refused.cause.Error()); err != nil {
		return err
	}
	if dial.Begins(refused.cause, refusalsOfSender...) {
		return refuse("pending", nil, refused.cause.Error(), "another transaction of the sender waits: wait until a block "+
			"has it, or replace it by one whose fee fields are a tenth higher")
	}
	return newSubmissionRefused(refused.cause, "nothing stays reserved")
}

// Sign has a sender's transaction signed by a payer, without submitting it. It stays reserved until the nonce is used.
func (s *Sponsor) Sign(ctx context.Context, k *Key, raw []byte, client string) ([]byte, error) {
	if !k.Sign {
		return nil, refuse("sign", "false", nil, "this key has transactions submitted by the sponsor alone")
	}
	sender, err := s.parse(raw)
	if err != nil {
		return nil, err
	}
	end, err := s.turns.Take(ctx, sender.Hash)
	if err != nil {
		return nil, err
	}
	defer end()
	r, _, err := s.decide(ctx, &caller{k, client}, sender, common.Address{}, true)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, refuse("nonce", nil, sender.Tx.Nonce(), "the transaction is in a block already")
	}
	signed, err := s.cosign(ctx, sender, r)
	if err != nil {
		return nil, err
	}
	return signed.Raw, nil
}

// decide judges a transaction and reserves its cost. It returns no reservation for one that is in a block. The caller
// has the turn of the transaction. fresh reports that nobody has had the payer's signature yet.
func (s *Sponsor) decide(
	ctx context.Context, who *caller, sender *txsign.Signed, customer common.Address, signOnly bool,
) (r *reservation, fresh bool, err error) {
	found, open, err := s.books.Find(sender.Hash)
	if err != nil {
		return nil, false, err
	}
	if found != nil && found.State != stateReleased {
		return open, false, nil
	}
	r, refusal, err := s.reserve(ctx, who, sender, customer, signOnly)
	switch {
	case errors.Is(err, errAudit):
		return nil, false, refuseUnwritten()
	case err != nil:
		return nil, false, err
	case refusal != nil:
		err := s.audit.write(auditLine{
			Event: "refused", Label: who.key.Label, Client: who.address, Sender: &sender.Sender,
			SenderHash: sender.Hash, To: sender.Tx.To(),
			Cost: txsign.FormatCoins(txobject.Of(sender.Sender, sender.Tx).Cost()),
			Rule: refusal.Rule, Reason: refusal.Text,
		})
		if err != nil {
			refusal = refuseUnwritten()
		}
		return nil, false, refusal
	}
	s.metrics.reserved.Add(1)
	return r, true, nil
}

func (s *Sponsor) parse(raw []byte) (*txsign.Signed, error) {
	if len(raw) > maxTxSize {
		return nil, refuse("size", maxTxSize, len(raw), "the transaction has more bytes than nodes take with a fee payer")
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, invalidParams("signed transaction of %d bytes: %v", len(raw), err)
	}
	if tx.Type() != types.DynamicFeeTxType {
		return nil, refuseType(uint64(tx.Type()))
	}
	if tx.ChainId().Cmp(s.chainID) != 0 {
		return nil, refuse("chain", s.chainID.String(), tx.ChainId().String(), "the transaction is for another chain")
	}
	sender, err := txsign.NewSigned(tx)
	if err != nil {
		return nil, invalidParams("%v", err)
	}
	return sender, nil
}

// reserve applies all rules, the cheap ones first, and the budgets last.
func (s *Sponsor) reserve(
	ctx context.Context, who *caller, sender *txsign.Signed, customer common.Address, signOnly bool,
) (*reservation, *Refusal, error) {
	k, now := who.key, time.Now()
	request := txobject.Of(sender.Sender, sender.Tx)
	if refusal := k.refuse(request, now); refusal != nil {
		return nil, refusal, nil
	}
	if refusal := s.fees.Load().refuseForm(request); refusal != nil {
		return nil, refusal, nil
	}
	if refusal := s.fees.Load().refuseFeeCap(k, request); refusal != nil {
		return nil, refusal, nil
	}
	if !s.following.Load() {
		return nil, refuseAway(), nil
	}
	if refusal := s.refuseHook(ctx, k, request, sender.Hash); refusal != nil {
		return nil, refusal, nil
	}
	to := []byte{}
	if request.To != nil {
		to = request.To.Bytes()
	}
	w := &want{
		key: k, sender: sender.Sender, nonce: sender.Tx.Nonce(), hash: sender.Hash, choose: s.chooser(),
		client: who.address,
		reservation: reservation{
			Label: k.Label, Day: dayOf(now), Cost: request.Cost(), To: to, Raw: sender.Raw, SignOnly: signOnly,
			Customer: customer,
		},
	}
	for i := range maxLookups {
		next := s.head.next()
		r, refusal, err := s.reserveAtHead(ctx, w, request)
		switch {
		case errors.Is(err, errBlockBetween):
		case i < maxLookups-1 && refusal != nil && refusal.Rule == "payer_balance" &&
			s.payers.moving(s.fees.Load().moveFee()): // a block brings the coins of the payer before
			select {
			case <-next:
			case <-ctx.Done():
				return nil, refusal, nil
			}
		default:
			return r, refusal, err
		}
	}
	return nil, nil, errors.New("blocks come faster than the node answers: try again")
}

// reserveAtHead looks the nonce up, and reserves if no block has come in between.
func (s *Sponsor) reserveAtHead(ctx context.Context, w *want, r *txobject.Transaction) (
	*reservation, *Refusal, error,
) {
	var err error
	if w.after, err = s.books.Newest(); err != nil {
		return nil, nil, err
	}
	refusal, err := s.refuseState(ctx, w, r)
	if refusal == nil && err == nil {
		refusal, err = s.refuseFailure(ctx, w, r)
	}
	if refusal != nil || err != nil {
		return nil, refusal, err
	}
	return s.books.Reserve(w)
}

// refuseGas finds a gas limit that no block has.
func (f *fees) refuseGas(gas uint64) *Refusal {
	if gas <= f.gasLimit {
		return nil
	}
	return refuse("gas", f.gasLimit, gas, "the gas limit is above that of a block, so that nodes refuse the transaction")
}

// defaultFeeCapText explains highestFeeCap.
const defaultFeeCapText = "2.5 x (2 x base fee + tip) when it is submitted"

// highestFeeCap is the default of max_fee_per_gas: 2.5 times the fee cap that this sponsor fills in. viem writes up to
// twice what is filled in, and the base fee falls by 2 % a block until a client submits.
func (f *fees) highestFeeCap() *big.Int {
	c := f.cap()
	return c.Rsh(c.Mul(c, big.NewInt(5)), 1)
}

// refuseFeeCap applies the default of max_fee_per_gas. What is above it is reserved in vain.
func (f *fees) refuseFeeCap(k *Key, r *txobject.Transaction) *Refusal {
	highest := f.highestFeeCap()
	if k.MaxFeePerGas != nil || r.GasFeeCap.Cmp(highest) <= 0 {
		return nil
	}
	return refuse("max_fee_per_gas", highest, r.GasFeeCap, "the fee cap is far above what blocks take now")
}

// chooser returns payers for the policies in force.
func (s *Sponsor) chooser() chooser {
	policies := 0
	for _, k := range s.config.Load().Keys {
		if !k.Inactive {
			policies++
		}
	}
	return s.payers.chooser(policies)
}

func refuseUnwritten() *Refusal {
	return outage("audit", "the audit log cannot be written: try again later")
}

func refuseAway() *Refusal {
	return outage("node", "the node of the sponsor does not answer, or the books cannot be written: try again later")
}

// refuseForm finds what no block can contain. Its cost would stay reserved for ever.
func (f *fees) refuseForm(r *txobject.Transaction) *Refusal {
	if gas := r.LeastGas(); r.Gas < gas {
		return refuse("gas", gas, r.Gas, "the gas limit is below what the transaction needs at least")
	}
	if refusal := f.refuseGas(r.Gas); refusal != nil {
		return refusal
	}
	if r.GasTipCap.Cmp(r.GasFeeCap) > 0 {
		return refuse("tip", r.GasFeeCap, r.GasTipCap,
			"maxPriorityFeePerGas is above maxFeePerGas, so that nodes refuse the transaction")
	}
	if r.GasTipCap.Cmp(f.tip) < 0 {
		return refuse("tip", f.tip, r.GasTipCap,
			"maxPriorityFeePerGas is below the governed tip, so that nodes refuse the transaction")
	}
	if least := new(big.Int).Add(f.baseFee, f.tip); r.GasFeeCap.Cmp(least) < 0 {
		return refuse("fee_cap", least, r.GasFeeCap,
			"the fee cap is below base fee and tip, so that no block takes the transaction")
	}
	return nil
}

// refuseState asks the node about sender and nonce.
func (s *Sponsor) refuseState(ctx context.Context, w *want, r *txobject.Transaction) (*Refusal, error) {
	var head, latest hexutil.Uint64
	var balance hexutil.Big
	var code, senderListed, targetListed hexutil.Bytes
	calls := []rpc.BatchElem{
		{Method: "eth_blockNumber", Result: &head},
		{Method: "eth_getTransactionCount", Args: []any{r.Sender, "latest"}, Result: &latest},
		{Method: "eth_getCode", Args: []any{r.Sender, "latest"}, Result: &code},
		isBlacklisted(r.Sender, &senderListed),
	}
	if r.To != nil {
		calls = append(calls, isBlacklisted(*r.To, &targetListed))
	}
	if r.Value.Sign() > 0 {
		calls = append(calls, rpc.BatchElem{
			Method: "eth_getBalance", Args: []any{r.Sender, "latest"}, Result: &balance,
		})
	}
	if err := s.lookups.do(ctx, calls); err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	if err := errorOf(calls, nil); err != nil {
		return nil, err
	}
	if uint64(head) < w.after {
		return nil, fmt.Errorf("node: block %d is behind the books, which contain block %d", head, w.after)
	}
	if refusal, err := s.refuseNonce(r.Sender, r.Nonce, uint64(latest)); refusal != nil || err != nil {
		return refusal, err
	}
	w.state, w.single = uint64(latest), len(code) > 0
	switch {
	case balance.ToInt().Cmp(r.Value) < 0:
		return refuse("sender_balance", balance.ToInt(), r.Value, "the sender has less than it sends"), nil
	case isTrue(senderListed):
		return refuse("blacklist", nil, r.Sender.Hex(), "the sender is on the blacklist of the chain"), nil
	case isTrue(targetListed):
		return refuse("blacklist", nil, r.To.Hex(), "the recipient is on the blacklist of the chain"), nil
	}
	return nil, nil
}

// refuseFailure tries a transaction that all other rules allow, once. A try may take longer than a block, so that one
// for each head would never end.
func (s *Sponsor) refuseFailure(ctx context.Context, w *want, r *txobject.Transaction) (*Refusal, error) {
	if w.tried || !w.key.RequireSuccess && isSmall(r) {
		return nil, nil
	}
	refusal, err := s.books.Affords(w.key, w.causer(w.sender), time.Now(), w.Cost, w.choose)
	if refusal == nil && err == nil {
		refusal, err = s.refuseTry(ctx, trying, &caller{w.key, w.client}, r, r.Gas)
	}
	w.tried = refusal == nil && err == nil
	return refusal, err
}

// refuseTry finds a call that would fail, and a gas limit far above what it takes: all of it would be reserved. The
// node executes at most an amount of gas.
func (s *Sponsor) refuseTry(
	ctx context.Context, kind weight, who *caller, r *txobject.Transaction, most uint64,
) (*Refusal, error) {
	rule := "gas"
	if who.key.RequireSuccess {
		rule = "require_success"
	}
	var gas hexutil.Uint64
	err := s.passed.call(ctx, kind, who.address, &gas, "eth_estimateGas", r.Estimate(most))
	var refusal *Refusal
	var failure rpc.Error
	switch {
	case errors.As(err, &refusal):
		return refusal, nil
	case errors.As(err, &failure):
		return refuse(rule, nil, failure.Error(), "the call would fail"), nil
	case err == nil && r.Gas > withRoom(uint64(gas)):
		return refuse("gas", withRoom(uint64(gas)), r.Gas,
			"the gas limit is above 1.2 times the estimate: all of it would be reserved"), nil
	}
	return nil, err
}

// withRoom returns the highest gas limit of a transaction that takes an amount of gas.
func withRoom(gas uint64) uint64 { return gas + gas/5 }

// isSmall reports whether a gas limit is right whatever a transaction does.
func isSmall(r *txobject.Transaction) bool { return r.Gas <= withRoom(r.LeastGas()) }

// isBlacklisted asks the chain about an account.
func isBlacklisted(account common.Address, result *hexutil.Bytes) rpc.BatchElem {
	return contractCall(params.AccountManagerAddress, "isBlacklisted(address)", result, account[:])
}

// refuseNonce keeps nonces out that can wait for long: those behind a transaction that this sponsor has not signed,
// which may be in no block. state is the sender's next nonce on the chain.
func (s *Sponsor) refuseNonce(sender common.Address, nonce, state uint64) (*Refusal, error) {
	refusal := &Refusal{Rule: "nonce", Limit: fmt.Sprint(state), Have: fmt.Sprint(nonce)}
	switch {
	case nonce < state:
		refusal.Text = "the nonce is used"
		return refusal, nil
	case nonce > state+maxOpenPerSender:
		refusal.Text = "a transaction before this one is missing"
		return refusal, nil
	}
	for n := state; n < nonce; n++ {
		open, err := s.books.NonceOpen(sender, n)
		if err != nil {
			return nil, err
		}
		if !open {
			refusal.Limit = fmt.Sprint(n)
			refusal.Text = "a transaction before this one is missing, or not of this sponsor: wait until a block has it"
			return refusal, nil
		}
	}
	return nil, nil
}

// signAndSubmit signs a reserved transaction and submits it.
func (s *Sponsor) signAndSubmit(ctx context.Context, sender *txsign.Signed, r *reservation) (*txsign.Signed, error) {
	signed, err := s.cosign(ctx, sender, r)
	if err != nil {
		return nil, err
	}
	var hash common.Hash
	err = s.ask(ctx, &hash, "eth_sendRawTransaction", signed.Raw)
	if err != nil && !dial.Begins(err, dial.Known) {
		return nil, s.refusedByNode(ctx, sender, err)
	}
	return signed, nil
}

// refusedByNode explains a failed submission. A transaction that has come into a block meanwhile is no failure.
func (s *Sponsor) refusedByNode(ctx context.Context, sender *txsign.Signed, err error) error {
	found, _, bookErr := s.books.Find(sender.Hash)
	if bookErr != nil {
		return bookErr
	}
	if found != nil && found.State == stateSettled {
		return nil
	}
	if s.isKnown(ctx, sender.Hash) {
		return nil
	}
	if !errors.As(err, new(rpc.Error)) {
		s.unsent.Store(true)
		log.Warn("Transaction not submitted", "tx", sender.Hash, "err", err) // tells of the operator's machines
		return &callError{rpc.CodeInternal, "the sponsor's node gives no answer: the transaction is submitted later", nil}
	}
	s.refusals.Do(func() {
		log.Warn("Sponsored transaction refused by the node", "sender", sender.Sender, "tx", sender.Hash, "err", err)
	})
	return newSubmissionRefused(err, "its cost stays reserved until the sender's nonce is used")
}

// isKnown reports whether the node has the transaction of a sender's hash, in its pool or in a block.
func (s *Sponsor) isKnown(ctx context.Context, senderHash common.Hash) bool {
	signed, ok := s.signed.Get(senderHash)
	if !ok {
		return false
	}
	var tx *struct{ Hash common.Hash }
	if err := s.ask(ctx, &tx, "eth_getTransactionByHash", signed.Hash); err != nil {
		log.Debug("Transaction not looked up", "tx", signed.Hash, "err", err)
		return false
	}
	return tx != nil
}

// cosign returns the signature of the reservation's payer, from memory where it was made before.
func (s *Sponsor) cosign(ctx context.Context, sender *txsign.Signed, r *reservation) (*txsign.Signed, error) {
	if signed, ok := s.signed.Get(sender.Hash); ok && *signed.FeePayer == r.Payer {
		return signed, nil
	}
	p := s.payers.find(r.Payer)
	if p == nil {
		text := fmt.Sprintf("payer %v of the reservation is not configured any more", r.Payer)
		return nil, &callError{rpc.CodeInternal, text, nil}
	}
	signed, err := p.cosign(ctx, sender, s.chainID)
	if err != nil {
		if !r.SignOnly {
			s.unsent.Store(true)
		}
		return nil, err
	}
	s.signed.Add(sender.Hash, signed)
	s.senders.Add(signed.Hash, sender.Hash)
	return signed, nil
}
