// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/gofrs/flock"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/ancient"
	"gwon/internal/apart"
	"gwon/internal/atomicfile"
	"gwon/internal/progress"
	"gwon/params"
)

// Names in the directory of an instance.
const (
	chainName   = "chaindata"
	ancientName = "ancient"
	keyName     = "nodekey"
	lockName    = "LOCK"
	journalName = "transactions.rlp" // of transactions that this node accepted
	markName    = "adopted"          // holds the path of the directory that was taken over
)

// workSuffix is that of a directory that is being made.
const workSuffix = ".adopting"

// Options say what is taken over.
type Options struct {
	Old     string // data directory of go-stablenet, or the instance directory in it
	Ancient string // ancient store of go-stablenet where it is not in its chain database
	DataDir string // of gwon
	Name    string // of the instance directory in it
	Key     bool   // move the node key

	Meter *progress.Meter                  // may be nil
	Free  func(dir string) (uint64, error) // returns the free bytes on the disk of a directory
}

// Result says what was taken over.
type Result struct {
	From, To string
	Chain    Chain

	Clones, Links, Copies int // files
	Copied                uint64
	Key                   bool     // the node key was moved
	Accounts              int      // files of the key store
	Left                  []string // names in the old directory that stay behind

	Finished bool // an earlier call had taken all over, but for the key
	Took     time.Duration
}

// Run takes a directory of go-stablenet over. After an error or a crash the same call begins again.
func Run(ctx context.Context, o Options) (result *Result, err error) {
	start := time.Now()
	old, err := findOld(o.Old)
	if err != nil {
		return nil, err
	}
	target := filepath.Join(o.DataDir, o.Name)
	for _, given := range []string{old, o.Ancient} {
		if err := apart.Check(target, given); given != "" && err != nil {
			return nil, err
		}
	}
	held, err := lockOld(old)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.release()) }()
	r := &Result{From: old, To: target}
	defer func() { r.Took = time.Since(start) }()
	if mark, err := os.ReadFile(filepath.Join(target, markName)); err == nil && string(mark) == old && o.Key {
		r.Finished = true
		return r, r.moveKey()
	}
	if exists(target) {
		return nil, fmt.Errorf("%s is there already: give another --datadir, or move that directory away", target)
	}
	if o.Key && !exists(filepath.Join(old, keyName)) {
		return nil, fmt.Errorf("%s has no file %s: take it over without the key, and name the one of a validator with "+
			"--nodekey", old, keyName)
	}
	work := target + workSuffix
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	made := flock.New(filepath.Join(work, lockName))
	if locked, err := made.TryLock(); err != nil || !locked {
		return nil, errors.Join(fmt.Errorf("%s is being made by another process: wait for its end", work), err)
	}
	defer func() { err = errors.Join(err, made.Unlock()) }()
	err = r.build(ctx, o, held, work)
	if err == nil {
		err = held.check()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(work))
	}
	if err := atomicfile.Rename(work, target); err != nil {
		return nil, err
	}
	if o.Key {
		err = r.moveKey()
	}
	return r, err
}

// exists reports whether there is something at a path, or may be.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// build makes the new directory under its first name.
func (r *Result) build(ctx context.Context, o Options, held *oldLock, work string) error {
	old := r.From
	entries, err := os.ReadDir(work) // of a call that a crash cut short
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName {
			if err := os.RemoveAll(filepath.Join(work, e.Name())); err != nil {
				return err
			}
		}
	}
	store := o.Ancient
	if store == "" {
		store = filepath.Join(old, chainName, ancientName)
	} else if _, err := os.Stat(store); err != nil {
		return fmt.Errorf("the ancient store of go-stablenet: %w", err)
	}
	to := filepath.Join(work, chainName)
	t := &transfer{meter: o.Meter, free: o.Free}
	if err := errors.Join(
		t.addKeyValues(filepath.Join(old, chainName), to),
		t.addTables(ancient.Dir(store), ancient.Dir(filepath.Join(to, ancientName)), oldDifficulties, false),
	); err != nil {
		return err
	}
	if err := t.run(ctx, work); err != nil {
		return err
	}
	r.Clones, r.Links, r.Copies, r.Copied = t.clones, t.links, t.copies, t.copied
	if r.Chain, err = toGwon(to); err != nil {
		return err
	}
	err = copySmall(journalName, old, work)
	if o.Key {
		err = errors.Join(err, copySmall(keyName, old, work))
	}
	if err != nil {
		return err
	}
	if o.Key && !held.since.IsZero() {
		if err := beginVotes(work, r.Chain, held.since); err != nil {
			return err
		}
	}
	if r.Accounts, err = copyKeyStore(filepath.Dir(old), o.DataDir); err != nil {
		return err
	}
	if r.Left, err = leftBehind(old, o.Key); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(work, markName), []byte(old), 0o600)
}

