// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p/discover/v4wire"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/enr"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// fataler is what the fixtures ask of a test.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// bed is a guard in a directory, which can crash.
type bed struct {
	t     fataler
	key   *ecdsa.PrivateKey
	owner votelog.Owner
	path  string
	disk  votelog.Disk
	guard *guard
}

func newBed(t fataler, dir string, disk votelog.Disk) *bed {
	t.Helper()
	key := must.Get(crypto.ToECDSA(crypto.Keccak256([]byte("signer"))))(t)
	b := &bed{t: t, key: key, path: filepath.Join(dir, "votes.log"), disk: disk}
	b.owner = votelog.Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: common.Hash{1}, ChainID: 8283}
	b.open()
	return b
}

func (b *bed) open() {
	b.t.Helper()
	votes := must.Get(votelog.OpenOn(b.disk, b.path, b.owner))(b.t)
	b.guard = must.Get(newGuard(ServerConfig{Key: b.key, Owner: b.owner, Votes: votes}))(b.t)
}

// header returns a header of a block; another tag gives another one.
func header(sequence uint64, tag byte) *types.Header {
	return &types.Header{
		Number: new(big.Int).SetUint64(sequence), Difficulty: big.NewInt(1), Extra: new(types.WBFTExtra).Encode(),
		BaseFee: big.NewInt(1), UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, GasLimit: uint64(tag) + 1,
	}
}

// intent returns a message of a kind; another tag gives another content.
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
		return signing.Intent{Message: &messages.Commit{Sequence: sequence, Round: round, Digest: h.Hash()}, Header: h}
	}
	m := &messages.RoundChange{}
	m.Sequence, m.Round = sequence, round
	if tag > 0 {
		m.Prepared = &messages.PreparedClaim{Round: uint64(tag-1) / 4, Digest: header(sequence, (tag-1)%4).Hash()}
	}
	return signing.Intent{Message: m}
}

// sign asks the guard as a node does.
func (b *bed) sign(in signing.Intent) (*wire.SignAnswer, error) {
	r := must.Get(wire.RequestOf(in))(b.t)
	out, err := b.guard.sign(r)
	if err == nil {
		must.Do(b.t, out.PutInto(in.Message))
	}
	return out, err
}

// A vote gets the seal and signature that a node with the key makes, and is on disk before.
// spec: wbft 2.3, 2.4, 9.1
func TestGuardSignsAsANode(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	secret := must.Get(bls.DeriveKey(b.key))(t)
	for _, code := range []uint64{
		messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit, messages.CodeRoundChange,
	} {
		t.Run(votelog.MessageName(code), func(t *testing.T) {
			round := code - messages.CodePrePrepare // a ROUND-CHANGE comes last, and is of no earlier round
			tag := byte(0)
			if code == messages.CodeRoundChange {
				tag = 2*4 + 1 // it claims the COMMIT of round 2
			}
			asked, own := intent(code, 5, round, tag), intent(code, 5, round, tag)
			must.Get(b.sign(asked))(t)
			must.Do(t, signing.WithKeys(b.key, secret)(own))
			expect.That(t, string(asked.Message.Encode()) == string(own.Message.Encode()),
				"the signer made %x, a node %x", asked.Message.Encode(), own.Message.Encode())
			seen := must.Get(votelog.Look(votelog.OS{}, b.path))(t)
			last := seen.Data[0].Messages[len(seen.Data[0].Messages)-1]
			expect.That(t, string(last.Payload) == string(own.Message.Encode()), "the log has %x", []byte(last.Payload))
		})
	}
}

