// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
)

// patience bounds every wait for something that has to happen.
const patience = 60 * time.Second

// outcome is what importer and syncer tell the service.
type outcome struct {
	dropped  chan error
	halted   chan string
	violated chan string
	wanted   chan uint64
	synced   chan struct{}
}

func newOutcome() *outcome {
	return &outcome{make(chan error, 16), make(chan string, 16), make(chan string, 16), make(chan uint64, 16), make(chan struct{}, 16)}
}

func (o *outcome) drop(_ *session, reason error) { o.dropped <- reason }
func (o *outcome) halt(reason string)            { o.halted <- reason }
func (o *outcome) violate(reason string)         { o.violated <- reason }
func (o *outcome) want(_ *session, number uint64) {
	select {
	case o.wanted <- number:
	default:
	}
}
func (o *outcome) sync() {
	select {
	case o.synced <- struct{}{}:
	default:
	}
}

// next waits for a value.
func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatal("nothing happened")
		panic("unreachable")
	}
}

// awaitHead waits until the chain's head has a number.
func awaitHead(t *testing.T, chain *gethcore.BlockChain, number uint64) {
	t.Helper()
	heads := make(chan gethcore.ChainHeadEvent, 1024)
	sub := chain.SubscribeChainHeadEvent(heads)
	defer sub.Unsubscribe()
	for chain.CurrentBlock().Number.Uint64() < number {
		next(t, heads)
	}
}

// running starts f and stops it when the test ends.
func running(t *testing.T, f func(context.Context)) {
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

// testImporter is an importer with what tests want to know of it.
type testImporter struct{ *importer }

// join connects a peer that never says anything by itself.
func (im *testImporter) join(t *testing.T) *session {
	t.Helper()
	p, _ := testPeer(t)
	ses := im.gossip.sessions.join(p)
	ses.shook(new(protocol.Peer))
	return ses
}

// push has a peer push a block.
func (im *testImporter) push(t *testing.T, ses *session, block *types.Block) {
	t.Helper()
	packet := &protocol.NewBlockPacket{Block: block, TD: totalDifficulty(im.chain, block.NumberU64())}
	if err := im.handleNewBlock(ses, packet); err != nil {
		t.Fatal(err)
	}
}

// settle waits until the importer has looked at everything it was given before.
func (im *testImporter) settle(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		im.mu.Lock()
		idle := true
		head := im.chain.CurrentBlock()
		for _, a := range im.queue {
			if a.block.NumberU64() <= head.Number.Uint64() || a.block.ParentHash() == head.Hash() {
				idle = false
			}
		}
		im.mu.Unlock()
		if idle && len(im.wake) == 0 {
			return
		}
	}
	t.Fatal("the importer does not come to rest")
}

// queued tells how many blocks wait.
func (im *testImporter) queued() int {
	im.mu.Lock()
	defer im.mu.Unlock()
	return len(im.queue)
}

// told is what a peer is about to be sent: whole blocks and announcements.
func told(ses *session) int { return len(ses.newBlock) + len(ses.newHash) }

// junk returns an unsealed block of a number that nothing is known of.
func junk(number uint64, salt int64) *types.Block {
	return types.NewBlockWithHeader(&types.Header{
		Number: new(big.Int).SetUint64(number), Difficulty: common.Big1, Time: uint64(salt), GasLimit: 1,
		BaseFee: common.Big1, UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash,
	})
}

func startImporter(t *testing.T, chain *gethcore.BlockChain, engine *wbft.Engine) (*testImporter, *outcome, *session) {
	t.Helper()
	o, s := newOutcome(), newSessions()
	im := newImporter(chain, engine, &gossip{chain, s}, newSafety(chain, engine, o.halt, o.violate), o.drop, o.want)
	running(t, im.run)
	ti := &testImporter{im}
	return ti, o, ti.join(t)
}

// Blocks that overtake their parents wait for them, and the missing ones are asked for (spec network 2.6).
func TestImportOutOfOrder(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 5)
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	for _, i := range []int{4, 2, 3, 1} {
		im.enqueue(arrival{block: blocks[i], from: ses})
	}
	if number := next(t, o.wanted); number != 5 {
		t.Errorf("asked for the blocks up to %d, want 5", number)
	}
	im.enqueue(arrival{block: blocks[0], from: ses})
	awaitHead(t, chain, 5)
	if chain.CurrentBlock().Hash() != source.CurrentBlock().Hash() {
		t.Error("another head")
	}
}

