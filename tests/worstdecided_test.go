// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	encoding "encoding/binary"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/bls"
	"gwon/dev/devnet"
)

const (
	decidedGas    = 490_000 // of a transaction: below what a proposer looks at one by one
	decidedBlocks = 20      // measured of each kind
	decidedCodes  = 64      // accounts with the largest code
)

var (
	decidedContract   = common.HexToAddress("0xc0de")
	decidedCodesFirst = new(big.Int).Lsh(common.Big2, 32)
)

// gasKind is code that has a node work long for its gas. A call gives it the input and behind that a number of 32 bytes
// of its own, from which it counts: a node remembers what a precompile has answered.
type gasKind struct {
	name  string
	input []byte
	gas   uint64 // of a transaction
	left  uint64 // gas with which the code ends
	codes int    // accounts with the largest code that it reads
	begin func(*program.Program)
	body  func(*program.Program) // finds the number on the stack, and counts it up
}

// code copies the input into the memory and repeats the body.
func (k *gasKind) code() []byte {
	return untilGas(k.left, func(p *program.Program) {
		p.Op(vm.CALLDATASIZE).Push0().Push0().Op(vm.CALLDATACOPY)
		if k.begin != nil {
			k.begin(p)
		}
		p.Push(len(k.input)).Op(vm.CALLDATALOAD)
	}, func(p *program.Program) {
		k.body(p)
		p.Push(1).Op(vm.ADD)
	})
}

// call returns the input of the n-th transaction.
func (k *gasKind) call(n uint64) []byte {
	number := make([]byte, 32)
	encoding.BigEndian.PutUint64(number[24:], (n+1)<<16)
	return append(bytes.Clone(k.input), number...)
}

// worstInput is the input of the point evaluation precompile of an opening that decodes and does not verify.
func worstInput() []byte {
	generator := common.FromHex("97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905" +
		"a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb")
	version := sha256.Sum256(generator)
	version[0] = 1
	return bytes.Join([][]byte{version[:], common.LeftPadBytes([]byte{7}, 32), common.LeftPadBytes([]byte{9}, 32),
		generator, generator}, nil)
}

// asks is a body that calls a precompile with the input and exactly its price.
func asks(address uint64, input []byte) func(*program.Program) {
	price := vm.PrecompiledContractsBoho[common.BigToAddress(new(big.Int).SetUint64(address))].RequiredGas(input)
	return func(p *program.Program) {
		p.Push(0).Push(0).Push(len(input)).Push(0).Push(address).Push(price).Op(vm.STATICCALL, vm.POP)
	}
}

// gasKinds are the kinds of code whose gas buys most time (docs/load.md, the worst gas).
func gasKinds(t testing.TB) []*gasKind {
	t.Helper()
	power := repeatedly(96+8+512+8, 0xff)
	for i, size := range []uint64{8, 512, 8} {
		copy(power[32*i:], make([]byte, 32))
		encoding.BigEndian.PutUint64(power[32*i+24:], size)
	}
	evaluation := worstInput()
	nodeKey, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := bls.DeriveKey(nodeKey)
	if err != nil {
		t.Fatal(err)
	}
	possession := append(key.PublicKey().Bytes(), key.ProofOfPossession()...)
	return []*gasKind{
		{name: "MODEXP", input: power, gas: decidedGas, left: 100_000, body: func(p *program.Program) {
			// The base is the number; the exponent behind it stays.
			p.Op(vm.DUP1).Push(192).Op(vm.SHL).Push(repeatedly(24, 0xff)).Op(vm.OR).Push(96).Op(vm.MSTORE)
			asks(5, power)(p)
		}},
		{name: "EXTCODECOPY-cold", codes: decidedCodes, gas: 30_000 + decidedCodes*2700, left: 3000,
			begin: func(p *program.Program) { p.Push(decidedCodesFirst) }, body: func(p *program.Program) {
				p.Op(vm.SWAP1).Push(1).Push(0).Push(0).Op(vm.DUP4, vm.EXTCODECOPY).Push(1).Op(vm.ADD, vm.SWAP1)
			}},
		{name: "blsPossession", input: possession, gas: decidedGas, left: 60_000, body: asks(0xb00001, possession)},
		{name: "pointEvaluation-failing", input: evaluation, gas: decidedGas, left: 70_000, body: func(p *program.Program) {
			p.Op(vm.DUP1).Push(64).Op(vm.MSTORE) // the claim
			asks(10, evaluation)(p)
		}},
		{name: "SSTORE-new", gas: decidedGas, left: 30_000, body: func(p *program.Program) {
			p.Op(vm.DUP1, vm.DUP1, vm.SSTORE)
		}},
		{name: "CREATE-248KiB", gas: decidedGas, left: 50_000, begin: func(p *program.Program) {
			// The init code jumps, so that all of it is searched for jump destinations.
			p.Push([]byte{byte(vm.PUSH1), 3, byte(vm.JUMP), byte(vm.JUMPDEST)}).Push(224).Op(vm.SHL).Push(0).Op(vm.MSTORE)
		}, body: func(p *program.Program) { p.Push(vm.MaxCodeSizeAnzeon).Push(0).Push(0).Op(vm.CREATE, vm.POP) }},
		{name: "LOG0-50kB", gas: decidedGas, left: 420_000, body: func(p *program.Program) {
			p.Push(50_000).Push(0).Op(vm.LOG0)
		}},
	}
}

