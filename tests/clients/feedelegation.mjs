// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// A fee-delegated transaction made outside of a node: the sender signs an ordinary transaction of type 2, the fee payer signs that
// together with its own address.
import { concatHex, fromRlp, keccak256, numberToHex, toRlp } from 'viem'
import { sign } from 'viem/accounts'

/**
 * Adds a fee payer's signature to a sender's signed transaction of type 2.
 * @param {`0x${string}`} signed the sender's transaction
 * @param {{address: `0x${string}`, privateKey: `0x${string}`}} payer
 * @returns {Promise<`0x${string}`>} a transaction of type 0x16, for eth_sendRawTransaction
 */
export async function addFeePayer(signed, payer) {
  if (!signed.startsWith('0x02')) throw new Error('the sender has to sign a transaction of type 2')
  const sender = fromRlp(`0x${signed.slice(4)}`, 'hex') // chain ID ... access list, then v, r, s: twelve fields
  const address = payer.address.toLowerCase()
  const hash = keccak256(concatHex(['0x16', toRlp([sender, address])]))
  const { r, s, yParity } = await sign({ hash, privateKey: payer.privateKey })
  const integer = (value) => (BigInt(value) === 0n ? '0x' : numberToHex(BigInt(value)))
  return concatHex(['0x16', toRlp([sender, address, integer(yParity), integer(r), integer(s)])])
}
