// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package sessiontest provides peers and common functions for tests of packages that deal with peers.
package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/consensus/wbft"
	"gwon/eth/session"
)

// PatienceVariable names the environment variable that sets Patience. tools/mutants shortens it, because tests of a
// fault mostly wait for events that do not occur.
const PatienceVariable = "GWON_TEST_PATIENCE"

// Patience limits every wait for an event.
var Patience = patience()

func patience() time.Duration {
	set := os.Getenv(PatienceVariable)
	if set == "" {
		return 60 * time.Second
	}
	limit, err := time.ParseDuration(set)
	if err != nil || limit <= 0 {
		panic(fmt.Sprintf("%s is %q: want a duration above zero, as 60s", PatienceVariable, set))
	}
	return limit
}

// Outcome records the calls of importer and syncer to the service, and of the importer to the syncer.
type Outcome struct {
	Dropped  chan error
	Halted   chan string
	Violated chan string
	Wanted   chan uint64
	Synced   chan struct{}
}

// NewOutcome returns an Outcome with room for a few calls of each kind.
func NewOutcome() *Outcome {
	return &Outcome{make(chan error, 16), make(chan string, 16), make(chan string, 16), make(chan uint64, 16),
		make(chan struct{}, 16)}
}

// Drop records a disconnection.
func (o *Outcome) Drop(_ *session.Session, reason error) { o.Dropped <- reason }

// Halt records a halt.
func (o *Outcome) Halt(reason string) { o.Halted <- reason }

// Violate records a violation of safety.
func (o *Outcome) Violate(reason string) { o.Violated <- reason }

// Claimed implements blockgossip.Follower.
func (o *Outcome) Claimed() {}

// Allow implements blockgossip.Follower and allows every header.
func (o *Outcome) Allow(*types.Header) error { return nil }

// Shown implements blockgossip.Follower.
func (o *Outcome) Shown(_ *session.Session, header *types.Header, _ bool) {
	select {
	case o.Wanted <- header.Number.Uint64():
	default:
	}
}

// Sync records that the node is up to date.
func (o *Outcome) Sync() {
	select {
	case o.Synced <- struct{}{}:
	default:
	}
}

// Next waits for a value.
func Next[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(Patience):
		t.Fatal("nothing happened")
		panic("unreachable")
	}
}

// AwaitHead waits until the chain's head has a number.
func AwaitHead(t testing.TB, chain *gethcore.BlockChain, number uint64) {
	t.Helper()
	heads := make(chan gethcore.ChainHeadEvent, 1024)
	sub := chain.SubscribeChainHeadEvent(heads)
	defer sub.Unsubscribe()
	for chain.CurrentBlock().Number.Uint64() < number {
		Next(t, heads)
	}
}

// Join connects a peer that sends nothing by itself.
func Join(t testing.TB, sessions *session.Sessions) *session.Session {
	t.Helper()
	p, _ := Peer(t)
	ses := sessions.Join(p)
	ses.Shook(new(protocol.Peer))
	return ses
}

