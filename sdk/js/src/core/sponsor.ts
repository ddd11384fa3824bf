// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { checkObject } from './object.js'

const writes = new Set([
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'eth_signRawTransaction',
  'eth_fillTransaction',
])
const lookups = new Set(['eth_getTransactionReceipt', 'eth_getTransactionByHash'])
const objects = new Set(['eth_fillTransaction', 'pm_isSponsorable'])
const calls = new Set(['eth_call', 'eth_createAccessList', 'eth_estimateGas'])
const fees = new Set(['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'])

/** isWrite reports whether a method goes to the sponsor. */
export const isWrite = (method: string): boolean => writes.has(method) || /^(?:pm|sponsor)_/.test(method)

/**
 * atNoPrice returns the parameters of a call without fees. The sponsor pays them, so that the sender's balance must not
 * limit the call.
 */
export function atNoPrice(params: unknown): unknown {
  if (!Array.isArray(params) || typeof params[0] !== 'object' || params[0] === null) return params
  const [call, ...rest] = params as [Record<string, unknown>, ...unknown[]]
  return [Object.fromEntries(Object.entries(call).filter(([key]) => !fees.has(key))), ...rest]
}

/**
 * asOnChain returns a transaction or receipt as the chain has it, of type 0x16 and by its own hash. A sponsor answers for
 * the sender's hash in the form of type 2, which any library reads. Other answers are returned as they are.
 */
export function asOnChain<T>(answer: T): T {
  if (typeof answer !== 'object' || answer === null || !('feeDelegatedTransactionHash' in answer)) return answer
  const { feeDelegatedTransactionHash: hash, ...rest } = answer
  return { ...rest, type: '0x16', ['transactionHash' in rest ? 'transactionHash' : 'hash']: hash } as T
}

/** route sends one call to the sponsor or to the node. Both arguments behind the call make requests. */
export async function route<T>(
  method: string,
  params: unknown,
  sponsor: (params: unknown) => Promise<T>,
  node: (params: unknown) => Promise<T>,
): Promise<T> {
  if (isWrite(method)) {
    if (objects.has(method)) checkObject(Array.isArray(params) ? (params as unknown[])[0] : undefined, 'sponsored')
    return asOnChain(await sponsor(params))
  }
  if (calls.has(method)) return node(atNoPrice(params))
  const answer = await node(params)
  return answer === null && lookups.has(method) ? asOnChain(await sponsor(params)) : answer
}
