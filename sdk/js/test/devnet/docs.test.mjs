// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Each JavaScript block of the documents, as it stands there but for the URL.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createWalletClient, encodeFunctionData, erc20Abi, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseWon } from '@gwon/sdk'
import * as payments from '@gwon/sdk/payments'
import { wkrcDevnet } from '@gwon/sdk/viem'
import { run, until } from '../../../../tests/clients/chain.mjs'
import { ownSponsor, rpc, startNetwork } from './network.mjs'

const root = new URL('../../../../', import.meta.url)
// A directory inside of the package, which finds itself and its peers there.
const work = fileURLToPath(new URL('../work/', import.meta.url))
const defaultURL = 'http://127.0.0.1:8545'

/**
 * What a block writes, and the coins that its recipient has then. A block is known by its first line. One that serves
 * stays and writes its URL first; one with `customerOf` is run against the server of that block.
 */
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
  },
  'docs/develop/proofs.md': {
    '// proof': { coins: '5', output: /^block \d+n at .*Z\npaid true\n₩5 from 0x\w{40} to 0x/ },
  },
  'docs/develop/payments.md': {
    '// payments': { coins: '1500', output: /^paid 0x\S+ 0x/ },
    '// shop': { serves: true },
    '// customer': { customerOf: '// shop', coins: '1500', output: /^A-1 of ₩1,500\npaid\n$/ },
  },
  'docs/develop/fee-delegation.md': {
    '// viem: both keys here': { coins: '5', output: /^0x\S+ paid ₩1\n$/ },
    "// The fee payer has the sender's raw transaction of type 2, signed.": { coins: '5' },
  },
}

/** Pages in another language, which have the code of the page in English. */
const translations = {
  'docs/develop/ko/fee-delegation.md': 'docs/develop/fee-delegation.md',
  'docs/develop/ko/payments.md': 'docs/develop/payments.md',
}

const read = (page) => readFileSync(new URL(page, root), 'utf8')

let network, sponsor, dir
const servers = {} // title of a block -> its URL and recipient
const children = []
before(async () => {
  mkdirSync(work, { recursive: true })
  dir = mkdtempSync(join(work, 'docs-'))
  network = await startNetwork()
  sponsor = ownSponsor(network)
})
after(async () => {
  children.forEach((child) => child.kill('SIGTERM'))
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

/** Pays five coins, and returns the hash of that and the block to trust. */
async function provenPayment(key, to) {
  const HASH = await rpc(network.rpc, 'eth_sendRawTransaction', [await senderTransaction(key, to)])
  await until('the payment to prove', async () => rpc(network.rpc, 'eth_getTransactionReceipt', [HASH]))
  const { hash } = await rpc(network.rpc, 'eth_getBlockByNumber', ['0x0', false])
  return { HASH, CHECKPOINT: { chainId: network.chainId, number: 0, hash } }
}

/** Starts a program that writes its URL, for the time of the tests. */
function serve(file) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    child.on('close', (code) => reject(new Error(`${file} ended with ${code}`)))
    child.stdout.once('data', (url) => resolve(String(url).trim()))
  })
}

for (const [page, expected] of Object.entries(blocks)) {
  const found = [...read(page).matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code)
  test(`${page} has these blocks`, () =>
    assert.deepEqual(
      found.map((code) => code.split('\n')[0]),
      Object.keys(expected),
    ))
  for (const [i, code] of found.entries()) {
    const title = code.split('\n')[0]
    test(`${page} ${title}`, async () => {
      const { coins, output, serves, customerOf } = expected[title]
      const key = network.accounts[4].privateKey
      const to = servers[customerOf]?.to ?? privateKeyToAccount(generatePrivateKey()).address
      const names = {
        KEY: key,
        PAYER_KEY: network.accounts[2].privateKey,
        TO: to,
        SPONSOR_URL: sponsor.url,
        SIGNED: await senderTransaction(key, to),
      }
      if (code.includes('CHECKPOINT')) Object.assign(names, await provenPayment(key, to))
      const file = join(dir, `${page.replace(/\W/g, '-')}-${i}.mjs`)
      const declared = Object.entries(names)
        .filter(([name]) => code.includes(name))
        .map(([name, value]) => `const ${name} = ${JSON.stringify(value)}`)
      const atNode = code
        .replaceAll(defaultURL, network.rpc)
        .replace('transport: http()', `transport: http('${network.rpc}')`)
        .replace('listen(8080,', 'listen(0,')
        .replaceAll('http://127.0.0.1:8080', servers[customerOf]?.url)
      writeFileSync(file, `${declared.join('\n')}\n${atNode}`)
      if (serves) {
        const url = await serve(file)
        servers[title] = { url, to }
        for (const body of ['x', 'null', '']) {
          assert.equal((await fetch(`${url}/pay`, { method: 'POST', body })).status, 400, `the body ${body}`)
        }
        return
      }
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

for (const [page, original] of Object.entries(translations)) {
  test(`${page} has the code of ${original}`, () => {
    const code = (text) => [...text.matchAll(/^```(js|go|sh)\n(.*?)^```/gms)].map(([block]) => block)
    assert.ok(code(read(original)).length > 2)
    assert.deepEqual(code(read(page)), code(read(original)))
  })
}

test('the costs of the table are those of the chain', async () => {
  const client = createWalletClient({
    account: privateKeyToAccount(network.accounts[5].privateKey),
    chain: wkrcDevnet,
    transport: http(network.rpc),
  }).extend(publicActions)
  const feePayer = privateKeyToAccount(network.accounts[2].privateKey)
  const stranger = () => privateKeyToAccount(generatePrivateKey()).address
  const gasOf = async (hash) => Number((await client.waitForTransactionReceipt({ hash })).gasUsed)

  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [stranger(), parseWon('5')] })
  const request = await payments.request({
    client,
    merchant: stranger(),
    invoice: 'a first payment',
    amount: parseWon('1500'),
    due: new Date(Date.now() + 60_000),
  })
  const authorization = await payments.sign({ request, signer: privateKeyToAccount(network.accounts[4].privateKey) })
  const used = {
    plain: await gasOf(await client.sendTransaction({ to: stranger(), value: 1n, feePayer })),
    approve: await gasOf(await client.sendTransaction({ to: request.asset, data: approve, feePayer })),
    payment: await gasOf(await payments.submit({ client, request, authorization })),
  }

  for (const page of ['docs/develop/fee-delegation.md', 'docs/develop/ko/fee-delegation.md']) {
    const rows = [...read(page).matchAll(/^\|[^|]*\| ([\d,]+) \| ₩([\d.]+) \| ₩([\d.]+) \|$/gm)].map((row) =>
      row.slice(1).map((figure) => Number(figure.replaceAll(',', ''))),
    )
    assert.equal(rows.length, 3)
    for (const [i, [name, gas]] of Object.entries(used).entries()) {
      const [stated, lowest, high] = rows[i]
      // Zero bytes in signatures and addresses are cheaper than others.
      assert.ok(Math.abs(stated - gas) <= gas / 100, `${page}: ${name} uses ${gas} gas, the page has ${stated}`)
      assert.equal(lowest, Number((stated * 47_600e-9).toFixed(2)), `${page}: ${name} at 47,600 gwei`)
      assert.equal(high, Number((stated * 100_000e-9).toFixed(2)), `${page}: ${name} at 100,000 gwei`)
    }
  }
})
