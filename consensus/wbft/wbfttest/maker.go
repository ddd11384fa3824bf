// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbfttest

import (
	"context"
	"crypto/ecdsa"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"
	"github.com/supranational/blst/bindings/go"
	"golang.org/x/sync/errgroup"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
)

const (
	// makerBatch is the number of blocks that are written, with the state of the last one, in one step.
	makerBatch = 1024
	// liveStates is the number of newest blocks whose states a node serves. They stay in memory until Close.
	liveStates = 256
)

// sealSuite is the ciphersuite of seals (spec wbft 2.4).
var sealSuite = []byte("BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_")

// groupOrder is the order of the group in which BLS12-381 signs.
var groupOrder, _ = new(big.Int).SetString("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16)

// Recipe describes a chain. The same recipe gives the same chain, byte by byte.
type Recipe struct {
	Genesis *gethcore.Genesis                    // as core.BuildGenesis gives it
	Keys    map[common.Address]*ecdsa.PrivateKey // node keys of all validators that the chain will have
	Seed    uint64                               // decides who seals a block in time, who late, and in which round

	// Fill makes the transactions of the child of a header, whose state it may read; nil for none. They must be good.
	Fill func(parent *types.Header, state *state.StateDB) []*types.Transaction
}

// Maker makes chains as a live network leaves them: the seals over a block are those of a quorum, its child holds the
// late ones as well, and some blocks are of round 1. It verifies nothing. Aggregated seals are made with the sum of the
// secret keys, which gives the same bytes as the sum of the seals.
//
// Blocks are executed once, in order; their own seals are made and stored meanwhile. It implements
// consensus.ChainHeaderReader for the engine.
type Maker struct {
	Recipe
	db      ethdb.Database
	tries   *triedb.Database
	states  state.Database
	engine  *wbft.Engine                    // without a key
	engines map[common.Address]*wbft.Engine // of proposers
	secrets map[common.Address]*big.Int     // BLS keys of validators
	recent  map[uint64]*types.Header        // as in heads; the database has those that are not here
	head    *types.Header                   // with the seals over itself that its child will hold
	saved   common.Hash                     // root of the newest state on disk
	live    uint64                          // first block that stays out of the ancient store
}

// NewMaker returns a maker that continues the chain in a database. An empty database gets the genesis block.
func NewMaker(db ethdb.Database, recipe Recipe) (*Maker, error) {
	engine, err := wbft.New(recipe.Genesis.Config, nil)
	if err != nil {
		return nil, err
	}
	tries := triedb.NewDatabase(db, &triedb.Config{PathDB: pathdb.Defaults})
	if _, _, compat, err := gethcore.SetupGenesisBlock(db, tries, recipe.Genesis); err != nil || compat != nil {
		return nil, errors.Join(fmt.Errorf("genesis block: %w", errors.Join(err, asError(compat))), tries.Close())
	}
	m := &Maker{
		Recipe: recipe, db: db, tries: tries, states: state.NewDatabase(tries, state.NewCodeDB(db)), engine: engine,
		engines: make(map[common.Address]*wbft.Engine), secrets: make(map[common.Address]*big.Int),
		recent: make(map[uint64]*types.Header),
	}
	if err := m.resume(); err != nil {
		return nil, errors.Join(err, tries.Close())
	}
	return m, nil
}

// resume makes the newest block with a state the head. Without Close those of the last step have none.
func (m *Maker) resume() error {
	number, ok := rawdb.ReadHeaderNumber(m.db, rawdb.ReadHeadBlockHash(m.db))
	if !ok {
		return errors.New("the database has no head: begin with an empty one")
	}
	for m.head = m.canonical(number); m.head != nil; m.head = m.canonical(number) {
		if _, err := m.StateAt(m.head.Root, m.head.Number, m.head.Time); err == nil {
			break
		}
		if number == 0 {
			m.head = nil
			break
		}
		number--
	}
	if m.head == nil {
		return errors.New("the database has no state to continue with: begin with an empty one")
	}
	if m.saved = m.head.Root; number == 0 {
		return nil
	}
	seals, err := m.seal(m.head)
	if err != nil {
		return err
	}
	m.head, err = seals.held()
	return err
}

// asError keeps a nil pointer from becoming an error.
func asError(compat *gethparams.ConfigCompatError) error {
	if compat == nil {
		return nil
	}
	return compat
}

// Close writes the newest states, as a node does at its end. The database stays open.
func (m *Maker) Close() error {
	return errors.Join(m.tries.Journal(m.head.Root), m.tries.Close())
}

// KeepLive tells the maker where the chain will end, so that blocks a node would have moved there by then go to the
// ancient store at once. The store must be empty, or end with the head.
func (m *Maker) KeepLive(last uint64) error {
	frozen, err := m.db.Ancients()
	if err != nil || last < gethparams.FullImmutabilityThreshold {
		return err
	}
	head := m.head.Number.Uint64()
	if frozen == 0 && head == 0 {
		genesis := types.NewBlockWithHeader(m.head)
		if _, err := rawdb.WriteAncientBlocks(m.db, types.Blocks{genesis}, []rlp.RawValue{rlp.EmptyList}); err != nil {
			return err
		}
		frozen = 1
	}
	if frozen == head+1 {
		m.live = last - gethparams.FullImmutabilityThreshold
	}
	return nil
}

// made is a block whose own seals are to be made and stored.
type made struct {
	block    *types.Block
	receipts types.Receipts
	seals    *seals
}

// Make adds blocks up to a number. It ends between two steps when ctx ends, and can be called again.
func (m *Maker) Make(ctx context.Context, last uint64) error {
	for m.head.Number.Uint64() < last {
		if err := ctx.Err(); err != nil {
			return err
		}
		// The last step is long enough for the states that a node keeps.
		to := m.head.Number.Uint64() + makerBatch
		if to >= last {
			to = last
		} else if to+liveStates > last {
			to = max(last-min(last, liveStates), m.head.Number.Uint64()+1)
		}
		if err := m.step(to, to < last); err != nil {
			return err
		}
	}
	return nil
}

// step adds blocks up to a number and writes them together. With save it also writes the state of the last one, in
// place of all earlier states.
func (m *Maker) step(last uint64, save bool) error {
	waiting := make(chan made, 64)
	var finished []made
	group, ctx := errgroup.WithContext(context.Background())
	group.Go(func() error {
		defer close(waiting)
		for m.head.Number.Uint64() < last {
			next, err := m.next()
			if err != nil {
				return fmt.Errorf("block %d: %w", m.head.Number.Uint64()+1, err)
			}
			select {
			case waiting <- next:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	group.Go(func() error {
		for next := range waiting {
			header, err := next.seals.own()
			if err != nil {
				return err
			}
			next.block = next.block.WithSeal(header)
			finished = append(finished, next)
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if root := m.head.Root; save && root != m.saved {
		if err := m.tries.Commit(root, false); err != nil {
			return err
		}
		m.saved = root
	}
	return m.store(finished)
}

// store writes consecutive blocks and makes the last one the head.
func (m *Maker) store(list []made) error {
	out := m.db.NewBatch()
	var (
		old      types.Blocks
		receipts []rlp.RawValue
	)
	for _, b := range list {
		hash, number := b.block.Hash(), b.block.NumberU64()
		if number < m.live {
			old = append(old, b.block)
			receipts = append(receipts, types.EncodeBlockReceiptLists([]types.Receipts{b.receipts})[0])
			rawdb.WriteHeaderNumber(out, hash, number)
			continue
		}
		rawdb.WriteBlock(out, b.block)
		rawdb.WriteCanonicalHash(out, hash, number)
		rawdb.WriteReceipts(out, hash, number, b.receipts)
	}
	if len(old) > 0 {
		if _, err := rawdb.WriteAncientBlocks(m.db, old, receipts); err != nil {
			return err
		}
		if err := m.db.SyncAncient(); err != nil {
			return err
		}
	}
	head := m.head.Hash()
	rawdb.WriteHeadHeaderHash(out, head)
	rawdb.WriteHeadFastBlockHash(out, head)
	rawdb.WriteHeadBlockHash(out, head)
	if err := out.Write(); err != nil {
		return err
	}
	for number := range m.recent {
		if number+makerBatch < m.head.Number.Uint64() {
			delete(m.recent, number)
		}
	}
	return nil
}

// next makes the child of the head and makes it the head.
func (m *Maker) next() (made, error) {
	parent := m.head
	number := parent.Number.Uint64() + 1
	set, err := m.engine.ValidatorsAfter(m, parent)
	if err != nil {
		return made{}, err
	}
	last := parent.Coinbase
	if number == 1 {
		last = common.Address{}
	}
	proposer := set.Proposer(validators.RoundRobin, last, uint64(m.roundOf(number)))
	engine, err := m.engineOf(proposer)
	if err != nil {
		return made{}, err
	}
	statedb, err := m.StateAt(parent.Root, parent.Number, parent.Time)
	if err != nil {
		return made{}, err
	}
	var txs []*types.Transaction
	if m.Fill != nil {
		txs = m.Fill(parent, statedb.Copy())
	}
	block, receipts, err := build(engine, m, proposer, statedb, txs)
	if err != nil {
		return made{}, err
	}
	rules := m.Config().Rules(block.Number(), false, block.Time())
	if _, err := statedb.Commit(rules, number); err != nil {
		return made{}, err
	}
	sealed, err := m.seal(block.Header())
	if err != nil {
		return made{}, err
	}
	if m.head, err = sealed.held(); err != nil {
		return made{}, err
	}
	m.recent[number] = m.head
	return made{block, receipts, sealed}, nil
}

func (m *Maker) engineOf(proposer common.Address) (*wbft.Engine, error) {
	if engine := m.engines[proposer]; engine != nil {
		return engine, nil
	}
	key := m.Keys[proposer]
	if key == nil {
		return nil, fmt.Errorf("there is no key of validator %v", proposer)
	}
	engine, err := wbft.New(m.Config(), nil)
	if err != nil {
		return nil, err
	}
	m.engines[proposer] = engine
	return engine, engine.Authorize(key)
}

// secretOf returns the BLS key of a validator as a number.
func (m *Maker) secretOf(validator common.Address) (*big.Int, error) {
	if secret := m.secrets[validator]; secret != nil {
		return secret, nil
	}
	key := m.Keys[validator]
	if key == nil {
		return nil, fmt.Errorf("there is no key of validator %v", validator)
	}
	secret, err := bls.DeriveKey(key)
	if err != nil {
		return nil, err
	}
	m.secrets[validator] = new(big.Int).SetBytes(secret.Bytes())
	return m.secrets[validator], nil
}

// chance returns numbers that the seed, a block and a purpose decide.
func (m *Maker) chance(number uint64, purpose byte) *rand.Rand {
	var in [17]byte
	binary.BigEndian.PutUint64(in[:], m.Seed)
	binary.BigEndian.PutUint64(in[8:], number)
	in[16] = purpose
	sum := crypto.Keccak256(in[:])
	source := rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:]))
	return rand.New(source) //nolint:gosec // a chain is the same for the same seed
}

// roundOf returns the round in which a block is sealed: 1 for one block in 128.
func (m *Maker) roundOf(number uint64) uint32 {
	if m.chance(number, 0xf0).IntN(128) == 0 { // the purposes of seals are their kinds
		return 1
	}
	return 0
}

// seals are the seals over a block, of both kinds.
type seals struct {
	header *types.Header
	round  uint32
	kinds  [2]struct {
		point       *blst.P2 // the hash of what is signed
		inTime, all signers
	}
}

// signers are validators with the sum of their secret keys.
type signers struct {
	bitmap []byte
	secret *blst.SecretKey
}

// seal decides who seals a block and hashes what they sign.
func (m *Maker) seal(header *types.Header) (*seals, error) {
	set, err := m.engine.ValidatorsFor(m, header)
	if err != nil {
		return nil, err
	}
	number := header.Number.Uint64()
	out := &seals{header: header, round: m.roundOf(number)}
	var hashing sync.WaitGroup
	for i, kind := range []byte{extra.Prepare, extra.Commit} {
		chance := m.chance(number, kind)
		order, all := chance.Perm(set.Len()), set.Quorum()
		if late := set.Len() - all; late > 0 && chance.IntN(64) > 0 { // one block in 64 has no late seals
			all += 1 + chance.IntN(late)
		}
		k := &out.kinds[i]
		if k.inTime, err = m.signersOf(set, order[:set.Quorum()]); err != nil {
			return nil, err
		}
		if k.all, err = m.signersOf(set, order[:all]); err != nil {
			return nil, err
		}
		digest := extra.SealDigest(header, out.round, kind)
		hashing.Go(func() { k.point = blst.HashToG2(digest[:], sealSuite) })
	}
	hashing.Wait()
	return out, nil
}

func (m *Maker) signersOf(set *validators.Set, indices []int) (signers, error) {
	sum := new(big.Int)
	for _, i := range indices {
		secret, err := m.secretOf(set.At(i).Address)
		if err != nil {
			return signers{}, err
		}
		sum.Add(sum, secret)
	}
	secret := new(blst.SecretKey).Deserialize(sum.Mod(sum, groupOrder).FillBytes(make([]byte, bls.SecretKeyLength)))
	if secret == nil {
		return signers{}, errors.New("the sum of the secret keys is no key")
	}
	return signers{validators.EncodeSealers(slices.Sorted(slices.Values(indices))), secret}, nil
}

// held returns the header with the seals that its child holds over it.
func (s *seals) held() (*types.Header, error) {
	return s.sealed(func(kind int) signers { return s.kinds[kind].all })
}

// own returns the header with the seals of those in time.
func (s *seals) own() (*types.Header, error) {
	return s.sealed(func(kind int) signers { return s.kinds[kind].inTime })
}

// sealed returns the header with the seals of signers by kind.
func (s *seals) sealed(by func(kind int) signers) (*types.Header, error) {
	var (
		made   [2]*types.WBFTSeal
		making sync.WaitGroup
	)
	for i := range made {
		making.Go(func() {
			who := by(i)
			point := *s.kinds[i].point
			signature := point.MultAssign(who.secret).ToAffine().Compress()
			made[i] = &types.WBFTSeal{Sealers: who.bitmap, Signature: signature}
		})
	}
	making.Wait()
	return s.header.WithWBFTSeals(s.round, made[0], made[1])
}

// Export writes the blocks, the genesis block included, as gwon import reads them.
func (m *Maker) Export(w io.Writer) error {
	for number := range m.head.Number.Uint64() + 1 {
		block := m.Block(number)
		if block == nil {
			return fmt.Errorf("block %d is not in the database", number)
		}
		if err := block.EncodeRLP(w); err != nil {
			return err
		}
	}
	return nil
}

// Block returns a block as it is stored; nil for none.
func (m *Maker) Block(number uint64) *types.Block {
	return rawdb.ReadBlock(m.db, rawdb.ReadCanonicalHash(m.db, number), number)
}

// Engine implements gethcore.ChainContext.
func (m *Maker) Engine() consensus.Engine { return m.engine }

// Config implements consensus.ChainHeaderReader.
func (m *Maker) Config() *gethparams.ChainConfig { return m.Genesis.Config }

// CurrentHeader implements consensus.ChainHeaderReader.
func (m *Maker) CurrentHeader() *types.Header { return m.head }

// GetHeaderByNumber implements consensus.ChainHeaderReader.
func (m *Maker) GetHeaderByNumber(number uint64) *types.Header {
	if number == m.head.Number.Uint64() {
		return m.head
	}
	if h := m.recent[number]; h != nil {
		return h
	}
	return m.canonical(number)
}

// canonical returns a header of the database.
func (m *Maker) canonical(number uint64) *types.Header {
	return rawdb.ReadHeader(m.db, rawdb.ReadCanonicalHash(m.db, number), number)
}

// GetHeader implements consensus.ChainHeaderReader.
func (m *Maker) GetHeader(hash common.Hash, number uint64) *types.Header {
	if h := m.GetHeaderByNumber(number); h != nil && h.Hash() == hash {
		return h
	}
	return nil
}

// GetHeaderByHash implements consensus.ChainHeaderReader.
func (m *Maker) GetHeaderByHash(hash common.Hash) *types.Header {
	if hash == m.head.Hash() {
		return m.head
	}
	if number, ok := rawdb.ReadHeaderNumber(m.db, hash); ok {
		return m.GetHeader(hash, number)
	}
	return nil
}

// StateAt returns the state after a block, which the engine reads.
func (m *Maker) StateAt(root common.Hash, _ *big.Int, _ uint64) (*state.StateDB, error) {
	return state.New(root, m.states)
}

// History makes a chain of count blocks of the network in memory. fill makes the transactions of the child of a header;
// nil for none.
func (net *Network) History(t testing.TB, count int, fill func(parent *types.Header) []*types.Transaction) *Maker {
	t.Helper()
	recipe := Recipe{Genesis: net.Genesis, Keys: net.Keys}
	if fill != nil {
		recipe.Fill = func(parent *types.Header, _ *state.StateDB) []*types.Transaction { return fill(parent) }
	}
	m, err := NewMaker(rawdb.NewMemoryDatabase(), recipe)
	check(t, err)
	t.Cleanup(func() { check(t, m.Close()) })
	check(t, m.Make(context.Background(), uint64(count)))
	return m
}

// Blocks returns the blocks from number 1 on.
func (m *Maker) Blocks() types.Blocks {
	blocks := make(types.Blocks, m.head.Number.Uint64())
	for i := range blocks {
		blocks[i] = m.Block(uint64(i + 1))
	}
	return blocks
}
