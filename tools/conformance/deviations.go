// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

// improvements are the identifiers under which the protocol declares deliberate deviations. The specification has assigned none to
// what deviations lists.
var improvements = []string{}

// explain returns the rule of the deviation that a difference belongs to; empty when there is none.
func explain(vector, result) string { return "" }
