// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package scale has the bound on messages as a variable, so that a simulation of thousands of networks can fill messages to the last byte with
// blocks of some hundred kilobytes. Nothing outside consensus/wbft can reach it, and a program never assigns it.
package scale

// MaxMessage is the largest payload of a message in bytes (spec wbft 4.1).
var MaxMessage = 10 << 20
