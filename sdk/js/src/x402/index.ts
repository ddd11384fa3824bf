// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

/**
 * Shops that are paid by x402: each payment is served once. Works with x402ResourceServer of @x402/core.
 * @module
 */

/** What is read of a payment before and after it is settled. */
export interface SettleContext {
  paymentPayload: { payload: Record<string, unknown> }
  requirements: { network: string }
}

/** Stops the settlement of a payment. */
export interface Abort {
  abort: true
  reason: string
  message?: string
}

/** The part of x402ResourceServer that serveOnce uses. */
export interface HookedServer {
  onBeforeSettle(hook: (context: SettleContext) => Promise<Abort | undefined>): unknown
  onSettleFailure(hook: (context: SettleContext) => Promise<undefined>): unknown
}

/**
 * PaymentStore remembers the payments that are served or under way. A shop of several processes gives one that all of
 * them share, such as a table with a unique column.
 */
export interface PaymentStore {
  /**
   * take remembers a payment until at least a time in seconds since 1970. It resolves to false for one that it
   * remembers already. Of two calls for one payment at the same time, one has true.
   */
  take(id: string, until: number): Promise<boolean> | boolean
  /** release forgets a payment that was not settled. */
  release(id: string): Promise<void> | void
}

/**
 * MemoryStore is a PaymentStore of one process. It holds a bounded number of payments, and forgets those whose
 * authorization has expired when it is full. While none has, it takes no further payment.
 */
export class MemoryStore implements PaymentStore {
  readonly #payments = new Map<string, number>() // id -> until, in the order of arrival
  readonly #capacity: number

  constructor(capacity = 100_000) {
    this.#capacity = capacity
  }

  take(id: string, until: number): boolean {
    if (this.#payments.has(id)) return false
    if (this.#payments.size >= this.#capacity && !this.#forgetExpired()) {
      throw new Error(`${this.#capacity} payments are remembered and none has expired: give a larger store`)
    }
    this.#payments.set(id, until)
    return true
  }

  release(id: string): void {
    this.#payments.delete(id)
  }

  #forgetExpired(): boolean {
    const now = Date.now() / 1000
    for (const [id, until] of this.#payments) {
      if (until < now) this.#payments.delete(id)
    }
    return this.#payments.size < this.#capacity
  }
}

/** A margin for clocks that differ, in seconds. */
const margin = 3600

/** The payment as the coin's contract knows it, whatever the letter case: authorizer and nonce on a chain. */
function payment({ paymentPayload, requirements }: SettleContext): { id: string; until: number } | undefined {
  const { from, nonce, validBefore } = (paymentPayload.payload['authorization'] ?? {}) as Record<string, unknown>
  if (typeof from !== 'string' || typeof nonce !== 'string') return undefined
  const until = Number(validBefore)
  return {
    id: `${requirements.network}:${from}:${nonce}`.toLowerCase(),
    until: (Number.isFinite(until) ? until : Number.MAX_SAFE_INTEGER) + margin,
  }
}

/**
 * serveOnce makes a shop serve each payment once: of several requests with one payment, at the same time or later, one
 * is settled. It returns the server. A payment whose settlement fails may come again.
 *
 * A store that fails stops the settlement: nothing is paid, and the customer may ask again.
 */
export function serveOnce<S extends HookedServer>(server: S, store: PaymentStore = new MemoryStore()): S {
  server.onBeforeSettle(async (context) => {
    const one = payment(context)
    if (!one) return { abort: true, reason: 'invalid_payload', message: 'the payment has no authorization of EIP-3009' }
    try {
      if (await store.take(one.id, one.until)) return undefined
    } catch (error) {
      // The server goes on after a hook that throws.
      return {
        abort: true,
        reason: 'unexpected_settle_error',
        message: `the payment is not remembered: ${String(error)}`,
      }
    }
    return { abort: true, reason: 'invalid_exact_evm_nonce_already_used', message: 'this payment is served already' }
  })
  server.onSettleFailure(async (context) => {
    const one = payment(context)
    if (one) await store.release(one.id)
    return undefined
  })
  return server
}
