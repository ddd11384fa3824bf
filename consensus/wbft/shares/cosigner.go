// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// keptSequences is the number of sequences below the highest one with an approval that a node cannot drop.
const keptSequences = 16

// ErrRefused is wrapped by answers of a cosigner to what the rules forbid.
var ErrRefused = errors.New("the cosigner refuses")

// Request asks a cosigner to approve a message. Seal and signature of the message are placeholders. A record of the
// vote log has the encoding of a request without its lock, so that a restarted node can ask again.
type Request struct {
	Code      uint64
	Message   []byte
	Header    []byte // of the block of a PREPARE or COMMIT
	Lock      []byte
	LockRound uint64
}

// State is what a node has to know of a vote log at its start.
type State struct {
	Floor     uint64
	Origin    *votelog.Origin `rlp:"nil"`
	Sequences []votelog.Sequence
}

// Cosigner approves messages of a validator with one share of its BLS key. It is safe for concurrent use.
type Cosigner struct {
	owner votelog.Owner
	share bls.Share

	turn   chan struct{} // has a token while a request is under way; guards what follows
	votes  *votelog.Log
	books  map[uint64]*signing.Book               // by sequence
	bodies map[uint64]map[signing.Key]common.Hash // hashes of the signing payloads of proposals
	broken error                                  // the vote log failed: nothing is approved any more
}

// NewCosigner returns the cosigner of a share with its vote log, which Close closes.
func NewCosigner(share bls.Share, owner votelog.Owner, votes *votelog.Log) *Cosigner {
	c := &Cosigner{
		owner: owner, share: share, turn: make(chan struct{}, 1), votes: votes, books: make(map[uint64]*signing.Book),
		bodies: make(map[uint64]map[signing.Key]common.Hash),
	}
	for _, s := range votes.Sequences() {
		for _, r := range s.Records {
			c.note(r)
		}
	}
	return c
}

// take waits for the turn on a channel and not for a mutex, so that simulated time passes meanwhile.
func (c *Cosigner) take() (giveBack func()) {
	c.turn <- struct{}{}
	return func() { <-c.turn }
}

// note takes a record of the log into the book of its sequence.
func (c *Cosigner) note(r votelog.Record) {
	if c.books[r.Sequence] == nil {
		book := signing.NewBook()
		c.books[r.Sequence], c.bodies[r.Sequence] = &book, make(map[signing.Key]common.Hash)
	}
	if r.Code == messages.CodePrePrepare {
		if m, err := decodeRecord(r); err == nil {
			c.bodies[r.Sequence][signing.Key{Code: r.Code, Round: r.Round}] = crypto.Keccak256Hash(m.SigningPayload())
		}
	}
	r.Payload = nil // the log has it
	c.books[r.Sequence].Record(signing.Vote(r))
}

// book returns what the share was used for in a sequence.
func (c *Cosigner) book(sequence uint64) signing.Book {
	if b := c.books[sequence]; b != nil {
		return *b
	}
	return signing.NewBook()
}

