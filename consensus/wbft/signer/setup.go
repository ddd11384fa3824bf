// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/apart"
	"gwon/internal/atomicfile"
	"gwon/internal/nodekey"
	"gwon/internal/secretfile"
)

// Names of the files in the directory of a signer.
const (
	instanceName = "gwon" // of the node's files in its data directory
	keyName      = "key"
	chainName    = "chain.json"
	votesName    = "votes.log"
	horizonName  = "horizon.json"
	nodePemName  = "node.pem"
	// SocketName is the socket that a signer makes unless it is told another path.
	SocketName = "signer.sock"
)

// Chain is the network that a signer signs for.
type Chain struct {
	Genesis common.Hash `json:"genesis"`
	ID      uint64      `json:"chainId"`
}

// Move says what becomes the content of a new directory.
type Move struct {
	Dir      string // of the signer
	DataDir  string // of the node; its key and vote log are moved
	Password string // of an encrypted key
	Chain    Chain  // where there is no vote log; zero to take it from the log
	New      bool   // the key has never signed
	Lowest   uint64 // sequence, for a key whose vote log is lost

	keyFile, votesFile string // in DataDir
	source             string // where the key is: keyFile, or its name while it is moved
}

// Do moves key and vote log into the directory, so that no node has them any more. After a crash it is done again, with
// the same arguments: the node's key has another name before anything is copied, so that no node signs meanwhile. It
// returns the address of the validator.
func (m *Move) Do() (validator common.Address, err error) {
	if err := m.locate(); err != nil {
		return validator, err
	}
	if err := (&horizon{now: time.Now, Time: noBlockBefore}).check(m.Lowest); err != nil {
		return validator, fmt.Errorf("--lowestsequence: %w", err)
	}
	content, err := secretfile.Read(m.source)
	if _, has := os.Lstat(filepath.Join(m.Dir, keyName)); has == nil && errors.Is(err, fs.ErrNotExist) {
		return m.moved()
	}
	if err != nil {
		return validator, fmt.Errorf("read key: %w", err)
	}
	key, err := parseKey(content, m.Password)
	if err != nil {
		return validator, fmt.Errorf("key %s: %w", m.keyFile, err)
	}
	validator = crypto.PubkeyToAddress(key.PublicKey)
	there, err := secretfile.Read(filepath.Join(m.Dir, keyName))
	if err == nil {
		if !bytes.Equal(there, content) {
			return validator, fmt.Errorf("%s has another key already: name a new directory", m.Dir)
		}
		if m.source == m.keyFile {
			return validator, fmt.Errorf("%s has the key already, and %s has come back since: remove that copy. If a node has "+
				"run with it, the signer does not know its votes: make a new directory with --lowestsequence "+
				"(docs/operate/runbooks/signer-lost.md)", m.Dir, m.keyFile)
		}
		if err := m.clear(); err != nil { // all else was there before the key
			return validator, err
		}
		return m.moved()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return validator, fmt.Errorf("the key that is in %s already: %w", m.Dir, err)
	}
	votes, err := m.votes()
	if err != nil {
		return validator, err
	}
	owner := votelog.Owner{Validator: validator, Genesis: m.Chain.Genesis, ChainID: m.Chain.ID}
	if has, err := votelog.Look(votelog.OS{}, filepath.Join(m.Dir, votesName)); err == nil &&
		has.Owner().Validator != validator {
		return validator, fmt.Errorf("%s has the votes of %v: name a new directory", m.Dir, has.Owner().Validator)
	}
	lock, err := keylock.Acquire(validator, owner.Genesis)
	if err != nil {
		return validator, fmt.Errorf("the node still runs with the key, stop it: %w", err)
	}
	defer lock.Close() //nolint:errcheck // it ends with the process
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return validator, fmt.Errorf("make directory: %w", err)
	}
	if moving := m.keyFile + nodekey.MovingSuffix; m.source != moving {
		if err := atomicfile.Rename(m.source, moving); err != nil {
			return validator, fmt.Errorf("take the key from the node: %w", err)
		}
	}
	if err := m.fill(owner, content, votes); err != nil {
		return validator, err
	}
	return validator, m.clear()
}

