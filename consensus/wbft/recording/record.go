// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// A segment is the magic, then frames: length (4) | CRC-32C of the body (4) | body. The first body is a header, each
// other one a record. Both are RLP. Numbers of a frame are big endian.
const (
	magicPrefix = "gwonrec"
	magic       = magicPrefix + "1" // the last byte is the version of the format

	frameHead = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendFrame appends a frame to b.
func appendFrame(b, body []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(body, castagnoli))
	return append(b, body...)
}

// Header begins a segment.
type Header struct {
	Build      string // that wrote it
	Genesis    common.Hash
	ChainID    uint64
	Validator  common.Address
	MaxTimeout uint64 // core.Config.DefaultMaxTimeout in ns
	Limit      uint64 // messages.Limit in bytes
	Run        uint64 // when the core started, in ns since 1970
	Number     uint64 // of the segment in the run, from 0
	Since      uint64 // of the state, as in a record
	State      core.StartState
	Strict     bool `rlp:"optional"` // core.Config.Strict
}

// Kinds of records.
const (
	kindHead uint64 = iota + 1
	kindMessage
	kindTimeout
	kindCandidate
	kindValidated
	kindConnected
	kindLost
	kindVotesLost
	kindLateSeals
	kindStillNeeded
	kindCommitted
	kindEnd
	kindUnopened
)

// record is the form of a call.
type record struct {
	Kind       uint64
	Since      uint64 // Call.Since in ns
	Wall       uint64 // Call.At in ns since 1970
	Input      rlp.RawValue
	Signatures []Signature
	Outputs    []Output
}

// The forms of inputs that are not RLP by themselves.
type (
	headForm struct {
		Header *types.Header
		Set    []core.Member // none: that of the head before
		Params [4]uint64     // period, timeout, its cap, policy
	}
	unopenedForm struct {
		Code, Size uint64
		From       common.Address
	}
	candidateForm struct {
		Block *types.Block
		Round uint64
	}
	validatedForm struct {
		Hash            common.Hash
		Failed          bool
		Err             string
		Executed, Local bool
		RetryAfter      uint64
	}
	committedForm struct {
		Number uint64
		Hash   common.Hash
		OK     bool
		Took   uint64
	}
)

// encoder makes records of calls. It remembers the last set.
type encoder struct{ set *validators.Set }

// encode returns the body of the frame of a call.
func (enc *encoder) encode(c *Call) ([]byte, error) {
	kind, input, err := enc.form(c.Input)
	if err != nil {
		return nil, err
	}
	if m, ok := c.Input.(core.Message); ok && isUnopened(c.Effects) {
		kind, input = kindUnopened, &unopenedForm{m.Code, uint64(len(m.Payload)), m.From}
	}
	r := record{Kind: kind, Since: uint64(c.Since), Wall: uint64(c.At.UnixNano()), Signatures: c.Signatures}
	if r.Input, err = rlp.EncodeToBytes(input); err != nil {
		return nil, fmt.Errorf("encode an input of kind %d: %w", kind, err)
	}
	if r.Outputs, err = outputsOf(c); err != nil {
		return nil, err
	}
	body, err := rlp.EncodeToBytes(&r)
	if err != nil {
		return nil, fmt.Errorf("encode a record of kind %d: %w", kind, err)
	}
	if len(body) > messages.MaxStored {
		return nil, fmt.Errorf("record of kind %d has %d bytes, more than %d", kind, len(body), messages.MaxStored)
	}
	return body, nil
}

// isUnopened reports whether the core has not looked at the payload of a message. Such payloads are left out, so that a
// flood of large messages does not displace what they follow.
func isUnopened(effects []core.Effect) bool {
	return slices.ContainsFunc(effects, func(e core.Effect) bool {
		dropped, ok := e.(core.Dropped)
		return ok && dropped.Unopened
	})
}

