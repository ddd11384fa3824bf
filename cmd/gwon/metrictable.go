// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

// metricDescriptions say what gwon's own metrics mean, by name. Capitals in a name stand for a part that differs.
var metricDescriptions = map[string]string{}
