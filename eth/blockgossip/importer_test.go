// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"context"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/bucket"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// testImporter is an importer with what tests want to know of it.
type testImporter struct{ *Importer }

// join connects a peer that never says anything by itself.
func (im *testImporter) join(t *testing.T) *session.Session {
	t.Helper()
	return sessiontest.Join(t, im.gossip.sessions)
}

// push has a peer push a block.
func (im *testImporter) push(t *testing.T, ses *session.Session, block *types.Block) {
	t.Helper()
	packet := &protocol.NewBlockPacket{Block: encoded(t, block), TD: session.TotalDifficulty(im.chain, block.NumberU64())}
	must.Do(t, im.HandleNewBlock(ses, packet))
}

// encoded returns the RLP of a block.
func encoded(t testing.TB, block *types.Block) []byte {
	t.Helper()
	return must.Get(rlp.EncodeToBytes(block))(t)
}

// settle waits until the importer has looked at everything it was given before.
func (im *testImporter) settle(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(sessiontest.Patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		im.queue.mu.Lock()
		idle := true
		head := im.chain.CurrentBlock()
		for _, a := range im.queue.blocks {
			if a.block.NumberU64() <= head.Number.Uint64() || a.block.ParentHash() == head.Hash() {
				idle = false
			}
		}
		im.queue.mu.Unlock()
		if idle && len(im.wake) == 0 {
			return
		}
	}
	t.Fatal("the importer does not come to rest")
}

// queued tells how many blocks wait.
func (im *testImporter) queued() int {
	im.queue.mu.Lock()
	defer im.queue.mu.Unlock()
	return len(im.queue.blocks)
}

// told is what a peer is about to be sent: whole blocks and announcements.
func told(ses *session.Session) int {
	blocks, announcements := ses.Unsent()
	return blocks + announcements
}

func startImporter(t *testing.T, chain *gethcore.BlockChain, engine *wbft.Engine) (*testImporter, *sessiontest.Outcome,
	*session.Session) {
	t.Helper()
	im, o := stoppedImporter(chain, engine)
	sessiontest.Running(t, im.Run)
	return im, o, im.join(t)
}

// stoppedImporter returns an importer that does not run yet.
func stoppedImporter(chain *gethcore.BlockChain, engine *wbft.Engine) (*testImporter, *sessiontest.Outcome) {
	o, s := sessiontest.NewOutcome(), session.NewSessions()
	return &testImporter{NewImporter(chain, engine, New(chain, s), NewSafety(chain, engine, o.Halt, o.Violate), o.Drop, o,
		nil)}, o
}

// Blocks that overtake their parents wait for them, and the missing ones are asked for (spec network 2.6).
func TestImportOutOfOrder(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 5)
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	for _, i := range []int{4, 2, 3, 1} {
		im.push(t, ses, blocks[i])
	}
	expect.Equal(t, sessiontest.Next(t, o.Wanted), 5, "asked for the blocks up to")
	im.push(t, ses, blocks[0])
	sessiontest.AwaitHead(t, chain, 5)
	expect.Equal(t, chain.CurrentBlock().Hash(), source.CurrentBlock().Hash(), "another head")
}

// However many blocks become importable at once, the importer does not wait for itself: its imports make the events
// that it reads. A chain that is held up for longer than its period has such blocks.
// spec: network 2.6
func TestManyBlocksAtOnce(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, maxAhead)
	chain, engine := net.Chain(t)
	im, _ := stoppedImporter(chain, engine)
	ses := im.join(t)
	for _, block := range blocks {
		im.push(t, ses, block)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		im.Run(t.Context())
	}()
	sessiontest.AwaitHead(t, chain, maxAhead)
	select {
	case <-done:
		t.Error("the importer has ended")
	default:
	}
}

