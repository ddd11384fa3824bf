// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command budget compares the size of the tree with tools/budget/budget.txt and prints the rows that are over. A row is
// lowered freely. It is raised where the body of a commit since the base has a line "budget: ROW +N because ...".
// Run it in the root of the repository, after make upstream.
//
//	go run ./tools/budget -base COMMIT  compare the tree with the rows, and the rows with those of the base
//	go run ./tools/budget -lower        lower rows to today's values
//	go run ./tools/budget -init         set all rows to today's values
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	base := flag.String("base", "", "commit that rows are compared with")
	lower := flag.Bool("lower", false, "lower rows to today's values")
	start := flag.Bool("init", false, "set all rows to today's values")
	flag.Parse()
	var err error
	switch {
	case flag.NArg() > 0:
		err = fmt.Errorf("unknown arguments %q: give -base COMMIT, -lower or -init", flag.Args())
	case *base != "" && !*lower && !*start:
		err = check(".", *base, os.Stdout)
	case *base == "" && *lower != *start:
		err = rewrite(".", *start)
	default:
		err = errors.New("give one of -base COMMIT, -lower and -init")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "budget:", err)
		os.Exit(1)
	}
}

// check prints what is over, and returns an error if anything is.
func check(root, base string, w io.Writer) error {
	rows, err := readRows(root)
	if err != nil {
		return err
	}
	today, err := measure(root)
	if err != nil {
		return err
	}
	raised, err := unexplained(root, base, rows)
	if err != nil {
		return err
	}
	var over, wanted []string
	known := make(map[string]bool)
	for _, f := range today {
		known[f.name] = true
		if more := f.value - rows[f.name]; more > 0 {
			over = append(over, fmt.Sprintf("%s: %d, budget %d%s", f.name, f.value, rows[f.name], f.note))
			wanted = append(wanted, fmt.Sprintf("  budget: %s +%d because ...", f.name, more))
		}
	}
	for _, name := range sorted(rows) {
		if !known[name] {
			over = append(over, fmt.Sprintf("%s: nothing is counted under this name: remove the row from %s", name, file))
		}
	}
	for _, r := range raised {
		over = append(over, fmt.Sprintf("%s: raised by %d since %s, of which bodies of commits explain %d",
			r.name, r.raise, base, r.explained))
		wanted = append(wanted, fmt.Sprintf("  budget: %s +%d because ...", r.name, r.raise-r.explained))
	}
	if len(over) == 0 {
		return nil
	}
	fmt.Fprintln(w, strings.Join(over, "\n"))
	if len(wanted) == 0 {
		return errors.New("the table has rows without a figure")
	}
	return fmt.Errorf("take out what is not needed; for the rest commit the result of go run ./tools/budget -init, "+
		"with these lines in the body:\n%s", strings.Join(wanted, "\n"))
}

// rewrite writes rows of today's values. Without start no row becomes higher or new.
func rewrite(root string, start bool) error {
	today, err := measure(root)
	if err != nil || start {
		return errors.Join(err, writeRows(root, today))
	}
	rows, err := readRows(root)
	if err != nil {
		return err
	}
	var kept []figure
	for _, f := range today {
		if row, ok := rows[f.name]; ok {
			f.value = min(f.value, row)
			kept = append(kept, f)
		}
	}
	return writeRows(root, kept)
}