// A copy with bad seals costs its sender the connection and does not keep a good copy of the same hash out (spec wbft 1.4,
// 9.1 no. 4).
func TestImportBadSeals(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	good := net.Extend(t, source, 1)[0]
	header, err := good.Header().WithWBFTSeals(7, sealsOf(t, good).PreparedSeal, sealsOf(t, good).CommittedSeal)
	if err != nil {
		t.Fatal(err)
	}
	bad := good.WithSeal(header)
	if bad.Hash() != good.Hash() {
		t.Fatal("the copies differ in hash")
	}
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	im.enqueue(arrival{block: bad, from: ses})
	if reason := next(t, o.dropped); !strings.Contains(reason.Error(), "seals") {
		t.Errorf("dropped for %v", reason)
	}
	im.enqueue(arrival{block: good, from: ses})
	awaitHead(t, chain, 1)
}

func sealsOf(t *testing.T, block *types.Block) *types.WBFTExtra {
	t.Helper()
	x, err := block.Header().WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Two sealed blocks at one height are a violation of safety: the node says so and keeps its own (spec wbft 7.5). An
// unsealed one is nothing.
func TestImportSecondSealedBlock(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	unsealed := net.Build(t, chain, 1)
	second := net.Seal(t, chain, unsealed, 1)
	net.Extend(t, chain, 1)
	head := chain.CurrentBlock().Hash()
	im, o, ses := startImporter(t, chain, engine)
	im.enqueue(arrival{block: unsealed, from: ses})
	next(t, o.dropped)
	if len(o.violated) != 0 {
		t.Error("an unsealed block counts")
	}
	for range 2 { // reported once, however often it comes
		im.enqueue(arrival{block: second, from: im.join(t)})
	}
	if reason := next(t, o.violated); !strings.Contains(reason, second.Hash().String()) {
		t.Errorf("violation %q does not name the block", reason)
	}
	im.settle(t)
	if len(o.violated) != 0 || len(o.halted) != 0 || len(o.dropped) != 0 || chain.CurrentBlock().Hash() != head {
		t.Error("reported twice, or another way, or the head has changed")
	}
}

// A peer's head moves to the parent of what it pushes, never back (spec network 2.6).
func TestPushRaisesClaim(t *testing.T) {
	net := wbfttest.New(t, 1)
	source, _ := net.Chain(t)
	block := net.Extend(t, source, 3)[2]
	chain, engine := net.Chain(t)
	im, _, ses := startImporter(t, chain, engine)
	push := func(td int64) {
		if err := im.handleNewBlock(ses, &protocol.NewBlockPacket{Block: block, TD: big.NewInt(td)}); err != nil {
			t.Fatal(err)
		}
	}
	push(100)
	if head, td := ses.claim(); head != block.ParentHash() || td.Int64() != 99 {
		t.Errorf("claim %v %v, want the parent and 99", head, td)
	}
	push(50)
	if _, td := ses.claim(); td.Int64() != 99 {
		t.Errorf("claim went back to %v", td)
	}
}

// A block that several peers push is imported and passed on once (spec network 2.6).
func TestImportOnce(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	block := net.Extend(t, origin, 1)[0]
	chain, engine := net.Chain(t)
	im, o, first := startImporter(t, chain, engine)
	second, bystander := im.join(t), im.join(t)
	imports := make(chan gethcore.ChainEvent, 8)
	defer chain.SubscribeChainEvent(imports).Unsubscribe()
	im.push(t, first, block)
	im.push(t, second, block)
	awaitHead(t, chain, 1)
	im.push(t, first, block)
	im.settle(t)
	for deadline := time.Now().Add(patience); told(bystander) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if n := told(bystander); n != 1 {
		t.Errorf("a peer that did not have the block is told of it %d times, want once", n)
	}
	if told(first)+told(second) != 0 {
		t.Error("the block is sent back to those who sent it")
	}
	if len(imports) != 1 || len(o.dropped) != 0 || im.queued() != 0 {
		t.Errorf("%d imports, %d peers dropped, %d blocks left, want 1, 0, 0", len(imports), len(o.dropped), im.queued())
	}
}

// A block whose seals fail goes to nobody, and its sender goes (spec network 2.6).
func TestBadBlockIsNotRelayed(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	bystander := im.join(t)
	im.push(t, ses, net.Build(t, chain, 0)) // valid but for its seals
	if reason := next(t, o.dropped); !strings.Contains(reason.Error(), "seals") {
		t.Errorf("dropped for %v", reason)
	}
	im.settle(t)
	if told(bystander) != 0 || chain.CurrentBlock().Number.Sign() != 0 {
		t.Errorf("told %d times, head %d: the block was passed on or imported", told(bystander), chain.CurrentBlock().Number)
	}
}

// Blocks beyond the window are ignored, whatever they hold; only the claim of their sender is noted (spec network 2.6).
func TestBlocksOutsideTheWindow(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	net.Extend(t, chain, maxBehind+2)
	head := chain.CurrentBlock().Number.Uint64()
	im, o, ses := startImporter(t, chain, engine)
	for _, number := range []uint64{0, 1, head + maxAhead + 1, 1 << 40, 1<<64 - 1} {
		im.push(t, ses, junk(number, 1))
		if err := im.handleNewHashes(ses, protocol.NewBlockHashesPacket{{Hash: common.Hash{1}, Number: number}}); err != nil {
			t.Fatal(err)
		}
	}
	im.settle(t)
	im.mu.Lock()
	offers := len(im.offers)
	im.mu.Unlock()
	if im.queued() != 0 || offers != 0 || len(o.wanted) != 0 || len(o.dropped) != 0 {
		t.Errorf("%d blocks queued, %d offers, %d peers asked, %d dropped, want none", im.queued(), offers, len(o.wanted), len(o.dropped))
	}
	if _, td := ses.claim(); !td.IsUint64() || td.Uint64() != 1<<64-1 {
		t.Errorf("claim %v, want what the peer said", td)
	}
}

// A peer that floods fills its own share of the queue and keeps nobody else out (spec network 2.6: 64 blocks a peer).
func TestFloodOfBlocks(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 2)
	chain, engine := net.Chain(t)
	im, _, hostile := startImporter(t, chain, engine)
	for i := range int64(4 * maxPeerBlocks) {
		im.push(t, hostile, junk(2+uint64(i)%maxAhead, i))
	}
	if n := im.queued(); n != maxPeerBlocks {
		t.Fatalf("%d blocks of one peer wait, want %d", n, maxPeerBlocks)
	}
	honest := im.join(t)
	im.push(t, honest, blocks[1])
	im.push(t, honest, blocks[0])
	awaitHead(t, chain, 2)
	// What a peer had waiting goes with its connection.
	im.gossip.sessions.leave(hostile)
	im.nudge()
	for deadline := time.Now().Add(patience); im.queued() != 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	if len(im.queue) != 0 || im.bytes != 0 || hostile.claims != (claims{}) || honest.claims != (claims{}) {
		t.Errorf("left: %d blocks, %d bytes, claims %+v and %+v", len(im.queue), im.bytes, hostile.claims, honest.claims)
	}
}

