// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Sends a transfer at raised base fees, with the settings of the configuration. dev.mjs runs it.
const assert = require('node:assert/strict')
const { ethers } = require('hardhat')

async function main() {
  const [signer] = await ethers.getSigners()
  for (const baseFee of [26_000n, 60_000n, 110_000n]) {
    await ethers.provider.send('hardhat_setNextBlockBaseFeePerGas', [`0x${(baseFee * 10n ** 9n).toString(16)}`])
    const transaction = await signer.sendTransaction({ to: signer.address, value: 1n })
    assert.equal((await transaction.wait()).status, 1)
    console.log(`done: ${baseFee} gwei`)
  }
}

main().catch((error) => { console.error(error); process.exitCode = 1 })
