// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package status

import (
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var (
	own   = common.HexToAddress("0x01")
	other = common.HexToAddress("0x02")

	former = common.HexToAddress("0x03")
)

type (
	object       = map[string]any
	web3Fake     struct{}
	ethFake      struct{ head uint64 }
	istanbulFake struct{ from, to string }
	adminFake    struct{}
	netFake      struct{}
)

func (web3Fake) ClientVersion() string { return "gwon/test" }
func (ethFake) ChainId() string        { return "0x205b" } //nolint:revive // name of the method on the wire
func (ethFake) Syncing() object {
	return object{"currentBlock": "0x64", "highestBlock": "0x6e", "startingBlock": "0x0"}
}

func (f ethFake) GetBlockByNumber(string, bool) object {
	return object{
		"number": hexutil.EncodeUint64(f.head), "hash": common.Hash{1},
		"timestamp": hexutil.EncodeUint64(uint64(time.Now().Unix())), "miner": other,
		"gasUsed": "0x19", "gasLimit": "0x64", "extraData": "0x", "transactions": []common.Hash{{2}, {3}},
	}
}

func (f *istanbulFake) NodeAddress() common.Address { return own }
func (f *istanbulFake) ConsensusStatus() object {
	return object{"sealing": true, "signFrom": 400, "configuration": common.Hash{7}, "forks": object{
		"forkIds": 2, "newer": 1, "newest": "gstable v1.2.0", "validators": 1, "configurations": 3,
		"difference": "DIFFERENCE",
		"blocks":     []object{{"number": 7, "rule": "RULE"}},
	}}
}
func (f *istanbulFake) Status(from, to string) object {
	f.from, f.to = from, to
	return object{
		"sealerActivity": object{"prevCommitted": map[common.Address]uint64{own: 100, other: 60}},
		"author":         map[common.Address]uint64{own: 70, other: 30},
		"roundStats":     object{"roundDistribution": map[string]uint64{"0": 80, "1": 15, "2": 5}},
	}
}

func (adminFake) Peers() ([]object, error) { return nil, errors.New("closed") }
func (adminFake) Datadir() string          { return "DIR" }
func (adminFake) NodeInfo() object {
	return object{"protocols": object{"istanbul": object{"indexes": []object{
		{"name": "logs", "first": 0, "after": 201, "head": 300}, {"name": "sender hashes", "first": 301, "after": 301},
	}}}}
}
func (netFake) PeerCount() string { return "0x1" }

// fakeNode returns a client of a node that answers from the fakes above.
func fakeNode(t *testing.T, head uint64, replace ...func(*istanbulFake) any) (*rpc.Client, *istanbulFake) {
	t.Helper()
	server, fake := rpc.NewServer(), new(istanbulFake)
	var istanbul any = fake
	for _, by := range replace {
		istanbul = by(fake)
	}
	for name, service := range map[string]any{
		"web3": web3Fake{}, "eth": ethFake{head}, "istanbul": istanbul, "admin": adminFake{}, "net": netFake{},
	} {
		must.Do(t, server.RegisterName(name, service))
	}
	client := rpc.DialInProc(server)
	t.Cleanup(func() {
		client.Close()
		server.Stop()
	})
	return client, fake
}

// A report has what the node says: seals over the last 100 blocks by validator, who missed the most first.
func TestCollect(t *testing.T) {
	client, fake := fakeNode(t, 300)
	r := must.Get(Collect(t.Context(), Node{
		Client: client, Endpoint: "HERE", Local: true, Free: func(string) (uint64, error) { return 7 << 30, nil },
	}))(t)
	expect.That(t, fake.from == "0xc9" && fake.to == "0x12c", "seals asked for blocks %s to %s", fake.from, fake.to)
	if r.ChainID != 8283 || r.Version != "gwon/test" || r.Head.Number != 300 ||
		r.Head.Transactions != 2 || r.Head.Age > 60 {
		t.Errorf("head: %+v", r)
	}
	want := []Validator{{other, true, 100, 60, 40, 30, false}, {own, true, 100, 100, 0, 70, true}}
	s := r.Seals
	expect.That(t, s != nil && s.Blocks == 100 && s.From == 200 && s.To == 299 && s.Late == 20 &&
		slices.Equal(s.Validators, want), "seals: %+v", r.Seals)
	expect.That(t, r.Sync != nil && *r.Sync == (Sync{100, 110}), "sync: %+v", r.Sync)
	expect.Equal(t, r.Peers, Peers{Total: 1}, "peers of an endpoint that does not name them")
	expect.Slice(t, r.Indexes, []Index{{"logs", 0, 201}, {"sender hashes", 301, 301}}, "indexes")
	var lines strings.Builder
	must.Do(t, r.WriteText(&lines))
	for _, line := range []string{"logs, blocks 0 to 200\n", "sender hashes, no block yet\n"} {
		expect.Contains(t, lines.String(), line, "the text lacks %q: %s", line, &lines)
	}
	expect.That(t, r.Pool == nil, "a pool although the endpoint offers none")
	expect.That(t, r.Disk != nil && *r.Disk == (Disk{"DIR", 7 << 30}), "disk: %+v", r.Disk)
	var text strings.Builder
	must.Do(t, r.WriteText(&text))
	for _, part := range []string{
		"Configuration  " + common.Hash{7}.Hex(),
		"block 300", "2 transactions, 25 % of the gas limit", "100 of 100 by this validator, 70 proposed (blocks 200 to 299",
		other.Hex() + " missed 40, proposed 30", "block 100 of 110", "7.00 GiB free at DIR",
		"--validator.signfrom 400 has no effect before block 400",
		"Rules          peers with another fork id: 2; peers newer than any known release: 1, up to gstable v1.2.0; " +
			"peers with another configuration: 3: DIFFERENCE; validators among these peers: 1; " +
			"sealed blocks refused here: 1, the last is block 7: RULE",
		"a sync is running: 10 blocks are missing", "has not sealed 40 of its last 100",
		"20 of the last 100 blocks took more",
	} {
		expect.That(t, strings.Contains(text.String(), part), "the text lacks %q:\n%s", part, text.String())
	}
}

// epochFake names epochs of ten blocks, with a validator that joined at block 291 and one that left at 251.
type epochFake struct{ *istanbulFake }

func (epochFake) EpochInfo(block hexutil.Uint64) object {
	return object{"number": block / 10 * 10, "next": block/10*10 + 10}
}

func (epochFake) GetValidators(block string) []common.Address {
	number, err := hexutil.DecodeUint64(block)
	set := []common.Address{other}
	if err != nil || number > 290 {
		set = append(set, own)
	}
	if err == nil && number <= 250 {
		set = append(set, former)
	}
	return set
}

func (f epochFake) Status(from, to string) object {
	answer := f.istanbulFake.Status(from, to)
	answer["sealerActivity"] = object{"prevCommitted": map[common.Address]uint64{own: 9, other: 98, former: 51}}
	return answer
}

// A validator misses no block that was sealed before it was in the set, or after it left it.
func TestSealsOfMembers(t *testing.T) {
	client, _ := fakeNode(t, 300, func(f *istanbulFake) any { return epochFake{f} })
	r := must.Get(Collect(t.Context(), Node{Client: client}))(t)
	want := []Validator{
		{other, true, 100, 98, 2, 30, false}, {own, true, 9, 9, 0, 70, true}, {former, false, 51, 51, 0, 0, false},
	}
	expect.Slice(t, r.Seals.Validators, want, "r.Seals.Validators")
	for _, warning := range r.Warnings {
		expect.That(t, !strings.Contains(warning, "not sealed"), "%v", warning)
	}
}

// The first blocks carry no seals of parents: they are not counted as missed.
func TestSealsOfShortChain(t *testing.T) {
	client, fake := fakeNode(t, 40)
	r := must.Get(Collect(t.Context(), Node{Client: client}))(t)
	expect.That(t, fake.from == "0x2" && r.Seals.From == 1 && r.Seals.Blocks == 39,
		"asked from %s, %+v", fake.from, r.Seals)
}

// A node says that it seals only while it does: not outside of the set, nor while it signs nothing.
func TestConsensusText(t *testing.T) {
	for name, row := range map[string]struct {
		consensus string // JSON
		set       []common.Address
		want      string
	}{
		"seals":            {`{"core": {"sequence": 69}}`, []common.Address{other, own}, "seals block 69, "},
		"set unknown":      {`{"core": {"sequence": 69}}`, nil, "seals block 69, "},
		"not in the set":   {`{"core": {"sequence": 69}}`, []common.Address{other}, "follows block 69, is not in the set"},
		"waits":            {`{"core": {"sequence": 69}, "waiting": "W"}`, []common.Address{own}, "waits at block 69, signs"},
		"waits, not in it": {`{"core": {"sequence": 69}, "waiting": "W"}`, []common.Address{other}, "is not in the set"},
		"muted":            {`{"core": {"sequence": 69}, "muted": "M"}`, []common.Address{own}, "block 69, signs nothing"},
		"halted":           {`{"core": {"sequence": 69}, "halted": "H"}`, []common.Address{own}, "halted"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Report{Address: &own, Consensus: new(Consensus), Validators: row.set}
			must.Do(t, json.Unmarshal([]byte(row.consensus), r.Consensus))
			expect.Contains(t, r.consensusText(), row.want, "r.consensusText")
		})
	}
}

