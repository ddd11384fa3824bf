// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Runs inside "hardhat run" of Hardhat 3 on gwon-dev node, with every function of its network helpers.
import assert from 'node:assert/strict'
import { network } from 'hardhat'

const stranger = '0x00000000000000000000000000000000000000aa'

const { viem, networkHelpers: helpers, provider } = await network.create('gwon')
const client = await viem.getPublicClient()
const [wallet] = await viem.getWalletClients()

const succeeds = async (hash) => {
  const receipt = await client.waitForTransactionReceipt({ hash })
  assert.equal(receipt.status, 'success')
  return receipt
}

const deploy = () => viem.deployContract('Counter')
const first = await helpers.loadFixture(deploy)
await succeeds(await first.write.add())
assert.equal(await first.read.count(), 1n)
await assert.rejects(first.read.refuse(), /not today/)
const again = await helpers.loadFixture(deploy)
assert.equal(again.address, first.address)
assert.equal(await again.read.count(), 0n)
helpers.clearSnapshots()

await helpers.setBalance(stranger, 10n ** 19n)
assert.equal(await client.getBalance({ address: stranger }), 10n ** 19n)
await helpers.impersonateAccount(stranger)
const impersonated = await viem.getWalletClient(stranger)
const { from } = await succeeds(await impersonated.sendTransaction({ to: wallet.account.address, value: 1n }))
assert.equal(from, stranger)
await helpers.stopImpersonatingAccount(stranger)
await assert.rejects(impersonated.sendTransaction({ to: wallet.account.address, value: 1n }), /unknown account/)
await helpers.setNonce(stranger, 9)
assert.equal(await client.getTransactionCount({ address: stranger }), 9)
await helpers.setCode(stranger, '0x6001')
assert.equal(await client.getCode({ address: stranger }), '0x6001')
await helpers.setStorageAt(stranger, 1, 7)
assert.equal(BigInt(await helpers.getStorageAt(stranger, 1)), 7n)
await helpers.setCoinbase(stranger)
await helpers.setPrevRandao(42)
await helpers.setNextBlockBaseFeePerGas(10n ** 14n)
await helpers.setBlockGasLimit(30_000_000)
await helpers.mine()
const { baseFeePerGas, gasLimit, miner } = await client.getBlock()
assert.deepEqual([baseFeePerGas, gasLimit, miner], [10n ** 14n, 30_000_000n, stranger])

const height = await helpers.time.latestBlock()
const began = await helpers.time.latest()
await helpers.mine(100, { interval: 15 })
assert.equal(await helpers.time.latestBlock(), height + 100)
assert.ok(await helpers.time.latest() >= began + 99 * 15)
await helpers.mineUpTo(height + 110)
assert.equal(await helpers.time.latestBlock(), height + 110)
const now = await helpers.time.latest()
await helpers.time.increase(3600)
assert.ok(await helpers.time.latest() >= now + 3600)
await helpers.time.increaseTo(now + 10_000)
assert.equal(await helpers.time.latest(), now + 10_000)
await helpers.time.setNextBlockTimestamp(now + helpers.time.duration.days(1))
await helpers.mine()
assert.equal(await helpers.time.latest(), now + 86_400)

const snapshot = await helpers.takeSnapshot()
await helpers.setBalance(stranger, 5n)
await snapshot.restore()
assert.notEqual(await client.getBalance({ address: stranger }), 5n)
await provider.request({ method: 'evm_setAutomine', params: [false] })
const waiting = await wallet.sendTransaction({ to: stranger, value: 1n })
await helpers.dropTransaction(waiting)
assert.equal(await provider.request({ method: 'eth_getTransactionByHash', params: [waiting] }), null)
await provider.request({ method: 'evm_setAutomine', params: [true] })
console.log('done: helpers')
