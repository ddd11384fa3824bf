// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// The description of the RPC methods, judged by the schema of OpenRPC: the stored one, and the one that a node serves.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import Ajv from 'ajv'
import { rpc } from './chain.mjs'

const require = createRequire(import.meta.url)
export const name = 'OpenRPC'

const stored = () => JSON.parse(readFileSync(new URL('../../docs/reference/openrpc.json', import.meta.url), 'utf8'))

const validator = () => new Ajv({ strict: false, validateSchema: false, validateFormats: false, allErrors: true, logger: false })

/** Throws unless a document is one of OpenRPC. */
function checkDocument(document) {
  const ajv = validator()
  const schemas = require('@json-schema-tools/meta-schema').default
  for (const id of ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/']) {
    ajv.addSchema({ ...schemas, $id: undefined }, id)
  }
  const check = ajv.compile({ ...require('@open-rpc/meta-schema').default, $schema: undefined })
  if (!check(document)) throw new Error(ajv.errorsText(check.errors))
}

/** Throws unless the values of each example have the form that their schemas say. */
function checkExamples(document) {
  const ajv = validator().addSchema({ $id: 'openrpc', components: document.components })
  let count = 0
  for (const method of document.methods) {
    for (const example of method.examples ?? []) {
      const pairs = [[method.result, example.result], ...example.params.map((value, i) => [method.params[i], value])]
      for (const [{ name, schema }, { value }] of pairs) {
        const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openrpc#/')
        if (!ajv.validate(JSON.parse(text), value)) throw new Error(`${method.name}, ${name}: ${ajv.errorsText()}`)
        count++
      }
    }
  }
  if (count < 100) throw new Error(`${count} values in examples`)
}

export const features = ({ url }) => ({
  'stored document': async () => checkDocument(stored()),
  'examples': async () => checkExamples(stored()),
  'rpc.discover': async () => {
    const document = await rpc(url, 'rpc.discover')
    checkDocument(document)
    for (const method of ['eth_chainId', 'istanbul_getValidators', 'evm_mine', 'rpc.discover']) {
      if (!document.methods.some((m) => m.name === method)) throw new Error(`${method} is not described`)
    }
  },
})
