// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package load has the command gwon-dev load. What it measures belongs to package dev/loadtest.
package load
