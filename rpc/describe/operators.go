// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

// debugTable has the methods for operators about blocks, states and the program. Most are go-ethereum's.
var debugTable = []Row{
	{"debug_traceTransaction", "transaction, config", "any", "Traces a mined transaction.", ""},
	{"debug_traceCall", "call, block, config", "any", "Traces a call on the state of a block.", ""},
	{"debug_traceBlock", "data, config", "", "Traces the transactions of a block given as RLP.", ""},
	{"debug_traceBlockByNumber", "number, config", "", "Traces the transactions of a block.", ""},
	{"debug_traceBlockByHash", "hash, config", "", "Traces the transactions of a block.", ""},
	{"debug_traceBlockFromFile", "file, config", "", "Traces the transactions of a block in a file of the node's machine.", ""},
	{"debug_traceBadBlock", "hash, config", "", "Traces the transactions of a block that the node has refused.", ""},
	{"debug_standardTraceBlockToFile", "hash, config", "", "Writes traces of a block into files of the node's machine.", ""},
	{"debug_standardTraceBadBlockToFile", "hash, config", "", "Writes traces of a refused block into files.", ""},
	{"debug_intermediateRoots", "hash, config", "", "Returns the state root after each transaction of a block.", ""},
	{"debug_getRawBlock", "block", "", "Returns a block as RLP.", ""},
	{"debug_getRawHeader", "block", "", "Returns a header as RLP.", ""},
	{"debug_getRawReceipts", "block", "", "Returns the receipts of a block in their canonical bytes.", ""},
	{"debug_getRawTransaction", "transaction", "", "Returns a transaction in its canonical bytes.", ""},
	{"debug_printBlock", "block", "", "Returns a block as text.", ""},
	{"debug_getBadBlocks", "options", "", "Returns blocks that the node has refused.", ""},
	{"debug_replayBadBlock", "hash", "any", "Executes a refused block again and returns the differences.", ""},
	{"debug_accountRange", "block, start, limit, noCode, noStorage, incomplete", "", "Returns accounts of a state, in the order of their hashes.", ""},
	{"debug_storageRangeAt", "block, index, address, start, limit", "", "Returns the storage of a contract before a transaction of a block.", ""},
	{"debug_dumpBlock", "number", "", "Returns the accounts of a state.", ""},
	{"debug_executionWitness", "block", "", "Returns the nodes of the state that the execution of a block reads.", ""},
	{"debug_getAccessibleState", "start, end", "", "Returns the first block of a range whose state is there.", ""},
	{"debug_getModifiedAccountsByNumber", "start, end", "", "Returns the accounts that blocks have changed.", ""},
	{"debug_getModifiedAccountsByHash", "start, end", "", "Returns the accounts that blocks have changed.", ""},
	{"debug_preimage", "hash", "", "Returns the bytes with a hash, if the node keeps preimages.", ""},
	{"debug_setHead", "number", "", "Takes blocks above a number off the chain of the node.", "Final blocks are not taken off."},
	{"debug_clearTxpool", "", "", "Empties the pool.", ""},
	{"debug_chaindbProperty", "", "", "Returns statistics of the database.", ""},
	{"debug_chaindbCompact", "", "", "Compacts the database.", ""},
	{"debug_dbGet", "key", "", "Returns a value of the database.", ""},
	{"debug_dbAncient", "kind, number", "", "Returns an item of the old blocks.", ""},
	{"debug_dbAncients", "", "", "Returns the number of old blocks in files.", ""},
	{"debug_getTrieFlushInterval", "", "", "Returns the time of execution after which states go to disk.", ""},
	{"debug_setTrieFlushInterval", "interval", "", "Sets the time of execution after which states go to disk.", ""},
	{"debug_discoveryV4Table", "", "", "Returns the table of nodes of discovery.", ""},
	{"debug_verbosity", "level", "", "Sets the level of the log.", ""},
	{"debug_vmodule", "pattern", "", "Sets the level of the log by source file.", ""},
	{"debug_memStats", "", "any", "Returns the memory statistics of Go.", ""},
	{"debug_gcStats", "", "any", "Returns the garbage collection statistics of Go.", ""},
	{"debug_setGCPercent", "percent", "", "Sets the target of the garbage collection and returns the former one.", ""},
	{"debug_setMemoryLimit", "bytes", "", "Sets the limit of memory of Go and returns the former one.", ""},
	{"debug_freeOSMemory", "", "", "Gives unused memory back to the machine.", ""},
	{"debug_stacks", "pattern", "", "Returns the stacks of all goroutines.", ""},
	{"debug_cpuProfile", "file, seconds", "", "Writes a CPU profile.", ""},
	{"debug_startCPUProfile", "file", "", "Begins a CPU profile.", ""},
	{"debug_stopCPUProfile", "", "", "Ends a CPU profile.", ""},
	{"debug_goTrace", "file, seconds", "", "Writes a trace of the Go runtime.", ""},
	{"debug_startGoTrace", "file", "", "Begins a trace of the Go runtime.", ""},
	{"debug_stopGoTrace", "", "", "Ends a trace of the Go runtime.", ""},
	{"debug_blockProfile", "file, seconds", "", "Writes a profile of blocked goroutines.", ""},
	{"debug_setBlockProfileRate", "rate", "", "Sets the rate of the profile of blocked goroutines.", ""},
	{"debug_writeBlockProfile", "file", "", "Writes the profile of blocked goroutines so far.", ""},
	{"debug_mutexProfile", "file, seconds", "", "Writes a profile of contended locks.", ""},
	{"debug_setMutexProfileFraction", "rate", "", "Sets the rate of the profile of contended locks.", ""},
	{"debug_writeMutexProfile", "file", "", "Writes the profile of contended locks so far.", ""},
	{"debug_writeMemProfile", "file", "", "Writes a profile of memory.", ""},
}

