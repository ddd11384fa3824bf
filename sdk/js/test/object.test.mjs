// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// The verdicts on transaction objects are those of the sponsor. Go writes the file: go test ./internal/txobject -write.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { checkObject } from '../dist/core/object.js'

const rows = readFileSync(new URL('../../testdata/objects.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

function verdict({ use, input }) {
  let object
  try {
    object = JSON.parse(input)
  } catch {
    return 'refused: '
  }
  try {
    checkObject(object, use)
    return 'ok'
  } catch (error) {
    assert.equal(error.code, 'field', String(error))
    return `refused: ${error.field === 'the transaction' ? '' : error.field.toWellFormed()}`
  }
}

test('verdicts on objects are those of the sponsor', () => {
  assert.ok(rows.length > 500)
  assert.deepEqual(
    rows.map((row) => ({ ...row, verdict: verdict(row) })),
    rows,
  )
})
