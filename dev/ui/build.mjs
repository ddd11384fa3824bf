// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Builds the page into dev/web/assets under fixed names. The same sources and lock file give the same bytes.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const most = 60 * 1024 // bytes of script, style and page together, compressed
const here = dirname(fileURLToPath(import.meta.url))
const out = process.argv[2] ?? join(here, '..', 'web', 'assets')
mkdirSync(out, { recursive: true })
await build({
  absWorkingDir: here,
  entryPoints: { app: 'src/main.tsx' },
  bundle: true,
  format: 'esm',
  target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  outdir: out,
})
for (const file of ['index.html', 'icon.svg']) copyFileSync(join(here, 'src', file), join(out, file))
const size = ['app.js', 'app.css', 'index.html', 'icon.svg']
  .reduce((sum, file) => sum + gzipSync(readFileSync(join(out, file)), { level: 9 }).length, 0)
console.log(`dev/web/assets: ${size} bytes compressed, at most ${most}`)
if (size > most) process.exit(1)
