// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Each JavaScript block of the documents, as it stands there but for the URL.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseWon } from '@gwon/sdk'
import { run, until } from '../../../../tests/clients/chain.mjs'
import { ownSponsor, rpc, startNetwork } from './network.mjs'

const root = new URL('../../../../', import.meta.url)
// A directory inside of the package, which finds itself and its peers there.
const work = fileURLToPath(new URL('../work/', import.meta.url))
const defaultURL = 'http://127.0.0.1:8545'

/** What a block writes, and the coins that its recipient has then. A block is known by its first line. */
const blocks = {
  'sdk/js/README.md': {
    '// viem, fee payer': { coins: '5' },
    '// ethers, sponsor': { coins: '5' },
  },
  'docs/develop/sdk.md': {
    '// viem': { coins: '1500', output: /^feeDelegated success\npaid by 0x.*\nfee ₩1\nvalidators \[/ },
    '// ethers': { coins: '1500', output: /^22 1\npaid by 0x.*\nfee ₩1\napproved 0x/ },
    '// sponsor': { coins: '1500', output: /^feeDelegated paid by 0x.*\ntrue\n/ },
    '// apart': { coins: '1500', output: /sends 1500000000000000000000n to 0x.*\nfeeDelegated\n/ },
    '// payments': { coins: '1500', output: /^paid 0x\S+ 0x/ },
  },
  'docs/develop/fee-delegation.md': {
    "// The fee payer has the sender's raw transaction of type 2, signed.": { coins: '5' },
  },
}

let network, sponsor, dir
before(async () => {
  mkdirSync(work, { recursive: true })
  dir = mkdtempSync(join(work, 'docs-'))
  network = await startNetwork()
  sponsor = ownSponsor(network)
})
after(async () => {
  await network?.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** The sender's transaction of five coins, for the block that begins with one. */
async function senderTransaction(key, to) {
  const account = privateKeyToAccount(key)
  const [nonce, price] = await Promise.all([
    rpc(network.rpc, 'eth_getTransactionCount', [account.address, 'latest']),
    rpc(network.rpc, 'eth_gasPrice'),
  ])
  return account.signTransaction({
    type: 'eip1559',
    chainId: network.chainId,
    nonce: Number(nonce),
    gas: 21_000n,
    to,
    value: parseWon('5'),
    maxFeePerGas: 2n * BigInt(price),
    maxPriorityFeePerGas: BigInt(await rpc(network.rpc, 'eth_maxPriorityFeePerGas')),
  })
}

for (const [page, expected] of Object.entries(blocks)) {
  const text = readFileSync(new URL(page, root), 'utf8')
  const found = [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code)
  test(`${page} has these blocks`, () =>
    assert.deepEqual(
      found.map((code) => code.split('\n')[0]),
      Object.keys(expected),
    ))
  for (const [i, code] of found.entries()) {
    const title = code.split('\n')[0]
    test(`${page} ${title}`, async () => {
      const { coins, output } = expected[title]
      const key = network.accounts[4].privateKey
      const to = privateKeyToAccount(generatePrivateKey()).address
      const names = {
        KEY: key,
        PAYER_KEY: network.accounts[2].privateKey,
        TO: to,
        SPONSOR_URL: sponsor.url,
        SIGNED: await senderTransaction(key, to),
      }
      const file = join(dir, `${page.replace(/\W/g, '-')}-${i}.mjs`)
      const declared = Object.entries(names)
        .filter(([name]) => code.includes(name))
        .map(([name, value]) => `const ${name} = '${value}'`)
      const atNode = code
        .replaceAll(defaultURL, network.rpc)
        .replace('transport: http()', `transport: http('${network.rpc}')`)
      writeFileSync(file, `${declared.join('\n')}\n${atNode}`)
      const have = await run(process.execPath, [file], { timeout: 60_000 })
      if (output) assert.match(have, output)
      await until(
        'the payment',
        async () => BigInt(await rpc(network.rpc, 'eth_getBalance', [to, 'latest'])) === parseWon(coins),
        20_000,
      )
    })
  }
}