// copySmall copies a file of an instance, which may be absent, to another one.
func copySmall(name, from, to string) error {
	content, err := os.ReadFile(filepath.Join(from, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(to, name), content, 0o600)
}

// beginVotes makes the vote log of the key, whose last process has ended before a time. It lets the key sign sooner
// than a log that is lost (docs/consensus.md, Why the wait of rule 8 is sufficient).
func beginVotes(work string, c Chain, ended time.Time) error {
	key, err := crypto.LoadECDSA(filepath.Join(work, keyName))
	if err != nil || c.newest == nil {
		return errors.Join(errors.New("the node key or the newest block cannot be read"), err)
	}
	votes, err := votelog.Open(filepath.Join(work, wbft.VoteLogFile), votelog.Owner{
		Validator: crypto.PubkeyToAddress(key.PublicKey), Genesis: c.Genesis, ChainID: c.ChainID,
	})
	if err != nil {
		return err
	}
	origin := wbft.AdoptedOrigin(ended, c.newest, c.config.Anzeon.WBFT.AllowedFutureBlockTime)
	return errors.Join(votes.SetOrigin(origin), votes.Close())
}

// moveKey removes the node key from the old directory, when the new one has it. Two running nodes must never have it.
func (r *Result) moveKey() error {
	from, to := filepath.Join(r.From, keyName), filepath.Join(r.To, keyName)
	theirs, err := r.checkKey()
	if err != nil || theirs == nil {
		return err
	}
	if !exists(to) { // the key was not asked for at first
		if err := atomicfile.Write(to, theirs, 0o600); err != nil {
			return err
		}
	}
	if _, err := r.checkKey(); err != nil {
		return err
	}
	if err := os.Remove(from); err != nil {
		return fmt.Errorf("the node key is in both directories now: run the same command again as a user that may change "+
			"%s: %w", r.From, err)
	}
	r.Key = true
	return atomicfile.SyncDirectory(r.From)
}

// checkKey returns the node key that is to be moved, nil where an earlier call has moved it. It refuses another key in
// the new directory.
func (r *Result) checkKey() (theirs []byte, err error) {
	from, to := filepath.Join(r.From, keyName), filepath.Join(r.To, keyName)
	theirs, err = os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) && exists(to) {
		return nil, nil
	}
	if err != nil || !exists(to) && !exists(to+".json") {
		return theirs, err
	}
	ours, err := os.ReadFile(to)
	if err != nil || !bytes.Equal(ours, theirs) {
		return nil, errors.Join(fmt.Errorf("the key in %s is another one than that in %s: move one of them away", r.To, from),
			err)
	}
	return theirs, nil
}

// leftBehind returns the names in the old directory that are not taken over.
func leftBehind(old string, key bool) (names []string, err error) {
	entries, err := os.ReadDir(old)
	for _, e := range entries {
		switch name := e.Name(); name {
		case chainName, journalName, lockName:
		case keyName:
			if !key {
				names = append(names, name)
			}
		default:
			names = append(names, name)
		}
	}
	return names, err
}

// copyKeyStore copies the files of a key store that the other data directory does not have.
func copyKeyStore(from, to string) (count int, err error) {
	from, to = filepath.Join(from, "keystore"), filepath.Join(to, "keystore")
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) || from == to {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return 0, err
	}
	for _, e := range entries {
		if e.IsDir() || exists(filepath.Join(to, e.Name())) {
			continue
		}
		if err := copySmall(e.Name(), from, to); err != nil {
			return count, err
		}
		count++
	}
	return count, nil
}

// errRuns says that the program whose directory is taken over is running.
var errRuns = errors.New("a node is running with this directory: stop it first")

// oldLock holds the locks of an instance directory and of its chain database, so that no node starts with it.
type oldLock struct {
	instance string
	locks    []*flock.Flock
	since    time.Time // when the lock of the directory was taken: the last process had ended. Zero where there is none
}

// lockOld takes the locks of an instance directory as a node does, without making one.
func lockOld(instance string) (*oldLock, error) {
	o := &oldLock{instance: instance}
	for _, path := range o.paths() {
		if !exists(path) {
			continue // no node has run there
		}
		lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
		o.locks = append(o.locks, lock)
		locked, err := lock.TryLock()
		if err == nil && !locked {
			err = errRuns
		}
		if err := errors.Join(err, checkRecordLock(path)); err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), o.release())
		}
		if path == o.paths()[0] {
			o.since = time.Now()
		}
	}
	return o, nil
}

func (o *oldLock) paths() []string {
	return []string{filepath.Join(o.instance, lockName), filepath.Join(o.instance, chainName, lockName)}
}

// checkRecordLock returns errRuns for a lock of the kind that cannot be held without writing.
func checkRecordLock(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	locked, err := isRecordLocked(file)
	if err == nil && locked {
		err = errRuns
	}
	return errors.Join(err, file.Close())
}

// check reports a node that has started where there was no lock, or none that could be held.
func (o *oldLock) check() error {
	err := checkRecordLock(o.paths()[1])
	if o.since.IsZero() && exists(o.paths()[0]) {
		err = errRuns
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.instance, err)
	}
	return nil
}

func (o *oldLock) release() (err error) {
	for _, lock := range o.locks {
		err = errors.Join(err, lock.Unlock())
	}
	return err
}

// Chain is the chain that was taken over.
type Chain struct {
	Genesis common.Hash
	ChainID uint64
	Head    uint64
	Hash    common.Hash // of the head
	State   uint64      // newest block whose state is on disk; those above are executed when gwon starts
	Scheme  string      // of the state
	Engine  string      // of the key-value store

	newest *types.Header // the head, nil where it is not in the key-value store
	config *params.ChainConfig
}
