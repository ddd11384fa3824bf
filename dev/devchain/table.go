// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

// row describes a method. The test of this file holds the rows against the methods that are served.
type row struct {
	name   string // without the prefix
	params string // a question mark follows those that may be left out
	does   string // a sentence
}

// testMethods are those under each of the prefixes evm, hardhat and anvil.
var testMethods = []row{
	{"mine", "blocks?, seconds?",
		"Mines blocks at once. Under `anvil` the clock moves by the seconds before each block. Under `hardhat` " +
			"each block after the first is that much later than its parent. Under `evm` the parameter is a " +
			"timestamp, or `{timestamp, blocks}`."},
	{"setAutomine", "on", "Seals each transaction at once, or leaves it in the pool."},
	{"getAutomine", "", "Reports whether transactions are sealed at once."},
	{"setIntervalMining", "seconds",
		"Seals a block by the clock of the machine, also an empty one. 0 ends that."},
	{"getIntervalMining", "", "Returns those seconds."},
	{"setNextBlockTimestamp", "timestamp",
		"Sets the timestamp of the next block. The clock goes on from there."},
	{"increaseTime", "seconds",
		"Moves the clock ahead. Returns the seconds by which it is ahead of the machine's."},
	{"setTime", "timestamp", "Sets the clock. A block is still later than its parent."},
	{"setBlockTimestampInterval", "seconds",
		"Puts timestamps that far apart, whatever the clock says. Under `hardhat` the unit is milliseconds."},
	{"removeBlockTimestampInterval", "", "Has timestamps follow the clock again."},
	{"snapshot", "",
		"Remembers chain, changed state, clock, settings and pool. Returns the number of the snapshot."},
	{"revert", "snapshot",
		"Goes back to a snapshot. Later blocks, transactions and snapshots are gone. Reports whether there " +
			"was one."},
	{"reset", "options?",
		"Goes back to the genesis block, or to the block that a forked chain continues. `forking` may name the network " +
			"and block that are continued already. Another one is refused."},
	{"setBalance", "account, wei",
		"Sets the coins of an account. The total supply moves with them. There is no log."},
	{"setCode", "account, code", "Sets the code. Flags, nonce, coins and storage stay."},
	{"setNonce", "account, nonce", "Raises the nonce. A lower one is refused."},
	{"setStorageAt", "account, slot, word",
		"Sets one word of the storage. An account without code, coins and nonce keeps none and is refused."},
	{"setCoinbase", "account", "Sets the account that blocks pay and name. The validator still signs them."},
	{"setPrevRandao", "word", "Sets the randomness of the next block."},
	{"setNextBlockBaseFeePerGas", "wei", "Sets the base fee of the next block."},
	{"setMinGasPrice", "wei", "Is refused: the least tip is governed. `gwon_setGasTip` sets it."},
	{"setBlockGasLimit", "gas", "Sets the gas limit from the next block on."},
	{"impersonateAccount", "account",
		"Has the node sign for an account without its key, as sender and as fee payer."},
	{"stopImpersonatingAccount", "account", "Ends that."},
	{"autoImpersonateAccount", "on", "Has the node sign for every account."},
	{"dropTransaction", "hash", "Takes a transaction out of the pool. Reports whether it was there."},
	{"dropAllTransactions", "", "Empties the pool."},
	{"dumpState", "", "Returns the accounts of the newest block. A forked chain refuses it: it has not read them all."},
	{"loadState", "dump", "Sets the accounts of a dump. Others stay, and the total supply fits them all."},
	{"dealERC20", "account, token, wei",
		"Sets the coins of an account. The token is the coin, `0x0000000000000000000000000000000000001000`."},
	{"nodeInfo", "", "Describes the newest block and the settings of the next one."},
	{"metadata", "",
		"Describes chain, version and snapshots. `instanceId` is another one after a reset, and stays with `--state`."},
	{"setLoggingEnabled", "on", "Changes nothing and says so: `--verbosity` says what is logged."},
	{"setRpcUrl", "url", "Changes nothing and says so: `--fork` chooses what a chain continues, at its start."},
	{"rollback", "blocks?", "Is refused: blocks are final. `evm_snapshot` and `evm_revert` go back."},
	{"reorg", "depth, transactions?", "Is refused for the same reason."},
}

// coinTable are the methods under gwon.
var coinTable = []row{
	{"mint", "account, wei", "Gives coins to an account. The total supply rises with them. There is no log."},
	{"setAccountFlags", "account, {blacklisted?, authorized?}",
		"Sets the flags of an account. One that is left out stays."},
	{"setGasTip", "wei", "Sets the governed tip from the next block on."},
	{"fund", "account", "Transfers a thousand coins from the first account, with a log. Returns the hash."},
}
