// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// The node's JSON API, its answers, and what the page knows at all times.
import { signal } from '@preact/signals'

export type Amount = { wei: string; text: string }
export type Named = Record<string, string>
export type Person = { address: string; name: string; member: boolean }
export type Status = {
  chainId: number; network: string; node: string; version: string; head: number; accounts: Person[]; names: Named
  contracts: string; period: number; coin: string; canFund: boolean; rpc: string
}
export type Summary = {
  number: number; hash: string; time: number; interval: number; proposer: string; round: number; validators: string[]
  sealed: boolean[]; complete: boolean; gasUsed: number; gasLimit: number; transactions: number; size: number
}
export type Value = string | boolean | number | Value[] | Argument[]
export type Argument = { name: string; type: string; value: Value; text?: string }
export type Call = {
  contract?: string; function: string; signature: string; arguments: Argument[]; result?: Argument[]; guessed?: boolean
}
export type Failure = { text: string; kind: string; contract?: string; in?: string; data?: string }
export type Frame = {
  kind: string; from: string; to?: string; value?: Amount; gasUsed: string; input: string; output?: string; call?: Call
  failure?: Failure; calls?: Frame[]; omitted?: number
}
export type Log = {
  address: string; contract?: string; event?: { name: string; arguments: Argument[]; guessed?: boolean }
  topics: string[]; data: string
}
export type Change = { account: string; token?: string; amount: string; text: string }
export type Transaction = {
  summary: string; status: string; hash: string; type: string; typeName?: string; block?: string; time?: number; from: string
  to?: string; creates?: string; nonce: string; value: Amount; input: string; call?: Call; gasLimit: number; gasUsed?: number
  gasPrice?: string; maxFeePerGas?: string; maxPriorityFeePerGas?: string; fee: Amount; feePayer: string; failure?: Failure
  logs: Log[]; balanceChanges: Change[]; trace?: Frame; notes?: string[]; names: Named
}
export type Block = {
  number: number; hash: string; time: number; proposer: string; gasUsed: number; gasLimit: number; baseFee: string
  size: number; parentHash: string; stateRoot: string; count: number; transactions: Transaction[]; summary: Summary
  gasTip: string; head: number
}

/** The newest blocks that live updates keep. */
const kept = 120

export const status = signal<Status | null>(null)
export const blocks = signal<Summary[]>([]) // the newest first
export const pool = signal({ pending: 0, queued: 0 })
export const connected = signal<boolean | null>(null) // null before the first answer
export const head = signal(0)

const token = document.querySelector<HTMLMetaElement>('meta[name="gwon-token"]')?.content ?? ''

/** An answer of the node that is no success, in a sentence. */
export class Problem extends Error {
  constructor(message: string, readonly status: number) { super(message) }
}

async function answer<T>(request: Promise<Response>): Promise<T> {
  let response: Response
  try {
    response = await request
  } catch {
    throw new Problem('The node does not answer. It may have been stopped.', 0)
  }
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new Problem(`The node answers with status ${response.status} and no JSON.`, response.status)
  }
  if (!response.ok) throw new Problem((body as { error?: string }).error ?? `Status ${response.status}`, response.status)
  return body as T
}

export const get = <T>(path: string): Promise<T> => answer<T>(fetch(`/api/${path}`))

export const post = <T>(path: string, body: unknown): Promise<T> => answer<T>(fetch(`/api/${path}`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-Gwon-Token': token },
  body: JSON.stringify(body),
}))

/** Puts blocks into the list, the newest first; later facts about a block replace earlier ones. */
export function merge(list: Summary[], more: Summary[]): Summary[] {
  const byNumber = new Map(list.map((b) => [b.number, b]))
  for (const b of more) byNumber.set(b.number, b)
  return [...byNumber.values()].sort((a, b) => b.number - a.number)
}

type Event = { blocks: Summary[]; pending: number; queued: number }

/** Follows the chain until the page is closed. A connection that breaks is opened again by the browser. */
export function follow(): void {
  const source = new EventSource('/api/live')
  source.onmessage = async ({ data }) => {
    const event = JSON.parse(data) as Event
    const newest = event.blocks[0]
    if (!newest) return
    const before = blocks.value[0]
    let list = blocks.value
    const gap = before ? newest.number - before.number : Infinity
    const gone = before !== undefined && newest.number < before.number
    if (gap > event.blocks.length || gone) {
      list = (await get<{ blocks: Summary[] }>('blocks?count=100').catch(() => ({ blocks: [] }))).blocks
    }
    blocks.value = merge(list, event.blocks).slice(0, kept)
    pool.value = { pending: event.pending, queued: event.queued }
    head.value = newest.number
    if (!connected.value) void begin()
    connected.value = true
  }
  source.onerror = () => {
    connected.value = false
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 2000)
  }
}

/** Asks what does not change while the node runs. */
export async function begin(): Promise<void> {
  try {
    status.value = await get<Status>('status')
  } catch {
    connected.value = false
  }
}
