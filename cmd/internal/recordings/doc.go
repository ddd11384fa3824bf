// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Package recordings has the commands that read recordings of the consensus: gwon replay and gwon explain. Formats and
// replay are in consensus/wbft/recording, the explanations in consensus/wbft/explain.
package recordings
