// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import { ContractFactory, JsonRpcProvider, keccak256, Wallet, WebSocketProvider } from 'ethers'
import { earlyState, until } from './chain.mjs'
import { addFeePayer } from './feedelegation.mjs'

export const name = 'ethers'

export function features({ url, ws, chainId, key, payer, counter }) {
  const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, polling: true, pollingInterval: 200, cacheTimeout: -1 })
  const wallet = new Wallet(key, provider)
  const mined = async (tx) => {
    const receipt = await tx.wait(1, 30_000)
    assert.equal(receipt.status, 1)
    return receipt
  }
  let contract
  let first
  return {
    read: async () => {
      assert.equal(Number(await provider.send('eth_chainId', [])), chainId)
      assert.ok(await provider.getBalance(wallet.address) > 10n ** 21n)
      assert.ok((await provider.getBlock('latest')).number > 0)
      assert.equal(await earlyState(url, provider.getBalance(wallet.address, 1)) ?? 10n ** 27n, 10n ** 27n)
    },
    send: async () => {
      await mined(await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000aa', value: 1n }))
    },
    deploy: async () => {
      contract = await new ContractFactory(counter.abi, counter.bytecode, wallet).deploy()
      first = (await mined(contract.deploymentTransaction())).blockNumber
    },
    call: async () => {
      await mined(await contract.add())
      assert.equal(await contract.count(), 1n)
      await assert.rejects(contract.refuse.staticCall(), /not today/)
    },
    events: async () => {
      assert.equal((await contract.queryFilter('Counted', first)).length, 1)
      assert.equal((await contract.queryFilter('Counted', first, first + 5000)).length, 1)
    },
    subscribe: ws && (async () => {
      const live = new WebSocketProvider(ws, chainId)
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no block came')), 30_000)
        live.once('block', () => { clearTimeout(timer); resolve() })
      })
      await live.destroy()
    }),
    'fee delegation': async () => {
      const sender = Wallet.createRandom()
      await mined(await wallet.sendTransaction({ to: sender.address, value: 10n }))
      const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
      const sign = (nonce) => sender.signTransaction({
        type: 2, chainId, nonce, gasLimit: 21000n, to: wallet.address, value: 5n, maxFeePerGas, maxPriorityFeePerGas,
      })
      const receiptOf = (hash) => until('the receipt', () => provider.send('eth_getTransactionReceipt', [hash]))
      const hash = await provider.send('eth_sendRawTransaction', [await addFeePayer(await sign(0), payer)])
      assert.equal((await receiptOf(hash)).status, '0x1')
      // broadcastTransaction submits it, and then cannot read the transaction it has submitted.
      const second = await addFeePayer(await sign(1), payer)
      await assert.rejects(provider.broadcastTransaction(second), /unsupported transaction type/)
      assert.equal((await receiptOf(keccak256(second))).status, '0x1')
      assert.equal((await provider.getTransactionReceipt(hash)).status, 1)
    },
    close: () => provider.destroy(),
  }
}
