// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// Bounds of what a node can make a signer keep. An honest node has the messages of some twenty sequences in the log.
const (
	maxRecords = 1 << 17
	maxKept    = 768 << 20 // bytes of messages and locks
)

// errRefused is wrapped by answers to requests that the rules forbid.
var errRefused = errors.New("refused")

// errBroken is wrapped by answers of a guard whose vote log has failed. For a node the signer is away then.
var errBroken = errors.New("nothing is signed until gwon-signer is started again")

// guard signs for a validator what the rules allow, and records it before.
type guard struct {
	owner  votelog.Owner
	public []byte // uncompressed node key
	bls    *bls.SecretKey
	key    *ecdsa.PrivateKey
	resume bool // votes that are lost may be forgotten

	mu       sync.Mutex
	horizon  *horizon // nil for no bound
	votes    *votelog.Log
	books    map[uint64]*page // by sequence
	broken   error            // the vote log failed: nothing is signed any more
	signed   uint64           // messages since the start
	refusals uint64
	refusal  string // the last one
	compact  sync.WaitGroup
	busy     bool // a compaction is under way
}

// page is what the guard knows about one sequence.
type page struct {
	signing.Book
	payloads map[signing.Key]common.Hash // hashes of signing payloads, of messages that the log has whole
	newest   uint64                      // round
	kept     int                         // bytes of the messages of that round: the log drops earlier ones
	lock     int                         // bytes of the lock
}

func newPage() *page {
	return &page{Book: signing.NewBook(), payloads: make(map[signing.Key]common.Hash)}
}

// newGuard returns the guard of a key with its vote log.
func newGuard(cfg ServerConfig) (*guard, error) {
	secret, err := bls.DeriveKey(cfg.Key)
	if err != nil {
		return nil, err
	}
	g := &guard{
		owner: cfg.Owner, public: crypto.FromECDSAPub(&cfg.Key.PublicKey), bls: secret, key: cfg.Key, resume: cfg.Resume,
		votes: cfg.Votes, books: make(map[uint64]*page), horizon: cfg.horizon,
	}
	for _, s := range cfg.Votes.Sequences() {
		p := newPage()
		for _, r := range s.Records {
			p.note(r)
		}
		if s.Lock != nil {
			p.lock = len(s.Lock.Certificate)
		}
		g.books[s.Number] = p
		cfg.Votes.Slim(s.Number, p.newest)
	}
	return g, nil
}

// note takes a record of the log into the page.
func (p *page) note(r votelog.Record) {
	if r.Round > p.newest {
		p.newest, p.kept = r.Round, 0
	}
	if r.Round == p.newest {
		p.kept += len(r.Payload)
	}
	if m, err := messages.Decode(r.Code, r.Payload); err == nil {
		p.payloads[signing.Key{Code: r.Code, Round: r.Round}] = crypto.Keccak256Hash(m.SigningPayload())
	}
	r.Payload = nil // the log has it
	p.Record(signing.Vote(r))
}

// sign returns the seal and signature of a message, after the log has it on disk.
func (g *guard) sign(r *wire.SignRequest) (*wire.SignAnswer, error) {
	in, err := intentOf(r)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	out, err := g.signIntent(in)
	if err != nil {
		g.refusals++
		g.refusal = err.Error()
		return nil, err
	}
	g.signed++
	return out, nil
}

func (g *guard) signIntent(in *signing.Intent) (*wire.SignAnswer, error) {
	m, view := in.Message, in.Message.View()
	if g.broken != nil {
		return nil, g.broken
	}
	if floor := g.votes.Floor(); view.Sequence < floor {
		return nil, fmt.Errorf("%w: sequence %d is below the lowest sequence %d of the vote log", errRefused, view.Sequence,
			floor)
	}
	if err := g.horizon.check(view.Sequence); err != nil {
		return nil, err
	}
	p := g.books[view.Sequence]
	if p == nil {
		p = newPage()
	}
	digest := signing.Subject(m)
	repeated, err := p.MaySign(m, digest)
	if err != nil {
		return nil, fmt.Errorf("%w: message %#x of view %v for %v: %w", errRefused, m.Code(), view, digest, err)
	}
	if err := signing.WithKeys(g.key, g.bls)(*in); err != nil {
		return nil, err
	}
	if m.Code() == messages.CodeCommit {
		if err := g.horizon.take(in.Header); err != nil {
			return nil, err
		}
	}
	if err := g.keep(p, in, digest, repeated); err != nil {
		return nil, err
	}
	_, seal, _ := messages.Ballot(m)
	return &wire.SignAnswer{Signature: m.Signature(), Seal: seal}, nil
}

