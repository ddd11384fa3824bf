// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"bytes"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// istanbulOffset is where the sub-protocol starts in the recorded sessions.
const istanbulOffset = 0x21

type recorded struct {
	Variant string
	Code    hexutil.Uint64
	Payload hexutil.Bytes
	Decoded struct {
		Sequence, Round uint64
		Signer          common.Address
		Known           common.Hash `json:"knownMessageHash"`
	}
}

// Every message that go-stablenet sent decodes, is signed by whom the recording says, and encodes to the bytes that
// were on the wire. TestMessageVectors compares all parts.
func TestRecordedMessages(t *testing.T) {
	for _, file := range []string{"prepare", "commit", "preprepare", "roundchange"} {
		var list []recorded
		vectors.Load(t, "istanbul-"+file+".json", &list)
		must.That(t, len(list) != 0, "%s: no vectors", file)
		for _, r := range list {
			t.Run(r.Variant, func(t *testing.T) {
				m := must.Get(Decode(uint64(r.Code)-istanbulOffset, r.Payload))(t)
				expect.Slice(t, m.Encode(), r.Payload, "encoded")
				if p, ok := m.(*PrePrepare); ok && !bytes.Equal(encode(p.Block), p.EncodedBlock()) {
					t.Errorf("the block is encoded as %x, want %x", encode(p.Block), p.EncodedBlock())
				}
				expect.Equal(t, KnownHash(r.Payload), r.Decoded.Known, "known hash")
				expect.That(t, m.View() == (View{r.Decoded.Sequence, r.Decoded.Round}),
					"view %v, want %d, %d", m.View(), r.Decoded.Sequence, r.Decoded.Round)
				signer, err := m.Signer()
				expect.That(t, err == nil && signer == r.Decoded.Signer, "signer %v, %v, want %v", signer, err, r.Decoded.Signer)
			})
		}
	}
}