// What the guard refuses, by the row of the rule that forbids it. spec: wbft 9.1
func TestGuardRefuses(t *testing.T) {
	type ask struct {
		code, sequence, round uint64
		tag                   byte
	}
	propose, prepare := messages.CodePrePrepare, messages.CodePrepare
	commit, change := messages.CodeCommit, messages.CodeRoundChange
	contradiction, forgotten := signing.ErrContradiction, signing.ErrForgotten
	for name, row := range map[string]struct {
		before []ask
		last   ask
		err    error
	}{
		"second PREPARE of a view":          {[]ask{{prepare, 20, 0, 1}}, ask{prepare, 20, 0, 2}, contradiction},
		"same PREPARE again":                {[]ask{{prepare, 20, 0, 1}}, ask{prepare, 20, 0, 1}, nil},
		"second proposal of a view":         {[]ask{{propose, 20, 0, 1}}, ask{propose, 20, 0, 2}, contradiction},
		"vote in a round that was left":     {[]ask{{change, 20, 2, 0}}, ask{prepare, 20, 1, 1}, signing.ErrBehind},
		"vote in the new round":             {[]ask{{change, 20, 2, 0}}, ask{prepare, 20, 2, 1}, nil},
		"ROUND-CHANGE without the COMMIT":   {[]ask{{commit, 20, 1, 1}}, ask{change, 20, 2, 0}, forgotten},
		"ROUND-CHANGE with another block":   {[]ask{{commit, 20, 1, 1}}, ask{change, 20, 2, 1*4 + 2 + 1}, forgotten},
		"ROUND-CHANGE with an earlier lock": {[]ask{{commit, 20, 1, 1}}, ask{change, 20, 2, 1 + 1}, forgotten},
		"ROUND-CHANGE with the COMMIT":      {[]ask{{commit, 20, 1, 1}}, ask{change, 20, 2, 1*4 + 1 + 1}, nil},
		"ROUND-CHANGE with a later lock":    {[]ask{{commit, 20, 1, 1}}, ask{change, 20, 3, 2*4 + 2 + 1}, nil},
		"another sequence":                  {[]ask{{prepare, 20, 0, 1}}, ask{prepare, 21, 0, 2}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, t.TempDir(), votelog.OS{})
			for _, a := range row.before {
				must.Get(b.sign(intent(a.code, a.sequence, a.round, a.tag)))(t)
			}
			for _, when := range []string{"at once", "after a restart"} {
				last := row.last
				expect.Error(t, expect.Err(b.sign(intent(last.code, last.sequence, last.round, last.tag))), row.err, "%s", when)
				must.Do(t, b.guard.close())
				b.open()
			}
		})
	}
}

// A request whose parts do not belong together is refused. spec: wbft 2.4
func TestGuardRefusesOtherHeaders(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	for name, change := range map[string]func(*wire.SignRequest){
		"header of another block":  func(r *wire.SignRequest) { r.Header, _ = rlp.EncodeToBytes(header(20, 9)) },
		"header of another height": func(r *wire.SignRequest) { r.Header, _ = rlp.EncodeToBytes(header(21, 1)) },
		"no header":                func(r *wire.SignRequest) { r.Header = nil },
		"code of another kind":     func(r *wire.SignRequest) { r.Code = messages.CodeRoundChange },
		"no message":               func(r *wire.SignRequest) { r.Code = 0x11 },
		"lock of a later round":    func(r *wire.SignRequest) { r.Lock, r.LockRound = []byte{1}, 1 },
		"huge header":              func(r *wire.SignRequest) { r.Header = make([]byte, messages.MaxSmall+1) },
	} {
		t.Run(name, func(t *testing.T) {
			r := must.Get(wire.RequestOf(intent(messages.CodePrepare, 20, 0, 1)))(t)
			change(r)
			expect.Refused(t, expect.Err(b.guard.sign(r)), "signed")
		})
	}
	s := b.guard.votes.Sequences()
	expect.That(t, len(s) == 0, "the log has %v", s)
}

// A proposal is signed once, also where another block body has the same hash.
func TestGuardSignsOneBody(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	in := intent(messages.CodePrePrepare, 20, 0, 1)
	must.Get(b.sign(in))(t)
	other := intent(messages.CodePrePrepare, 20, 0, 1)
	tx := types.NewTx(&types.LegacyTx{Gas: 21_000, GasPrice: big.NewInt(1), Value: big.NewInt(1)})
	block := other.Message.(*messages.PrePrepare).Block
	other.Message.(*messages.PrePrepare).Block = block.WithBody(types.Body{Transactions: types.Transactions{tx}})
	expect.Error(t, expect.Err(b.sign(other)), errRefused, "another body")
}

// A node cannot make the signer forget what it has signed lately, nor that votes are lost.
func TestGuardKeepsItsMemory(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	for sequence := uint64(1); sequence <= 40; sequence++ {
		must.Get(b.sign(intent(messages.CodePrepare, sequence, 0, 1)))(t)
	}
	b.guard.prune(1 << 60)
	expect.Equal(t, b.guard.votes.Floor(), 40-signing.KeptSequences+1, "the lowest sequence")
	for _, sequence := range []uint64{24, 25, 40} {
		expect.Error(t, expect.Err(b.sign(intent(messages.CodePrepare, sequence, 0, 2))), errRefused, "sequence %d", sequence)
	}
	must.Do(t, b.guard.setOrigin(votelog.Origin{Since: 1}))
	must.Do(t, b.guard.setOrigin(votelog.Origin{Since: 2, Lost: true}))
	expect.Error(t, b.guard.setOrigin(votelog.Origin{Since: 3}), errRefused, "a loss is forgotten")
	b.guard.resume = true
	must.Do(t, b.guard.setOrigin(votelog.Origin{Since: 3}))
}

