// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package status

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
)

// Report describes a node at one moment. Parts that the endpoint does not offer are nil.
type Report struct {
	Time      time.Time       `json:"time"`
	Endpoint  string          `json:"endpoint"`
	Version   string          `json:"version"`
	ChainID   uint64          `json:"chainId"`
	Address   *common.Address `json:"address,omitempty"` // of the node key
	Head      Head            `json:"head"`
	Consensus *Consensus      `json:"consensus,omitempty"`
	Seals     *Seals          `json:"seals,omitempty"`
	// Validators is the set of the next block; nil where the endpoint does not name it.
	Validators []common.Address `json:"validators,omitempty"`
	Peers      Peers            `json:"peers"`
	// Absent are the validators that a validator is not connected to.
	Absent   []common.Address `json:"absentValidators,omitempty"`
	Sync     *Sync            `json:"sync,omitempty"` // nil without a running sync
	Pool     *Pool            `json:"pool,omitempty"`
	Indexes  []Index          `json:"indexes,omitempty"`
	Disk     *Disk            `json:"disk,omitempty"` // of a node on this machine
	Warnings []string         `json:"warnings"`
}

// Head is the newest block.
type Head struct {
	Number       uint64         `json:"number"`
	Hash         common.Hash    `json:"hash"`
	Time         time.Time      `json:"time"`
	Age          float64        `json:"ageSeconds"`
	Round        uint64         `json:"round"`
	Proposer     common.Address `json:"proposer"`
	GasUsed      uint64         `json:"gasUsed"`
	GasLimit     uint64         `json:"gasLimit"`
	Transactions int            `json:"transactions"`
}

// Consensus is the part that the node takes in the consensus, as istanbul_consensusStatus answers it.
type Consensus struct {
	Sealing bool   `json:"sealing"`
	Halted  string `json:"halted,omitempty"`
	Muted   string `json:"muted,omitempty"`
	Waiting string `json:"waiting,omitempty"`
	Rival   string `json:"rival,omitempty"` // second block that a quorum has sealed
	// SignFrom is the block from which the operator has the validator sign without its votes; 0 for none.
	SignFrom uint64 `json:"signFrom,omitempty"`
	Forks    *Forks `json:"forks,omitempty"`
	// Configuration is the fingerprint of the chain configuration.
	Configuration *common.Hash `json:"configuration,omitempty"`
	Core          *struct {
		Sequence uint64           `json:"sequence"`
		Round    uint64           `json:"round"`
		Proposer common.Address   `json:"proposer"`
		Silent   []common.Address `json:"silent"`
		Missing  []common.Address `json:"missing"` // without a message in the round
	} `json:"core,omitempty"`
}

// Forks are signs, seen within an hour, that the network has rules that the node lacks.
type Forks struct {
	ForkIDs int    `json:"forkIds"`          // peers with another fork id
	Newer   int    `json:"newer"`            // peers with a client version above any that the node knows
	Newest  string `json:"newest,omitempty"` // the highest of these
	Configs int    `json:"configurations"`   // peers with another chain configuration
	// Difference is in what one of these differs.
	Difference string `json:"difference,omitempty"`
	Validators int    `json:"validators"` // peers with any of these that were validators when they connected
	Blocks     []struct {
		Number uint64 `json:"number"`
		Rule   string `json:"rule"`
	} `json:"blocks"` // that a quorum has sealed and a rule refuses here, the newest last
}

// Silent returns why a validator on the node would sign nothing; empty if it would.
func (c *Consensus) Silent() string {
	if why := cmp.Or(c.Halted, c.Muted, c.Waiting); why != "" || c.Sealing {
		return why
	}
	return "start it with --mine"
}

// Activity is what validators did in a range of blocks, as istanbul_status answers it.
type Activity struct {
	SealerActivity struct {
		Total         map[common.Address]uint64 `json:"total"`
		PrevCommitted map[common.Address]uint64 `json:"prevCommitted"` // a block later, with late seals
	} `json:"sealerActivity"`
	Author     map[common.Address]uint64 `json:"author"`
	RoundStats struct {
		RoundDistribution map[uint32]uint64 `json:"roundDistribution"`
	} `json:"roundStats"`
}

// Signs counts seals and proposals by validator, seals that came late included.
func (a *Activity) Signs() map[common.Address]uint64 {
	signs := make(map[common.Address]uint64)
	for _, counts := range []map[common.Address]uint64{a.SealerActivity.Total, a.Author} {
		for address, n := range counts {
			signs[address] += n
		}
	}
	return signs
}

// Seals are the COMMIT seals of the newest blocks by validator.
type Seals struct {
	From       uint64      `json:"from"` // first block whose seals are counted
	To         uint64      `json:"to"`
	Blocks     uint64      `json:"blocks"`
	Late       uint64      `json:"lateRounds"` // blocks that took more than one round
	Validators []Validator `json:"validators"` // by descending number of missed blocks
}

