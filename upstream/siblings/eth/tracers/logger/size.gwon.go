// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package logger

// Size returns how many bytes of steps are recorded.
func (l *StructLogger) Size() int { return l.resultSize }
