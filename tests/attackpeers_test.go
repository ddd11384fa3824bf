// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/rlpx"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/golang/snappy"

	"gwon/consensus/wbft/messages"
	signerwire "gwon/consensus/wbft/signer/wire"
	"gwon/dev/devnet"
	"gwon/internal/must"
)

const (
	strangers  = 24
	ethOffset  = 16 // code of the first message of eth on a connection (spec network 1)
	floodTick  = 100 * time.Millisecond
	signedTick = 50 * time.Millisecond
	signedEach = 120                 // messages of a validator at each tick, to each of the others
	largeRoom  = 10<<20 - 64<<10     // of a message of eth, with room for a header
	shortest   = largeRoom / (1 + 9) // transactions that fit into it
)

// speech is one way to attack a node: it is called at each tick until the connection ends; n counts the calls.
type speech func(l *link, n int) error

// attack has an outsider speak to a node until the attack ends. It connects again whenever the node has had enough: as
// somebody new, if it may, since the node does not let a liar in again.
func (r *round) attack(o *outsider, i int, tick time.Duration, say speech) {
	context.AfterFunc(r.ctx, o.end)
	r.work.Go(func() {
		for n := 0; r.ctx.Err() == nil && n < maxActs; r.pause(tick) {
			l, err := o.dial(r.ctx, r.node(i))
			for err == nil && r.ctx.Err() == nil {
				if err = say(l, n); err == nil {
					n++
					r.said.Add(1)
				}
				r.pause(tick)
				select {
				case <-l.closed:
					err = p2p.DiscRequested
				default:
				}
			}
			if r.ctx.Err() == nil && o.begin() != nil {
				return
			}
		}
	})
}

// head returns a function with the number of the newest block, asked for now and then.
func (r *round) head() func(n int) uint64 {
	var head atomic.Uint64
	return func(n int) uint64 {
		if n%10 == 0 {
			if now, err := r.number(r.ctx, r.control); err == nil {
				head.Store(now)
			}
		}
		return head.Load()
	}
}

func randomHash() (h common.Hash) {
	rand.Read(h[:]) // never fails
	return h
}

// floodsOfPeers has a peer of each validator speak without a rest: transactions, consensus messages, and blocks that
// only a seal could prove.
func floodsOfPeers(r *round) {
	worst := worstMessages(r)
	for i, say := range []speech{
		floodOfTransactions(r), floodOfMessages(r), inTurn(worst[:5]...), inTurn(worst[5:]...),
	} {
		r.attack(newOutsider(r.t, nil), i, floodTick, say)
	}
}

// inTurn is all of the speeches, one after the other.
func inTurn(list ...speech) speech {
	return func(l *link, n int) error { return list[n%len(list)](l, n/len(list)) }
}

// worstMessagesOfStrangers has many strangers say the most expensive of each kind once a second.
func worstMessagesOfStrangers(r *round) {
	worst := worstMessages(r)
	for i := range strangers {
		r.attack(newOutsider(r.t, nil), i%last, time.Second, worst[i%len(worst)])
	}
}

