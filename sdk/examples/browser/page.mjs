// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// A checkout page without a framework. The customer signs in a wallet and pays no gas; the shop submits. Bundle it with
// npx esbuild page.mjs --bundle --format=esm --outfile=page.js
import { sign, won } from '@gwon/sdk/payments'

const shop = new URLSearchParams(location.search).get('shop') ?? 'http://127.0.0.1:8080'
const [order, pay, state] = ['order', 'pay', 'state'].map((id) => document.getElementById(id))

async function ask(path, body) {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${shop}${path}`, body && { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}

try {
  const request = await ask('/invoice')
  order.textContent = `Invoice ${request.invoice}: ${won(BigInt(request.amount))} to ${request.merchant}`
  pay.disabled = false
  pay.addEventListener('click', async () => {
    pay.disabled = true
    try {
      if (!window.ethereum) throw new Error('no wallet found: install one, such as MetaMask')
      state.textContent = 'Sign the payment in your wallet.'
      const authorization = await sign({ request, signer: window.ethereum })
      state.textContent = 'The payment is on its way.'
      const answer = await ask('/pay', authorization)
      state.textContent =
        answer.state === 'paid' ? `Paid. Transaction ${answer.transaction}` : `Not paid: ${answer.state}`
    } catch (error) {
      state.textContent = `Not paid: ${error.message}`
      pay.disabled = false
    }
  })
} catch (error) {
  order.textContent = `The shop does not answer: ${error.message}`
}
