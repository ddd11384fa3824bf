// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package keys is where private keys are: the key store of accounts with the command gwon account, the node key of a
// data directory, what the network knows of a validator by its key, and who signs a transaction that a command sends.
//
// Files of keys and questions for passwords belong here. What a validator has signed is package validator (spec wbft
// 2.1, 2.2).
package keys