// form returns the kind and the form of an input.
func (enc *encoder) form(input any) (kind uint64, form any, err error) {
	switch in := input.(type) {
	case core.NewHead:
		p := in.Params
		f := headForm{Header: in.Header, Params: [4]uint64{
			uint64(p.BlockPeriod), uint64(p.RequestTimeout), uint64(p.MaxRequestTimeout), p.Policy,
		}}
		if enc.set != in.Set {
			f.Set, enc.set = core.MembersOf(in.Set), in.Set
		}
		return kindHead, &f, nil
	case core.Message:
		return kindMessage, &in, nil
	case core.Timeout:
		return kindTimeout, &in, nil
	case core.Candidate:
		return kindCandidate, &candidateForm{in.Block, in.Round}, nil
	case core.Validated:
		f := validatedForm{
			Hash: in.Hash, Failed: in.Err != nil, Executed: in.Executed, Local: in.Local,
			RetryAfter: uint64(max(in.RetryAfter, 0)),
		}
		if in.Err != nil {
			f.Err = in.Err.Error()
		}
		return kindValidated, &f, nil
	case core.PeerConnected:
		return kindConnected, &in, nil
	case core.PeerLost:
		return kindLost, &in, nil
	case VotesLost:
		return kindVotesLost, &in, nil
	case LateSeals:
		return kindLateSeals, &in, nil
	case StillNeeded:
		return kindStillNeeded, &in, nil
	case Committed:
		return kindCommitted, &committedForm{in.Number, in.Hash, in.OK, uint64(max(in.Took, 0))}, nil
	case End:
		return kindEnd, &in, nil
	}
	return 0, nil, fmt.Errorf("input %T has no form in a recording", input)
}

// decoder makes inputs of records.
type decoder struct{ set *validators.Set }

// decode returns the input of a record.
func (dec *decoder) decode(r *record) (any, error) {
	switch r.Kind {
	case kindHead:
		return dec.head(r.Input)
	case kindMessage:
		return decodeAs[core.Message](r.Input)
	case kindTimeout:
		return decodeAs[core.Timeout](r.Input)
	case kindCandidate:
		f, err := decodeAs[candidateForm](r.Input)
		return core.Candidate{Block: f.Block, Round: f.Round}, err
	case kindValidated:
		f, err := decodeAs[validatedForm](r.Input)
		v := core.Validated{
			Hash: f.Hash, Executed: f.Executed, Local: f.Local, RetryAfter: time.Duration(f.RetryAfter),
		}
		if f.Failed {
			v.Err = errors.New(f.Err)
		}
		return v, err
	case kindConnected:
		return decodeAs[core.PeerConnected](r.Input)
	case kindLost:
		return decodeAs[core.PeerLost](r.Input)
	case kindVotesLost:
		return decodeAs[VotesLost](r.Input)
	case kindLateSeals:
		return LateSeals{}, nil
	case kindStillNeeded:
		return decodeAs[StillNeeded](r.Input)
	case kindCommitted:
		f, err := decodeAs[committedForm](r.Input)
		return Committed{f.Number, f.Hash, f.OK, time.Duration(f.Took)}, err
	case kindEnd:
		return End{}, nil
	case kindUnopened:
		f, err := decodeAs[unopenedForm](r.Input)
		if err == nil && f.Size > uint64(messages.Limit()) {
			err = fmt.Errorf("a message of %d bytes, more than %d", f.Size, messages.Limit())
		}
		if err != nil {
			return nil, err
		}
		return core.Message{Code: f.Code, Payload: make([]byte, f.Size), From: f.From}, nil
	}
	return nil, fmt.Errorf("a record of kind %d, which this program does not know", r.Kind)
}

func decodeAs[T any](raw []byte) (value T, err error) {
	err = rlp.DecodeBytes(raw, &value)
	return value, err
}

// head decodes a new head.
func (dec *decoder) head(raw []byte) (any, error) {
	f, err := decodeAs[headForm](raw)
	if err != nil {
		return nil, err
	}
	if len(f.Set) > 0 {
		if dec.set, err = setOf(f.Set); err != nil {
			return nil, err
		}
	}
	params := core.Params{
		BlockPeriod: time.Duration(f.Params[0]), RequestTimeout: time.Duration(f.Params[1]),
		MaxRequestTimeout: time.Duration(f.Params[2]), Policy: f.Params[3],
	}
	switch {
	case dec.set == nil:
		return nil, errors.New("a head without validators")
	case f.Header == nil || f.Header.Number == nil || !f.Header.Number.IsUint64():
		return nil, errors.New("a head without number")
	case params.RequestTimeout <= 0:
		return nil, errors.New("a head without timeout")
	}
	return core.NewHead{Head: core.Head{Header: f.Header, Set: dec.set, Params: params}}, nil
}

// setOf returns the set of a list.
func setOf(list []core.Member) (*validators.Set, error) {
	if n := len(list); n == 0 || n > validators.MaxSize {
		return nil, fmt.Errorf("a set of %d validators, want 1 to %d", n, validators.MaxSize)
	}
	members := make([]validators.Validator, len(list))
	for i, m := range list {
		key, err := bls.ParsePublicKey(m.Key)
		if err != nil {
			return nil, fmt.Errorf("validator %v: %w", m.Address, err)
		}
		members[i] = validators.Validator{Address: m.Address, Key: key, Diligence: m.Diligence}
	}
	return validators.NewSet(members), nil
}
