// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// A page that verifies a payment without a node. The file is what gwon proof receipt writes, or the proof of a webhook.
// Bundle it with npx esbuild page.mjs --bundle --format=esm --outfile=page.js
import { coinAddress, won } from '@gwon/sdk'
import { mainnetGenesis, verifyPayment } from '@gwon/sdk/proof'

// The block that everything is proven from. A page of your own has a recent one in its code: who makes a link can name
// a block of a chain of their own, and prove any payment from it.
const place = new URLSearchParams(location.search)
const trusted = place.has('hash')
  ? { chainId: Number(place.get('chain')), number: Number(place.get('number') ?? 0), hash: place.get('hash') }
  : mainnetGenesis
const source = place.has('hash')
  ? ', which the link to this page names: follow no link of a stranger'
  : ', a genesis block with one validator, whose holder can forge this proof'
const [file, state, list] = ['file', 'state', 'payment'].map((id) => document.getElementById(id))

function show(rows) {
  list.replaceChildren(
    ...rows.flatMap(([name, value]) => {
      const [term, detail] = ['dt', 'dd'].map((tag) => document.createElement(tag))
      term.textContent = name
      detail.textContent = value
      return [term, detail]
    }),
  )
}

file.addEventListener('change', async () => {
  show([])
  try {
    const payment = verifyPayment(await file.files[0].text(), trusted)
    state.textContent = payment.succeeded ? 'Proven: the transaction is final.' : 'Proven: the transaction failed.'
    show([
      ['Transaction', payment.hash],
      ['Block', `${payment.blockNumber}, ${new Date(Number(payment.time) * 1000).toISOString()}`],
      ['Signed by', payment.from],
      ...payment.transfers
        .filter(({ contract }) => contract === coinAddress)
        .map(({ from, to, value }) => ['Paid', `${won(value)} from ${from} to ${to}`]),
      ['Proven from', `block ${trusted.number} of chain ${trusted.chainId}, ${trusted.hash}${source}`],
    ])
  } catch (error) {
    state.textContent = `Not proven: ${error.message}`
  }
})
