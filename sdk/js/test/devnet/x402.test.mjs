// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Stock packages of x402 with the sponsor as facilitator, and the blocks of docs/develop/x402.md.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { coinAddress, parseWon } from '@gwon/sdk'
import { run, until } from '../../../../tests/clients/chain.mjs'
import { gwon, rpc, startNetwork } from './network.mjs'

// A directory inside of the package, which finds itself and its peers there.
const work = fileURLToPath(new URL('../work/', import.meta.url))
const page = readFileSync(new URL('../../../../docs/develop/x402.md', import.meta.url), 'utf8')
const block = (start) => {
  const found = [...page.matchAll(/^```\w+\n(.*?)^```/gms)]
    .map(([, code]) => code)
    .filter((code) => code.startsWith(start))
  assert.equal(found.length, 1, `blocks that begin with ${start}`)
  return found[0]
}
const apiKey = 'the-key-of-this-shop'
const payTo = privateKeyToAccount(generatePrivateKey()).address

let network, dir, facilitator, shop, shopProcess
const children = []
const balance = async (address) => BigInt(await rpc(network.rpc, 'eth_getBalance', [address, 'latest']))

/** Starts a program, and resolves with what the pattern finds in its output. */
function start(command, args, pattern) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    child.output = ''
    child.on('close', (code) => reject(new Error(`${command} ended with ${code}:\n${child.output}`)))
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        child.output += data
        const found = pattern.exec(child.output)
        if (found) resolve(found[1])
      })
    }
  })
}

/** Starts gwon-pay sponsor with the configuration of the page, and this account as payer. It returns its URL and process. */
async function startFacilitator(payer) {
  const files = join(dir, payer.address)
  mkdirSync(files, { recursive: true })
  writeFileSync(join(files, 'payer.key'), payer.privateKey.slice(2), { mode: 0o600 })
  const text = block('listen')
    .replace('127.0.0.1:9545', '127.0.0.1:0')
    .replace('http://127.0.0.1:8545', network.rpc)
    .replace('/var/lib/gwon-sponsor', 'books')
    .replace(/address = "0x178f\w+"/, `address = "${payer.address}"`)
    .replace(/hash = "\w+"/, `hash = "${createHash('sha256').update(apiKey).digest('hex')}"`)
    .replace('0x00000000000000000000000000000000000000aa', payTo)
  writeFileSync(join(files, 'sponsor.toml'), text)
  const url = await start(
    gwon.replace(/gwon$/, 'gwon-pay'),
    ['sponsor', '--config', join(files, 'sponsor.toml')],
    /Sponsor started.*url=(http\S+)/,
  )
  return { url: `${url}/${apiKey}`, process: children.at(-1), audit: join(files, 'books', 'audit.jsonl') }
}

/** Writes a block of the page as a program. */
function program(title, names) {
  const code = block(title)
  const file = join(dir, `${title.replace(/\W/g, '')}.mjs`)
  const declared = Object.entries(names).map(([name, value]) => `const ${name} = '${value}'`)
  const local = code.replace('listen(8080,', 'listen(0,').replaceAll('http://127.0.0.1:8080', shop)
  writeFileSync(file, `${declared.join('\n')}\n${local}`)
  return file
}

