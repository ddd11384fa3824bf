// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// A shop serves a payment once, with the stock server of x402 and without code of its own.
import assert from 'node:assert/strict'
import test from 'node:test'
import { x402ResourceServer } from '@x402/core/server'
import { MemoryStore, serveOnce } from '@gwon/sdk/x402'

const network = 'eip155:8283'
const requirements = {
  scheme: 'exact',
  network,
  asset: '0x1000',
  amount: '1',
  payTo: '0xaa',
  maxTimeoutSeconds: 60,
  extra: {},
}
const later = () => String(Math.floor(Date.now() / 1000) + 60)
const paid = (nonce, from = '0xAb', validBefore = later()) => ({
  x402Version: 2,
  accepted: requirements,
  payload: { signature: '0x', authorization: { from, nonce, validBefore } },
})

/** A stock server in front of a facilitator that answers the same payment alike, as the sponsor does. */
async function shop(store, settle = async () => ({ success: true, transaction: '0x1', network })) {
  let settled = 0
  const facilitator = {
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network }],
      extensions: [],
      signers: {},
    }),
    verify: async () => ({ isValid: true }),
    settle: async (payload) => {
      settled++
      return settle(payload)
    },
  }
  const scheme = { scheme: 'exact', parsePrice: async (price) => price, enhancePaymentRequirements: async (r) => r }
  const server = serveOnce(new x402ResourceServer(facilitator).register(network, scheme), store)
  await server.initialize()
  const serve = async (payload) => {
    try {
      const { success, errorReason } = await server.settlePayment(payload, requirements)
      return success || errorReason
    } catch (error) {
      return error.errorReason ?? error.message
    }
  }
  return { serve, settled: () => settled }
}

test('a payment is served once', async (t) => {
  const used = 'invalid_exact_evm_nonce_already_used'
  await t.test('at the same time, later, and in other letters', async () => {
    const { serve, settled } = await shop()
    const answers = await Promise.all([serve(paid('0x1A')), serve(paid('0x1a')), serve(paid('0x1A', '0xaB'))])
    assert.deepEqual(answers, [true, used, used])
    assert.equal(await serve(paid('0x1A')), used)
    assert.equal(await serve(paid('0x2')), true)
    assert.equal(settled(), 2)
  })
  await t.test('and again when its settlement has failed', async () => {
    let fails = true
    const { serve } = await shop(undefined, async () =>
      fails
        ? { success: false, errorReason: 'settlement_refused', transaction: '', network }
        : { success: true, transaction: '0x1', network },
    )
    assert.equal(await serve(paid('0x1')), 'settlement_refused')
    fails = false
    assert.equal(await serve(paid('0x1')), true)
    assert.equal(await serve(paid('0x1')), used)
  })
  await t.test('and not while the store fails', async () => {
    const { serve, settled } = await shop({
      take: async () => {
        throw new Error('no database')
      },
      release() {},
    })
    assert.equal(await serve(paid('0x1')), 'unexpected_settle_error')
    assert.equal(settled(), 0)
  })
  await t.test('by a store that all processes share', async () => {
    const known = new Set()
    const store = {
      take: async (id) => !known.has(id) && Boolean(known.add(id)),
      release: async (id) => void known.delete(id),
    }
    const [one, other] = [await shop(store), await shop(store)]
    assert.deepEqual(await Promise.all([one.serve(paid('0x1')), other.serve(paid('0x1'))]), [true, used])
  })
})

test('the memory of a shop is bounded', () => {
  const store = new MemoryStore(2)
  const now = Date.now() / 1000
  assert.equal(store.take('expired', now - 1), true)
  assert.equal(store.take('one', now + 60), true)
  assert.equal(store.take('two', now + 60), true, 'the expired one makes room')
  assert.throws(() => store.take('three', now + 60), /give a larger store/)
  assert.equal(store.take('one', now + 60), false)
  store.release('two')
  assert.equal(store.take('three', now + 60), true)
})
