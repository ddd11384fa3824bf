// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Runs the snippets of docs/develop as they stand there, but for the URL, on a devnet that is otherwise idle.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as ethers from 'ethers'
import * as viem from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rpc, run, until } from './chain.mjs'
import { tool } from './foundry.mjs'

export const name = 'docs'

const pages = ['clients.md'] // those of the SDK are run by sdk/js/test/devnet/docs.test.mjs

const here = dirname(fileURLToPath(import.meta.url))
const defaultURL = 'http://127.0.0.1:8545'
const AsyncFunction = (async () => {}).constructor

/** The code block of docs/develop that begins with a text. */
function block(start) {
  const text = pages.map((page) => readFileSync(join(here, '..', '..', 'docs', 'develop', page), 'utf8')).join('\n')
  const found = [...text.matchAll(/^```[a-z]*\n(.*?)^```/gms)].filter(([, code]) => code.startsWith(start))
  assert.equal(found.length, 1, `docs/develop has ${found.length} blocks that begin with ${start}`)
  return found[0][1]
}

/** The part of a block below a comment line. */
function part(code, title) {
  const found = code.split(/^(?=\/\/ )/m).filter((text) => text.startsWith(title))
  assert.equal(found.length, 1, `docs/develop has ${found.length} parts ${title}`)
  return found[0]
}

/** Runs JavaScript with names in scope, and returns the variable or expression asked for. */
const evaluate = (code, names, result = 'undefined') =>
  new AsyncFunction(...Object.keys(names), `${code}\nreturn ${result}`)(...Object.values(names))

export function features({ url, key, counter }) {
  const withURL = (code) => {
    assert.ok(code.includes(defaultURL), `no ${defaultURL} in ${code}`)
    return code.replaceAll(defaultURL, url)
  }
  const clients = () => withURL(block('// viem'))
  const balance = async (address) => BigInt(await rpc(url, 'eth_getBalance', [address, 'latest']))
  const stranger = () => privateKeyToAccount(generatePrivateKey()).address
  /** Calls pay with an address, which has to have a wei soon. */
  const arrives = async (what, pay) => {
    const to = stranger()
    await pay(to)
    await until(`the payment of ${what}`, async () => await balance(to) === 1n)
  }
  const made = []
  const directory = () => {
    const dir = mkdtempSync(join(here, 'work', 'docs-')) // where the packages are found
    made.push(dir)
    return dir
  }
  const project = () => {
    const dir = directory()
    for (const inner of ['src', 'script']) mkdirSync(join(dir, inner))
    copyFileSync(join(here, 'contracts', 'Counter.sol'), join(dir, 'src', 'Counter.sol'))
    const script = readFileSync(join(here, 'script', 'Deploy.s.sol'), 'utf8').replace('../contracts/', '../src/')
    writeFileSync(join(dir, 'script', 'Deploy.s.sol'), script)
    const [, setting] = /# (evm_version = "[a-z]+") in foundry.toml/.exec(block('cast send'))
    writeFileSync(join(dir, 'foundry.toml'), `[profile.default]\nsolc = "${join(here, 'solc.mjs')}"\noffline = true\n${setting}\n`)
    return dir
  }
  const command = async (start, to) => {
    const lines = withURL(block('cast send')).split('\n').filter((text) => text.startsWith(start))
    assert.equal(lines.length, 1)
    const [program, ...args] = lines[0].split('#')[0].trim().split(/\s+/).map((word) => ({ KEY: key, TO: to })[word] ?? word)
    return run(tool(program), args, { cwd: project(), env: { NO_COLOR: '1' } })
  }
  return {
    send: async () => {
      await arrives('viem', (TO) => evaluate(part(clients(), '// viem'), { ...viem, privateKeyToAccount, KEY: key, TO }))
      await arrives('ethers', async (TO) => {
        const { provider } = await evaluate(part(clients(), '// ethers'), { ...ethers, KEY: key, TO }, 'wallet')
        provider.destroy()
      })
      await arrives('cast send', (to) => command('cast send', to))
      await arrives('Hardhat', async (to) => {
        const dir = directory()
        writeFileSync(join(dir, 'package.json'), '{}')
        const config = join(dir, 'hardhat.config.cjs')
        writeFileSync(config, `const KEY = '${key}'\n${part(clients(), '// Hardhat')}`)
        const pay = join(dir, 'pay.cjs')
        writeFileSync(pay, `require('hardhat').network.provider.request({ method: 'eth_accounts' }).then(([from]) =>
          require('hardhat').network.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: '${to}', value: '0x1' }] }))
          .catch((error) => { console.error(error); process.exitCode = 1 })\n`)
        await run(join(here, 'node_modules', '.bin', 'hardhat'), ['--config', config, '--network', 'gwon', 'run', '--no-compile', pay],
          { cwd: here, env: { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', DO_NOT_TRACK: '1', CI: 'true', NO_COLOR: '1' } })
      })
    },
    deploy: async () => {
      const [, address] = /Deployed to: (0x[0-9a-fA-F]{40})/.exec(await command('forge create'))
      assert.ok((await rpc(url, 'eth_getCode', [address, 'latest'])).length > 100)
      assert.equal(BigInt(await rpc(url, 'eth_call', [{ to: address, data: viem.encodeFunctionData({ abi: counter.abi, functionName: 'count' }) }])), 0n)
    },
    script: async () => assert.match(await command('forge script'), /ONCHAIN EXECUTION COMPLETE/),
    close: () => made.forEach((dir) => rmSync(dir, { recursive: true, force: true })),
  }
}
