// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package progress measures how far a long task is, and shows it: a bar on a terminal, a log line every eight
// seconds elsewhere. Tasks count into a Meter and know nothing of the display.
package progress
