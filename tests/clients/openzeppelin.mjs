// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Runs the same exercise of OpenZeppelin's contracts on gwon-dev node and on anvil, and compares what the two answer: receipts with their gas
// and logs, results of calls, errors. The differences are those of the two chains' rules, and there are no others.
import assert from 'node:assert/strict'
import { startAnvil } from './chain.mjs'
import { tool } from './foundry.mjs'
import { contracts, exercise } from './openzeppelin/suite.mjs'

export const name = 'OpenZeppelin'

const coin = '0x0000000000000000000000000000000000001000'
const initCodeGas = 2n // for a word, EIP-3860

/** Returns what a chain without the two rules of this one answers where this one gave these answers. */
function withoutOwnRules(answers) {
  let initCode = 0n
  let transfers = 0
  const translated = answers.map(([what, answer]) => {
    if (what === 'bytes of init code') initCode = BigInt(answer)
    if (!answer?.logs) return [what, answer]
    const logs = answer.logs.filter(({ address }) => address !== coin) // a transfer of coins leaves a log: spec chain 5
    transfers += answer.logs.length - logs.length
    const created = answer.contractAddress ? initCodeGas * ((initCode + 31n) / 32n) : 0n // creations pay for no init code: spec chain 2
    return [what, { ...answer, gasUsed: answer.gasUsed + created, logs }]
  })
  assert.equal(transfers, 3, 'transfers of coins with a log')
  return translated
}

export function features({ url, chainId }) {
  const compiled = contracts()
  let own
  return {
    'on gwon': async () => { own = await exercise(url, compiled) },
    'as on anvil': async () => {
      const anvil = await startAnvil(tool('anvil'), chainId)
      try {
        const other = await exercise(anvil.url, compiled)
        assert.deepEqual(withoutOwnRules(own), other)
      } finally {
        await anvil.stop()
      }
    },
  }
}
