// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { readFileSync } from 'node:fs'

/** Returns the entries of a file of sdk/testdata. */
export const vectors = (file) =>
  JSON.parse(readFileSync(new URL(`../../testdata/${file}`, import.meta.url), 'utf8')).vectors

/** A generator of numbers from 0 to n - 1, the same for each seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
}
