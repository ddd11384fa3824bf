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
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/messages"
)

const (
	// floodTime is how long a flood lasts; GWON_TEST_FLOOD_TIME sets another time (make floods: a minute).
	floodTime = 30 * time.Second
	floodTick = 100 * time.Millisecond

	// maxFloodPeriod is the time that a block may take on average meanwhile: twice that of an undisturbed network.
	maxFloodPeriod = 2 * time.Second

	// maxFaultyPeriod is the same for a network of four in which every fourth turn to propose ends with a timeout of two
	// seconds or more: three blocks in five seconds at best.
	maxFaultyPeriod = 5 * time.Second

	// maxLog bounds the log of a node that a validator floods, in bytes: one line a second of misbehavior, with its
	// evidence.
	maxLog = 512 << 10

	// maxResident bounds the resident memory of a flooded node in MiB. Measured are 125 to 180, of which an idle node
	// takes about 120; the garbage collector may let it double. What one peer may make the node hold is 12 MiB of
	// encoded blocks, four times that when decoded, 22 MiB of messages, a few of the largest messages while they are
	// read, and a full pool. Without the bounds on waiting blocks the flood of them took 536.
	maxResident = 400
)

// floodVariable names the environment variable with another time for a flood.
const floodVariable = "GWON_TEST_FLOOD_TIME"

// flood is one way to attack a node. say is called every floodTick until the connection ends; n counts the calls of
// the attack.
type flood struct {
	name string
	say  func(l *link, n int) error
}

// siege is a network of four validators under attack.
type siege struct {
	*cluster
	links []map[string]peerInfo // of each validator with the others, before the attack
}

// besiege starts the network and waits until the validators are connected and seal blocks.
func besiege(t *testing.T) *siege {
	t.Helper()
	s := &siege{cluster: prepareCluster(t, 4)}
	for i := range s.network.Nodes {
		s.start(t, i, withAdmin...)
	}
	for i := range s.network.Nodes {
		s.links = append(s.links, s.awaitLinks(t, i, 3))
	}
	s.awaitHead(t, 3, s.running()...)
	return s
}

