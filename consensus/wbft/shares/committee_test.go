// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
)

// fataler is what the fixtures ask of a test.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bed is a validator with three cosigners in a directory.
type bed struct {
	t         fataler
	dir       string
	key       *ecdsa.PrivateKey
	seals     *bls.SecretKey
	owner     votelog.Owner
	shares    []bls.Share
	disks     []votelog.Disk
	cosigners []*Cosigner
}

func newBed(t fataler, dir string, disk func(i int) votelog.Disk) *bed {
	t.Helper()
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("shares")))
	must(t, err)
	b := &bed{t: t, dir: dir, key: key}
	b.owner = votelog.Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: common.Hash{1}, ChainID: 8283}
	b.seals, err = bls.ParseSecretKey(append([]byte{1}, crypto.Keccak256([]byte("seals"))[1:]...))
	must(t, err)
	b.shares, err = bls.Split(b.seals, 2, 3)
	must(t, err)
	b.cosigners = make([]*Cosigner, 3)
	for i := range b.cosigners {
		b.disks = append(b.disks, disk(i))
		b.open(i)
	}
	return b
}

func files(int) votelog.Disk { return votelog.OS{} }

// open starts a cosigner.
func (b *bed) open(i int) {
	b.t.Helper()
	votes, err := votelog.OpenOn(b.disks[i], filepath.Join(b.dir, fmt.Sprintf("%d.log", i)), b.owner)
	must(b.t, err)
	b.cosigners[i] = NewCosigner(b.shares[i], b.owner, votes)
}

// committee returns the committee of a node that reaches the cosigners by ways.
func (b *bed) committee(ways ...*way) *Committee {
	b.t.Helper()
	cfg := Config{Owner: b.owner, Key: b.key, Seals: b.seals.PublicKey(), Threshold: 2, Timeout: time.Minute}
	for i, w := range ways {
		w.bed, w.index = b, i
		cfg.Members = append(cfg.Members,
			Member{Index: b.shares[i].Index, Public: b.shares[i].Key.PublicKey(), Endpoint: w})
	}
	c, err := NewCommittee(cfg)
	must(b.t, err)
	return c
}

// way is how a node reaches a cosigner of this process.
type way struct {
	bed   *bed
	index int
	down  bool
	lies  func(part []byte) []byte
	hangs bool
	deaf  bool // to requests for approval
	mute  bool // about its log
}

var errDown = errors.New("it is down")

func (w *way) call(ctx context.Context, do func(*Cosigner) error) error {
	switch {
	case w.down:
		return errDown
	case w.hangs:
		<-ctx.Done()
		return ctx.Err()
	}
	return do(w.bed.cosigners[w.index])
}

// Approve implements Endpoint.
func (w *way) Approve(ctx context.Context, r *Request) (part []byte, err error) {
	err = w.call(ctx, func(c *Cosigner) (err error) {
		if w.deaf {
			return errDown
		}
		part, err = c.Approve(r)
		return err
	})
	if w.lies != nil && part != nil {
		part = w.lies(part)
	}
	return part, err
}

// Keep implements Endpoint.
func (w *way) Keep(ctx context.Context, records []votelog.Record, locks []votelog.Lock) error {
	return w.call(ctx, func(c *Cosigner) error { return c.Keep(records, locks) })
}

// State implements Endpoint.
func (w *way) State(ctx context.Context) (state *State, err error) {
	err = w.call(ctx, func(c *Cosigner) error {
		if w.mute {
			return errDown
		}
		state = c.State()
		return nil
	})
	return state, err
}

// SetOrigin implements Endpoint.
func (w *way) SetOrigin(ctx context.Context, o votelog.Origin) error {
	return w.call(ctx, func(c *Cosigner) error { return c.SetOrigin(o) })
}

// Prune implements Endpoint.
func (w *way) Prune(ctx context.Context, sequence uint64) error {
	return w.call(ctx, func(c *Cosigner) error { return c.Prune(sequence) })
}

