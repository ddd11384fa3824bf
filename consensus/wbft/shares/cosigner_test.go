// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/votelog"
)

// crashingDisk dies at the n-th write or sync, after half of a write.
type crashingDisk struct {
	votelog.OS
	left int
	dead bool
}

var errDead = errors.New("the process is dead")

type crashingFile struct {
	votelog.File
	disk *crashingDisk
}

func (d *crashingDisk) tick() bool {
	if d.dead {
		return true
	}
	d.left--
	d.dead = d.left == 0
	return d.dead
}

// Lock implements votelog.Disk. A process that died has left its lock.
func (d *crashingDisk) Lock(string) (func() error, error) { return func() error { return nil }, nil }

func (d *crashingDisk) Create(path string) (votelog.File, error) {
	f, err := d.OS.Create(path)
	return &crashingFile{f, d}, err
}

func (d *crashingDisk) Open(path string) (votelog.File, error) {
	f, err := d.OS.Open(path)
	return &crashingFile{f, d}, err
}

func (f *crashingFile) WriteAt(b []byte, at int64) (int, error) {
	if f.disk.tick() {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, errDead
	}
	return f.File.WriteAt(b, at)
}

func (f *crashingFile) Sync() error {
	if f.disk.dead {
		return errDead
	}
	err := f.File.Sync()
	if f.disk.tick() {
		return errDead // what was written is there, and nobody was told
	}
	return err
}

// TestHostileNodes: nodes that ask any cosigner for anything, while cosigners die at any write, never get two messages
// with two approvals each that the rules forbid. One cosigner alone may approve anything that another one does not.
// spec: wbft 9.1
func TestHostileNodes(t *testing.T) {
	parent := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(parent, fmt.Sprint(runs))
		must(t, os.Mkdir(dir, 0o700))
		defer os.RemoveAll(dir) //nolint:errcheck // the parent goes, too
		disks := []*crashingDisk{{}, {}, {}}
		b := newBed(t, dir, func(i int) votelog.Disk { return disks[i] })
		approvals := make(map[string]map[int]bool) // cosigners by request
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			i := rapid.IntRange(0, 2).Draw(t, "cosigner")
			switch rapid.IntRange(0, 11).Draw(t, "step") {
			case 0:
				disks[i].left = rapid.IntRange(1, 4).Draw(t, "operations until the crash")
			case 1:
				must(t, b.cosigners[i].Prune(rapid.Uint64Range(0, 60).Draw(t, "pruned")))
			default:
				// Few messages, so that many of them meet.
				in := intent(rapid.SampledFrom(allCodes).Draw(t, "code"), 20,
					rapid.Uint64Range(0, 2).Draw(t, "round"), rapid.ByteRange(0, 2).Draw(t, "tag"))
				r, err := requestOf(in)
				must(t, err)
				for i, asked := range rapid.SliceOfN(rapid.Bool(), 3, 3).Draw(t, "asked") {
					if !asked {
						continue
					}
					if _, err := b.cosigners[i].Approve(r); err == nil {
						of := string(append([]byte{byte(r.Code)}, r.Message...))
						if approvals[of] == nil {
							approvals[of] = make(map[int]bool)
						}
						approvals[of][i] = true
					}
				}
			}
			for i := range disks {
				if disks[i].dead {
					b.cosigners[i].Close() //nolint:errcheck,gosec // the process is dead
					*disks[i] = crashingDisk{}
					b.open(i)
				}
			}
		}
		var whole []messages.Message
		for of, by := range approvals {
			if len(by) >= 2 {
				m, err := messages.Decode(uint64(of[0]), []byte(of[1:]))
				must(t, err)
				whole = append(whole, m)
			}
		}
		judge(t, whole)
	})
}

// judge is the rule again, in other words: it looks at all pairs of messages that exist.
func judge(t *rapid.T, whole []messages.Message) {
	for i, a := range whole {
		for _, b := range whole[:i] {
			if a.Code() == b.Code() && a.View() == b.View() {
				t.Fatalf("two messages %#x of view %v", a.Code(), a.View())
			}
		}
		commit, ok := a.(*messages.Commit)
		if !ok {
			continue
		}
		for _, b := range whole {
			change, ok := b.(*messages.RoundChange)
			if !ok || change.Sequence != commit.Sequence || change.Round <= commit.Round {
				continue
			}
			if p := change.Prepared; p == nil || p.Round < commit.Round ||
				p.Round == commit.Round && p.Digest != commit.Digest {
				t.Fatalf("ROUND-CHANGE to %v forgets the COMMIT of %v", b.View(), a.View())
			}
		}
	}
}

