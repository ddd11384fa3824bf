// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package validatorpeers keeps the validators connected to each other (spec network 11 no. 5).
package validatorpeers
