// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { useResource } from './hooks'
import { Address, Badge, Bar, Empty, group, Loading, nameOf, Panel, short, Spark, Stat, Title, Trouble } from './parts'

type Validator = {
  address: string; operator?: string; current: boolean; next: boolean; seals: number; possible: number; proposals: number
  down: boolean; history: number[]; self: boolean
}
type Answer = {
  head: number; blocks: number; validators: Validator[]; epoch: number; nextEpoch: number; nextProposer: string; quorum: number
  peers: { name: string; address: string; inbound: boolean }[]; rounds: number[]; intervals: number[]
}

function History({ v }: { v: Validator }) {
  const missed = v.possible - v.seals
  const w = v.history.length
  return (
    <svg class="history" viewBox={`0 0 ${w} 10`} preserveAspectRatio="none" role="img" shape-rendering="crispEdges"
      aria-label={`${v.seals} of the last ${v.possible} blocks sealed, ${missed} missed`}>
      {v.history.map((h, i) => h >= 0 && <rect key={i} class={h ? 'yes' : 'no'} x={i} width="1.02" height="10" />)}
    </svg>
  )
}

function State({ v }: { v: Validator }) {
  if (v.current && v.down) return <Badge kind="bad">down</Badge>
  if (v.current && v.next) return <Badge kind="good">sealing</Badge>
  if (v.current) return <Badge kind="wait">leaves with the epoch</Badge>
  if (v.next) return <Badge kind="wait">joins with an epoch</Badge>
  return <Badge kind="plain">was replaced</Badge>
}

export function Validators() {
  const { data, error, again } = useResource<Answer>('validators', true)
  if (error && !data) return <><Title>Validators</Title><Trouble error={error} again={again} /></>
  if (!data) return <><Title>Validators</Title><Loading rows={8} /></>
  const current = data.validators.filter((v) => v.current)
  const up = current.filter((v) => !v.down).length
  const length = data.nextEpoch - data.epoch
  const late = data.rounds.filter((r) => r > 0).length
  return (
    <>
      <Title>Validators</Title>
      <dl class="stats">
        <Stat name="Sealing" note={`${data.quorum} are needed`}>{up} of {current.length}</Stat>
        <Stat name="Epoch" note={`new set at block ${group(data.nextEpoch + 1)}`}
          chart={<Bar part={data.head - data.epoch} whole={length} label={`${data.head - data.epoch} of ${length} blocks of the epoch`} />}>
          {data.head - data.epoch} of {length}
        </Stat>
        <Stat name="Next proposer" note="in round 0">{nameOf(data.nextProposer) || short(data.nextProposer)}</Stat>
        <Stat name="Later rounds" note={`of ${data.blocks} blocks`}
          chart={<Spark values={data.rounds} most={1} label="Rounds of the last blocks" />}>{late}</Stat>
        <Stat name="Peers" note="of this node">{data.peers.length}</Stat>
      </dl>
      {up < data.quorum && <p class="note bad" role="alert">Fewer validators seal than are needed: no block is final until {data.quorum} run.</p>}
      <Panel title={`Seals and proposals of the last ${data.blocks} blocks`}>
        <table class="validators">
          <thead>
            <tr><th>Validator</th><th>State</th><th class="strip">Seals, the newest on the right</th><th class="right">Sealed</th>
              <th class="right proposals">Proposed</th></tr>
          </thead>
          <tbody>
            {data.validators.map((v) => (
              <tr key={v.address}>
                <td><Address of={v.address} />{v.self && <> <Badge kind="plain">this node</Badge></>}
                  {v.operator && <small>operator <Address of={v.operator} /></small>}</td>
                <td><State v={v} /></td>
                <td class="strip"><History v={v} /></td>
                <td class="right">{v.seals}<span class="quiet"> / {v.possible}</span></td>
                <td class="right proposals">{v.proposals}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      <Panel title="Peers of this node">
        {data.peers.length === 0 ? <Empty>This node has no peers.</Empty> : (
          <table class="peers">
            <thead><tr><th>Address</th><th class="client">Client</th><th class="right">Connection</th></tr></thead>
            <tbody>
              {data.peers.map((p) => (
                <tr key={p.address}>
                  <td class="hex">{p.address}</td><td class="client quiet">{p.name}</td>
                  <td class="right quiet">{p.inbound ? 'came in' : 'went out'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  )
}
