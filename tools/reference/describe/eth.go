// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

const (
	blockDiffers = "`totalDifficulty` is there. The hash leaves the block's own seals out, so that it is " +
		"not the hash of the served " +
		"fields. `extraData` is RLP of some hundred bytes. No uncles, withdrawals, blob and beacon fields."
	transactionDiffers = "Type `0x16` has `feePayer`, its signature in `fv`, `fr`, `fs`, and " +
		"`senderTransactionHash`. `gasPrice` of a " +
		"mined transaction is what it paid: base fee and governed tip, or the tip of an authorized account. Of types 0 and " +
		"1 it is what was signed; the receipt has what was paid."
	receiptDiffers = "Type `0x16` has `feePayer` and `senderTransactionHash`. A transfer of coins leaves a " +
		"`Transfer` log of the coin " +
		"contract `0x0000000000000000000000000000000000001000`."
	uncleDiffers = "The chain has no uncles."
	callDiffers  = "Runs the rules of this chain: a blacklisted party fails, coins may not be sent to the " +
		"zero address, a transfer " +
		"leaves a log. `feePayer` in the call makes another account pay."
)

// fieldsDiffer is how objects of transactions are read.
const fieldsDiffer = "A field that is unknown or has no effect is refused by its name, and `type` has to be the one " +
	"that the other fields make."

// ethTable has the methods of eth about chain, state, blocks and transactions.
var ethTable = []Row{
	{"eth_blockNumber", "", "", "Returns the number of the newest block.",
		"The newest block is final. A head never goes back."},
	{"eth_chainId", "", "", "Returns the chain ID.", "8282 mainnet, 8283 testnet, 1337 developer chain."},
	{"eth_syncing", "", "false|SyncStatus", "Returns the progress of a sync, or false without one.", ""},
	{"eth_getBalance", "address, block", "", "Returns the coins of an account in wei.",
		"The coin is WKRC, a won with 18 decimals."},
	{"eth_getCode", "address, block", "", "Returns the code of an account, `0x` without one.",
		"Code has up to 253,952 bytes."},
	{"eth_getStorageAt", "address, slot, block", "", "Returns a word of the storage of a contract.", ""},
	{"eth_getStorageValues", "slotsOf, block", "", "Returns words of the storage of contracts, at most 1,024.", ""},
	{"eth_getTransactionCount", "address, block", "",
		"Returns the nonce of an account. The tag pending counts pooled transactions.", ""},
	{"eth_getProof", "address, slots, block", "", "Returns a Merkle proof of an account and of words of its storage.",
		"The leaf of an account with flags has a fifth item, shown as `extra`."},
	{"eth_getBlockByNumber", "number, full", "Block?", "Returns a block, or null for an unknown number.", blockDiffers},
	{"eth_getBlockByHash", "hash, full", "Block?", "Returns a block, or null for an unknown hash.", blockDiffers},
	{"eth_getHeaderByNumber", "number", "Header?",
		"Returns the header of a block, or null for an unknown number.", blockDiffers},
	{"eth_getHeaderByHash", "hash", "Header?",
		"Returns the header of a block, or null for an unknown hash.", blockDiffers},
	{"eth_getBlockTransactionCountByNumber", "number", "Quantity?", "Returns the number of transactions of a block.", ""},
	{"eth_getBlockTransactionCountByHash", "hash", "Quantity?", "Returns the number of transactions of a block.", ""},
	{"eth_getUncleByBlockNumberAndIndex", "number, uncle", "null", "Returns null.", uncleDiffers},
	{"eth_getUncleByBlockHashAndIndex", "hash, uncle", "null", "Returns null.", uncleDiffers},
	{"eth_getUncleCountByBlockNumber", "number", "Quantity?", "Returns 0.", uncleDiffers},
	{"eth_getUncleCountByBlockHash", "hash", "Quantity?", "Returns 0.", uncleDiffers},
	{"eth_getTransactionByHash", "transaction", "Transaction?",
		"Returns a mined or pooled transaction, or null.", transactionDiffers},
	{"eth_getTransactionByBlockNumberAndIndex", "number, index", "Transaction?",
		"Returns a transaction of a block, or null.",
		transactionDiffers},
	{"eth_getTransactionByBlockHashAndIndex", "hash, index", "Transaction?",
		"Returns a transaction of a block, or null.",
		transactionDiffers},
	{"eth_getTransactionBySenderHash", "senderHash", "Transaction?",
		"Returns the transaction that contains what a sender has signed: of type `0x16`, or that one itself " +
			"without a fee payer.",
		"Only here: what is mined has another hash than what the sender signed."},
	{"eth_getRawTransactionByHash", "transaction", "",
		"Returns the bytes of a mined or pooled transaction, `0x` if unknown.",
		"Type `0x16` has bytes of its own."},
	{"eth_getRawTransactionByBlockNumberAndIndex", "number, index", "", "Returns the bytes of a transaction of a block.",
		"Type `0x16` has bytes of its own."},
	{"eth_getRawTransactionByBlockHashAndIndex", "hash, index", "", "Returns the bytes of a transaction of a block.",
		"Type `0x16` has bytes of its own."},
	{"eth_getTransactionReceipt", "transaction", "Receipt?",
		"Returns the receipt of a mined transaction; null until then.",
		receiptDiffers + " One receipt is final."},
	{"eth_getTransactionReceiptBySenderHash", "senderHash", "Receipt?",
		"Returns the receipt of the transaction that eth_getTransactionBySenderHash returns.",
		"Only here: what is mined has another hash than what the sender signed."},
	{"eth_getBlockReceipts", "block", "Receipt[]?",
		"Returns the receipts of a block, or null for an unknown one.", receiptDiffers},
	{"eth_getReceiptsByHash", "hash", "Receipt[]?",
		"Returns the receipts of a block of the chain, or null for any other hash.",
		"Only on this network. " + receiptDiffers},
	{"eth_call", "call, block, overrides, header", "",
		"Executes a call without a transaction and returns its data.", callDiffers},
	{"eth_estimateGas", "call, block, overrides, header", "",
		"Returns the gas limit that a transaction needs.", callDiffers},
	{"eth_createAccessList", "call, block, overrides", "", "Returns the access list of a call and the gas with it.",
		"The native managers are never in the list."},
	{"eth_simulateV1", "simulation, block", "SimulatedBlock[]",
		"Executes calls in blocks that follow a block, without transactions.",
		callDiffers + " Blocks without a time are a block period apart, and not 12 seconds."},
	{"eth_sendRawTransaction", "raw", "", "Submits a signed transaction and returns its hash.",
		"Types 0, 1, 2, 4 and `0x16`; no blobs. A tip below the governed one (`eth_maxPriorityFeePerGas`), " +
			"and a fee cap below " +
			"the lowest base fee and that tip, are refused."},
	{"eth_sendRawTransactionSync", "raw, timeout", "Receipt", "Submits a signed transaction and returns its receipt.",
		"As eth_sendRawTransaction. The receipt is final and there within a block or two, seconds."},
	{"eth_sendRawTransactions", "raws", "Hash[]?",
		"Submits signed transactions and returns their hashes, the zero hash for each refused one. At most 1,000.",
		"Only on this network. The result of an empty list is null."},
	{"eth_fillTransaction", "arguments", "",
		"Returns the unsigned transaction with the fields that were left out.",
		"`feePayer` with the sender's `v`, `r`, `s` makes a transaction of type `0x16`, which the fee payer has to sign. " +
			fieldsDiffer},
	{"eth_config", "", "", "Returns the configuration of the chain now and at the next fork (EIP-7910).",
		"The forks of this chain are heights of blocks, so that every field is null."},
	{"eth_capabilities", "", "", "Returns from which block on the node has which data.", ""},
	{"eth_coinbase", "", "", "Returns the address of the node key, or the one that the operator has set.",
		"The miner of a block is always the validator that proposed it."},
	{"eth_etherbase", "", "", "Is eth_coinbase.", "As eth_coinbase."},
	{"eth_mining", "", "",
		"Reports whether the node takes part in consensus.", "A validator seals with votes, not with work."},
	{"eth_hashrate", "", "", "Returns 0.", "The chain has no proof of work."},
}