// badlySealed is a copy of a block that claims a round in which its seals were not made. It has the same hash.
func badlySealed(t *testing.T, good *types.Block) *types.Block {
	t.Helper()
	seals := sessiontest.SealsOf(t, good)
	header := must.Get(good.Header().WithWBFTSeals(7, seals.PreparedSeal, seals.CommittedSeal))(t)
	bad := good.WithSeal(header)
	must.Equal(t, bad.Hash(), good.Hash(), "the copies differ in hash")
	return bad
}

// A copy with bad seals costs its sender the connection and does not keep a good copy of the same hash out (spec wbft
// 1.4, 9.1 no. 4).
func TestImportBadSeals(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	good := net.Extend(t, source, 1)[0]
	bad := badlySealed(t, good)
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	im.push(t, ses, bad)
	reason := sessiontest.Next(t, o.Dropped)
	expect.That(t, strings.Contains(reason.Error(), "seals"), "dropped for %v", reason)
	im.push(t, ses, good)
	sessiontest.AwaitHead(t, chain, 1)
}

// What is further ahead than the next block is judged by its seals too: without a quorum's it costs the connection,
// keeps no place and has nothing asked for.
func TestForgedBlockAhead(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 3)
	chain, engine := net.Chain(t)
	for name, forged := range map[string]*types.Block{
		"seals of another round": badlySealed(t, blocks[2]),
		"no seals":               net.Build(t, source, 0),
	} {
		t.Run(name, func(t *testing.T) {
			im, o, ses := startImporter(t, chain, engine)
			im.push(t, ses, forged)
			reason := sessiontest.Next(t, o.Dropped)
			expect.That(t, strings.Contains(reason.Error(), "seals"), "%s: dropped for %v", name, reason)
			im.settle(t)
			expect.That(t, im.queued() == 0 && len(o.Wanted) == 0,
				"%s: %d blocks wait, asked for blocks %d times", name, im.queued(), len(o.Wanted))
		})
	}
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
	im.push(t, ses, unsealed)
	expect.Refused(t, sessiontest.Next(t, o.Dropped), "a peer is dropped without a reason")
	expect.Equal(t, len(o.Violated), 0, "an unsealed block counts")
	for range 2 { // reported once, however often it comes
		im.push(t, im.join(t), second)
	}
	reason := sessiontest.Next(t, o.Violated)
	expect.That(t, strings.Contains(reason, second.Hash().String()), "violation %q does not name the block", reason)
	im.settle(t)
	expect.That(t, len(o.Violated) == 0 && len(o.Halted) == 0 && len(o.Dropped) == 0 &&
		chain.CurrentBlock().Hash() == head, "reported twice, or another way, or the head has changed")
}

// A sealed block of doubtful size is passed on and waits. A sealed rival takes its place; its sealed child lets the
// node ask for both. Neither costs a peer its connection or stops sealing.
// spec: wbft 7.3
func TestImportOfDoubtfulSize(t *testing.T) {
	net := wbfttest.New(t, 4)
	net.Endow()
	origin, maker := net.Chain(t)
	rival := net.Seal(t, origin, net.Build(t, origin, 1), 1)
	doubtful := net.Sized(t, origin, 0, rules.MaxBlock+1)
	maker.Follow(types.Blocks{doubtful})
	must.Get(origin.InsertChain(types.Blocks{doubtful}))(t)
	child := net.Extend(t, origin, 1)[0]
	for name, next := range map[string]*types.Block{"child": child, "rival": rival} {
		chain, engine := net.Chain(t)
		im, o, ses := startImporter(t, chain, engine)
		other := im.join(t)
		im.push(t, ses, doubtful)
		deadline := time.Now().Add(sessiontest.Patience)
		for !engine.Holds(doubtful.Hash()) && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		expect.That(t, told(other) == 1, "%s: the other peer was told %d blocks", name, told(other))
		im.push(t, other, doubtful)
		im.push(t, ses, next)
		if next == rival {
			sessiontest.AwaitHead(t, chain, 1)
		} else if number := sessiontest.Next(t, o.Wanted); number != 2 {
			t.Errorf("asked for the blocks up to %d, want 2", number)
		}
		im.settle(t)
		if next == child && (chain.CurrentBlock().Number.Sign() != 0 || !engine.Holds(doubtful.Hash())) {
			t.Errorf("head %d, held %t", chain.CurrentBlock().Number, engine.Holds(doubtful.Hash()))
		}
		if next == child && (chain.GetBlockByNumber(1) != nil || chain.GetBlockByHash(doubtful.Hash()) != nil) {
			t.Error("the held block is served")
		}
		expect.That(t, len(o.Halted)+len(o.Violated)+len(o.Dropped) == 0,
			"%s: %d halts, %d violations, %d peers dropped", name, len(o.Halted), len(o.Violated), len(o.Dropped))
	}
}

