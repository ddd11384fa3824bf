// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Addresses of the page's views. Links are ordinary ones; clicks on them do not load the page again.
import { signal } from '@preact/signals'

export const path = signal(location.pathname)

export function go(to: string): void {
  if (to !== location.pathname) history.pushState(null, '', to)
  path.value = to
  scrollTo(0, 0)
  // The view's heading takes the focus, so that a screen reader says where it is.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main h1')?.focus())
}

addEventListener('popstate', () => { path.value = location.pathname })

document.addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('a')
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  if (link.target || link.origin !== location.origin || link.hasAttribute('download')) return
  event.preventDefault()
  go(link.pathname)
})
