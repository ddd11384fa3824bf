// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { Contract, ContractFactory, Wallet } from 'ethers'
import {
  coinAddress,
  FeeLimitError,
  parseWon,
  signAsFeePayer,
  SponsoredProvider,
  SponsoredSigner,
  WkrcProvider,
  WkrcTransactionReceipt,
  WkrcTransactionResponse,
} from '@gwon/sdk/ethers'
import { startNetwork, startSponsor } from './network.mjs'

let network, sponsor, provider, rich, payer
const aa = '0x00000000000000000000000000000000000000AA'
const options = { pollingInterval: 200, cacheTimeout: -1 }
const coin = [
  'function approve(address spender, uint256 value) returns (bool)',
  'function allowance(address, address) view returns (uint256)',
]
const fund = async (value, at = provider) => {
  const wallet = new Wallet(Wallet.createRandom().privateKey, at)
  if (value > 0n) await (await rich.sendTransaction({ to: wallet.address, value })).wait(1, 30_000)
  return wallet
}

before(async () => {
  network = await startNetwork()
  provider = new WkrcProvider(network.rpc, network.chainId, options)
  rich = new Wallet(network.accounts[1].privateKey, provider)
  payer = new Wallet(network.accounts[2].privateKey)
  sponsor = await startSponsor(network.rpc, {
    chainId: network.chainId,
    privateKey: network.accounts[3].privateKey,
    allow: ({ to }) => to !== aa.toLowerCase(),
  })
})
after(async () => {
  provider?.destroy()
  await sponsor?.stop()
  await network?.stop()
})

test('a transaction with a fee payer', async () => {
  const sender = await fund(7n)
  const response = await new SponsoredSigner(sender, payer).sendTransaction({ to: aa, value: 7n })
  assert.ok(response instanceof WkrcTransactionResponse)
  assert.equal(response.feePayer, payer.address)
  assert.equal(response.from, sender.address)
  const receipt = await response.wait(1, 30_000)
  assert.ok(receipt instanceof WkrcTransactionReceipt)
  assert.equal(receipt.status, 1)
  assert.equal(receipt.type, 22)
  assert.equal(receipt.hash, response.hash)
  assert.equal(receipt.feePayer.toLowerCase(), payer.address.toLowerCase())
  assert.equal(await provider.getBalance(sender.address), 0n)

  const transaction = await provider.getTransaction(response.hash)
  assert.ok(transaction.isFeeDelegated())
  assert.equal(transaction.feePayer.toLowerCase(), payer.address.toLowerCase())
  assert.equal(transaction.toJSON().feePayer, transaction.feePayer)
  const block = await provider.getBlock(receipt.blockNumber, true)
  const inBlock = block.prefetchedTransactions.find(({ hash }) => hash === response.hash)
  assert.equal(inBlock.feePayer, transaction.feePayer)
  assert.equal((await block.getTransaction(response.hash)).feePayer, transaction.feePayer)
  assert.equal(block.getPrefetchedTransaction(response.hash).feePayer, transaction.feePayer)
  const hashes = await provider.getBlock(receipt.blockNumber)
  assert.deepEqual([...hashes.transactions], [...block.transactions])
  assert.equal((await hashes.getTransaction(response.hash)).feePayer, transaction.feePayer)
  assert.equal((await provider.getBlock('latest')).transactions.length >= 0, true)
})

test('a contract is deployed and called with a fee payer', async () => {
  const signer = new SponsoredSigner(await fund(0n), payer)
  // The code returns its last byte, STOP.
  const deployed = await new ContractFactory([], '0x6001600c60003960016000f300', signer).deploy()
  await deployed.deploymentTransaction().wait(1, 30_000)
  assert.equal(await provider.getCode(await deployed.getAddress()), '0x00')
  const contract = new Contract(coinAddress, coin, signer)
  const receipt = await (await contract.approve(aa, 5n)).wait(1, 30_000)
  assert.equal(receipt.type, 22)
  assert.equal(await contract.allowance(await signer.getAddress(), aa), 5n)
  assert.equal(await provider.getBalance(await signer.getAddress()), 0n)
})

test('sender and fee payer sign apart', async () => {
  const sender = await fund(3n)
  const signed = await sender.signTransaction(
    await sender.populateTransaction({ to: aa, value: 3n, gasLimit: 21_000n }),
  )
  const raw = await signAsFeePayer(signed, payer, { chainId: network.chainId, maxFee: parseWon('3') })
  assert.equal((await (await provider.broadcastTransaction(raw)).wait(1, 30_000)).status, 1)
})

test('a limit of the fee payer', async () => {
  const signer = new SponsoredSigner(await fund(1n), payer, { maxFee: 1n })
  await assert.rejects(signer.sendTransaction({ to: aa, value: 1n }), FeeLimitError)
  assert.equal(await signer.getNonce('pending'), 0)
})

test('ordinary transactions stay what they are', async () => {
  const response = await rich.sendTransaction({ to: aa, value: 1n })
  const receipt = await response.wait(1, 30_000)
  assert.deepEqual([receipt.type, receipt.feePayer, receipt.senderTransactionHash], [2, null, null])
  assert.equal((await provider.getTransaction(response.hash)).isFeeDelegated(), false)
  const legacy = await (await rich.sendTransaction({ to: aa, value: 1n, type: 0 })).wait(1, 30_000)
  assert.equal(legacy.type, 0)
  await assert.rejects(
    new SponsoredSigner(rich, payer).signTransaction({ to: aa, type: 0, chainId: network.chainId }),
    /only a transaction of type 2/,
  )
})

test('a sponsored provider', async (t) => {
  const paid = new SponsoredProvider(network.rpc, sponsor.url, network.chainId, options)
  t.after(() => paid.destroy())
  const to = Wallet.createRandom().address
  await t.test('the sponsor pays', async () => {
    const sender = await fund(9n, paid)
    const response = await sender.sendTransaction({ to, value: 9n })
    const receipt = await response.wait(1, 30_000)
    assert.equal(receipt.type, 22)
    assert.equal(receipt.senderTransactionHash, response.hash)
    assert.notEqual(receipt.hash, response.hash)
    assert.equal(receipt.feePayer.toLowerCase(), sponsor.account.address.toLowerCase())
    assert.equal(await provider.getBalance(sender.address), 0n)
  })
  await t.test('a contract call of an account without coins', async () => {
    const sender = await fund(0n, paid)
    const receipt = await (await new Contract(coinAddress, coin, sender).approve(to, 5n)).wait(1, 30_000)
    assert.equal(receipt.type, 22)
  })
  await t.test('a refusal is thrown, and nothing is sent elsewhere', async () => {
    const wallet = rich.connect(paid)
    const nonce = await wallet.getNonce('pending')
    await assert.rejects(wallet.sendTransaction({ to: aa, value: 1n }), /does not pay for this recipient/)
    assert.equal(await wallet.getNonce('pending'), nonce)
  })
})
