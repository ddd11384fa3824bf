// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { useEffect, useState } from 'preact/hooks'
import { blocks, get, head, merge, pool, type Block, type Problem, type Summary, type Transaction } from './api'
import { useNow, useResource } from './hooks'
import {
  Address, age, Bar, Copy, Empty, Fact, Facts, group, gwei, Hash, Loading, moment, Panel, percent, Seals, Sentence, Spark, Stat,
  StatusBadge, Title, Trouble,
} from './parts'

const shown = 25

function Row({ b, now }: { b: Summary; now: number }) {
  return (
    <tr>
      <td class="number"><a href={`/block/${b.number}`}>{group(b.number)}</a></td>
      <td class="age quiet" title={moment(b.time)}>{age(b.time, now)}</td>
      <td class="who"><Address of={b.proposer} /></td>
      <td class={b.round > 0 ? 'round late' : 'round quiet'}>{b.round}</td>
      <td><Seals validators={b.validators} sealed={b.sealed} waiting={!b.complete} /></td>
      <td class="gas"><Bar part={b.gasUsed} whole={b.gasLimit} label={`${percent(b.gasUsed, b.gasLimit)} of the gas used`} /></td>
      <td class="right count">{b.transactions || <span class="quiet">0</span>}</td>
      <td class={b.interval > 2 ? 'right interval late' : 'right interval quiet'}>{b.interval ? `${b.interval} s` : '–'}</td>
    </tr>
  )
}

/** The newest blocks, by the second. */
export function Blocks() {
  const [paused, setPaused] = useState<Summary[] | null>(null)
  const [older, setOlder] = useState<Summary[]>([])
  const [error, setError] = useState<Problem | null>(null)
  const [loading, setLoading] = useState(false)
  const now = useNow()
  const live = paused ?? blocks.value
  const list = older.length ? merge(older, live) : live.slice(0, shown)
  const recent = live.slice(0, 60).filter((b) => b.number > 1).reverse()
  const last = list[list.length - 1]

  const more = async () => {
    setLoading(true)
    try {
      const { blocks: next } = await get<{ blocks: Summary[] }>(`blocks?before=${last.number}&count=${shown}`)
      setOlder((o) => merge(merge(o, list), next))
      setError(null)
    } catch (e) {
      setError(e as Problem)
    }
    setLoading(false)
  }
  const sum = (f: (b: Summary) => number) => recent.reduce((n, b) => n + f(b), 0)
  const average = recent.length ? sum((b) => b.interval) / recent.length : 0
  return (
    <>
      <Title aside={
        <button type="button" onClick={() => setPaused(paused ? null : blocks.value)} aria-pressed={paused !== null}>
          {paused ? 'Continue' : 'Pause'}
        </button>
      }>Blocks</Title>
      <dl class="stats">
        <Stat name="Newest block" note="final with its seals">{head.value ? group(live[0]?.number ?? head.value) : '–'}</Stat>
        <Stat name="Interval" note={`last ${recent.length} blocks`}
          chart={<Spark values={recent.map((b) => b.interval)} most={2} label="Seconds between the last blocks" />}>
          {recent.length ? `${average.toFixed(2)} s` : '–'}
        </Stat>
        <Stat name="Transactions" note={`last ${recent.length} blocks`}
          chart={<Spark values={recent.map((b) => b.transactions)} most={1} label="Transactions of the last blocks" />}>
          {group(sum((b) => b.transactions))}
        </Stat>
        <Stat name="Gas used" note="average"
          chart={<Spark values={recent.map((b) => b.gasUsed / (b.gasLimit || 1))} most={0.01} label="Gas used by the last blocks" />}>
          {percent(sum((b) => b.gasUsed), sum((b) => b.gasLimit))}
        </Stat>
        <Stat name="Waiting" note={<a href="/pool">in the pool</a>}>{group(pool.value.pending + pool.value.queued)}</Stat>
      </dl>
      <Panel>
        {list.length === 0 ? <Loading rows={shown} /> : (
          <table class="blocks">
            <thead>
              <tr>
                <th>Block</th><th class="age">Age</th><th class="who">Proposer</th><th class="round">Round</th><th>Seals</th>
                <th class="gas">Gas</th><th class="right count">Txs</th><th class="right interval">Interval</th>
              </tr>
            </thead>
            <tbody>{list.map((b, i) => <Row key={i} b={b} now={now} />)}</tbody>
          </table>
        )}
        {error && <Trouble error={error} again={more} />}
        {last && last.number > 0 && (
          <p class="more"><button type="button" onClick={more} disabled={loading}>Older blocks</button></p>
        )}
      </Panel>
    </>
  )
}

