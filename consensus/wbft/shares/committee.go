// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// maxWaiting bounds the requests that wait for one cosigner. At that number it is taken for one that is away.
const maxWaiting = 8

// Endpoint is a cosigner as a node reaches it. Cosigner documents the methods. A refusal wraps ErrRefused, every other
// error means that the cosigner cannot be reached or approves nothing. The methods end with their context.
type Endpoint interface {
	Approve(ctx context.Context, r *Request) (part []byte, err error)
	Keep(ctx context.Context, records []votelog.Record, locks []votelog.Lock) error
	State(ctx context.Context) (*State, error)
	SetOrigin(ctx context.Context, o votelog.Origin) error
	Prune(ctx context.Context, sequence uint64) error
}

// Member is a cosigner of a committee.
type Member struct {
	Index    byte           // of its share
	Public   *bls.PublicKey // of its share
	Endpoint Endpoint
}

// Config holds the settings of a Committee.
type Config struct {
	Owner     votelog.Owner
	Key       *ecdsa.PrivateKey // of the validator
	Seals     *bls.PublicKey    // under which the validator's seals verify
	Members   []Member
	Threshold int
	Timeout   time.Duration // of a request to a threshold of members
}

// Committee is the key of a node whose messages a threshold of cosigners approves (wbft.Keeper). It is safe for
// concurrent use.
type Committee struct {
	cfg     Config
	running context.Context // ends with Close
	cancel  context.CancelFunc
	workers sync.WaitGroup
	slots   []chan struct{} // of each member; one has a token for each request that waits for it

	mu      sync.Mutex
	accused map[byte]uint64 // wrong parts, by index
	votes   *unionVotes     // nil until OpenVotes
	missing string          // why the last message got no approval, or ""
}

// NewCommittee returns the committee of a configuration. Close ends it.
func NewCommittee(cfg Config) (*Committee, error) {
	n := len(cfg.Members)
	if cfg.Threshold < 1 || 2*cfg.Threshold <= n || cfg.Threshold > n {
		return nil, fmt.Errorf("threshold %d of %d cosigners: want more than half of them, since two approvals have to meet "+
			"in one cosigner", cfg.Threshold, n)
	}
	if crypto.PubkeyToAddress(cfg.Key.PublicKey) != cfg.Owner.Validator {
		return nil, fmt.Errorf("the key is not that of validator %v", cfg.Owner.Validator)
	}
	c := &Committee{cfg: cfg, accused: make(map[byte]uint64)}
	c.running, c.cancel = context.WithCancel(context.Background())
	for range cfg.Members {
		c.slots = append(c.slots, make(chan struct{}, maxWaiting))
	}
	return c, nil
}

// Close ends requests under way and waits for them.
func (c *Committee) Close() {
	c.cancel()
	c.workers.Wait()
}

// Address implements wbft.Key.
func (c *Committee) Address() common.Address { return c.cfg.Owner.Validator }

// RandaoReveal implements wbft.Key. There is one reveal for each block, so it contradicts nothing.
func (c *Committee) RandaoReveal(chainID *big.Int, number uint64) ([]byte, error) {
	return extra.RandaoReveal(c.cfg.Key, chainID, number)
}

// Away implements wbft.Keeper.
func (c *Committee) Away() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.missing
}

// Accused returns how many wrong parts of seals each cosigner gave, by index.
func (c *Committee) Accused() map[byte]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.accused)
}

// Sign implements wbft.Key: a threshold of cosigners approves the message, their parts make the seal of a vote, and the
// key signs. An error wraps signing.ErrAway if too few cosigners answer, ErrRefused if too many refuse.
func (c *Committee) Sign(in signing.Intent) error {
	err := c.approve(in)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.missing = err.Error()
		return err
	}
	c.missing = ""
	if c.votes != nil {
		c.votes.noteSigned(in)
	}
	return nil
}

// approve gives a message its seal and its signature.
func (c *Committee) approve(in signing.Intent) error {
	r, err := requestOf(in)
	if err != nil {
		return err
	}
	message, err := digestOf(in)
	if err != nil {
		return err
	}
	t := tally{committee: c, message: message, view: in.Message.View()}
	if err = c.ask(func(ctx context.Context, m Member) (count func() int, err error) {
		part, err := m.Endpoint.Approve(ctx, r)
		return func() int { return t.add(m, part) }, err
	}); err != nil {
		return fmt.Errorf("message %#x of view %v: %w", r.Code, t.view, err)
	}
	setSeal(in.Message, t.seal)
	return in.Message.SignWith(scheme.SignWith(c.cfg.Key))
}