// adminTable has the methods for operators about peers and endpoints.
var adminTable = []Row{
	{"admin_nodeInfo", "", "", "Describes the node.", ""},
	{"admin_peers", "", "", "Describes the peers.", ""},
	{"admin_peerInfo", "id", "", "Describes a peer by its id.", onlyHere},
	{"admin_addPeer", "url", "", "Connects to a peer and keeps the connection.", ""},
	{"admin_removePeer", "url", "", "Ends the connection to a peer.", ""},
	{"admin_addTrustedPeer", "url", "", "Lets a peer in also when there is no room.", ""},
	{"admin_removeTrustedPeer", "url", "", "Ends that.", ""},
	{"admin_datadir", "", "", "Returns the data directory.", ""},
	{"admin_exportChain", "file, first, last", "", "Writes blocks into a file.", ""},
	{"admin_importChain", "file", "", "Reads blocks from a file.", ""},
	{"admin_startHTTP", "host, port, origins, namespaces, hosts", "", "Opens the HTTP endpoint.", ""},
	{"admin_stopHTTP", "", "", "Closes the HTTP endpoint.", ""},
	{"admin_startRPC", "host, port, origins, namespaces, hosts", "", "Is admin_startHTTP.", ""},
	{"admin_stopRPC", "", "", "Is admin_stopHTTP.", ""},
	{"admin_startWS", "host, port, origins, namespaces", "", "Opens the WebSocket endpoint.", ""},
	{"admin_stopWS", "", "", "Closes the WebSocket endpoint.", ""},
}

// minerTable has the switches of a validator.
var minerTable = []Row{
	{"miner_start", "", "", "Makes the node take part in consensus.", "The node votes; it does not mine."},
	{"miner_stop", "", "", "Ends the part of the node in consensus.", "The node votes; it does not mine."},
	{"miner_setEtherbase", "address", "", "Changes the result of eth_coinbase, and nothing else.", "A block names its proposer."},
	{"miner_setExtra", "text", "", "Sets the vanity bytes of proposed blocks.", ""},
	{"miner_setGasLimit", "limit", "", "Sets the gas limit to which proposed blocks steer.", ""},
	{"miner_setGasPrice", "price", "", "Returns false.", "The least tip is governed."},
	{"miner_setRecommitInterval", "milliseconds", "", "Has no effect.", "A proposal is built once."},
}

// personalTable has the methods about accounts of the node. They are there with --personal and with --dev.
var personalTable = []Row{
	{"personal_listAccounts", "", "", "Returns the accounts of the node.", ""},
	{"personal_listWallets", "", "any", "Describes the wallets of the node.", ""},
	{"personal_newAccount", "password", "", "Makes an account.", ""},
	{"personal_importRawKey", "key, password", "", "Imports a private key, as 64 hexadecimal digits.", ""},
	{"personal_unlockAccount", "account, password, seconds", "", "Unlocks an account, by default for 300 seconds.", ""},
	{"personal_lockAccount", "account", "", "Locks an account.", ""},
	{"personal_sign", "data, account, password", "", "Signs a message (EIP-191).", ""},
	{"personal_ecRecover", "data, signature", "", "Returns the signer of a message.", ""},
	{"personal_sendTransaction", "arguments, password", "", "Signs and submits a transaction.", "`feePayer` is refused."},
	{"personal_signTransaction", "arguments, password", "SignedTransaction", "Signs a transaction.",
		"With `feePayer` and the sender's signature the fee payer signs."},
	{"personal_signRawFeeDelegateTransaction", "arguments, raw, password", "SignedTransaction",
		"Signs a sender's type-2 transaction as its fee payer.", onlyHere},
}

// snapshotTable has the methods of gwon snapshot create on a running node.
var snapshotTable = []Row{
	{"snapshot_create", "directory", "", "Begins to write a snapshot of chain and state.", onlyHere},
	{"snapshot_cancel", "", "", "Ends the snapshot that is being written.", onlyHere},
	{"snapshot_status", "", "any", "Returns the progress of the snapshot that is being written.", onlyHere},
}
