// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// A devnet with something to look at: payments, a sponsored one, a contract of one's own, a failure, proposals.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import { rpc, until } from '../clients/chain.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const coin = '0x0000000000000000000000000000000000001000'
const hex = (n) => `0x${BigInt(n).toString(16)}`
const word = (n) => BigInt(n).toString(16).padStart(64, '0')
export const coins = (n) => hex(BigInt(n) * 10n ** 18n)

/** Compiles the shop and writes its artifacts as Foundry does. It returns the code that creates it. */
export function compileShop(out) {
  const input = {
    language: 'Solidity',
    sources: { 'Shop.sol': { content: readFileSync(join(here, 'Shop.sol'), 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode', 'evm.methodIdentifiers'] } },
    },
  }
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)))
  const grave = errors.filter((e) => e.severity === 'error')
  if (grave.length) throw new Error(grave.map((e) => e.formattedMessage).join('\n'))
  mkdirSync(join(out, 'Shop.sol'), { recursive: true })
  for (const [name, { abi, evm }] of Object.entries(contracts['Shop.sol'])) {
    const { object, immutableReferences, linkReferences } = evm.deployedBytecode
    writeFileSync(join(out, 'Shop.sol', `${name}.json`), JSON.stringify({
      abi, bytecode: { object: `0x${evm.bytecode.object}` },
      deployedBytecode: { object: `0x${object}`, immutableReferences, linkReferences },
    }))
  }
  const shop = contracts['Shop.sol'].Shop.evm
  return { code: `0x${shop.bytecode.object}`, selectors: shop.methodIdentifiers }
}

/** Sends transactions of the unlocked account. */
export class Actor {
  constructor(info) {
    this.url = info.rpc
    this.from = info.accounts[0].address
  }

  async send(fields) {
    const hash = await rpc(this.url, 'eth_sendTransaction', [{ from: this.from, ...fields }])
    return this.receipt(hash)
  }

  receipt(hash) {
    return until(`a receipt of ${hash}`, () => rpc(this.url, 'eth_getTransactionReceipt', [hash]))
  }
}

/** The arguments of a function that takes one short text, and a number. */
const textAndNumber = (text, ...numbers) => {
  const bytes = Buffer.from(text).toString('hex')
  const head = word(32 * (1 + numbers.length)) + numbers.map(word).join('')
  return head + word(text.length) + bytes.padEnd(64, '0')
}

/**
 * Has a new account pay another one five coins, with the fee paid by the devnet's first account. With a nonce above zero the transaction
 * stays in the pool, and its hash is the answer.
 */
export async function sponsored(actor, to, nonce = '0x0') {
  const { url, from: feePayer } = actor
  const sender = await rpc(url, 'personal_newAccount', ['a password'])
  const tip = await rpc(url, 'eth_maxPriorityFeePerGas')
  const cap = hex(2n * BigInt(await rpc(url, 'eth_gasPrice')))
  await actor.send({ to: sender, value: coins(12) })
  const fields = { from: sender, to, value: coins(5), gas: hex(21000), nonce, maxPriorityFeePerGas: tip, maxFeePerGas: cap }
  const { raw } = await rpc(url, 'personal_signTransaction', [fields, 'a password'])
  const signed = await rpc(url, 'eth_signRawFeeDelegateTransaction', [{ feePayer }, raw])
  const hash = await rpc(url, 'eth_sendRawTransaction', [signed.raw])
  return nonce === '0x0' ? actor.receipt(hash) : hash
}

/** Does a bit of everything and returns the receipts. */
export async function liven(info, shop) {
  const actor = new Actor(info)
  const [, second, third] = info.accounts.map((a) => a.address)
  const done = {}
  done.paid = await actor.send({ to: second, value: coins(1500) })
  done.sponsored = await sponsored(actor, third)
  done.transfer = await actor.send({ to: coin, data: `0xa9059cbb${word(second)}${word(coins(25))}` })
  done.created = await actor.send({ data: shop.code, gas: hex(2_000_000) })
  const contract = done.created.contractAddress
  const call = (name, args, value) => actor.send({ to: contract, data: `0x${shop.selectors[name]}${args}`, value, gas: hex(300_000) })
  await call('setPrice(string,uint256)', textAndNumber('tea', coins(3)))
  done.bought = await call('buy(string)', textAndNumber('tea'), coins(3))
  done.failed = await call('buy(string)', textAndNumber('tea'), coins(1))
  return { ...done, contract, actor }
}
