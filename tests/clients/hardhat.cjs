// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Runs inside "hardhat run" and prints a line for each feature that works.
const assert = require('node:assert/strict')
const hre = require('hardhat')

async function main() {
  const { ethers } = hre
  const [signer] = await ethers.getSigners()
  const done = (feature) => console.log(`done: ${feature}`)
  assert.equal(Number((await ethers.provider.getNetwork()).chainId), Number(process.env.CHAIN_ID))
  assert.ok(await ethers.provider.getBalance(signer.address) > 10n ** 21n)
  done('read')
  const payment = await signer.sendTransaction({ to: '0x00000000000000000000000000000000000000aa', value: 1n })
  assert.equal((await payment.wait()).status, 1)
  done('send')
  const contract = await ethers.deployContract('Counter')
  await contract.waitForDeployment()
  const first = (await contract.deploymentTransaction().wait()).blockNumber
  done('deploy')
  assert.equal((await (await contract.add()).wait()).status, 1)
  assert.equal(await contract.count(), 1n)
  await assert.rejects(contract.refuse.staticCall(), /not today/)
  done('call')
  assert.equal((await contract.queryFilter('Counted', first)).length, 1)
  done('events')
  if (process.env.DELEGATED) {
    const hash = await hre.network.provider.send('eth_sendRawTransaction', [process.env.DELEGATED])
    for (let tries = 0; ; tries++) {
      const receipt = await hre.network.provider.send('eth_getTransactionReceipt', [hash])
      if (receipt) {
        assert.equal(receipt.status, '0x1')
        break
      }
      assert.ok(tries < 100)
      await new Promise((r) => setTimeout(r, 200))
    }
    done('fee delegation')
  }
}

main().catch((error) => { console.error(error); process.exitCode = 1 })
