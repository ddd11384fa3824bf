// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rpc, run } from './chain.mjs'
import { addFeePayer } from './feedelegation.mjs'

export const name = 'Hardhat'

const here = dirname(fileURLToPath(import.meta.url))

export function features({ url, chainId, key, payer }) {
  const work = ['read', 'send', 'deploy', 'call', 'events', 'fee delegation']
  let output
  const start = async () => {
    // A sender without a coin sends nothing, at the fee payer's cost.
    const sender = privateKeyToAccount(generatePrivateKey())
    const tip = BigInt(await rpc(url, 'eth_maxPriorityFeePerGas'))
    const signed = await sender.signTransaction({
      type: 'eip1559', chainId, nonce: 0, gas: 21000n, to: payer.address, value: 0n, maxFeePerGas: 3n * tip, maxPriorityFeePerGas: tip,
    })
    const env = {
      RPC_URL: url, CHAIN_ID: String(chainId), PRIVATE_KEY: key, DELEGATED: await addFeePayer(signed, payer),
      HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', DO_NOT_TRACK: '1', CI: 'true', NO_COLOR: '1',
    }
    return run(join(here, 'node_modules', '.bin', 'hardhat'), ['--config', 'hardhat.config.cjs', 'run', 'hardhat.cjs'], { cwd: here, env })
      .catch((error) => error.message)
  }
  return Object.fromEntries(work.map((feature) => [feature, async () => {
    output ??= await start()
    if (!output.includes(`done: ${feature}\n`)) throw new Error(output)
  }]))
}
