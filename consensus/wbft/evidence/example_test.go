// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence_test

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// Two PREPAREs of one view for different blocks have an innocent explanation: a restart without a vote log.
//
// spec: wbft 9.1 no. 6
func ExampleJudge() {
	key, err := crypto.GenerateKey()
	if err != nil {
		fmt.Println(err)
		return
	}
	var payloads [2][]byte
	for i := range payloads {
		vote := &messages.Prepare{Sequence: 7, Digest: common.Hash{byte(i)}, Seal: make([]byte, 96)}
		vote.Seal[0] = byte(i)
		if err := messages.Sign(vote, key); err != nil {
			fmt.Println(err)
			return
		}
		payloads[i] = vote.Encode()
	}
	genesis := common.Hash{1}
	pair, err := evidence.New(evidence.TwoPrepares, genesis, payloads[0], payloads[1], nil, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	set := validators.NewSet([]validators.Validator{{Address: crypto.PubkeyToAddress(key.PublicKey)}})
	fmt.Println(evidence.Judge(pair, evidence.Court{Set: set, Genesis: genesis}).Label)
	fmt.Println(evidence.Judge(pair, evidence.Court{Set: set, Genesis: common.Hash{2}}).Label)
	// Output:
	// explainable
	// refused
}
