// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Each program of sdk/examples, as a user runs it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { coinAddress, parseWon } from '@gwon/sdk'
import { fetchReceiptProof } from '@gwon/sdk/proof'
import { run } from '../../../../tests/clients/chain.mjs'
import { ownSponsor, rpc, startNetwork } from './network.mjs'

// A directory inside of the package, which finds itself and its peers there.
const work = fileURLToPath(new URL('../work/', import.meta.url))
let network, sponsor, dir
const balance = async (address) => BigInt(await rpc(network.rpc, 'eth_getBalance', [address, 'latest']))
const key = (i) => network.accounts[i].privateKey

before(async () => {
  mkdirSync(work, { recursive: true })
  dir = mkdtempSync(join(work, 'examples-'))
  cpSync(fileURLToPath(new URL('../../../examples/', import.meta.url)), dir, { recursive: true })
  network = await startNetwork()
  sponsor = ownSponsor(network)
})
after(async () => {
  await network?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const example = (file, args, env) =>
  run(process.execPath, [join(dir, file), ...args], { env: { RPC: network.rpc, ...env }, timeout: 60_000 })

for (const file of ['viem-transfer.mjs', 'ethers-transfer.mjs', 'contract-call.mjs']) {
  const isTransfer = file.endsWith('-transfer.mjs')
  test(file, async (t) => {
    for (const [i, how] of ['PAYER_KEY', 'SPONSOR'].entries()) {
      await t.test(how, async () => {
        const to = privateKeyToAccount(generatePrivateKey()).address
        const [sender, payer] = [
          privateKeyToAccount(key(4 + i)),
          how === 'SPONSOR' ? sponsor.account : privateKeyToAccount(key(2)),
        ]
        const [before, paid] = [await balance(sender.address), await balance(payer.address)]
        const output = await example(file, [to, '₩1,234.5'], {
          KEY: key(4 + i),
          [how]: how === 'SPONSOR' ? sponsor.url : key(2),
        })
        assert.match(
          output,
          isTransfer ? /1,234\.5 to 0x.* paid the fee of ₩[0-9.]+/ : /may spend ₩1,234\.5, and 0x.* paid the fee/,
        )
        assert.ok(output.toLowerCase().includes(payer.address.toLowerCase()), output)
        assert.equal(before - (await balance(sender.address)), isTransfer ? parseWon('1234.5') : 0n)
        assert.ok((await balance(payer.address)) < paid)
      })
    }
  })
}

/** Starts the shop, and returns its URL and stop. */
function startShop(env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(dir, 'shop.mjs'), '0'], {
      env: { ...process.env, RPC: network.rpc, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise((end) => child.on('close', end))
    ended.then((code) => reject(new Error(`the shop ended with ${code}`)))
    child.stdout.once('data', (url) =>
      resolve({
        url: String(url).trim(),
        stop: () => {
          child.kill('SIGTERM')
          return ended
        },
      }),
    )
  })
}

/** Serves the files of a directory. */
async function serve(root) {
  const types = { html: 'text/html', js: 'text/javascript' }
  const server = createServer((request, response) => {
    const file = join(root, new URL(request.url, 'http://localhost').pathname.replace(/\/$/, '/index.html'))
    if (!existsSync(file)) return response.writeHead(404).end()
    return response
      .writeHead(200, { 'Content-Type': types[file.split('.').at(-1)] ?? 'text/plain' })
      .end(readFileSync(file))
  })
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop: () =>
      new Promise((end) => {
        server.close(end)
        server.closeAllConnections()
      }),
  }
}

function browserPath() {
  const path = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    (each) => each && existsSync(each),
  )
  if (!path) throw new Error("no browser found: install Debian's package chromium, or set CHROMIUM to the path of one")
  return path
}

const openBrowser = () =>
  chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

