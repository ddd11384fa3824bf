// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/big"
	stdnet "net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/program"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/votelog"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// voterDir makes a data directory of a validator.
func voterDir(
	t *testing.T, seed string,
) (dir string, owner votelog.Owner, commit func(sequence uint64) votelog.Record) {
	t.Helper()
	key := must.Get(crypto.ToECDSA(crypto.Keccak256([]byte(seed))))(t)
	dir = t.TempDir()
	writeKey(t, filepath.Join(dir, program.Name, "nodekey"), key)
	commit = func(sequence uint64) votelog.Record {
		m := &messages.Commit{Sequence: sequence, Digest: common.Hash{byte(sequence)},
			Seal: make([]byte, messages.SealLength)}
		must.Do(t, messages.Sign(m, key))
		return votelog.Record{Code: messages.CodeCommit, Sequence: sequence, Digest: m.Digest, Payload: m.Encode()}
	}
	return dir, votelog.Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: common.Hash{7},
		ChainID: 8283}, commit
}

// gwon validator votes: what a key has signed moves from one directory to another, and neither to another key, nor
// while a process has it.
func TestVotesMove(t *testing.T) {
	seed := "votes test " + t.TempDir()
	from, owner, commit := voterDir(t, seed)
	to, _, _ := voterDir(t, seed)
	fails := func(want string, args ...string) {
		t.Helper()
		out, err := runApp(t, "", append([]string{"validator", "votes"}, args...)...)
		expect.That(t, err != nil && strings.Contains(err.Error(), want), "%v: %v, want %q: %s", args, err, want, out)
	}
	works := func(args ...string) string {
		t.Helper()
		out, err := runApp(t, "", append([]string{"validator", "votes"}, args...)...)
		must.That(t, err == nil, "%v: %v: %s", args, err, out)
		return out
	}
	net := wbfttest.New(t, 1)
	chain, _ := net.Chain(t)
	lock := votelog.Lock{Sequence: 1,
		Certificate: certificate(t, net, net.Build(t, chain, 0), 0, slices.Collect(maps.Keys(net.Keys))...)}
	fails("there is no vote log", "show", "--datadir", from)
	fails("there is no vote log", "export", "--datadir", from)

	log := must.Get(votelog.Open(filepath.Join(from, program.Name, wbft.VoteLogFile), owner))(t)
	must.Do(t, log.Write([]votelog.Record{commit(41), commit(42)}, []votelog.Lock{lock}))
	// While the validator runs its votes can be seen, and go nowhere.
	for _, want := range []string{owner.Validator.Hex(), owner.Genesis.Hex(), "8283", "block 42, round 0",
		"Messages:             2", "Waiting:              no"} {
		out := works("show", "--datadir", from)
		expect.That(t, strings.Contains(out, want), "shown without %q:\n%s", want, out)
	}
	file := filepath.Join(t.TempDir(), "votes.json")
	fails("stop the node", "export", "--datadir", from, file)
	expect.Refused(t, expect.Err(os.Stat(file)), "an export of an open log is written")
	must.Do(t, log.Close())
	before := must.Get(votelog.Look(votelog.OS{}, filepath.Join(from, program.Name, wbft.VoteLogFile)))(t)

	expect.Contains(t, works("export", "--datadir", from, file), "Exported 2 messages", "exported")
	info, err := os.Stat(file)
	expect.That(t, err == nil && info.Mode().Perm()&0o077 == 0, "the export is open to others: %v, %v", info.Mode(), err)
	fails("exists already", "export", "--datadir", from, file)
	var shown votelog.Interchange
	err = json.Unmarshal([]byte(works("export", "--datadir", from)), &shown)
	expect.That(t, err == nil && shown.Metadata == before.Metadata && len(shown.Data[0].Messages) == 2,
		"to standard output: %+v, %v", shown, err)

	// Not while the key is in use, wherever.
	key := must.Get(keylock.Acquire(owner.Validator, owner.Genesis))(t)
	fails("in use by another process", "import", "--datadir", to, file)
	must.Do(t, key.Close())
	out := works("import", "--datadir", to, file)
	expect.That(t, strings.Contains(out, "Imported 2 messages and 1 locks") &&
		strings.Contains(out, "1 of the locks could not be held against the validators") &&
		strings.Contains(out, "does not have to wait"), "imported: %s", out)
	var moved votelog.Interchange
	must.Do(t, json.Unmarshal([]byte(works("show", "--json", "--datadir", to)), &moved))
	a, b := mustJSON(t, moved.Data[0].Messages), mustJSON(t, before.Data[0].Messages)
	expect.That(t, bytes.Equal(a, b) && moved.Metadata == before.Metadata,
		"moved %s %+v, want %s %+v", a, moved.Metadata, b, before.Metadata)
	expect.Contains(t, works("import", "--datadir", to, file), "Imported 0 messages and 0 locks", "imported again")

	stranger, _, _ := voterDir(t, seed+" another")
	fails("the node key", "import", "--datadir", stranger, file)
	fails("there is no node key", "import", "--datadir", t.TempDir(), file)
	fails("give the file", "import", "--datadir", to)
	fails("no such file", "import", "--datadir", to, file+".absent")
	text := must.Get(os.ReadFile(file))(t)
	for name, forged := range map[string]string{
		"is of chain ID 1, not 8283": strings.Replace(string(text), `"8283"`, `"1"`, 1),
		"with genesis block":         strings.Replace(string(text), owner.Genesis.Hex(), common.Hash{8}.Hex(), 1),
		"it is recorded as one of": strings.Replace(string(text), `"digest": "`+common.Hash{41}.Hex(),
			`"digest": "`+common.Hash{40}.Hex(), 1),
		"is signed by": strings.Replace(string(text),
			hex.EncodeToString(commit(42).Payload[len(commit(42).Payload)-20:]), strings.Repeat("01", 20), 1),
		"not the JSON form":     string(text[:len(text)/2]),
		"lock 0, of sequence 1": strings.Replace(string(text), hexutil.Encode(lock.Certificate), "0x01", 1),
		"--lowestsequence 44":   strings.Replace(string(text), `"lowest_sequence": "0"`, `"lowest_sequence": "44"`, 1),
	} {
		path := filepath.Join(t.TempDir(), "forged.json")
		must.That(t, forged != string(text), "%s: nothing was changed in %s", name, text)
		must.Do(t, os.WriteFile(path, []byte(forged), 0o600))
		want := name
		if name == "is signed by" {
			want = "message 1" // its signer is unknown or another one, as chance has it
		} else if name == "with genesis block" {
			want = "not the log of this validator"
		} else if strings.HasPrefix(name, "is of chain ID") {
			want = "chain ID"
		}
		fails(want, "import", "--datadir", to, path)
		// Where there was no log a refused file leaves none: one that is bound to the chain that the file names would refuse
		// the right file.
		if name != "is of chain ID 1, not 8283" && name != "with genesis block" { // where no chain is, these are not wrong
			empty, _, _ := voterDir(t, seed)
			fails("", "import", "--datadir", empty, path)
			expect.Error(t, expect.Err(os.Stat(filepath.Join(empty, program.Name, wbft.VoteLogFile))), fs.ErrNotExist,
				"%s: a refused import leaves a vote log", name)
		}
	}

	// A log without signatures says nothing of what the key has signed elsewhere: it must not be taken along as if
	// it were complete.
	made, _, _ := voterDir(t, seed)
	log, err = votelog.Open(filepath.Join(made, program.Name, wbft.VoteLogFile), owner)
	must.Do(t, errors.Join(err, log.Close()))
	fails("has just been made", "export", "--datadir", made)
	if out := works("show", "--datadir", made); !strings.Contains(out, "Complete:             not known") {
		t.Errorf("a log that has just been made is shown as\n%s", out)
	}
}