// endure runs attacks for a time. begin starts them with a context that ends then. The chain keeps its pace
// meanwhile. It returns the head and the highest resident memory of each validator in MiB.
func (s *siege) endure(t *testing.T, lasts time.Duration, begin func(ctx context.Context,
	attacks *sync.WaitGroup)) (end uint64, peak []int) {
	t.Helper()
	start, err := s.head(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var attacks sync.WaitGroup
	begin(ctx, &attacks)
	peak = s.watchMemory(t, ctx, s.running()...)
	attacks.Wait()
	if end, err = s.head(0); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d blocks in %v", end-start, lasts)
	if fewest := uint64(lasts / maxFloodPeriod); end < start+fewest {
		t.Errorf("%d blocks in %v, want at least %d", end-start, lasts, fewest)
	}
	return end, peak
}

// unharmed checks that a validator was really attacked, that its memory stayed bounded, and that it kept its
// connections.
func (s *siege) unharmed(t *testing.T, i int, by string, said, peak int) {
	t.Helper()
	t.Logf("%s by %s: %d rounds, at most %d MiB resident", s.node(i).Name, by, said, peak)
	if said < 100 {
		t.Errorf("%s by %s: something was said %d times only", s.node(i).Name, by, said)
	}
	if peak > maxResident {
		t.Errorf("%s by %s: %d MiB resident, want at most %d", s.node(i).Name, by, peak, maxResident)
	}
	for name, p := range s.awaitLinks(t, i, 3) {
		old := s.links[i][name].Network
		if p.Network.LocalAddress != old.LocalAddress || p.Network.RemoteAddress != old.RemoteAddress {
			t.Errorf("%s by %s: it has lost its connection with %s in between", s.node(i).Name, by, name)
		}
	}
}

// Each validator of a network is flooded by a peer of its own, in four different ways. The chain keeps
// its pace, memory stays bounded, and the validators stay connected (spec network 6, wbft 9.3).
func TestFloods(t *testing.T) {
	s := besiege(t)
	tip, feeCap := s.fees(t, 0)
	floods := []flood{
		{"transactions", floodOfTransactions(t, s.network.Accounts[1].Key(), tip, feeCap)},
		{"blocks", floodOfBlocks(s.cluster)},
		{"announcements", floodOfAnnouncements(s.cluster)},
		{"consensus messages", floodOfMessages(t, s.cluster)},
	}
	said := make([]int, len(floods))
	end, peak := s.endure(t, testTime(t, floodVariable, floodTime), func(ctx context.Context, attacks *sync.WaitGroup) {
		for i, f := range floods {
			o := newOutsider(t, nil)
			attacks.Go(func() { said[i] = o.attack(ctx, s.cluster, i, f) })
		}
	})
	for i, f := range floods {
		s.unharmed(t, i, f.name, said[i], peak[i])
	}
	s.sameChain(t, end+2)
}

// A validator floods another one with what its key can sign: votes for blocks that do not exist, twice for each view,
// seals that do not verify, ROUND-CHANGEs to every round, and noise. One of four is within what the protocol
// tolerates (spec wbft 3.2): the others decide blocks, and its messages fill neither memory nor the log. Its own
// turns to propose pass with a timeout each.
func TestFloodOfAValidator(t *testing.T) {
	c := prepareCluster(t, 4)
	for i := range 3 {
		c.start(t, i, withAdmin...)
	}
	c.awaitHead(t, 3, 0, 1, 2)
	faulty, err := crypto.LoadECDSA(filepath.Join(c.node(3).Dir, "gwon", "nodekey"))
	if err != nil {
		t.Fatal(err)
	}
	start, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	lasts := testTime(t, floodVariable, floodTime)
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var attack sync.WaitGroup
	said := 0
	attack.Go(func() {
		said = newOutsider(t, faulty).attack(ctx, c, 0, flood{"validator", floodOfVotes(c, faulty)})
	})
	peak := c.watchMemory(t, ctx, 0)
	attack.Wait()
	end, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.Stat(c.node(0).LogFile())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d blocks in %v, %d rounds of messages, at most %d MiB resident, %d KiB of log", end-start, lasts, said,
		peak[0], written.Size()>>10)
	if fewest := uint64(lasts / maxFaultyPeriod); end < start+fewest || said < 100 {
		t.Errorf("%d blocks while the validator spoke %d times, want at least %d and 100", end-start, said, fewest)
	}
	if peak[0] > maxResident || written.Size() > maxLog {
		t.Errorf("%d MiB resident and %d bytes of log, want at most %d and %d", peak[0], written.Size(), maxResident, maxLog)
	}
	c.sameChain(t, end+2)
}

// attack floods node i until ctx ends, and connects again whenever the node has had enough: as somebody new, if it
// may, since the node does not let a liar in again. It returns how often it spoke.
func (o *outsider) attack(ctx context.Context, c *cluster, i int, f flood) int {
	ticker := time.NewTicker(floodTick)
	defer ticker.Stop()
	n := 0
	for ctx.Err() == nil {
		l, err := o.dial(ctx, c.node(i))
		for err == nil && ctx.Err() == nil {
			if err = f.say(l, n); err == nil {
				n++
			}
			select {
			case <-ticker.C:
			case <-l.closed:
				err = p2p.DiscRequested
			}
		}
		if ctx.Err() == nil && o.begin() != nil {
			return n
		}
		<-ticker.C
	}
	return n
}

// watchMemory samples the resident memory of nodes until ctx ends and returns the highest value of each in MiB.
func (c *cluster) watchMemory(t *testing.T, ctx context.Context, nodes ...int) []int {
	t.Helper()
	peak := make([]int, len(c.network.Nodes))
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		for _, i := range nodes {
			resident, err := residentMemory(c.processes[c.node(i)].Pid())
			if err != nil {
				t.Fatalf("%s: %v", c.node(i).Name, err)
			}
			peak[i] = max(peak[i], resident)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
	return peak
}

// floodOfTransactions says transfers of accounts that have nothing, transfers that are good, some of them with a gap
// in their nonces, and announces transactions that do not exist.
func floodOfTransactions(t *testing.T, rich *ecdsa.PrivateKey, tip, feeCap *big.Int) func(*link, int) error {
	t.Helper()
	signer := types.LatestSignerForChainID(big.NewInt(chainID))
	sign := func(key *ecdsa.PrivateKey, nonce uint64) (*types.Transaction, error) {
		return types.SignNewTx(key, signer, &types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: gethparams.TxGas + 50_000,
			To: &common.Address{1}, Value: common.Big1, Data: make([]byte, 1024),
		})
	}
	var poor []*ecdsa.PrivateKey
	for range 16 {
		key, _ := emptyAccount(t)
		poor = append(poor, key)
	}
	nonce := uint64(0)
	return func(l *link, n int) error {
		var txs []*types.Transaction
		add := func(key *ecdsa.PrivateKey, nonce uint64) error {
			tx, err := sign(key, nonce)
			txs = append(txs, tx)
			return err
		}
		for i, key := range poor {
			if err := add(key, uint64(16*n+i)); err != nil {
				return err
			}
		}
		for range 4 {
			if err := add(rich, nonce); err != nil {
				return err
			}
			if err := add(rich, nonce+1_000_000); err != nil {
				return err
			}
			nonce++
		}
		if err := p2p.Send(l.eth, protocol.TransactionsMsg, txs); err != nil {
			return err
		}
		const announced = 256
		kinds, sizes, hashes := make([]byte, announced), make([]uint32, announced), make([]common.Hash, announced)
		for i := range hashes {
			kinds[i], sizes[i], hashes[i] = types.DynamicFeeTxType, 200, randomHash()
		}
		return p2p.Send(l.eth, protocol.NewPooledTransactionHashesMsg, []any{kinds, sizes, hashes})
	}
}

