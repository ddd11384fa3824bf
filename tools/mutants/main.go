// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Mutants applies a committed list of one-line faults, each alone, and fails if the tests named for one do not notice
// it. The tree is not touched: the go command is given the faulty file as an overlay.
//
// It fails as well when the list is stale: a line that is not there exactly once, a fault that does not compile, a
// test that does not exist or that fails without the fault. A test that does not end counts only where the list says
// that it need not.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gwon/eth/session/sessiontest"
)

//go:embed mutants.txt
var list string

func main() {
	var (
		run    = flag.String("run", "", "apply only faults whose file, line or rule match this regular expression")
		sample = flag.String("sample", "", "apply only part of the list, chosen by this string (a commit's hash), as -of "+
			"says")
		of      = flag.Int("of", 4, "with -sample: apply one in this many")
		whole   = flag.Bool("whole", false, "run all tests of the packages, not only those named, and say which one noticed")
		timeout = flag.Duration("timeout", 2*time.Minute, "for the tests of one fault")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := check(ctx, *run, *sample, *of, *whole, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func check(ctx context.Context, run, sample string, of int, whole bool, timeout time.Duration) error {
	mutants, err := parse(list)
	if err != nil {
		return err
	}
	pattern, err := regexp.Compile(run)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if of < 1 {
		return errors.New("-of must be at least 1")
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool {
		return !pattern.MatchString(m.file + "\n" + m.old + "\n" + m.rule)
	})
	if sample != "" {
		mutants = choose(mutants, sample, of)
	}
	if len(mutants) == 0 {
		return errors.New("no fault is left to apply")
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	l := lab{dir: scratch, whole: whole, timeout: timeout}
	begun := time.Now()
	if err := l.baseline(ctx, mutants); err != nil {
		return err
	}
	fmt.Printf("without a fault all tests pass (%v)\n", time.Since(begun).Round(time.Second))
	failed, err := applyAll(ctx, mutants, scratch, whole, timeout)
	if err != nil {
		return err
	}
	fmt.Printf("%d faults in %v, %d not noticed\n", len(mutants), time.Since(begun).Round(time.Second), len(failed))
	if len(failed) > 0 {
		return fmt.Errorf("not noticed, or not applicable:\n%s", strings.Join(failed, "\n"))
	}
	return nil
}

// applyAll applies the faults, as many at a time as there are processors, and returns those that nothing has noticed.
func applyAll(
	ctx context.Context, mutants []mutant, scratch string, whole bool, timeout time.Duration,
) (failed []string, err error) {
	var mu sync.Mutex // of what is printed and of failed
	var g errgroup.Group
	g.SetLimit(runtime.NumCPU())
	for i, m := range mutants {
		g.Go(func() error {
			dir, err := os.MkdirTemp(scratch, "")
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(dir) }()
			start, l := time.Now(), lab{dir: dir, whole: whole, timeout: timeout}
			by, err := l.apply(ctx, m)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			result := "noticed by " + by
			if err != nil {
				result = strings.ToUpper(err.Error())
				failed = append(failed, fmt.Sprintf("%s: %s\n    + %s\n    %s: %v", m.file, m.old, m.new, m.rule, err))
			}
			fmt.Printf("%3d %5.1fs %-36s %s\n", i+1, time.Since(start).Seconds(), m.file, result)
			return nil
		})
	}
	err = g.Wait()
	return failed, err
}

// lab applies faults, with files of its own in dir.
type lab struct {
	dir     string
	whole   bool
	timeout time.Duration
	rapid   bool // the test program has the flags of pgregory.net/rapid
}

// baseline runs all named tests without a fault.
func (l *lab) baseline(ctx context.Context, mutants []mutant) error {
	tests := make(map[string][]string)
	for _, m := range mutants {
		tests[m.pkg] = append(tests[m.pkg], m.tests...)
	}
	for _, pkg := range slices.Sorted(maps.Keys(tests)) {
		names := slices.Compact(slices.Sorted(slices.Values(tests[pkg])))
		if err := l.build(ctx, pkg, ""); err != nil {
			return err
		}
		output, err := l.test(ctx, pkg, names)
		if err != nil {
			return fmt.Errorf("%s fails without any fault:\n%s", pkg, output)
		}
		for _, name := range names {
			if !strings.Contains(output, "--- PASS: "+name+" ") && !l.whole {
				return fmt.Errorf("%s has no test %s", pkg, name)
			}
		}
	}
	return nil
}

// apply tells which test notices a fault.
func (l *lab) apply(ctx context.Context, m mutant) (by string, err error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	faulty, err := m.mutate(string(source))
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(l.dir, "faulty.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: copied}})
	if err != nil {
		return "", err
	}
	if err := cmp.Or(os.WriteFile(copied, []byte(faulty), 0o600), os.WriteFile(l.overlay(), overlay, 0o600)); err != nil {
		return "", err
	}
	if err := l.build(ctx, m.pkg, l.overlay()); err != nil {
		return "", err
	}
	output, err := l.test(ctx, m.pkg, m.tests)
	if err == nil {
		return "", errors.New("not noticed")
	}
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		return "", err
	}
	return m.verdict(output)
}

func (l *lab) overlay() string { return filepath.Join(l.dir, "overlay.json") }

func (l *lab) binary() string { return filepath.Join(l.dir, "tests") }

// build makes the test program of a package.
func (l *lab) build(ctx context.Context, pkg, overlay string) error {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", l.binary()}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if output, err := exec.CommandContext(ctx, "go", append(args, pkg)...).CombinedOutput(); err != nil {
		return fmt.Errorf("does not compile: %s", output)
	}
	help, _ := exec.CommandContext(ctx, l.binary(), "-help").CombinedOutput() // ends in an error for some versions of Go
	l.rapid = strings.Contains(string(help), "-rapid.nofailfile")
	return nil
}

// test runs tests of that program where the go command would, in the package's directory.
func (l *lab) test(ctx context.Context, pkg string, names []string) (output string, err error) {
	args := []string{"-test.short", "-test.v", "-test.failfast", "-test.timeout", l.timeout.String()}
	if l.rapid {
		args = append(args, "-rapid.nofailfile") // its files would stay in the package's directory
	}
	if !l.whole {
		args = append(args, "-test.run", "^("+strings.Join(names, "|")+")$")
	}
	cmd := exec.CommandContext(ctx, l.binary(), args...)
	cmd.Dir = pkg
	// What has to happen takes a second or two without a fault.
	cmd.Env = append(os.Environ(), sessiontest.PatienceVariable+"=15s")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
