// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Pieces that several views share.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { status, type Amount, type Argument, type Named, type Problem, type Value } from './api'

export const group = (n: number | string): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
export const short = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`
export const number = (hex: string | undefined): number => Number(hex ?? 0)
export const percent = (part: number, whole: number): string => {
  const p = whole ? (100 * part) / whole : 0
  return p === 0 ? '0 %' : p < 0.1 ? '<0.1 %' : `${p.toFixed(p < 10 ? 1 : 0)} %`
}
export const gwei = (wei: string | undefined): string => {
  const n = Number(wei ?? 0) / 1e9
  return `${group(n >= 100 ? Math.round(n) : Number(n.toPrecision(3)))} gwei`
}

export const nameOf = (address: string, names: Named = {}): string =>
  names[address] ?? status.value?.names[address] ?? ''

export function Address({ of, names, full }: { of: string; names?: Named; full?: boolean }) {
  const name = nameOf(of, names)
  return (
    <a class={name ? 'address' : 'address hex'} href={`/account/${of}`} title={of}>
      {name || (full ? of : short(of))}
    </a>
  )
}

export const Hash = ({ of }: { of: string }) => <a class="hex" href={`/tx/${of}`} title={of}>{short(of)}</a>

export function Copy({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setDone(true)
      setTimeout(() => setDone(false), 1500)
    } catch { /* the browser forbids it: the text can be selected */ }
  }
  return <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>{done ? 'Copied' : 'Copy'}</button>
}

const pattern = /(0x[0-9a-fA-F]{40}(?![0-9a-fA-F]))/

/** A sentence whose addresses become links. */
export const Sentence = ({ text, names }: { text: string; names?: Named }) => (
  <>{text.split(pattern).map((part, i) => (i % 2 ? <Address key={i} of={part} names={names} /> : part))}</>
)

/** A time in the past. Both forms have the same width, so that nothing moves. */
export function age(time: number, now: number): string {
  const s = Math.max(0, now - time)
  if (s < 60) return `${s} s ago`
  if (s < 3600) return `${Math.floor(s / 60)} min ago`
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`
  return `${Math.floor(s / 86400)} d ago`
}

export const moment = (time: number): string => new Date(time * 1000).toLocaleString('en-GB')

/** Seals of a block: a square for each validator. */
export function Seals({ validators, sealed, waiting }: { validators: string[]; sealed: boolean[]; waiting?: boolean }) {
  if (validators.length === 0) return <span class="quiet">–</span>
  const count = sealed.filter(Boolean).length
  const missing = validators.filter((_, i) => !sealed[i]).map((v) => nameOf(v) || short(v))
  const label = `${count} of ${validators.length} validators sealed${missing.length ? `, without ${missing.join(', ')}` : ''}`
  return (
    <span class="seals" role="img" aria-label={label} title={label}>
      {validators.map((v, i) => <i key={v} class={sealed[i] ? 'yes' : waiting ? 'wait' : 'no'} />)}
    </span>
  )
}

export function Bar({ part, whole, label }: { part: number; whole: number; label: string }) {
  const share = whole ? Math.min(1, part / whole) : 0
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="6" />
        <rect class="fill" width={share === 0 ? 0 : Math.max(1.5, 100 * share)} height="6" />
      </svg>
    </span>
  )
}

