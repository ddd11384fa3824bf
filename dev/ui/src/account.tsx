// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { useEffect, useState } from 'preact/hooks'
import { post, status, type Amount, type Problem } from './api'
import { useResource } from './hooks'
import { Address, Badge, Coins, Copy, Empty, Fact, Facts, group, Hash, Loading, Panel, Title, Trouble } from './parts'

type Movement = { block: number; transaction: string; from: string; to: string; amount: Amount }
type Answer = {
  address: string; name: string; contract: string; balance: Amount; nonce: number; waiting: number; codeSize: number
  codeHash: string; blacklisted: boolean; authorized: boolean; transfers: Movement[]; more: boolean; since: number
  transactions: Sent[]; searched: number; searching: boolean
}
type Sent = { hash: string; block: number; from: string; to: string | null; created?: string; feePayer?: string; value: Amount }

/** The transactions that an account has sent, got or paid for. */
function Transactions({ of, list, since, searching }: { of: string; list: Sent[]; since: number; searching: boolean }) {
  return (
    <Panel title="Transactions" aside={<span class="quiet">{searching ? 'searching, back to block' : 'since block'} {group(since)}</span>}>
      {list.length === 0 ? <Empty>{searching ? 'No transaction of this account was found yet.' : 'No transaction of this account was found.'}</Empty> : (
        <table class="transfers sent">
          <thead><tr><th>Block</th><th>Transaction</th><th class="other">With</th><th class="right">Value</th></tr></thead>
          <tbody>
            {list.map((t) => (
              <tr key={t.hash}>
                <td><a href={`/block/${t.block}`}>{group(t.block)}</a></td>
                <td><Hash of={t.hash} /></td>
                <td class="other">
                  {t.from === of
                    ? <><span class="quiet">{t.to ? 'to ' : 'creates '}</span><Address of={t.to ?? t.created ?? of} /></>
                    : <><span class="quiet">{t.to === of || t.created === of ? 'from ' : 'fee paid for '}</span><Address of={t.from} /></>}
                </td>
                <td class="right"><Coins amount={t.value} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

type Wallet = { request(r: { method: string; params: unknown[] }): Promise<unknown> }

/** Offers the network to the browser's wallet (EIP-3085), or says what to type where there is none. */
function AddNetwork() {
  const [told, setTold] = useState('')
  const s = status.value
  if (!s) return null
  const add = async () => {
    const wallet = (window as unknown as { ethereum?: Wallet }).ethereum
    if (!wallet) {
      setTold(`No wallet is found in this browser. Add the network by hand: RPC ${s.rpc || location.origin}, chain ID ${s.chainId}, currency WKRC.`)
      return
    }
    try {
      await wallet.request({
        method: 'wallet_addEthereumChain',
        params: [{
          chainId: `0x${s.chainId.toString(16)}`, chainName: `WKRC ${s.network}`, rpcUrls: [s.rpc || location.origin],
          nativeCurrency: { name: 'WKRC', symbol: 'WKRC', decimals: 18 },
        }],
      })
      setTold('The wallet has the network. After a reset of the network, clear the activity in the wallet: nonces begin again.')
    } catch (e) {
      setTold(`The wallet refuses: ${(e as Error).message ?? 'no reason given'}`)
    }
  }
  return (
    <>
      <button type="button" onClick={add}>Add network to wallet</button>
      <p class="told" role="status">{told}</p>
    </>
  )
}

function Faucet({ address, done }: { address: string; done: () => void }) {
  const [state, setState] = useState<{ busy?: boolean; hash?: string; error?: Problem }>({})
  const fund = async () => {
    setState({ busy: true })
    try {
      const { transaction } = await post<{ transaction: string }>('fund', { address })
      setState({ hash: transaction })
      done()
    } catch (error) {
      setState({ error: error as Problem })
    }
  }
  return (
    <>
      <button type="button" class="primary" onClick={fund} disabled={state.busy}>Get coins</button>
      <p class="told" role="status">
        {state.busy && 'Asking the faucet…'}
        {state.hash && <>The faucet has sent coins: <Hash of={state.hash} /></>}
        {state.error && <span class="bad">{state.error.message}</span>}
      </p>
    </>
  )
}

/** The size of the code of an account that has delegated to a contract (EIP-7702). */
const delegation = 23

export function AccountView({ address }: { address: string }) {
  const { data: a, error, again } = useResource<Answer>(`account/${address}`, true)
  useEffect(() => { if (a?.searching) again() }, [a]) // the node searches on for as long as one request may take
  if (error && !a) return <><Title>Account</Title><Trouble error={error} again={again} /></>
  if (!a) return <><Title>Account</Title><Loading rows={8} /></>
  const kind = a.codeSize === 0 ? 'Account' : a.contract || 'Contract'
  return (
    <>
      <Title aside={
        <>
          {a.blacklisted && <Badge kind="bad">blacklisted</Badge>}
          {a.authorized && <Badge kind="good">authorized</Badge>}
        </>
      }>{a.name || kind}</Title>
      <Panel>
        <p class="balance"><Coins amount={a.balance} /></p>
        <Facts>
          <Fact name="Address"><span class="hex wrap">{a.address}</span> <Copy text={a.address} what="address" /></Fact>
          {(a.codeSize === 0 || a.codeSize === delegation) && (
            <Fact name="Transactions sent">{group(a.nonce)}{a.waiting > 0 && <span class="quiet"> and {group(a.waiting)} waiting</span>}</Fact>
          )}
          <Fact name="Flags">
            {a.blacklisted || a.authorized
              ? [a.blacklisted && 'blacklisted: it sends, receives and pays for nothing', a.authorized && 'authorized: it chooses its own tip']
                .filter(Boolean).join('; ')
              : 'none'}
          </Fact>
          <Fact name="Code">
            {a.codeSize === 0 ? 'none' : <>{a.contract || 'contract'}<span class="quiet">, {group(a.codeSize)} bytes </span>
              <a href={`/contract/${a.address}`}>Read and write</a></>}
          </Fact>
        </Facts>
        <div class="actions">
          {status.value?.canFund && a.codeSize === 0 && <Faucet address={a.address} done={again} />}
          <AddNetwork />
        </div>
      </Panel>
      <Transactions of={a.address} list={a.transactions} since={a.searched} searching={a.searching} />
      <Panel title="Transfers" aside={<span class="quiet">since block {group(a.since)}</span>}>
        {a.transfers.length === 0 ? <Empty>No coins were moved to or from this account.</Empty> : (
          <table class="transfers">
            <thead>
              <tr><th>Block</th><th>Transaction</th><th class="other">With</th><th class="right">Amount</th></tr>
            </thead>
            <tbody>
              {a.transfers.map((m, i) => {
                const out = m.from === a.address
                return (
                  <tr key={i}>
                    <td><a href={`/block/${m.block}`}>{group(m.block)}</a></td>
                    <td><Hash of={m.transaction} /></td>
                    <td class="other"><span class="quiet">{out ? 'to ' : 'from '}</span><Address of={out ? m.to : m.from} /></td>
                    <td class={out ? 'right minus' : 'right plus'}>{out ? '-' : '+'}{m.amount.text}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        )}
        {a.more && <Empty>Older transfers are not shown.</Empty>}
      </Panel>
    </>
  )
}

function PersonRow({ address, name, member }: { address: string; name: string; member: boolean }) {
  const { data } = useResource<Answer>(`account/${address}`, true)
  return (
    <tr>
      <td><a href={`/account/${address}`}>{name}</a>{member && <span class="quiet"> member</span>}</td>
      <td class="other"><span class="hex">{address}</span></td>
      <td class="right">{data ? <Coins amount={data.balance} brief /> : '–'}</td>
      <td class="right count">{data ? group(data.nonce) : '–'}</td>
    </tr>
  )
}

/** The well-known accounts of the network. */
export function Accounts() {
  const list = status.value?.accounts
  return (
    <>
      <Title>Accounts</Title>
      <Panel title="Well-known accounts" aside={<span class="quiet">their keys are public: use them nowhere else</span>}>
        {!list ? <Loading rows={10} /> : (
          <table class="people">
            <thead><tr><th>Account</th><th class="other">Address</th><th class="right">Balance</th><th class="right count">Sent</th></tr></thead>
            <tbody>{list.map((p) => <PersonRow key={p.address} {...p} />)}</tbody>
          </table>
        )}
      </Panel>
    </>
  )
}
