// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// The form of type 0x16: byte for byte what go-stablenet makes of the same fields and keys, and nothing else is read.
import assert from 'node:assert/strict'
import test from 'node:test'
import { SigningKey, Wallet } from 'ethers'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import * as core from '@gwon/sdk'
import * as ethers from '@gwon/sdk/ethers'
import * as viem from '@gwon/sdk/viem'
import { random, vectors } from './vectors.mjs'

const valid = vectors('valid.json')
const isSafe = (json) =>
  BigInt(json.nonce) <= BigInt(Number.MAX_SAFE_INTEGER) && BigInt(json.chainId) <= BigInt(Number.MAX_SAFE_INTEGER)

/** The fields of a vector, as the SDK takes them. */
const fieldsOf = ({ json }) => ({
  chainId: BigInt(json.chainId),
  nonce: BigInt(json.nonce),
  maxPriorityFeePerGas: BigInt(json.maxPriorityFeePerGas),
  maxFeePerGas: BigInt(json.maxFeePerGas),
  gas: BigInt(json.gas),
  to: json.to,
  value: BigInt(json.value),
  data: json.input,
  accessList: json.accessList,
})
const word = (quantity) => `0x${BigInt(quantity).toString(16).padStart(64, '0')}`

// spec: transactions 1.2
test('encode and decode', async (t) => {
  for (const vector of valid) {
    await t.test(vector.name, () => {
      const { json } = vector
      const fields = fieldsOf(vector)
      const signature = { r: word(json.r), s: word(json.s), yParity: Number(json.yParity) }
      const feePayerSignature = { r: word(json.fr), s: word(json.fs), yParity: Number(json.fv) }
      assert.equal(core.senderPayload(fields), vector.senderSigningPreimage)
      assert.equal(core.encodeSender(fields, signature), vector.senderType2Raw)
      assert.equal(core.feePayerPayload(fields, signature, vector.feePayer), vector.feePayerSigningPreimage)
      assert.equal(core.encode(fields, signature, vector.feePayer, feePayerSignature), vector.raw)
      assert.deepEqual(core.decode(vector.raw), { ...fields, signature, feePayer: vector.feePayer, feePayerSignature })
      assert.deepEqual(core.decodeSender(vector.senderType2Raw), { ...fields, signature })
      assert.equal(core.strip(core.decode(vector.raw)), vector.senderType2Raw)
    })
  }
})

// spec: transactions 1.2
test('sign and parse with viem', async (t) => {
  for (const vector of valid) {
    const fields = fieldsOf(vector)
    const chainId = Number(fields.chainId)
    const sender = privateKeyToAccount(vector.senderPrivateKey)
    const account = privateKeyToAccount(vector.feePayerPrivateKey)
    await t.test(vector.name, async () => {
      if (!isSafe(vector.json)) {
        await assert.rejects(viem.parse({ transaction: vector.raw, chainId: fields.chainId }), core.FieldError)
        return
      }
      const transaction = { ...fields, chainId, nonce: Number(fields.nonce) }
      const signed =
        fields.maxPriorityFeePerGas > fields.maxFeePerGas
          ? vector.senderType2Raw
          : await viem.signAsSender({ account: sender, ...transaction })
      assert.equal(signed, vector.senderType2Raw)
      assert.equal(await viem.signAsFeePayer({ account, chainId, transaction: signed }), vector.raw)
      const whole = await sender.signTransaction(
        { type: 'feeDelegated', ...transaction, feePayer: account },
        { serializer: viem.serialize },
      )
      assert.equal(whole, vector.raw)
      const parsed = await viem.parse({ transaction: vector.raw, chainId })
      assert.equal(parsed.sender.toLowerCase(), vector.sender)
      assert.equal(parsed.feePayer.toLowerCase(), vector.feePayer)
      assert.equal(parsed.hash, vector.hash)
      assert.equal(parsed.senderHash, vector.senderType2Hash)
      assert.equal(viem.senderTransactionHash(vector.raw), vector.senderType2Hash)
      const { feePayerSignature, signature, ...rest } = parsed
      assert.equal(viem.serialize({ ...rest, feePayerSignature }, signature), vector.raw)
    })
  }
})