// Large blocks are bounded by their bytes, for a peer and for all peers together; a child of the head always has room.
func TestQueueBytes(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	block := net.Extend(t, origin, 1)[0]
	chain, engine := net.Chain(t)
	o, s := newOutcome(), newSessions()
	im := &testImporter{newImporter(chain, engine, &gossip{chain, s}, newSafety(chain, engine, o.halt, o.violate), o.drop, o.want)}
	large := func(number uint64, salt int64) *types.Block {
		header := junk(number, salt).Header()
		header.Extra = make([]byte, 5<<20)
		return types.NewBlockWithHeader(header)
	}
	for peer := range int64(2 * maxQueueBytes / maxPeerBytes) {
		ses := im.join(t)
		for i := range int64(5) {
			im.enqueue(arrival{block: large(3, 10*peer+i), from: ses})
		}
		if b := ses.claims.bytes; b > maxPeerBytes {
			t.Fatalf("a peer holds %d bytes, at most %d are allowed", b, maxPeerBytes)
		}
	}
	if im.bytes > maxQueueBytes || im.bytes < maxQueueBytes/2 {
		t.Errorf("the queue holds %d bytes, want at most %d and most of them", im.bytes, maxQueueBytes)
	}
	before := im.queued()
	im.enqueue(arrival{block: large(1, 1), from: im.join(t)})
	im.enqueue(arrival{block: block, from: im.join(t)})
	if im.queued() != before+2 {
		t.Error("no room for children of the head")
	}
}

// A block whose time has not quite come waits for it.
func TestImportFromTheFuture(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	unsealed := net.Build(t, chain, 0)
	header := unsealed.Header()
	header.Time = uint64(time.Now().Unix()) + 3
	early := net.Seal(t, chain, types.NewBlockWithHeader(header), 0)
	header.Time += 3600
	absurd := net.Seal(t, chain, types.NewBlockWithHeader(header), 0)
	im, o, ses := startImporter(t, chain, engine)
	im.push(t, ses, absurd)
	im.push(t, ses, early)
	awaitHead(t, chain, 1)
	if chain.CurrentBlock().Hash() != early.Hash() || len(o.dropped) != 0 {
		t.Errorf("head %v, %d peers dropped, want the early block and none", chain.CurrentBlock().Hash(), len(o.dropped))
	}
}

