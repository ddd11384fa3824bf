// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !cgo

package main

const buildKind = "nocgo"
