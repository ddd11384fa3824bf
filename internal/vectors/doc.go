// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package vectors reads recorded results of go-stablenet for tests.
//
// What belongs in it: readers of files below testdata, and the keys and encodings that the files of several
// packages share. Types of one file stay with the test that uses the file. Only tests import this package.
//
// The keys are those of spec wbft 2.1 and 2.2; headers are encoded as in spec wbft 1.
package vectors
