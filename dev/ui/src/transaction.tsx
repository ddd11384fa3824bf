// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { useEffect } from 'preact/hooks'
import { head, type Frame, type Log, type Named, type Transaction } from './api'
import { useResource } from './hooks'
import {
  Address, Arguments, Coins, Copy, Empty, Fact, Facts, group, gwei, Loading, moment, nameOf, number, Panel, Sentence, short, Shown,
  StatusBadge, Title, Trouble,
} from './parts'

const text = (a: { type: string; value: unknown; text?: string }, names: Named): string => {
  if (a.text) return a.text
  const plain = typeof a.value === 'string' ? a.value : JSON.stringify(a.value)
  if (a.type === 'address') return nameOf(plain, names) || short(plain)
  return plain.length > 60 ? `${plain.slice(0, 57)}…` : plain
}

function Node({ f, names }: { f: Frame; names: Named }) {
  const creation = f.kind.startsWith('CREATE')
  const call = f.call
    ? `${f.call.function}(${f.call.arguments.map((a) => text(a, names)).join(', ')})`
    : !creation && f.input.length >= 10 ? f.input.slice(0, 10) : ''
  return (
    <li>
      <div class={f.failure ? 'frame bad' : 'frame'}>
        {f.kind !== 'CALL' && <span class="kind">{f.kind.toLowerCase()}</span>}
        {f.to && <Address of={f.to} names={names} />}
        {call && <span class="hex wrap">.{call}</span>}
        {f.call?.result && <span class="quiet wrap"> → {f.call.result.map((a) => text(a, names)).join(', ')}</span>}
        {f.value && <span class="value">{f.value.text}</span>}
        <span class="quiet gas">{group(number(f.gasUsed))} gas</span>
        {f.failure && <span class="reason">{f.failure.text}</span>}
      </div>
      {(f.calls || f.omitted) && (
        <ul>
          {f.calls?.map((c, i) => <Node key={i} f={c} names={names} />)}
          {f.omitted && <li class="quiet">and {group(f.omitted)} more calls</li>}
        </ul>
      )}
    </li>
  )
}

const Logs = ({ list, names }: { list: Log[]; names: Named }) => (
  <ol class="logs">
    {list.map((l, i) => (
      <li key={i}>
        <p>
          <Address of={l.address} names={names} />
          <strong>{l.event?.name ?? 'unknown event'}</strong>
          {l.event?.guessed && <span class="quiet">guessed</span>}
        </p>
        {l.event
          ? <Facts>{l.event.arguments.map((a) => <Fact key={a.name} name={a.name}><Shown {...a} names={names} /></Fact>)}</Facts>
          : (
            <Facts>
              {l.topics.map((t, n) => <Fact key={n} name={`topic ${n}`}><span class="hex wrap">{t}</span></Fact>)}
              <Fact name="data"><span class="hex wrap">{l.data}</span></Fact>
            </Facts>
          )}
      </li>
    ))}
  </ol>
)

export function TransactionView({ hash }: { hash: string }) {
  const { data: t, error, again } = useResource<Transaction>(`transaction/${hash}`)
  const waiting = t?.status === 'pending' || error?.status === 404
  const now = head.value
  useEffect(() => { if (waiting) again() }, [now, waiting])
  return (
    <>
      <Title aside={t && <StatusBadge of={t.status} />}>Transaction</Title>
      {error && <Trouble error={error} again={again} />}
      {!t && !error && <Loading rows={10} />}
      {t && <Receipt t={t} />}
    </>
  )
}

function Receipt({ t }: { t: Transaction }) {
  const done = t.status === 'succeeded' || t.status === 'failed'
  return (
    <>
      <p class={`receipt ${t.status}`}><Sentence text={`${t.summary}.`} names={t.names} /></p>
      {t.failure && (
        <Panel title="Why it failed">
          <Facts>
            <Fact name="Reason">{t.failure.text}</Fact>
            {t.failure.contract && (
              <Fact name="Failed in"><Address of={t.failure.contract} names={t.names} full /> {t.failure.in?.includes('.') &&
                <span class="hex">.{t.failure.in.split('.')[1]}</span>}</Fact>
            )}
            {t.failure.data && t.failure.data !== '0x' && <Fact name="Data"><span class="hex wrap">{t.failure.data}</span></Fact>}
          </Facts>
        </Panel>
      )}
      <Panel>
        <Facts>
          <Fact name="Hash"><span class="hex wrap">{t.hash}</span> <Copy text={t.hash} what="hash" /></Fact>
          {t.block && (
            <Fact name="Block">
              <a href={`/block/${number(t.block)}`}>{group(number(t.block))}</a>
              {t.time && <span class="quiet"> {moment(t.time)}</span>}
            </Fact>
          )}
          <Fact name="From"><Address of={t.from} names={t.names} full /></Fact>
          {t.to && <Fact name="To"><Address of={t.to} names={t.names} full /></Fact>}
          {t.creates && <Fact name="Creates"><Address of={t.creates} names={t.names} full /></Fact>}
          <Fact name="Value"><Coins amount={t.value} /></Fact>
          <Fact name={done ? 'Fee' : 'Fee, at most'}>
            <Coins amount={t.fee} />
            <span class="quiet"> {group(t.gasUsed ?? t.gasLimit)} gas at {gwei(t.gasPrice)}</span>
          </Fact>
          {t.feePayer !== t.from && <Fact name="Fee payer"><Address of={t.feePayer} names={t.names} full /></Fact>}
          <Fact name="Gas">{t.gasUsed ? `${group(t.gasUsed)} of ${group(t.gasLimit)}` : `at most ${group(t.gasLimit)}`}</Fact>
          <Fact name="Type">{t.typeName ?? t.type}</Fact>
          <Fact name="Nonce">{group(number(t.nonce))}</Fact>
        </Facts>
        {t.notes?.map((n) => <p key={n} class="note">{n}</p>)}
      </Panel>
      {t.call && (
        <Panel title="Call" aside={t.call.guessed && <span class="quiet">guessed by its selector</span>}>
          <p class="signature hex wrap">{t.call.signature}</p>
          <Arguments list={t.call.arguments} names={t.names} />
        </Panel>
      )}
      {t.balanceChanges.length > 0 && (
        <Panel title="Balance changes">
          <table class="changes">
            <thead><tr><th>Account</th><th class="right">Change</th></tr></thead>
            <tbody>
              {t.balanceChanges.map((c, i) => (
                <tr key={i}>
                  <td><Address of={c.account} names={t.names} /></td>
                  <td class={c.amount.startsWith('-') ? 'right minus' : 'right plus'}>{c.text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
      {done && (
        <Panel title="Logs" aside={<span class="quiet">{t.logs.length}</span>}>
          {t.logs.length === 0 ? <Empty>It left no logs.</Empty> : <Logs list={t.logs} names={t.names} />}
        </Panel>
      )}
      {t.trace && (
        <Panel title="Calls"><ul class="tree"><Node f={t.trace} names={t.names} /></ul></Panel>
      )}
      {t.input !== '0x' && (
        <details class="panel"><summary>Input, {group((t.input.length - 2) / 2)} bytes</summary>
          <p class="hex wrap input">{t.input}</p>
        </details>
      )}
    </>
  )
}