// Whatever a node asks for, the key goes on with the next block of the chain: no sequence is signed that the chain
// cannot have reached, and no prune passes it. spec: wbft 7.1
func TestFarSequencesLeaveTheKeyUsable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := must.Get(os.MkdirTemp(t.TempDir(), ""))(rt)
		now, head := time.Unix(1_800_000_000, 0), rapid.Uint64Range(1, 1<<26).Draw(rt, "block")
		codes := []uint64{messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit, messages.CodeRoundChange}
		clock := func() time.Time { return now }
		b := newBed(rt, dir, votelog.OS{})
		open := func() {
			b.guard.horizon = must.Get(readHorizon(filepath.Join(dir, horizonName)))(rt)
			b.guard.horizon.now = clock
		}
		open()
		for _, code := range codes { // the key has signed no block yet
			far := uint64(now.Unix()) - noBlockBefore + horizonSlack + rapid.Uint64Range(1, 1<<62).Draw(rt, "first")
			_, err := b.sign(intent(code, far, 0, 0))
			must.That(rt, errors.Is(err, errRefused), "sequence %d is signed first: %v", far, err)
			b.guard.prune(far - 1)
		}
		must.Get(b.sign(intent(messages.CodeRoundChange, head, 1, 0)))(rt)
		first := intent(messages.CodeCommit, head, 1, 1)
		first.Header.Time = uint64(now.Unix())
		first.Message.(*messages.Commit).Digest = first.Header.Hash()
		must.Get(b.sign(first))(rt)
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			away := rapid.Uint64Range(0, 40*24*3600).Draw(rt, "seconds away") // and no block less, at most
			now, head = now.Add(time.Duration(away)*time.Second), head+away
			far := head + horizonSlack + rapid.OneOf(rapid.Uint64Range(1, 3), rapid.Uint64Range(1, 1<<62)).Draw(rt, "far")
			code := rapid.SampledFrom(codes).Draw(rt, "code")
			if _, err := b.sign(intent(code, far, 0, 0)); !errors.Is(err, errRefused) {
				rt.Fatalf("sequence %d is signed, %d blocks beyond the newest: %v", far, far-head, err)
			}
			b.guard.prune(far - 1)
			if rapid.Bool().Draw(rt, "restart") {
				must.Do(rt, b.guard.close())
				b.open()
				open()
			}
			head++
			now = now.Add(time.Second)
			must.Do(rt, expect.Err(b.sign(intent(messages.CodeCommit, head, 0, 1))), "block", head)
		}
		must.Do(rt, b.guard.close())
	})
}

// The first signed block makes the horizon no later: a node that is taken over before it names a block of any time.
func TestFirstBlockRaisesNoHorizon(t *testing.T) {
	path := filepath.Join(t.TempDir(), horizonName)
	h, err := readHorizon(path)
	must.Do(t, err)
	h.now = func() time.Time { return time.Unix(1_800_000_000, 0) }
	far := uint64(1_800_000_000 - noBlockBefore + horizonSlack)
	for name, block := range map[string]*types.Header{
		"none": nil, "of no time": {Number: big.NewInt(9)},
		"before its time": {Number: new(big.Int).SetUint64(far), Time: 1_800_000_000},
	} {
		must.Do(t, h.take(block))
		expect.That(t, h.check(far) == nil && h.check(far+1) != nil, "%s: the horizon is %+v", name, h)
	}
	expect.Error(t, h.take(&types.Header{Number: big.NewInt(9), Time: 1_900_000_000}), errRefused, "a block of the future")
	must.Do(t, h.take(&types.Header{Number: big.NewInt(9), Time: 1_800_000_000}))
	h, err = readHorizon(path)
	expect.That(t, err == nil && h.Number == 9 && !h.Any, "horizon %+v, %v", h, err)
}