// A peer's head moves to the parent of what it pushes, never back (spec network 2.6). Another total difficulty than the
// block's own is a lie, and moves nothing.
func TestPushRaisesClaim(t *testing.T) {
	net := wbfttest.New(t, 1)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 3)
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	want := session.TotalDifficulty(chain, 2)
	for _, block := range []*types.Block{blocks[2], blocks[1]} {
		im.push(t, ses, block)
		if head, td := ses.Claim(); head != blocks[2].ParentHash() || td.Cmp(want) != 0 {
			t.Errorf("after block %d: claim %v %v, want the parent of block 3 and %v", block.Number(), head, td, want)
		}
	}
	if len(o.Dropped) != 0 {
		t.Errorf("dropped: %v", <-o.Dropped)
	}
	for _, td := range []*big.Int{new(big.Int), session.TotalDifficulty(chain, 2), session.TotalDifficulty(chain, 4),
		big.NewInt(1_000_000)} {
		must.Do(t, im.HandleNewBlock(ses, &protocol.NewBlockPacket{Block: encoded(t, blocks[2]), TD: td}))
		reason := sessiontest.Next(t, o.Dropped)
		expect.That(t, strings.Contains(reason.Error(), "total difficulty"), "dropped for %v", reason)
		_, now := ses.Claim()
		expect.That(t, now.Cmp(want) == 0, "total difficulty %v: the claim moved to %v", td, now)
	}
}

// A block that several peers push is imported and passed on once (spec network 2.6).
func TestImportOnce(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	block := net.Extend(t, origin, 1)[0]
	chain, engine := net.Chain(t)
	im, o := stoppedImporter(chain, engine)
	first, second, bystander := im.join(t), im.join(t), im.join(t)
	imports := make(chan gethcore.ChainEvent, 8)
	defer chain.SubscribeChainEvent(imports).Unsubscribe()
	im.push(t, first, block)
	im.push(t, second, block)
	sessiontest.Running(t, im.Run)
	sessiontest.AwaitHead(t, chain, 1)
	im.push(t, first, block)
	im.settle(t)
	for deadline := time.Now().Add(sessiontest.Patience); told(bystander) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	expect.Equal(t, told(bystander), 1, "notices to a peer that did not have the block")
	expect.Equal(t, told(first)+told(second), 0, "the block is sent back to those who sent it")
	expect.That(t, len(imports) == 1 && len(o.Dropped) == 0 && im.queued() == 0,
		"%d imports, %d peers dropped, %d blocks left, want 1, 0, 0", len(imports), len(o.Dropped), im.queued())
}

// A block whose seals fail is not passed on, and its sender is dropped (spec network 2.6).
func TestBadBlockIsNotRelayed(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	bystander := im.join(t)
	im.push(t, ses, net.Build(t, chain, 0)) // valid but for its seals
	reason := sessiontest.Next(t, o.Dropped)
	expect.That(t, strings.Contains(reason.Error(), "seals"), "dropped for %v", reason)
	im.settle(t)
	expect.That(t, told(bystander) == 0 && chain.CurrentBlock().Number.Sign() == 0,
		"told %d times, head %d: the block was passed on or imported", told(bystander), chain.CurrentBlock().Number)
}

