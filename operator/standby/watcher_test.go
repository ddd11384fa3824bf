// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package standby

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"errors"
	"maps"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/governance"
)

var contract = common.Address{0x10, 0x01}

// fakeNode is a node whose pool keeps one transaction of each nonce, as a pool does, and whose blocks take those from a
// price on.
type fakeNode struct {
	mu       sync.Mutex
	key      *ecdsa.PrivateKey
	price    *big.Int // of a block; nil takes nothing
	refuses  error
	fails    bool // receipts show a failure
	pool     *types.Transaction
	receipts map[common.Hash]*types.Receipt
	nonce    uint64
	took     int
	status   map[string]any // of the consensus, besides the address
	call     error          // of a transaction that is tried
	present  int            // seals of the validator in the window
	blocks   int            // above 1000
}

type (
	ethAPI      struct{ *fakeNode }
	istanbulAPI struct{ *fakeNode }
)

func (n ethAPI) SendRawTransaction(raw hexutil.Bytes) (common.Hash, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Hash{}, err
	}
	switch {
	case n.refuses != nil:
		return common.Hash{}, n.refuses
	case tx.Nonce() < n.nonce:
		return common.Hash{}, errors.New("nonce too low")
	case n.pool != nil && n.pool.Hash() == tx.Hash():
		return common.Hash{}, errors.New("already known")
	case n.pool != nil && tx.GasFeeCap().Cmp(new(big.Int).Div(new(big.Int).Mul(n.pool.GasFeeCap(), big.NewInt(110)),
		big.NewInt(100))) < 0:
		return common.Hash{}, errors.New("replacement transaction underpriced")
	}
	n.pool, n.took = tx, n.took+1
	if n.price != nil && tx.GasFeeCap().Cmp(n.price) >= 0 {
		status := types.ReceiptStatusSuccessful
		if n.fails {
			status = types.ReceiptStatusFailed
		}
		n.receipts[tx.Hash()] = &types.Receipt{Status: status, TxHash: tx.Hash(), BlockNumber: big.NewInt(7),
			Logs: []*types.Log{}}
		n.nonce = tx.Nonce() + 1
	}
	return tx.Hash(), nil
}

func (n ethAPI) GetTransactionReceipt(hash common.Hash) any {
	n.mu.Lock()
	defer n.mu.Unlock()
	if receipt := n.receipts[hash]; receipt != nil {
		return receipt
	}
	return nil
}

func (n ethAPI) GetTransactionCount(common.Address, string) hexutil.Uint64 {
	return hexutil.Uint64(n.nonce)
}

func (n ethAPI) ChainId() *hexutil.Big { return (*hexutil.Big)(big.NewInt(8283)) } //nolint:revive // the method's name

func (n ethAPI) Syncing() any { return false }

func (n ethAPI) Call(call map[string]any, _ string) (hexutil.Bytes, error) {
	if call["maxFeePerGas"] != nil {
		return nil, n.call
	}
	return common.LeftPadBytes(theirs.Bytes(), 32), nil
}

func (n ethAPI) GetBlockByNumber(string, bool) map[string]any {
	return map[string]any{"number": hexutil.Uint64(1000 + n.blocks), "timestamp": hexutil.Uint64(time.Now().Unix()),
		"baseFeePerGas": (*hexutil.Big)(big.NewInt(20))}
}

func (n istanbulAPI) ConsensusStatus() map[string]any {
	status := map[string]any{"address": own, "sealing": true}
	maps.Copy(status, n.status)
	return status
}

func (n istanbulAPI) GetValidators(number string) ([]common.Address, error) {
	if number != "pending" && number != hexutil.EncodeUint64(uint64(971+n.blocks)) {
		return nil, errors.New("asked for the wrong block")
	}
	return []common.Address{theirs, other}, nil
}

func (n istanbulAPI) Status(from, to hexutil.Uint64) (map[string]any, error) {
	if int(from) != 971+n.blocks || int(to) != 1000+n.blocks {
		return nil, errors.New("asked for the wrong range")
	}
	return map[string]any{
		"sealerActivity": map[string]any{
			"total": map[common.Address]uint64{other: 55, theirs: 0}, "prevCommitted": map[common.Address]uint64{other: 28},
		},
		"author": map[common.Address]int{other: 30, theirs: n.present},
	}, nil
}

// signsByKey signs a registration at a price that can be raised.
type signsByKey struct {
	key   *ecdsa.PrivateKey
	fixed bool
	fails *error
}

func (s signsByKey) sign(price int64) (*types.Transaction, error) {
	return types.SignNewTx(s.key, types.LatestSignerForChainID(big.NewInt(8283)), &types.DynamicFeeTx{
		ChainID: big.NewInt(8283), GasTipCap: big.NewInt(price), GasFeeCap: big.NewInt(2 * price), To: &contract,
		Data: []byte("registration"),
	})
}

