// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/messages"
	"gwon/dev/devnet"
	faultymodes "gwon/tools/faulty"
)

const (
	// boundsTime is how long TestBounds lasts; GWON_TEST_BOUNDS_TIME sets another time (make bounds: ten minutes).
	boundsTime = 30 * time.Second

	// boundsGap bounds the time between two blocks while three honest validators run: three rounds, 2 + 4 + 8 s, and the
	// one with the block. A dear proposal costs one, a proposer that has just been started another. Four would be 30 s.
	boundsGap = 20 * time.Second

	// boundsResident bounds the resident memory of each node in MiB.
	boundsResident = 1024

	strangers     = 24
	pushers       = 4           // strangers without a pause, each with a new identity after each refusal
	strangerPause = time.Second // of a stranger after each of its messages, which may have 10 MiB
	killPause     = 15 * time.Second
)

// TestBounds attacks a network of four validators and two followers with the worst that stays inside the rules, all
// at the same time: strangers send the most expensive message of each kind, one validator is faulty, funded accounts
// send the most expensive transactions, nodes are killed, and two nodes join late,
// one by full and one by snap sync. The faulty validator also proposes blocks that are dear to refute.
// Blocks go on while three honest validators run, memory stays bounded, no honest node is accused or halts, and both
// late nodes arrive (spec wbft 3.2).
func TestBounds(t *testing.T) {
	lasts := testTime(t, "GWON_TEST_BOUNDS_TIME", boundsTime)
	random := randomness(t)
	c := prepareCluster(t, 4)
	const faulty = 3
	honest := []int{0, 1, 2}
	modes := []string{"", faultymodes.DearInTime, faultymodes.Dear}
	t.Setenv(faultyMode, modes[0])
	bad := devnet.NewSupervisor(faultyBinary(t), nil, false, false)
	t.Cleanup(bad.Close)
	first := c.addFollowers(t, 4)
	full, snap := first+2, first+3
	var pids sync.Map // of the nodes, by index
	start := func(i int, extra ...string) {
		defer func() { pids.Store(i, c.processes[c.node(i)].Pid()) }()
		switch {
		case i >= first:
			c.follow(t, i, []int{0, 1, 2}, extra...)
		case i == faulty:
			p, err := bad.Start(c.node(i), withAdmin...)
			if err != nil {
				t.Fatal(err)
			}
			c.processes[c.node(i)] = p
		default:
			c.start(t, i, withAdmin...)
		}
	}
	for i := range full {
		start(i)
	}
	c.awaitHead(t, 3, c.running()...)
	c.giveCoins(t, c.node(faulty).Address) // for its dear proposals

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var attackers sync.WaitGroup
	var pushed, lives atomic.Int64
	message := pushedBlock(t, rlpList(t, emptyTransaction, (messages.MaxSize-64<<10)/len(emptyTransaction)))
	for range pushers {
		attackers.Go(func() {
			besiegeByFrames(ctx, c.node(0), ethOffset+protocol.NewBlockMsg, message, &pushed, &lives)
		})
	}
	said := make([]int, strangers)
	worst := worstMessages(t, c)
	for i := range strangers {
		f, o := worst[i%len(worst)], newOutsider(t, nil)
		attackers.Go(func() { said[i] = o.besiege(ctx, c, i%3, f) })
	}
	spenders := worstSpenders(t, c)
	sent := make([]int, len(spenders))
	for i, s := range spenders {
		attackers.Go(func() { sent[i] = s.spend(ctx, c) })
	}
	peak := make([]int, len(c.network.Nodes))
	memory := make(chan struct{})
	go func() {
		defer close(memory)
		sampleMemory(ctx, &pids, peak)
	}()

	quiet := new(calm)
	quiet.begin()
	kills := 0
	begun := time.Now()
	for joined := false; time.Since(begun) < lasts; {
		if !joined && time.Since(begun) > lasts/2 {
			joined = true
			start(full)
			start(snap, "--syncmode", "snap")
		}
		time.Sleep(killPause)
		victim := random.IntN(full)
		voter := slices.Contains(honest, victim)
		if voter {
			quiet.end()
		}
		c.kill(t, victim)
		kills++
		start(victim)
		c.awaitHead(t, 0, victim)
		if voter {
			quiet.begin()
		}
		if victim != faulty {
			c.kill(t, faulty)
			t.Setenv(faultyMode, modes[kills%len(modes)])
			start(faulty)
		}
	}
	for _, i := range []int{full, snap} {
		c.atHead(t, i, 0)
	}
	quiet.end()
	cancel()
	attackers.Wait()
	<-memory

	head, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	c.sameChain(t, head+2)
	times := make([]time.Time, 0, head)
	used := uint64(0)
	for _, b := range c.chain(t, 0, head)[1:] {
		times = append(times, time.Unix(int64(b.Time), 0))
		used += uint64(len(b.Transactions))
	}
	longest := quiet.longestGap(times)
	t.Logf("%d blocks with %d transactions in %v, longest gap %v, %d kills", head, used,
		time.Since(begun).Round(time.Second), longest, kills)
	if longest > boundsGap {
		t.Errorf("%v without a block while three honest validators ran, want %v at most", longest, boundsGap)
	}
	for i, n := range c.network.Nodes {
		t.Logf("%s: at most %d MiB resident", n.Name, peak[i])
		if i != faulty && peak[i] > boundsResident {
			t.Errorf("%s: %d MiB resident, want %d at most", n.Name, peak[i], boundsResident)
		}
	}
	for k, f := range worst {
		total := 0
		for i := k; i < strangers; i += len(worst) {
			total += said[i]
		}
		t.Logf("strangers with %s: %d messages", f.name, total)
	}
	t.Logf("strangers without a pause: %d messages of %d connections", pushed.Load(), lives.Load())
	for i, s := range spenders {
		t.Logf("%s: %d transactions sent", s.name, sent[i])
	}
	for _, i := range c.running() {
		if i == faulty {
			continue
		}
		log := nodeLog(t, c, i)
		if strings.Contains(log, wbft.HaltedMessage) {
			t.Errorf("%s has halted", c.node(i).Name)
		}
		for _, line := range misbehaviorLine.FindAllString(log, -1) {
			for _, h := range honest {
				if strings.Contains(line, "signer="+c.node(h).Address.Hex()) {
					t.Errorf("%s accuses %s, which is honest: %.200s", c.node(i).Name, c.node(h).Name, line)
				}
			}
		}
	}
}

