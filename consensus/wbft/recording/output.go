// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/core"
)

// Output is an effect, or another answer of the core, in the form of a record. Large parts are digests.
type Output struct {
	Kind            string
	Code            uint64           `rlp:"optional"` // of a message; the kind of a timer
	Sequence, Round uint64           `rlp:"optional"`
	Digest          [16]byte         `rlp:"optional"` // of all bytes that are not listed
	Hash            common.Hash      `rlp:"optional"` // of a block
	To              []common.Address `rlp:"optional"`
	Number          uint64           `rlp:"optional"` // of a timer; its delay is in Delay
	Delay           uint64           `rlp:"optional"`
	Flag            uint64           `rlp:"optional"`
	Text            string           `rlp:"optional"`
}

func (o Output) String() string {
	var b strings.Builder
	b.WriteString(o.Kind)
	add := func(name string, value any, set bool) {
		if set {
			fmt.Fprintf(&b, " %s=%v", name, value)
		}
	}
	add("code", fmt.Sprintf("%#x", o.Code), o.Code != 0)
	add("sequence", o.Sequence, o.Sequence != 0)
	add("round", o.Round, o.Round != 0)
	add("digest", fmt.Sprintf("%x", o.Digest), o.Digest != [16]byte{})
	add("block", o.Hash, o.Hash != common.Hash{})
	add("to", o.To, len(o.To) > 0)
	add("number", o.Number, o.Number != 0)
	add("delay", o.Delay, o.Delay != 0)
	add("flag", o.Flag, o.Flag != 0)
	add("text", fmt.Sprintf("%q", o.Text), o.Text != "")
	return b.String()
}

// outputsOf returns the outputs of a call. Notes are none.
func outputsOf(c *Call) ([]Output, error) {
	var list []Output
	for _, e := range c.Effects {
		o, err := outputOf(e)
		if err != nil {
			return nil, err
		}
		if o.Kind != "" {
			list = append(list, o)
		}
	}
	for _, r := range c.Relays {
		o, err := outputOf(r)
		if err != nil {
			return nil, err
		}
		o.Kind = "still needed"
		list = append(list, o)
	}
	if _, ok := c.Input.(LateSeals); ok {
		o := Output{Kind: "late seals", Round: uint64(c.Late.Round), Hash: c.Late.Digest}
		var parts [][]byte
		for _, seal := range []*types.WBFTSeal{c.Late.Prepared, c.Late.Committed} {
			if seal != nil {
				parts = append(parts, seal.Sealers, seal.Signature)
			}
			parts = append(parts, nil)
		}
		o.Digest = digest(parts...)
		list = append(list, o)
	}
	return list, nil
}

// digest returns a digest of byte strings and their lengths.
func digest(parts ...[]byte) (d [16]byte) {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	copy(d[:], h.Sum(nil))
	return d
}

// cut bounds a text of a record.
func cut(text string) string { return text[:min(len(text), 512)] }

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// outputOf returns the output of an effect, the zero Output for a note.
func outputOf(e core.Effect) (Output, error) {
	switch e := e.(type) {
	case core.Note:
		return Output{}, nil
	case core.Persist:
		return Output{
			Kind: "persist", Code: e.Code, Sequence: e.Sequence, Round: e.Round, Hash: e.Digest, Digest: digest(e.Payload),
		}, nil
	case core.PersistLock:
		return Output{Kind: "persist lock", Sequence: e.Sequence, Round: e.Round, Digest: digest(e.Certificate)}, nil
	case core.Send:
		return Output{Kind: "send", Code: e.Code, To: e.To, Flag: flag(e.Force), Digest: digest(e.Payload)}, nil
	case core.Relay:
		return relayed(e), nil
	case core.SetTimer:
		return Output{Kind: "timer", Code: uint64(e.Kind), Number: e.ID, Delay: uint64(e.Delay)}, nil
	case core.Execute:
		return Output{Kind: "execute", Hash: e.Block.Hash()}, nil
	case core.Cancel:
		return Output{Kind: "cancel", Hash: e.Hash}, nil
	case core.Commit:
		header, err := rlp.EncodeToBytes(e.Block.Header())
		if err != nil {
			return Output{}, fmt.Errorf("encode header %s: %w", e.Block.Hash(), err)
		}
		return Output{Kind: "commit", Round: e.Round, Hash: e.Block.Hash(), Digest: digest(header), To: e.Holders}, nil
	case core.Build:
		return Output{Kind: "build", Sequence: e.Sequence, Round: e.Round, Flag: flag(e.Proposer)}, nil
	case core.Misbehavior:
		return Output{
			Kind: "misbehavior", To: []common.Address{e.Author}, Text: string(e.Kind), Digest: digest(e.Evidence...),
		}, nil
	case core.ForgottenCommit:
		return Output{Kind: "forgotten commit", To: []common.Address{e.Author}, Digest: digest(e.Evidence...)}, nil
	}
	return reportOf(e)
}

// reportOf is outputOf for the effects that only report.
func reportOf(e core.Effect) (Output, error) {
	switch e := e.(type) {
	case core.StopSigning:
		return Output{Kind: "stop signing", Text: cut(e.Reason), Digest: digest(e.Evidence...)}, nil
	case core.Probation:
		return Output{Kind: "probation", To: []common.Address{e.Validator}, Sequence: e.Until}, nil
	case core.PresenceChange:
		return Output{
			Kind: "presence", To: []common.Address{e.Validator}, Sequence: e.LastHeard, Flag: flag(e.Unresponsive),
		}, nil
	case core.BadDelivery:
		return Output{Kind: "bad delivery", To: []common.Address{e.From}, Text: cut(e.Reason)}, nil
	case core.Dropped:
		return Output{Kind: "dropped", Text: cut(string(e.Cause) + ": " + e.Reason)}, nil
	case core.Disconnect:
		return Output{Kind: "disconnect", To: []common.Address{e.Peer}, Text: cut(e.Reason)}, nil
	case core.Failed:
		return Output{Kind: "failed", Text: cut(e.Err.Error())}, nil
	}
	return Output{}, fmt.Errorf("effect %T has no form in a recording", e)
}

// relayed returns the output of a relay. The payload of an offered one is not made yet.
func relayed(r core.Relay) Output {
	o := Output{Kind: "relay", Code: r.Code, Sequence: r.View.Sequence, Round: r.View.Round, To: r.To}
	if r.To == nil {
		o.Kind, o.To = "relay later", []common.Address{r.Author}
	}
	if r.Payload != nil {
		o.Digest = digest(r.Payload)
	}
	return o
}
