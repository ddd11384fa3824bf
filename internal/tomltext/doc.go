// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package tomltext parses the TOML of configuration files, with errors that a person can follow.
package tomltext