// calm holds the times in which all honest validators ran.
type calm struct{ windows [][2]time.Time }

func (q *calm) begin() { q.windows = append(q.windows, [2]time.Time{time.Now()}) }
func (q *calm) end()   { q.windows[len(q.windows)-1][1] = time.Now() }

// longestGap returns the longest time inside a window without a block, given the times of all blocks in ascending
// order.
func (q *calm) longestGap(blocks []time.Time) (longest time.Duration) {
	for _, w := range q.windows {
		last := w[0]
		for _, b := range blocks {
			if b.After(w[0]) && b.Before(w[1]) {
				longest, last = max(longest, b.Sub(last)), b
			}
		}
		longest = max(longest, w[1].Sub(last))
	}
	return longest.Round(time.Second)
}

// sampleMemory notes the highest resident memory of each node in MiB until ctx ends. Pids has the process of each
// node by its index; one that has ended is left out.
func sampleMemory(ctx context.Context, pids *sync.Map, peak []int) {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		pids.Range(func(i, pid any) bool {
			if resident, err := residentMemory(pid.(int)); err == nil {
				peak[i.(int)] = max(peak[i.(int)], resident)
			}
			return true
		})
	}
}

// besiege sends the messages of a flood to node i until ctx ends, as somebody new after each connection that the node
// has ended. It returns how many it sent.
func (o *outsider) besiege(ctx context.Context, c *cluster, i int, f flood) (n int) {
	wait := func() {
		select {
		case <-time.After(strangerPause):
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		l, err := o.dial(ctx, c.node(i))
		for err == nil && ctx.Err() == nil {
			if err = f.say(l, n); err == nil {
				n++
			}
			wait()
			select {
			case <-l.closed:
				err = p2p.DiscRequested
			default:
			}
		}
		if ctx.Err() == nil && o.begin() != nil {
			return n
		}
		wait()
	}
	return n
}

// emptyTransaction is the shortest RLP that decodes as a transaction.
var emptyTransaction = []byte{0xc9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}

// rlpList returns the RLP list of n equal items that are encoded already.
func rlpList(t *testing.T, item []byte, n int) rlp.RawValue {
	t.Helper()
	list, err := rlp.EncodeToBytes([]rlp.RawValue{bytes.Repeat(item, n)})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// worstMessages are the most expensive messages of eth/68 and istanbul/100 that a peer without a key can make.
func worstMessages(t *testing.T, c *cluster) []flood {
	t.Helper()
	const room = messages.MaxSize - 64<<10
	tiny := rlpList(t, emptyTransaction, room/len(emptyTransaction))
	large, err := rlp.EncodeToBytes([]*types.Transaction{types.NewTx(&types.LegacyTx{Data: make([]byte, room)})})
	if err != nil {
		t.Fatal(err)
	}
	hashes := make([]byte, 32*4096)
	rand.Read(hashes)
	head := recent(c, 0)
	block := func(ahead int, txs rlp.RawValue, extra int) func(*link, int) error {
		return func(l *link, n int) error {
			number := uint64(max(int(head(10*n))+ahead, 1))
			x := &types.WBFTExtra{Vanity: make([]byte, extra)}
			header := &types.Header{
				ParentHash: randomHash(), UncleHash: types.EmptyUncleHash, TxHash: randomHash(), ReceiptHash: randomHash(),
				Root: randomHash(), Difficulty: common.Big1, Number: new(big.Int).SetUint64(number), GasLimit: 1 << 62,
				Time: uint64(time.Now().Unix()), BaseFee: common.Big1, Extra: x.Encode(),
			}
			return p2p.Send(l.eth, protocol.NewBlockMsg, []any{[]any{header, txs, []any{}}, number + 1})
		}
	}
	ask := func(code uint64, request any) func(*link, int) error {
		return func(l *link, n int) error {
			for id := range 16 {
				if err := p2p.Send(l.eth, code, []any{uint64(16*n + id), request}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	zeros := make([]byte, messages.MaxSize)
	known := func(l *link) []common.Hash {
		var b *block68
		if err := c.call(0, &b, "eth_getBlockByNumber", "latest", false); err != nil || b == nil {
			return nil
		}
		list := make([]common.Hash, 1024)
		for i := range list {
			list[i] = b.Hash
		}
		return list
	}
	return []flood{
		{"old blocks of a million transactions", block(-100, tiny, 0)},
		{"next blocks of a million transactions", block(2, tiny, 0)},
		{"blocks of one large transaction and extra data", block(20, large, 99<<10)},
		{"consensus messages of zeros", func(l *link, n int) error {
			return raw(l.istanbul, messages.CodePrePrepare+uint64(n)%4, zeros)
		}},
		{"transactions of ten bytes", func(l *link, n int) error { return p2p.Send(l.eth, protocol.TransactionsMsg, tiny) }},
		{"one transaction of 10 MiB", func(l *link, n int) error {
			return p2p.Send(l.eth, protocol.TransactionsMsg, rlp.RawValue(large))
		}},
		{"answers that were not asked for", func(l *link, n int) error {
			return p2p.Send(l.eth, protocol.PooledTransactionsMsg, []any{uint64(n), tiny})
		}},
		{"announcements", func(l *link, n int) error {
			list := make(protocol.NewBlockHashesPacket, 1400) // 64 KiB
			for i := range list {
				list[i] = protocol.BlockAnnouncement{Hash: randomHash(), Number: head(10*n) + uint64(i)%30}
			}
			return p2p.Send(l.eth, protocol.NewBlockHashesMsg, list)
		}},
		{"requests for receipts", func(l *link, n int) error { return ask(protocol.GetReceiptsMsg, known(l))(l, n) }},
		{"requests for bodies", func(l *link, n int) error { return ask(protocol.GetBlockBodiesMsg, known(l))(l, n) }},
		{"requests for headers", ask(protocol.GetBlockHeadersMsg, []any{uint64(1), uint64(1024), uint64(0), false})},
		{"requests for transactions", func(l *link, n int) error {
			list := make([]common.Hash, 0, 4096)
			for at := 0; at < len(hashes); at += 32 {
				list = append(list, common.Hash(hashes[at:at+32]))
			}
			return ask(protocol.GetPooledTransactionsMsg, list)(l, n)
		}},
	}
}

// block68 is what worstMessages needs of a block.
type block68 struct {
	Hash common.Hash `json:"hash"`
}

// spender is an account that sends expensive transactions, one after the other.
type spender struct {
	name string
	node int
	key  *ecdsa.PrivateKey
	make func(nonce uint64, tip, feeCap *big.Int) (*types.Transaction, error)
}

// spend sends transactions until ctx ends. It returns how many were accepted.
func (s *spender) spend(ctx context.Context, c *cluster) (accepted int) {
	for nonce := uint64(0); ctx.Err() == nil; {
		if s.submit(c, nonce) == nil {
			accepted++
			nonce++
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
		var next hexutil.Uint64
		if c.call(s.node, &next, "eth_getTransactionCount", addressOf(s.key), "pending") == nil {
			nonce = uint64(next)
		}
	}
	return accepted
}

func (s *spender) submit(c *cluster, nonce uint64) error {
	var tip hexutil.Big
	var b *block
	if err := c.call(s.node, &tip, "eth_maxPriorityFeePerGas"); err != nil {
		return err
	}
	if err := c.call(s.node, &b, "eth_getBlockByNumber", "latest", false); err != nil || b == nil {
		return fmt.Errorf("no block: %w", err)
	}
	tx, err := s.make(nonce, tip.ToInt(), new(big.Int).Add(tip.ToInt(),
		new(big.Int).Mul(b.BaseFee.ToInt(), big.NewInt(4))))
	if err != nil {
		return err
	}
	encoded, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	return c.call(s.node, new(common.Hash), "eth_sendRawTransaction", hexutil.Bytes(encoded))
}
