// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Runs inside "hardhat run" on gwon-dev node, with every function of the network helpers.
const assert = require('node:assert/strict')
const { ethers } = require('hardhat')
const helpers = require('@nomicfoundation/hardhat-network-helpers')

const stranger = '0x00000000000000000000000000000000000000aa'

async function main() {
  const { provider } = ethers
  const [signer] = await ethers.getSigners()
  async function deploy() {
    const contract = await ethers.deployContract('Counter')
    await contract.waitForDeployment()
    return contract
  }
  const first = await helpers.loadFixture(deploy)
  await (await first.add()).wait()
  assert.equal(await first.count(), 1n)
  const again = await helpers.loadFixture(deploy)
  assert.equal(await again.getAddress(), await first.getAddress())
  assert.equal(await again.count(), 0n)

  await helpers.setBalance(stranger, 10n ** 19n)
  assert.equal(await provider.getBalance(stranger), 10n ** 19n)
  await helpers.impersonateAccount(stranger)
  const sender = await ethers.getSigner(stranger)
  const receipt = await (await sender.sendTransaction({ to: signer.address, value: 1n })).wait()
  assert.equal(receipt.status, 1)
  await helpers.stopImpersonatingAccount(stranger)
  const impersonated = await ethers.getImpersonatedSigner('0x00000000000000000000000000000000000000bb')
  assert.equal(impersonated.address, '0x00000000000000000000000000000000000000bb')
  await helpers.setNonce(stranger, 9)
  assert.equal(await provider.getTransactionCount(stranger), 9)
  await helpers.setCode(stranger, '0x6001')
  assert.equal(await provider.getCode(stranger), '0x6001')
  await helpers.setStorageAt(stranger, 1, 7)
  assert.equal(BigInt(await helpers.getStorageAt(stranger, 1)), 7n)
  await helpers.setCoinbase(stranger)
  await helpers.setPrevRandao(42)
  await helpers.setNextBlockBaseFeePerGas(10n ** 14n)
  await helpers.setBlockGasLimit(30_000_000)

  const height = await helpers.time.latestBlock()
  await helpers.mine(100, { interval: 15 })
  assert.equal(await helpers.time.latestBlock(), height + 100)
  await helpers.mineUpTo(height + 110)
  assert.equal(await helpers.time.latestBlock(), height + 110)
  const now = await helpers.time.latest()
  await helpers.time.increase(3600)
  assert.ok(await helpers.time.latest() >= now + 3600)
  await helpers.time.increaseTo(now + 10_000)
  assert.equal(await helpers.time.latest(), now + 10_000)
  await helpers.time.setNextBlockTimestamp(now + 20_000)
  await helpers.mine()
  assert.equal(await helpers.time.latest(), now + 20_000)

  const snapshot = await helpers.takeSnapshot()
  await helpers.setBalance(stranger, 5n)
  await snapshot.restore()
  assert.notEqual(await provider.getBalance(stranger), 5n)
  await provider.send('evm_setAutomine', [false])
  const waiting = await signer.sendTransaction({ to: stranger, value: 1n })
  await helpers.dropTransaction(waiting.hash)
  assert.equal(await provider.getTransaction(waiting.hash), null)
  await provider.send('evm_setAutomine', [true])
  await helpers.reset()
  assert.equal(await helpers.time.latestBlock(), 0)
  console.log('done: helpers')
}

main().catch((error) => { console.error(error); process.exitCode = 1 })