// TestCosignerRefuses: what is no request of an honest node is refused. spec: wbft 9.1
func TestCosignerRefuses(t *testing.T) {
	request := func(code, sequence, round uint64, tag byte) *Request {
		r, err := requestOf(intent(code, sequence, round, tag))
		must(t, err)
		return r
	}
	const dropped = "a dropped sequence"
	for name, c := range map[string]struct {
		before []*Request
		r      *Request
	}{
		"another block in the view": {
			[]*Request{request(messages.CodePrepare, 20, 0, 1)}, request(messages.CodePrepare, 20, 0, 2),
		},
		"an earlier round": {
			[]*Request{request(messages.CodeRoundChange, 20, 2, 0)}, request(messages.CodePrepare, 20, 1, 1),
		},
		"a ROUND-CHANGE that forgets": {
			[]*Request{request(messages.CodeCommit, 20, 0, 1)}, request(messages.CodeRoundChange, 20, 1, 0),
		},
		"another body of the proposal": {
			[]*Request{request(messages.CodePrePrepare, 20, 0, 1)}, otherBody(t, request(messages.CodePrePrepare, 20, 0, 1)),
		},
		"a vote with the header of another block": {nil, &Request{
			Code: messages.CodePrepare, Message: request(messages.CodePrepare, 20, 0, 1).Message,
			Header: request(messages.CodePrepare, 20, 0, 2).Header,
		}},
		"a vote without a header": {nil, &Request{
			Code: messages.CodePrepare, Message: request(messages.CodePrepare, 20, 0, 1).Message,
		}},
		"no message": {nil, &Request{Code: messages.CodePrepare, Message: []byte{1}}},
		"a lock of a later round": {nil, &Request{
			Code: messages.CodeRoundChange, Message: request(messages.CodeRoundChange, 20, 1, 0).Message, Lock: []byte{1},
			LockRound: 2,
		}},
		dropped: {
			[]*Request{request(messages.CodePrepare, 40, 0, 1)}, request(messages.CodePrepare, 20, 0, 1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, t.TempDir(), files)
			for _, r := range c.before {
				_, err := b.cosigners[0].Approve(r)
				must(t, err)
				_, err = b.cosigners[0].Approve(r) // again
				must(t, err)
			}
			must(t, b.cosigners[0].Prune(39)) // of which the last sixteen stay
			if _, err := b.cosigners[0].Approve(c.r); !errors.Is(err, ErrRefused) {
				t.Errorf("error %v, want a refusal", err)
			}
			must(t, b.cosigners[0].Close())
			b.open(0)
			if name == dropped {
				return // the log begins with what the file has, which has no vote in the sequence
			}
			if _, err := b.cosigners[0].Approve(c.r); !errors.Is(err, ErrRefused) {
				t.Errorf("after a restart: error %v, want a refusal", err)
			}
		})
	}
}

// TestCosignerKeepsTheLastSequences: a node cannot drop what it may still contradict. spec: wbft 9.1
func TestCosignerKeepsTheLastSequences(t *testing.T) {
	b := newBed(t, t.TempDir(), files)
	c := b.cosigners[0]
	for sequence := uint64(20); sequence < 50; sequence++ {
		r, err := requestOf(intent(messages.CodePrepare, sequence, 0, 1))
		must(t, err)
		_, err = c.Approve(r)
		must(t, err)
	}
	must(t, c.Prune(1000))
	state := c.State()
	const first = 50 - keptSequences
	if n := len(state.Sequences); n != keptSequences || state.Sequences[0].Number != first || state.Floor != first {
		t.Errorf("%d sequences from %d on are left, floor %d", n, state.Sequences[0].Number, state.Floor)
	}
}

// otherBody returns a request to propose a block of the same hash with other bytes.
func otherBody(t *testing.T, r *Request) *Request {
	m, err := messages.Decode(r.Code, r.Message)
	must(t, err)
	proposal := m.(*messages.PrePrepare)
	h := proposal.Block.Header()
	x, err := h.WBFTExtra()
	must(t, err)
	x.Round = 7 // the hash does not cover it
	h.Extra = x.Encode()
	block := types.NewBlockWithHeader(h)
	if block.Hash() != proposal.Block.Hash() {
		t.Fatal("the hash covers the round")
	}
	other := &messages.PrePrepare{Sequence: proposal.Sequence, Round: proposal.Round, Block: block}
	must(t, other.SignWith(unsigned))
	return &Request{Code: r.Code, Message: other.Encode()}
}

// FuzzRequest: no request makes a cosigner panic.
func FuzzRequest(f *testing.F) {
	for _, code := range allCodes {
		r, err := requestOf(intent(code, 20, 1, 1))
		must(f, err)
		f.Add(r.record())
	}
	b := newBed(f, f.TempDir(), files)
	f.Fuzz(func(t *testing.T, payload []byte) {
		r := new(Request)
		if rlp.DecodeBytes(payload, r) != nil {
			return
		}
		if _, err := b.cosigners[0].Approve(r); err == nil {
			if again, err := requestIn(votelog.Record{Payload: r.record()}); err != nil || again.Code != r.Code {
				t.Errorf("the record of a request is not one: %v", err)
			}
		}
	})
}
