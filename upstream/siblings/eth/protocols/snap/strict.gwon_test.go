// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snap

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// taking is the backend of a node that takes every answer.
type taking struct{ Backend }

func (taking) Handle(*Peer, Packet) error { return nil }

// lost is a connection on which everything that is written is lost.
type lost struct{}

func (lost) ReadMsg() (p2p.Msg, error)  { select {} }
func (lost) WriteMsg(msg p2p.Msg) error { return msg.Discard() }

// Lists of more than twice the bytes asked for, more than 128 proof nodes and answers that were not asked for end the
// connection. The largest ones that are allowed do not.
// spec: network 2.4
func TestAnswersThatEndTheConnection(t *testing.T) {
	const asked, id = 4096, 7
	body := rlp.RawValue(mustEncode(t, []any{uint64(1), uint64(1), []byte{}, []byte{}}))
	account := func(n int) any { return []any{common.BigToHash(big.NewInt(int64(n))), body} }
	slots := func(n int) any { return []any{[]any{common.BigToHash(big.NewInt(int64(n))), []byte{1}}} }
	// list returns as many items, in order, as fit into a number of bytes.
	list := func(item func(n int) any, size int) rlp.RawValue {
		one := mustEncode(t, item(0))
		w := rlp.NewEncoderBuffer(nil)
		l := w.List()
		for n := len(one); n <= size; n += len(one) {
			w.Write(mustEncode(t, item(n)))
		}
		w.ListEnd(l)
		return w.ToBytes()
	}
	proof := func(n int) rlp.RawValue {
		nodes := make([][]byte, n)
		for i := range nodes {
			nodes[i] = []byte{0xc0}
		}
		return mustEncode(t, nodes)
	}
	for _, kind := range []struct {
		name   string
		code   uint64
		handle func(Backend, Decoder, *Peer) error
		ask    func(*Peer) error
		list   func(size int) rlp.RawValue
	}{
		{"AccountRange", AccountRangeMsg, handleAccountRange,
			func(p *Peer) error {
				return p.RequestAccountRange(id, common.Hash{}, common.Hash{}, common.MaxHash, asked)
			},
			func(size int) rlp.RawValue { return list(account, size) }},
		{"StorageRanges", StorageRangesMsg, handleStorageRanges,
			func(p *Peer) error {
				return p.RequestStorageRanges(id, common.Hash{}, []common.Hash{{1}}, nil, nil, asked)
			},
			func(size int) rlp.RawValue { return list(slots, size) }},
	} {
		for _, test := range []struct {
			name   string
			id     uint64
			size   int
			proofs int
			ends   bool
		}{
			{"twice as many bytes", id, 2 * asked, 2, false},
			{"more than twice as many bytes", id, 2*asked + 200, 2, true},
			{"128 proof nodes", id, 100, 128, false},
			{"129 proof nodes", id, 100, 129, true},
			{"not asked for", id + 1, 100, 2, true},
		} {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				peer := NewFakePeer(SNAP1, "strict peer", lost{})
				defer peer.Close()
				must.Do(t, kind.ask(peer))
				payload := mustEncode(t, []any{test.id, kind.list(test.size), proof(test.proofs)})
				msg := p2p.Msg{Code: kind.code, Size: uint32(len(payload)), Payload: bytes.NewReader(payload)}
				err := kind.handle(taking{}, msg, peer)
				assert.Truef(t, (err != nil) == test.ends, "error %v", err)
			})
		}
	}
}

