// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package program is what all commands of gwon, gwon-dev and gwon-pay share: their name, exit statuses, the end by a
// signal, answers to wrong usage, passwords and questions at the terminal, and JSON as output.
//
// It knows no configuration and no data directory. A flag belongs here if commands of several packages have it and it
// is none of the node.
package program