/** A line of values, the oldest first. */
export function Spark({ values, label, most }: { values: number[]; label: string; most?: number }) {
  const w = 120, h = 28
  const top = Math.max(most ?? 0, ...values, 1e-9)
  const step = w / Math.max(1, values.length - 1)
  const points = values.map((v, i) => `${(i * step).toFixed(1)},${(h - 2 - (h - 4) * (v / top)).toFixed(1)}`)
  return (
    <svg class="spark" viewBox={`0 0 ${w} ${h}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {points.length > 1 && <path class="area" d={`M0,${h} L${points.join(' L')} L${w},${h} Z`} />}
      {points.length > 1 && <polyline class="line" points={points.join(' ')} />}
    </svg>
  )
}

export const Stat = ({ name, children, chart, note }: {
  name: string; children: ComponentChildren; chart?: ComponentChildren; note?: ComponentChildren
}) => (
  <div class="stat">
    <dt>{name}</dt>
    <dd>{children}{note && <small>{note}</small>}</dd>
    {chart && <dd class="chart">{chart}</dd>}
  </div>
)

export const Title = ({ children, aside }: { children: ComponentChildren; aside?: ComponentChildren }) => (
  <header class="title"><h1 tabIndex={-1}>{children}</h1>{aside && <div class="aside">{aside}</div>}</header>
)

export const Panel = ({ title, children, aside }: {
  title?: string; children: ComponentChildren; aside?: ComponentChildren
}) => (
  <section class="panel">
    {title && <header><h2>{title}</h2>{aside}</header>}
    {children}
  </section>
)

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>

export function Trouble({ error, again }: { error: Problem; again?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <p>{error.message}</p>
      {again && error.status !== 404 && <button type="button" onClick={again}>Try again</button>}
      {error.status === 404 && <a href="/">To the newest blocks</a>}
    </div>
  )
}

export const Loading = ({ rows = 6 }: { rows?: number }) => (
  <div class="loading" aria-busy="true" aria-label="Loading">
    {Array.from({ length: rows }, (_, i) => <span key={i} />)}
  </div>
)

export const Badge = ({ kind, children }: { kind: 'good' | 'bad' | 'wait' | 'plain'; children: ComponentChildren }) => (
  <span class={`badge ${kind}`}>{children}</span>
)

export const StatusBadge = ({ of }: { of: string }) => {
  const kind = of === 'succeeded' ? 'good' : of === 'failed' ? 'bad' : 'wait'
  return <Badge kind={kind}>{of}</Badge>
}

/** Facts in two columns. */
export const Facts = ({ children }: { children: ComponentChildren }) => <dl class="facts">{children}</dl>
export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div><dt>{name}</dt><dd>{children}</dd></div>
)

const unit = 10n ** 18n

/** An amount for a list: balances of a thousand coins and more in whole coins. The exact number of wei is its title. */
export function Coins({ amount, brief }: { amount: Amount; brief?: boolean }) {
  const wei = BigInt(amount.wei)
  const text = brief && wei >= 1000n * unit
    ? `${wei % unit === 0n ? '' : '≈ '}${group(String(wei / unit))} WKRC`
    : amount.text.replace(/^about /, '≈ ')
  return <span class="coins" title={`${group(amount.wei)} wei`}>{text}</span>
}

/** A decoded value: addresses are links, lists stay lists. */
export function Shown({ value, type, text, names }: { value: Value; type: string; text?: string; names?: Named }) {
  if (text) return <span title={String(value)}>{text}</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="quiet">none</span>
    return (
      <ul class="values">
        {value.map((v, i) => (
          <li key={i}>
            {typeof v === 'object' && !Array.isArray(v)
              ? <><span class="quiet">{v.name} </span><Shown value={v.value} type={v.type} text={v.text} names={names} /></>
              : <Shown value={v} type={type.replace(/\[\d*\]$/, '')} names={names} />}
          </li>
        ))}
      </ul>
    )
  }
  const plain = String(value)
  if (type === 'address') return <Address of={plain} names={names} full />
  if (/^u?int/.test(type)) return <>{group(plain)}</>
  if (type === 'string') return <>{plain === '' ? <span class="quiet">empty</span> : `“${plain}”`}</>
  return <span class="hex wrap">{plain}</span>
}

export const Arguments = ({ list, names }: { list: Argument[]; names?: Named }) => (
  list.length === 0 ? <Empty>It takes no arguments.</Empty> : (
    <Facts>
      {list.map((a) => <Fact key={a.name} name={a.name}><Shown {...a} names={names} /></Fact>)}
    </Facts>
  )
)
