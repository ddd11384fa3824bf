// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

/**
 * Proofs that a transaction is final, verified without a node: in browsers and in Node.js.
 * @module
 */
import type { Hex } from '../core/hex.js'
import type { Checkpoint } from './types.js'

export { parseWon, won } from '../core/amount.js'
export { AmountError } from '../core/errors.js'
export {
  mainnetGenesis,
  paid,
  ProofError,
  testnetGenesis,
  type Checkpoint,
  type ProofFault,
  type ProvenLog,
  type ProvenPayment,
  type ProvenTransfer,
} from './types.js'
export { verifyPayment } from './verify.js'

/** What asks a node: a provider of EIP-1193, or a client of viem. */
export interface Requester {
  request(call: { method: any; params: any }): Promise<unknown>
}

const pause = 250 // ms
const tries = 40

/**
 * fetchReceiptProof asks a node, which need not be trusted, for what verifyPayment verifies with the same checkpoint. A
 * proof is made with the child of the block: fetchReceiptProof waits some seconds for it when the block is the newest.
 */
export async function fetchReceiptProof(node: Requester, hash: Hex, trusted: Checkpoint): Promise<unknown> {
  for (let asked = 1; ; asked++) {
    try {
      return await node.request({ method: 'istanbul_getReceiptProof', params: [hash, trusted.hash] })
    } catch (error) {
      const newest = String((error as { message?: unknown } | null)?.message).includes('is the newest: its child')
      if (!newest || asked === tries) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