before(async () => {
  mkdirSync(work, { recursive: true })
  dir = mkdtempSync(join(work, 'x402-'))
  network = await startNetwork()
  facilitator = (await startFacilitator(network.accounts[2])).url
  shop = await start(process.execPath, [program('// shop', { SPONSOR_URL: facilitator, TO: payTo })], /^(http\S+)\n/)
  shopProcess = children.at(-1)
})
after(async () => {
  children.forEach((child) => child.kill('SIGTERM'))
  await network?.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** A customer that signs payments without sending them. */
function customer(account) {
  const client = new ExactEvmScheme(account)
  return new x402HTTPClient(
    x402Client.fromConfig({ schemes: [{ network: 'eip155:828300', client }], spendControls: false }),
  )
}

/** What the shop asks for, as its client reads it. */
async function asked(http) {
  const response = await fetch(`${shop}/weather`)
  assert.equal(response.status, 402)
  return http.getPaymentRequiredResponse((name) => response.headers.get(name), await response.json())
}

const send = (http, payload) => fetch(`${shop}/weather`, { headers: http.encodePaymentSignatureHeader(payload) })

/** Asserts that the shop has not delivered, and returns why. */
async function refusedBy(http, payload) {
  const before = await balance(payTo)
  const response = await send(http, payload)
  assert.equal(response.status, 402)
  assert.doesNotMatch(await response.text(), /sunny/)
  assert.equal(await balance(payTo), before)
  const receipt = response.headers.get('PAYMENT-RESPONSE')
  return receipt
    ? http.getPaymentSettleResponse((name) => response.headers.get(name)).errorReason
    : http.getPaymentRequiredResponse((name) => response.headers.get(name)).error
}

test('a paid call, as the page has it', async () => {
  const { address, privateKey } = network.accounts[4]
  const [had, payerHad] = [await balance(address), await balance(network.accounts[2].address)]
  const output = await run(process.execPath, [program('// customer', { KEY: privateKey })], { timeout: 60_000 })
  assert.match(output, /^200 { weather: 'sunny' } 0x[0-9a-f]{64}\n$/)
  assert.equal(await balance(payTo), parseWon('100'))
  assert.equal(had - (await balance(address)), parseWon('100'), 'the customer pays no fee')
  const receipt = await rpc(network.rpc, 'eth_getTransactionReceipt', [output.trim().split(' ').at(-1)])
  assert.equal(receipt.feePayer.toLowerCase(), network.accounts[2].address.toLowerCase())
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  assert.equal(payerHad - (await balance(network.accounts[2].address)), fee)
  const usage = await (await fetch(`${facilitator}/usage`)).json()
  assert.deepEqual([usage.spent, usage.reserved, usage.count], [String(fee), '0', 1])
})

test('a refusal has its reason at the customer and at the shop', async () => {
  const reason = 'invalid_exact_evm_insufficient_balance'
  await assert.rejects(
    run(process.execPath, [program('// customer', { KEY: generatePrivateKey() })], { timeout: 60_000 }),
    new RegExp(`402: ${reason}`),
  )
  assert.match(shopProcess.output, new RegExp(`^refused ${reason} 0x\\w{40} has 0 wei`, 'm'))
})

test('a replay', async () => {
  const http = customer(privateKeyToAccount(network.accounts[5].privateKey))
  const payload = await http.createPaymentPayload(await asked(http))
  assert.equal((await send(http, payload)).status, 200)
  assert.equal(await refusedBy(http, payload), 'invalid_exact_evm_nonce_already_used')
})

/** The effects of the shop that the page has: lines that its hook writes. */
const sold = () => [...shopProcess.output.matchAll(/^sold http\S+ (0x[0-9a-f]{64})$/gm)].map(([, hash]) => hash)

test('one payment twice at the same moment', async () => {
  const sales = sold().length
  const http = customer(privateKeyToAccount(network.accounts[5].privateKey))
  const payload = await http.createPaymentPayload(await asked(http))
  const had = await balance(payTo)
  const answers = await Promise.all([send(http, payload), send(http, payload)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 402])
  assert.equal((await balance(payTo)) - had, parseWon('100'))
  await until('the effect', () => sold().length > sales)
  assert.equal(sold().length, sales + 1, 'an effect for each payment')
  assert.equal(new Set(sold()).size, sold().length, 'a transaction has one effect')
})

test('refusals', async (t) => {
  const http = customer(privateKeyToAccount(network.accounts[6].privateKey))
  const required = await asked(http)
  /** A payment of what is asked for with a change, which the shop is told to be what it asked for. */
  const changed = async (change) => {
    const accepts = required.accepts.map((one) => ({ ...one, ...change }))
    return { ...(await http.createPaymentPayload({ ...required, accepts })), accepted: required.accepts[0] }
  }
  for (const [name, change, reason] of [
    ['expired', { maxTimeoutSeconds: 0 }, 'invalid_exact_evm_payload_authorization_valid_before'],
    ['underpaid', { amount: '1' }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
    ['another payee', { payTo: coinAddress }, 'invalid_exact_evm_recipient_mismatch'],
    ['another coin in the signature', { extra: { name: 'USDC', version: '2' } }, 'invalid_exact_evm_signature'],
  ]) {
    await t.test(name, async () => assert.equal(await refusedBy(http, await changed(change)), reason))
  }
  await t.test('a customer without coins', async () => {
    const poor = customer(privateKeyToAccount(generatePrivateKey()))
    assert.equal(
      await refusedBy(poor, await poor.createPaymentPayload(required)),
      'invalid_exact_evm_insufficient_balance',
    )
  })
})

test('a facilitator that is killed while it settles', async () => {
  const http = customer(privateKeyToAccount(network.accounts[5].privateKey))
  const payload = await http.createPaymentPayload(await asked(http))
  const had = await balance(payTo)
  const first = await startFacilitator(network.accounts[3])
  const interrupted = assert.rejects(new HTTPFacilitatorClient({ url: first.url }).settle(payload, payload.accepted))
  await until(
    'the reservation',
    () => existsSync(first.audit) && readFileSync(first.audit, 'utf8').includes('reserved'),
  )
  first.process.kill('SIGKILL')
  await interrupted
  const client = new HTTPFacilitatorClient({ url: (await startFacilitator(network.accounts[3])).url })
  const settled = await client.settle(payload, payload.accepted)
  assert.ok(settled.success, settled.errorMessage)
  assert.deepEqual(await client.settle(payload, payload.accepted), settled)
  assert.equal((await balance(payTo)) - had, parseWon('100'))
})

test('the sponsor of a devnet is a facilitator', async () => {
  const { kinds, signers } = await (await fetch(`${network.sponsor.rpc}/supported`)).json()
  assert.deepEqual(
    kinds.map(({ x402Version, scheme, network }) => [x402Version, scheme, network]),
    [[2, 'exact', 'eip155:828300']],
  )
  assert.deepEqual(
    signers['eip155:*'].map((address) => address.toLowerCase()),
    [network.sponsor.payer.toLowerCase()],
  )
})
