// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import type { Amount } from './api'
import { useResource } from './hooks'
import { Address, Badge, Coins, Empty, group, Hash, Loading, Panel, Stat, Title, Trouble } from './parts'

type Waiting = {
  hash: string; nonce: number; to?: string; value: Amount; feePayer: string; mostFee: Amount; queued: boolean; selector?: string
}
type Answer = {
  pending: number; queued: number; moreSenders: number; senders: { address: string; transactions: Waiting[]; more: number }[]
  payers: { address: string; count: number; most: Amount; balance: Amount; short: boolean }[]
}

export function Pool() {
  const { data, error, again } = useResource<Answer>('pool', true)
  if (error && !data) return <><Title>Pool</Title><Trouble error={error} again={again} /></>
  if (!data) return <><Title>Pool</Title><Loading rows={8} /></>
  return (
    <>
      <Title>Pool and fee payers</Title>
      <dl class="stats">
        <Stat name="Executable" note="in one of the next blocks">{group(data.pending)}</Stat>
        <Stat name="Queued" note="behind a missing nonce">{group(data.queued)}</Stat>
        <Stat name="Senders">{group(data.senders.length + data.moreSenders)}</Stat>
        <Stat name="Fee payers">{group(data.payers.length)}</Stat>
      </dl>
      <Panel title="Fee payers">
        {data.payers.length === 0 ? <Empty>No waiting transaction has a fee payer other than its sender.</Empty> : (
          <table class="payers">
            <thead><tr><th>Payer</th><th class="right count">Transactions</th><th class="right">Fees, at most</th>
              <th class="right other">Balance</th></tr></thead>
            <tbody>
              {data.payers.map((p) => (
                <tr key={p.address}>
                  <td><Address of={p.address} /> {p.short && <Badge kind="bad">too little</Badge>}</td>
                  <td class="right count">{group(p.count)}</td><td class="right"><Coins amount={p.most} /></td>
                  <td class="right other"><Coins amount={p.balance} brief /></td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
      <Panel title="Transactions by sender">
        {data.senders.length === 0 ? <Empty>The pool is empty.</Empty> : data.senders.map((s) => (
          <div key={s.address} class="sender">
            <h3><Address of={s.address} /></h3>
            <table>
              <thead><tr><th>Nonce</th><th>Transaction</th><th class="other">To</th><th class="right">Value</th><th class="right other">Payer</th></tr></thead>
              <tbody>
                {s.transactions.map((t) => (
                  <tr key={t.hash}>
                    <td>{group(t.nonce)} {t.queued && <Badge kind="wait">queued</Badge>}</td>
                    <td><Hash of={t.hash} /></td>
                    <td class="other">{t.to ? <Address of={t.to} /> : 'creates a contract'} {t.selector && <span class="hex quiet">.{t.selector}</span>}</td>
                    <td class="right"><Coins amount={t.value} /></td>
                    <td class="right other"><Address of={t.feePayer} /></td>
                  </tr>
                ))}
              </tbody>
            </table>
            {s.more > 0 && <Empty>and {group(s.more)} more</Empty>}
          </div>
        ))}
        {data.moreSenders > 0 && <Empty>and {group(data.moreSenders)} more senders</Empty>}
      </Panel>
    </>
  )
}