// A clock that is years early while the key signs its first messages leaves the key usable when it is right again.
func TestFirstBlockOfAnEarlyClock(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	now := time.Unix(2_100_000_000, 0)
	var err error
	b.guard.horizon = must.Get(readHorizon(filepath.Join(t.TempDir(), horizonName)))(t)
	b.guard.horizon.now = func() time.Time { return now }
	own := header(1000, 0)
	own.Time = uint64(now.Unix())
	proposal := intent(messages.CodePrePrepare, 1000, 0, 0)
	proposal.Message.(*messages.PrePrepare).Block = types.NewBlockWithHeader(own)
	vote := signing.Intent{Message: &messages.Prepare{Sequence: 1000, Digest: own.Hash()}, Header: own}
	for _, in := range []signing.Intent{proposal, vote} { // others take neither
		must.Get(b.sign(in))(t)
	}
	now = time.Unix(1_800_000_000, 0)
	for _, head := range []uint64{1000, 1000 + 2*horizonSlack, 1000 + 40*horizonSlack} {
		commit := intent(messages.CodeCommit, head, 1, 1)
		commit.Header.Time = uint64(now.Unix()) + head - 1000
		commit.Message.(*messages.Commit).Digest = commit.Header.Hash()
		now = time.Unix(int64(commit.Header.Time), 0)
		_, err = b.sign(commit)
		expect.Error(t, err, nil, "block %d", head)
	}
}

// Only a message of the own key is taken back, and then no other is signed.
func TestGuardTakesBack(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	stranger := must.Get(crypto.GenerateKey())(t)
	record := func(key *ecdsa.PrivateKey, tag byte) *votelog.Record {
		secret := must.Get(bls.DeriveKey(key))(t)
		in := intent(messages.CodePrepare, 20, 0, tag)
		must.Do(t, signing.WithKeys(key, secret)(in))
		return &votelog.Record{
			Code: messages.CodePrepare, Sequence: 20, Digest: signing.Subject(in.Message), Payload: in.Message.Encode(),
		}
	}
	expect.Error(t, b.guard.takeBack(record(stranger, 1)), errRefused, "of another key")
	must.Do(t, b.guard.takeBack(record(b.key, 1)))
	expect.Error(t, expect.Err(b.sign(intent(messages.CodePrepare, 20, 0, 2))), signing.ErrContradiction,
		"contradiction of it")
	expect.Error(t, expect.Err(b.sign(intent(messages.CodePrepare, 20, 0, 1))), nil, "the same")
}

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
	if f.disk.dead {
		return 0, errDead
	}
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

// A hostile node that sends any requests, and kills the signer at any moment, never has two messages that the rules
// forbid: two of one kind and view, a vote in a round that a ROUND-CHANGE left, a ROUND-CHANGE that forgets a COMMIT.
// spec: wbft 9.1
func TestHostileNode(t *testing.T) {
	parent := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(parent, fmt.Sprint(runs))
		must.Do(t, os.Mkdir(dir, 0o700))
		defer os.RemoveAll(dir) //nolint:errcheck // the parent goes, too
		disk := &crashingDisk{}
		b := newBed(t, dir, disk)
		var obtained []messages.Message
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				disk.left = rapid.IntRange(1, 4).Draw(t, "operations until the crash")
			case 1:
				b.guard.prune(rapid.Uint64Range(0, 60).Draw(t, "pruned"))
			case 2:
				b.guard.votes.Close() //nolint:errcheck,gosec // the process ends
				disk.left, disk.dead = 0, false
				b.open()
			default:
				in := intent(rapid.Uint64Range(0x12, 0x15).Draw(t, "code"), rapid.Uint64Range(20, 22).Draw(t, "sequence"),
					rapid.Uint64Range(0, 3).Draw(t, "round"), rapid.ByteRange(0, 12).Draw(t, "tag"))
				if rapid.Bool().Draw(t, "lock") {
					in.Lock, in.LockRound = []byte{1}, in.Message.View().Round
				}
				if _, err := b.sign(in); err == nil {
					obtained = append(obtained, in.Message)
				}
			}
			if disk.dead {
				b.guard.votes.Close() //nolint:errcheck,gosec // the process is dead
				disk.left, disk.dead = 0, false
				b.open()
			}
		}
		judge(t, obtained)
		must.Do(t, b.guard.close())
	})
}

// judge is the rule again, in other words: it looks at all pairs of messages in the order in which they were obtained.
func judge(t *rapid.T, obtained []messages.Message) {
	for i, first := range obtained {
		for _, second := range obtained[i+1:] {
			a, b := first.View(), second.View()
			if a.Sequence != b.Sequence {
				continue
			}
			same := string(first.SigningPayload()) == string(second.SigningPayload())
			if first.Code() == second.Code() && a.Round == b.Round && !same {
				t.Fatalf("two messages %#x of view %v", first.Code(), a)
			}
			change, isChange := second.(*messages.RoundChange)
			commit, isCommit := first.(*messages.Commit)
			if isCommit && isChange && b.Round > a.Round && !claims(change, commit) {
				t.Fatalf("ROUND-CHANGE to %v forgets the COMMIT of %v", b, a)
			}
			if change, isChange := first.(*messages.RoundChange); isChange {
				if commit, isCommit := second.(*messages.Commit); isCommit && b.Round < a.Round && !claims(change, commit) {
					t.Fatalf("COMMIT of %v after the ROUND-CHANGE to %v", b, a)
				}
			}
		}
	}
}