// Validator is what a validator has sealed and proposed in the window.
type Validator struct {
	Address  common.Address `json:"address"`
	Current  bool           `json:"current"` // in the set of the next block
	Blocks   uint64         `json:"blocks"`  // blocks of the window that it was in charge of
	Sealed   uint64         `json:"sealed"`
	Missed   uint64         `json:"missed"`
	Proposed uint64         `json:"proposed"`
	Own      bool           `json:"own,omitempty"` // the asked node
}

// Peers counts connections by kind.
type Peers struct {
	Total      int  `json:"total"`
	Known      bool `json:"known"` // the endpoint names peers and validators, so that the figures below hold
	Validators int  `json:"validators"`
	Inbound    int  `json:"inbound"`
}

// Sync is how far a running sync is.
type Sync struct {
	Current uint64 `json:"current"`
	Highest uint64 `json:"highest"`
}

// Pool counts the transactions in the pool.
type Pool struct {
	Pending uint64 `json:"pending"`
	Queued  uint64 `json:"queued"`
}

// Index is how far an index of the chain is. It has the blocks from First on, and none from After on.
type Index struct {
	Name  string `json:"name"`
	First uint64 `json:"first"`
	After uint64 `json:"after"`
}

// Disk is the disk of the data directory.
type Disk struct {
	Dir  string `json:"dir"`
	Free uint64 `json:"freeBytes"`
}

// Node is a node to describe.
type Node struct {
	Client   *rpc.Client
	Endpoint string                           // its address, for the reader
	Local    bool                             // runs on this machine, so that its disk can be looked at
	Free     func(dir string) (uint64, error) // free bytes on the disk of a directory
}

// Collect asks a node. It fails when the node does not answer or does not have the chain's methods.
func Collect(ctx context.Context, node Node) (*Report, error) {
	r := &Report{Time: time.Now(), Endpoint: node.Endpoint}
	if err := dial.Ask(ctx, node.Client, &r.Version, "web3_clientVersion"); err != nil {
		return nil, err
	}
	var id hexutil.Uint64
	if err := dial.Ask(ctx, node.Client, &id, "eth_chainId"); err != nil {
		return nil, err
	}
	r.ChainID = uint64(id)
	if err := r.askHead(ctx, node.Client); err != nil {
		return nil, err
	}
	if err := r.askSync(ctx, node.Client); err != nil {
		return nil, err
	}
	r.askConsensus(ctx, node.Client)
	r.askSeals(ctx, node.Client)
	r.askPeers(ctx, node.Client)
	r.askPool(ctx, node.Client)
	r.askIndexes(ctx, node.Client)
	if node.Local {
		r.askDisk(ctx, node)
	}
	r.Warnings = r.warn()
	return r, ctx.Err()
}

func (r *Report) askHead(ctx context.Context, client *rpc.Client) error {
	block, err := dial.BlockAt(ctx, client, rpc.LatestBlockNumber)
	if err != nil {
		return err
	}
	at := block.Time()
	r.Head = Head{
		Number: uint64(block.Number), Hash: block.Hash, Time: at, Age: max(0, r.Time.Sub(at).Seconds()),
		Proposer: block.Miner, GasUsed: uint64(block.GasUsed), GasLimit: uint64(block.GasLimit),
		Transactions: len(block.Transactions), Round: uint64(block.Round()),
	}
	return nil
}

func (r *Report) askSync(ctx context.Context, client *rpc.Client) error {
	var raw any
	if err := dial.Ask(ctx, client, &raw, "eth_syncing"); err != nil {
		return err
	}
	fields, running := raw.(map[string]any)
	if !running {
		return nil
	}
	number := func(key string) uint64 {
		text, _ := fields[key].(string)
		n, err := hexutil.DecodeUint64(text)
		if err != nil {
			return 0
		}
		return n
	}
	r.Sync = &Sync{Current: number("currentBlock"), Highest: number("highestBlock")}
	return nil
}

// askConsensus leaves the part out where the endpoint is public.
func (r *Report) askConsensus(ctx context.Context, client *rpc.Client) {
	var address common.Address
	if dial.Ask(ctx, client, &address, "istanbul_nodeAddress") == nil {
		r.Address = &address
	}
	if dial.Ask(ctx, client, &r.Validators, "istanbul_getValidators", "pending") != nil {
		r.Validators = nil
	}
	var status Consensus
	if dial.Ask(ctx, client, &status, "istanbul_consensusStatus") == nil {
		r.Consensus = &status
	}
}

