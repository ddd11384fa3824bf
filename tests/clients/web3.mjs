// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import { hexToBytes } from 'viem'
import { Web3 } from 'web3'
import { TransactionFactory } from 'web3-eth-accounts'
import { earlyState, rpc, until } from './chain.mjs'
import { addFeePayer } from './feedelegation.mjs'

export const name = 'web3.js'

export function features({ url, ws, chainId, key, payer, counter }) {
  const web3 = new Web3(url)
  web3.eth.transactionPollingInterval = 200
  const account = web3.eth.accounts.wallet.add(key).get(0)
  const from = account.address
  const ok = (receipt) => { assert.equal(Number(receipt.status), 1); return receipt }
  const fees = async () => {
    const maxPriorityFeePerGas = await web3.eth.getMaxPriorityFeePerGas()
    const { baseFeePerGas } = await web3.eth.getBlock('latest')
    return { maxPriorityFeePerGas, maxFeePerGas: maxPriorityFeePerGas + 2n * baseFeePerGas }
  }
  let contract
  let first
  return {
    read: async () => {
      assert.equal(await web3.eth.getChainId(), BigInt(chainId))
      assert.ok(await web3.eth.getBalance(from) > 10n ** 21n)
      assert.ok((await web3.eth.getBlock('latest')).number > 0n)
      assert.equal(await earlyState(url, web3.eth.getBalance(from, 1)) ?? 10n ** 27n, 10n ** 27n)
    },
    send: async () => {
      const payment = { from, to: '0x00000000000000000000000000000000000000aa', value: 1n, gas: 21000n }
      ok(await web3.eth.sendTransaction({ ...payment, ...await fees() }))
      // Left alone it offers a tip of 2.5 gwei; the answer says what is needed.
      await assert.rejects(web3.eth.sendTransaction(payment), (e) => /27600000000000/.test(`${e.message} ${e.cause?.message} ${e.innerError?.message}`))
    },
    deploy: async () => {
      contract = await new web3.eth.Contract(counter.abi).deploy({ data: counter.bytecode }).send({ from, ...await fees() })
      first = await web3.eth.getBlockNumber()
    },
    call: async () => {
      ok(await contract.methods.add().send({ from, ...await fees() }))
      assert.equal(await contract.methods.count().call(), 1n)
      await assert.rejects(contract.methods.refuse().call(), (e) => /not today|revert/.test(`${e.message} ${e.cause?.message}`))
    },
    events: async () => {
      const query = { fromBlock: first - 5n < 0n ? 0n : first - 5n }
      assert.equal((await contract.getPastEvents('Counted', query)).length, 1)
      assert.equal((await contract.getPastEvents('Counted', { ...query, toBlock: 'latest' })).length, 1)
      assert.ok((await web3.eth.getPastLogs({ ...query, address: contract.options.address })).length === 1)
    },
    subscribe: ws && (async () => {
      const live = new Web3(ws)
      const heads = await live.eth.subscribe('newBlockHeaders')
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no block came')), 30_000)
        heads.once('data', () => { clearTimeout(timer); resolve() })
      })
      live.currentProvider.disconnect()
    }),
    'fee delegation': async () => {
      const sender = web3.eth.accounts.create()
      ok(await web3.eth.sendTransaction({ from, to: sender.address, value: 5n, gas: 21000n, ...await fees() }))
      const { rawTransaction } = await sender.signTransaction({
        type: 2, chainId, nonce: 0n, gas: 21000n, to: from, value: 5n, ...await fees(),
      })
      const raw = await addFeePayer(rawTransaction, payer)
      // sendSignedTransaction reads a transaction before it submits it. It fails in a promise that nobody can catch.
      assert.throws(() => TransactionFactory.fromSerializedData(hexToBytes(raw)), /ID 22 unknown/)
      const hash = await rpc(url, 'eth_sendRawTransaction', [raw])
      const receipt = await until('the receipt', () => rpc(url, 'eth_getTransactionReceipt', [hash]))
      assert.equal(receipt.status, '0x1')
    },
  }
}
