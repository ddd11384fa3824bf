// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

const usage = `usage: conformance adapter
       conformance run [-v] DIR

adapter answers the cases of a runner on standard input. run hands the vectors under DIR to an adapter and prints the
results.
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	var err error
	switch os.Args[1] {
	case "adapter":
		err = serve(os.Stdin, os.Stdout)
	case "run":
		err = runCommand(os.Args[2:], os.Stdout)
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// implementation says what runs here.
func implementation() program {
	p := program{Name: "gwon", Version: "dev", Commit: "unknown", Lang: "go", Build: buildKind}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				p.Commit = s.Value
			}
		}
	}
	return p
}

// handlers are the operations by the names under which vectors ask for them.
var handlers = map[string]handler{
	"crypto/keccak256":              keccak,
	"crypto/ecdsa_sign":             ecdsaSign,
	"crypto/ecdsa_recover":          ecdsaRecover,
	"crypto/bls_derive":             blsDerive,
	"crypto/bls_sign":               blsSign,
	"crypto/bls_verify":             blsVerify,
	"crypto/bls_aggregate":          blsAggregate,
	"crypto/aggregate_public_keys":  aggregatePublicKeys,
	"crypto/seal_data":              sealData,
	"crypto/randao_data":            randaoData,
	"crypto/randao_mix":             randaoMix,
	"encoding/extra_codec":          extraCodec,
	"encoding/block_hash":           blockHash,
	"encoding/hash_with_round":      hashWithRound,
	"encoding/filtered_header":      filteredHeader,
	"encoding/message_codec":        messageCodec,
	"encoding/signing_payload":      signingPayload,
	"encoding/dedup_key":            dedupKey,
	"validators/quorum":             quorum,
	"validators/proposer":           proposer,
	"validators/epoch_boundary":     epochBoundary,
	"validators/validators_at":      validatorsAt,
	"validators/shuffle":            shuffle,
	"validators/sort_candidates":    sortCandidates,
	"validators/next_epoch_info":    nextEpochInfo,
	"timers/round_timeout":          roundTimeout,
	"timers/build_wait":             buildWait,
	"chain/config_at":               configAt,
	"chain/fork_schedule":           forkSchedule,
	"chain/genesis":                 genesisBlock,
	"header/build_proposal_header":  buildProposalHeader,
	"header/verify_header":          verifyHeader,
	"header/verify_headers":         verifyHeaders,
	"header/verify_light":           verifyLight,
	"execution/p256_verify":         p256Verify,
	"execution/gas_tip_enforcement": applyTransactions,
	"execution/fee_delegation":      applyTransactions,
	"execution/process_finalize":    processFinalize,
	"source/candidates_at_epoch":    candidatesAtEpoch,
	"governance/scenarios":          governanceScenario,
	"state_machine/check_message":   checkMessage,
	"state_machine/is_justified":    isJustified,
	"state_machine/rounds":          rounds,
	"network/receive_outcome":       receiveOutcome,
}
