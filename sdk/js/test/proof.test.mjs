// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Proofs of a node's code are verified, and lies are refused with the word that names them.
import assert from 'node:assert/strict'
import test from 'node:test'
import { fetchReceiptProof, paid, ProofError, verifyPayment } from '@gwon/sdk/proof'
import { random, vectors } from './vectors.mjs'

const all = vectors('proofs.json')
const good = all.filter(({ refused }) => !refused)
assert.ok(good.length >= 10 && all.length - good.length >= 10)

/** The payment of a vector as verifyPayment returns it. */
function wanted({ blockNumber, time, value, transfers, ...rest }) {
  return {
    ...rest,
    blockNumber: BigInt(blockNumber),
    time: BigInt(time),
    value: BigInt(value),
    transfers: transfers.map((transfer) => ({ ...transfer, value: BigInt(transfer.value) })),
  }
}

test('proofs are verified', async (t) => {
  for (const { name, trusted, proof, payment } of good) {
    await t.test(name, () => {
      const { logs, ...got } = verifyPayment(proof, trusted)
      assert.deepEqual(got, wanted(payment))
      assert.equal(logs.length, payment.succeeded ? 2 : 0)
      assert.deepEqual(verifyPayment(JSON.stringify(proof), trusted), { ...got, logs })
      for (const { contract, to, value } of got.transfers) {
        assert.ok(paid(got, contract, to, value))
        assert.ok(!paid(got, contract, to, value + 1n))
        assert.ok(!paid(got, to, to, value))
        assert.ok(!paid(got, contract, contract, value))
        assert.ok(!paid({ ...got, succeeded: false }, contract, to, value))
      }
    })
  }
})

test('lies are refused by name', async (t) => {
  for (const { name, trusted, proof, refused } of all.filter(({ refused }) => refused)) {
    await t.test(name, () => {
      assert.throws(
        () => verifyPayment(proof, trusted),
        (error) => error instanceof ProofError && error.code === refused,
      )
    })
  }
})

test('a byte that is altered anywhere leads to a refusal', () => {
  // The seals of trusted headers, the hash beside a header and the case of digits mean nothing: the payment is the same.
  const draw = random(7)
  let refusals = 0
  const rounds = 120
  for (let round = 0; round < rounds; round++) {
    const { name, trusted, proof, payment } = good[draw(good.length)]
    const text = JSON.stringify(proof)
    const places = [...text.matchAll(/"0x[0-9a-f]{2,}"/g)]
    const place = places[draw(places.length)]
    const at = place.index + 3 + draw(place[0].length - 4)
    let digit = text[at]
    while (digit === text[at]) digit = '0123456789abcdef'[draw(16)]
    try {
      const { logs, ...got } = verifyPayment(text.slice(0, at) + digit + text.slice(at + 1), trusted)
      assert.deepEqual(got, wanted(payment), `${name}: accepted with byte ${at} altered`)
    } catch (error) {
      if (!(error instanceof ProofError)) throw error
      refusals++
    }
  }
  assert.ok(refusals > (rounds * 2) / 3, `${refusals} of ${rounds} refused`)
})

test('what is no proof is refused', async (t) => {
  const [{ trusted, proof }] = good
  const header = { ...proof.block.header }
  for (const [name, value, code] of [
    ['a number', 7, 'malformed'],
    ['text that is no JSON', '{', 'malformed'],
    ['null', null, 'malformed'],
    ['a list', [], 'malformed'],
    [
      'a header of another network',
      { ...proof, block: { ...proof.block, header: { ...header, blobGasUsed: '0x0' } } },
      'malformed',
    ],
    [
      'a header with an unknown field',
      { ...proof, block: { ...proof.block, header: { ...header, more: 1 } } },
      'malformed',
    ],
    ['too many headers', { ...proof, origin: Array(4097).fill(header) }, 'size'],
    ['too many nodes', { ...proof, receipt: { ...proof.receipt, receiptPath: Array(17).fill('0x') } }, 'size'],
    ['an endless text', ' '.repeat((64 << 20) + 1), 'size'],
    ['no origin', { ...proof, origin: [] }, 'malformed'],
    ['a large index', { ...proof, receipt: { ...proof.receipt, index: '0x10000000000000000' } }, 'malformed'],
  ]) {
    await t.test(name, () => {
      assert.throws(
        () => verifyPayment(value, trusted),
        (error) => error instanceof ProofError && error.code === code,
      )
    })
  }
})

test('a checkpoint has to be given', () => {
  const [{ trusted, proof }] = good
  for (const none of [undefined, { ...trusted, chainId: undefined }]) {
    assert.throws(
      () => verifyPayment(proof, none),
      (error) => error instanceof ProofError && error.code === 'trust',
    )
  }
})

test('a node is asked for the proof until the block has a child', async () => {
  const [{ trusted, proof, payment }] = good
  let refusals = 2
  const node = {
    request: async ({ method, params }) => {
      assert.equal(method, 'istanbul_getReceiptProof')
      assert.deepEqual(params, [payment.hash, trusted.hash])
      if (refusals-- > 0) {
        throw new Error(
          'block 3 is the newest: its child, with which the proof is made, comes within seconds: ask again',
        )
      }
      return proof
    },
  }
  assert.equal(verifyPayment(await fetchReceiptProof(node, payment.hash, trusted), trusted).hash, payment.hash)
  const refusing = { request: () => Promise.reject(new Error('unknown transaction')) }
  await assert.rejects(fetchReceiptProof(refusing, payment.hash, trusted), /unknown transaction/)
})
