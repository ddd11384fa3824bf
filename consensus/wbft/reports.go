// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
)

const (
	// maxEvidence is how many bytes of a message are written to the log. All but proposals are far smaller.
	maxEvidence = 64 << 10
	// reportsPerMinute bounds what a validator that misbehaves at every opportunity can make this node write.
	reportsPerMinute = 60
)

// reports writes misbehaviour of validators to the log. A validator decides how often it misbehaves and how large its messages
// are, so both are bounded.
type reports struct {
	minute  time.Time // in which
	written int       // so many were written
	omitted int       // and so many were not
}

// write reports one case at a time, and tells whether it was written.
func (r *reports) write(now time.Time, e core.Misbehaviour) bool {
	if now.Sub(r.minute) >= time.Minute {
		if r.omitted > 0 {
			log.Warn("More misbehaviour of validators was not written to the log", "cases", r.omitted)
		}
		*r = reports{minute: now}
	}
	if r.written == reportsPerMinute {
		r.omitted++
		return false
	}
	r.written++
	evidence := make([]string, len(e.Evidence))
	for i, payload := range e.Evidence {
		evidence[i] = describeEvidence(payload)
	}
	log.Warn("Validator misbehaviour", "kind", e.Kind, "signer", e.Signer, "evidence", evidence)
	return true
}

// describeEvidence returns a message as hex, or what identifies it when it is too large for the log.
func describeEvidence(payload []byte) string {
	if len(payload) > maxEvidence {
		return fmt.Sprintf("%d bytes with keccak256 %#x", len(payload), crypto.Keccak256(payload))
	}
	return hexutil.Encode(payload)
}
