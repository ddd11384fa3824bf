// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package start

import (
	"errors"
	"slices"
	"testing"

	"gwon/internal/expect"
)

// A start runs its steps in order. A step that fails ends it. What was opened before is closed, newest first and once.
func TestStartUnwinds(t *testing.T) {
	fault, stuck := errors.New("fault"), errors.New("stuck")
	for _, c := range []struct {
		name    string
		fails   int // step that fails; -1 for none
		closing error
		want    []string
		errs    []error
	}{
		{"all steps", -1, nil, []string{"open 0", "open 1", "open 2"}, nil},
		{"first step fails", 0, nil, []string{"open 0"}, []error{fault}},
		{"last step fails", 2, nil, []string{"open 0", "open 1", "open 2", "close 1", "close 0"}, []error{fault}},
		{"closer fails too", 2, stuck, []string{"open 0", "open 1", "open 2", "close 1", "close 0"}, []error{fault, stuck}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var happened []string
			var steps []Step
			for i, n := range []string{"0", "1", "2"} {
				steps = append(steps, Step{n, func(closers *Closers) error {
					happened = append(happened, "open "+n)
					if i == c.fails {
						return fault
					}
					closers.Add(func() error {
						happened = append(happened, "close "+n)
						return c.closing
					})
					return nil
				}})
			}
			var closers Closers
			err := Run(steps, &closers)
			expect.Equal(t, err != nil, c.errs != nil, "error %v, want %v", err, c.errs)
			for _, want := range c.errs {
				expect.Error(t, err, want, "refusal")
			}
			if c.closing == nil && c.fails >= 0 && err.Error() != fault.Error() {
				t.Errorf("error %v is not the step's own", err)
			}
			expect.Slice(t, happened, c.want, "happened")
			happened = nil
			if err := closers.Close(); c.fails >= 0 && (err != nil || len(happened) > 0) {
				t.Errorf("second close: %q, %v", happened, err)
			}
			want := []string{"close 2", "close 1", "close 0"}
			expect.That(t, c.fails >= 0 || slices.Equal(happened, want), "close: %q, want %q", happened, want)
		})
	}
}
