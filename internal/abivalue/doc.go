// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package abivalue decodes values of the contract ABI to what JSON carries without loss. Integers are decimal text,
// addresses and bytes are hexadecimal text, arrays are lists.
//
// What belongs here: the one decoder of calls, results, errors and logs. The data is that of a stranger, so the words
// that are read are bounded. What the values mean belongs to package dev/inspect, and which events are wanted to
// pay/notify.
package abivalue
