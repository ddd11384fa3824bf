// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package expect reports what a test did not expect, and lets the test go on. Package must ends a test instead.
package expect

import (
	"errors"
	"fmt"
)

// T is a test, a benchmark or a check of a property.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal reports a value that is not the expected one. The format says what the value is.
func Equal[V comparable](t T, got, want V, format string, args ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", fmt.Sprintf(format, args...), got, want)
	}
}

// Error reports an error that is not the expected one, or wraps another. Nil expects none.
func Error(t T, err, want error, format string, args ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", fmt.Sprintf(format, args...), err, want)
	}
}

// Refused reports that there is no error. The format says what succeeded.
func Refused(t T, err error, format string, args ...any) {
	t.Helper()
	if err == nil {
		t.Errorf("no error: %s", fmt.Sprintf(format, args...))
	}
}
