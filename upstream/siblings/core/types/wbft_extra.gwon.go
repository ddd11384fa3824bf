// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"
)

// WBFTExtra is the content of a WBFT header's extra data: an RLP list of exactly ten items (spec wbft 1.2).
type WBFTExtra struct {
	Vanity            []byte     // client text; producers pad it with zero bytes to 32, and no rule checks it
	RandaoReveal      []byte     // secp256k1 signature of 65 bytes; empty in genesis
	PrevRound         uint32     // round in which the two seals over the parent were made
	PrevPreparedSeal  *WBFTSeal  // PREPARE seals over the parent; nil in genesis and block 1
	PrevCommittedSeal *WBFTSeal  // COMMIT seals over the parent; nil in genesis and block 1
	Round             uint32     // round in which this block was sealed; outside the block hash
	PreparedSeal      *WBFTSeal  // PREPARE seals over this block; outside the block hash
	CommittedSeal     *WBFTSeal  // COMMIT seals over this block; outside the block hash
	GasTip            *big.Int   // governed gas tip in wei, not negative; nil encodes as 0 and decodes as 0
	EpochInfo         *EpochInfo // validators of the next epoch; nil outside epoch blocks
}

// WBFTSeal is an aggregated BLS seal (spec wbft 2.5). On the wire a seal of two empty strings is not nil, but verifies
// like nil.
type WBFTSeal struct {
	Sealers   []byte // bitmap of validator indices, least significant bit first
	Signature []byte // compressed G2 point, 96 bytes
}

// EpochInfo is the validator selection that an epoch block carries (spec wbft 1.2, 3.5).
type EpochInfo struct {
	Candidates    []EpochCandidate
	Validators    []uint32 // indices into Candidates, in validator order
	BLSPublicKeys [][]byte // compressed G1 points of 48 bytes; item i belongs to Validators[i]
}

// EpochCandidate is a registered validator with its diligence (in millionths, spec wbft 3.5).
type EpochCandidate struct {
	Address   common.Address
	Diligence uint64
}

var (
	errWBFTItemCount = errors.New("surplus item in list")
	errWBFTUint32    = errors.New("integer above 32 bits")
	errWBFTLeadZero  = errors.New("integer with a leading zero byte")
	errWBFTAddress   = errors.New("address is not of 20 bytes")
)

// DecodeWBFTExtra decodes the extra data of a header. It is as strict as the network: a wrong kind of item, a missing
// or surplus item, an integer that is not minimal or overflows and bytes behind the list are errors. Lengths of
// signatures and keys, and indices, are not checked: the block hash depends on what decodes (spec wbft 1.2, 1.4). The
// result shares no memory with extra.
func DecodeWBFTExtra(extra []byte) (*WBFTExtra, error) {
	l, err := parseWBFTExtra(extra)
	if err != nil {
		return nil, err
	}
	return &WBFTExtra{
		Vanity:            bytes.Clone(l.vanity),
		RandaoReveal:      bytes.Clone(l.randaoReveal),
		PrevRound:         l.prevRound,
		PrevPreparedSeal:  l.prevPrepared.seal(),
		PrevCommittedSeal: l.prevCommitted.seal(),
		Round:             l.round,
		PreparedSeal:      l.prepared.seal(),
		CommittedSeal:     l.committed.seal(),
		GasTip:            new(big.Int).SetBytes(l.gasTip),
		EpochInfo:         l.epoch.epochInfo(),
	}, nil
}

// GasTipSlot is the storage slot of the governed tip in GovValidator (spec system-contracts 3.1).
var GasTipSlot = common.BigToHash(big.NewInt(0x39))

// WBFTGasTip returns the governed gas tip in wei that extra carries (item 8) without decoding the rest into structures.
// It fails exactly when DecodeWBFTExtra does.
func WBFTGasTip(extra []byte) (*big.Int, error) {
	l, err := parseWBFTExtra(extra)
	if err != nil {
		return nil, err
	}
	return new(big.Int).SetBytes(l.gasTip), nil
}

// WBFTExtra decodes the extra data of the header.
func (h *Header) WBFTExtra() (*WBFTExtra, error) {
	return DecodeWBFTExtra(h.Extra)
}

// Encode returns the extra data for a header.
func (x *WBFTExtra) Encode() []byte {
	w := rlp.NewEncoderBuffer(nil)
	list := w.List()
	w.WriteBytes(x.Vanity)
	w.WriteBytes(x.RandaoReveal)
	w.WriteUint64(uint64(x.PrevRound))
	x.PrevPreparedSeal.write(&w)
	x.PrevCommittedSeal.write(&w)
	w.WriteUint64(uint64(x.Round))
	x.PreparedSeal.write(&w)
	x.CommittedSeal.write(&w)
	if x.GasTip == nil {
		w.WriteUint64(0)
	} else {
		w.WriteBigInt(x.GasTip)
	}
	x.EpochInfo.write(&w)
	w.ListEnd(list)
	return w.ToBytes()
}