// header returns a header of a block; another tag gives another one.
func header(sequence uint64, tag byte) *types.Header {
	return &types.Header{
		Number: new(big.Int).SetUint64(sequence), Difficulty: big.NewInt(1), Extra: new(types.WBFTExtra).Encode(),
		BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, GasLimit: uint64(tag) + 1,
	}
}

// intent returns a message of a kind; another tag gives another content. A COMMIT has a lock.
func intent(code, sequence, round uint64, tag byte) signing.Intent {
	h := header(sequence, tag)
	switch code {
	case messages.CodePrePrepare:
		return signing.Intent{
			Message: &messages.PrePrepare{Sequence: sequence, Round: round, Block: types.NewBlockWithHeader(h)},
		}
	case messages.CodePrepare:
		return signing.Intent{Message: &messages.Prepare{Sequence: sequence, Round: round, Digest: h.Hash()}, Header: h}
	case messages.CodeCommit:
		return signing.Intent{Message: &messages.Commit{Sequence: sequence, Round: round, Digest: h.Hash()}, Header: h,
			Lock: []byte{1, tag}, LockRound: round}
	}
	m := &messages.RoundChange{}
	m.Sequence, m.Round = sequence, round
	if tag > 0 {
		m.Prepared = &messages.PreparedClaim{Round: uint64(tag-1) / 4, Digest: header(sequence, (tag-1)%4).Hash()}
	}
	return signing.Intent{Message: m}
}

var allCodes = []uint64{
	messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit, messages.CodeRoundChange,
}

// TestCommitteeSignsAsTheKey: a message has the bytes that a node with both keys makes, whichever cosigner is down.
// spec: wbft 2.3, 2.4
func TestCommitteeSignsAsTheKey(t *testing.T) {
	for down := -1; down < 3; down++ {
		t.Run(fmt.Sprint("down ", down), func(t *testing.T) {
			b := newBed(t, t.TempDir(), files)
			c := b.committee(&way{down: down == 0}, &way{down: down == 1}, &way{down: down == 2})
			defer c.Close()
			for _, code := range allCodes {
				got, want := intent(code, 20, 1, 1), intent(code, 20, 1, 1)
				if code == messages.CodeRoundChange { // it leaves the COMMIT behind
					got, want = intent(code, 20, 2, 6), intent(code, 20, 2, 6)
				}
				must(t, c.Sign(got))
				must(t, signing.WithKeys(b.key, b.seals)(want))
				if !bytes.Equal(got.Message.Encode(), want.Message.Encode()) {
					t.Errorf("message %#x: %x, want %x", code, got.Message.Encode(), want.Message.Encode())
				}
			}
			if c.Address() != b.owner.Validator || c.Away() != "" {
				t.Errorf("address %v, away %q", c.Address(), c.Away())
			}
		})
	}
}

// TestWrongPartIsNamed: a wrong part never gets into a seal. Its cosigner is named, the other two make the seal.
// spec: wbft 2.4
func TestWrongPartIsNamed(t *testing.T) {
	for liar := range 3 {
		for name, lie := range map[string]func([]byte) []byte{
			"no point":       func([]byte) []byte { return make([]byte, messages.SealLength) },
			"short":          func(part []byte) []byte { return part[1:] },
			"of another key": func([]byte) []byte { return otherSeal(t) },
		} {
			t.Run(fmt.Sprintf("%s by %d", name, liar), func(t *testing.T) {
				b := newBed(t, t.TempDir(), files)
				ways := []*way{{}, {}, {}}
				ways[liar].lies = lie
				c := b.committee(ways...)
				// Until the part of the liar is among the first two.
				for sequence := uint64(20); len(c.Accused()) == 0; sequence++ {
					got, want := intent(messages.CodePrepare, sequence, 0, 1), intent(messages.CodePrepare, sequence, 0, 1)
					must(t, c.Sign(got))
					must(t, signing.WithKeys(b.key, b.seals)(want))
					if !bytes.Equal(got.Message.Encode(), want.Message.Encode()) {
						t.Fatal("a wrong part is in the seal")
					}
				}
				c.Close()
				if accused := c.Accused(); len(accused) != 1 || accused[byte(liar+1)] == 0 {
					t.Errorf("accused: %v, want cosigner %d", accused, liar+1)
				}
			})
		}
	}
}