// locate finds key and vote log of the node. A directory in the data directory is refused: what is moved there would
// be removed with what is left, or be found by the node.
func (m *Move) locate() (err error) {
	instance := filepath.Join(m.DataDir, instanceName)
	var moving bool
	if m.keyFile, moving, err = nodekey.Find(instance); err != nil {
		return err
	}
	if m.source = m.keyFile; moving {
		m.source += nodekey.MovingSuffix
	}
	m.votesFile = filepath.Join(instance, votesName)
	if err := apart.Check(m.Dir, m.DataDir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	return nil
}

// fill writes the directory, its key last. votes is the content of the vote log, nil for none.
func (m *Move) fill(owner votelog.Owner, key, votes []byte) error {
	path := filepath.Join(m.Dir, votesName)
	if votes != nil {
		if err := atomicfile.Write(path, votes, 0o600); err != nil {
			return fmt.Errorf("write vote log: %w", err)
		}
	}
	log, err := votelog.Open(path, owner)
	if err != nil {
		return err
	}
	if m.Lowest > 0 {
		log.Prune(m.Lowest - 1)
	}
	if err := errors.Join(log.Compact(), log.Close()); err != nil {
		return err
	}
	if _, err := readHorizon(filepath.Join(m.Dir, horizonName)); err != nil {
		return fmt.Errorf("make horizon: %w", err)
	}
	if err := atomicfile.WriteJSON(filepath.Join(m.Dir, chainName), m.Chain, 0o600); err != nil {
		return fmt.Errorf("write chain: %w", err)
	}
	return atomicfile.Write(filepath.Join(m.Dir, keyName), key, 0o600)
}

// clear removes what is moved. The key is last, so that a call after a crash finds it.
func (m *Move) clear() error {
	for _, moved := range []string{m.votesFile, m.keyFile + nodekey.MovingSuffix} {
		if err := os.Remove(moved); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what was moved: %w", err)
		}
	}
	return nil
}

// moved returns the validator of a directory that is whole, where nothing is left to move. Another chain is refused. A
// higher lowest block counts from now on, since the operator relies on it.
func (m *Move) moved() (validator common.Address, err error) {
	if _, err := os.Lstat(m.votesFile); err == nil {
		return validator, fmt.Errorf("there is a vote log without key, %s", m.votesFile)
	}
	if _, err := os.Stat(m.DataDir); err != nil {
		return validator, fmt.Errorf("%s has a key already, and nothing can be moved: %w", m.Dir, err)
	}
	has, lock, err := Open(m.Dir, m.Password)
	if err != nil {
		return validator, fmt.Errorf("%s has a key already: %w", m.Dir, err)
	}
	defer func() { err = errors.Join(err, has.Votes.Close(), lock.Close()) }()
	if m.Chain != (Chain{}) && m.Chain != (Chain{has.Owner.Genesis, has.Owner.ChainID}) {
		return validator, fmt.Errorf("%s has a key already, of chain %d (genesis %v): name a new directory", m.Dir,
			has.Owner.ChainID, has.Owner.Genesis)
	}
	if m.Lowest > has.Votes.Floor() {
		has.Votes.Prune(m.Lowest - 1)
		err = has.Votes.Compact()
	}
	return has.Owner.Validator, err
}

