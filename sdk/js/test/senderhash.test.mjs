// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What a node answers for transactions of type 0x16 becomes the objects of both libraries. The answers are recorded.
import assert from 'node:assert/strict'
import test from 'node:test'
import { createPublicClient, custom } from 'viem'
import { WkrcProvider } from '@gwon/sdk/ethers'
import { wkrcActions, wkrcTestnet } from '@gwon/sdk/viem'
import { vectors } from './vectors.mjs'

const names = [
  'transfer-8283',
  'create-8283',
  'access-list-8283',
  'long-data-8283',
  'short-sender-r-8283',
  'short-fee-payer-s-8283',
  'short-fee-payer-r-8283',
]
const chosen = vectors('valid.json').filter(({ name }) => names.includes(name))
const word = (quantity) => `0x${BigInt(quantity).toString(16).padStart(64, '0')}`

/** A node that has the mined transaction of a vector and finds it by the sender's hash. */
function answers({ rpcMined, senderType2Hash, hash, feePayer }) {
  const senderTransactionHash = senderType2Hash
  const receipt = {
    blockHash: rpcMined.blockHash,
    blockNumber: rpcMined.blockNumber,
    contractAddress: null,
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x2b4abd176000',
    feePayer,
    from: rpcMined.from,
    gasUsed: '0x5208',
    logs: [],
    logsBloom: `0x${'00'.repeat(256)}`,
    senderTransactionHash,
    status: '0x1',
    to: rpcMined.to,
    transactionHash: hash,
    transactionIndex: '0x0',
    type: '0x16',
  }
  return async ({ method, params: [wanted] = [] }) => {
    switch (method) {
      case 'eth_chainId':
        return '0x205b'
      case 'eth_getTransactionBySenderHash':
        return wanted === senderTransactionHash ? { ...rpcMined, senderTransactionHash } : null
      case 'eth_getTransactionReceiptBySenderHash':
        return wanted === senderTransactionHash ? receipt : null
      default:
        throw new Error(`unexpected ${method}`)
    }
  }
}

test("transactions and receipts by the sender's hash", async (t) => {
  assert.equal(chosen.length, names.length)
  for (const vector of chosen) {
    const { json, senderType2Hash: hash } = vector
    const other = `0x${'22'.repeat(32)}`
    await t.test(`viem, ${vector.name}`, async () => {
      const client = createPublicClient({ chain: wkrcTestnet, transport: custom({ request: answers(vector) }) }).extend(
        wkrcActions(),
      )
      const transaction = await client.getTransactionBySenderHash({ hash })
      assert.equal(transaction.type, 'feeDelegated')
      assert.equal(transaction.hash, vector.hash)
      assert.equal(transaction.senderTransactionHash, hash)
      assert.equal(transaction.feePayer, vector.feePayer)
      assert.deepEqual(transaction.feePayerSignature, { r: word(json.fr), s: word(json.fs), yParity: Number(json.fv) })
      const receipt = await client.getTransactionReceiptBySenderHash({ hash })
      assert.deepEqual(
        [
          receipt.type,
          receipt.status,
          receipt.transactionHash,
          receipt.feePayer,
          receipt.senderTransactionHash,
          receipt.gasUsed,
        ],
        ['feeDelegated', 'success', vector.hash, vector.feePayer, hash, 21_000n],
      )
      assert.equal(await client.getTransactionBySenderHash({ hash: other }), null)
      assert.equal(await client.getTransactionReceiptBySenderHash({ hash: other }), null)
    })
    await t.test(`ethers, ${vector.name}`, async () => {
      const provider = new WkrcProvider('http://127.0.0.1:1', 8283)
      const answer = answers(vector)
      provider.send = (method, params) => answer({ method, params })
      const transaction = await provider.getTransactionBySenderHash(hash)
      assert.ok(transaction.isFeeDelegated())
      assert.deepEqual(
        [transaction.hash, transaction.senderTransactionHash, transaction.feePayer],
        [vector.hash, hash, vector.feePayer],
      )
      assert.equal(transaction.signature.r, word(json.r))
      const receipt = await provider.getTransactionReceiptBySenderHash(hash)
      assert.deepEqual(
        [receipt.type, receipt.status, receipt.hash, receipt.feePayer, receipt.senderTransactionHash, receipt.fee],
        [22, 1, vector.hash, vector.feePayer, hash, 21_000n * 47_600_000_000_000n],
      )
      assert.equal(receipt.toJSON().senderTransactionHash, hash)
      assert.equal(await provider.getTransactionBySenderHash(other), null)
      assert.equal(await provider.getTransactionReceiptBySenderHash(other), null)
      provider.destroy()
    })
  }
})