// askSeals counts what each of the last 100 blocks says of its parent: late seals are in there too. Blocks 0 and 1 have
// no such seals.
func (r *Report) askSeals(ctx context.Context, client *rpc.Client) {
	if r.Head.Number < 2 {
		return
	}
	from := max(2, r.Head.Number-min(r.Head.Number, 99))
	var answer Activity
	if dial.Ask(ctx, client, &answer, "istanbul_status", hexutil.Uint64(from), hexutil.Uint64(r.Head.Number)) != nil {
		return
	}
	seals := &Seals{From: from - 1, To: r.Head.Number - 1, Blocks: r.Head.Number - from + 1}
	for round, count := range answer.RoundStats.RoundDistribution {
		if round > 0 {
			seals.Late += count
		}
	}
	due := inCharge(ctx, client, seals.From, seals.To)
	known := due != nil && r.Validators != nil
	for address, sealed := range answer.SealerActivity.PrevCommitted {
		v := Validator{
			Address: address, Current: true, Blocks: seals.Blocks, Sealed: sealed, Proposed: answer.Author[address],
			Own: r.Address != nil && *r.Address == address,
		}
		if known {
			v.Current, v.Blocks = slices.Contains(r.Validators, address), due[address]
		}
		v.Missed = v.Blocks - min(sealed, v.Blocks)
		seals.Validators = append(seals.Validators, v)
	}
	slices.SortFunc(seals.Validators, func(a, b Validator) int {
		if a.Missed != b.Missed {
			return int(b.Missed) - int(a.Missed)
		}
		return a.Address.Cmp(b.Address)
	})
	r.Seals = seals
}

// inCharge counts the blocks of a range by the validators in whose set they were sealed. It returns nil where the
// endpoint names no epochs.
func inCharge(ctx context.Context, client *rpc.Client, first, last uint64) map[common.Address]uint64 {
	due := make(map[common.Address]uint64)
	for number := first; number <= last; {
		var epoch struct {
			Next hexutil.Uint64 `json:"next"` // its validators seal the blocks up to this one
		}
		var set []common.Address
		if dial.Ask(ctx, client, &epoch, "istanbul_epochInfo", hexutil.Uint64(number-1)) != nil ||
			dial.Ask(ctx, client, &set, "istanbul_getValidators", hexutil.Uint64(number)) != nil ||
			uint64(epoch.Next) < number {
			return nil
		}
		until := min(uint64(epoch.Next), last)
		for _, address := range set {
			due[address] += until - number + 1
		}
		number = until + 1
	}
	return due
}

// askPeers tells validators from other peers by their keys, where the endpoint names the peers.
func (r *Report) askPeers(ctx context.Context, client *rpc.Client) {
	var infos []*p2p.PeerInfo
	if dial.Ask(ctx, client, &infos, "admin_peers") != nil {
		var count hexutil.Uint
		if dial.Ask(ctx, client, &count, "net_peerCount") == nil {
			r.Peers.Total = int(count)
		}
		return
	}
	r.Peers = Peers{Total: len(infos), Known: len(r.set()) > 0}
	absent := slices.DeleteFunc(r.set(), func(a common.Address) bool { return r.Address != nil && a == *r.Address })
	for _, info := range infos {
		if info.Network.Inbound {
			r.Peers.Inbound++
		}
		if address, ok := PeerAddress(info); ok {
			if r.isValidator(address) {
				r.Peers.Validators++
			}
			absent = slices.DeleteFunc(absent, func(a common.Address) bool { return a == address })
		}
	}
	if r.Address != nil && r.isValidator(*r.Address) {
		r.Absent = absent
	}
}

// PeerAddress returns the address of a peer's node key; false where its description has none.
func PeerAddress(info *p2p.PeerInfo) (common.Address, bool) {
	n, err := enode.ParseV4(info.Enode)
	if err != nil {
		return common.Address{}, false
	}
	return crypto.PubkeyToAddress(*n.Pubkey()), true
}

// set returns a copy of the validators of the next block. Without their names those of the seals stand for them.
func (r *Report) set() []common.Address {
	if r.Validators != nil || r.Seals == nil {
		return slices.Clone(r.Validators)
	}
	var list []common.Address
	for _, v := range r.Seals.Validators {
		if v.Current {
			list = append(list, v.Address)
		}
	}
	return list
}

func (r *Report) isValidator(address common.Address) bool { return slices.Contains(r.set(), address) }

func (r *Report) askPool(ctx context.Context, client *rpc.Client) {
	var answer struct {
		Pending hexutil.Uint64 `json:"pending"`
		Queued  hexutil.Uint64 `json:"queued"`
	}
	if dial.Ask(ctx, client, &answer, "txpool_status") == nil {
		r.Pool = &Pool{Pending: uint64(answer.Pending), Queued: uint64(answer.Queued)}
	}
}

func (r *Report) askIndexes(ctx context.Context, client *rpc.Client) {
	var info struct {
		Protocols struct {
			Istanbul struct {
				Indexes []Index `json:"indexes"`
			} `json:"istanbul"`
		} `json:"protocols"`
	}
	if dial.Ask(ctx, client, &info, "admin_nodeInfo") == nil {
		r.Indexes = info.Protocols.Istanbul.Indexes
	}
}

func (r *Report) askDisk(ctx context.Context, node Node) {
	var dir string
	if dial.Ask(ctx, node.Client, &dir, "admin_datadir") != nil || dir == "" {
		return
	}
	if free, err := node.Free(dir); err == nil {
		r.Disk = &Disk{Dir: dir, Free: free}
	}
}