export const TransactionRow = ({ t }: { t: Transaction }) => (
  <li class="transaction">
    <span class="mark"><StatusBadge of={t.status} /></span>
    <span class="sentence"><Sentence text={t.summary} names={t.names} /></span>
    <Hash of={t.hash} />
  </li>
)

export function BlockView({ id }: { id: string }) {
  const n = Number(id)
  const { data: b, error, again } = useResource<Block>(`block/${id}`)
  // A block is complete once the next one has brought the late seals, and a missing block may come.
  const waiting = (b && !b.summary.complete) || error?.status === 404
  const now = head.value
  useEffect(() => { if (waiting) again() }, [now, waiting])
  return (
    <>
      <Title aside={
        <nav class="steps" aria-label="Neighboring blocks">
          {n > 0 && <a class="button" href={`/block/${n - 1}`} rel="prev">← {group(n - 1)}</a>}
          {n < head.value && <a class="button" href={`/block/${n + 1}`} rel="next">{group(n + 1)} →</a>}
        </nav>
      }>Block {group(n)}</Title>
      {error && <Trouble error={error} again={again} />}
      {!b && !error && <Loading rows={10} />}
      {b && <BlockFacts b={b} />}
    </>
  )
}

function BlockFacts({ b }: { b: Block }) {
  const s = b.summary
  const sealed = s.sealed.filter(Boolean).length
  return (
    <>
      <Panel>
        <Facts>
          <Fact name="Time">{moment(b.time)}{s.interval > 0 && <span class="quiet">, {s.interval} s after the block before</span>}</Fact>
          {b.number > 0 && (
            <>
              <Fact name="Proposer"><Address of={b.proposer} full /> <span class="quiet">in round {s.round}</span></Fact>
              <Fact name="Seals">
                <Seals validators={s.validators} sealed={s.sealed} waiting={!s.complete} />
                <span class="quiet"> {sealed} of {s.validators.length}</span>
                {s.complete && sealed < s.validators.length && (
                  <span>, without {s.validators.filter((_, i) => !s.sealed[i]).map((v) => <Address key={v} of={v} />)}</span>
                )}
              </Fact>
            </>
          )}
          <Fact name="Gas">
            {group(b.gasUsed)} <span class="quiet">of {group(b.gasLimit)}, {percent(b.gasUsed, b.gasLimit)}</span>
          </Fact>
          <Fact name="Base fee">{gwei(b.baseFee)}</Fact>
          {b.gasTip && <Fact name="Governed tip">{gwei(b.gasTip)}</Fact>}
          <Fact name="Size">{group(b.size)} bytes</Fact>
          <Fact name="Hash"><span class="hex wrap">{b.hash}</span> <Copy text={b.hash} what="hash" /></Fact>
          <Fact name="State root"><span class="hex wrap">{b.stateRoot}</span></Fact>
        </Facts>
      </Panel>
      <Panel title="Transactions" aside={<span class="quiet">{group(b.count)}</span>}>
        {b.count === 0 ? <Empty>The block is empty.</Empty> : (
          <ul class="transactions">{b.transactions.map((t) => <TransactionRow key={t.hash} t={t} />)}</ul>
        )}
        {b.count > b.transactions.length && <Empty>The first {b.transactions.length} of {group(b.count)} are shown.</Empty>}
      </Panel>
    </>
  )
}