// peersFake names two peers: a validator, and one that is none.
type peersFake struct{ keys []*ecdsa.PrivateKey }

func (f peersFake) Peers() (list []object) {
	for _, key := range f.keys {
		list = append(list, object{"enode": enode.NewV4(&key.PublicKey, net.IPv4(127, 0, 0, 1), 1, 1).URLv4()})
	}
	return list
}

// A validator names the validators that it is not connected to, also before a block has seals.
func TestAbsentValidators(t *testing.T) {
	client, _ := fakeNode(t, 1)
	peers := peersFake{[]*ecdsa.PrivateKey{must.Get(crypto.GenerateKey())(t), must.Get(crypto.GenerateKey())(t)}}
	server := rpc.NewServer()
	defer server.Stop()
	must.Do(t, server.RegisterName("admin", peers))
	asked := rpc.DialInProc(server)
	defer asked.Close()
	r := must.Get(Collect(t.Context(), Node{Client: client}))(t)
	r.Validators = []common.Address{own, crypto.PubkeyToAddress(peers.keys[0].PublicKey), former}
	r.askPeers(t.Context(), asked)
	want, absent := Peers{Total: 2, Known: true, Validators: 1}, []common.Address{former}
	expect.That(t, r.Peers == want && slices.Equal(r.Absent, absent),
		"peers %+v, want %+v; absent %v, want %v", r.Peers, want, r.Absent, absent)
}

