// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What a transaction with a fee payer cannot carry is refused by name, and never left out.
import assert from 'node:assert/strict'
import test from 'node:test'
import { JsonRpcProvider, Wallet } from 'ethers'
import { custom, createWalletClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { SponsoredSigner } from '@gwon/sdk/ethers'
import { senderPayload } from '@gwon/sdk'
import { serialize, signAsSender, sponsored, wkrcTestnet } from '@gwon/sdk/viem'

const key = `0x${'1'.repeat(64)}`
const account = privateKeyToAccount(key)
const foreign = {
  authorizationList: [],
  blobVersionedHashes: [],
  blobs: [],
  maxFeePerBlobGas: 1n,
  sidecars: [],
  gasPrice: 1n,
  memo: 'lunch',
  GAS: 21000n,
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
    const refused = new RegExp(`^(FieldError: )?${field} `)
    await t.test(field, async () => {
      const request = { type: 4, to: account.address, chainId: 8283, [field]: value }
      for (const use of ['sendTransaction', 'signTransaction', 'estimateGas']) {
        await assert.rejects(async () => signer[use](request), refused, use)
      }
      const fields = {
        chainId: 8283,
        nonce: 0,
        gas: 21000n,
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
        to: account.address,
      }
      await assert.rejects(signAsSender({ account, ...fields, [field]: value }), refused)
      assert.throws(() => senderPayload({ ...fields, [field]: value }), refused)
      assert.throws(() => serialize({ chainId: 8283, feePayer: account, to: account.address, [field]: value }), refused)
      const client = createWalletClient({ account, chain: wkrcTestnet, transport: sponsored(node, node) })
      const object = { to: account.address, [field]: '0x1' }
      for (const method of ['eth_fillTransaction', 'pm_isSponsorable']) {
        await assert.rejects(client.request({ method, params: [object] }), refused)
      }
    })
  }
  await t.test('another type', async () => {
    await assert.rejects(async () => signer.sendTransaction({ type: 4, to: account.address }), /type is 4/)
    assert.throws(
      () => serialize({ chainId: 8283, type: 'eip7702', feePayer: account, to: account.address }),
      /type is eip7702/,
    )
  })
  assert.deepEqual(asked, [])
})

test('calls of a sender that pays nothing have no fees', async () => {
  const asked = []
  const node = custom({ request: async ({ method, params }) => asked.push([method, params[0]]) })
  const client = createWalletClient({ account, chain: wkrcTestnet, transport: sponsored(node, node) })
  const call = { to: account.address, data: '0x01', nonce: '0x0' }
  const fees = { gasPrice: '0x1', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' }
  const methods = ['eth_call', 'eth_createAccessList', 'eth_estimateGas']
  for (const method of methods) await client.request({ method, params: [{ ...call, ...fees }] })
  assert.deepEqual(
    asked,
    methods.map((method) => [method, call]),
  )
})