// A log that ends before the chain does is that of a validator outside the set, or has forgotten votes
// (docs/operate/runbooks/votes-lost.md).
func TestVotesBehindTheChain(t *testing.T) {
	votes := func(floor uint64, signed ...uint64) *votelog.Interchange {
		s := votelog.Signatory{Floor: floor}
		for _, n := range signed {
			s.Messages = append(s.Messages, votelog.SignedMessage{Message: "COMMIT", Sequence: n})
		}
		return &votelog.Interchange{Data: []votelog.Signatory{s}}
	}
	head := func(n int64) *types.Header { return &types.Header{Number: big.NewInt(n)} }
	for name, c := range map[string]struct {
		votes *votelog.Interchange
		head  *types.Header
		want  string
	}{
		"up to the head":    {votes(0, 9, 10), head(10), ""},
		"above the head":    {votes(0, 11), head(10), ""},
		"below the head":    {votes(0, 8, 9), head(10), "blocks 10 to 10"},
		"empty":             {votes(0), head(10), "blocks 1 to 10"},
		"only the genesis":  {votes(0, 9), head(0), "not here yet"},
		"a floor":           {votes(11), head(10), ""},
		"a floor below":     {votes(10), head(10), "blocks 10 to 10"},
		"no chain is there": {votes(0, 9), nil, "not here yet"},
	} {
		got := unlessSealed(c.votes, c.head)
		expect.That(t, (got == "") == (c.want == "") && strings.Contains(got, c.want), "%s: %q, want %q", name, got, c.want)
	}
}

