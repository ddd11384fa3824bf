// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { useEffect, useState } from 'preact/hooks'
import { post, Problem, status, type Argument } from './api'
import { useResource } from './hooks'
import { Address, Arguments, Badge, Empty, Fact, Facts, group, Hash, Loading, moment, Panel, Shown, Title, Trouble } from './parts'

type Entry = { address: string; name: string; hasCode: boolean }
type List = { version: string; system: Entry[]; own: { address: string; name: string; block: number }[]; artifacts: number; since: number }
type Proposal = {
  id: string; contract: string; description: string; proposer: string; status: string; open: boolean; approvals: number
  rejections: number; requiredApprovals: number; createdAt: number; expiresAt: number; members: string[]; voted: string[]
}
type Parameter = { name: string; type: string }
type Function = { signature: string; name: string; inputs: Parameter[]; outputs: Parameter[]; payable: boolean }
type Contract = { address: string; name: string; system: boolean; read: Function[]; write: Function[] }

type Sent = { busy?: boolean; hash?: string; error?: Problem }

/** Reads a function. What a contract refuses is an answer of the node, and an error here. */
async function read(body: unknown): Promise<Argument[]> {
  const answer = await post<{ result?: Argument[]; refused?: string }>('read', body)
  if (!answer.result) throw new Problem(answer.refused ?? '', 422)
  return answer.result
}

const Outcome = ({ of: s }: { of: Sent }) => (
  <p class="told" role="status">
    {s.busy && 'Sending…'}
    {s.hash && <>Sent: <Hash of={s.hash} /></>}
    {s.error && <span class="bad">{s.error.message}</span>}
  </p>
)

function ProposalItem({ p, changed }: { p: Proposal; changed: () => void }) {
  const voters = (status.value?.accounts ?? []).filter((a) => p.members.includes(a.address) && !p.voted.includes(a.address))
  const [from, setFrom] = useState('')
  const [sent, setSent] = useState<Sent>({})
  const voter = from || voters[0]?.address
  const vote = async (name: string) => {
    setSent({ busy: true })
    try {
      const { transaction } = await post<{ transaction: string }>('write', {
        contract: p.contract, signature: `${name}(uint256)`, arguments: [p.id.split(':')[1]], from: voter, value: '',
      })
      setSent({ hash: transaction })
      setFrom('')
      changed()
    } catch (error) {
      setSent({ error: error as Problem })
    }
  }
  const kind = p.status === 'executed' ? 'good' : p.open ? 'wait' : p.status === 'failed' || p.status === 'rejected' ? 'bad' : 'plain'
  const words = p.description[0].toUpperCase() + p.description.slice(1)
  return (
    <li class="proposal">
      <p><strong>{words}</strong></p>
      <p class="quiet">
        <Badge kind={kind}>{p.status}</Badge> {p.id} by <Address of={p.proposer} />, {p.open ? `open until ${moment(p.expiresAt)}` : moment(p.createdAt)}
      </p>
      <p>
        {p.approvals} of {p.requiredApprovals} votes for it, {p.rejections} against{' '}
        <span class="votes">
          {p.members.map((m) => (
            <span key={m} class={p.voted.includes(m) ? 'voted' : 'open'}>
              <Address of={m} /> {p.voted.includes(m) ? 'has voted' : 'has not voted'}
            </span>
          ))}
        </span>
      </p>
      {p.open && voters.length > 0 && (
        <div class="actions">
          <label>As <select value={voter} onChange={(e) => setFrom(e.currentTarget.value)}>
            {voters.map((v) => <option key={v.address} value={v.address}>{v.name}</option>)}
          </select></label>
          <button type="button" class="primary" disabled={sent.busy} onClick={() => vote('approveProposal')}>Approve</button>
          <button type="button" disabled={sent.busy} onClick={() => vote('disapproveProposal')}>Reject</button>
        </div>
      )}
      <Outcome of={sent} />
    </li>
  )
}