func repeatedly(n int, b byte) []byte { return bytes.Repeat([]byte{b}, n) }

// startGasKind returns a network of four validators whose genesis block has the contract of a kind, and the accounts
// with the largest code that it reads.
func startGasKind(b *testing.B, k *gasKind) *cluster {
	b.Helper()
	network, err := devnet.Prepare(devnet.Options{
		Dir: workDir(b), Validators: 4, Accounts: 4, ChainID: chainID, Period: time.Second,
	})
	if err != nil {
		b.Fatal(err)
	}
	c := &cluster{network, devnet.NewSupervisor(binary, nil, false, false), make(map[*devnet.Node]*devnet.Process)}
	b.Cleanup(func() {
		if err := c.close(); err != nil {
			b.Error(err)
		}
	})
	changeGenesis(b, network, func(genesis map[string]any) {
		alloc := inside(genesis, "alloc")
		deploy := func(to common.Address, code []byte) {
			alloc[common.Bytes2Hex(to[:])] = map[string]any{"balance": "0x1", "nonce": "0x1", "code": hexutil.Bytes(code)}
		}
		deploy(decidedContract, k.code())
		for i := range int64(k.codes) {
			code := repeatedly(vm.MaxCodeSizeAnzeon, byte(vm.JUMPDEST))
			encoding.BigEndian.PutUint64(code, uint64(i))
			deploy(common.BigToAddress(new(big.Int).Add(decidedCodesFirst, big.NewInt(i))), code)
		}
	})
	for i, node := range network.Nodes {
		if err := c.supervisor.Init(b.Context(), node); err != nil {
			b.Fatal(err)
		}
		c.start(b, i)
	}
	c.awaitHead(b, 2, c.running()...)
	return c
}

// gasFeeder keeps the pools of a network full of transactions of a kind, each account's at one node.
type gasFeeder struct {
	*cluster
	kind    *gasKind
	clients []*gethrpc.Client
	keys    []*ecdsa.PrivateKey
	nonces  []uint64
	sent    uint64
	fees    struct{ tip, feeCap *big.Int }
}

func newGasFeeder(b *testing.B, c *cluster, k *gasKind) *gasFeeder {
	b.Helper()
	f := &gasFeeder{cluster: c, kind: k}
	for i, account := range c.network.Accounts {
		client, err := gethrpc.Dial(c.node(i % len(c.network.Nodes)).HTTP())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(client.Close)
		f.clients, f.keys, f.nonces = append(f.clients, client), append(f.keys, account.Key()), append(f.nonces, 0)
	}
	f.fees.tip, f.fees.feeCap = c.fees(b, 0)
	f.fees.feeCap.Mul(f.fees.feeCap, big.NewInt(4)) // the base fee rises meanwhile
	return f
}

