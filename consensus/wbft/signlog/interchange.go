// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// InterchangeVersion is that of the JSON form of a log.
const InterchangeVersion = "1"

// Interchange is a vote log in JSON, in the manner of EIP-3076: what a key has signed on one chain, as far as it has to be known so that the
// key contradicts none of it. Numbers are strings, as there.
type Interchange struct {
	Metadata Metadata    `json:"metadata"`
	Data     []Signatory `json:"data"` // one
}

// Metadata says what an Interchange is and of which chain.
type Metadata struct {
	Version string      `json:"interchange_format_version"`
	ChainID uint64      `json:"chain_id,string,omitempty"` // absent if the log does not know it
	Genesis common.Hash `json:"genesis_hash"`
}

// Signatory is a key and what it has signed.
type Signatory struct {
	Validator common.Address  `json:"validator"`
	Floor     uint64          `json:"lowest_sequence,string"`    // nothing is signed below it
	Since     uint64          `json:"complete_since,string"`     // seconds since 1970; everything signed later is here; 0: everything
	Lost      bool            `json:"earlier_votes_lost"`        // the key has signed something before that, which is not here
	Messages  []SignedMessage `json:"signed_messages,omitempty"` // by sequence, round and code
	Locks     []SignedLock    `json:"locks,omitempty"`           // by sequence
}

// SignedMessage is a Record.
type SignedMessage struct {
	Message  string        `json:"message"` // PRE-PREPARE, PREPARE, COMMIT or ROUND-CHANGE
	Sequence uint64        `json:"sequence,string"`
	Round    uint64        `json:"round,string"`
	Digest   common.Hash   `json:"digest"`
	Payload  hexutil.Bytes `json:"payload,omitempty"`
}

// SignedLock is a Lock.
type SignedLock struct {
	Sequence    uint64        `json:"sequence,string"`
	Round       uint64        `json:"round,string"`
	Certificate hexutil.Bytes `json:"certificate"`
}

var messageNames = map[uint64]string{PrePrepare: "PRE-PREPARE", Prepare: "PREPARE", Commit: "COMMIT", RoundChange: "ROUND-CHANGE"}

// MessageName returns the name of a message code, or the code in hex.
func MessageName(code uint64) string {
	if name, ok := messageNames[code]; ok {
		return name
	}
	return hexutil.EncodeUint64(code)
}

func codeOf(name string) (uint64, bool) {
	for code, n := range messageNames {
		if n == name {
			return code, true
		}
	}
	return 0, false
}

// Export returns all that is in the log.
func (l *Log) Export() *Interchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Signatory{Validator: l.owner.Validator, Floor: l.floor}
	if l.origin != nil {
		s.Since, s.Lost = l.origin.Since, l.origin.Lost
	}
	for _, r := range slices.SortedFunc(maps.Values(l.records), byView) {
		s.Messages = append(s.Messages, SignedMessage{MessageName(r.Code), r.Sequence, r.Round, r.Digest, bytes.Clone(r.Payload)})
	}
	for _, sequence := range slices.Sorted(maps.Keys(l.locks)) {
		k := l.locks[sequence]
		s.Locks = append(s.Locks, SignedLock{k.Sequence, k.Round, bytes.Clone(k.Certificate)})
	}
	return &Interchange{Metadata{InterchangeVersion, l.owner.ChainID, l.owner.Genesis}, []Signatory{s}}
}

// ReadInterchange reads the JSON form of a log.
func ReadInterchange(content []byte) (*Interchange, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields() // what is not understood may be what must not be forgotten
	x := new(Interchange)
	if err := decoder.Decode(x); err != nil {
		return nil, fmt.Errorf("not the JSON form of a vote log: %w", err)
	}
	switch {
	case decoder.More():
		return nil, errors.New("not the JSON form of a vote log: there is more behind it")
	case x.Metadata.Version != InterchangeVersion:
		return nil, fmt.Errorf("the file has format version %q, this program reads %q", x.Metadata.Version, InterchangeVersion)
	case x.Metadata.Genesis == common.Hash{}:
		return nil, errors.New("the file does not name its chain: genesis_hash is missing")
	case len(x.Data) != 1:
		return nil, fmt.Errorf("the file has the votes of %d validators, want one", len(x.Data))
	case x.Data[0].Since > uint64(time.Now().Add(time.Minute).Unix()):
		return nil, fmt.Errorf("complete_since lies in the future: %d", x.Data[0].Since)
	}
	return x, nil
}

// UnmarshalJSON refuses what leaves out a field whose absence would say that nothing was ever lost or let go.
func (s *Signatory) UnmarshalJSON(content []byte) error {
	var present map[string]json.RawMessage
	if err := json.Unmarshal(content, &present); err != nil {
		return err
	}
	for _, name := range []string{"lowest_sequence", "complete_since", "earlier_votes_lost"} {
		if _, ok := present[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		}
	}
	type plain Signatory
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	return decoder.Decode((*plain)(s))
}

// Owner returns whose votes they are.
func (x *Interchange) Owner() Owner {
	return Owner{Validator: x.Data[0].Validator, Genesis: x.Metadata.Genesis, ChainID: x.Metadata.ChainID}
}

// Author recovers who has signed the payload of a record. It is an error if the payload says something else than the record.
type Author func(Record) (common.Address, error)

