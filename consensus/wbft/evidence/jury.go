// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/validators"
	"gwon/internal/dial"
)

// Jury knows the validators of sequences.
type Jury interface {
	// Court returns the context to judge evidence of a sequence, at least 1.
	Court(ctx context.Context, sequence uint64) (Court, error)
	// Chain returns the hash of the genesis block; zero if it is not known.
	Chain() common.Hash
	// Basis says which facts are taken on trust.
	Basis() string
	io.Closer
}

// NamedJury returns a jury with the same validators for every sequence. genesis is zero if it is not known.
func NamedJury(set *validators.Set, genesis common.Hash) Jury { return &namedJury{set, genesis} }

type namedJury struct {
	set     *validators.Set
	genesis common.Hash
}

func (j *namedJury) Court(context.Context, uint64) (Court, error) {
	return Court{Set: j.set, Genesis: j.genesis}, nil
}

func (j *namedJury) Basis() string {
	text := "Judged by the validators of --validators, the same for every block: that they were its validators then is " +
		"taken on trust. No chain was looked at: "
	if j.genesis == (common.Hash{}) {
		return text + "messages name none, so a pair may be from another network or an older genesis block"
	}
	return text + fmt.Sprintf("that a pair is from the one with genesis block %v is no more than what the file says",
		j.genesis)
}

func (j *namedJury) Chain() common.Hash { return j.genesis }

func (j *namedJury) Close() error { return nil }

// validatorEntry is a validator in the output of gwon validator show or of istanbul_epochInfo.
type validatorEntry struct {
	Address      *common.Address `json:"address"`
	BLSPublicKey hexutil.Bytes   `json:"blsPublicKey"`
	Addr         *common.Address `json:"addr"`
	BLS          hexutil.Bytes   `json:"bls"`
}

// SetOfAddresses returns a set of validators without BLS keys, whose seals are not judged.
func SetOfAddresses(list []common.Address) (*validators.Set, error) {
	entries := make([]validatorEntry, len(list))
	for i := range list {
		entries[i].Address = &list[i]
	}
	return setOfEntries(entries)
}

// ParseSet reads validators from the content of a file: a JSON list of address and blsPublicKey, or an answer of
// istanbul_epochInfo.
func ParseSet(file string, content []byte) (*validators.Set, error) {
	var entries []validatorEntry
	if json.Unmarshal(content, &entries) == nil {
		return setOfEntries(entries)
	}
	var info struct {
		Validators []validatorEntry `json:"validators"`
		Result     *struct {
			Validators []validatorEntry `json:"validators"`
		} `json:"result"`
	}
	if err := json.Unmarshal(content, &info); err != nil {
		return nil, fmt.Errorf("%s: neither a list of validators nor an answer of istanbul_epochInfo: %w", file, err)
	}
	if info.Result != nil {
		info.Validators = info.Result.Validators
	}
	return setOfEntries(info.Validators)
}

// setOfEntries returns the set of listed validators.
func setOfEntries(entries []validatorEntry) (*validators.Set, error) {
	if len(entries) == 0 {
		return nil, errors.New("no validators are given")
	}
	list := make([]validators.Validator, len(entries))
	for i, e := range entries {
		address, key := e.Address, e.BLSPublicKey
		if address == nil {
			address, key = e.Addr, e.BLS
		}
		if address == nil {
			return nil, fmt.Errorf("validator %d has no address", i)
		}
		list[i].Address = *address
		if len(key) > 0 {
			parsed, err := bls.ParsePublicKey(key)
			if err != nil {
				return nil, fmt.Errorf("validator %v: BLS key: %w", address, err)
			}
			list[i].Key = parsed
		}
	}
	return validators.NewSet(list), nil
}

// NodeJury returns a jury that trusts the node at an endpoint.
func NodeJury(ctx context.Context, endpoint string) (Jury, error) {
	client, err := dial.Node(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	genesis, err := dial.BlockHash(ctx, client, 0)
	if err != nil {
		client.Close()
		return nil, err
	}
	return &nodeJury{client, dial.Shown(endpoint), genesis}, nil
}

type nodeJury struct {
	client   *rpc.Client
	endpoint string
	genesis  common.Hash
}

func (j *nodeJury) Basis() string {
	return fmt.Sprintf(
		"Judged by the validators and blocks that the node at %s names, for the chain with genesis block %v: "+
			"it is believed",
		j.endpoint,
		j.genesis,
	)
}

func (j *nodeJury) Court(ctx context.Context, sequence uint64) (Court, error) {
	parent, err := dial.BlockHash(ctx, j.client, sequence-1)
	if err != nil {
		return Court{}, err
	}
	var info struct {
		Validators []validatorEntry `json:"validators"`
	}
	if err := dial.Ask(ctx, j.client, &info, "istanbul_epochInfo", hexutil.Uint64(sequence-1)); err != nil {
		return Court{}, err
	}
	set, err := setOfEntries(info.Validators)
	return Court{Set: set, Genesis: j.genesis, Parent: parent}, err
}

func (j *nodeJury) Chain() common.Hash { return j.genesis }

func (j *nodeJury) Close() error {
	j.client.Close()
	return nil
}

// ChainJury returns a jury that reads the chain of a stopped node in dir. It closes db and then owner, also after an
// error.
func ChainJury(db ethdb.Database, owner io.Closer, dir string) (Jury, error) {
	j := &chainJury{db: db, owner: owner, genesis: rawdb.ReadCanonicalHash(db, 0), dir: dir}
	config, _, err := core.LoadChainConfig(db, nil)
	if err == nil && config.Anzeon == nil {
		err = errors.New("the chain there has no validators: its configuration has no \"anzeon\" section")
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	j.config = config
	return j, nil
}

type chainJury struct {
	db      ethdb.Database
	owner   io.Closer
	config  *params.ChainConfig
	genesis common.Hash
	dir     string
}

func (j *chainJury) Basis() string {
	return fmt.Sprintf("Judged by the chain in %s, with genesis block %v", j.dir, j.genesis)
}

func (j *chainJury) Court(_ context.Context, sequence uint64) (Court, error) {
	parent, err := storedHeader(j.db, sequence-1)
	if err != nil {
		return Court{}, err
	}
	set, err := StoredSet(j.db, j.config, sequence)
	if err != nil {
		return Court{}, err
	}
	return Court{Set: set, Genesis: j.genesis, Parent: parent.Hash()}, nil
}

func (j *chainJury) Chain() common.Hash { return j.genesis }

func (j *chainJury) Close() error { return errors.Join(j.db.Close(), j.owner.Close()) }