// votes returns the content of the vote log, nil for none, and sets the chain.
func (m *Move) votes() ([]byte, error) {
	content, err := votelog.OS{}.Read(m.votesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !m.New && m.Lowest == 0:
		return nil, fmt.Errorf("there is no vote log %s: say --new if the key has never signed, or --lowestsequence with a "+
			"block that the network has not reached when the node was stopped", m.votesFile)
	case errors.Is(err, fs.ErrNotExist):
		if m.Chain == (Chain{}) {
			return nil, errors.New("there is no vote log that names the chain: give --mainnet, --testnet, or --genesis and " +
				"--chainid")
		}
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read vote log: %w", err)
	case m.New || m.Lowest > 0:
		return nil, fmt.Errorf("there is a vote log, %s: it is moved without --new and --lowestsequence", m.votesFile)
	}
	log, err := votelog.Look(votelog.OS{}, m.votesFile)
	if err != nil {
		return nil, err
	}
	has := Chain{log.Owner().Genesis, log.Owner().ChainID}
	if has.ID == 0 {
		has.ID = m.Chain.ID
	}
	if m.Chain != (Chain{}) && m.Chain != has {
		return nil, fmt.Errorf("the vote log is of chain %d (genesis %v): leave the flags of the chain out", has.ID,
			has.Genesis)
	}
	if m.Chain = has; has.ID == 0 {
		return nil, errors.New("the vote log does not name the chain ID: give --mainnet, --testnet, or --genesis and " +
			"--chainid")
	}
	return content, nil
}

// parseKey reads a key: 64 hexadecimal digits, or an encrypted key file as key stores have.
func parseKey(content []byte, password string) (*ecdsa.PrivateKey, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		key, err := secretfile.ParseKey(content)
		if err != nil {
			return nil, fmt.Errorf("it is damaged, put its backup there: %w", err)
		}
		return key, nil
	}
	if password == "" {
		return nil, errors.New("it is encrypted: give the file with its password, --password")
	}
	key, err := keystore.DecryptKey(content, password)
	if err != nil {
		return nil, fmt.Errorf("open it with the password of --password: %w", err)
	}
	return key.PrivateKey, nil
}

// WriteCredentials writes the two ends of a new pair for TLS, and returns the file for the node. A pair that is there
// is left. The signer's end is written last, so that a call after a crash makes another pair.
func WriteCredentials(dir string) (node string, err error) {
	node = filepath.Join(dir, nodePemName)
	path := filepath.Join(dir, wire.CredentialsName)
	if _, err := os.Lstat(path); err == nil {
		return node, nil
	}
	own, other, err := wire.NewCredentials()
	if err != nil {
		return "", err
	}
	for _, end := range []struct {
		path    string
		content []byte
	}{{node, other}, {path, own}} {
		if err := atomicfile.Write(end.path, end.content, 0o600); err != nil {
			return "", fmt.Errorf("write %s: %w", end.path, err)
		}
	}
	return node, nil
}

// Open opens a directory for a server. The returned lock keeps other processes of the machine from using the key.
func Open(dir, password string) (*ServerConfig, io.Closer, error) {
	content, err := secretfile.Read(filepath.Join(dir, keyName))
	if err != nil {
		return nil, nil, fmt.Errorf("read key: %w: make the directory with gwon-signer init", err)
	}
	key, err := parseKey(content, password)
	if err != nil {
		return nil, nil, fmt.Errorf("key %s: %w", filepath.Join(dir, keyName), err)
	}
	text, err := os.ReadFile(filepath.Join(dir, chainName))
	if err != nil {
		return nil, nil, fmt.Errorf("read chain: %w", err)
	}
	var chain Chain
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&chain)
	if err == nil && (chain.ID == 0 || chain.Genesis == (common.Hash{})) {
		err = errors.New("ID or genesis is missing")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s names no chain: put its backup there (%w)", filepath.Join(dir, chainName), err)
	}
	owner := votelog.Owner{Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: chain.Genesis, ChainID: chain.ID}
	horizon, err := readHorizon(filepath.Join(dir, horizonName))
	if err != nil {
		return nil, nil, err
	}
	lock, err := keylock.Acquire(owner.Validator, owner.Genesis)
	if err != nil {
		return nil, nil, err
	}
	votes, err := votelog.Reopen(filepath.Join(dir, votesName), owner)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: put its backup there, or see docs/operate/runbooks/signer-lost.md", err)
	}
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	return &ServerConfig{Key: key, Owner: owner, Votes: votes, horizon: horizon}, lock, nil
}
