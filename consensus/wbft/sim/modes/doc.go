// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package modes has what validators send that break the rules on purpose, by the names that attacks have in tools of
// this family of protocols. It is pure: messages in, messages out. The simulator and real nodes (package tools/faulty)
// carry them. No node links it but under the build tag "faulty". It breaks the rules of spec wbft 4.2, 5.7 and 5.9.
package modes