// Where the chain stands, validators that are connected and send nothing are named beside those that are not connected.
func TestSilentValidators(t *testing.T) {
	for age, want := range map[float64]string{
		9: "", 11: "1 of 3 validators are here, 3 are needed; missing: " + former.Hex() +
			"; connected and silent: " + other.Hex(),
	} {
		r := &Report{Validators: []common.Address{own, other, former}, Peers: Peers{Total: 1}, Consensus: new(Consensus)}
		r.Head.Age = age
		must.Do(t, json.Unmarshal([]byte(`{"missing": ["`+former.Hex()+`", "`+other.Hex()+`"]}`), &r.Consensus.Core))
		var got string
		if age > oldHead {
			r.Absent = []common.Address{former}
		}
		r.warnPeers(func(format string, args ...any) { got += fmt.Sprintf(format, args...) })
		expect.Equal(t, got, want, "the warning")
	}
}

// Each warning appears for its cause, and none for a healthy node.
func TestWarnings(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Report)
		want   string // empty for none
	}{
		{"healthy", func(*Report) {}, ""},
		{"old head", func(r *Report) { r.Head.Age = 11 }, "the newest block is 11.0 s old"},
		{"old head during a sync", func(r *Report) { r.Head.Age, r.Sync = 11, &Sync{5, 9} },
			"a sync is running: 4 blocks are missing"},
		{"halted", func(r *Report) { r.Consensus.Halted = "REASON" }, "the node has stopped for safety: REASON"},
		{"a second history", func(r *Report) { r.Consensus.Rival = "BLOCK" }, "there is a second history: BLOCK; keep"},
		{"halted by it", func(r *Report) { r.Consensus.Rival, r.Consensus.Halted = "BLOCK", "REASON" },
			"the node has stopped for safety: REASON"},
		{"muted", func(r *Report) { r.Consensus.Muted = "REASON" }, "signs nothing any more: REASON"},
		{"waiting", func(r *Report) { r.Consensus.Waiting = "REASON" }, "the validator waits: REASON"},
		{"told to sign later", func(r *Report) { r.Head.Number, r.Consensus.SignFrom = 6, 9 },
			"--validator.signfrom 9 has no effect before block 9, and the next block here is 7: start the node again when its " +
				"newest block is 8"},
		{"told to sign next", func(r *Report) { r.Head.Number, r.Consensus.SignFrom = 8, 9 }, ""},
		{"told to sign before", func(r *Report) { r.Head.Number, r.Consensus.SignFrom = 9, 9 }, ""},
		{"does not seal", func(r *Report) { r.Consensus.Sealing = false }, "start it with --mine"},
		{"no peers", func(r *Report) { r.Peers = Peers{Known: true} }, "no peer is connected"},
		{"validators not connected", func(r *Report) {
			r.Validators, r.Absent = []common.Address{own, other, former, {4}}, []common.Address{former, {4}}
		}, "2 of 4 validators are here, 3 are needed; missing: " + former.Hex() + " " + common.Address{4}.Hex()},
		{"peers of another configuration have left", func(r *Report) {
			r.Peers, r.Consensus.Forks = Peers{Known: true}, &Forks{Configs: 3, Difference: "DIFF"}
		}, "the chain configurations of this node and of 3 peers differ: DIFF; where the genesis file"},
		{"peers of another configuration come and go", func(r *Report) {
			r.Sync, r.Head.Age, r.Consensus.Forks = nil, 9, &Forks{Configs: 3, Difference: "DIFF"}
		}, ""},
		{"peers of another fork id have left", func(r *Report) {
			r.Peers, r.Consensus.Forks = Peers{Known: true}, &Forks{ForkIDs: 2}
		}, "2 peers have another fork id: install"},
		{"validators of another configuration", func(r *Report) {
			r.Consensus.Forks = &Forks{Configs: 3, Difference: "DIFF", Validators: 3}
		}, "another configuration: 3: DIFF; validators among these peers: 3: compare the genesis file"},
		{"validators of another fork id", func(r *Report) { r.Consensus.Forks = &Forks{ForkIDs: 1, Validators: 1} },
			"another fork id: 1; validators among these peers: 1: compare"},
		{"validators of another configuration have left", func(r *Report) {
			r.Peers, r.Consensus.Forks = Peers{Known: true}, &Forks{Configs: 3, Difference: "DIFF", Validators: 3}
		}, "the chain configurations of this node and of 3 peers differ: DIFF; where the genesis file"},
		{"newer validators", func(r *Report) {
			r.Consensus.Forks = &Forks{Newer: 3, Newest: "gwon 9.9.9", Validators: 3}
		}, ""},
		{"only validator", func(r *Report) { r.Peers, r.Seals.Validators = Peers{}, r.Seals.Validators[:1] }, ""},
		{"follower without peers", func(r *Report) { *r.Address, r.Peers = common.Address{9}, Peers{} },
			"no peer is connected"},
		{"own seals", func(r *Report) { r.Seals.Validators[0].Missed = 11 },
			"this validator has not sealed 11 of its last 100"},
		{"was voted out", func(r *Report) { r.Seals.Validators[0].Current, r.Consensus.Sealing = false, false }, ""},
		{"another was voted out", func(r *Report) { r.Seals.Validators[1].Current, r.Peers.Validators = false, 0 }, ""},
		{"few missed", func(r *Report) { r.Seals.Validators[0].Missed = 10 }, ""},
		{"rounds", func(r *Report) { r.Seals.Late = 11 }, "11 of the last 100 blocks took more than one round"},
		{"disk", func(r *Report) { r.Disk = &Disk{"DIR", lowDisk - 1} }, "the disk of DIR has"},
	} {
		t.Run(row.name, func(t *testing.T) {
			address := own
			r := &Report{
				Address: &address, Consensus: &Consensus{Sealing: true}, Peers: Peers{Total: 1, Known: true, Validators: 1},
				Seals: &Seals{Blocks: 100, Validators: []Validator{
					{Address: own, Current: true, Blocks: 100, Own: true}, {Address: other, Current: true, Blocks: 100},
				}},
			}
			row.change(r)
			got := r.warn()
			switch {
			case row.want == "" && len(got) > 0:
				t.Errorf("warnings: %q", got)
			case row.want != "" && (len(got) != 1 || !strings.Contains(got[0], row.want)):
				t.Errorf("warnings: %q, want one with %q", got, row.want)
			}
		})
	}
}