// Copy returns a deep copy, nil for nil.
func (x *WBFTExtra) Copy() *WBFTExtra {
	if x == nil {
		return nil
	}
	c := *x
	c.Vanity = bytes.Clone(x.Vanity)
	c.RandaoReveal = bytes.Clone(x.RandaoReveal)
	c.PrevPreparedSeal = x.PrevPreparedSeal.Copy()
	c.PrevCommittedSeal = x.PrevCommittedSeal.Copy()
	c.PreparedSeal = x.PreparedSeal.Copy()
	c.CommittedSeal = x.CommittedSeal.Copy()
	if x.GasTip != nil {
		c.GasTip = new(big.Int).Set(x.GasTip)
	}
	c.EpochInfo = x.EpochInfo.Copy()
	return &c
}

// Copy returns a deep copy, nil for nil.
func (s *WBFTSeal) Copy() *WBFTSeal {
	if s == nil {
		return nil
	}
	return &WBFTSeal{Sealers: bytes.Clone(s.Sealers), Signature: bytes.Clone(s.Signature)}
}

// Copy returns a deep copy, nil for nil.
func (e *EpochInfo) Copy() *EpochInfo {
	if e == nil {
		return nil
	}
	c := &EpochInfo{
		Candidates:    slices.Clone(e.Candidates),
		Validators:    slices.Clone(e.Validators),
		BLSPublicKeys: slices.Clone(e.BLSPublicKeys),
	}
	for i, key := range c.BLSPublicKeys {
		c.BLSPublicKeys[i] = bytes.Clone(key)
	}
	return c
}

func (s *WBFTSeal) write(w *rlp.EncoderBuffer) {
	list := w.List()
	if s != nil {
		w.WriteBytes(s.Sealers)
		w.WriteBytes(s.Signature)
	}
	w.ListEnd(list)
}

func (e *EpochInfo) write(w *rlp.EncoderBuffer) {
	list := w.List()
	if e != nil {
		candidates := w.List()
		for i := range e.Candidates {
			c := w.List()
			w.WriteBytes(e.Candidates[i].Address[:])
			w.WriteUint64(e.Candidates[i].Diligence)
			w.ListEnd(c)
		}
		w.ListEnd(candidates)
		validators := w.List()
		for _, v := range e.Validators {
			w.WriteUint64(uint64(v))
		}
		w.ListEnd(validators)
		keys := w.List()
		for _, key := range e.BLSPublicKeys {
			w.WriteBytes(key)
		}
		w.ListEnd(keys)
	}
	w.ListEnd(list)
}

// wbftLayout is a checked view into encoded extra data. All slices point into it.
type wbftLayout struct {
	vanity, randaoReveal        []byte
	prevRound, round            uint32
	prevPrepared, prevCommitted wbftSealView
	prepared, committed         wbftSealView
	gasTip                      []byte // big-endian, minimal
	epoch                       wbftEpochView

	head []byte // items 0 to 4 as encoded
	tail []byte // items 8 and 9 as encoded
}

type wbftSealView struct {
	sealers, signature []byte
	present            bool
}

type wbftEpochView struct {
	candidates, validators, keys []byte // contents of the three lists
	present                      bool
}

// wbftCursor reads RLP items from the front of a byte string and stops at the first error.
type wbftCursor struct {
	rest []byte
	err  error
}

// parseWBFTExtra checks the whole of extra and allocates nothing when it is right.
func parseWBFTExtra(extra []byte) (l wbftLayout, err error) {
	content, rest, err := rlp.SplitList(extra)
	if err != nil {
		return l, fmt.Errorf("invalid WBFT extra data: %w", err)
	}
	if len(rest) != 0 {
		return l, fmt.Errorf("invalid WBFT extra data: %d bytes behind the list", len(rest))
	}
	c := wbftCursor{rest: content}
	l.vanity = c.bytes()
	l.randaoReveal = c.bytes()
	l.prevRound = c.uint32()
	l.prevPrepared = c.seal()
	l.prevCommitted = c.seal()
	l.head = content[:len(content)-len(c.rest)]
	l.round = c.uint32()
	l.prepared = c.seal()
	l.committed = c.seal()
	l.tail = c.rest
	l.gasTip = c.bigInt()
	l.epoch = c.epochInfo()
	if err := c.end(); err != nil {
		return wbftLayout{}, fmt.Errorf("invalid WBFT extra data: %w", err)
	}
	return l, nil
}

// sealed reports whether one of the items outside the block hash is set.
func (l *wbftLayout) sealed() bool {
	return l.round != 0 || l.prepared.present || l.committed.present
}

