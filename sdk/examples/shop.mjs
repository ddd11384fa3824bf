// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// A shop that takes the coin. GET /invoice makes an invoice, POST /pay takes a customer's signature and answers when
// the shop is paid. A real shop keeps its invoices in a database. Usage: MERCHANT=0x... KEY=0x... node shop.mjs [PORT]
import { createServer } from 'node:http'
import { createWalletClient, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import * as payments from '@gwon/sdk/payments'
import { sponsored, wkrcDevnet } from '@gwon/sdk/viem'

const { RPC = 'http://127.0.0.1:8545', SPONSOR, KEY = generatePrivateKey(), MERCHANT } = process.env
const transport = SPONSOR ? sponsored(SPONSOR, http(RPC)) : http(RPC)
const client = createWalletClient({ account: privateKeyToAccount(KEY), chain: wkrcDevnet, transport }).extend(
  publicActions,
)
const invoices = new Map()

async function answer(method, path, body) {
  if (method === 'GET' && path === '/invoice') {
    const due = new Date(Date.now() + 15 * 60_000)
    const invoice = `${Date.now()}-${invoices.size + 1}`
    const request = await payments.request({
      client,
      merchant: MERCHANT,
      invoice,
      amount: payments.parseWon('₩1,500'),
      due,
    })
    invoices.set(request.nonce, request)
    return request
  }
  const request = method === 'POST' && path === '/pay' && invoices.get(body.nonce)
  if (!request) throw new Error('no such invoice: GET /invoice makes one, POST /pay takes an authorization of it')
  const failure = await payments
    .submit({ client, request, authorization: body })
    .then((hash) => client.waitForTransactionReceipt({ hash }))
    .then(
      () => undefined,
      (error) => error,
    )
  const { state, payment } = await payments.status({ client, request })
  if (failure && !payment) throw failure // else the request was repeated, or the wait was too short
  return { invoice: request.invoice, state, transaction: payment?.transactionHash }
}

const server = createServer(async (request, response) => {
  response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', 'content-type')
  try {
    if (Number(request.headers['content-length'] ?? 0) > 65_536) throw new Error('the body is too large')
    const body = request.method === 'POST' ? await new Response(request).json() : undefined
    const result = request.method === 'OPTIONS' ? {} : await answer(request.method, request.url, body)
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(result))
  } catch (error) {
    response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: error.message }))
  }
})
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
)
