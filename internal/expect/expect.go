// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package expect reports what a test did not expect, and lets the test go on. Package must ends a test instead.
package expect

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// T is a test, a benchmark or a check of a property.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// That reports a condition that does not hold. The format says what is the case instead.
func That(t T, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf(format, args...)
	}
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

// Says reports that there is no error, or one without a part of its text.
func Says(t T, err error, part, format string, args ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%s: error %v, want one with %q", fmt.Sprintf(format, args...), err, part)
	}
}

// Ends wants no error for an empty part, and else one with a part in its text.
func Ends(t T, err error, part, format string, args ...any) {
	t.Helper()
	if part == "" {
		Error(t, err, nil, format, args...)
	} else {
		Says(t, err, part, format, args...)
	}
}

// Contains reports a text without a part.
func Contains(t T, text, part, format string, args ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s: %q, want one with %q", fmt.Sprintf(format, args...), text, part)
	}
}

// Slice reports a slice with other elements. Nil is an empty slice.
func Slice[E comparable](t T, got, want []E, format string, args ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", fmt.Sprintf(format, args...), got, want)
	}
}

// Deep reports a value that is not the expected one in depth. Nil is no empty slice.
func Deep(t T, got, want any, format string, args ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v", fmt.Sprintf(format, args...), got, want)
	}
}

// Err returns the error of a function with another result.
func Err[V any](_ V, err error) error { return err }