// What this node serves of a state stays within the range and the bytes that were asked for but for the last item, and
// below what ends a connection: twice the bytes, 128 proof nodes.
// spec: network 2.4, 4
func TestNeverServesMoreThanAsked(t *testing.T) {
	const contracts = 8
	alloc := make(types.GenesisAlloc)
	for n := range int64(1500) {
		alloc[common.BigToAddress(big.NewInt(1_000+n))] = types.Account{Balance: big.NewInt(1 + n)}
	}
	var owners []common.Hash
	for n := range int64(contracts) {
		storage := make(map[common.Hash]common.Hash)
		for slot := range 40 * n {
			storage[common.BigToHash(big.NewInt(slot))] = common.BigToHash(big.NewInt(1 + slot<<(n*4)))
		}
		address := common.BigToAddress(big.NewInt(100 + n))
		alloc[address] = types.Account{Balance: big.NewInt(1), Storage: storage}
		owners = append(owners, crypto.Keccak256Hash(address[:]))
	}
	genesis := &core.Genesis{Config: params.TestChainConfig, Alloc: alloc}
	chain := must.Get(core.NewBlockChain(rawdb.NewMemoryDatabase(), genesis, ethash.NewFaker(), &core.BlockChainConfig{
		StateScheme: rawdb.HashScheme, SnapshotLimit: 16, SnapshotWait: true,
	}))(t)
	defer chain.Stop()
	root := chain.Genesis().Root()
	r := rand.New(rand.NewPCG(1, 2))
	anyHash := func() (hash common.Hash) {
		for i := range hash {
			hash[i] = byte(r.IntN(256))
		}
		return hash
	}
	bounds := func(kind string, list any, asked uint64, proof [][]byte) {
		t.Helper()
		content, _, err := rlp.SplitList(mustEncode(t, list))
		require.Truef(t, err == nil && uint64(len(content)) <= 2*asked && len(proof) <= 128,
			"%s: %d bytes for %d, %d proof nodes, %v", kind, len(content), asked, len(proof), err)
	}
	var accountsCut, slotsCut bool
	for range 100 {
		asked := uint64(4096 + r.IntN(16<<10))
		origin, limit := anyHash(), anyHash()
		accounts, proof := ServiceGetAccountRangeQuery(chain, &GetAccountRangePacket{
			Root: root, Origin: origin, Limit: limit, Bytes: asked,
		})
		bounds("accounts", accounts, asked, proof)
		size := uint64(0)
		for i, account := range accounts {
			if last := i == len(accounts)-1; !last && bytes.Compare(account.Hash[:], limit[:]) >= 0 || size > asked {
				t.Fatalf("account %d of %d follows the limit, or %d bytes for %d", i, len(accounts), size, asked)
			}
			require.Truef(t, bytes.Compare(account.Hash[:], origin[:]) >= 0,
				"account %d of %d lies before the origin", i, len(accounts))
			size += uint64(common.HashLength + len(account.Body))
		}
		accountsCut = accountsCut || size > asked

		query := &GetStorageRangesPacket{Root: root, Bytes: asked}
		for range r.IntN(2 * contracts) {
			query.Accounts = append(query.Accounts, owners[r.IntN(contracts)])
		}
		if r.IntN(2) == 0 {
			query.Origin = anyHash().Bytes()
		}
		lists, proof := ServiceGetStorageRangesQuery(chain, query)
		require.Truef(t, len(lists) <= len(query.Accounts),
			"%d lists of slots, %d asked for", len(lists), len(query.Accounts))
		bounds("slots", lists, asked, proof)
		slotsCut = slotsCut || len(lists) > 0 && len(proof) > 0 && query.Origin == nil

		wanted := make([]common.Hash, r.IntN(20))
		for i := range wanted {
			wanted[i] = types.EmptyCodeHash
		}
		codes := ServiceGetByteCodesQuery(chain, &GetByteCodesPacket{Hashes: wanted, Bytes: asked})
		require.Truef(t, len(codes) <= len(wanted), "%d codes, %d asked for", len(codes), len(wanted))
	}
	assert.Truef(t, accountsCut && slotsCut, "cut for their size: accounts %t, slots %t; want both", accountsCut, slotsCut)
}

func mustEncode(t *testing.T, value any) []byte {
	t.Helper()
	return must.Get(rlp.EncodeToBytes(value))(t)
}
