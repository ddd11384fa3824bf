// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

// netTable has the methods about the network of nodes.
var netTable = []Row{
	{"net_version", "", "", "Returns the network ID in decimal.", "It is the chain ID."},
	{"net_listening", "", "", "Reports whether the node accepts peers.", ""},
	{"net_peerCount", "", "", "Returns the number of peers.", ""},
}

// web3Table has the methods about the program.
var web3Table = []Row{
	{"web3_clientVersion", "", "",
		"Returns name and version of the program.", "It begins with `gwon/`, with `gwon-dev node` with `anvil/`."},
	{"web3_sha3", "data", "", "Returns the Keccak-256 hash of bytes.", ""},
}

// txpoolTable has the methods about pooled transactions.
var txpoolTable = []Row{
	{"txpool_status", "", "PoolStatus", "Returns the numbers of pooled transactions.", ""},
	{"txpool_content", "", "PoolContent", "Returns the pooled transactions by sender and nonce.", transactionDiffers},
	{"txpool_contentFrom", "address", "PoolContentOf",
		"Returns the pooled transactions of a sender by nonce.", transactionDiffers},
	{"txpool_inspect", "", "PoolSummaries", "Returns the pooled transactions by sender and nonce, a line each.", ""},
}

// rpcTable has the methods about the endpoint.
var rpcTable = []Row{
	{"rpc_modules", "", "", "Returns the namespaces of the endpoint with their versions.", ""},
	{"rpc.discover", "", "OpenRPC", "Returns this description for the methods of the endpoint (EIP-1901).", ""},
}