func (s signsByKey) Sign(context.Context) (*types.Transaction, []string, error) {
	if s.fails != nil && *s.fails != nil {
		return nil, nil, *s.fails
	}
	tx, err := s.sign(100)
	return tx, nil, err
}

func (s signsByKey) Raise(_ context.Context, tx *types.Transaction, percent int64) (*types.Transaction, error) {
	if s.fixed {
		return nil, nil
	}
	return s.sign(tx.GasTipCap().Int64() * (100 + percent) / 100)
}

func newFake(t *testing.T) (*fakeNode, *rpc.Client) {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	n := &fakeNode{key: key, receipts: make(map[common.Hash]*types.Receipt)}
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, errors.Join(server.RegisterName("eth", ethAPI{n}), server.RegisterName("istanbul", istanbulAPI{n})))
	client := rpc.DialInProc(server)
	t.Cleanup(client.Close)
	return n, client
}

// An endpoint that lacks a namespace is named with the remedy, as that of --http without --http.api.
func TestLookWithoutNamespace(t *testing.T) {
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName("eth", ethAPI{new(fakeNode)}))
	client := rpc.DialInProc(server)
	t.Cleanup(client.Close)
	w := must.Get(New(Config{Client: client, Rule: Rule{Own: own, Absence: 30}}))(t)
	expect.Says(t, expect.Err(w.Look(t.Context())), "no namespace istanbul: give", "w.Look")
}

// A look reads the window that ends with the head, and counts proposals as signs of life beside seals.
func TestLook(t *testing.T) {
	n, client := newFake(t)
	n.present = 2
	w := must.Get(New(Config{Client: client, Contract: contract, Rule: Rule{Own: own, Absence: 30}}))(t)
	v := must.Get(w.Look(t.Context()))(t)
	expect.That(t, v.Head == 1000 && v.From == 971 && v.Node == own && v.Validator == theirs && !v.Syncing &&
		len(v.Next) == 2 && v.Signs[theirs] == 2 && v.Signs[other] == 85 && v.Sealed[other] == 28 && v.Silent == "", "%+v", v)
	for _, status := range []map[string]any{
		{"sealing": false, "want": "start it with --mine"}, {"waiting": "votes lost", "want": "votes lost"},
		{"muted": "seen elsewhere", "want": "seen elsewhere"}, {"sealing": false, "halted": "halted", "want": "halted"},
	} {
		n.status = status
		v, err := w.Look(t.Context())
		expect.That(t, err == nil && v.Silent == status["want"], "%v: %+v, %v", status, v, err)
	}
}

// What keeps the registration from working is told while the validator is there, and stays told between two failed
// tries, so that an alert sees it.
func TestRehearsal(t *testing.T) {
	n, client := newFake(t)
	n.present, n.price = 1, big.NewInt(200)
	var fails error
	w := must.Get(New(Config{Client: client, Contract: contract, Rule: Rule{Own: own, Absence: 30},
		Signer: signsByKey{key: n.key, fails: &fails}, RaiseAfter: 20 * time.Millisecond}))(t)
	look := func(when string, want Action, reason string) {
		t.Helper()
		n.blocks++
		w.step(t.Context())
		got := w.Last()
		if got.Action != want || !strings.Contains(got.Reason, reason) || (readyGauge.Snapshot().Value() == 0) !=
			(want == NotReady) {
			t.Errorf("%s: %+v, ready %d; want %d, %q", when, got, readyGauge.Snapshot().Value(), want, reason)
		}
	}
	look("good", Watch, "")
	fails = errors.New("no coins")
	look("not rehearsed yet", Watch, "")
	w.rehearsed = w.rehearsed.Add(-rehearseEvery)
	look("rehearsed", NotReady, "no coins")
	look("afterwards", NotReady, "no coins")
	fails, w.rehearsed = nil, w.rehearsed.Add(-rehearseEvery)
	look("coins are there", Watch, "")
	expect.That(t, n.took == 0, "a rehearsal sent %d transactions", n.took)
	n.present, fails = 0, errors.New("no coins")
	for range 2 {
		look("absent", NotReady, "no coins")
		for range leastSeen - 1 {
			look("between two tries", NotReady, "no coins")
		}
	}
	fails = nil
	look("the next try", Switch, "none of")
	expect.That(t, n.took == 1, "the pool took %d transactions, want 1", n.took)
}

