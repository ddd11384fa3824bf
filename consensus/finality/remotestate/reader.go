// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	"golang.org/x/sync/singleflight"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/validators"
	"gwon/internal/dial"
)

const (
	// MaxAge bounds the age of the trusted block that each proof starts from. Keys of former validators can be lost later,
	// and their holder can seal another history, of old blocks, too.
	MaxAge = 30 * 24 * time.Hour

	// MaxAncestors bounds the headers that Ancestors returns.
	MaxAncestors = 8192

	// maxProven bounds the proven headers of a reader with a bound for its memory.
	maxProven = 512

	// ProofTime bounds the questions for one proof of a header, and maxAsked their number.
	ProofTime = 2 * time.Minute
	maxAsked  = 2 * (finality.MaxEpochs + finality.MaxOrigin)
)

var (
	// ErrOld means that a trusted block is older than MaxAge, and none is newer.
	ErrOld = errors.New("the newest trusted block is too old")
	// ErrConflict means that a quorum has sealed two blocks of one number.
	ErrConflict = errors.New("two sealed blocks of one number")
	// ErrNoBlock means that the node does not have a block.
	ErrNoBlock = errors.New("the node does not have the block")
)

// Options say which chain is read, from where, and what is trusted.
type Options struct {
	URLs     []string // of nodes; the first that answers is asked
	Config   *gethparams.ChainConfig
	Genesis  common.Hash       // of block 0; zero where a checkpoint alone is known
	Trusted  *finality.Trusted // a checkpoint of the chain of Config; nil for the genesis block
	TrustOld bool              // trust the block whatever its age
	Dir      string            // of the store; "" keeps nothing
	Now      func() time.Time  // nil for the clock of the machine

	// Memory bounds the bytes of proven answers that are held, above which they are read again. The store is then the
	// proof of one newer block. 0 keeps all answers up to MaxStore, and refuses more.
	Memory   int
	Patience time.Duration // for one question; 0 for 10 seconds
}

// Reader reads one chain. It is safe for concurrent use.
type Reader struct {
	options Options
	nodes   *endpoints
	store   *store

	open    context.Context // until Close, for what outlives a question
	close   context.CancelFunc
	reading singleflight.Group // of receipts, by the hash of the block

	mu      sync.Mutex // guards what was proven
	proven  map[uint64]proven
	stopped error // set by a conflict
}

// proven is a header with the proof of it, for a conflict; nil for a block that the user trusts.
type proven struct {
	*types.Header
	proof  *finality.Proof
	linked bool // the own seals, which the hash does not cover, were not verified
}

