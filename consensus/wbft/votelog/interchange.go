// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/consensus/wbft/messages"
)

// InterchangeVersion is the version of the JSON form of a log.
const InterchangeVersion = "1"

// Interchange is a vote log in JSON, modeled on EIP-3076: the records of one key on one chain. Numbers are strings, as
// in EIP-3076.
type Interchange struct {
	Metadata Metadata    `json:"metadata"`
	Data     []Signatory `json:"data"` // one
}

// Metadata names the format and the chain of an Interchange.
type Metadata struct {
	Version string      `json:"interchange_format_version"`
	ChainID uint64      `json:"chain_id,string,omitempty"` // absent if the log does not know it
	Genesis common.Hash `json:"genesis_hash"`
}

// Signatory is a key and its records.
type Signatory struct {
	Validator common.Address `json:"validator"`
	Floor     uint64         `json:"lowest_sequence,string"` // low watermark
	// Since is in seconds since 1970. Everything that was signed later is here; 0 means everything.
	Since uint64 `json:"complete_since,string"`
	// Lost reports whether the key has signed something before Since that is not here.
	Lost     bool            `json:"earlier_votes_lost"`
	Messages []SignedMessage `json:"signed_messages"` // by sequence, round and code
	Locks    []SignedLock    `json:"locks"`           // by sequence
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

var messageNames = map[uint64]string{PrePrepare: "PRE-PREPARE", Prepare: "PREPARE", Commit: "COMMIT",
	RoundChange: "ROUND-CHANGE"}

// MessageName returns the name of a message code, or the code in hex.
func MessageName(code uint64) string {
	if name, ok := messageNames[code]; ok {
		return name
	}
	return hexutil.EncodeUint64(code)
}

// codeOf returns the code of a message name; ok is false for an unknown name.
func codeOf(name string) (uint64, bool) {
	for code, n := range messageNames {
		if n == name {
			return code, true
		}
	}
	return 0, false
}

// Export returns the whole log.
func (l *Log) Export() *Interchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Signatory{Validator: l.owner.Validator, Floor: l.floor, Messages: []SignedMessage{}, Locks: []SignedLock{}}
	if l.origin != nil {
		s.Since, s.Lost = l.origin.Since, l.origin.Lost
	}
	for _, r := range slices.SortedFunc(maps.Values(l.records), byView) {
		s.Messages = append(s.Messages, SignedMessage{MessageName(r.Code), r.Sequence, r.Round, r.Digest,
			bytes.Clone(r.Payload)})
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
		return nil, fmt.Errorf("not the JSON form of a vote log: %w", inWords(err))
	}
	switch {
	case decoder.More():
		return nil, errors.New("not the JSON form of a vote log: there is more behind it")
	case x.Metadata.Version != InterchangeVersion:
		return nil, fmt.Errorf("the file has format version %q, this program reads %q", x.Metadata.Version,
			InterchangeVersion)
	case x.Metadata.Genesis == common.Hash{}:
		return nil, errors.New("the file does not name its chain: genesis_hash is missing")
	case len(x.Data) != 1:
		return nil, fmt.Errorf("the file has the votes of %d validators, want one", len(x.Data))
	case x.Data[0].Since > uint64(time.Now().Add(time.Minute).Unix()):
		return nil, fmt.Errorf("complete_since lies in the future: %d", x.Data[0].Since)
	}
	return x, nil
}

// inWords returns a JSON error without the names of Go types.
func inWords(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("its part %q is of the wrong form: %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("a part of it is of the wrong form: %s", wrong.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is empty, or cut short")
	case strings.Contains(err.Error(), "struct tag"): // the library has no type for this error
		return errors.New("a number in it is no string: they are written in quotes")
	}
	return err
}