// content returns records and locks, once all of them were found to be in order and, as far as there is a payload, signed by the owner.
func (x *Interchange) content(author Author) (records []Record, locks []Lock, err error) {
	s := &x.Data[0]
	for i, m := range s.Messages {
		code, ok := codeOf(m.Message)
		if !ok {
			return nil, nil, fmt.Errorf("message %d: %q is no message", i, m.Message)
		}
		if len(m.Payload) > maxBody/2 {
			return nil, nil, fmt.Errorf("message %d has %d bytes, more than %d", i, len(m.Payload), maxBody/2)
		}
		r := Record{code, m.Sequence, m.Round, m.Digest, m.Payload}
		if len(m.Payload) > 0 {
			address, err := author(r)
			if err != nil {
				return nil, nil, fmt.Errorf("message %d: %w", i, err)
			}
			if address != s.Validator {
				return nil, nil, fmt.Errorf("message %d: %w: it is signed by %v, and not by %v", i, ErrForeign, address, s.Validator)
			}
		}
		records = append(records, r)
	}
	for i, k := range s.Locks {
		if len(k.Certificate) > maxBody/2 {
			return nil, nil, fmt.Errorf("lock %d has %d bytes, more than %d", i, len(k.Certificate), maxBody/2)
		}
		locks = append(locks, Lock{k.Sequence, k.Round, k.Certificate})
	}
	return records, locks, nil
}

// Merged tells what an import has done.
type Merged struct {
	Messages, Locks int    // that the log did not have
	Contradicted    uint64 // the highest sequence in which the two logs contradict each other; 0 for none
}

// Import adds to the log what another log of the same key and chain has. Nothing is forgotten: the result has all that either has, the
// higher of two locks, and the higher floor. Where the two contradict each other the key has contradicted itself, and signs nothing
// more in those sequences: the floor is raised above them. The change is durable, and made as a whole or not at all. The error
// wraps ErrForeign for the log of another validator or chain.
func (l *Log) Import(x *Interchange, author Author) (done Merged, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return done, fmt.Errorf("vote log %s: %w", l.path, err)
	}
	owner := x.Owner()
	switch {
	case owner.Validator != l.owner.Validator:
		return done, fmt.Errorf("%w: the file has the votes of %v, the key here is that of %v", ErrForeign, owner.Validator, l.owner.Validator)
	case owner.Genesis != l.owner.Genesis:
		return done, fmt.Errorf("%w: the file is of the chain with genesis block %v, not %v", ErrForeign, owner.Genesis, l.owner.Genesis)
	case owner.ChainID != 0 && l.owner.ChainID != 0 && owner.ChainID != l.owner.ChainID:
		return done, fmt.Errorf("%w: the file is of chain ID %d, not %d", ErrForeign, owner.ChainID, l.owner.ChainID)
	}
	given, givenLocks, err := x.content(author)
	if err != nil {
		return done, fmt.Errorf("votes to be imported: %w", err)
	}
	next := l.merge(x, given, givenLocks, &done)
	if err := next.rewrite(); err != nil {
		l.file, l.broken, l.marker = next.file, next.broken, next.marker
		return Merged{}, fmt.Errorf("vote log %s: %w", l.path, err)
	}
	l.file, l.marker, l.size, l.limit = next.file, next.marker, next.size, next.limit
	l.owner, l.origin, l.floor, l.records, l.locks = next.owner, next.origin, next.floor, next.records, next.locks
	return done, nil
}

// merge returns a log that says what this one and the other say.
func (l *Log) merge(x *Interchange, given []Record, givenLocks []Lock, done *Merged) *Log {
	other := &x.Data[0]
	next := newLog(l.path, l.owner)
	next.disk, next.file, next.marker = l.disk, l.file, l.marker
	next.owner.ChainID = cmp.Or(l.owner.ChainID, x.Metadata.ChainID)
	next.floor = max(l.floor, other.Floor)
	next.records, next.locks = maps.Clone(l.records), maps.Clone(l.locks)
	// What one of them lacks the other may have, but nobody knows that.
	next.origin = &Origin{Since: other.Since, Lost: other.Lost}
	if l.origin != nil {
		next.origin.Since, next.origin.Lost = max(l.origin.Since, other.Since), l.origin.Lost || other.Lost
	}
	for _, r := range given {
		old, known := next.records[r.view()]
		switch {
		case known && old.Digest != r.Digest:
			done.Contradicted = max(done.Contradicted, r.Sequence)
		case !known:
			next.records[r.view()] = r
			if r.Sequence >= next.floor {
				done.Messages++
			}
		case len(old.Payload) == 0:
			next.records[r.view()] = r
		}
	}
	for _, k := range givenLocks {
		if old, locked := next.locks[k.Sequence]; !locked || k.Round > old.Round {
			next.locks[k.Sequence] = k
			if k.Sequence >= next.floor {
				done.Locks++
			}
		}
	}
	if done.Contradicted > 0 {
		next.floor = max(next.floor, done.Contradicted+1)
	}
	maps.DeleteFunc(next.records, func(v view, _ Record) bool { return v.sequence < next.floor })
	maps.DeleteFunc(next.locks, func(sequence uint64, _ Lock) bool { return sequence < next.floor })
	return next
}

// Look reads a log without taking it from the process that may have it open, which may write on. The result is for people, and not to
// sign by; of a log that is imported elsewhere nothing must be written any more (Export of an open log).
func Look(disk Disk, path string) (*Interchange, error) {
	content, err := disk.Read(path)
	if err != nil {
		return nil, fmt.Errorf("vote log: %w", err)
	}
	l := newLog(path, Owner{})
	l.anybody = true
	if _, err := l.load(content); err != nil {
		return nil, fmt.Errorf("vote log %s: %w", path, err)
	}
	return l.Export(), nil
}