// floodOfTransactions says transfers of accounts that have nothing, transfers that are good, some of them with a gap
// in their nonces, and announces transactions that do not exist.
func floodOfTransactions(r *round) speech {
	tip, feeCap := r.fees(r.t, 0)
	signer := types.LatestSignerForChainID(big.NewInt(chainID))
	rich := r.network.Accounts[floodAccount].Key()
	poor := make([]*ecdsa.PrivateKey, 16)
	for i := range poor {
		poor[i], _ = emptyAccount(r.t)
	}
	return func(l *link, n int) error {
		var txs []*types.Transaction
		add := func(key *ecdsa.PrivateKey, nonce int) {
			txs = append(txs, types.MustSignNewTx(key, signer, &types.DynamicFeeTx{
				ChainID: big.NewInt(chainID), Nonce: uint64(nonce), GasTipCap: tip, GasFeeCap: feeCap,
				Gas: gethparams.TxGas + 50_000, To: &common.Address{1}, Value: common.Big1, Data: make([]byte, 1024),
			}))
		}
		for i, key := range poor {
			add(key, 16*n+i)
		}
		for i := range 4 {
			add(rich, 4*n+i)
			add(rich, 4*n+i+1_000_000)
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

// floodOfMessages says consensus messages: noise, votes for the next blocks with the signature of a stranger, and old
// votes of a validator.
func floodOfMessages(r *round) speech {
	stranger, _ := emptyAccount(r.t)
	validator, head := r.nodeKey(0), r.head()
	return func(l *link, n int) error {
		noise := make([]byte, 1024)
		rand.Read(noise)
		now := head(n)
		for i := range uint64(20) {
			err := errors.Join(raw(l.istanbul, messages.CodePrePrepare+i%4, noise),
				sign(l, stranger, vote(now+1+i%3, i%4)), sign(l, validator, vote(1, i)))
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// nodeKey returns the key of a validator.
func (r *round) nodeKey(i int) *ecdsa.PrivateKey {
	key, err := crypto.LoadECDSA(filepath.Join(r.node(i).Dir, "gwon", "nodekey"))
	if err != nil {
		r.t.Fatal(err)
	}
	return key
}

// vote returns a vote for a block that does not exist, with a seal that does not verify.
func vote(sequence, round uint64) messages.Message {
	digest, seal := randomHash(), make([]byte, messages.SealLength)
	copy(seal, digest[:])
	return &messages.Prepare{Sequence: sequence, Round: round, Digest: digest, Seal: seal}
}

// sign says a message with a signature.
func sign(l *link, key *ecdsa.PrivateKey, m messages.Message) error {
	if err := messages.Sign(m, key); err != nil {
		return err
	}
	return raw(l.istanbul, m.Code(), m.Encode())
}

// signedMessages has the last validator, which does nothing else, send all others as many small messages as one says.
func signedMessages(say func(head, n uint64) messages.Message) func(*round) {
	return func(r *round) {
		key := r.nodeKey(last)
		for i := range last {
			head := r.head()
			r.attack(newOutsider(r.t, key), i, signedTick, func(l *link, n int) error {
				now := head(n)
				for k := range signedEach {
					if err := sign(l, key, say(now, uint64(signedEach*n+k))); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
}

// storm is ROUND-CHANGEs of the next block to eleven rounds, each of them signed anew.
func storm(head, n uint64) messages.Message {
	m := new(messages.RoundChange)
	m.Sequence, m.Round = head+1, 1+n%11
	if n%2 == 0 {
		m.Prepared = &messages.PreparedClaim{Round: 0, Digest: randomHash()}
	}
	return m
}

// future is votes of the next three blocks in eleven rounds.
func future(head, n uint64) messages.Message {
	m := vote(head+1+n%3, n/3%11).(*messages.Prepare)
	if n%2 == 0 {
		return &messages.Commit{Sequence: m.Sequence, Round: m.Round, Digest: m.Digest, Seal: m.Seal}
	}
	return m
}

// far is messages of sequences and rounds up to the highest.
func far(head, n uint64) messages.Message {
	sequence := max(head+1, uint64(1)<<(n%64))
	if n%2 == 0 {
		return vote(sequence, uint64(1)<<(n/2%63))
	}
	m := new(messages.RoundChange)
	m.Sequence, m.Round = sequence, 1<<(n/2%63)
	return m
}

// emptyTransaction is the shortest RLP that decodes as a transaction.
var emptyTransaction = append([]byte{0xc9}, bytes.Repeat([]byte{0x80}, 9)...)

func encoded(t *testing.T, value any) rlp.RawValue {
	t.Helper()
	return must.Get(rlp.EncodeToBytes(value))(t)
}

// tinyTransactions is the RLP of as many of the shortest transactions as there is room for: 371 MB once decoded.
func tinyTransactions(t *testing.T) rlp.RawValue {
	t.Helper()
	return encoded(t, []rlp.RawValue{bytes.Repeat(emptyTransaction, shortest)})
}

// body is the transactions of a block, and what its header says of them.
type body struct {
	txs  rlp.RawValue
	root common.Hash
}

// bodyOf is the body of a block of transactions of a size, so that a node keeps it until it can be judged.
func bodyOf(t *testing.T, n, size int) body {
	t.Helper()
	txs := make(types.Transactions, n)
	for i := range txs {
		txs[i] = types.NewTx(&types.LegacyTx{Nonce: uint64(i), Data: make([]byte, size)})
	}
	return body{encoded(t, txs), types.DeriveSha(txs, trie.NewStackTrie(nil))}
}

// pushedBlock is a message with a block that no validator has sealed.
func pushedBlock(number uint64, parent common.Hash, b body, text int) []any {
	header := &types.Header{
		ParentHash: parent, UncleHash: types.EmptyUncleHash, TxHash: b.root, ReceiptHash: randomHash(),
		Root: randomHash(), Difficulty: common.Big1, Number: new(big.Int).SetUint64(number), GasLimit: 1 << 62,
		Time: uint64(time.Now().Unix()), BaseFee: common.Big1, Extra: (&types.WBFTExtra{Vanity: make([]byte, text)}).Encode(),
	}
	return []any{[]any{header, b.txs, []any{}}, number + 1}
}

// worstMessages are the most expensive messages of eth/68 and istanbul/100 that a peer without a key can make.
func worstMessages(r *round) []speech {
	tiny, large, some, head := tinyTransactions(r.t), bodyOf(r.t, 1, largeRoom), bodyOf(r.t, 16, 100<<10), r.head()
	hashes := make([]common.Hash, 4096)
	for i := range hashes {
		hashes[i] = randomHash()
	}
	push := func(ahead int, b body, text int) speech {
		return func(l *link, n int) error {
			number := uint64(max(int(head(10*n))+ahead, 1))
			return p2p.Send(l.eth, protocol.NewBlockMsg, pushedBlock(number, randomHash(), b, text))
		}
	}
	child := func(l *link, n int) error {
		var b *block
		now := head(10 * n)
		if err := r.ask(r.ctx, r.control, &b, "eth_getBlockByNumber", fmt.Sprintf("%#x", now), false); err != nil {
			return nil // the control is busy
		}
		return p2p.Send(l.eth, protocol.NewBlockMsg, pushedBlock(now+1, b.Hash, some, 0))
	}
	announcements := func(count int) speech {
		return func(l *link, n int) error {
			list := make(protocol.NewBlockHashesPacket, count)
			for i := range list {
				list[i] = protocol.BlockAnnouncement{Hash: randomHash(), Number: head(10*n) + uint64(i)%30}
			}
			return p2p.Send(l.eth, protocol.NewBlockHashesMsg, list)
		}
	}
	ask := func(code uint64, request func() any) speech {
		return func(l *link, n int) error {
			for id := range 16 {
				if err := p2p.Send(l.eth, code, []any{uint64(16*n + id), request()}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	newest := func() any {
		var b *block
		if r.ask(r.ctx, r.control, &b, "eth_getBlockByNumber", "latest", false) != nil {
			return []common.Hash{}
		}
		list := make([]common.Hash, 1024)
		for i := range list {
			list[i] = b.Hash
		}
		return list
	}
	transactions := func(list rlp.RawValue) speech {
		return func(l *link, _ int) error { return p2p.Send(l.eth, protocol.TransactionsMsg, list) }
	}
	return []speech{
		push(-100, body{txs: tiny}, 0), push(2, body{txs: tiny}, 0), push(20, large, 99<<10), push(25, some, 64<<10),
		push(1_000_000, some, 0),
		child, announcements(1400), announcements(200_000), transactions(tiny), transactions(large.txs),
		func(l *link, n int) error { // not asked for
			return p2p.Send(l.eth, protocol.PooledTransactionsMsg, []any{uint64(n), tiny})
		},
		func(l *link, n int) error {
			return raw(l.istanbul, messages.CodePrePrepare+uint64(n)%4, make([]byte, messages.MaxSize))
		},
		ask(protocol.GetReceiptsMsg, newest), ask(protocol.GetBlockBodiesMsg, newest),
		ask(protocol.GetBlockHeadersMsg, func() any { return []any{uint64(1), uint64(1024), uint64(0), false} }),
		ask(protocol.GetPooledTransactionsMsg, func() any { return hashes }),
	}
}

// framer is a connection of a stranger that sends frames as it wants to. Unlike an outsider it compresses a message
// once for all connections, so that many of them cost the test nothing.
type framer struct {
	net.Conn
	rlpx *rlpx.Conn
	less int // bytes of each long write that are not sent
}

// Write implements net.Conn.
func (f *framer) Write(b []byte) (int, error) {
	if f.less > 0 && len(b) > 1<<16 {
		_, err := f.Conn.Write(b[:len(b)-f.less])
		return len(b), err
	}
	return f.Conn.Write(b)
}

// frame connects to a node as somebody new, and returns when the node takes messages of eth.
func (r *round) frame(n *devnet.Node) (*framer, error) {
	node, err := enode.ParseV4(n.Enode())
	if err != nil {
		return nil, err
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		return nil, err
	}
	fd, err := r.connect(fmt.Sprintf("127.0.0.1:%d", n.P2PPort), "")
	if err != nil {
		return nil, err
	}
	f := &framer{Conn: fd}
	f.rlpx = rlpx.NewConn(f, node.Pubkey())
	err = errors.Join(fd.SetDeadline(time.Now().Add(patience)), f.greet(key), fd.SetDeadline(time.Time{}))
	if err != nil {
		return nil, errors.Join(err, fd.Close())
	}
	f.rlpx.SetSnappy(false) // what it sends is compressed
	return f, nil
}

// greet does the handshakes of RLPx, of devp2p, and of eth/68 with the very Status of the node.
func (f *framer) greet(key *ecdsa.PrivateKey) error {
	if _, err := f.rlpx.Handshake(key); err != nil {
		return err
	}
	hello, err := rlp.EncodeToBytes([]any{uint(5), "stranger", []p2p.Cap{{Name: "eth", Version: protocol.ETH68},
		{Name: "istanbul", Version: 100}}, uint(0), crypto.FromECDSAPub(&key.PublicKey)[1:]})
	if err != nil {
		return err
	}
	if _, err := f.rlpx.Write(0, hello); err != nil {
		return err
	}
	if code, _, _, err := f.rlpx.Read(); err != nil || code != 0 {
		return fmt.Errorf("handshake with message %d: %w", code, errors.Join(err, p2p.DiscRequested))
	}
	f.rlpx.SetSnappy(true)
	for {
		code, status, _, err := f.rlpx.Read()
		if err != nil || code == 1 {
			return errors.Join(err, p2p.DiscRequested)
		}
		if code == ethOffset+protocol.StatusMsg {
			_, err := f.rlpx.Write(code, status)
			return err
		}
	}
}

// largeMessages has n strangers send messages of 10 MiB again and again, as somebody new after each refusal: blocks of
// tiny transactions, blocks of noise, and consensus messages. Less is what each of them lacks at its end.
func largeMessages(n, less int) func(*round) {
	return func(r *round) {
		noise := make([]byte, largeRoom)
		rand.Read(noise)
		kinds := []struct {
			code    uint64
			message []byte
		}{
			{protocol.NewBlockMsg, encoded(r.t, pushedBlock(1<<20, common.Hash{}, body{txs: tinyTransactions(r.t)}, 0))},
			{protocol.NewBlockMsg, encoded(r.t, pushedBlock(1<<20, common.Hash{}, body{txs: encoded(r.t, [][]byte{noise})}, 0))},
			{17 + messages.CodePrePrepare, bytes.Repeat([]byte{1}, largeRoom)},
		}
		if less > 0 {
			kinds = kinds[1:2] // long ones when they are compressed
		}
		for k := range kinds {
			kinds[k].message = snappy.Encode(nil, kinds[k].message)
		}
		r.each(n, func(i int) error {
			f, err := r.frame(r.node(i % last))
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			f.less = less
			var reader sync.WaitGroup
			reader.Go(func() { _, _ = io.Copy(io.Discard, f.Conn) })
			kind := kinds[i/last%len(kinds)]
			for err == nil && r.ctx.Err() == nil {
				if _, err = f.rlpx.Write(ethOffset+kind.code, kind.message); err == nil {
					r.said.Add(1)
				}
				if less > 0 {
					r.remain(f.Conn, 0) // the rest never comes
				}
			}
			_ = f.Close()
			reader.Wait()
			return nil
		})
	}
}

// largeMessageGetsThrough checks that a node reads a large message of another peer, and what comes after it.
func largeMessageGetsThrough(r *round) {
	r.awaitActs(r.row.least)
	l, err := newOutsider(r.t, nil).dial(r.ctx, r.node(0))
	if err != nil {
		r.t.Error(err)
		return
	}
	err = errors.Join(p2p.Send(l.eth, protocol.TransactionsMsg, bodyOf(r.t, 3, 100<<10).txs), // it claims nothing
		p2p.Send(l.eth, protocol.GetBlockHeadersMsg, []any{uint64(1), []any{uint64(0), uint64(1), uint64(0), false}}))
	if err != nil {
		r.t.Error(err)
		return
	}
	for timeout := time.After(patience); ; {
		select {
		case code := <-l.heard:
			if code == protocol.BlockHeadersMsg {
				return
			}
		case <-l.closed:
			r.t.Error("messages: the node has dropped a peer whose large message waited")
			return
		case <-timeout:
			r.t.Error("messages: the large message of another peer is not read")
			return
		}
	}
}

// newest is the newest block that a node has pushed to any outsider.
type newest struct {
	atomic.Pointer[pushed]
}

func (b *newest) hear(p *pushed) {
	if have := b.Load(); have == nil || have.Block.NumberU64() < p.Block.NumberU64() {
		b.Store(p)
	}
}

// liar is one way to lie to a node.
type liar struct {
	name    string
	manners manners
	say     speech
	found   time.Duration // after which a node has found it out at the latest, with time to spare
}

// liars are peers that lie in five ways about what they have.
func liars() []liar {
	var truth newest
	claims := func(ahead int64) func(*protocol.StatusPacket68) {
		return func(s *protocol.StatusPacket68) {
			s.TD, s.Head = new(big.Int).Add(s.TD, big.NewInt(ahead)), randomHash()
		}
	}
	punctual := func(code uint64) time.Duration {
		if code == protocol.GetBlockHeadersMsg {
			return 9 * time.Second // a request waits for ten
		}
		return 0
	}
	nothing := func(*link, int) error { return nil }
	return []liar{
		{"claims at the handshake", manners{heard: truth.hear, status: claims(1_000_000)}, nothing, 5 * time.Second},
		{"claims with a block", manners{heard: truth.hear}, func(l *link, n int) error {
			if real := truth.Load(); real != nil && n%20 == 10 {
				header := real.Block.Header() // far ahead, with a total difficulty that fits
				header.Number = new(big.Int).Add(header.Number, big.NewInt(5000))
				td := new(big.Int).Add(real.TD, big.NewInt(5000))
				if n%40 == 10 { // or a true block with one that does not
					header, td = real.Block.Header(), td.Add(td, common.Big1)
				}
				return p2p.Send(l.eth, protocol.NewBlockMsg,
					[]any{types.NewBlockWithHeader(header).WithBody(*real.Block.Body()), td})
			}
			return nil
		}, 10 * time.Second},
		{"silent", manners{heard: truth.hear, status: claims(20), delay: func(uint64) time.Duration { return -1 }}, nothing,
			50 * time.Second},
		{"slow but punctual", manners{heard: truth.hear, status: claims(100), delay: punctual}, nothing, 25 * time.Second},
		{"malformed blocks", manners{heard: truth.hear}, func(l *link, n int) error {
			real := truth.Load()
			if real == nil {
				return nil
			}
			header, txs := real.Block.Header(), real.Block.Transactions()
			forged := real.Block.Header()
			forged.Root = randomHash()
			surplus := types.NewTx(&types.LegacyTx{Nonce: uint64(n), To: &common.Address{1}})
			for i, block := range []any{
				[]any{header, txs, []any{}, []any{}}, // with withdrawals: an honest node of the other client may do that
				[]any{header, append(txs[:len(txs):len(txs)], surplus), []any{}},
				[]any{header, txs, []*types.Header{header}},
				[]any{forged, txs, []any{}},
			} {
				if i > 0 && n%20 != 5*i {
					continue // these cost the connection
				}
				if err := p2p.Send(l.eth, protocol.NewBlockMsg, []any{block, real.TD}); err != nil {
					return err
				}
			}
			return nil
		}, 10 * time.Second},
	}
}

// liarsEverywhere gives each honest validator five peers that lie in five ways about what they have.
func liarsEverywhere(r *round) {
	kinds := liars()
	outsiders := make([]*outsider, len(kinds)*last)
	for n := range outsiders {
		l := kinds[n%len(kinds)]
		outsiders[n] = newLiar(r.t, nil, l.manners)
		r.attack(outsiders[n], n/len(kinds), floodTick, l.say)
	}
	begun := time.Now()
	r.after = append(r.after, func() {
		for k, l := range kinds {
			lives := 0
			for n := k; n < len(outsiders); n += len(kinds) {
				lives += outsiders[n].lives - 1
			}
			if fewest := int(time.Since(begun)/l.found) * last; lives < fewest {
				r.t.Errorf("liars: %s: found out %d times, want %d at least", l.name, lives, fewest)
			}
		}
	})
}

// dearTransactions has accounts send the transactions whose gas buys most time.
func dearTransactions(r *round) {
	for _, s := range worstSpenders(r.t, r.cluster) {
		r.work.Go(func() { s.spend(r.ctx, r.cluster, &r.said) })
	}
}

// strangersAtSigner keeps opening connections to the TLS port of a signer, without credentials. A node that has them
// still gets in, whenever it comes.
func strangersAtSigner(r *round) {
	genesis := r.block(r.t, 0, "0x0").Hash.Hex()
	s := r.moveToSigner(r.t, r.spare, "--tls", "--new", "--genesis", genesis, "--chainid", fmt.Sprint(chainID))
	s.tls = fmt.Sprintf("127.0.0.1:%d", freePort(r.t))
	s.start(r.t)
	credentials, err := signerwire.ReadCredentials(filepath.Join(s.dir, "node.pem"))
	if err != nil {
		r.t.Fatal(err)
	}
	const tries, enough = 12, 10
	r.await(r.t, "a signer that listens", func() (bool, string) {
		conn, err := signerwire.Dial(s.tls, credentials)
		return err == nil && conn.Close() == nil, fmt.Sprint(err)
	})
	r.each(64, func(int) error {
		conn, err := r.connect(s.tls, "")
		if err == nil {
			r.said.Add(1)
			r.pause(20 * time.Millisecond)
			err = conn.Close()
		}
		return err
	})
	r.awaitActs(r.row.least)
	in := 0
	for range tries {
		conn, err := signerwire.Dial(s.tls, credentials)
		if err == nil {
			in++
			err = conn.Close()
		}
		if err != nil {
			r.t.Logf("the signer: %v", err)
		}
	}
	if in < enough {
		r.t.Errorf("connections: the node got in %d times of %d beside strangers without credentials", in, tries)
	}
}
