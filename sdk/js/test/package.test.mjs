// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// What reaches a user: the files of the package, and what a bundle of it takes in.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Bundles a line of code, and returns how many bytes of it come from the SDK, viem, ethers and other packages. */
async function bundle(contents) {
  const { metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    logLevel: 'silent',
  })
  const bytes = { sdk: 0, viem: 0, ethers: 0, other: 0 }
  const [{ inputs }] = Object.values(metafile.outputs)
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
    bytes[name === 'viem' || name === 'ethers' ? name : name || file === '<stdin>' ? 'other' : 'sdk'] +=
      file === '<stdin>' ? 0 : bytesInOutput
  }
  return bytes
}

test('bundles take in what they use', async (t) => {
  await t.test('the core needs no library', async () => {
    const { sdk, viem, ethers, other } = await bundle(
      "import { decode, encode } from '@gwon/sdk'; console.log(decode, encode)",
    )
    assert.ok(sdk > 1000)
    assert.deepEqual([viem, ethers, other], [0, 0, 0])
  })
  await t.test('the part for viem leaves out ethers', async () => {
    const { viem, ethers } = await bundle("export * from '@gwon/sdk/viem'")
    assert.ok(viem > 1000)
    assert.equal(ethers, 0)
  })
  await t.test('the part for ethers leaves out viem', async () => {
    const { viem, ethers } = await bundle("export * from '@gwon/sdk/ethers'")
    assert.ok(ethers > 1000)
    assert.equal(viem, 0)
  })
  await t.test('the part for proofs leaves out viem and ethers', async () => {
    const { sdk, viem, ethers } = await bundle("export * from '@gwon/sdk/proof'")
    assert.ok(sdk > 1000)
    assert.deepEqual([viem, ethers], [0, 0])
  })
  await t.test('an unused part is left out', async () => {
    const [one, all] = [
      await bundle("import { won } from '@gwon/sdk/viem'; console.log(won(1n))"),
      await bundle("export * from '@gwon/sdk/viem'"),
    ]
    assert.equal(one.viem, 0)
    assert.ok(one.sdk * 4 < all.sdk, `${one.sdk} of ${all.sdk} bytes`)
  })
})

test('the package holds what is built, and nothing else', () => {
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
  )
  const paths = files.map(({ path }) => path)
  assert.deepEqual(paths.filter((path) => !/^dist\/.*\.(js|d\.ts)$/.test(path)).sort(), ['README.md', 'package.json'])
  for (const part of ['index', 'viem/index', 'ethers/index', 'payments/index', 'x402/index', 'proof/index']) {
    assert.ok(paths.includes(`dist/${part}.js`) && paths.includes(`dist/${part}.d.ts`), part)
  }
})

test('the page of x402 installs the versions that are tested', () => {
  const page = readFileSync(new URL('../../../docs/develop/x402.md', import.meta.url), 'utf8')
  const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const [, command] = /npm install ([^`]*)```/.exec(page)
  const named = [...command.matchAll(/(@?[\w/-]+)@(\d[\d.]*)/g)]
  assert.equal(named.length, 6)
  for (const [, name, version] of named) assert.equal(version, devDependencies[name], name)
})