// Open opens the store and prepares the questions. It asks nothing.
func Open(ctx context.Context, options Options) (*Reader, error) {
	if options.Config == nil || !options.Config.IsAnzeon() {
		return nil, errors.New("the chain has no section \"anzeon\", whose seals prove blocks: give the genesis of a " +
			"WBFT chain")
	}
	switch {
	case options.Trusted != nil:
	case options.Genesis == common.Hash{}:
		return nil, errors.New("no block is trusted: name the genesis block or a later one")
	default:
		options.Trusted = &finality.Trusted{ChainID: options.Config.ChainID, Hash: options.Genesis}
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	nodes, err := dialAll(ctx, options)
	if err != nil {
		return nil, err
	}
	r := &Reader{
		options: options, nodes: nodes, proven: make(map[uint64]proven),
	}
	if r.store, err = openStore(options); err != nil {
		nodes.close()
		return nil, err
	}
	r.open, r.close = context.WithCancel(context.WithoutCancel(ctx))
	for _, proof := range r.store.proofs {
		// The store may hold proofs from other trusted blocks, which say nothing here.
		if _, err := r.accept(proof, false); errors.Is(err, ErrConflict) {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// Config returns the rules of the chain.
func (r *Reader) Config() *gethparams.ChainConfig { return r.options.Config }

// Genesis returns the hash of the genesis block of the chain, zero where a checkpoint alone is known.
func (r *Reader) Genesis() common.Hash { return r.options.Genesis }

// Close ends the use of the reader.
func (r *Reader) Close() error {
	r.close()
	r.nodes.close()
	return r.store.close()
}

// accept verifies a proof from what is trusted, and takes its headers for proven. It returns the header of the block.
func (r *Reader) accept(proof *finality.Proof, keep bool) (*types.Header, error) {
	header, err := r.verify(proof)
	if err != nil {
		return nil, err
	}
	return header, r.take(proof, keep)
}

// verify verifies a proof from what is trusted, and returns the header of the block.
func (r *Reader) verify(proof *finality.Proof) (*types.Header, error) {
	if proof == nil || len(proof.Origin) == 0 || proof.Origin[len(proof.Origin)-1] == nil {
		return nil, finality.ErrMalformed
	}
	last := proof.Origin[len(proof.Origin)-1]
	if last.Number == nil || !last.Number.IsUint64() {
		return nil, finality.ErrMalformed
	}
	trusted := finality.Trusted{ChainID: r.options.Config.ChainID, Number: last.Number.Uint64()}
	known, err := r.known(trusted.Number, false)
	switch {
	case err != nil:
		return nil, err
	case known != nil:
		trusted.Hash = known.Hash()
	case r.options.Trusted.Number == trusted.Number:
		trusted.Hash = r.options.Trusted.Hash
	default:
		return nil, finality.ErrTrust
	}
	return finality.Verify(proof, trusted)
}

// take takes the headers of a verified proof for proven.
func (r *Reader) take(proof *finality.Proof, keep bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := proof.Origin[len(proof.Origin)-1]; r.proven[last.Number.Uint64()].Header == nil {
		r.proven[last.Number.Uint64()] = proven{Header: last}
	}
	for _, sealed := range append(proof.Epochs[:len(proof.Epochs):len(proof.Epochs)], proof.Block) {
		if err := r.record(sealed.Header, proof, false); err != nil {
			return err
		}
	}
	r.forget()
	if keep {
		return add(r.store, kindProof, proof)
	}
	return nil
}

// forget leaves the newest block, the newest epoch block and the trusted one of very many proven headers. The lock is
// held.
func (r *Reader) forget() {
	if r.options.Memory == 0 || len(r.proven) <= maxProven {
		return
	}
	var newest, epoch uint64
	for n := range r.proven {
		newest = max(newest, n)
		if r.options.Config.LastEpochBlock(n) == n {
			epoch = max(epoch, n)
		}
	}
	maps.DeleteFunc(r.proven, func(n uint64, _ proven) bool {
		return n != newest && n != epoch && n != r.options.Trusted.Number
	})
}

// record takes a header for proven, with its seals or by hashes that lead to it. Another one of the same number is a
// conflict: both are kept, and nothing is read any more. The lock is held.
func (r *Reader) record(header *types.Header, proof *finality.Proof, linked bool) error {
	number := header.Number.Uint64()
	known := r.proven[number]
	switch {
	case known.Header == nil, known.linked && !linked && known.Hash() == header.Hash():
		r.proven[number] = proven{header, cmp.Or(known.proof, proof), linked}
		return nil
	case known.Hash() == header.Hash():
		return nil
	}
	file, err := r.store.conflict(number, known.proof, proof)
	r.stopped = fmt.Errorf("%w: block %d is %v and %v: report it to the operators of the network with %s",
		ErrConflict, number, known.Hash(), header.Hash(), file)
	return errors.Join(r.stopped, err)
}

// from returns the trusted block from which the proof of a block is the shortest: the newest one up to it. An epoch
// block is preferred, for the proof of another one has all headers since its epoch block. One that is too old is the
// last choice: it proves nothing. The age of a checkpoint is not known before it is read.
func (r *Reader) from(number uint64) (finality.Trusted, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var best, other, old *finality.Trusted
	take := func(t finality.Trusted) {
		at := &other
		if h := r.proven[t.Number].Header; h != nil && r.fresh(h) != nil {
			at = &old
		} else if r.options.Config.LastEpochBlock(t.Number) == t.Number {
			at = &best
		}
		if t.Number <= number && (*at == nil || (*at).Number < t.Number) {
			*at = &t
		}
	}
	for n, h := range r.proven {
		take(finality.Trusted{ChainID: r.options.Config.ChainID, Number: n, Hash: h.Hash()})
	}
	take(*r.options.Trusted)
	if found := cmp.Or(best, other, old); found != nil {
		return *found, true
	}
	return finality.Trusted{}, false
}

// Newest returns the number of the newest block that the store proves, and reports whether there is one.
func (r *Reader) Newest() (number uint64, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, h := range r.proven {
		if h.proof != nil && n >= number {
			number, known = n, true
		}
	}
	return number, known
}

// fresh refuses to go on from a trusted block that is too old: those who have its keys can seal whatever follows.
func (r *Reader) fresh(trusted *types.Header) error {
	age := r.options.Now().Sub(time.Unix(int64(min(trusted.Time, 1<<40)), 0))
	if r.options.TrustOld || age <= MaxAge {
		return nil
	}
	return fmt.Errorf("%w: block %d is %d days old, at most %d are safe, because keys that validators had then may be "+
		"lost: give number and hash of a newer block, from a source that you trust", ErrOld, trusted.Number,
		age/(24*time.Hour), MaxAge/(24*time.Hour))
}

// aged proves a block before which only blocks are trusted that are too old: by the hashes that lead to it from a
// proven one behind it. Where that is too far away, the block is older than what may be trusted, which wraps
// finality.ErrOlder. The error is ErrOld where nothing is fresh.
func (r *Reader) aged(ctx context.Context, p *endpoint, trusted *types.Header, number uint64) (*types.Header, error) {
	r.mu.Lock()
	above, newest := uint64(math.MaxUint64), trusted
	for n, h := range r.proven {
		if n > number {
			above = min(above, n)
		}
		if h.Time > newest.Time {
			newest = h.Header
		}
	}
	child := r.proven[above]
	linked := r.proven[number].linked // its hash is known, and its seals, which only old keys prove, are asked for
	r.mu.Unlock()
	switch {
	case r.fresh(newest) != nil:
		return nil, r.fresh(newest)
	case child.Header == nil || linked || above-number >= MaxAncestors:
		return nil, fmt.Errorf("block %d: %w that may be used: %s", number, finality.ErrOlder, r.fresh(trusted).Error())
	}
	list, err := r.ancestors(ctx, p, child.Header, number)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.forget()
	return list[0], r.record(list[0], child.proof, true)
}

// Header returns the block of a number, proven.
func (r *Reader) Header(ctx context.Context, number uint64) (*types.Header, error) {
	return r.header(ctx, r.nodes, number, false)
}

// Sealed returns the block of a number, proven with the seals in it. Those of a block that hashes prove can be any, for
// they are not under its hash. The trusted block is taken as it is.
func (r *Reader) Sealed(ctx context.Context, number uint64) (*types.Header, error) {
	return r.header(ctx, r.nodes, number, true)
}

// header returns the block of a number, if need be with the answers of some endpoints.
func (r *Reader) header(ctx context.Context, from asker, number uint64, sealed bool) (*types.Header, error) {
	header, err := r.known(number, sealed)
	if header != nil || err != nil {
		return header, err
	}
	err = from.ask("eth_getBlockByNumber", func(p *endpoint) (err error) {
		header, err = r.headerFrom(ctx, p, number)
		return err
	})
	return header, err
}

// known returns the proven block of a number, nil where there is none, or none whose seals were verified.
func (r *Reader) known(number uint64, sealed bool) (*types.Header, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.proven[number]; !sealed || !known.linked {
		return known.Header, r.stopped
	}
	return nil, r.stopped
}

// headerFrom proves a block with the answers of one endpoint: with its proof, or with single headers.
func (r *Reader) headerFrom(ctx context.Context, p *endpoint, number uint64) (*types.Header, error) {
	linked, err := r.known(number, false)
	if err != nil {
		return nil, err
	}
	trusted, found := r.from(number)
	if linked != nil { // and its seals are not verified
		trusted, found = r.from(number - 1)
	}
	if !found {
		return nil, fmt.Errorf("block %d: %w, %d: trust an older one", number, finality.ErrOlder, r.options.Trusted.Number)
	}
	ctx, cancel := context.WithTimeout(ctx, ProofTime)
	defer cancel()
	if at, err := r.known(trusted.Number, false); err != nil {
		return nil, err
	} else if at != nil && r.fresh(at) != nil {
		return r.aged(ctx, p, at, number)
	}
	proof, err := r.proofFrom(ctx, p, trusted, number)
	if err != nil {
		return nil, err
	}
	if err := r.fresh(proof.Origin[len(proof.Origin)-1]); err != nil {
		return nil, err
	}
	header, err := r.verify(proof)
	switch {
	case errors.Is(err, ErrConflict):
		return nil, err
	case err != nil:
		return nil, lie(fmt.Sprintf("header of block %d", number), "%v", err)
	case header.Number.Uint64() != number:
		return nil, lie("number", "it proves block %d, not %d", header.Number, number)
	}
	if err := r.checkCharge(ctx, p, proof); err != nil {
		return nil, err
	}
	return header, r.take(proof, r.options.Memory == 0)
}

// checkCharge checks that the validators who sealed the block of a verified proof were in charge of it. A proof may
// leave out an epoch block that appoints more validators, and a quorum of the fewer ones before has perhaps sealed a
// block that was never decided. One honest validator has sealed it, so that its ancestors are those of the chain: the
// epoch block among them says who was in charge. docs/adr/0115
func (r *Reader) checkCharge(ctx context.Context, p *endpoint, proof *finality.Proof) error {
	block := proof.Block.Header
	if block.Number.Uint64() <= proof.Origin[len(proof.Origin)-1].Number.Uint64() {
		return nil // the trusted block itself
	}
	first := r.options.Config.LastEpochBlock(block.Number.Uint64() - 1)
	if len(proof.Epochs) == 0 && proof.Origin[0].Number.Uint64() == first {
		return nil
	}
	epoch, err := r.known(first, false)
	if err != nil {
		return err
	}
	if epoch == nil {
		list, err := r.ancestors(ctx, p, block, first)
		if err != nil {
			return fmt.Errorf("read the headers from epoch block %d on: %w", first, err)
		}
		epoch = list[0]
	}
	decoded, err := epoch.WBFTExtra()
	if err != nil {
		return lie("extraData", "that of block %d cannot be read: %v", first, err)
	}
	set, err := validators.FromEpochInfo(decoded.EpochInfo)
	if err != nil {
		return lie("extraData", "block %d appoints no validators: %v", first, err)
	}
	named := proof.Block.Validators
	if set.Len() != len(named) || slices.ContainsFunc(named, func(v common.Address) bool { return !set.Contains(v) }) {
		return lie(fmt.Sprintf("validators of block %d", block.Number), "epoch block %d has appointed others", first)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record(epoch, proof, true)
}

// proofFrom returns a proof by an endpoint: a finished one, or one of single headers. It starts from the trusted block,
// and nothing else of it is proven yet.
func (r *Reader) proofFrom(ctx context.Context, p *endpoint, trusted finality.Trusted, number uint64) (*finality.Proof,
	error,
) {
	proof, err := r.proofOf(ctx, p, trusted, number)
	if dial.LacksMethod(err) || errors.Is(err, dial.ErrLarge) { // single headers come in smaller answers
		proof, err = r.buildFrom(ctx, p, trusted, number)
	}
	if err != nil {
		return nil, err
	}
	if last := proof.Origin[len(proof.Origin)-1]; last.Number.Uint64() != trusted.Number || last.Hash() != trusted.Hash {
		return nil, lie("origin", "it starts from block %d, %v, not from %d, %v, as another chain does", last.Number,
			last.Hash(), trusted.Number, trusted.Hash)
	}
	return proof, nil
}

// proofOf asks for a finished proof. Only nodes of gwon have them.
func (r *Reader) proofOf(ctx context.Context, p *endpoint, trusted finality.Trusted, number uint64) (*finality.Proof,
	error,
) {
	raw, err := p.call(ctx, "istanbul_getFinalityProof", hexutil.Uint64(number), hexutil.Uint64(trusted.Number))
	if err != nil {
		return nil, err
	}
	proof, err := finality.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, lie("proof", "%v", err)
	}
	return proof, nil
}

// buildFrom makes a proof of the headers that a node has. What the node says about itself is not believed: the proof is
// verified like any other.
func (r *Reader) buildFrom(ctx context.Context, p *endpoint, trusted finality.Trusted, number uint64) (*finality.Proof,
	error,
) {
	c := &headerChain{ctx: ctx, p: p, config: r.options.Config, headers: make(map[uint64]*types.Header)}
	if first := c.LastEpochBlock(trusted.Number); trusted.Number-first < finality.MaxOrigin {
		c.ReadAhead(numbersOf(first, trusted.Number))
	}
	proof, err := finality.Build(c, trusted.Number, number)
	if c.failed != nil {
		return nil, c.failed
	}
	if errors.Is(err, finality.ErrSize) {
		return nil, err // another trusted block helps
	}
	if err != nil {
		return nil, lie(fmt.Sprintf("headers up to block %d", number), "%v", err)
	}
	return proof, nil
}

// headerChain is the chain of an endpoint as finality.Build reads it. Nothing of it is proven.
type headerChain struct {
	ctx     context.Context
	p       *endpoint
	config  *gethparams.ChainConfig
	headers map[uint64]*types.Header
	size    int // bytes of their answers
	failed  error
}

// LastEpochBlock implements finality.Chain.
func (c *headerChain) LastEpochBlock(number uint64) uint64 { return c.config.LastEpochBlock(number) }

// Header implements finality.Chain.
func (c *headerChain) Header(number uint64) *types.Header {
	if c.headers[number] == nil {
		c.ReadAhead([]uint64{number})
	}
	return c.headers[number]
}

// ReadAhead reads headers of which finality.Build says that it needs them.
func (c *headerChain) ReadAhead(numbers []uint64) {
	numbers = slices.DeleteFunc(numbers, func(number uint64) bool { return c.headers[number] != nil })
	if c.failed != nil || len(numbers) == 0 {
		return
	}
	if len(c.headers)+len(numbers) > maxAsked {
		c.failed = lie("headers", "the proof needs more than %d of them", maxAsked)
		return
	}
	for part := range slices.Chunk(numbers, batchSize) {
		var list []*types.Header
		var size int
		if list, size, c.failed = c.p.headers(c.ctx, part); c.failed != nil {
			return
		}
		if c.size += size; c.size > finality.MaxBytes {
			c.failed = fmt.Errorf("%w: its headers have more than %d bytes", finality.ErrSize, finality.MaxBytes)
			return
		}
		for _, h := range list {
			c.headers[h.Number.Uint64()] = h
		}
	}
}

// numbersOf returns the numbers from first to last.
func numbersOf(first, last uint64) []uint64 {
	var numbers []uint64
	for number := first; number <= last; number++ {
		numbers = append(numbers, number)
	}
	return numbers
}

// headers asks for headers, and returns the bytes of their answers. Each of them has the number and the hash that its
// answer names; nothing else of them is proven.
func (p *endpoint) headers(ctx context.Context, numbers []uint64) (list []*types.Header, size int, err error) {
	headers, blocks := make([][]any, len(numbers)), make([][]any, len(numbers))
	for i, number := range numbers {
		headers[i] = []any{hexutil.Uint64(number)}
		blocks[i] = []any{hexutil.Uint64(number), false}
	}
	answers, err := p.calls(ctx, "eth_getHeaderByNumber", headers)
	if dial.LacksMethod(err) {
		answers, err = p.calls(ctx, "eth_getBlockByNumber", blocks)
	}
	if err != nil {
		return nil, 0, err
	}
	list = make([]*types.Header, len(answers))
	for i, raw := range answers {
		size += len(raw)
		if list[i], err = readHeader(raw, numbers[i]); err != nil {
			return nil, 0, err
		}
	}
	return list, size, nil
}

// readHeader reads the header in the object of a block and checks its number and hash.
func readHeader(raw json.RawMessage, number uint64) (*types.Header, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, fmt.Errorf("%w %d", ErrNoBlock, number)
	}
	header := new(types.Header)
	if err := decode(raw, header, fmt.Sprintf("header of block %d", number)); err != nil {
		return nil, err
	}
	var named struct {
		Hash *common.Hash `json:"hash"`
	}
	if err := decode(raw, &named, "hash"); err != nil {
		return nil, err
	}
	switch {
	case !header.Number.IsUint64() || header.Number.Uint64() != number:
		return nil, lie("number", "it is %v, not %d", header.Number, number)
	case named.Hash == nil || *named.Hash != header.Hash():
		return nil, lie("hash", "the fields of block %d have the hash %v, and %v is named", number, header.Hash(), named.Hash)
	}
	return header, nil
}

// Ancestors returns the headers from first up to the one of a proven block, which their hashes prove.
func (r *Reader) Ancestors(ctx context.Context, header *types.Header, first uint64) ([]*types.Header, error) {
	return r.ancestors(ctx, r.nodes, header, first)
}

// ancestors is Ancestors with the answers of some endpoints for those that the store does not have.
func (r *Reader) ancestors(ctx context.Context, from asker, header *types.Header, first uint64) ([]*types.Header,
	error,
) {
	last := header.Number.Uint64()
	if first > last || last-first >= MaxAncestors {
		return nil, fmt.Errorf("headers %d to %d: at most %d are read", first, last, MaxAncestors)
	}
	list := make([]*types.Header, last-first+1)
	missing := len(list) - 1
	for list[missing] = header; missing > 0; missing-- {
		parent, found := get[*types.Header](r.store, kindAncestors, list[missing].ParentHash)
		if !found {
			break
		}
		list[missing-1] = parent
	}
	if missing == 0 {
		return list, nil
	}
	err := from.ask("eth_getBlockByNumber", func(p *endpoint) error {
		read, _, err := p.headers(ctx, numbersOf(first, first+uint64(missing)-1))
		if err != nil {
			return err
		}
		child := list[missing]
		for _, h := range slices.Backward(read) {
			if child.ParentHash != h.Hash() {
				return lie("parentHash", "block %d is not the parent of block %d", h.Number, child.Number)
			}
			child = h
		}
		copy(list, read)
		return add(r.store, kindAncestors, read...)
	})
	return list, err
}