func randomHash() (h common.Hash) {
	rand.Read(h[:]) // never fails
	return h
}

// recent gives the number of a node's newest block, asked for now and then.
func recent(c *cluster, i int) func(n int) uint64 {
	var head uint64
	return func(n int) uint64 {
		if n%10 == 0 {
			if now, err := c.head(i); err == nil {
				head = now
			}
		}
		return head
	}
}

// floodOfBlocks pushes blocks that nobody has sealed, and that nobody can judge, since they lie beyond the next epoch
// block: as far ahead as a node waits for, so that they would stay long, with large headers and bodies. Now and then it
// says what costs the connection: a block far ahead that it cannot show, one that is long decided, a child of the head,
// and blocks of 10 MiB of the shortest transactions, which take 371 MB when they are decoded.
func floodOfBlocks(c *cluster) func(*link, int) error {
	head := recent(c, 1)
	var body types.Body
	for i := range 16 {
		body.Transactions = append(body.Transactions,
			types.NewTx(&types.LegacyTx{Nonce: uint64(i), Data: make([]byte, 100<<10)}))
	}
	root := types.DeriveSha(types.Transactions(body.Transactions), trie.NewStackTrie(nil))
	extra := (&types.WBFTExtra{Vanity: make([]byte, 64<<10)}).Encode()
	return func(l *link, n int) error {
		push := func(number uint64, parent common.Hash, large bool) error {
			header := &types.Header{
				ParentHash: parent, UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash,
				ReceiptHash: types.EmptyReceiptsHash,
				Root:        randomHash(), Difficulty: common.Big1, Number: new(big.Int).SetUint64(number), GasLimit: 105_000_000,
				Time: uint64(time.Now().Unix()), BaseFee: common.Big1, Extra: extra,
			}
			block := types.NewBlockWithHeader(header)
			if large {
				header.TxHash = root
				block = types.NewBlockWithHeader(header).WithBody(body)
			}
			return p2p.Send(l.eth, protocol.NewBlockMsg, []any{block, number + 1})
		}
		now := head(n)
		for i := range uint64(8) {
			if err := push(now+20+i, randomHash(), n%2 == 0 && i == 0); err != nil {
				return err
			}
		}
		if n%50 == 34 {
			message, err := stuffed(now + 20)
			if err != nil {
				return err
			}
			if err := raw(l.eth, protocol.NewBlockMsg, message); err != nil {
				return err
			}
		}
		switch {
		case n%250 == 249:
			return push(now+1, c.hash(1, now), false)
		case n%50 == 49:
			return push(now+1_000_000, randomHash(), false)
		case n%50 == 24:
			return push(now, randomHash(), false)
		}
		return nil
	}
}

// stuffed returns a message with a block of a number that holds as many of the shortest transactions as there is room
// for.
func stuffed(number uint64) ([]byte, error) {
	header := &types.Header{
		UncleHash: types.EmptyUncleHash, Difficulty: common.Big1, Number: new(big.Int).SetUint64(number), GasLimit: 1 << 62,
		BaseFee: common.Big1, Extra: new(types.WBFTExtra).Encode(),
	}
	w := rlp.NewEncoderBuffer(nil)
	txs := w.List()
	shortest := append([]byte{0xc9}, bytes.Repeat([]byte{0x80}, 9)...)
	_, _ = w.Write(bytes.Repeat(shortest, (10<<20-4096)/len(shortest)))
	w.ListEnd(txs)
	return rlp.EncodeToBytes([]any{[]any{header, rlp.RawValue(w.ToBytes()), []any{}}, number + 1})
}