test('the page that verifies a receipt', async (t) => {
  const customer = privateKeyToAccount(key(7))
  const to = privateKeyToAccount(generatePrivateKey()).address.toLowerCase()
  await example('viem-transfer.mjs', [to, '₩1,500'], { KEY: key(7), PAYER_KEY: key(2) })
  const [log] = await rpc(network.rpc, 'eth_getLogs', [
    { fromBlock: '0x0', address: coinAddress, topics: [null, null, `0x${to.slice(2).padStart(64, '0')}`] },
  ])
  const { hash: genesis } = await rpc(network.rpc, 'eth_getBlockByNumber', ['0x0', false])
  const trusted = { chainId: Number(await rpc(network.rpc, 'eth_chainId', [])), number: 0, hash: genesis }
  const node = { request: ({ method, params }) => rpc(network.rpc, method, params) }
  const proof = await fetchReceiptProof(node, log.transactionHash, trusted)
  await build({
    entryPoints: [join(dir, 'receipt', 'page.mjs')],
    outfile: join(dir, 'receipt', 'page.js'),
    bundle: true,
    format: 'esm',
    logLevel: 'silent',
  })
  const site = await serve(join(dir, 'receipt'))
  t.after(() => site.stop())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`${site.url}?chain=${trusted.chainId}&hash=${genesis}`)
  await page.context().setOffline(true)
  const choose = async (content, pattern) => {
    const buffer = Buffer.from(JSON.stringify(content))
    await page.locator('#file').setInputFiles({ name: 'receipt.json', mimeType: 'application/json', buffer })
    await page.locator('#state', { hasText: pattern }).waitFor({ timeout: 30_000 })
    return page.locator('#payment').textContent()
  }
  await t.test('a payment is proven offline', async () => {
    const text = await choose(proof, /^Proven: the transaction is final/)
    assert.ok(text.includes(log.transactionHash) && text.includes(customer.address.toLowerCase()), text)
    assert.ok(text.includes(`₩1,500 from ${customer.address.toLowerCase()} to ${to}`), text)
    assert.ok(text.includes(`${genesis}, which the link to this page names`), text)
  })
  await t.test('a lie is not', async () => {
    const lie = { ...proof, receipt: { ...proof.receipt, index: '0x7' } }
    assert.equal(await choose(lie, /^Not proven: the proof is refused/), '')
  })
})

test('the shop and its page', async (t) => {
  const merchant = privateKeyToAccount(generatePrivateKey()).address
  const customer = privateKeyToAccount(key(6))
  const shop = await startShop({ MERCHANT: merchant, SPONSOR: sponsor.url })
  t.after(() => shop.stop())
  await build({
    entryPoints: [join(dir, 'browser', 'page.mjs')],
    outfile: join(dir, 'browser', 'page.js'),
    bundle: true,
    format: 'esm',
    logLevel: 'silent',
  })
  const site = await serve(join(dir, 'browser'))
  t.after(() => site.stop())
  const browser = await openBrowser()
  t.after(() => browser.close())

  /** Opens the page with a wallet, which answers as the function given does. */
  const open = async (wallet) => {
    const page = await browser.newPage()
    const errors = []
    page.on('pageerror', (error) => errors.push(error))
    if (wallet) {
      await page.exposeFunction('askWallet', wallet)
      await page.addInitScript(() => {
        window.ethereum = { request: (call) => window.askWallet(call) }
      })
    }
    await page.goto(`${site.url}?shop=${encodeURIComponent(shop.url)}`)
    await page.locator('#pay:enabled').click()
    return { page, errors }
  }
  const outcome = async (page, pattern) => {
    await page.locator('#state', { hasText: pattern }).waitFor({ timeout: 30_000 })
    return page.locator('#state').textContent()
  }

  await t.test('a customer pays', async () => {
    const { page, errors } = await open(async ({ method, params }) => {
      if (method === 'eth_requestAccounts') return [customer.address]
      assert.equal(method, 'eth_signTypedData_v4')
      return customer.signTypedData(JSON.parse(params[1]))
    })
    assert.match(await page.locator('#order').textContent(), new RegExp(`₩1,500 to ${merchant}`))
    const text = await outcome(page, /^(Paid|Not paid)/)
    const [, hash] = /^Paid\. Transaction (0x[0-9a-f]{64})$/.exec(text) ?? assert.fail(text)
    assert.equal(
      (await rpc(network.rpc, 'eth_getTransactionReceipt', [hash])).feePayer,
      sponsor.account.address.toLowerCase(),
    )
    assert.equal(await balance(merchant), parseWon('1500'))
    assert.deepEqual(errors, [])
  })
  await t.test('a customer refuses', async () => {
    const { page } = await open(async ({ method }) => {
      if (method === 'eth_requestAccounts') return [customer.address]
      throw new Error('User rejected the request.')
    })
    assert.match(await outcome(page, /^Not paid/), /User rejected/)
    assert.equal(await page.locator('#pay').isEnabled(), true)
  })
  await t.test('a customer without a wallet', async () => {
    assert.match(await outcome((await open()).page, /^Not paid/), /no wallet found/)
  })
  await t.test('a signature of somebody else', async () => {
    const thief = privateKeyToAccount(generatePrivateKey())
    const { page } = await open(async ({ method, params }) =>
      method === 'eth_requestAccounts' ? [customer.address] : thief.signTypedData(JSON.parse(params[1])),
    )
    assert.match(await outcome(page, /^Not paid/), /the signature is not that of/)
  })
  await t.test('an unknown invoice', async () => {
    const answer = await fetch(`${shop.url}/pay`, { method: 'POST', body: JSON.stringify({ nonce: '0x' }) })
    assert.equal(answer.status, 400)
    assert.match((await answer.json()).error, /no such invoice/)
  })
})
