// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package session holds the connections to peers: what each of them is known to have and claims to have, requests to it and their
// answers, the sub-protocol istanbul/100 that carries consensus messages, and who is not let in because he has lied (spec network 2
// and 3, wbft 4). What it hands on of a block has passed the gate; nothing else is judged here.
package session