export function Contracts() {
  const list = useResource<List>('contracts', true)
  const votes = useResource<{ proposals: Proposal[] }>('proposals', true)
  return (
    <>
      <Title>Contracts</Title>
      {list.error && !list.data && <Trouble error={list.error} again={list.again} />}
      {!list.data && !list.error && <Loading rows={6} />}
      {list.data && (
        <>
          <Panel title="System contracts" aside={<span class="quiet">version {list.data.version || 'without code'}</span>}>
            <ul class="cards">
              {list.data.system.map((c) => (
                <li key={c.address}>
                  {c.hasCode ? <a href={`/contract/${c.address}`}>{c.name}</a> : <span>{c.name}</span>}
                  <span class="hex quiet">{c.address.replace(/0{8,}/, '…')}</span>
                  {!c.hasCode && <Badge kind="plain">no code</Badge>}
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title="Own contracts" aside={<span class="quiet">{group(list.data.artifacts)} artifacts, since block {group(list.data.since)}</span>}>
            {list.data.own.length > 0 ? (
              <ul class="cards">
                {list.data.own.map((c) => (
                  <li key={c.address}>
                    <a href={`/contract/${c.address}`}>{c.name}</a>
                    <span class="hex quiet">{c.address}</span>
                  </li>
                ))}
              </ul>
            ) : list.data.artifacts > 0
              ? <Empty>None of the contracts in the folders of --abi is deployed yet.</Empty>
              : <Empty>Start the network with <code>--abi ./out</code> (Foundry) or <code>--abi ./artifacts</code> (Hardhat), and deployed contracts appear here.</Empty>}
          </Panel>
        </>
      )}
      <Panel title="Proposals">
        {votes.error && !votes.data && <Trouble error={votes.error} again={votes.again} />}
        {votes.data && (votes.data.proposals.length === 0
          ? <Empty>Nothing was proposed yet. A member proposes by the functions of a governing contract, or with <code>gwon gov propose</code>.</Empty>
          : <ul class="proposals">{votes.data.proposals.map((p) => <ProposalItem key={p.id} p={p} changed={votes.again} />)}</ul>)}
        {!votes.data && !votes.error && <Loading rows={2} />}
      </Panel>
    </>
  )
}

const hint = (name: string, type: string): string => {
  if (type.endsWith(']')) return 'JSON list, as ["1", "2"]'
  if (type === 'address') return '0x…'
  if (type === 'bool') return 'true or false'
  if (/^u?int/.test(type)) return /amount|value|allowance/i.test(name) ? 'number, or 5 WKRC' : 'number'
  return type.startsWith('bytes') ? '0x…' : ''
}

function FunctionForm({ f, contract, write }: { f: Function; contract: string; write: boolean }) {
  const [values, setValues] = useState<string[]>(() => f.inputs.map(() => ''))
  const [value, setValue] = useState('')
  const people = status.value?.accounts ?? []
  const [from, setFrom] = useState('')
  const [payer, setPayer] = useState('')
  const [result, setResult] = useState<Argument[] | null>(null)
  const [sent, setSent] = useState<Sent>({})
  const submit = async (event: Event) => {
    event.preventDefault()
    setSent({ busy: true })
    setResult(null)
    const body = { contract, signature: f.signature, arguments: values, from: write ? from || people[0]?.address : '', feePayer: payer, value }
    try {
      if (write) {
        setSent({ hash: (await post<{ transaction: string }>('write', body)).transaction })
      } else {
        setResult(await read(body))
        setSent({})
      }
    } catch (error) {
      setSent({ error: error as Problem })
    }
  }
  return (
    <form onSubmit={submit}>
      {f.inputs.map((p, i) => (
        <label key={i}>{p.name || `argument ${i + 1}`} <span class="quiet">{p.type}</span>
          <input value={values[i]} placeholder={hint(p.name, p.type)} autocomplete="off" spellcheck={false}
            list={p.type === 'address' ? 'known-addresses' : undefined}
            onInput={(e) => { const v = e.currentTarget.value; setValues((old) => old.map((o, n) => (n === i ? v : o))) }} />
        </label>
      ))}
      {write && f.payable && (
        <label>Value <span class="quiet">coins sent along</span>
          <input value={value} placeholder="0, or 5 WKRC" autocomplete="off" onInput={(e) => setValue(e.currentTarget.value)} /></label>
      )}
      {write && (
        <label>From <select value={from || people[0]?.address} onChange={(e) => setFrom(e.currentTarget.value)}>
          {people.map((p) => <option key={p.address} value={p.address}>{p.name}{p.member ? ', member' : ''}</option>)}
        </select></label>
      )}
      {write && (
        <label>Fee payer <select value={payer} onChange={(e) => setPayer(e.currentTarget.value)}>
          <option value="">the sender</option>
          {people.map((p) => <option key={p.address} value={p.address}>{p.name}</option>)}
        </select></label>
      )}
      <div class="actions"><button type="submit" class={write ? 'primary' : ''} disabled={sent.busy}>{write ? 'Send' : 'Read'}</button></div>
      {write ? <Outcome of={sent} /> : <p class="told" role="status">{sent.error && <span class="bad">{sent.error.message}</span>}</p>}
      {result && (result.length === 0 ? <Empty>It returns nothing.</Empty> : <Arguments list={result} />)}
    </form>
  )
}

/** The most functions without arguments that a view reads by itself. */
const mostReadings = 60

/** Reads the functions without arguments, one after another. What a contract refuses is left out: its form says why. */
function useReadings(contract: string, list: Function[]): Record<string, Argument[]> {
  const [readings, setReadings] = useState<Record<string, Argument[]>>({})
  useEffect(() => {
    let left = false
    const all = async () => {
      for (const f of list.filter((f) => f.inputs.length === 0).slice(0, mostReadings)) {
        if (left) return
        const body = { contract, signature: f.signature, arguments: [], from: '', value: '' }
        const answer = await read(body).catch(() => null)
        if (answer && !left) setReadings((old) => ({ ...old, [f.signature]: answer }))
      }
    }
    void all()
    return () => { left = true }
  }, [contract, list])
  return readings
}

const Functions = ({ list, contract, write, readings = {} }: {
  list: Function[]; contract: string; write: boolean; readings?: Record<string, Argument[]>
}) => (
  <div class="functions">
    {list.map((f) => (
      <div key={f.signature} class="function">
        <details>
          <summary><strong>{f.name}</strong> <span class="hex quiet">({f.inputs.map((i) => i.type).join(', ')})</span>
            {f.outputs.length > 0 && <span class="hex quiet"> → {f.outputs.map((o) => o.type).join(', ')}</span>}</summary>
          <FunctionForm f={f} contract={contract} write={write} />
        </details>
        {readings[f.signature] && (
          <p class="reading">{readings[f.signature].map((a, i) => <span key={i}>{i > 0 && ', '}<Shown {...a} /></span>)}</p>
        )}
      </div>
    ))}
  </div>
)

const none: Function[] = []

export function ContractView({ address }: { address: string }) {
  const { data: c, error, again } = useResource<Contract>(`contract/${address}`)
  const readings = useReadings(address, c?.read ?? none)
  if (error) return (
    <>
      <Title>Contract</Title>
      <Trouble error={error} again={again} />
      <Panel><p><a href={`/account/${address}`}>Code, coins and transactions</a> of <span class="hex wrap">{address}</span></p></Panel>
    </>
  )
  if (!c) return <><Title>Contract</Title><Loading rows={10} /></>
  return (
    <>
      <Title>{c.name}</Title>
      <Panel>
        <Facts><Fact name="Address"><a class="hex wrap" href={`/account/${c.address}`}>{c.address}</a></Fact></Facts>
      </Panel>
      <Panel title="Write" aside={<span class="quiet">signed by an account of the network</span>}>
        {c.write.length === 0 ? <Empty>It has no functions that change something.</Empty> : <Functions list={c.write} contract={c.address} write />}
      </Panel>
      <Panel title="Read">
        {c.read.length === 0 ? <Empty>It has no functions to read.</Empty> : <Functions list={c.read} contract={c.address} write={false} readings={readings} />}
      </Panel>
      <datalist id="known-addresses">
        {Object.entries(status.value?.names ?? {}).map(([a, name]) => <option key={a} value={a}>{name}</option>)}
      </datalist>
    </>
  )
}