// Approve makes a message and its lock durable if the share may be used for it, and then returns its part of the seal:
// 96 bytes for a PREPARE or COMMIT, nil for other messages. Errors that the rules demand wrap ErrRefused.
func (c *Cosigner) Approve(r *Request) (part []byte, err error) {
	in, err := r.intent()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	defer c.take()()
	m, view, digest := in.Message, in.Message.View(), signing.Subject(in.Message)
	if err := c.mayUse(view.Sequence); err != nil {
		return nil, err
	}
	book := c.book(view.Sequence)
	repeated, err := book.MaySign(m, digest)
	if err != nil {
		return nil, fmt.Errorf("%w: message %#x of view %v for %v: %w", ErrRefused, m.Code(), view, digest, err)
	}
	if m.Code() == messages.CodePrePrepare && repeated { // a block hash does not fix the bytes of a block
		known := c.bodies[view.Sequence][signing.Key{Code: m.Code(), Round: view.Round}]
		if known != crypto.Keccak256Hash(m.SigningPayload()) {
			return nil, fmt.Errorf("%w: the proposal of view %v is not the one that was approved", ErrRefused, view)
		}
	}
	if err := signing.With(unsigned, c.seal)(*in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	record := votelog.Record{
		Code: m.Code(), Sequence: view.Sequence, Round: view.Round, Digest: digest, Payload: r.record(),
	}
	var locks []votelog.Lock
	if len(in.Lock) > 0 {
		locks = append(locks, votelog.Lock{Sequence: view.Sequence, Round: in.LockRound, Certificate: in.Lock})
	}
	if err := c.write([]votelog.Record{record}, locks); err != nil {
		return nil, err
	}
	return sealOf(m), nil
}

// mayUse reports why the share is used for nothing in a sequence.
func (c *Cosigner) mayUse(sequence uint64) error {
	if c.broken != nil {
		return c.broken
	}
	if floor := c.votes.Floor(); sequence < floor {
		return fmt.Errorf("%w: sequence %d is below the lowest sequence %d of the vote log", ErrRefused, sequence, floor)
	}
	return nil
}

// seal returns the part of a seal over a digest.
func (c *Cosigner) seal(digest [32]byte) []byte { return scheme.Seal(c.share.Key, digest[:]) }

// unsigned is the placeholder of a signature.
func unsigned([]byte) ([]byte, error) { return make([]byte, messages.SignatureLength), nil }

// write makes records and locks durable, and takes the records into the books.
func (c *Cosigner) write(records []votelog.Record, locks []votelog.Lock) error {
	err := c.votes.Write(records, locks)
	switch {
	case errors.Is(err, votelog.ErrConflict), errors.Is(err, votelog.ErrPruned):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case err != nil:
		c.broken = fmt.Errorf("nothing is approved: the vote log cannot be written, mend the disk and start again: %w", err)
		return c.broken
	}
	for _, r := range records {
		if b := c.book(r.Sequence); !signed(&b, r) {
			c.note(r)
		}
	}
	return nil
}

func signed(b *signing.Book, r votelog.Record) bool {
	_, known := b.Signed(r.Code, r.Round)
	return known
}

// Keep makes what no request to approve had durable: messages of the validator that came from the network, and locks.
// It makes the cosigner refuse more, and approve nothing.
func (c *Cosigner) Keep(records []votelog.Record, locks []votelog.Lock) error {
	records = slices.Clone(records)
	for i := range records {
		r := &records[i]
		m, err := messages.Decode(r.Code, r.Payload)
		if err != nil {
			return fmt.Errorf("%w: message to keep: %w", ErrRefused, err)
		}
		view := messages.View{Sequence: r.Sequence, Round: r.Round}
		if signer, err := m.Signer(); err != nil || signer != c.owner.Validator || m.View() != view ||
			signing.Subject(m) != r.Digest {
			return fmt.Errorf("%w: the message of view %v is not one of this validator", ErrRefused, view)
		}
		r.Payload = (&Request{Code: r.Code, Message: r.Payload}).record()
	}
	defer c.take()()
	if c.broken != nil {
		return c.broken
	}
	return c.write(records, locks)
}

// State returns what the vote log has.
func (c *Cosigner) State() *State {
	defer c.take()()
	return &State{Floor: c.votes.Floor(), Origin: c.votes.Origin(), Sequences: c.votes.Sequences()}
}

// SetOrigin records which votes of the validator may be missing.
func (c *Cosigner) SetOrigin(o votelog.Origin) error {
	defer c.take()()
	return c.votes.SetOrigin(o)
}

// Prune drops decided sequences. The last ones below the highest sequence with an approval stay.
func (c *Cosigner) Prune(sequence uint64) error {
	defer c.take()()
	highest := uint64(0)
	for number := range c.books {
		highest = max(highest, number)
	}
	if highest < keptSequences || sequence == 0 {
		return nil
	}
	sequence = min(sequence, highest-keptSequences)
	c.votes.Prune(sequence)
	maps.DeleteFunc(c.books, func(number uint64, _ *signing.Book) bool { return number <= sequence })
	maps.DeleteFunc(c.bodies, func(number uint64, _ map[signing.Key]common.Hash) bool { return number <= sequence })
	if !c.votes.Wasteful() {
		return nil
	}
	return c.votes.Compact()
}

// Close closes the vote log.
func (c *Cosigner) Close() error {
	defer c.take()()
	return c.votes.Close()
}

// record returns the payload of the record of a request.
func (r *Request) record() []byte {
	short := *r
	short.Lock, short.LockRound = nil, 0
	payload, err := rlp.EncodeToBytes(&short)
	if err != nil {
		panic(err) // byte strings and integers
	}
	return payload
}

// requestIn returns the request of a record.
func requestIn(r votelog.Record) (*Request, error) {
	out := new(Request)
	if err := rlp.DecodeBytes(r.Payload, out); err != nil {
		return nil, fmt.Errorf("record of message %#x of sequence %d, round %d: %w", r.Code, r.Sequence, r.Round, err)
	}
	return out, nil
}

// decodeRecord returns the message of a record.
func decodeRecord(r votelog.Record) (messages.Message, error) {
	request, err := requestIn(r)
	if err != nil {
		return nil, err
	}
	return messages.Decode(r.Code, request.Message)
}

// intent decodes a request.
func (r *Request) intent() (*signing.Intent, error) {
	m, err := messages.Decode(r.Code, r.Message)
	if err != nil {
		return nil, fmt.Errorf("message to approve: %w", err)
	}
	in := &signing.Intent{Message: m, Lock: r.Lock, LockRound: r.LockRound}
	switch m := m.(type) {
	case *messages.Prepare, *messages.Commit:
		in.Header = new(types.Header)
		if err := rlp.DecodeBytes(r.Header, in.Header); err != nil {
			return nil, fmt.Errorf("header of the block: %w", err)
		}
	case *messages.PrePrepare:
		if m.Block.NumberU64() != m.Sequence {
			return nil, fmt.Errorf("block %d is proposed in sequence %d", m.Block.NumberU64(), m.Sequence)
		}
	}
	if len(r.Lock) > 0 && r.LockRound > m.View().Round {
		return nil, fmt.Errorf("lock of round %d comes with a message of round %d", r.LockRound, m.View().Round)
	}
	return in, nil
}

// requestOf returns the request to approve a message, in which it puts placeholders for seal and signature.
func requestOf(in signing.Intent) (*Request, error) {
	r := &Request{Code: in.Message.Code(), Lock: in.Lock, LockRound: in.LockRound}
	setSeal(in.Message, make([]byte, messages.SealLength))
	if err := in.Message.SignWith(unsigned); err != nil {
		return nil, err
	}
	r.Message = in.Message.Encode()
	if in.Header != nil {
		var err error
		if r.Header, err = rlp.EncodeToBytes(in.Header); err != nil {
			return nil, fmt.Errorf("encode header: %w", err)
		}
	}
	return r, nil
}

// sealOf returns the seal of a vote, nil for other messages.
func sealOf(m messages.Message) []byte {
	switch m := m.(type) {
	case *messages.Prepare:
		return m.Seal
	case *messages.Commit:
		return m.Seal
	}
	return nil
}

func setSeal(m messages.Message, seal []byte) {
	switch m := m.(type) {
	case *messages.Prepare:
		m.Seal = seal
	case *messages.Commit:
		m.Seal = seal
	}
}
