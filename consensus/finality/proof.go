// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package finality

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

// Bounds of a proof. Decode and Verify refuse what exceeds them, Build does not make it.
const (
	// Version is the version of the format.
	Version = 1
	// MaxBytes bounds an encoded proof.
	MaxBytes = 64 << 20
	// MaxEpochs bounds the epoch headers of a proof: one for each change of the validators.
	MaxEpochs = 1024
	// MaxOrigin bounds the headers from the epoch block up to the trusted block.
	MaxOrigin = 4096
)

// Proof shows that Block is final, to those who trust the last header of Origin.
type Proof struct {
	Version int `json:"version"`

	// Origin are consecutive headers: from the epoch block that appoints the validators after the trusted block, up to
	// the trusted block. A trusted epoch block is alone. Their hashes prove them; their seals are not looked at.
	Origin []*types.Header `json:"origin"`

	// Epochs are epoch blocks in ascending order. Each is sealed by the validators that the one before it appoints.
	Epochs []Sealed `json:"epochs"`

	// Block is the block in question, sealed by the validators that the last epoch block appoints.
	Block Sealed `json:"block"`

	// Receipt is a transaction of the parent of Block with its receipt, nil for a proof of the block alone.
	Receipt *Inclusion `json:"receipt,omitempty"`
}

// Sealed is a header with the seals of a quorum.
type Sealed struct {
	Header *types.Header `json:"header"`

	// Validators are the validators in charge of the header, in the order of their indices in the seals.
	Validators []common.Address `json:"validators"`
}

// Decode reads a proof from JSON: the proof itself, or an answer of istanbul_getFinalityProof or
// istanbul_getReceiptProof with its envelope. The error wraps ErrMalformed or ErrSize, or is that of r.
func Decode(r io.Reader) (*Proof, error) {
	content, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the proof: %w", err)
	}
	if len(content) > MaxBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrSize, MaxBytes)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrMalformed, inWords(content, err))
	}
	if answer.Error != nil {
		return nil, fmt.Errorf("%w: the file holds an error of the node: %.200q", ErrMalformed, answer.Error.Message)
	}
	if answer.Result != nil {
		content = answer.Result
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var p *Proof
	if err := decoder.Decode(&p); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrMalformed, inWords(content, err))
	}
	if decoder.More() {
		return nil, fmt.Errorf("%w: something follows the proof", ErrMalformed)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, nil
}

// inWords describes an error of package json without the names of Go types, and says what to give.
func inWords(content []byte, err error) string {
	const cure = "save what istanbul_getFinalityProof or istanbul_getReceiptProof answers, and nothing else"
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(content[:min(int(syntax.Offset), len(content))], []byte("\n"))
		return fmt.Sprintf("line %d is no JSON (%v): %s", line, syntax, cure)
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Sprintf("the field %q is of the wrong form (%s): %s", wrong.Field, wrong.Value, cure)
	case errors.As(err, &wrong):
		return fmt.Sprintf("it is of the wrong form (%s): %s", wrong.Value, cure)
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "json: "), " for ") // a type follows
	return fmt.Sprintf("%s: %s", text, cure)
}

// check refuses a proof of another version, one that exceeds the bounds, and one that lacks a header or its number.
func (p *Proof) check() error {
	switch {
	case p == nil:
		return fmt.Errorf("%w: there is none", ErrMalformed)
	case p.Version != Version:
		return fmt.Errorf("%w: version %d, want %d", ErrMalformed, p.Version, Version)
	case len(p.Origin) == 0:
		return fmt.Errorf("%w: origin is empty", ErrMalformed)
	case len(p.Origin) > MaxOrigin:
		return fmt.Errorf("%w: origin has %d headers, at most %d are allowed", ErrSize, len(p.Origin), MaxOrigin)
	case len(p.Epochs) > MaxEpochs:
		return fmt.Errorf("%w: %d epoch headers, at most %d are allowed", ErrSize, len(p.Epochs), MaxEpochs)
	}
	for _, h := range p.Origin {
		if err := checkHeader(h); err != nil {
			return err
		}
	}
	for _, s := range append(p.Epochs[:len(p.Epochs):len(p.Epochs)], p.Block) {
		if err := checkHeader(s.Header); err != nil {
			return err
		}
		if n := len(s.Validators); n > validators.MaxSize {
			return fmt.Errorf("%w: block %d has %d validators, at most %d are allowed", ErrSize, s.Header.Number, n,
				validators.MaxSize)
		}
	}
	if p.Receipt != nil {
		return p.Receipt.check()
	}
	return nil
}

func checkHeader(h *types.Header) error {
	switch {
	case h == nil:
		return fmt.Errorf("%w: a header is missing", ErrMalformed)
	case h.Number == nil || !h.Number.IsUint64():
		return fmt.Errorf("%w: a header has no usable number", ErrMalformed)
	}
	return nil
}
