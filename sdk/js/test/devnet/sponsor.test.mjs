// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Stock viem and ethers, with the sponsored URL of a devnet as their only setting.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { JsonRpcProvider, Wallet } from 'ethers'
import { createWalletClient, defineChain, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { ownSponsor, rpc, startNetwork } from './network.mjs'

const to = '0x00000000000000000000000000000000000000aa'
let network, sponsor

before(async () => {
  network = await startNetwork()
  sponsor = ownSponsor(network)
})
after(() => network?.stop())

/** Who has paid for the transaction that a sender's hash names, as the chain has it. */
const paidBy = async (hash) => {
  const { feeDelegatedTransactionHash } = await rpc(sponsor.url, 'eth_getTransactionReceipt', [hash])
  return (await rpc(network.rpc, 'eth_getTransactionReceipt', [feeDelegatedTransactionHash])).feePayer
}
const payer = () => sponsor.account.address.toLowerCase()

test('viem', async (t) => {
  const chain = defineChain({
    id: network.chainId,
    name: 'devnet',
    nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 },
    rpcUrls: { default: { http: [sponsor.url] } },
  })
  const client = createWalletClient({
    account: privateKeyToAccount(generatePrivateKey()),
    chain,
    transport: http(),
    pollingInterval: 100,
  }).extend(publicActions)
  await t.test('an account without coins sends', async () => {
    const hash = await client.sendTransaction({ to })
    const receipt = await client.waitForTransactionReceipt({ hash })
    assert.equal(receipt.status, 'success')
    assert.equal(receipt.transactionHash, hash)
    assert.equal(await paidBy(receipt.transactionHash), payer())
  })
  await t.test('one call to the receipt', async () => {
    const receipt = await client.sendTransactionSync({ to })
    assert.equal(receipt.status, 'success')
    assert.equal(await paidBy(receipt.transactionHash), payer())
  })
})

test('ethers', async () => {
  const provider = new JsonRpcProvider(sponsor.url, undefined, { pollingInterval: 100, cacheTimeout: -1 })
  const response = await new Wallet(generatePrivateKey(), provider).sendTransaction({ to })
  const receipt = await response.wait()
  assert.equal(receipt.status, 1)
  assert.equal(await paidBy(receipt.hash), payer())
  provider.destroy()
})

test('the sponsor answers browsers, and says what it pays', async () => {
  const allowed = async (Origin) =>
    (await fetch(`${sponsor.url}/usage`, { headers: { Origin } })).headers.get('access-control-allow-origin')
  assert.equal(await allowed('http://localhost:3000'), 'http://localhost:3000')
  assert.equal(await allowed('https://shop.example'), null)
  const answer = await fetch(`${sponsor.url}/usage`)
  assert.equal((await answer.json()).label, 'all')
  const asked = await rpc(sponsor.url, 'pm_isSponsorable', [{ from: to, to, value: '0x0', gas: '0x5208' }])
  assert.equal(asked.sponsorable, true)
})
