// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { http, type EIP1193RequestFn, type Transport } from 'viem'
import { route } from '../core/sponsor.js'

/**
 * sponsored returns a transport whose transactions a sponsor pays.
 *
 * The sponsor, a URL or a transport of its own, gets what is submitted (`eth_sendRawTransaction`,
 * `eth_sendRawTransactionSync`, `eth_signRawTransaction`), `eth_fillTransaction`, `pm_*` and `sponsor_*`. Every
 * other call goes to `node`, by default the URL of the chain. The sponsor answers with the hash of the sender's
 * transaction; a transaction or receipt that the node does not know by that hash is looked up at the sponsor.
 *
 * There is no fallback: a transaction that the sponsor refuses is not submitted elsewhere, and the refusal is thrown.
 */
export function sponsored(sponsor: string | Transport, node: Transport = http()): Transport {
  return (config) => {
    const reads = node(config)
    const pays = (typeof sponsor === 'string' ? http(sponsor) : sponsor)(config)
    const request = ((call: { method: string; params?: unknown }, options?: object) =>
      route(
        call.method,
        call.params,
        (params) => pays.request({ ...call, params } as never, options as never),
        (params) => reads.request({ ...call, params } as never, options as never),
      )) as EIP1193RequestFn
    return { ...reads, request }
  }
}