// keep makes a signed message and its lock durable. A repeated message must be the one that was signed.
func (g *guard) keep(p *page, in *signing.Intent, digest common.Hash, repeated bool) error {
	m, view := in.Message, in.Message.View()
	record := votelog.Record{
		Code: m.Code(), Sequence: view.Sequence, Round: view.Round, Digest: digest, Payload: m.Encode(),
	}
	var records []votelog.Record
	if repeated {
		// Seal and digest fix every other message. A block hash does not fix the bytes of a block.
		known, ok := p.payloads[signing.Key{Code: m.Code(), Round: view.Round}]
		proposal := m.Code() == messages.CodePrePrepare
		if proposal && (!ok || known != crypto.Keccak256Hash(m.SigningPayload())) {
			return fmt.Errorf("%w: the proposal of view %v is not the one that was signed", errRefused, view)
		}
	} else {
		records = append(records, record)
	}
	var locks []votelog.Lock
	if len(in.Lock) > 0 {
		locks = append(locks, votelog.Lock{Sequence: view.Sequence, Round: in.LockRound, Certificate: in.Lock})
	}
	if len(records)+len(locks) == 0 {
		return nil
	}
	if err := g.write(view.Sequence, records, locks); err != nil {
		return err
	}
	if !repeated {
		p.note(record)
		g.votes.Slim(view.Sequence, p.newest)
	}
	if len(locks) > 0 {
		p.lock = len(in.Lock)
	}
	g.books[view.Sequence] = p
	return nil
}

// write makes records and locks of a sequence durable, within the bounds.
func (g *guard) write(sequence uint64, records []votelog.Record, locks []votelog.Lock) error {
	count, kept := 0, 0
	for _, p := range g.books {
		count, kept = count+len(p.Votes), kept+p.kept+p.lock
	}
	if count >= maxRecords || kept >= maxKept {
		return fmt.Errorf("%w: the vote log has %d messages of %d bytes, more than an honest node needs: look at the node, "+
			"then start gwon-signer again with a higher lowest sequence (docs/operate/runbooks/signer-refuses.md)", errRefused,
			count, kept)
	}
	err := g.votes.Write(records, locks)
	switch {
	case errors.Is(err, votelog.ErrConflict), errors.Is(err, votelog.ErrPruned):
		return fmt.Errorf("%w: sequence %d: %w", errRefused, sequence, err)
	case err != nil:
		g.broken = fmt.Errorf("%w: the vote log cannot be written: mend the disk: %w", errBroken, err)
		log.Error("Signing ended", "err", g.broken)
		return g.broken
	}
	return nil
}

// intentOf decodes a request to sign.
func intentOf(r *wire.SignRequest) (*signing.Intent, error) {
	if len(r.Message) > messages.MaxSize || len(r.Lock) > messages.MaxSize || len(r.Header) > messages.MaxSmall {
		return nil, fmt.Errorf("%w: message of %d bytes, header of %d, lock of %d", wire.ErrFrame, len(r.Message),
			len(r.Header), len(r.Lock))
	}
	m, err := messages.Decode(r.Code, r.Message)
	if err != nil {
		return nil, fmt.Errorf("%w: message to sign: %w", wire.ErrFrame, err)
	}
	in := &signing.Intent{Message: m, Lock: r.Lock, LockRound: r.LockRound}
	switch m := m.(type) {
	case *messages.Prepare, *messages.Commit:
		in.Header = new(types.Header)
		if err := rlp.DecodeBytes(r.Header, in.Header); err != nil {
			return nil, fmt.Errorf("%w: header of the block: %w", wire.ErrFrame, err)
		}
	case *messages.PrePrepare:
		if m.Block.NumberU64() != m.Sequence {
			return nil, fmt.Errorf("%w: block %d is proposed in sequence %d", errRefused, m.Block.NumberU64(), m.Sequence)
		}
	}
	if len(r.Lock) > 0 && r.LockRound > m.View().Round {
		return nil, fmt.Errorf("%w: lock of round %d comes with a message of round %d", errRefused, r.LockRound,
			m.View().Round)
	}
	return in, nil
}

