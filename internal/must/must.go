// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package must ends a test that cannot go on: at an error that the test is not about, or at a value on which the rest
// of the test builds. Package expect reports what a test is about.
package must

import "fmt"

// T is a test, a benchmark or a check of a property.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Do ends the test at an error. The context says where it came up.
func Do(t T, err error, context ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(context, err)...)
	}
}

// Get returns what a function that can fail has returned: must.Get(os.ReadFile(name))(t). An error ends the test.
func Get[V any](value V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Equal ends the test at a value that is not the wanted one. The format says what the value is.
func Equal[V comparable](t T, got, want V, format string, args ...any) {
	t.Helper()
	if got != want {
		t.Fatal(fmt.Sprintf("%s: %v, want %v", fmt.Sprintf(format, args...), got, want))
	}
}

// That ends the test at a condition that does not hold. The format says what is the case instead.
func That(t T, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatal(fmt.Sprintf(format, args...))
	}
}
