// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ticksPerSecond is USER_HZ, the unit of times in /proc, which is 100 on every architecture that gwon is built for.
const ticksPerSecond = 100

// process is what /proc/PID/stat says of a process: its parent, and the CPU ticks of itself and of the children that
// it has waited for.
type process struct {
	parent int
	ticks  uint64
}

// packageSeconds returns the CPU seconds of the test processes that the go command root has started, with all
// processes below them, by import path. directories gives the import path of a test process's working directory.
func packageSeconds(root int, directories map[string]string) map[string]float64 {
	all := readProcesses()
	children := make(map[int][]int)
	for pid, p := range all {
		children[p.parent] = append(children[p.parent], pid)
	}
	var sum func(pid int) uint64
	sum = func(pid int) uint64 {
		ticks := all[pid].ticks
		for _, child := range children[pid] {
			ticks += sum(child)
		}
		return ticks
	}
	seconds := make(map[string]float64)
	for _, pid := range children[root] {
		dir, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
		if err != nil {
			continue // it has ended
		}
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil || !strings.HasSuffix(exe, ".test") {
			continue // a compiler
		}
		if path, ok := directories[dir]; ok {
			seconds[path] = float64(sum(pid)) / ticksPerSecond
		}
	}
	return seconds
}

// readProcesses returns the processes of the system. It is empty where there is no /proc.
func readProcesses() map[int]process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := make(map[int]process)
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		if p, ok := parseStat(string(text)); ok {
			all[pid] = p
		}
	}
	return all
}

// parseStat reads a line of /proc/PID/stat (proc(5)). The name of the program, in parentheses, may hold anything.
func parseStat(line string) (p process, ok bool) {
	_, rest, ok := cutLast(line, ") ")
	if !ok {
		return process{}, false
	}
	fields := strings.Fields(rest) // state, ppid, ..., utime, stime, cutime, cstime from the twelfth on
	if len(fields) < 15 {
		return process{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return process{}, false
	}
	for _, field := range fields[11:15] {
		ticks, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return process{}, false
		}
		p.ticks += ticks
	}
	p.parent = parent
	return p, true
}

// cutLast is strings.Cut at the last place of the separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
