// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Runs a program to its end and returns what it wrote, with all set also what it wrote to standard error. It throws with
 * both when the program fails.
 */
export function run(command, args, { cwd, env, timeout = 120_000, all = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, timeout, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let stdout = ''
    child.stdout.on('data', (d) => { output += d; stdout += d })
    child.stderr.on('data', (d) => { output += d })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(all ? output : stdout) : reject(new Error(`${command} ${args.join(' ')}: ${code}\n${output}`))))
  })
}

/** Returns a TCP port that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Starts a program and resolves when ready, given what it has written so far, returns something. */
function start(command, args, ready, env = {}, timeout = 180_000) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    const timer = setTimeout(() => { child.kill('SIGTERM'); reject(new Error(`${command} did not start:\n${stderr}`)) }, timeout)
    const end = new Promise((ended) => child.on('close', (code) => {
      clearTimeout(timer)
      reject(new Error(`${command} ended with ${code}:\n${stderr}`))
      ended(code)
    }))
    const look = () => {
      const value = ready(stdout, stderr)
      if (value) {
        clearTimeout(timer)
        resolve({ value, stop: () => { child.kill('SIGINT'); return end } })
      }
    }
    child.stderr.on('data', (d) => { stderr = (stderr + d).slice(-8000); look() })
    child.stdout.on('data', (d) => { stdout += d; look() })
  })
}

/** The program gwon-dev, which lies beside gwon. */
export const developerProgram = (gwon) => gwon.replace(/gwon(\.exe)?$/, 'gwon-dev$1')

/** Starts gwon-dev devnet; its description is in info. */
export async function startDevnet(gwon, dir, flags = []) {
  const args = ['devnet', '--json', '--quiet', '--http.port', '0', '--datadir', dir, ...flags]
  const { value, stop } = await start(developerProgram(gwon), args, (out) => out.includes('\n') && JSON.parse(out.split('\n')[0]))
  return { info: value, stop }
}

/** Starts gwon-dev node on a free port; it returns url and stop. */
export async function startDev(gwon, flags = []) {
  const { value, stop } = await start(developerProgram(gwon), ['node', '--http.port', '0', '--ipcdisable', ...flags], (out) => /RPC +(http\S+)[^]*Ctrl-C/.exec(out)?.[1])
  return { url: value, stop }
}

/** Starts gwon-dev light in front of a node of a network with a genesis file; it returns url, ws and stop. */
export async function startLight(gwon, dir, genesis, node) {
  const args = ['light', '--rpc', node, '--genesis', genesis, '--http.port', '0', '--datadir', dir]
  let at
  const { stop } = await start(developerProgram(gwon), args, (_, log) => {
    at ??= /Endpoint opened .*url=http:\/\/(\S+)/.exec(log)?.[1]
    return at && log.includes('Newest block proven')
  })
  return { url: `http://${at}`, ws: `ws://${at}`, stop }
}

/** Starts anvil of Foundry with a chain ID and the rules up to Cancun; it returns url and stop. */
export async function startAnvil(anvil, chainId, flags = []) {
  const { value, stop } = await start(anvil, ['--port', '0', '--chain-id', String(chainId), '--hardfork', 'cancun', ...flags],
    (out) => /Listening on (\S+)/.exec(out)?.[1])
  return { url: `http://${value}`, stop }
}

/** Starts Hardhat's own network with the rules up to Cancun; it returns url and stop. */
export async function startHardhat() {
  const here = import.meta.dirname
  const port = await freePort()
  const { stop } = await start(join(here, 'node_modules', '.bin', 'hardhat'),
    ['--config', join(here, 'hardhat.config.cjs'), '--network', 'hardhat', 'node', '--hostname', '127.0.0.1', '--port', String(port)],
    (out) => /Started HTTP and WebSocket/.test(out),
    { RPC_URL: 'http://127.0.0.1:1', CHAIN_ID: '31337', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', DO_NOT_TRACK: '1', CI: 'true' })
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** JSON-RPC without any client library. */
export async function rpc(url, method, params = []) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await answer.json()
  if (error) throw Object.assign(new Error(error.message), error)
  return result
}

/** Polls until check answers something true, for at most a minute. */
export async function until(what, check, timeout = 60_000) {
  for (const deadline = Date.now() + timeout; Date.now() < deadline;) {
    const value = await check()
    if (value) return value
    await new Promise((r) => setTimeout(r, 100))
  }
  throw new Error(`${what} did not happen within ${timeout / 1000} s`)
}

/** Starts a node with the public profile that follows the devnet. */
export async function startPublicNode(gwon, dir, devnet) {
  return startFollower(gwon, dir, devnet, ['--rpc.profile', 'public'])
}

/** Starts a node with these flags that follows the devnet. It returns url, log, a function for what it has logged, and stop. */
export async function startFollower(gwon, dir, devnet, flags) {
  await run(gwon, ['--datadir', dir, 'init', join(devnet.datadir, 'genesis.json')])
  const config = join(dir, 'peers.toml')
  const peers = devnet.validators.map((v) => `"${v.enode}"`).join(', ')
  writeFileSync(config, `[Node.P2P]\nListenAddr = "127.0.0.1:0"\nNoDiscovery = true\nBootstrapNodes = []\nStaticNodes = [${peers}]\n`)
  const port = await freePort()
  const child = spawn(gwon, ['--datadir', dir, '--config', config, ...flags, '--http.port', String(port), '--netrestrict', '127.0.0.0/8',
    '--nodiscover', '--nat', 'none', '--bootnodes', '', '--ipcdisable', '--exit.stdin'], { stdio: ['pipe', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (d) => { log = (log + d).slice(-64_000) })
  let ended = false
  const end = new Promise((resolve) => child.on('close', () => { ended = true; resolve() }))
  const url = `http://127.0.0.1:${port}`
  try {
    await until('the node follows the devnet', async () => {
      if (ended) throw new Error(`the node ended:\n${log}`)
      return Number(await rpc(url, 'eth_blockNumber').catch(() => 0)) > 2
    })
  } catch (error) {
    child.kill('SIGINT')
    throw error
  }
  return { url, log: () => log, stop: () => { child.kill('SIGINT'); return end } }
}

/**
 * Waits for an answer about the state of an early block. A node without an archive keeps the states of 128 blocks: once the chain
 * at url is longer, the answer may be undefined.
 */
export async function earlyState(url, answer) {
  try {
    return await answer
  } catch (error) {
    const head = Number(await rpc(url, 'eth_blockNumber'))
    if (head > 128 && /historical state .* is not available/.test(`${error.message} ${error.cause?.message}`)) return undefined
    throw error
  }
}
