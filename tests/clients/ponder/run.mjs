// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Indexes the coin's transfers of a devnet with ponder and compares its rows with the logs of the chain: from the first block, at the
// head, after a kill, and after a restart that missed transfers. Usage: node run.mjs GWON
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, createWalletClient, defineChain, http, parseAbiItem } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const coin = '0x0000000000000000000000000000000000001000'
const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const patience = 300_000 // of milliseconds
const here = dirname(fileURLToPath(import.meta.url))

/** Polls until check answers something true. */
async function until(what, check) {
  let failure
  for (const deadline = Date.now() + patience; Date.now() < deadline;) {
    const value = await check().catch((error) => { failure = error })
    if (value) return value
    await new Promise((r) => setTimeout(r, 200))
  }
  throw new Error(`${what} did not happen within ${patience / 1000} s: ${failure}`)
}

function freePort() {
  return new Promise((done, reject) => {
    const server = createServer().on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}

/** Starts a program. output tells what it has printed, end sends a signal and waits. */
function start(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  let ended = false
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => { output = (output + d).slice(-200_000) })
  const closed = new Promise((done, reject) => { child.on('close', () => { ended = true; done() }).on('error', reject) })
  return {
    output: () => output,
    check: () => assert.ok(!ended, `${command} has ended:\n${output}`),
    end: (signal) => { child.kill(signal); return closed },
  }
}

/** Starts the commands of docs/operate/scaling.md that belong to ponder, with the devnet's URL and directories of this run. */
async function startPonder(url, chainId, dir) {
  const page = readFileSync(join(here, '..', '..', '..', 'docs', 'operate', 'scaling.md'), 'utf8')
  const [, code] = /^```sh\n(cd tests\/clients\/ponder[^]*?)^```/m.exec(page) ?? assert.fail('the page does not start ponder')
  const line = code.split('\n').find((l) => l.startsWith('RPC_URL=')) ?? assert.fail('the page does not set RPC_URL')
  const command = line.split(' ').filter((word) => !word.startsWith('RPC_URL=')).join(' ')
  assert.match(command, /^npx ponder start --schema transfers --port 42069$/)
  const port = await freePort()
  const args = command.replace('42069', String(port)).split(' ').slice(2)
  const ponder = start(process.execPath, ['node_modules/ponder/dist/esm/bin/ponder.js', ...args, '--log-format', 'json'], {
    cwd: here,
    env: { ...process.env, RPC_URL: url, CHAIN_ID: String(chainId), TRANSFERS_DIR: dir, PONDER_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
  })
  return { ...ponder, url: `http://127.0.0.1:${port}` }
}

/** Returns the rows of ponder from its GraphQL endpoint, as text, in the order of the chain. */
async function rows(ponder) {
  ponder.check()
  const all = []
  for (let after = null; ;) {
    const query = `query($after: String) { transfers(orderBy: "block", limit: 500, after: $after) {
      items { block logIndex transaction sender recipient value } pageInfo { endCursor hasNextPage } } }`
    const answer = await fetch(`${ponder.url}/graphql`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ query, variables: { after } }),
    })
    const { data, errors } = await answer.json()
    assert.ok(!errors, JSON.stringify(errors))
    all.push(...data.transfers.items)
    if (!data.transfers.pageInfo.hasNextPage) break
    after = data.transfers.pageInfo.endCursor
  }
  return all.sort((a, b) => Number(a.block) - Number(b.block) || a.logIndex - b.logIndex)
    .map((r) => [r.block, r.logIndex, r.transaction, r.sender, r.recipient, r.value].join(' '))
}

/** Returns the same from the logs of the chain. */
async function logs(client) {
  const found = await client.getLogs({ address: coin, event: transferEvent, fromBlock: 0n, toBlock: 'latest' })
  return found.map(({ blockNumber, logIndex, transactionHash, args }) =>
    [blockNumber, logIndex, transactionHash, args.from.toLowerCase(), args.to.toLowerCase(), args.value].join(' '))
}

const [gwon] = process.argv.slice(2)
if (!gwon) {
  console.error('usage: node run.mjs GWON')
  process.exit(2)
}
const dir = mkdtempSync(join(tmpdir(), 'gwon-ponder-'))
const begun = Date.now()
const devnet = start(resolve(gwon).replace(/gwon$/, 'gwon-dev'), ['devnet', '--json', '--quiet', '--http.port', '0', '--datadir', join(dir, 'net'), '--validators', '1'])
let ponder
try {
  const info = await until('the devnet', async () => { devnet.check(); return devnet.output().includes('\n') && JSON.parse(devnet.output().split('\n')[0]) })
  const url = info.rpc
  const chain = defineChain({
    id: info.chainId, name: 'devnet', nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 }, rpcUrls: { default: { http: [url] } },
  })
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 200 })
  const wallet = createWalletClient({ chain, transport: http(url), account: privateKeyToAccount(info.accounts[0].privateKey) })
  const tip = BigInt(await client.request({ method: 'eth_maxPriorityFeePerGas' }))
  let nonce = 0
  const pay = async (count) => {
    let hash
    for (let n = 1; n <= count; n++) {
      const to = `0x${(0x10_0000 + nonce).toString(16).padStart(40, '0')}`
      hash = await wallet.sendTransaction({ to, value: BigInt(n), gas: 21000n, nonce: nonce++, maxFeePerGas: 3n * tip, maxPriorityFeePerGas: tip })
    }
    await client.waitForTransactionReceipt({ hash })
  }
  const agree = async (when) => {
    const want = await logs(client)
    const got = await until(`${want.length} rows ${when}`, async () => { const r = await rows(ponder); return r.length >= want.length && r })
    assert.deepEqual(got, want, when)
    console.log(`${when}: ${got.length} rows equal the logs`)
  }
  const again = async (signal) => {
    await ponder.end(signal)
    await pay(10)
    ponder = await startPonder(url, info.chainId, join(dir, 'index'))
  }

  await pay(20)
  ponder = await startPonder(url, info.chainId, join(dir, 'index'))
  await agree('from the first block')
  await pay(10)
  await agree('at the head')
  await again('SIGTERM')
  await agree('after a stop')
  const resumed = ponder.output()
  assert.match(resumed, /[Cc]rash recovery|[Rr]ecover|[Rr]esum/, `ponder does not say that it goes on:\n${resumed}`)
  await again('SIGKILL')
  await agree('after a kill')
  await pay(5)
  await agree('at the head again')
  assert.ok((await rows(ponder)).length >= 55)
  console.log(`ponder: passed in ${Math.round((Date.now() - begun) / 1000)} s`)
} catch (error) {
  console.error(ponder?.output().slice(-6000))
  throw error
} finally {
  await ponder?.end('SIGKILL')
  await devnet.end('SIGINT')
  rmSync(dir, { recursive: true, force: true })
}
