// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AccountView, Accounts } from './account'
import { begin, connected, follow, get, head, status, type Problem } from './api'
import './app.css'
import { BlockView, Blocks } from './blocks'
import { ContractView, Contracts } from './contracts'
import { Empty, group, Title } from './parts'
import { Pool } from './pool'
import { go, path } from './route'
import { TransactionView } from './transaction'
import { Validators } from './validators'

const tabs: [string, string][] = [
  ['/', 'Blocks'], ['/validators', 'Validators'], ['/accounts', 'Accounts'], ['/contracts', 'Contracts'], ['/pool', 'Pool'],
]

/** The tab under which a view stands. */
const sections: Record<string, string> = {
  '': '/', blocks: '/', block: '/', tx: '/', validators: '/validators', account: '/accounts', accounts: '/accounts', contracts: '/contracts',
  contract: '/contracts', pool: '/pool',
}

const names: Record<string, string> = {
  '': 'Blocks', blocks: 'Blocks', block: 'Block', tx: 'Transaction', validators: 'Validators', account: 'Account',
  accounts: 'Accounts', contracts: 'Contracts', contract: 'Contract', pool: 'Pool',
}

const Lost = () => (
  <>
    <Title>There is no such page</Title>
    <Empty>The address has a typing error, or the page is of another network. <a href="/">To the newest blocks</a></Empty>
  </>
)

function View() {
  const [, kind, id] = path.value.split('/')
  switch (kind) {
    case 'block': return <BlockView key={id} id={id} />
    case 'tx': return <TransactionView key={id} hash={id} />
    case 'account': return <AccountView key={id} address={id} />
    case 'contract': return <ContractView key={id} address={id} />
    case 'validators': return <Validators />
    case 'accounts': return <Accounts />
    case 'contracts': return <Contracts />
    case 'pool': return <Pool />
    case '': case 'blocks': return <Blocks />
  }
  return <Lost />
}

function Search() {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    if (text.trim() === '') return
    try {
      const { to } = await get<{ to: string }>(`search/${encodeURIComponent(text.trim())}`)
      setText('')
      setProblem('')
      go(to)
    } catch (e) {
      setProblem((e as Problem).message)
    }
  }
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input type="search" aria-label="Block, transaction, address or name" placeholder="Block, transaction, address, name" value={text}
        aria-invalid={problem !== ''} aria-describedby="search-problem" spellcheck={false} autocomplete="off"
        onInput={(e) => { setText(e.currentTarget.value); setProblem('') }} />
      <span id="search-problem" role="status" class={problem ? 'problem' : ''}>{problem}</span>
    </form>
  )
}

function App() {
  const s = status.value
  const kind = path.value.split('/')[1]
  useEffect(() => { document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }) }, [kind])
  useEffect(() => { document.title = `${names[kind] ?? 'Not found'} · gwon` }, [kind])
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById('main')?.focus() }}>To the content</a>
      <header class="top">
        <div class="inner">
          <a class="brand" href="/"><img src="/ui/icon.svg" alt="" width="26" height="26" />gwon</a>
          <span class="network">{s ? <>{s.network}{s.node && ` · ${s.node}`}<span class="chain"> · chain {s.chainId}</span></> : ' '}</span>
          <Search />
          <span class={connected.value === false ? 'live off' : 'live'} role="status">
            {connected.value === false ? 'no answer' : head.value ? group(head.value) : '…'}
          </span>
        </div>
        <nav class="tabs" aria-label="Views">
          <div class="inner">
            {tabs.map(([to, name]) => <a key={to} href={to} aria-current={sections[kind] === to ? 'page' : undefined}>{name}</a>)}
          </div>
        </nav>
      </header>
      {connected.value === false && (
        <p class="offline" role="alert">The node does not answer. The page tries again by itself; what you see is older.</p>
      )}
      <main id="main" class="inner" tabIndex={-1}><View /></main>
      <footer class="inner quiet">
        {s && <>gwon {s.version} · RPC <code>{s.rpc || location.origin}</code> · a network for development: its coins are worth nothing</>}
      </footer>
    </>
  )
}

render(<App />, document.getElementById('app')!)
void begin()
follow()
