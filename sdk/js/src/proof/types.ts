// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { baseUnits } from '../core/amount.js'
import { mainnetChainId, testnetChainId } from '../core/constants.js'
import { SdkError } from '../core/errors.js'
import type { Hex } from '../core/hex.js'

/** Why a proof is refused. */
export type ProofFault =
  | 'malformed'
  | 'size'
  | 'trust'
  | 'chain'
  | 'link'
  | 'older'
  | 'order'
  | 'epoch'
  | 'validators'
  | 'seal'
  | 'path'
  | 'transaction'

/** ProofError refuses a proof. Its code is a ProofFault. */
export class ProofError extends SdkError {
  declare readonly code: ProofFault

  constructor(code: ProofFault, problem: string, options?: ErrorOptions) {
    super(code, `the proof is refused: ${problem}`, options)
  }
}

/**
 * A block that the reader of a proof trusts. Its hash covers the validators that come after it. All parts are needed:
 * keys that serve two chains seal blocks of both, and the chain ID tells them apart.
 */
export interface Checkpoint {
  readonly chainId: bigint | number
  readonly number: bigint | number
  readonly hash: Hex
}

/**
 * The first block of the main network, which appoints one validator: the holder of its one key can forge any proof from
 * there. A later block, whose hash comes from a source that the reader trusts, makes proofs shorter and old keys of
 * validators harmless.
 */
export const mainnetGenesis: Checkpoint = {
  chainId: mainnetChainId,
  number: 0,
  hash: '0xf192f2ba82c9265777bad7d33b7fd561430ae5e1f60f2e99c893073c81dc5b7b',
}

/** The first block of the test network. */
export const testnetGenesis: Checkpoint = {
  chainId: testnetChainId,
  number: 0,
  hash: '0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490',
}

/** A log of a transaction. */
export interface ProvenLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** A log Transfer(address,address,uint256) of an ERC-20 token or of the coin. */
export interface ProvenTransfer {
  readonly contract: Hex
  readonly from: Hex
  readonly to: Hex
  /** In the smallest unit of the contract. */
  readonly value: bigint
}

/** What a proof shows. Addresses have lower-case digits. */
export interface ProvenPayment {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Of the block, in seconds since 1970. */
  readonly time: bigint
  readonly hash: Hex
  readonly from: Hex
  /** Null for the creation of a contract. */
  readonly to: Hex | null
  /** In base units, moved only if `succeeded`. */
  readonly value: bigint
  /** Null when the sender paid. */
  readonly feePayer: Hex | null
  readonly succeeded: boolean
  readonly transfers: readonly ProvenTransfer[]
  readonly logs: readonly ProvenLog[]
}

/**
 * paid reports whether the transaction moved at least `value` to an account by one transfer that the contract logged:
 * coinAddress for coins, whose contract logs every movement of them, or a token that the reader trusts. It throws
 * AmountError for a value that is no bigint.
 */
export function paid(payment: ProvenPayment, contract: Hex, to: Hex, value: bigint): boolean {
  baseUnits(value)
  const same = (a: Hex, b: Hex): boolean => a.toLowerCase() === b.toLowerCase()
  return (
    payment.succeeded && payment.transfers.some((t) => same(t.contract, contract) && same(t.to, to) && t.value >= value)
  )
}
