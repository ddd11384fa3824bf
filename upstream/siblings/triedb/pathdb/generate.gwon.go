// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

// answer tells the caller of stop that the generator has ended. That caller may close the database next, so the
// iterators are released first. Releasing them again, as generate does at its end, has no effect.
func (ctx *generatorContext) answer(stopped chan struct{}) {
	ctx.close()
	close(stopped)
}
