// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package must ends a test of a sibling at an error that the test is not about, as gwon/internal/must does for tests of
// gwon, which siblings cannot import.
package must

// T is a test, a benchmark or a check of a property.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Do ends the test at an error.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
