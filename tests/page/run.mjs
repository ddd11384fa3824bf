// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Opens the page of a devnet in Chromium, tries every view, and fails when one does not do what it should.
// With --smoke it is the view of a payment alone.
// Usage: node run.mjs GWON [--smoke | --screenshots DIR]
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium } from 'playwright-core'
import { rpc, startDevnet, until } from '../clients/chain.mjs'
import { coins, compileShop, liven, sponsored } from './chain.mjs'

const [gwon, option, screenshots] = process.argv.slice(2)
const smoke = option === '--smoke'
if (!gwon || (option && !smoke && (option !== '--screenshots' || !screenshots))) {
  console.error('usage: node run.mjs GWON [--smoke | --screenshots DIR]')
  process.exit(2)
}
const patience = 30_000
const wide = { width: 1120, height: 800 }
const narrow = { width: 360, height: 740 }
const govValidator = '0x0000000000000000000000000000000000001001'

const dir = mkdtempSync(join(tmpdir(), 'gwon-page-'))
const shop = compileShop(join(dir, 'out'))
const { info, stop } = await startDevnet(resolve(gwon), join(dir, 'net'), ['--abi', join(dir, 'out')])
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const home = info.page.replace(/\/$/, '')

/** Opens a page that may ask nothing of any other host, and keeps what goes wrong in it. */
async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: wide, locale: 'en-GB', timezoneId: 'UTC', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(patience)
  const faults = []
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`))
  page.on('console', (m) => { if (m.type() === 'error' && !/status of 4\d\d/.test(m.text())) faults.push(`console: ${m.text()}`) })
  page.on('request', (r) => { if (new URL(r.url()).origin !== home) faults.push(`request to ${r.url()}`) })
  page.faults = faults
  await page.goto(home + path)
  return page
}

async function close(page) {
  assert.deepEqual(page.faults, [], 'the browser reports faults')
  await page.context().close()
}

/** No finding of axe that is serious or worse, and nothing that sticks out at the side. */
async function accessible(page, name) {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const grave = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')
  assert.deepEqual(grave.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), [], `${name}: findings of axe`)
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  assert.ok(over <= 0, `${name}: ${over} pixels stick out`)
}

const heading = (page) => page.locator('main h1')
const seen = (page, text) => page.locator('main', { hasText: text }).waitFor()

const tests = {
  async 'blocks appear within a second of their time'(page) {
    await page.locator('table.blocks tbody tr').first().waitFor()
    const delays = await page.evaluate(() => new Promise((resolve) => {
      const list = []
      const first = () => document.querySelector('table.blocks tbody tr td.number')?.textContent
      let last = first()
      const seen = new MutationObserver(() => {
        if (first() === last) return
        last = first()
        list.push(performance.now())
        if (list.length === 6) { seen.disconnect(); resolve(list) }
      })
      seen.observe(document.querySelector('table.blocks tbody'), { childList: true, subtree: true, characterData: true })
    }))
    assert.equal(delays.length, 6)
    const shown = Number((await page.locator('table.blocks td.number').first().textContent()).replace(/,/g, ''))
    const head = Number(await rpc(info.rpc, 'eth_blockNumber'))
    assert.ok(head - shown <= 1, `block ${shown} is shown, ${head} is the newest`)
  },

  async 'a live update moves nothing'(page) {
    await page.locator('table.blocks tbody tr').nth(5).waitFor()
    const shift = await page.evaluate(() => new Promise((resolve) => {
      let sum = 0
      new PerformanceObserver((l) => { for (const e of l.getEntries()) sum += e.value }).observe({ type: 'layout-shift' })
      setTimeout(() => resolve(sum), 4000)
    }))
    assert.ok(shift < 0.02, `layout shift ${shift}`)
  },

  async 'live updates can be paused'(page) {
    await page.getByRole('button', { name: 'Pause' }).click()
    const first = page.locator('table.blocks td.number').first()
    const before = await first.textContent()
    const height = Number(await rpc(info.rpc, 'eth_blockNumber'))
    await until('three more blocks', async () => Number(await rpc(info.rpc, 'eth_blockNumber')) > height + 2)
    assert.equal(await first.textContent(), before)
    await page.getByRole('button', { name: 'Continue' }).click()
    await until('newer blocks are shown', async () => (await first.textContent()) !== before)
  },

  async 'a block shows proposer, seals and transactions'(page, done) {
    await page.goto(`${home}/block/${Number(done.paid.blockNumber)}`)
    await seen(page, 'Proposer')
    await page.getByRole('img', { name: /[34] of 4 validators sealed/ }).first().waitFor()
    await seen(page, 'devnet:1 paid devnet:2 1,500 WKRC')
  },

  async 'a payment reads as a receipt'(page, done) {
    await page.goto(`${home}/tx/${done.paid.transactionHash}`)
    await page.locator('.receipt', { hasText: 'devnet:1 paid devnet:2 1,500 WKRC; the fee was 0.9996 WKRC.' }).waitFor()
    await seen(page, '+1,500 WKRC')
  },

  async 'a sponsored payment names the payer'(page, done) {
    await page.goto(`${home}/tx/${done.sponsored.transactionHash}`)
    await page.locator('.receipt', { hasText: 'paid devnet:3 5 WKRC; devnet:1 paid the fee of 0.9996 WKRC.' }).waitFor()
    await seen(page, 'Fee payer')
    await seen(page, '0x16, fee-delegated')
  },

  async 'a failed call shows its reason and where it began'(page, done) {
    await page.goto(`${home}/tx/${done.failed.transactionHash}`)
    await page.locator('.receipt.failed', { hasText: 'TooLittle(given 1000000000000000000, price 3000000000000000000)' }).waitFor()
    await seen(page, 'Failed in')
    await page.locator('.tree .frame.bad', { hasText: 'sell(devnet:1, tea' }).waitFor()
  },

  async 'an own contract is decoded by its artifact'(page, done) {
    await page.goto(`${home}/tx/${done.bought.transactionHash}`)
    await seen(page, 'buy(string)')
    await page.locator('.logs', { hasText: 'Sold' }).waitFor()
    await page.goto(`${home}/contracts`)
    await page.getByRole('link', { name: 'Shop', exact: true }).click()
    await heading(page).filter({ hasText: 'Shop' }).waitFor()
    await page.locator('summary', { hasText: 'prices' }).click()
    await page.getByLabel(/argument 1/).fill('tea')
    await page.getByRole('button', { name: 'Read' }).click()
    await seen(page, '3,000,000,000,000,000,000')
  },

  async 'values without arguments are read at once'(page) {
    await page.goto(`${home}/contract/${govValidator}`)
    await page.locator('.function', { hasText: 'gasTip' }).locator('.reading', { hasText: '27,600,000,000,000' }).waitFor()
  },

  async 'another account pays the fee of a write'(page) {
    const payer = info.accounts[6].address
    const before = BigInt(await rpc(info.rpc, 'eth_getBalance', [payer, 'latest']))
    await page.goto(`${home}/contracts`)
    await page.getByRole('link', { name: 'Shop', exact: true }).click()
    await page.locator('summary', { hasText: 'setPrice' }).click()
    const form = page.locator('details[open] form')
    await form.getByLabel(/article/).fill('salt')
    await form.getByLabel(/price/).fill('2')
    await form.getByLabel(/Fee payer/).selectOption({ label: 'devnet:7' })
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByRole('link').click()
    await seen(page, '0x16, fee-delegated')
    await until('the payer pays', async () => BigInt(await rpc(info.rpc, 'eth_getBalance', [payer, 'latest'])) < before)
  },

  async 'a phone shows the head and every tab'(page) {
    await page.setViewportSize(narrow)
    await page.locator('table.blocks tbody tr').first().waitFor()
    for (const part of [page.locator('.live'), ...await page.locator('.tabs a').all()]) {
      const box = await part.boundingBox()
      assert.ok(box.x >= 0 && box.x + box.width <= narrow.width, `${await part.textContent()} ends at ${box.x + box.width}`)
    }
  },

  async 'validators show their seals, epoch and peers'(page) {
    await page.goto(`${home}/validators`)
    await page.locator('table.validators tbody tr').nth(3).waitFor()
    assert.equal(await page.locator('.badge.good', { hasText: 'sealing' }).count(), 4)
    assert.equal(await page.locator('table.peers tbody tr').count(), 3)
    await seen(page, 'Next proposer')
  },

  async 'the faucet pays an account'(page) {
    const address = `0x${'c0ffee'.repeat(7).slice(0, 40)}`
    await page.goto(`${home}/account/${address}`)
    await page.locator('.balance', { hasText: /^0 WKRC/ }).waitFor()
    await page.getByRole('button', { name: 'Get coins' }).click()
    await page.getByRole('status').filter({ hasText: 'The faucet has sent coins' }).waitFor()
    await until('the balance is shown', async () => !/^0 WKRC/.test(await page.locator('.balance').textContent()))
    assert.ok(BigInt(await rpc(info.rpc, 'eth_getBalance', [address, 'latest'])) > 0n)
    await page.locator('table.transfers .plus').waitFor()
  },

  async 'a wallet is offered the network'(page) {
    await page.addInitScript(() => { window.ethereum = { request: async (r) => { window.asked = r } } })
    await page.goto(`${home}/account/${info.accounts[0].address}`)
    await page.getByRole('button', { name: 'Add network to wallet' }).click()
    await page.getByRole('status').filter({ hasText: 'The wallet has the network' }).waitFor()
    const asked = await page.evaluate(() => window.asked)
    assert.equal(asked.method, 'wallet_addEthereumChain')
    assert.equal(asked.params[0].chainId, `0x${info.chainId.toString(16)}`)
    assert.deepEqual(asked.params[0].rpcUrls, [info.rpc])
  },

  async 'a proposal is made, and voted through'(page) {
    await page.goto(`${home}/contract/${govValidator}`)
    await page.locator('summary', { hasText: 'proposeGasTip' }).click()
    const form = page.locator('details[open] form')
    await form.getByLabel(/newTip/i).fill('30000 gwei')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByRole('status').filter({ hasText: 'Sent' }).waitFor()
    await page.goto(`${home}/contracts`)
    const proposal = page.locator('.proposal', { hasText: 'Set the gas tip to 30000 gwei' }).first()
    await proposal.getByRole('button', { name: 'Approve' }).click()
    await proposal.locator('.badge', { hasText: 'executed' }).waitFor()
    assert.equal(BigInt(await rpc(info.rpc, 'istanbul_gasTip', [])), 30_000n * 10n ** 9n)
  },

  async 'a refused write says why'(page) {
    await page.goto(`${home}/contract/${govValidator}`)
    await page.locator('summary', { hasText: 'approveProposal' }).first().click()
    const form = page.locator('details[open] form')
    await form.getByLabel(/proposalId/).fill('999')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByRole('status').filter({ hasText: 'there is no such proposal (InvalidProposal)' }).waitFor()
    await form.getByLabel(/proposalId/).fill('many')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByRole('status').filter({ hasText: 'is no number' }).waitFor()
  },

  async 'the pool shows what waits, by sender and payer'(page, done) {
    // A gap in the nonces keeps a transaction in the pool.
    const nonce = Number(await rpc(info.rpc, 'eth_getTransactionCount', [done.actor.from, 'pending'])) + 3
    await rpc(info.rpc, 'eth_sendTransaction', [{ from: done.actor.from, to: info.accounts[4].address, value: coins(7), nonce: `0x${nonce.toString(16)}` }])
    await page.goto(`${home}/pool`)
    await seen(page, 'queued')
    await seen(page, '7 WKRC')
    await seen(page, 'No waiting transaction has a fee payer other than its sender.')
    await sponsored(done.actor, info.accounts[5].address, '0x2')
    await page.goto(`${home}/pool`)
    await page.locator('table.payers', { hasText: 'devnet:1' }).waitFor()
  },

  async 'search finds, and explains what it cannot find'(page, done) {
    const search = page.getByRole('searchbox')
    await search.fill(done.paid.transactionHash)
    await search.press('Enter')
    await heading(page).filter({ hasText: 'Transaction' }).waitFor()
    await search.fill('nothing')
    await search.press('Enter')
    await page.getByText('Nothing is named "nothing" here').waitFor()
  },

  async 'what does not exist is said'(page) {
    await page.goto(`${home}/tx/0x${'12'.repeat(32)}`)
    await page.getByRole('alert').filter({ hasText: 'no such transaction' }).waitFor()
    const answer = await page.goto(`${home}/nowhere`)
    assert.equal(answer.status(), 404)
    await page.getByRole('navigation').waitFor()
    await page.getByRole('link', { name: 'To the newest blocks' }).click()
    await heading(page).filter({ hasText: 'Blocks' }).waitFor()
  },

  async 'the keyboard reaches everything'(page) {
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'To the content')
    for (let i = 0; i < 4; i++) await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Validators')
    await page.keyboard.press('Enter')
    await heading(page).filter({ hasText: 'Validators' }).waitFor()
    await until('the heading has the focus', () => page.evaluate(() => document.activeElement.tagName === 'H1'))
  },

  async 'requests with an effect need the token of the page'() {
    const ask = (headers) => fetch(`${home}/api/fund`, { method: 'POST', headers, body: JSON.stringify({ address: govValidator }) })
    assert.equal((await ask({ 'Content-Type': 'application/json' })).status, 403)
    const token = /gwon-token" content="([^"]+)"/.exec(await (await fetch(home, { headers: { Accept: 'text/html' } })).text())[1]
    const origin = { 'Content-Type': 'application/json', 'X-Gwon-Token': token, Origin: 'http://evil.test' }
    assert.equal((await ask(origin)).status, 403)
    assert.equal((await ask({ 'Content-Type': 'text/plain', 'X-Gwon-Token': token })).status, 415)
  },
}

/** Every view in light and dark, wide and narrow. */
async function views(done) {
  const list = {
    blocks: '/', block: `/block/${Number(done.bought.blockNumber)}`, validators: '/validators', transaction: `/tx/${done.sponsored.transactionHash}`,
    failure: `/tx/${done.failed.transactionHash}`, account: `/account/${done.actor.from}`, accounts: '/accounts', contracts: '/contracts',
    contract: `/contract/${done.contract}`, pool: '/pool',
  }
  if (screenshots) mkdirSync(screenshots, { recursive: true })
  for (const [name, path] of Object.entries(list)) {
    for (const colorScheme of ['light', 'dark']) {
      for (const viewport of [wide, narrow]) {
        const page = await open(path, { colorScheme, viewport })
        await page.locator('main .panel').first().waitFor()
        await until('nothing loads', async () => (await page.locator('[aria-busy]').count()) === 0)
        const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
        const light = background.match(/\d+/g).reduce((sum, n) => sum + Number(n), 0) > 384
        assert.equal(light, colorScheme === 'light', `${name}: background ${background}`)
        try {
          await accessible(page, `${name}, ${colorScheme}, ${viewport.width} px`)
        } catch (e) {
          failed++
          console.log(`FAIL view ${name}: ${e.message}`)
        }
        if (screenshots && (viewport === wide ? colorScheme === 'light' || name === 'validators' : colorScheme === 'light')) {
          const suffix = (viewport === narrow ? '-narrow' : '') + (colorScheme === 'dark' ? '-dark' : '')
          await page.screenshot({ path: join(screenshots, `${name}${suffix}.png`) })
        }
        await close(page)
      }
    }
    console.log(`seen view ${name}`)
  }
}

let failed = 0
try {
  const done = await liven(info, shop)
  const smoked = ['a payment reads as a receipt', 'a sponsored payment names the payer']
  for (const [name, test] of Object.entries(tests).filter(([name]) => !smoke || smoked.includes(name))) {
    const page = await open('/')
    try {
      await test(page, done)
      await close(page)
      console.log(`ok   ${name}`)
    } catch (e) {
      failed++
      console.log(`FAIL ${name}: ${e.message}`)
      await page.context().close().catch(() => {})
    }
  }
  if (!smoke) await views(done)

  const page = await open('/')
  await page.locator('table.blocks tbody tr').first().waitFor()
  await stop()
  await page.getByRole('alert').filter({ hasText: 'The node does not answer' }).waitFor()
  await page.context().close()
  console.log('ok   a node that stops is noticed')
} catch (e) {
  failed++
  console.log(`FAIL ${e.stack}`)
  await stop()
} finally {
  await browser.close()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