// spec: transactions 1.2
test('sign and parse with ethers', async (t) => {
  for (const vector of valid) {
    await t.test(vector.name, async () => {
      const { chainId, nonce } = fieldsOf(vector)
      const payer = new Wallet(vector.feePayerPrivateKey)
      assert.equal(await ethers.signAsFeePayer(vector.senderType2Raw, payer, { chainId }), vector.raw)
      const signer = { sign: (digest) => new SigningKey(vector.feePayerPrivateKey).sign(digest) }
      const elsewhere = { address: payer.address, signer }
      assert.equal(await ethers.signAsFeePayer(vector.senderType2Raw, elsewhere, { chainId }), vector.raw)
      if (nonce > BigInt(Number.MAX_SAFE_INTEGER)) {
        assert.throws(() => ethers.FeeDelegatedTransaction.from(vector.raw, chainId), core.FieldError)
        return
      }
      const parsed = ethers.FeeDelegatedTransaction.from(vector.raw, chainId)
      assert.equal(parsed.from.toLowerCase(), vector.sender)
      assert.equal(parsed.feePayer.toLowerCase(), vector.feePayer)
      assert.equal(parsed.hash, vector.hash)
      assert.equal(parsed.senderHash, vector.senderType2Hash)
      assert.equal(parsed.serialized, vector.raw)
      assert.equal(JSON.parse(JSON.stringify(parsed)).value, String(parsed.value))
    })
  }
})

/** What the SDK says to a vector that a node refuses at some stage. */
function refusal(vector) {
  if (vector.decodeError === 'transaction type not supported') return core.WrongTypeError
  if (vector.decodeError) return core.DecodeError
  if (/-257-bits$/.test(vector.name)) return core.DecodeError // transactions 1.2: refused later than decoding
  if (vector.name === 'fee-payer-null') return core.DecodeError // transactions 1.2: decodable, and invalid
  if (vector.name === 'stripped-to-type-2') return core.WrongTypeError
  if (/^invalid chain id/.test(vector.senderError)) return core.WrongChainError
  if (vector.senderError || vector.feePayerError || vector.poolError === 'fee delegation: invalid feePayer')
    return core.SignatureError
  return null
}

// spec: transactions 1.2
test('refuse what a node refuses', async (t) => {
  for (const vector of vectors('invalid.json')) {
    await t.test(vector.name, async () => {
      const chainId = Number(vector.nodeChainId)
      const want = refusal(vector)
      if (want) {
        await assert.rejects(viem.parse({ transaction: vector.raw, chainId }), want)
        assert.throws(() => ethers.FeeDelegatedTransaction.from(vector.raw, chainId), want)
        return
      }
      const parsed = await viem.parse({ transaction: vector.raw, chainId })
      assert.equal(parsed.sender.toLowerCase(), vector.sender.toLowerCase())
      assert.equal(parsed.hash, vector.hash)
      assert.equal(ethers.FeeDelegatedTransaction.from(vector.raw, chainId).from, parsed.sender)
    })
  }
})

// spec: transactions 1.2, signature rules: no account has to be recovered to refuse these.
test('refuse values of signatures that no account has', async (t) => {
  const names = /^(sender|fee-payer)-(unsigned|high-s|r-zero|s-zero|r-ge-n|r-33-bytes|v-2|v-27|v-eip155|v-256|v-229)$/
  const chosen = vectors('invalid.json').filter(({ name }) => names.test(name))
  assert.equal(chosen.length, 14)
  for (const { name, raw } of chosen) {
    await t.test(name, () =>
      assert.throws(
        () => core.decode(raw),
        (error) =>
          error instanceof core.SignatureError && error.party === (/^sender/.test(name) ? 'sender' : 'fee payer'),
      ),
    )
  }
})

test('refuse other types, by their number', async (t) => {
  const [vector] = valid
  const rest = vector.raw.slice(4)
  for (const [name, raw, have] of [
    ['type 2', vector.senderType2Raw, 2],
    ['type 3', `0x03${rest}`, 3],
    ['legacy', `0x${rest}`, null],
    ['type 0x7e', `0x7e${rest}`, 0x7e],
  ]) {
    await t.test(name, () =>
      assert.throws(
        () => core.decode(raw),
        (error) => {
          assert.ok(error instanceof core.WrongTypeError)
          assert.equal(error.have, have)
          assert.equal(error.want, 0x16)
          return true
        },
      ),
    )
  }
  assert.throws(() => core.decodeSender(vector.raw), core.WrongTypeError)
})

test('refuse what is no transaction', async (t) => {
  for (const [name, raw] of [
    ['undefined', undefined],
    ['null', null],
    ['a number', 22],
    ['no 0x', '16'],
    ['half a byte', '0x161'],
    ['no digits', '0x16zz'],
    ['empty', '0x'],
    ['a list that claims 4 GB', '0x16fbffffffff'],
    ['a list that claims 2^64 bytes', '0x16ffffffffffffffffff'],
    ['a long form of a short length', '0x16f80180'],
    ['too large', `0x16${'00'.repeat(262_144)}`],
  ]) {
    await t.test(name, () => assert.throws(() => core.decode(raw), core.DecodeError))
  }
})

