// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

const onlyHere = "Only on this network."

// istanbulTable has the methods about validators and finality.
var istanbulTable = []Row{
	{"istanbul_getValidators", "number", "",
		"Returns the validators that seal a block, in the order of consensus.", onlyHere},
	{"istanbul_getValidatorsAtHash", "hash", "", "Returns the validators that seal a block.", onlyHere},
	{"istanbul_isValidator", "number", "", "Reports whether the node is among the validators of a block.", onlyHere},
	{"istanbul_nodeAddress", "", "", "Returns the address of the node key.", onlyHere},
	{"istanbul_getCommitSignersFromBlock", "number", "", "Returns who proposed and who sealed a block.", onlyHere},
	{"istanbul_getCommitSignersFromBlockByHash", "hash", "", "Returns who proposed and who sealed a block.", onlyHere},
	{"istanbul_getWbftExtraInfo", "number", "",
		"Returns what the extra data of a block holds: seals, round, governed tip, and the next validators in " +
			"an epoch block.", onlyHere},
	{"istanbul_status", "start, end", "",
		"Counts seals, proposals and rounds over at most 1,024 blocks, by default the last 64.", onlyHere},
	{"istanbul_epochInfo", "number", "",
		"Returns the epoch of a block: candidates, validators and their BLS keys.", onlyHere},
	{"istanbul_nextProposer", "round", "", "Returns the proposer of the block after the newest one.", onlyHere},
	{"istanbul_gasTip", "number", "",
		"Returns the governed tip of a block in wei per unit of gas, by default of the next one.", onlyHere},
	{"istanbul_accountFlags", "address, number", "",
		"Reports whether an account is blacklisted or authorized.", onlyHere},
	{"istanbul_getFinalityProof", "block, trusted", "",
		"Returns a proof that a block is final, which a reader verifies without a node.", onlyHere},
	{"istanbul_getReceiptProof", "hash, trusted", "",
		"Returns a proof of a transaction and its receipt in a final block, which a reader verifies without a node.",
		onlyHere},
	{"istanbul_consensusStatus", "", "any", "Returns the state of consensus on the node. Operators only.", onlyHere},
	{"istanbul_evidence", "selection", "any",
		"Returns contradictory messages that validators have signed. Operators only.", onlyHere},
}
