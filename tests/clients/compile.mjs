// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const here = dirname(fileURLToPath(import.meta.url))

/**
 * Compiles a file of this folder, which may import files of npm packages, and returns abi and bytecode of contracts by their
 * names. A contract of a package is named with its file, as in {'@package/File.sol': ['Name']}.
 */
export function compile(file, wanted) {
  const outputs = ['abi', 'evm.bytecode.object']
  const select = (names) => Object.fromEntries(names.map((name) => [name, outputs]))
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(join(here, file), 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true },
      outputSelection: Object.fromEntries(Object.entries(wanted).map(([source, names]) => [source, select(names)])),
    },
  }
  const read = (path) => ({ contents: readFileSync(join(here, 'node_modules', path), 'utf8') })
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input), { import: read }))
  const grave = errors.filter((e) => e.severity === 'error')
  if (grave.length) throw new Error(grave.map((e) => e.formattedMessage).join('\n'))
  return Object.fromEntries(Object.entries(wanted).flatMap(([source, names]) => names.map((name) => {
    const { abi, evm } = contracts[source][name]
    return [name, { abi, bytecode: `0x${evm.bytecode.object}` }]
  })))
}