// serve connects a peer that answers requests.
func (im *testImporter) serve(t *testing.T, src *source) *session {
	t.Helper()
	return src.connect(t, &syncer{chain: im.chain, sessions: im.gossip.sessions})
}

// silent connects a peer that takes requests and answers none.
func (im *testImporter) silent(t *testing.T) *session {
	t.Helper()
	return im.serve(t, &source{before: func(uint64) bool { return true }})
}

// When the first peer that announced a block does not bring it, the next one is asked (spec network 2.6).
func TestSecondAnnouncerIsAsked(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	block := net.Extend(t, origin, 1)[0]
	header, err := block.Header().WithWBFTSeals(7, sealsOf(t, block).PreparedSeal, sealsOf(t, block).CommittedSeal)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := block.WithSeal(header)
	for _, test := range []struct {
		name    string
		first   func(t *testing.T, im *testImporter) *session
		dropped string // reason, empty for none
	}{
		{"no answer", func(t *testing.T, im *testImporter) *session { return im.silent(t) }, ""},
		{"does not have it", func(t *testing.T, im *testImporter) *session {
			return im.serve(t, &source{blocks: types.Blocks{junk(1, 1)}})
		}, ""},
		{"bad seals", func(t *testing.T, im *testImporter) *session {
			return im.serve(t, &source{blocks: types.Blocks{spoilt}})
		}, "seals"},
		{"gone", func(t *testing.T, im *testImporter) *session {
			ses := im.join(t)
			im.gossip.sessions.leave(ses)
			return ses
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			chain, engine := net.Chain(t)
			im, o, _ := startImporter(t, chain, engine)
			announcement := protocol.NewBlockHashesPacket{{Hash: block.Hash(), Number: 1}}
			first := test.first(t, im)
			second := im.serve(t, &source{blocks: types.Blocks{block}})
			for _, ses := range []*session{first, first, second} {
				if err := im.handleNewHashes(ses, announcement); err != nil {
					t.Fatal(err)
				}
			}
			awaitHead(t, chain, 1)
			if test.dropped == "" && len(o.dropped) != 0 {
				t.Errorf("dropped: %v", <-o.dropped)
			} else if test.dropped != "" {
				if reason := next(t, o.dropped); !strings.Contains(reason.Error(), test.dropped) {
					t.Errorf("dropped for %v", reason)
				}
			}
		})
	}
}

// A peer that announces what does not exist fills its own share only (spec network 2.6: 256 announcements a peer).
func TestFloodOfAnnouncements(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	block := net.Extend(t, origin, 1)[0]
	chain, engine := net.Chain(t)
	im, _, _ := startImporter(t, chain, engine)
	hostile := im.silent(t)
	for i := range 8 {
		var packet protocol.NewBlockHashesPacket
		for j := range maxPeerHashes {
			packet = append(packet, protocol.BlockAnnouncement{Hash: common.Hash{1, byte(i), byte(j)}, Number: 1})
		}
		if err := im.handleNewHashes(hostile, packet); err != nil {
			t.Fatal(err)
		}
	}
	im.mu.Lock()
	offers, share := len(im.offers), hostile.claims.hashes
	im.mu.Unlock()
	if offers > maxPeerHashes || share != maxPeerHashes {
		t.Errorf("%d blocks on offer, %d of them counted for the peer, want %d", offers, share, maxPeerHashes)
	}
	honest := im.serve(t, &source{blocks: types.Blocks{block}})
	if err := im.handleNewHashes(honest, protocol.NewBlockHashesPacket{{Hash: block.Hash(), Number: 1}}); err != nil {
		t.Fatal(err)
	}
	awaitHead(t, chain, 1)
}

// A header that breaks a rule and that a quorum has sealed all the same is not its sender's fault: the network goes where this
// node cannot follow, and the node says so.
func TestSealedInvalidHeader(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	header := net.Build(t, chain, 0).Header()
	header.GasLimit *= 2
	im, o, ses := startImporter(t, chain, engine)
	im.push(t, ses, net.Seal(t, chain, types.NewBlockWithHeader(header), 0))
	if reason := next(t, o.halted); !strings.Contains(reason, "sealed by a quorum") {
		t.Errorf("halted for %q", reason)
	}
	if len(o.dropped) != 0 || len(o.violated) != 0 || chain.CurrentBlock().Number.Sign() != 0 {
		t.Error("a peer is dropped, or a violation is reported, or the block is in the chain")
	}
}