// lock makes a lock durable that comes with no message.
func (g *guard) lock(k *votelog.Lock) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.broken != nil {
		return g.broken
	}
	p := g.books[k.Sequence]
	if p == nil {
		return fmt.Errorf("%w: lock of sequence %d, in which nothing was signed", errRefused, k.Sequence)
	}
	if err := g.write(k.Sequence, nil, []votelog.Lock{*k}); err != nil {
		return err
	}
	p.lock = len(k.Certificate)
	return nil
}

// takeBack records a message of this key that came from the network, after its record was lost. It can only make the
// guard refuse more.
func (g *guard) takeBack(v *votelog.Record) error {
	m, err := messages.Decode(v.Code, v.Payload)
	if err != nil {
		return fmt.Errorf("%w: message to take back: %w", wire.ErrFrame, err)
	}
	view := messages.View{Sequence: v.Sequence, Round: v.Round}
	if signer, err := m.Signer(); err != nil || signer != g.owner.Validator || m.View() != view ||
		signing.Subject(m) != v.Digest {
		return fmt.Errorf("%w: the message of view %v is not one of this key", errRefused, view)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.books[v.Sequence]
	if p == nil {
		p = newPage()
	}
	if _, known := p.Signed(v.Code, v.Round); known {
		return p.Conflict(v.Code, v.Round, v.Digest)
	}
	if err := g.write(v.Sequence, []votelog.Record{*v}, nil); err != nil {
		return err
	}
	p.note(*v)
	g.books[v.Sequence] = p
	return nil
}

// setOrigin records which votes may be missing. A node can make that more careful; only the operator can forget a loss.
func (g *guard) setOrigin(o votelog.Origin) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if old := g.votes.Origin(); old != nil && *old != o && !o.Lost && !g.resume {
		return fmt.Errorf("%w: votes of this key are lost: start gwon-signer with --resume too, if the network stands still",
			errRefused)
	}
	return g.votes.SetOrigin(o)
}

// prune drops decided sequences. The last ones below the highest signed sequence stay.
func (g *guard) prune(sequence uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	highest := uint64(0)
	for number, p := range g.books {
		if len(p.Votes) > 0 {
			highest = max(highest, number)
		}
	}
	if highest < signing.KeptSequences || sequence == 0 {
		return
	}
	sequence = min(sequence, highest-signing.KeptSequences)
	g.votes.Prune(sequence)
	maps.DeleteFunc(g.books, func(number uint64, _ *page) bool { return number <= sequence })
	if g.votes.Wasteful() && !g.busy {
		g.busy = true
		g.compact.Go(g.compactLog)
	}
}

func (g *guard) compactLog() {
	if err := g.votes.Compact(); err != nil {
		log.Error("Vote log not compacted", "err", err)
	}
	g.mu.Lock()
	g.busy = false
	g.mu.Unlock()
}

// failure returns why nothing is signed, nil if something is.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.broken
}

// state returns what a node has to know of the log at its start.
func (g *guard) state() *wire.StateAnswer {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := &wire.StateAnswer{Floor: g.votes.Floor(), Sequences: slices.Sorted(maps.Keys(g.books))}
	if o := g.votes.Origin(); o != nil {
		out.Known, out.Origin = true, wire.OriginBody(*o)
	}
	return out
}

// sequence returns the records and the lock of a sequence.
func (g *guard) sequence(number uint64) *wire.SequenceAnswer {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.votes.Sequence(number)
	out := &wire.SequenceAnswer{Records: s.Records}
	if s.Lock != nil {
		out.Locks = append(out.Locks, *s.Lock)
	}
	return out
}

// reveal returns the randao reveal of a block (spec wbft 2.3). There is one for each block, so it contradicts nothing.
func (g *guard) reveal(number uint64) ([]byte, error) {
	return extra.RandaoReveal(g.key, new(big.Int).SetUint64(g.owner.ChainID), number)
}

// close ends the guard. The caller has ended all requests.
func (g *guard) close() error {
	err := g.votes.Close()
	g.compact.Wait()
	return err
}