// A reason that only counts on is logged once a minute.
func TestTellsOnce(t *testing.T) {
	var lines bytes.Buffer
	expect.Log(t, log.NewTerminalHandler(&lines, false))
	w := must.Get(New(Config{Rule: Rule{Own: own, Absence: 30}}))(t)
	w.tell(Verdict{NotReady, "block 9 is 59s old"})
	for _, c := range []struct {
		verdict Verdict
		logged  bool
	}{{Verdict{NotReady, "block 10 is 12s old"}, false}, {Verdict{NotReady, "no coins"}, true},
		{Verdict{Watch, "1 of 5"}, true}, {Verdict{Watch, "2 of 5"}, false}} {
		lines.Reset()
		w.tell(c.verdict)
		expect.That(t, (lines.Len() > 0) == c.logged, "%+v: logged %v, want %v", c.verdict, !c.logged, c.logged)
	}
}

// hanging is a signer whose person does not answer.
type hanging struct{ answer chan struct{} }

func (h hanging) Address() common.Address { return other }

func (h hanging) SignTx(*types.Transaction, *big.Int) (*types.Transaction, error) {
	<-h.answer
	return nil, errors.New("refused")
}

// The watcher does not wait for a signer that does not answer, and does not ask it again meanwhile.
func TestSignerHangs(t *testing.T) {
	tx, h := types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(8283), To: &contract}), hanging{make(chan struct{})}
	p := &Planned{Operator: h, plan: &governance.Plan{From: other, Tx: tx, Request: new(governance.Request)}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	expect.Error(t, expect.Err(p.Raise(ctx, tx, raisePercent)), context.Canceled, "p.Raise")
	expect.Says(t, expect.Err(p.Raise(ctx, tx, raisePercent)), "earlier request", "p.Raise")
	close(h.answer)
	for p.pending.Load() {
		runtime.Gosched()
	}
	expect.Says(t, expect.Err(p.Raise(t.Context(), tx, raisePercent)), "refused", "p.Raise")
}

// The registration is sent again at a higher price until a block takes it. What went out before counts as well, and a
// failure is told.
func TestReplace(t *testing.T) {
	for _, c := range []struct {
		name string
		node func(*fakeNode)
		sign signsByKey
		want string // in the error; empty for none
		took int
		stop bool // before the node answers
	}{
		{"at once", func(n *fakeNode) { n.price = big.NewInt(200) }, signsByKey{}, "", 1, false},
		{"after two raises", func(n *fakeNode) { n.price = big.NewInt(300) }, signsByKey{}, "", 3, false},
		{"interrupted", func(*fakeNode) {}, signsByKey{}, "is in no block yet, and may still be executed", 0, true},
		{"never", func(*fakeNode) {}, signsByKey{}, "is in no block after 11 prices", 11, false},
		{"never, signed beforehand", func(*fakeNode) {}, signsByKey{fixed: true}, "gwon attach --exec 'eth.get", 1, false},
		{"refused", func(n *fakeNode) { n.refuses = errors.New("insufficient funds") }, signsByKey{},
			"insufficient funds", 0, false},
		{"failed", func(n *fakeNode) { n.price, n.fails = big.NewInt(200), true }, signsByKey{}, "failed in block 7", 1,
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, client := newFake(t)
			c.node(n)
			c.sign.key = n.key
			w, err := New(Config{Client: client, Contract: contract, Rule: Rule{Own: own, Absence: 30}, Signer: c.sign,
				RaiseAfter: 20 * time.Millisecond})
			must.Do(t, err)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if c.stop {
				stop()
			}
			err = w.Replace(ctx)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			expect.That(t, n.took == c.took, "the pool took %d transactions, want %d", n.took, c.took)
		})
	}
}

// A transaction that was signed beforehand is refused where it is not the registration of this stand-by by its
// operator, or can no longer be executed.
func TestPresigned(t *testing.T) {
	n, client := newFake(t)
	tx, err := signsByKey{key: n.key}.sign(100)
	must.Do(t, err)
	operator := crypto.PubkeyToAddress(n.key.PublicKey)
	for _, c := range []struct {
		name string
		edit func(*Presigned)
		want string
	}{
		{"good", func(*Presigned) {}, ""},
		{"of another operator", func(p *Presigned) { p.Operator = other }, "not of the operator"},
		{"of another stand-by", func(p *Presigned) { p.Input = []byte("other") }, "does not register this stand-by"},
		{"to another contract", func(p *Presigned) { p.Contract = other }, "does not register this stand-by"},
		{"operator without coins", func(*Presigned) { n.call = errors.New("insufficient funds") }, "would not work: insuff"},
		{"nonce is used", func(*Presigned) { n.nonce = 1 }, "the next one of the operator is 1"},
		{"price is too low", func(p *Presigned) {
			n.nonce = 0
			p.Tx, err = (signsByKey{key: n.key}).sign(19)
			must.Do(t, err)
		}, "below the present price"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Presigned{Client: client, Tx: tx, Operator: operator, Contract: contract, Input: []byte("registration")}
			c.edit(p)
			_, _, err := p.Sign(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