// certificate is one as the vote log has it: PREPAREs by these validators for a block in a round.
func certificate(
	t *testing.T, net *wbfttest.Network, block *types.Block, round uint64, signers ...common.Address,
) []byte {
	t.Helper()
	stored := struct {
		Round    uint64
		Block    *types.Block
		Prepares [][]byte
	}{Round: round, Block: block}
	for _, signer := range signers {
		secret := must.Get(bls.DeriveKey(net.Keys[signer]))(t)
		digest := extra.SealDigest(block.Header(), uint32(round), extra.Prepare)
		m := &messages.Prepare{Sequence: block.NumberU64(), Round: round, Digest: block.Hash(), Seal: secret.Sign(digest[:])}
		must.Do(t, messages.Sign(m, net.Keys[signer]))
		stored.Prepares = append(stored.Prepares, m.Encode())
	}
	return must.Get(rlp.EncodeToBytes(&stored))(t)
}

// chainDir puts blocks into the chain of a data directory.
func chainDir(t *testing.T, data string, net *wbfttest.Network, blocks types.Blocks) {
	t.Helper()
	apptest.OnChain(t, data, net, func(chain *gethcore.BlockChain) error {
		_, err := chain.InsertChain(blocks)
		return err
	})
}

// What an import brings is held against the chain in the data directory: locks against the validators of their block,
// the lowest sequence against the head. Afterwards it says whether the validator waits, until when, and how that ends;
// show says the same.
func TestVotesAgainstTheChain(t *testing.T) {
	const head = 6
	net := wbfttest.New(t, 4)
	chain, _ := net.Chain(t)
	blocks := net.Extend(t, chain, head)
	next := net.Build(t, chain, 0)
	everybody := slices.SortedFunc(maps.Keys(net.Keys), common.Address.Cmp)
	self := everybody[0]
	owner := votelog.Owner{Validator: self, Genesis: net.Genesis.ToBlock().Hash(),
		ChainID: net.Genesis.Config.ChainID.Uint64()}
	since := blocks[head-1].Time() + 1000
	signed := func(sequence uint64) votelog.SignedMessage {
		m := &messages.Commit{Sequence: sequence, Digest: common.Hash{1}, Seal: make([]byte, messages.SealLength)}
		must.Do(t, messages.Sign(m, net.Keys[self]))
		return votelog.SignedMessage{Message: "COMMIT", Sequence: sequence, Digest: m.Digest, Payload: m.Encode()}
	}
	export := func(s votelog.Signatory) string {
		s.Validator = self
		if s.Messages == nil {
			s.Messages = []votelog.SignedMessage{signed(head)}
		}
		if s.Locks == nil {
			s.Locks = []votelog.SignedLock{}
		}
		content, err := json.Marshal(&votelog.Interchange{
			Metadata: votelog.Metadata{Version: votelog.InterchangeVersion, ChainID: owner.ChainID, Genesis: owner.Genesis},
			Data:     []votelog.Signatory{s},
		})
		path := filepath.Join(t.TempDir(), "votes.json")
		err = errors.Join(err, os.WriteFile(path, content, 0o600))
		must.Do(t, err)
		return path
	}
	lock := func(round uint64, signers ...common.Address) []votelog.SignedLock {
		return []votelog.SignedLock{{Sequence: head + 1, Round: round,
			Certificate: certificate(t, net, next, round, signers...)}}
	}
	for name, c := range map[string]struct {
		file votelog.Signatory
		args []string
		here []votelog.SignedLock // what the log has already
		lost bool                 // in the log that is there
		says []string             // in the output or error
		want string               // "imported", or what is refused
	}{
		"a true lock": {file: votelog.Signatory{Locks: lock(1, everybody[:3]...)},
			says: []string{"1 messages and 1 locks", "does not have to wait"}},
		"a lock of two of four": {file: votelog.Signatory{Locks: lock(1, everybody[:2]...)},
			says: []string{"2 PREPAREs, want 3"}, want: "lock 0"},
		"a lock above a true one": {file: votelog.Signatory{Locks: lock(2, everybody[:2]...)},
			here: lock(1, everybody[:3]...), says: []string{"want 3"}, want: "lock 0"},
		"a true lock above a true": {file: votelog.Signatory{Locks: lock(2, everybody[1:]...)},
			here: lock(1, everybody[:3]...), says: []string{"1 locks"}},
		"a lock below a true one": {file: votelog.Signatory{Locks: lock(0, everybody[1:]...)},
			here: lock(1, everybody[:3]...), says: []string{"0 locks"}},
		"a floor at the next block": {file: votelog.Signatory{Floor: head + 1},
			says: []string{"signs from block 7 on", "does not have to wait"}},
		"a floor above": {file: votelog.Signatory{Floor: head + 2},
			says: []string{"the chain here is at block 6", "--lowestsequence 8"}, want: "lowest_sequence"},
		"votes above the chain": {file: votelog.Signatory{Floor: 90, Messages: []votelog.SignedMessage{signed(90)}},
			says: []string{"--lowestsequence 90"}, want: "lowest_sequence"},
		"a floor above that is named": {file: votelog.Signatory{Floor: 90}, args: []string{"--lowestsequence", "90"},
			says: []string{"waits from now on", "begins at block 90", "The next one is 7"}},
		"another one is named": {file: votelog.Signatory{Floor: 90}, args: []string{"--lowestsequence", "80"},
			says: []string{"--lowestsequence 90"}, want: "lowest_sequence"},
		"into a log that waits": {file: votelog.Signatory{}, lost: true, says: []string{
			"still waits", time.Unix(int64(since)+60, 0).UTC().Format(time.DateTime + " MST"), "--validator.signfrom 7",
		}},
		"of a log that waits": {file: votelog.Signatory{Since: since, Lost: true},
			says: []string{"waits from now on", "--validator.signfrom 7"}},
		"a wait that is over": {file: votelog.Signatory{Since: blocks[head-1].Time() - 61, Lost: true},
			says: []string{"does not have to wait"}},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			writeKey(t, filepath.Join(data, program.Name, "nodekey"), net.Keys[self])
			chainDir(t, data, net, blocks)
			path := filepath.Join(data, program.Name, wbft.VoteLogFile)
			if c.here != nil || c.lost {
				log, err := votelog.Open(path, owner)
				must.Do(t, err)
				if c.lost {
					err = log.SetOrigin(votelog.Origin{Since: since, Lost: true})
				} else {
					err = log.Write(nil,
						[]votelog.Lock{{Sequence: c.here[0].Sequence, Round: c.here[0].Round, Certificate: c.here[0].Certificate}})
				}
				must.Do(t, errors.Join(err, log.Close()))
			}
			before := votelog.Signatory{}
			if look, err := votelog.Look(votelog.OS{}, path); err == nil {
				before = look.Data[0]
			}
			out, err := runApp(t, "",
				append(append([]string{"validator", "votes", "import", "--datadir", data}, c.args...), export(c.file))...)
			text := out
			if err != nil {
				text += err.Error()
			}
			for _, want := range append(c.says, c.want) {
				expect.Contains(t, text, want, "%q is not in", want)
			}
			must.Equal(t, err != nil, c.want != "", "%v: %s", err, out)
			after, err := votelog.Look(votelog.OS{}, path)
			if c.want != "" && c.here == nil && !c.lost { // there was no log, and a refused file makes none
				expect.Error(t, err, fs.ErrNotExist, "a refused import leaves a vote log")
				return
			}
			must.Do(t, err)
			if len(after.Data[0].Locks) < len(before.Locks) || len(before.Locks) > 0 &&
				after.Data[0].Locks[0].Round < before.Locks[0].Round ||
				c.want != "" && (len(after.Data[0].Messages) > 0 || after.Data[0].Floor != before.Floor) {
				t.Errorf("%+v became %+v", before, after.Data[0])
			}
			out, err = runApp(t, "", "validator", "votes", "show", "--datadir", data)
			waits := strings.Contains(text, "waits")
			expect.That(t, err == nil && strings.Contains(out, "Waiting:              yes: ") == waits &&
				strings.Contains(out, "Waiting:              no") != waits, "shown: %v: %s", err, out)
		})
	}
}

