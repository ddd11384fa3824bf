// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package govern has the commands gwon gov: reading the governances and voting in them. It plans a transaction, says
// what it would do, asks, and signs, sends and awaits it.
//
// What a governance is and how its contracts are asked belongs to package governance.
package govern
