// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Makes fee-delegated transactions of lines of JSON on standard input, and writes a line for each to standard output.
// The lines are described in sdk/testdata/README.md. viem signs; of every tenth line the part for ethers has to make
// the same bytes.
import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline'
import { Wallet } from 'ethers'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { signAsFeePayer as signWithEthers } from '@gwon/sdk/ethers'
import { signAsFeePayer, signAsSender } from '@gwon/sdk/viem'

const keys = [
  'chainId',
  'nonce',
  'to',
  'value',
  'data',
  'gas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
  'senderKey',
  'feePayerKey',
]

async function answer(line, number) {
  const given = JSON.parse(line)
  const missing = keys.filter((key) => given[key] === undefined)
  if (missing.length) throw new Error(`the line has no ${missing.join(', ')}: ${line.slice(0, 200)}`)
  const integers = ['nonce', 'value', 'gas', 'maxFeePerGas', 'maxPriorityFeePerGas'].map((key) => [
    key,
    BigInt(given[key]),
  ])
  const chainId = Number(BigInt(given.chainId))
  const { to, data, accessList } = given
  const sender = await signAsSender({
    account: privateKeyToAccount(given.senderKey),
    chainId,
    to,
    data,
    accessList,
    ...Object.fromEntries(integers),
  })
  const raw = await signAsFeePayer({ account: privateKeyToAccount(given.feePayerKey), chainId, transaction: sender })
  const other = number % 10 === 0 ? await signWithEthers(sender, new Wallet(given.feePayerKey), { chainId }) : raw
  if (other !== raw) throw new Error(`viem and ethers differ in ${line.slice(0, 200)}`)
  return JSON.stringify({ senderHash: keccak256(sender), raw, hash: keccak256(raw) })
}

let number = 0
for await (const line of createInterface({ input: stdin, crlfDelay: Infinity })) {
  if (line.trim() === '') continue
  const text = `${await answer(line, number++)}\n`
  if (!stdout.write(text)) await new Promise((resolve) => stdout.once('drain', resolve))
}