// Beside a node that runs show asks the node for its head, and says so if it cannot.
func TestVotesShowBesideANode(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, _ := net.Chain(t)
	data := t.TempDir()
	chainDir(t, data, net, net.Extend(t, chain, 2))
	owner := votelog.Owner{Validator: common.Address{1}, Genesis: chain.Genesis().Hash()}
	log := must.Get(votelog.Open(filepath.Join(data, program.Name, wbft.VoteLogFile), owner))(t)
	must.Do(t, errors.Join(log.SetOrigin(votelog.Origin{Since: 1_800_000_000, Lost: true}), log.Close()))
	show := func(want string) {
		t.Helper()
		out, err := runApp(t, "", "validator", "votes", "show", "--datadir", data)
		expect.That(t, err == nil && strings.Contains(out, want), "%v: %s, want %q", err, out, want)
	}
	show("--validator.signfrom 3 ")
	release := apptest.Hold(t, data)
	defer release()
	for file, endpoint := range map[string]string{
		"": "http://HOST:PORT", "[Node]\nHTTPPort = 20999\n": "http://HOST:PORT", "no TOML": "http://HOST:PORT",
		"[Node]\nHTTPHost = \"0.0.0.0\"\nHTTPPort = 20999\n": "http://127.0.0.1:20999",
		"[Node]\nHTTPHost = \"::1\"\n":                       "http://[::1]:8545",
	} {
		must.Do(t, os.WriteFile(filepath.Join(data, "config.toml"), []byte(file), 0o600))
		show("Waiting:              cannot be told: the node that runs does not answer at " +
			filepath.Join(data, "gwon.ipc") +
			"; it says so itself: gwon attach --exec istanbul.consensusStatus.waiting " + endpoint + "\n")
	}
	server := gethrpc.NewServer()
	defer server.Stop()
	must.Do(t, server.RegisterName("eth", oneHead{}))
	listener := must.Get(stdnet.Listen("unix", filepath.Join(data, "gwon.ipc")))(t)
	defer listener.Close() //nolint:errcheck // the test ends
	go func() { _ = server.ServeListener(listener) }()
	show("--validator.signfrom 8 ")
}

// oneHead is a node whose head is block 7.
type oneHead struct{}

func (oneHead) GetBlockByNumber(string, bool) map[string]any {
	return map[string]any{"number": "0x7", "timestamp": "0x10"}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	return must.Get(json.Marshal(v))(t)
}