test('refuse to sign as fee payer', async (t) => {
  const [vector] = valid
  const account = privateKeyToAccount(vector.feePayerPrivateKey)
  const payer = new Wallet(vector.feePayerPrivateKey)
  const both = (transaction, chainId, maxFee, error) =>
    Promise.all([
      assert.rejects(viem.signAsFeePayer({ account, chainId, transaction, maxFee }), error),
      assert.rejects(ethers.signAsFeePayer(transaction, payer, { chainId, maxFee }), error),
    ])
  const fee = BigInt(vector.json.gas) * BigInt(vector.json.maxFeePerGas)
  await t.test('another chain', () => both(vector.senderType2Raw, 8282, undefined, core.WrongChainError))
  await t.test('a transaction that has a fee payer', () => both(vector.raw, 8283, undefined, core.WrongTypeError))
  await t.test('a fee above the limit', () => both(vector.senderType2Raw, 8283, fee - 1n, core.FeeLimitError))
  await t.test('a fee at the limit', async () => {
    assert.equal(
      await viem.signAsFeePayer({ account, chainId: 8283, transaction: vector.senderType2Raw, maxFee: fee }),
      vector.raw,
    )
  })
  await t.test('an unsigned transaction', () => both(vector.senderSigningPreimage, 8283, undefined, core.DecodeError))
  await t.test('a missing field of the sender', () =>
    assert.rejects(
      viem.signAsSender({ account, chainId: 8283, nonce: 0, gas: 21000n, maxFeePerGas: 1n }),
      /maxPriorityFeePerGas is missing/,
    ),
  )
  await t.test('a field that does not fit', () =>
    assert.rejects(
      viem.signAsSender({
        account,
        chainId: 8283,
        nonce: 0,
        gas: 1n << 64n,
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      }),
      core.FieldError,
    ),
  )
  await t.test('an account without a key', () =>
    assert.rejects(
      viem.signAsFeePayer({
        account: { address: account.address, type: 'local' },
        chainId: 8283,
        transaction: vector.senderType2Raw,
      }),
      core.FieldError,
    ),
  )
})

test('random changes of bytes are read or refused by errors of the SDK', async () => {
  const next = random(0x16)
  let read = 0
  for (let i = 0; i < 20_000; i++) {
    const bytes = Buffer.from(valid[next(valid.length)].raw.slice(2), 'hex')
    let changed = bytes
    switch (next(4)) {
      case 0:
        changed[next(bytes.length)] = next(256)
        break
      case 1:
        changed = bytes.subarray(0, next(bytes.length))
        break
      case 2:
        changed = Buffer.concat([
          bytes.subarray(0, next(bytes.length)),
          Buffer.from([next(256)]),
          bytes.subarray(next(bytes.length)),
        ])
        break
      default:
        for (let n = next(8); n >= 0; n--) changed[next(Math.min(bytes.length, 60))] = next(256)
    }
    const raw = `0x${changed.toString('hex')}`
    try {
      const { signature, feePayer, feePayerSignature, ...fields } = core.decode(raw)
      assert.equal(core.encode(fields, signature, feePayer, feePayerSignature), raw, 'one value has two encodings')
      read++
    } catch (error) {
      if (!(error instanceof core.SdkError)) throw new Error(`${raw}: ${error.stack}`)
    }
  }
  assert.ok(read > 1000, `only ${read} were read: the changes reach nothing behind the first check`)
})

test('random changes of valid transactions are parsed or refused by errors of the SDK', async () => {
  const next = random(8283)
  for (let i = 0; i < 100; i++) {
    const bytes = Buffer.from(valid[0].raw.slice(2), 'hex')
    bytes[next(bytes.length)] ^= 1 << next(8)
    const raw = `0x${bytes.toString('hex')}`
    const ofViem = await viem.parse({ transaction: raw, chainId: 8283 }).catch((error) => error)
    let ofEthers
    try {
      ofEthers = ethers.FeeDelegatedTransaction.from(raw, 8283)
    } catch (error) {
      ofEthers = error
    }
    assert.equal(
      ofViem instanceof Error ? ofViem.message : ofViem.sender,
      ofEthers instanceof Error ? ofEthers.message : ofEthers.from,
      raw,
    )
    assert.ok(!(ofViem instanceof Error) || ofViem instanceof core.SdkError, `${raw}: ${ofViem.stack}`)
    assert.equal(keccak256(raw) === valid[0].hash, raw === valid[0].raw)
  }
})
