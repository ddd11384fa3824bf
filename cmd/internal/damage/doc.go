// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package damage turns what go-ethereum says about databases that cannot be opened or read, in errors, panics and the
// last line of the log, into one sentence with the cure.
//
// Recognizing such errors belongs here. Opening databases does not: that is package datadir.
package damage
