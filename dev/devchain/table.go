// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"fmt"
	"strings"
)

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
		"Moves the clock ahead. The next block is at least that much later than the newest one. Returns the seconds by " +
			"which the clock is ahead of the machine's."},
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

// accountTable are the methods of eth that a developer chain has besides those of a node, or changes.
var accountTable = []row{
	{"accounts", "", "The accounts of the mnemonic in their order, then the others that the node signs for."},
	{"estimateGas", "call, block?, state?, header?",
		"Estimates in the pending block unless another one is given, with the time that was set for it. Gas that " +
			"a transaction lacks is estimated there too."},
	{"feeHistory", "count, newest block, percentiles?", "Ends with the base fee that was set."},
	{"fillTransaction", "transaction", "Completes a transaction."},
	{"gasPrice", "", "With the base fee that was set."},
	{"sendTransaction", "transaction",
		"Also signs for impersonated accounts, and with `feePayer` makes a fee-delegated transaction. " +
			"Automine seals before the answer."},
	{"sendUnsignedTransaction", "transaction", "Submits a transaction as if its sender had signed it."},
	{"sendRawTransaction", "bytes", "Automine seals before the answer."},
	{"sendRawTransactions", "list of bytes", "Automine seals before the answer."},
}

// Reference returns the page that describes the methods, in Markdown.
func Reference() string {
	var page strings.Builder
	page.WriteString("# Test methods of a developer chain\n\nGenerated by `go run ./tools/reference`.\n" + `
` + "`gwon-dev node`" + ` has these methods, and no other node has them. ` + "`gwon_fund`" + ` exists at the page of
` + "`gwon-dev devnet`" + `, too. They are those of Hardhat and anvil, under each of the prefixes ` + "`evm_`," + `
` + "`hardhat_` and `anvil_`" + `.

Numbers are taken as ` + "`12`, `\"12\"` or `\"0xc\"`" + `. A wrong parameter is answered with code -32602 and
what was expected. A question mark follows a parameter that may be left out.

Timestamps go up to 8,640,000,000,000, the last moment of a JavaScript Date. A call that would go
beyond it is refused and changes nothing.

A change of the state is seen at once, without a block: it belongs to the newest block. The header
of that block keeps its root, and so ` + "`eth_getProof`" + ` shows the state before the change. The next
block begins with the change and names its root.

Of more than 16 blocks that one call mines, all but the last 16 have no seals over themselves. A
constant signature stands for them, and the vanity names that: bit 5 of the byte behind the mark of
developer chains. Such blocks have no finality proof. Everything else in them is as usual:
transactions, states, logs, epochs. 10,000 blocks take some seconds. HTTP waits up to ten minutes
for an answer.

## Under evm, hardhat and anvil

`)
	writeTable(&page, "", testMethods)
	page.WriteString("\n## Cheats of the coin\n\n")
	writeTable(&page, "gwon_", coinTable)
	page.WriteString("\n## Transactions\n\n")
	writeTable(&page, "eth_", accountTable)
	page.WriteString(`
` + "`web3_clientVersion` begins with `anvil/`" + ` and names gwon after it. The helpers of Hardhat talk
to no other node. Every other network answers with the name of gwon alone.
`)
	return page.String()
}

func writeTable(page *strings.Builder, prefix string, rows []row) {
	page.WriteString("| Method | Parameters | What it does |\n|---|---|---|\n")
	for _, r := range rows {
		params := r.params
		if params == "" {
			params = "none"
		}
		fmt.Fprintf(page, "| `%s%s` | %s | %s |\n", prefix, r.name, params, r.does)
	}
}