// feeTable has the methods of eth about fees.
var feeTable = []Row{
	{"eth_gasPrice", "", "", "Returns a price per unit of gas with which a legacy transaction gets into the next block.",
		"It is the next base fee and the governed tip, no estimate."},
	{"eth_maxPriorityFeePerGas", "", "", "Returns the tip per unit of gas that the next block charges.",
		"It is the governed tip, which every ordinary account pays exactly, whatever its transaction offers."},
	{"eth_baseFee", "", "", "Returns the base fee per unit of gas of the next block.",
		"It moves by 2 % a block, between 20,000 and 20,000,000 gwei, and is shared out among the validators, not burned."},
	{"eth_feeHistory", "blocks, newest, percentiles", "", "Returns base fees, gas use and tips of at most 1,024 blocks.",
		"The tip of an empty block is the governed one, not 0."},
}

// filterTable has the methods of eth about logs.
var filterTable = []Row{
	{"eth_getLogs", "query", "Log[]", "Returns logs of blocks.",
		"Each transfer of coins has a log of the coin contract. A log is never removed."},
	{"eth_newFilter", "query", "", "Makes a filter for new logs, which lives for five minutes after each poll.", ""},
	{"eth_newBlockFilter", "", "", "Makes a filter for new blocks, which lives for five minutes after each poll.", ""},
	{"eth_newPendingTransactionFilter", "full", "", "Makes a filter for new pooled transactions.", ""},
	{"eth_getFilterChanges", "filter", "Hash[]|Log[]|Transaction[]",
		"Returns what is new for a filter since the last poll.", ""},
	{"eth_getFilterLogs", "filter", "Log[]", "Returns all logs of a filter that eth_newFilter made.", ""},
	{"eth_uninstallFilter", "filter", "", "Removes a filter and reports whether there was one.", ""},
}

// keyTable has the methods of eth that need a key of the node. Profiles hide them.
var keyTable = []Row{
	{"eth_accounts", "", "", "Returns the accounts whose keys the node has.", ""},
	{"eth_pendingTransactions", "", "", "Returns the pooled transactions of the node's accounts.", ""},
	{"eth_resend", "arguments, gasPrice, gasLimit", "", "Replaces a pooled transaction of an account of the node.",
		fieldsDiffer},
	{"eth_sendTransaction", "arguments", "", "Signs with an unlocked account and submits.",
		"`feePayer` is refused. " + fieldsDiffer},
	{"eth_sign", "account, data", "", "Signs a message with an unlocked account (EIP-191).", ""},
	{"eth_signTransaction", "arguments", "SignedTransaction", "Signs with an unlocked account.",
		"With `feePayer` and the sender's signature the fee payer signs. " + fieldsDiffer},
	{"eth_signRawFeeDelegateTransaction", "arguments, raw", "SignedTransaction",
		"Signs a sender's type-2 transaction as its fee payer, with an unlocked account. Of the arguments " +
			"`feePayer` counts, and the others have to say what the transaction says.",
		"Only on this network."},
}