func claims(change *messages.RoundChange, commit *messages.Commit) bool {
	p := change.Prepared
	return p != nil && (p.Round > commit.Round || p.Round == commit.Round && p.Digest == commit.Digest)
}

// No signature for peers is one over the payload of a consensus message.
func TestPeersGetNoConsensusSignature(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	for _, code := range []uint64{
		messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit, messages.CodeRoundChange,
	} {
		in := intent(code, 20, 1, 0)
		must.Get(wire.RequestOf(in))(t)
		payload := in.Message.SigningPayload()
		expect.Error(t, expect.Err(b.guard.signRecord(payload)), errRefused, "%#x as a node record", code)
		expect.Error(t, expect.Err(b.guard.signPacket(payload)), errRefused, "%#x as a packet", code)
	}
	data := extra.RandaoData(big.NewInt(8283), 5)
	expect.Error(t, expect.Err(b.guard.signRecord(data[:])), errRefused, "randao data as a node record")
}

// Packets of discovery v4 are signed, and no transaction or authorization, whose payloads have a type and a list as
// well: the fees of a validator's blocks are at the address of its key.
func TestPacketsAreNoTransactions(t *testing.T) {
	b := newBed(t, t.TempDir(), votelog.OS{})
	chain, to := uint256.NewInt(8283), common.Address{7}
	encode := func(value any) []byte {
		return must.Get(rlp.EncodeToBytes(value))(t)
	}
	unsigned := func(data types.TxData, fields int) []byte {
		raw := must.Get(types.NewTx(data).MarshalBinary())(t)
		var items []rlp.RawValue
		must.Do(t, rlp.DecodeBytes(raw[1:], &items))
		payload := append([]byte{raw[0]}, encode(items[:fields])...)
		hash := types.LatestSignerForChainID(chain.ToBig()).Hash(types.NewTx(data))
		must.That(t, hash == crypto.Keccak256Hash(payload), "type %d: the payload is not what its signature covers", raw[0])
		return payload
	}
	for name, payload := range map[string][]byte{
		"EIP-2930": unsigned(&types.AccessListTx{ChainID: chain.ToBig(), To: &to}, 8),
		"EIP-1559": unsigned(&types.DynamicFeeTx{ChainID: chain.ToBig(), To: &to}, 9),
		"EIP-4844": append([]byte{types.BlobTxType}, encode([]any{chain, uint64(0), uint64(1), uint64(1), uint64(21000), to,
			uint64(1), []byte{}, types.AccessList{}, uint64(1), []common.Hash{{1}}})...),
		"EIP-7702": append([]byte{types.SetCodeTxType}, encode([]any{chain, uint64(0), uint64(1), uint64(1), uint64(21000),
			to, uint64(1), []byte{}, types.AccessList{}, []types.SetCodeAuthorization{}})...),
		"authorization":           append([]byte{5}, encode([]any{chain, to, uint64(0)})...),
		"Findnode of a short key": append([]byte{3}, encode([]any{make([]byte, 32), uint64(1)})...),
		"Findnode with more":      append([]byte{3}, encode([]any{make([]byte, 64), uint64(1), uint64(1)})...),
		"type of no packet":       append([]byte{7}, encode([]any{[]any{}, []any{}})...),
		"bytes behind the list":   append([]byte{2}, 0xc1, 0xc0, 0),
		"empty list":              {1, 0xc0},
		"packet of 1,281 bytes":   append([]byte{2}, encode([]any{[]any{make([]byte, 1274)}})...),
	} {
		expect.Error(t, expect.Err(b.guard.signPacket(payload)), errRefused, "%s of %d bytes", name, len(payload))
	}

	var record enr.Record
	must.Do(t, enode.SignV4(&record, b.key))
	for _, packet := range []v4wire.Packet{
		&v4wire.Ping{Version: 4, ENRSeq: 1}, &v4wire.Pong{ReplyTok: make([]byte, 32), ENRSeq: 1}, &v4wire.Findnode{},
		&v4wire.Neighbors{}, &v4wire.Neighbors{Nodes: make([]v4wire.Node, v4wire.MaxNeighbors)}, &v4wire.ENRRequest{},
		&v4wire.ENRResponse{ReplyTok: make([]byte, 32), Record: record},
	} {
		_, err := b.guard.signPacket(append([]byte{packet.Kind()}, encode(packet)...))
		expect.That(t, err == nil, "%s: %v", packet.Name(), err)
	}
}
