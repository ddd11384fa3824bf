// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web3ext

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/ethereum/go-ethereum/internal/jsre/deps"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConsoleMethods loads web3.js and every module as the console does, with a transport that hands back the request.
func TestConsoleMethods(t *testing.T) {
	vm := goja.New()
	run := func(code string) goja.Value {
		t.Helper()
		v, err := vm.RunString(code)
		require.NoErrorf(t, err, "%.80s", code)
		return v
	}
	run(deps.BigNumberJS)
	run(deps.Web3JS)
	run(`var console = {log: function () {}};
		var Web3 = require('web3');
		var sent;
		var web3 = new Web3({send: function (p) {
			sent = p.method + JSON.stringify(p.params);
			return {jsonrpc: '2.0', id: p.id, result: null};
		}});`)
	for _, code := range Modules {
		run(code)
	}
	const (
		addr = "'0x00000000000000000000000000000000deadbeef'"
		low  = `"0x00000000000000000000000000000000deadbeef"`
	)
	for _, tt := range []struct{ call, want string }{
		{"istanbul.nodeAddress", "istanbul_nodeAddress[]"},
		{"istanbul.getValidators()", "istanbul_getValidators[null]"},
		{"istanbul.getValidators(5)", `istanbul_getValidators["0x5"]`},
		{"istanbul.getValidators('latest')", `istanbul_getValidators["latest"]`},
		{"istanbul.getValidatorsAtHash('0x01')", `istanbul_getValidatorsAtHash["0x01"]`},
		{"istanbul.isValidator()", "istanbul_isValidator[null]"},
		{"istanbul.getCommitSignersFromBlock(7)", `istanbul_getCommitSignersFromBlock["0x7"]`},
		{"istanbul.getCommitSignersFromBlockByHash('0x01')", `istanbul_getCommitSignersFromBlockByHash["0x01"]`},
		{"istanbul.status()", "istanbul_status[null,null]"},
		{"istanbul.status(1, 5)", `istanbul_status["0x1","0x5"]`},
		{"istanbul.getWbftExtraInfo(10)", `istanbul_getWbftExtraInfo["0xa"]`},
		{"istanbul.getFinalityProof(7, '0x01')", `istanbul_getFinalityProof["0x7","0x01"]`},
		{"istanbul.getFinalityProof('finalized')", `istanbul_getFinalityProof["finalized",null]`},
		{"istanbul.getReceiptProof('0x02', 7)", `istanbul_getReceiptProof["0x02","0x7"]`},
		{"eth.signRawFeeDelegateTransaction({feePayer: '0x01'}, '0x02')",
			`eth_signRawFeeDelegateTransaction[{"feePayer":"0x01"},"0x02"]`},
		{"personal.signRawFeeDelegateTransaction({feePayer: '0x01'}, '0x02', 'pw')",
			`personal_signRawFeeDelegateTransaction[{"feePayer":"0x01"},"0x02","pw"]`},
		{"eth.sendRawTransactions(['0x02'])", `eth_sendRawTransactions[["0x02"]]`},
		{"eth.getReceiptsByHash('0x01')", `eth_getReceiptsByHash["0x01"]`},
		{"eth.getTransactionBySenderHash('0x01')", `eth_getTransactionBySenderHash["0x01"]`},
		{"eth.getTransactionReceiptBySenderHash('0x01')", `eth_getTransactionReceiptBySenderHash["0x01"]`},
		{"eth.coinbase", "eth_coinbase[]"},
		{"eth.etherbase", "eth_etherbase[]"},
		{"personal.listWallets", "personal_listWallets[]"},
		{"personal.unlockAccount(" + addr + ", 'pw', 0)", "personal_unlockAccount[" + low + `,"pw",0]`},
		{"miner.start()", "miner_start[]"},
		{"miner.stop()", "miner_stop[]"},
		{"miner.setEtherbase(" + addr + ")", "miner_setEtherbase[" + low + "]"},
		{"miner.setRecommitInterval(3)", "miner_setRecommitInterval[3]"},
		{"admin.peerInfo('ab')", `admin_peerInfo["ab"]`},
		{"snapshot.create('files')", `snapshot_create["files",null]`},
		{"snapshot.create('files', {extend: 'old'})", `snapshot_create["files",{"extend":"old"}]`},
		{"snapshot.cancel()", "snapshot_cancel[]"},
		{"snapshot.status", "snapshot_status[]"},
		{"eth.chainId()", "eth_chainId[]"}, // upstream's own methods are still there
		{"miner.setGasPrice(1)", `miner_setGasPrice["0x1"]`},
		{"admin.addPeer('x')", `admin_addPeer["x"]`},
	} {
		run("sent = undefined; web3." + tt.call)
		assert.Equalf(t, tt.want, run("sent").String(), "%s sends", tt.call)
	}
}