// Blocks beyond the window are ignored, whatever they hold; only the claim of their sender is noted (spec network 2.6).
func TestBlocksOutsideTheWindow(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	net.Extend(t, chain, maxBehind+2)
	head := chain.CurrentBlock().Number.Uint64()
	im, o, ses := startImporter(t, chain, engine)
	for _, number := range []uint64{0, 1, head + maxAhead + 1, 1 << 40, 1<<64 - 1} {
		im.push(t, ses, sessiontest.Junk(number, 1))
		must.Do(t, im.HandleNewHashes(ses, protocol.NewBlockHashesPacket{{Hash: common.Hash{1}, Number: number}}))
	}
	im.settle(t)
	im.fetcher.mu.Lock()
	offers := len(im.fetcher.offers)
	im.fetcher.mu.Unlock()
	if im.queued() != 0 || offers != 0 || len(o.Wanted) != 0 || len(o.Dropped) != 0 {
		t.Errorf("%d blocks queued, %d offers, %d peers asked, %d dropped, want none", im.queued(), offers, len(o.Wanted),
			len(o.Dropped))
	}
	_, td := ses.Claim()
	expect.That(t, td.IsUint64() && td.Uint64() == 1<<64-1, "claim %v, want what the peer said", td)
}

// A peer that floods fills its own share of the queue and keeps no other peer out (spec network 2.6: 64 blocks a peer).
func TestFloodOfBlocks(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 2)
	chain, engine := net.Chain(t)
	im, _, hostile := startImporter(t, chain, engine)
	for i := range int64(4 * maxPeerBlocks) {
		hostile.Pushed = bucket.Bucket{} // as if there had been time between
		im.push(t, hostile, sessiontest.Junk(wbfttest.EpochLength+1+uint64(i)%(maxAhead-wbfttest.EpochLength), i))
	}
	must.Equal(t, im.queued(), maxPeerBlocks, "blocks of one peer wait")
	honest := im.join(t)
	im.push(t, honest, blocks[1])
	im.push(t, honest, blocks[0])
	sessiontest.AwaitHead(t, chain, 2)
	// What a peer had waiting goes with its connection.
	im.gossip.sessions.Leave(hostile)
	im.nudge()
	for deadline := time.Now().Add(sessiontest.Patience); im.queued() != 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	im.queue.mu.Lock()
	defer im.queue.mu.Unlock()
	if len(im.queue.blocks) != 0 || im.queue.openBytes != 0 || im.queue.sealedBytes != 0 || len(im.queue.shares) != 0 {
		t.Errorf("left: %d blocks, %d and %d bytes, shares %v", len(im.queue.blocks), im.queue.sealedBytes,
			im.queue.openBytes, im.queue.shares)
	}
}

// Large blocks are bounded by their bytes. A block whose seals cannot be verified yet is bounded for a peer and for all
// peers together, and takes no room from what a quorum has sealed; of that the child of the head always has room.
func TestQueueBytes(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	im, _ := stoppedImporter(chain, engine)
	head := chain.CurrentBlock().Hash()
	large := func(parent common.Hash, salt int64) *types.Block {
		header := sessiontest.Junk(5, salt).Header()
		header.ParentHash, header.Extra = parent, make([]byte, 5<<20)
		return types.NewBlockWithHeader(header)
	}
	for peer := range int64(2 * maxOpenBytes / maxPeerBytes) {
		ses := im.join(t)
		for i := range int64(5) {
			im.keep(arrival{block: large(common.Hash{1}, 10*peer+i), from: ses})
		}
		if l := im.queue.shares[ses]; l != nil && l.bytes > maxPeerBytes {
			t.Fatalf("a peer holds %d bytes, at most %d are allowed", l.bytes, maxPeerBytes)
		}
	}
	// Not even what claims to be a child of the head is exempt.
	im.keep(arrival{block: large(head, 1), from: im.join(t)})
	im.keep(arrival{block: large(head, 2), from: im.join(t)})
	if im.queue.openBytes > maxOpenBytes || im.queue.openBytes < maxOpenBytes/2 || im.queue.sealedBytes != 0 {
		t.Errorf("the queue holds %d open and %d sealed bytes, want at most %d open ones and most of them",
			im.queue.openBytes, im.queue.sealedBytes, maxOpenBytes)
	}
	for i := range int64(2 * maxSealedBytes / (5 << 20)) {
		im.keep(arrival{block: large(common.Hash{1}, 100+i), from: im.join(t), sealed: true})
	}
	expect.That(t, im.queue.sealedBytes <= maxSealedBytes && im.queue.sealedBytes >= maxSealedBytes/2,
		"the queue holds %d sealed bytes, want at most %d and most of them", im.queue.sealedBytes, maxSealedBytes)
	before := im.queued()
	for range 3 { // one copy of it, from any number of peers
		im.keep(arrival{block: large(head, 200), from: im.join(t), sealed: true})
	}
	expect.That(t, im.queued() == before+1, "%d copies of a sealed child of the head are kept, want 1", im.queued()-before)
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
	sessiontest.AwaitHead(t, chain, 1)
	expect.That(t, chain.CurrentBlock().Hash() == early.Hash() && len(o.Dropped) == 0,
		"head %v, %d peers dropped, want the early block and none", chain.CurrentBlock().Hash(), len(o.Dropped))
}