// appendUnsealed appends to b the extra data with the given round and without the seals over this block. The other
// items keep their bytes: the decoder accepts exactly one encoding of each value, so cutting equals encoding again.
func (l *wbftLayout) appendUnsealed(b []byte, round uint32) []byte {
	const emptyList = 0xc0
	b = appendListHeader(b, len(l.head)+rlp.IntSize(uint64(round))+2+len(l.tail))
	b = append(b, l.head...)
	b = rlp.AppendUint64(b, uint64(round))
	b = append(b, emptyList, emptyList)
	return append(b, l.tail...)
}

// appendListHeader appends the RLP header of a list with size bytes of content.
func appendListHeader(b []byte, size int) []byte {
	if size <= 55 {
		return append(b, 0xc0+byte(size))
	}
	at := len(b)
	b = append(b, 0)
	for shift := 56; shift >= 0; shift -= 8 {
		if digit := byte(uint64(size) >> shift); digit != 0 || len(b) > at+1 {
			b = append(b, digit)
		}
	}
	b[at] = 0xf7 + byte(len(b)-at-1)
	return b
}

func (c *wbftCursor) bytes() (content []byte) {
	if c.err == nil {
		content, c.rest, c.err = rlp.SplitString(c.rest)
	}
	return content
}

func (c *wbftCursor) list() (content []byte) {
	if c.err == nil {
		content, c.rest, c.err = rlp.SplitList(c.rest)
	}
	return content
}

func (c *wbftCursor) uint64() (v uint64) {
	if c.err == nil {
		v, c.rest, c.err = rlp.SplitUint64(c.rest)
	}
	return v
}

func (c *wbftCursor) uint32() uint32 {
	v := c.uint64()
	if c.err == nil && v > math.MaxUint32 {
		c.err = errWBFTUint32
	}
	return uint32(v)
}

func (c *wbftCursor) bigInt() []byte {
	b := c.bytes()
	if c.err == nil && len(b) > 0 && b[0] == 0 {
		c.err = errWBFTLeadZero
	}
	return b
}

// end returns the first error, or an error when bytes are left.
func (c *wbftCursor) end() error {
	switch {
	case errors.Is(c.err, io.ErrUnexpectedEOF):
		return errors.New("too few items in list")
	case c.err != nil:
		return c.err
	case len(c.rest) != 0:
		return errWBFTItemCount
	}
	return nil
}

// enter goes into a nested list. The error of c is read after the list, which may set it.
func (c *wbftCursor) enter() wbftCursor {
	content := c.list()
	return wbftCursor{rest: content, err: c.err}
}

// leave takes over the result of a nested list, which must be used up.
func (c *wbftCursor) leave(inner *wbftCursor) {
	if c.err == nil {
		c.err = inner.end()
	}
}

func (c *wbftCursor) seal() (s wbftSealView) {
	in := c.enter()
	if in.err != nil || len(in.rest) == 0 {
		return s
	}
	s.sealers, s.signature, s.present = in.bytes(), in.bytes(), true
	c.leave(&in)
	return s
}

func (c *wbftCursor) candidate() (address []byte, diligence uint64) {
	in := c.enter()
	address, diligence = in.bytes(), in.uint64()
	if in.err == nil && len(address) != common.AddressLength {
		in.err = errWBFTAddress
	}
	c.leave(&in)
	return address, diligence
}

func (c *wbftCursor) epochInfo() (e wbftEpochView) {
	in := c.enter()
	if in.err != nil || len(in.rest) == 0 {
		return e
	}
	e.candidates, e.validators, e.keys, e.present = in.list(), in.list(), in.list(), true
	for items := (wbftCursor{rest: e.candidates}); in.err == nil && len(items.rest) > 0; in.err = items.err {
		items.candidate()
	}
	for items := (wbftCursor{rest: e.validators}); in.err == nil && len(items.rest) > 0; in.err = items.err {
		items.uint32()
	}
	for items := (wbftCursor{rest: e.keys}); in.err == nil && len(items.rest) > 0; in.err = items.err {
		items.bytes()
	}
	c.leave(&in)
	return e
}

func (s wbftSealView) seal() *WBFTSeal {
	if !s.present {
		return nil
	}
	return &WBFTSeal{Sealers: bytes.Clone(s.sealers), Signature: bytes.Clone(s.signature)}
}

// epochInfo copies what the view shows; parseWBFTExtra has checked every item.
func (v wbftEpochView) epochInfo() *EpochInfo {
	if !v.present {
		return nil
	}
	e := new(EpochInfo)
	for items := (wbftCursor{rest: v.candidates}); len(items.rest) > 0; {
		address, diligence := items.candidate()
		e.Candidates = append(e.Candidates, EpochCandidate{common.BytesToAddress(address), diligence})
	}
	for items := (wbftCursor{rest: v.validators}); len(items.rest) > 0; {
		e.Validators = append(e.Validators, items.uint32())
	}
	for items := (wbftCursor{rest: v.keys}); len(items.rest) > 0; {
		e.BLSPublicKeys = append(e.BLSPublicKeys, bytes.Clone(items.bytes()))
	}
	return e
}
