#!/usr/bin/env node
// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// The compiler of the npm package under the command line that Foundry expects, so that nothing else has to be downloaded.
import { readFileSync } from 'node:fs'
import solc from 'solc'

if (process.argv.includes('--version')) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}`)
} else if (process.argv.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  console.error('solc.mjs knows --version and --standard-json')
  process.exit(1)
}
