// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import { createPublicClient, createWalletClient, defineChain, http, parseEther, webSocket } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { addFeePayer } from './feedelegation.mjs'

export const name = 'viem'

export function features({ url, ws, chainId, key, payer, counter, isPublic }) {
  const chain = defineChain({
    id: chainId,
    name: 'WKRC',
    nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const account = privateKeyToAccount(key)
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
  const wallet = createWalletClient({ account, chain, transport: http() })
  const mined = async (hash) => {
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 30_000 })
    assert.equal(receipt.status, 'success')
    return receipt
  }
  let address
  let first
  return {
    read: async () => {
      assert.equal(await client.getChainId(), chainId)
      assert.ok(await client.getBalance({ address: account.address }) > parseEther('1000'))
      assert.ok((await client.getBlock()).number > 0n)
      // A node of the public profile keeps the states of recent blocks only.
      if (!isPublic) assert.equal(await client.getBalance({ address: account.address, blockNumber: 1n }), 10n ** 27n)
    },
    send: async () => {
      await mined(await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000aa', value: 1n }))
    },
    deploy: async () => {
      const receipt = await mined(await wallet.deployContract(counter))
      address = receipt.contractAddress
      first = receipt.blockNumber
    },
    call: async () => {
      await mined(await wallet.writeContract({ address, abi: counter.abi, functionName: 'add' }))
      assert.equal(await client.readContract({ address, abi: counter.abi, functionName: 'count' }), 1n)
      await assert.rejects(client.readContract({ address, abi: counter.abi, functionName: 'refuse' }), /not today/)
    },
    events: async () => {
      const query = { address, abi: counter.abi, eventName: 'Counted' }
      for (const range of [{ fromBlock: first }, { fromBlock: first, toBlock: 'latest' }, { fromBlock: first, toBlock: first + 5000n }]) {
        assert.equal((await client.getContractEvents({ ...query, ...range })).length, 1)
      }
      const filter = await client.createContractEventFilter({ ...query, fromBlock: first })
      assert.equal((await client.getFilterLogs({ filter })).length, 1)
    },
    subscribe: ws && (async () => {
      const live = createPublicClient({ chain, transport: webSocket(ws) })
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no block came')), 30_000)
        const stop = live.watchBlockNumber({
          onBlockNumber: () => { clearTimeout(timer); stop(); resolve() }, onError: reject,
        })
      })
      ;(await live.transport.getRpcClient()).close()
    }),
    'fee delegation': async () => {
      const sender = privateKeyToAccount(generatePrivateKey())
      await mined(await wallet.sendTransaction({ to: sender.address, value: 5n }))
      const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
      const signed = await sender.signTransaction({
        type: 'eip1559', chainId, nonce: 0, gas: 21000n, to: account.address, value: 5n, maxFeePerGas, maxPriorityFeePerGas,
      })
      const hash = await client.sendRawTransaction({ serializedTransaction: await addFeePayer(signed, payer) })
      const receipt = await mined(hash)
      assert.equal(receipt.feePayer.toLowerCase(), payer.address.toLowerCase())
      assert.equal(await client.getBalance({ address: sender.address }), 0n)
    },
  }
}