// digestOf returns what the seal of a vote is over, nil for other messages.
func digestOf(in signing.Intent) (message []byte, err error) {
	if sealOf(in.Message) == nil {
		return nil, nil
	}
	keep := func(digest [32]byte) []byte {
		message = digest[:]
		return make([]byte, messages.SealLength)
	}
	err = signing.With(unsigned, keep)(in)
	return message, err
}

// tally holds the approvals of one message.
type tally struct {
	committee *Committee
	message   []byte // that the seal of a vote is over; nil for other messages
	view      messages.View
	count     int // of approvals without a part
	parts     []scheme.Part
	seal      []byte // once there is a threshold
}

// add takes the approval of a member and returns the number of good ones. The threshold of parts is tried as a whole,
// which costs one pairing. Only if that fails, each part is verified, so that the cosigner with a wrong one is named.
func (t *tally) add(from Member, part []byte) (have int) {
	if t.message == nil {
		t.count++
		return t.count
	}
	c := t.committee
	seal, err := scheme.ParseSignature(part)
	if err != nil {
		c.accuse(from.Index, t.view)
		return len(t.parts)
	}
	t.parts = append(t.parts, scheme.Part{Index: from.Index, Seal: seal})
	if len(t.parts) < c.cfg.Threshold {
		return len(t.parts)
	}
	whole, err := scheme.Combine(t.parts)
	if err == nil && scheme.Verify(c.cfg.Seals, t.message, whole) {
		t.seal = whole
		return len(t.parts)
	}
	t.parts = slices.DeleteFunc(t.parts, func(p scheme.Part) bool {
		wrong := !scheme.Verify(c.publicOf(p.Index), t.message, p.Seal.Bytes())
		if wrong {
			c.accuse(p.Index, t.view)
		}
		return wrong
	})
	return min(len(t.parts), c.cfg.Threshold-1)
}

func (c *Committee) publicOf(index byte) *bls.PublicKey {
	for _, m := range c.cfg.Members {
		if m.Index == index {
			return m.Public
		}
	}
	return nil
}

// accuse counts a wrong part of a cosigner.
func (c *Committee) accuse(index byte, view messages.View) {
	c.mu.Lock()
	c.accused[index]++
	first := c.accused[index] == 1
	c.mu.Unlock()
	if first {
		log.Error("Wrong part of a seal received", "cosigner", index, "view", view, "remedy", "look at its machine")
	}
}

// ask asks all members at once and returns nil when a threshold of answers is good. count takes a good answer in the
// goroutine of the caller, and returns the number of them. The other requests go on until they end by themselves.
func (c *Committee) ask(request func(context.Context, Member) (count func() int, err error)) error {
	type answer struct {
		index byte
		count func() int
		err   error
	}
	ctx, cancel := context.WithTimeout(c.running, c.cfg.Timeout)
	answers := make(chan answer, len(c.cfg.Members))
	var asked sync.WaitGroup
	for i, m := range c.cfg.Members {
		select {
		case c.slots[i] <- struct{}{}:
		default:
			answers <- answer{m.Index, nil, errors.New("too many requests wait for it")}
			continue
		}
		asked.Go(func() {
			count, err := request(ctx, m)
			<-c.slots[i]
			answers <- answer{m.Index, count, err}
		})
	}
	returned := make(chan struct{})
	defer close(returned)
	c.workers.Go(func() {
		asked.Wait()
		<-returned
		cancel()
	})
	var failures []error
	have, refused := 0, 0
	for left := len(c.cfg.Members); have < c.cfg.Threshold; left-- {
		if have+left < c.cfg.Threshold {
			return c.lack(refused, failures)
		}
		select {
		case a := <-answers:
			if a.err == nil {
				have = a.count()
				continue
			}
			if errors.Is(a.err, ErrRefused) {
				refused++
			}
			failures = append(failures, fmt.Errorf("cosigner %d: %w", a.index, a.err))
		case <-ctx.Done():
			return c.lack(refused, append(failures, ctx.Err()))
		}
	}
	return nil
}

// lack returns the error of a request that too few cosigners carried out. It is a refusal if no threshold is left
// without those that refuse.
func (c *Committee) lack(refused int, failures []error) error {
	if len(failures) == 0 {
		failures = append(failures, errors.New("parts of the seal are wrong"))
	}
	reason := signing.ErrAway
	if refused > len(c.cfg.Members)-c.cfg.Threshold {
		reason = ErrRefused
	}
	return fmt.Errorf("%w: fewer than %d cosigners agree: %w", reason, c.cfg.Threshold, errors.Join(failures...))
}
