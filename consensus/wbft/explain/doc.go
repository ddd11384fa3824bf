// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package explain tells from recordings (package recording) why a block took its rounds and its time: whose proposal or
// votes the validators waited for, and what arrived late. It replays the recordings of one or several validators.
//
// What happened is gathered in gather.go, one View for each validator. The sentences are in sentences.go. Times of a
// View are those of its validator's clock. Only what a recording shows is told: of a validator without a recording only
// what the others heard.
package explain