// UnmarshalJSON implements json.Unmarshaler. It refuses absent and null fields: their zero values would claim that
// nothing was signed or lost. It refuses field names in another case too, since such a field overwrites the true one.
func (s *Signatory) UnmarshalJSON(content []byte) error {
	var present map[string]json.RawMessage
	if err := json.Unmarshal(content, &present); err != nil {
		return err
	}
	names := []string{"validator", "lowest_sequence", "complete_since", "earlier_votes_lost", "signed_messages", "locks"}
	for _, name := range names {
		if value, ok := present[name]; !ok || string(value) == "null" {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for name := range present {
		if !slices.Contains(names, name) {
			return fmt.Errorf("unknown field %.40q", name)
		}
	}
	type plain Signatory
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	return decoder.Decode((*plain)(s))
}

// Owner returns the validator and chain of the records.
func (x *Interchange) Owner() Owner {
	return Owner{Validator: x.Data[0].Validator, Genesis: x.Metadata.Genesis, ChainID: x.Metadata.ChainID}
}

// Verifier has the checks that an import needs.
type Verifier struct {
	// Author recovers the signer of the payload of a record. The error says that payload and record differ.
	Author func(Record) (common.Address, error)
	// Lock verifies the certificate of a lock. proven reports whether the validators of the sequence are known, so that
	// the certificate was checked against them.
	Lock func(Lock) (proven bool, err error)
	// Head is the number of the newest block of the local chain; 0 for none.
	Head uint64
	// Floor is a low watermark that the operator accepts without an explanation; 0 for none.
	Floor uint64
}

var (
	// ErrFloor is returned for an unexplained low watermark, below which the key would sign nothing.
	ErrFloor = errors.New("its lowest_sequence is not explained")

	// ErrUnproven is returned for a lock that would replace another one and cannot be verified.
	ErrUnproven = errors.New("cannot be held against the validators of its block")
)

// content is the verified content of an Interchange.
type content struct {
	records []Record
	locks   []givenLock
	highest uint64 // sequence in which it shows that the key has signed
}

type givenLock struct {
	Lock
	proven bool // its certificate was held against the validators of its sequence
}

// content verifies x: form, bounds, signatures and certificates. A record without payload must be of a round below one
// with its payload, as Compact leaves them. Other records without payload prove nothing and are refused.
func (x *Interchange) content(v *Verifier) (*content, error) {
	s, c := &x.Data[0], new(content)
	shown := make(map[uint64]uint64) // highest round by sequence
	for i, m := range s.Messages {
		code, ok := codeOf(m.Message)
		if !ok {
			return nil, fmt.Errorf("message %d: %q is no message", i, m.Message)
		}
		if len(m.Payload) > messages.MaxStored/2 {
			return nil, fmt.Errorf("message %d has %d bytes, more than %d", i, len(m.Payload), messages.MaxStored/2)
		}
		r := Record{code, m.Sequence, m.Round, m.Digest, m.Payload}
		c.records = append(c.records, r)
		if len(m.Payload) == 0 {
			continue
		}
		address, err := v.Author(r)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if address != s.Validator {
			return nil, fmt.Errorf("message %d: %w: it is signed by %v, and not by %v", i, ErrForeign, address, s.Validator)
		}
		shown[r.Sequence] = max(shown[r.Sequence], r.Round)
		c.highest = max(c.highest, r.Sequence)
	}
	for i, r := range c.records {
		if len(r.Payload) == 0 && r.Round >= shown[r.Sequence] {
			return nil, fmt.Errorf("message %d, of sequence %d and round %d, has no payload, and there is none of a later "+
				"round: nothing shows that the key has signed it", i, r.Sequence, r.Round)
		}
	}
	for i, k := range s.Locks {
		if len(k.Certificate) > messages.MaxStored/2 {
			return nil, fmt.Errorf("lock %d has %d bytes, more than %d", i, len(k.Certificate), messages.MaxStored/2)
		}
		lock := givenLock{Lock: Lock{k.Sequence, k.Round, k.Certificate}}
		var err error
		if lock.proven, err = v.Lock(lock.Lock); err != nil {
			return nil, fmt.Errorf("lock %d, of sequence %d and round %d: %w", i, k.Sequence, k.Round, err)
		}
		if lock.proven {
			c.highest = max(c.highest, k.Sequence)
		}
		c.locks = append(c.locks, lock)
	}
	return c, nil
}

// checkFloor refuses a low watermark that would silence the key: one above the next block of the local chain or,
// without a chain, above the highest sequence that the file proves.
func (x *Interchange) checkFloor(v *Verifier, highest uint64) error {
	switch floor := x.Data[0].Floor; {
	case v.Floor > 0 && floor == v.Floor:
		return nil
	case v.Head > 0 && floor-1 > v.Head:
		return fmt.Errorf("%w: the key would sign nothing before block %d, and the chain here is at block %d", ErrFloor,
			floor, v.Head)
	case v.Head == 0 && floor-1 > highest:
		return fmt.Errorf("%w: the key would sign nothing before block %d, and the last block that the file shows it "+
			"to have signed for is %d", ErrFloor, floor, highest)
	}
	return nil
}

// Merged is the result of an import.
type Merged struct {
	Messages, Locks int // that the log did not have
	// Unproven counts those of the locks whose certificate could not be held against the validators of their block.
	Unproven     int
	Contradicted uint64 // the highest sequence in which the two logs contradict each other; 0 for none
}

// Import merges another log of the same key and chain into this one. The result has the records of both, the higher of
// two locks, and the higher low watermark. Where the logs contradict each other, the low watermark is raised above that
// sequence. The change is durable, and made as a whole or not at all.
//
// The error wraps ErrForeign for the log of another validator or chain, ErrFloor for a low watermark that would silence
// the key, and ErrUnproven for an unverified lock that would replace another one.
func (l *Log) Import(x *Interchange, v Verifier) (done Merged, err error) {
	l.replacing.Lock()
	defer l.replacing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return done, fmt.Errorf("vote log %s: %w", l.path, err)
	}
	owner := x.Owner()
	switch {
	case owner.Validator != l.owner.Validator:
		return done, fmt.Errorf("%w: the file has the votes of %v, the key here is that of %v", ErrForeign, owner.Validator,
			l.owner.Validator)
	case owner.Genesis != l.owner.Genesis:
		return done, fmt.Errorf("%w: the file is of the chain with genesis block %v, not %v", ErrForeign, owner.Genesis,
			l.owner.Genesis)
	case owner.ChainID != 0 && l.owner.ChainID != 0 && owner.ChainID != l.owner.ChainID:
		return done, fmt.Errorf("%w: the file is of chain ID %d, not %d", ErrForeign, owner.ChainID, l.owner.ChainID)
	}
	given, err := x.content(&v)
	if err == nil && x.Data[0].Floor > l.floor {
		err = x.checkFloor(&v, given.highest)
	}
	if err != nil {
		return done, fmt.Errorf("votes to be imported: %w", err)
	}
	next, done, err := l.merge(x, given)
	if err != nil {
		return Merged{}, fmt.Errorf("votes to be imported: %w", err)
	}
	if err := next.rewrite(); err != nil {
		l.file, l.broken, l.marker = next.file, next.broken, next.marker
		return Merged{}, fmt.Errorf("vote log %s: %w", l.path, err)
	}
	l.file, l.marker, l.size, l.limit = next.file, next.marker, next.size, next.limit
	l.owner, l.origin, l.floor, l.records, l.locks = next.owner, next.origin, next.floor, next.records, next.locks
	return done, nil
}

// merge returns a log with the records of both.
func (l *Log) merge(x *Interchange, given *content) (next *Log, done Merged, err error) {
	other := &x.Data[0]
	next = newLog(l.path, l.owner)
	next.disk, next.file, next.marker = l.disk, l.file, l.marker
	next.owner.ChainID = cmp.Or(l.owner.ChainID, x.Metadata.ChainID)
	next.floor = max(l.floor, other.Floor)
	next.records, next.locks = maps.Clone(l.records), maps.Clone(l.locks)
	// Each log may lack votes that the other has, and neither says so: the later Since counts.
	next.origin = &Origin{Since: other.Since, Lost: other.Lost}
	if l.origin != nil {
		next.origin.Since, next.origin.Lost = max(l.origin.Since, other.Since), l.origin.Lost || other.Lost
	}
	for _, r := range given.records {
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
	if done.Contradicted > 0 {
		next.floor = max(next.floor, done.Contradicted+1)
	}
	for _, k := range given.locks {
		old, locked := next.locks[k.Sequence]
		switch {
		case k.Sequence < next.floor, locked && k.Round <= old.Round:
			continue
		case locked && !k.proven:
			return nil, done, fmt.Errorf("the lock of sequence %d, round %d, %w, and the one of round %d that is known "+
				"would give way to it", k.Sequence, k.Round, ErrUnproven, old.Round)
		case !k.proven:
			done.Unproven++
		}
		next.locks[k.Sequence] = k.Lock
		done.Locks++
	}
	maps.DeleteFunc(next.records, func(v view, _ Record) bool { return v.sequence < next.floor })
	maps.DeleteFunc(next.locks, func(sequence uint64, _ Lock) bool { return sequence < next.floor })
	return next, done, nil
}

// Look reads a log without its lock; another process may have the log open. The result is for display, never for
// signing. Import needs Export of an open log, which no process writes to afterwards.
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