// serve connects a peer that answers requests.
func (im *testImporter) serve(t *testing.T, src *sessiontest.Source) *session.Session {
	t.Helper()
	return src.Connect(t, im.gossip.sessions, im.chain)
}

// silent connects a peer that takes requests and answers none.
func (im *testImporter) silent(t *testing.T) *session.Session {
	t.Helper()
	return im.serve(t, &sessiontest.Source{Before: func(uint64) bool { return true }})
}

// When the first peer that announced a block does not bring it, the next one is asked (spec network 2.6).
func TestSecondAnnouncerIsAsked(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	block := net.Extend(t, origin, 1)[0]
	spoilt := badlySealed(t, block)
	for _, test := range []struct {
		name    string
		first   func(t *testing.T, im *testImporter) *session.Session
		dropped string // reason, empty for none
	}{
		{"no answer", func(t *testing.T, im *testImporter) *session.Session { return im.silent(t) }, ""},
		{"does not have it", func(t *testing.T, im *testImporter) *session.Session {
			return im.serve(t, &sessiontest.Source{Blocks: types.Blocks{sessiontest.Junk(1, 1)}})
		}, ""},
		{"bad seals", func(t *testing.T, im *testImporter) *session.Session {
			return im.serve(t, &sessiontest.Source{Blocks: types.Blocks{spoilt}})
		}, "seals"},
		{"gone", func(t *testing.T, im *testImporter) *session.Session {
			ses := im.join(t)
			im.gossip.sessions.Leave(ses)
			return ses
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			chain, engine := net.Chain(t)
			im, o := stoppedImporter(chain, engine)
			im.answer = time.Hour // who is silent has not failed by the time that the other one has answered
			sessiontest.Running(t, im.Run)
			announcement := protocol.NewBlockHashesPacket{{Hash: block.Hash(), Number: 1}}
			first := test.first(t, im)
			second := im.serve(t, &sessiontest.Source{Blocks: types.Blocks{block}})
			for _, ses := range []*session.Session{first, first, second} {
				must.Do(t, im.HandleNewHashes(ses, announcement))
			}
			sessiontest.AwaitHead(t, chain, 1)
			held := -1
			for deadline := time.Now().Add(sessiontest.Patience); held != 0 && time.Now().Before(deadline); runtime.Gosched() {
				im.fetcher.mu.Lock()
				held = len(im.fetcher.offers) + len(im.fetcher.hashes)
				im.fetcher.mu.Unlock()
			}
			expect.Equal(t, held, 0, "the block is still on offer, or counted for those who have announced it")
			if test.dropped == "" && len(o.Dropped) != 0 {
				t.Errorf("dropped: %v", <-o.Dropped)
			} else if test.dropped != "" {
				reason := sessiontest.Next(t, o.Dropped)
				expect.That(t, strings.Contains(reason.Error(), test.dropped), "dropped for %v", reason)
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
		must.Do(t, im.HandleNewHashes(hostile, packet))
	}
	im.fetcher.mu.Lock()
	offers, share := len(im.fetcher.offers), im.fetcher.hashes[hostile]
	im.fetcher.mu.Unlock()
	expect.That(t, offers <= maxPeerHashes && share == maxPeerHashes,
		"%d blocks on offer, %d of them counted for the peer, want %d", offers, share, maxPeerHashes)
	honest := im.serve(t, &sessiontest.Source{Blocks: types.Blocks{block}})
	must.Do(t, im.HandleNewHashes(honest, protocol.NewBlockHashesPacket{{Hash: block.Hash(), Number: 1}}))
	sessiontest.AwaitHead(t, chain, 1)
}

// A header that breaks a rule and that a quorum has sealed all the same is not its sender's fault: the network goes
// where this node cannot follow, and the node says so.
func TestSealedInvalidHeader(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	header := net.Build(t, chain, 0).Header()
	header.GasLimit *= 2
	im, o, ses := startImporter(t, chain, engine)
	im.push(t, ses, net.Seal(t, chain, types.NewBlockWithHeader(header), 0))
	expect.Contains(t, sessiontest.Next(t, o.Halted), "sealed by a quorum", "halted for")
	expect.That(t, len(o.Dropped) == 0 && len(o.Violated) == 0 && chain.CurrentBlock().Number.Sign() == 0,
		"a peer is dropped, or a violation is reported, or the block is in the chain")
}

// wire is a block as it goes over the wire, with room for what does not belong to it (spec network 2.2).
type wire struct {
	Header      *types.Header
	Txs         []*types.Transaction
	Uncles      []*types.Header
	Withdrawals []*types.Withdrawal `rlp:"optional"`
}

// received returns the block that a node decodes.
func (w wire) received(t *testing.T) *types.Block {
	t.Helper()
	data := must.Get(rlp.EncodeToBytes(&w))(t)
	block := new(types.Block)
	must.Do(t, rlp.DecodeBytes(data, block))
	return block
}

// Whatever is wrong with a pushed block, no node halts, nothing of it is passed on, and the good block that comes
// afterwards is imported. It costs the sender its connection, unless an honest node of the other client would have
// passed the block on itself (spec network 2.6).
func TestMalformedBlocks(t *testing.T) {
	net := wbfttest.New(t, 4)
	key := must.Get(crypto.GenerateKey())(t)
	net.Genesis.Alloc[crypto.PubkeyToAddress(key.PublicKey)] = types.Account{Balance: new(big.Int).Lsh(common.Big1, 100)}
	signer := types.LatestSigner(net.Genesis.Config)
	transfer := func(nonce uint64) *types.Transaction {
		return types.MustSignNewTx(key, signer, &types.LegacyTx{Nonce: nonce, To: &common.Address{1}, Gas: 21000,
			GasPrice: new(big.Int).Lsh(common.Big1, 50)})
	}
	origin, _ := net.Chain(t)
	good := net.Seal(t, origin, net.Build(t, origin, 0, transfer(0), transfer(1)), 0)
	txs := good.Transactions()
	sidecar := types.NewTx(&types.BlobTx{
		ChainID: uint256.MustFromBig(net.Genesis.Config.ChainID), BlobHashes: []common.Hash{{1}},
		Sidecar: types.NewBlobTxSidecar(0, []kzg4844.Blob{{}}, []kzg4844.Commitment{{}}, []kzg4844.Proof{{}}),
	})
	header := func(change func(*types.Header)) *types.Header {
		h := good.Header()
		change(h)
		return h
	}
	seals := sessiontest.SealsOf(t, good)
	for _, test := range []struct {
		name  string
		block wire
		keeps bool // the sender stays
	}{
		{"no withdrawals, said so", wire{good.Header(), txs, nil, []*types.Withdrawal{}}, true},
		{"a withdrawal", wire{good.Header(), txs, nil, []*types.Withdrawal{{Amount: 1}}}, true},
		{"withdrawals without seals", wire{net.Build(t, origin, 1, transfer(0), transfer(1)).Header(), txs, nil,
			[]*types.Withdrawal{}}, false},
		{"withdrawals and other transactions", wire{good.Header(), txs[:1], nil, []*types.Withdrawal{}}, false},
		{"uncles", wire{good.Header(), txs, []*types.Header{good.Header()}, nil}, false},
		{"missing transaction", wire{good.Header(), txs[:1], nil, nil}, false},
		{"no transactions", wire{good.Header(), nil, nil, nil}, false},
		{"surplus transaction", wire{good.Header(), append(txs[:2:2], transfer(2)), nil, nil}, false},
		{"other order", wire{good.Header(), types.Transactions{txs[1], txs[0]}, nil, nil}, false},
		{"sidecar", wire{good.Header(), append(txs[:2:2], sidecar), nil, nil}, false},
		{"header of a later fork", wire{header(func(h *types.Header) { h.WithdrawalsHash = &types.EmptyWithdrawalsHash }),
			txs, nil, nil}, false},
		{"header of a later fork, and its body",
			wire{header(func(h *types.Header) { h.WithdrawalsHash = &types.EmptyWithdrawalsHash }), txs, nil,
				[]*types.Withdrawal{}}, false},
		{"header that commits to uncles", wire{header(func(h *types.Header) { h.UncleHash = common.Hash{1} }), txs, nil, nil},
			false},
		{"difficulty", wire{header(func(h *types.Header) { h.Difficulty = common.Big2 }), txs, nil, nil}, false},
		{"foreign extra data", wire{header(func(h *types.Header) { h.Extra = []byte("foreign") }), txs, nil, nil}, false},
		{"no extra data", wire{header(func(h *types.Header) { h.Extra = nil }), txs, nil, nil}, false},
		{"damaged seal", wire{header(func(h *types.Header) {
			damaged := seals.Copy()
			damaged.CommittedSeal.Signature[5] ^= 1
			h.Extra = damaged.Encode()
		}), txs, nil, nil}, false},
		{"seals of another round", wire{header(func(h *types.Header) {
			damaged := seals.Copy()
			damaged.Round++
			h.Extra = damaged.Encode()
		}), txs, nil, nil}, false},
		{"no seals", wire{header(func(h *types.Header) {
			damaged := seals.Copy()
			damaged.PreparedSeal, damaged.CommittedSeal = nil, nil
			h.Extra = damaged.Encode()
		}), txs, nil, nil}, false},
		{"another state root than sealed", wire{header(func(h *types.Header) { h.Root = common.Hash{1} }), txs, nil, nil},
			false},
	} {
		t.Run(test.name, func(t *testing.T) {
			chain, engine := net.Chain(t)
			im, o, hostile := startImporter(t, chain, engine)
			bystander := im.join(t)
			im.push(t, hostile, test.block.received(t))
			im.settle(t)
			expect.That(t, told(bystander) == 0 && chain.CurrentBlock().Number.Sign() == 0,
				"told %d times, head %d: the block was passed on or imported", told(bystander), chain.CurrentBlock().Number)
			expect.Equal(t, len(o.Dropped) == 0, test.keeps, "the sender stays")
			im.push(t, im.join(t), wire{good.Header(), txs, nil, nil}.received(t))
			sessiontest.AwaitHead(t, chain, 1)
			expect.That(t, len(o.Halted) == 0 && len(o.Violated) == 0, "%d halts, %d violations", len(o.Halted), len(o.Violated))
		})
	}
}

// A block that passes the gate and that a quorum has sealed, but that does not execute here, is what a node halts for:
// the network has decided something it cannot follow.
func TestSealedBlockThatDoesNotExecute(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	header := net.Build(t, chain, 0).Header()
	header.Root = common.Hash{1}
	im, o, ses := startImporter(t, chain, engine)
	im.push(t, ses, net.Seal(t, chain, types.NewBlockWithHeader(header), 0))
	expect.Contains(t, sessiontest.Next(t, o.Halted), "sealed by a quorum", "halted for")
	expect.That(t, len(o.Dropped) == 0 && chain.CurrentBlock().Number.Sign() == 0,
		"a peer is dropped, or the block is in the chain")
}

// A body that does not belong to its header costs the peer that served it its connection, and the block comes from
// another.
func TestFetchedBodyPassesTheGate(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	block := net.Extend(t, origin, 1)[0]
	chain, engine := net.Chain(t)
	im, o, _ := startImporter(t, chain, engine)
	foreign := block.Header()
	foreign.UncleHash = common.Hash{1}
	spoilt := types.NewBlockWithHeader(foreign)
	liar := im.serve(t, &sessiontest.Source{Blocks: types.Blocks{spoilt}})
	must.Do(t, im.HandleNewHashes(liar, protocol.NewBlockHashesPacket{{Hash: spoilt.Hash(), Number: 1}}))
	expect.Refused(t, sessiontest.Next(t, o.Dropped), "a peer is dropped without a reason")
	honest := im.serve(t, &sessiontest.Source{Blocks: types.Blocks{block}})
	must.Do(t, im.HandleNewHashes(honest, protocol.NewBlockHashesPacket{{Hash: block.Hash(), Number: 1}}))
	sessiontest.AwaitHead(t, chain, 1)
}

// While the first peer that has announced a block does not answer, the next one is asked half a second later (spec
// network 2.6).
func TestNextAnnouncerInTime(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	synctest.Test(t, func(t *testing.T) {
		im, _ := stoppedImporter(chain, engine)
		begun, asked := time.Now(), make(chan time.Duration, 4)
		announced := protocol.BlockAnnouncement{Hash: common.Hash{1}, Number: 1}
		for range 3 {
			im.fetcher.announced(im.serve(t, &sessiontest.Source{Before: func(uint64) bool {
				asked <- time.Since(begun)
				return true
			}}), announced)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var fetching sync.WaitGroup
		fetching.Go(func() { im.fetcher.fetch(ctx, announced) })
		for i, want := range []time.Duration{450 * time.Millisecond, 950 * time.Millisecond, 1450 * time.Millisecond} {
			expect.Equal(t, <-asked, want, "peer %d is asked after", i+1)
		}
		cancel()
		fetching.Wait()
	})
}

// Peers that have left a request unanswered are asked after the others for the next block, whatever their number.
func TestSilentAnnouncersAreAskedLast(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	block := net.Extend(t, chain, 1)[0]
	synctest.Test(t, func(t *testing.T) {
		im, _ := stoppedImporter(chain, engine)
		asked := make(chan string, 8)
		connect := func(name string, silent bool) *session.Session {
			return im.serve(t, &sessiontest.Source{Blocks: types.Blocks{block}, Before: func(uint64) bool {
				asked <- name
				return silent
			}})
		}
		peers := []*session.Session{connect("silent", true), connect("silent", true), connect("honest", false)}
		for round, want := range [][]string{{"silent", "silent", "honest"}, {"honest"}, {"honest"}} {
			announced := protocol.BlockAnnouncement{Hash: common.Hash{byte(round)}, Number: 1}
			for _, ses := range peers {
				im.fetcher.announced(ses, announced)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var fetching sync.WaitGroup
			im.fetcher.get = func(ctx context.Context, ses *session.Session, _ protocol.BlockAnnouncement) error {
				return im.get(ctx, ses, protocol.BlockAnnouncement{Hash: block.Hash(), Number: 1})
			}
			fetching.Go(func() { im.fetcher.fetch(ctx, announced) })
			for i, name := range want {
				expect.Equal(t, <-asked, name, "round %d: peer %d asked", round, i+1)
			}
			fetching.Wait()
			cancel()
			for len(asked) > 0 {
				<-asked // the header and the body are two requests
			}
		}
	})
}
