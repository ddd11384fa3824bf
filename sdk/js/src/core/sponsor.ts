// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { refuseForeignFields } from './fields.js'

const writes = new Set([
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'eth_signRawTransaction',
  'eth_fillTransaction',
])
// A sponsor answers the usual methods in the form of type 2, which any library reads, and these in that of the chain.
const lookups = new Map([
  ['eth_getTransactionReceipt', 'eth_getTransactionReceiptBySenderHash'],
  ['eth_getTransactionByHash', 'eth_getTransactionBySenderHash'],
])
const fees = new Set(['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'])

/** isWrite reports whether a method goes to the sponsor. */
export const isWrite = (method: string): boolean => writes.has(method) || /^(?:pm|sponsor)_/.test(method)

/**
 * atNoPrice returns the parameters of eth_estimateGas without fees. The sponsor pays them, so that the sender's
 * balance must not limit the estimate.
 */
export function atNoPrice(params: unknown): unknown {
  if (!Array.isArray(params) || typeof params[0] !== 'object' || params[0] === null) return params
  const [call, ...rest] = params as [Record<string, unknown>, ...unknown[]]
  return [Object.fromEntries(Object.entries(call).filter(([key]) => !fees.has(key))), ...rest]
}

/** route sends one call to the sponsor or to the node. Both arguments behind the call make requests. */
export async function route<T>(
  method: string,
  params: unknown,
  sponsor: (method: string, params: unknown) => Promise<T>,
  node: (params: unknown) => Promise<T>,
): Promise<T> {
  if (isWrite(method)) {
    const [call] = Array.isArray(params) ? (params as unknown[]) : []
    if (typeof call === 'object' && call !== null) refuseForeignFields(call)
    return sponsor(method, params)
  }
  if (method === 'eth_estimateGas') return node(atNoPrice(params))
  const answer = await node(params)
  const lookup = lookups.get(method)
  return answer === null && lookup !== undefined ? sponsor(lookup, params) : answer
}