// Running starts f and stops it at the end of the test.
func Running(t testing.TB, f func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// CheckChain compares two chains block by block, and the seals that the first has stored.
func CheckChain(t testing.TB, chain *gethcore.BlockChain, engine *wbft.Engine, want *gethcore.BlockChain) {
	t.Helper()
	if chain.CurrentBlock().Hash() != want.CurrentBlock().Hash() {
		t.Fatalf("head is %d, want %d", chain.CurrentBlock().Number, want.CurrentBlock().Number)
	}
	for n := uint64(1); n <= want.CurrentBlock().Number.Uint64(); n++ {
		h := chain.GetHeaderByNumber(n)
		set, err := engine.ValidatorsFor(chain, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := engine.VerifySeals(set, h); err != nil {
			t.Fatalf("stored header %d: %v", n, err)
		}
	}
}

// Junk returns an unsealed block with an unknown number. It passes the gate.
func Junk(number uint64, salt int64) *types.Block {
	return types.NewBlockWithHeader(&types.Header{
		Number: new(big.Int).SetUint64(number), Difficulty: common.Big1, Time: uint64(salt), GasLimit: 1,
		BaseFee: common.Big1, UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash,
		Extra: new(types.WBFTExtra).Encode(),
	})
}

// SealsOf returns the decoded extra data of a block.
func SealsOf(t testing.TB, block *types.Block) *types.WBFTExtra {
	t.Helper()
	x, err := block.Header().WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Forge returns a block with seals that are not a quorum's for it.
func Forge(t testing.TB, block, other *types.Block) *types.Block {
	t.Helper()
	seals := SealsOf(t, other)
	header, err := block.Header().WithWBFTSeals(0, seals.PreparedSeal, seals.CommittedSeal)
	if err != nil {
		t.Fatal(err)
	}
	return block.WithSeal(header)
}

// Peer returns a connection without traffic, and the address of its node.
func Peer(t testing.TB) (*p2p.Peer, common.Address) {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return p2p.NewPeer(enode.PubkeyToIDV4(&key.PublicKey), "test", nil), crypto.PubkeyToAddress(key.PublicKey)
}

// responses is the backend of a peer that only sends responses.
type responses struct{ protocol.Backend }

// Source is a peer with blocks from number 1 on. Its fields make it misbehave.
type Source struct {
	Blocks  types.Blocks
	Most    int                                   // headers or bodies in one response; 0 for no limit
	Before  func(code uint64) (silent bool)       // called at each request
	Headers func([]*types.Header) []*types.Header // changes a response
	// Withhold reports whether a response is not sent. Unlike a function above that waits, it holds up no other.
	Withhold func([]*types.Header) bool
	Chain    *gethcore.BlockChain // source of receipts; nil for none
	Delay    time.Duration        // delay in each direction
	// Overlong is a block whose body and receipts make a response exceed a message; the response is empty then.
	Overlong common.Hash
	Tail     uint64 // oldest block with body and receipts

	Requests atomic.Int32     // number of requests
	Session  *session.Session // set by Connect
	Close    func()           // closes the connection; set by Connect
}

// Connect adds the source to a node with a chain, as a peer that claims its blocks.
func (src *Source) Connect(t testing.TB, sessions *session.Sessions, chain *gethcore.BlockChain) *session.Session {
	t.Helper()
	near, far := p2p.MsgPipe()
	base, _ := Peer(t)
	peer := protocol.NewPeer(protocol.ETH68, base, near, nil, nil, chain.Config())
	src.Session = sessions.Join(base)
	var closed atomic.Bool
	src.Close = func() {
		if closed.CompareAndSwap(false, true) {
			sessions.Leave(src.Session)
			_ = near.Close()
			peer.Close()
		}
	}
	t.Cleanup(src.Close)
	go func() { _ = protocol.Handle(responses{}, peer) }()
	go src.serve(far)
	src.Session.Shook(peer)
	if len(src.Blocks) > 0 {
		src.Session.Raise(src.Blocks[len(src.Blocks)-1].Hash(), session.TotalDifficulty(chain, uint64(len(src.Blocks))))
	}
	return src.Session
}

// serve sends responses until the pipe is closed. It reads requests while a response waits, like a connection with
// buffers.
func (src *Source) serve(pipe p2p.MsgReadWriter) {
	rw := buffered{pipe, make(chan answer, 1024)}
	defer close(rw.answers)
	go rw.write(src.Delay)
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return
		}
		src.Requests.Add(1)
		silent := src.Before != nil && src.Before(msg.Code)
		switch msg.Code {
		case protocol.GetBlockHeadersMsg:
			var request protocol.GetBlockHeadersPacket
			if msg.Decode(&request) != nil {
				return
			}
			headers := src.answerHeaders(request.GetBlockHeadersRequest)
			silent = silent || src.Withhold != nil && src.Withhold(headers)
			if src.Headers != nil {
				headers = src.Headers(headers)
			}
			if !silent && p2p.Send(rw, protocol.BlockHeadersMsg, []any{request.RequestId, headers}) != nil {
				return
			}
		case protocol.GetBlockBodiesMsg:
			var request protocol.GetBlockBodiesPacket
			if msg.Decode(&request) != nil {
				return
			}
			bodies := []any{}
			for _, hash := range request.GetBlockBodiesRequest {
				i := slices.IndexFunc(src.Blocks, func(b *types.Block) bool { return b.Hash() == hash })
				if uint64(i+1) < src.Tail {
					break
				}
				if i >= 0 && (src.Most == 0 || len(bodies) < src.Most) {
					bodies = append(bodies, []any{src.Blocks[i].Transactions(), []any{}})
				}
			}
			if !silent && p2p.Send(rw, protocol.BlockBodiesMsg, []any{request.RequestId, bodies}) != nil {
				return
			}
		case protocol.GetReceiptsMsg:
			var request protocol.GetReceiptsPacket69
			if msg.Decode(&request) != nil {
				return
			}
			lists := []any{}
			if len(request.GetReceiptsRequest) > 1 && slices.Contains(request.GetReceiptsRequest, src.Overlong) {
				request.GetReceiptsRequest = nil
			}
			for _, hash := range request.GetReceiptsRequest {
				pruned := func(b *types.Block) bool { return b.Hash() == hash && b.NumberU64() < src.Tail }
				if slices.ContainsFunc(src.Blocks, pruned) {
					break
				}
				if src.Chain != nil {
					lists = append(lists, src.Chain.GetReceiptsByHash(hash))
				}
			}
			if !silent && p2p.Send(rw, protocol.ReceiptsMsg, []any{request.RequestId, lists}) != nil {
				return
			}
		default:
			_ = msg.Discard()
		}
	}
}

// buffered stores sent messages until the other side reads them.
type buffered struct {
	p2p.MsgReadWriter
	answers chan answer
}

type answer struct {
	msg p2p.Msg
	at  time.Time
}

func (rw buffered) WriteMsg(msg p2p.Msg) error {
	select {
	case rw.answers <- answer{msg, time.Now()}:
		return nil
	default:
		return errors.New("too many answers wait")
	}
}

// write sends messages after the round trip.
func (rw buffered) write(delay time.Duration) {
	for a := range rw.answers {
		time.Sleep(2*delay - time.Since(a.at))
		if rw.MsgReadWriter.WriteMsg(a.msg) != nil {
			break
		}
	}
	for range rw.answers {
	}
}

func (src *Source) answerHeaders(r *protocol.GetBlockHeadersRequest) []*types.Header {
	from := r.Origin.Number
	if r.Origin.Hash != (common.Hash{}) {
		i := slices.IndexFunc(src.Blocks, func(b *types.Block) bool { return b.Hash() == r.Origin.Hash })
		if i < 0 {
			return nil
		}
		from = uint64(i) + 1
	}
	var headers []*types.Header
	for n := from; n >= 1 && n <= uint64(len(src.Blocks)) && uint64(len(headers)) < r.Amount; n += r.Skip + 1 {
		if src.Most != 0 && len(headers) == src.Most && r.Skip == 0 {
			break
		}
		headers = append(headers, src.Blocks[n-1].Header())
	}
	return headers
}
