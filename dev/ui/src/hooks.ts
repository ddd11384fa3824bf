// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

import { useEffect, useRef, useState } from 'preact/hooks'
import { get, head, type Problem } from './api'

export type Resource<T> = { data: T | null; error: Problem | null; again: () => void }

/** Asks the node for a resource, again with each new block if it is live. A failure keeps what was known before. */
export function useResource<T>(path: string, live = false): Resource<T> {
  const [state, setState] = useState<{ path: string; data: T | null; error: Problem | null }>({ path, data: null, error: null })
  const [turn, setTurn] = useState(0)
  const running = useRef('')
  const block = live ? head.value : 0
  useEffect(() => {
    if (running.current === path) return // the answer of the block before is still awaited
    running.current = path
    get<T>(path)
      .then((data) => { if (running.current === path) setState({ path, data, error: null }) })
      .catch((error) => {
        if (running.current === path) setState((s) => ({ path, data: s.path === path ? s.data : null, error }))
      })
      .finally(() => { if (running.current === path) running.current = '' })
  }, [path, block, turn])
  const current = state.path === path
  return { data: current ? state.data : null, error: current ? state.error : null, again: () => setTurn((n) => n + 1) }
}

/** Seconds since 1970, by the second while something shows an age. */
export function useNow(): number {
  const [now, setNow] = useState(() => Math.floor(Date.now() / 1000))
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1000)), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
