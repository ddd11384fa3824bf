// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package apptest serves tests of commands: it runs a program in the process of the test, and makes the files and data
// directories that commands work on. Tests alone import it.
package apptest