// hash returns the hash of a block of node i, zero if it does not answer.
func (c *cluster) hash(i int, number uint64) common.Hash {
	var b *block
	if err := c.call(i, &b, "eth_getBlockByNumber", fmt.Sprintf("%#x", number), false); err != nil || b == nil {
		return common.Hash{}
	}
	return b.Hash
}

// floodOfAnnouncements announces blocks that do not exist: many of near numbers, and now and then a list of 8 MiB.
func floodOfAnnouncements(c *cluster) func(*link, int) error {
	head := recent(c, 2)
	return func(l *link, n int) error {
		now, count := head(n), 256
		if n%20 == 0 {
			count = 200_000
		}
		list := make(protocol.NewBlockHashesPacket, count)
		for i := range list {
			list[i] = protocol.BlockAnnouncement{Hash: randomHash(), Number: now + uint64(i)%30}
		}
		return p2p.Send(l.eth, protocol.NewBlockHashesMsg, list)
	}
}

// floodOfMessages says consensus messages: noise, up to 8 MiB at a time, votes for the next blocks with the signature
// of nobody known, and old votes of a validator.
func floodOfMessages(t *testing.T, c *cluster) func(*link, int) error {
	t.Helper()
	stranger, _ := emptyAccount(t)
	validator, err := crypto.LoadECDSA(filepath.Join(c.node(0).Dir, "gwon", "nodekey"))
	if err != nil {
		t.Fatal(err)
	}
	head := recent(c, 3)
	return func(l *link, n int) error {
		send := func(code uint64, payload []byte) error { return raw(l.istanbul, code, payload) }
		vote := func(key *ecdsa.PrivateKey, sequence, round uint64) error {
			digest := randomHash()
			m := &messages.Prepare{Sequence: sequence, Round: round, Digest: digest, Seal: make([]byte, 96)}
			copy(m.Seal, digest[:])
			if err := messages.Sign(m, key); err != nil {
				return err
			}
			return send(messages.CodePrepare, m.Encode())
		}
		now := head(n)
		for i := range 20 {
			noise := make([]byte, 1024)
			rand.Read(noise)
			if err := send(messages.CodePrePrepare+uint64(i)%4, noise); err != nil {
				return err
			}
			for _, sequence := range []uint64{now + 1, now + 2, now + 3} {
				if err := vote(stranger, sequence, uint64(i)%4); err != nil {
					return err
				}
			}
			if err := vote(validator, 1, uint64(i)); err != nil {
				return err
			}
		}
		if n%10 == 0 {
			noise := make([]byte, 8<<20)
			rand.Read(noise)
			return send(messages.CodePrePrepare, noise)
		}
		return nil
	}
}

// floodOfVotes says consensus messages that a validator's key has signed, as many as it can of each kind.
func floodOfVotes(c *cluster, key *ecdsa.PrivateKey) func(*link, int) error {
	head := recent(c, 0)
	return func(l *link, n int) error {
		now := head(n)
		say := func(m messages.Message) error {
			if err := messages.Sign(m, key); err != nil {
				return err
			}
			return raw(l.istanbul, m.Code(), m.Encode())
		}
		for round := range uint64(12) {
			for _, sequence := range []uint64{now, now + 1, now + 2} {
				seal := make([]byte, 96)
				rand.Read(seal)
				change := &messages.RoundChange{}
				change.Sequence, change.Round = sequence, 12*uint64(n+1)+round
				if round%2 == 0 { // a second, different one for the round before
					change.Round--
					change.Prepared = &messages.PreparedClaim{Round: 1, Digest: randomHash()}
				}
				for _, m := range []messages.Message{
					&messages.Prepare{Sequence: sequence, Round: round, Digest: randomHash(), Seal: seal},
					&messages.Commit{Sequence: sequence, Round: round, Digest: randomHash(), Seal: seal},
					change,
				} {
					if err := say(m); err != nil {
						return err
					}
				}
			}
		}
		if n%10 == 0 {
			noise := make([]byte, 8<<20)
			rand.Read(noise)
			return raw(l.istanbul, messages.CodePrePrepare, noise)
		}
		return nil
	}
}
