// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What a transaction with a fee payer cannot carry is refused by name, and never left out.
import assert from 'node:assert/strict'
import test from 'node:test'
import { JsonRpcProvider, Wallet } from 'ethers'
import { custom, createWalletClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { SponsoredSigner } from '@gwon/sdk/ethers'
import { serialize, sponsored, wkrcTestnet } from '@gwon/sdk/viem'

const key = `0x${'1'.repeat(64)}`
const account = privateKeyToAccount(key)
const foreign = {
  authorizationList: [],
  blobVersionedHashes: [],
  blobs: [],
  maxFeePerBlobGas: 1n,
  sidecars: [],
}

test('fields of other types are refused by name', async (t) => {
  const asked = []
  const node = custom({
    request: async ({ method }) => {
      asked.push(method)
      throw new Error(`unexpected ${method}`)
    },
  })
  const signer = new SponsoredSigner(new Wallet(key, new JsonRpcProvider('http://127.0.0.1:1', 8283)), {
    address: account.address,
    signingKey: new Wallet(key).signingKey,
  })
  for (const [field, value] of Object.entries(foreign)) {
    const refused = new RegExp(`${field} cannot be in a transaction with a fee payer`)
    await t.test(field, async () => {
      const request = { type: 4, to: account.address, chainId: 8283, [field]: value }
      for (const use of ['sendTransaction', 'signTransaction', 'estimateGas']) {
        await assert.rejects(async () => signer[use](request), refused, use)
      }
      assert.throws(() => serialize({ chainId: 8283, feePayer: account, to: account.address, [field]: value }), refused)
      const client = createWalletClient({ account, chain: wkrcTestnet, transport: sponsored(node, node) })
      await assert.rejects(client.request({ method: 'eth_fillTransaction', params: [request] }), refused)
    })
  }
  await t.test('another type', async () => {
    await assert.rejects(async () => signer.sendTransaction({ type: 4, to: account.address }), /type is 4/)
  })
  assert.deepEqual(asked, [])
})