// feed has n transactions of each account submitted.
func (f *gasFeeder) feed(b *testing.B, n int) {
	b.Helper()
	for i, client := range f.clients {
		batch := make([]gethrpc.BatchElem, n)
		for j := range batch {
			tx := types.MustSignNewTx(f.keys[i], types.LatestSignerForChainID(big.NewInt(chainID)), &types.DynamicFeeTx{
				ChainID: big.NewInt(chainID), Nonce: f.nonces[i] + uint64(j), GasTipCap: f.fees.tip, GasFeeCap: f.fees.feeCap,
				Gas: f.kind.gas, To: &decidedContract, Data: f.kind.call(f.sent),
			})
			raw, err := tx.MarshalBinary()
			if err != nil {
				b.Fatal(err)
			}
			f.sent++
			batch[j] = gethrpc.BatchElem{
				Method: "eth_sendRawTransaction", Args: []any{hexutil.Bytes(raw)}, Result: new(common.Hash),
			}
		}
		ctx, cancel := context.WithTimeout(b.Context(), patience)
		err := client.BatchCallContext(ctx, batch)
		cancel()
		if err != nil {
			b.Fatal(err)
		}
		for _, elem := range batch {
			if elem.Error != nil {
				b.Fatalf("transaction of account %d: %v", i, elem.Error)
			}
		}
		f.nonces[i] += uint64(n)
	}
}

// seenHeads notes when heads come to a node.
type seenHeads struct {
	head uint64
	when []time.Time
	done chan struct{}
}

// watchHeads begins to follow the head of a node, until ctx ends.
func (c *cluster) watchHeads(ctx context.Context, b *testing.B, node int) *seenHeads {
	b.Helper()
	client, err := gethrpc.Dial(c.node(node).HTTP())
	if err != nil {
		b.Fatal(err)
	}
	s := &seenHeads{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer client.Close()
		for ctx.Err() == nil {
			var head hexutil.Uint64
			if client.CallContext(ctx, &head, "eth_blockNumber") == nil {
				s.note(uint64(head))
			}
			select {
			case <-ctx.Done():
			case <-time.After(pollInterval / 2):
			}
		}
	}()
	return s
}

func (s *seenHeads) note(head uint64) {
	if head > s.head {
		s.head, s.when = head, append(s.when, time.Now())
	}
}

// longest returns the longest time between two heads, once nobody watches any more.
func (s *seenHeads) longest() (longest time.Duration) {
	<-s.done
	for i := 1; i < len(s.when); i++ {
		longest = max(longest, s.when[i].Sub(s.when[i-1]))
	}
	return longest
}

// BenchmarkWorstGasDecided offers four validators, a network for each kind of code whose gas buys most time, as much of
// it as blocks have gas for, and measures the longest time between two of 20 blocks. docs/load.md has the table.
func BenchmarkWorstGasDecided(b *testing.B) {
	for _, kind := range gasKinds(b) {
		b.Run(kind.name, func(b *testing.B) {
			c := startGasKind(b, kind)
			f := newGasFeeder(b, c, kind)
			perBlock := uint64(c.block(b, 0, "latest").GasLimit) / kind.gas
			share := int(perBlock)/len(f.clients) + 1
			f.feed(b, share)
			for b.Loop() {
				ctx, stop := context.WithCancel(b.Context())
				watch := c.watchHeads(ctx, b, 0)
				first, err := c.head(0)
				if err != nil {
					b.Fatal(err)
				}
				last := first + decidedBlocks
				c.await(b, "the blocks with the worst gas", func() (bool, string) {
					var pool struct{ Pending hexutil.Uint64 }
					c.must(b, 0, &pool, "txpool_status")
					if uint64(pool.Pending) < 2*perBlock {
						f.feed(b, share)
					}
					head, err := c.head(0)
					return err == nil && head >= last, hexutil.EncodeUint64(head)
				})
				stop()
				longest := watch.longest()
				var rounds, gas uint64
				for n := first + 1; n <= last; n++ {
					rounds += c.roundOf(b, 0, n)
					var used struct{ GasUsed hexutil.Uint64 }
					c.must(b, 0, &used, "eth_getBlockByNumber", hexutil.Uint64(n), false)
					gas += uint64(used.GasUsed)
				}
				b.ReportMetric(longest.Seconds(), "s/block-max")
				b.ReportMetric(float64(rounds), "rounds")
				b.ReportMetric(float64(gas)/1e6/decidedBlocks, "Mgas/block")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}
