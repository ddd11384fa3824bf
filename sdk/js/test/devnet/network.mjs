// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// A devnet for the tests of one file, its sponsor, and a sponsor with a policy of the test.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { decodeSender } from '@gwon/sdk'
import { signAsFeePayer } from '@gwon/sdk/viem'
import { rpc, startDevnet, until } from '../../../../tests/clients/chain.mjs'

/** The program: that of GWON, or what make gwon has built. */
export const gwon = resolve(process.env.GWON ?? fileURLToPath(new URL('../../../../build/bin/gwon', import.meta.url)))

/** Starts a devnet. It returns its description, with stop. */
export async function startNetwork() {
  if (!existsSync(gwon)) throw new Error(`${gwon} does not exist: run make gwon, or set GWON`)
  const dir = mkdtempSync(join(tmpdir(), 'gwon-sdk-'))
  const { info, stop } = await startDevnet(gwon, join(dir, 'devnet'))
  return {
    ...info,
    stop: async () => {
      await stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The sponsor that the devnet runs itself. It pays for every transaction. */
export const ownSponsor = ({ sponsor }) => ({ url: sponsor.rpc, account: { address: sponsor.payer } })

const fail = (code, message) => Object.assign(new Error(message), { code })

/**
 * Starts a sponsor in front of a node. It pays with this key for every transaction that `allow` lets through. It
 * answers with the hash of the sender's transaction and finds transactions and receipts by it, as that of gwon does.
 */
export async function startSponsor(node, { chainId, privateKey, allow = () => true }) {
  const account = privateKeyToAccount(privateKey)
  const paid = new Map() // hash of the sender's transaction -> hash of the whole
  const calls = []
  const submit = async ([raw]) => {
    const own = decodeSender(raw)
    if (!allow(own)) throw fail(-32003, 'the sponsor does not pay for this recipient')
    const hash = keccak256(raw)
    if (!paid.has(hash)) {
      const transaction = await signAsFeePayer({ account, chainId, transaction: raw })
      paid.set(hash, await rpc(node, 'eth_sendRawTransaction', [transaction]))
    }
    return hash
  }
  // For the sender's hash in the form of type 2, which any library reads.
  const find = async (method, [hash]) => {
    const found = await rpc(node, method, [paid.get(hash) ?? hash])
    if (!found || !paid.has(hash)) return found
    const name = 'transactionHash' in found ? 'transactionHash' : 'hash'
    const forms = { type: '0x2', senderTransactionHash: hash, feeDelegatedTransactionHash: paid.get(hash) }
    return { ...found, ...forms, [name]: hash }
  }
  const answer = async ({ method, params }) => {
    calls.push(method)
    if (method === 'eth_sendRawTransaction') return submit(params)
    if (method === 'eth_sendRawTransactionSync') {
      const hash = await submit(params)
      return until('the receipt', () => find('eth_getTransactionReceipt', [hash]))
    }
    if (method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash') return find(method, params)
    if (method === 'eth_chainId') return rpc(node, method, params)
    throw fail(-32601, `the method ${method} does not exist/is not available`)
  }
  const server = createServer(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', 'content-type')
    let body = ''
    for await (const part of request) body += part
    if (request.method === 'OPTIONS') return response.end()
    const call = JSON.parse(body)
    const one = async (each) => {
      try {
        return { jsonrpc: '2.0', id: each.id, result: await answer(each) }
      } catch (error) {
        return { jsonrpc: '2.0', id: each.id, error: { code: error.code ?? -32000, message: error.message } }
      }
    }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(Array.isArray(call) ? await Promise.all(call.map(one)) : await one(call)))
  })
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    account,
    calls,
    stop: () =>
      new Promise((ended) => {
        server.close(ended)
        server.closeAllConnections()
      }),
  }
}

export { rpc }