func otherSeal(t *testing.T) []byte {
	key, err := bls.ParseSecretKey(append(make([]byte, 31), 9))
	must(t, err)
	return key.Sign([]byte("something"))
}

// TestTooFewApprovals: without a threshold nothing is signed, and the error says whether the cosigners are away or
// refuse. spec: wbft 9.1
func TestTooFewApprovals(t *testing.T) {
	lie := func([]byte) []byte { return otherSeal(t) }
	for name, c := range map[string]struct {
		ways    []*way
		wanted  error
		unusual string
	}{
		"two are down":      {[]*way{{}, {down: true}, {down: true}}, signing.ErrAway, "it is down"},
		"all are down":      {[]*way{{down: true}, {down: true}, {down: true}}, signing.ErrAway, "it is down"},
		"two lie":           {[]*way{{lies: lie}, {}, {lies: lie}}, signing.ErrAway, ""},
		"one down, one lie": {[]*way{{lies: lie}, {}, {down: true}}, signing.ErrAway, "it is down"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, t.TempDir(), files)
			committee := b.committee(c.ways...)
			defer committee.Close()
			in := intent(messages.CodePrepare, 20, 0, 1)
			err := committee.Sign(in)
			if !errors.Is(err, c.wanted) || !strings.Contains(err.Error(), c.unusual) {
				t.Errorf("error %v, want %v with %q", err, c.wanted, c.unusual)
			}
			if err != nil && committee.Away() != err.Error() {
				t.Errorf("away: %q", committee.Away())
			}
		})
	}
	t.Run("two refuse", func(t *testing.T) {
		b := newBed(t, t.TempDir(), files)
		first, second := b.committee(&way{}, &way{}, &way{down: true}), b.committee(&way{}, &way{}, &way{})
		defer first.Close()
		defer second.Close()
		must(t, first.Sign(intent(messages.CodePrepare, 20, 0, 1)))
		if err := second.Sign(intent(messages.CodePrepare, 20, 0, 2)); !errors.Is(err, ErrRefused) ||
			errors.Is(err, signing.ErrAway) {
			t.Errorf("error %v, want a refusal", err)
		}
		must(t, second.Sign(intent(messages.CodePrepare, 20, 0, 1))) // the same message is no contradiction
	})
	t.Run("two hang", func(t *testing.T) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, dir, files)
			c := b.committee(&way{}, &way{hangs: true}, &way{hangs: true})
			start := time.Now()
			for range maxWaiting + 2 {
				if err := c.Sign(intent(messages.CodePrepare, 20, 0, 1)); !errors.Is(err, signing.ErrAway) {
					t.Errorf("error %v, want one of an absence", err)
				}
			}
			if took := time.Since(start); took != (maxWaiting+2)*time.Minute {
				t.Errorf("it took %v", took)
			}
			c.Close()
		})
	})
}

// TestThresholds: a threshold of which two meet in no cosigner is refused, and a key that is not the owner's.
func TestThresholds(t *testing.T) {
	b := newBed(t, t.TempDir(), files)
	good := Config{Owner: b.owner, Key: b.key, Seals: b.seals.PublicKey(), Members: make([]Member, 3), Threshold: 2}
	for name, change := range map[string]func(*Config){
		"none":        func(c *Config) { c.Threshold = 0 },
		"one":         func(c *Config) { c.Threshold = 1 },
		"four":        func(c *Config) { c.Threshold = 4 },
		"two of four": func(c *Config) { c.Members = make([]Member, 4) },
		"foreign key": func(c *Config) { c.Owner.Validator = common.Address{1} },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			change(&cfg)
			if _, err := NewCommittee(cfg); err == nil {
				t.Error("taken")
			}
		})
	}
	_, err := NewCommittee(good)
	must(t, err)
}
