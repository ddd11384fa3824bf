// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eventstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gwon/consensus/wbft/recording"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// numbersIn returns the sequence numbers in a file, in their order.
func numbersIn(t *testing.T, path string) (list []uint64) {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	for _, line := range bytes.Split(bytes.TrimSpace(content), []byte("\n")) {
		var r struct{ Seq uint64 }
		must.Do(t, json.Unmarshal(line, &r), line)
		list = append(list, r.Seq)
	}
	return list
}

// A full file is renamed. No more than the kept files stay, and none is larger than the bound.
func TestFilesAreRotated(t *testing.T) {
	l := &lines{path: filepath.Join(t.TempDir(), "events"), run: "run", largest: 2000}
	for range 100 {
		l.add("STATE", "0x00", time.Now(), 0, fields{})
		l.flush()
	}
	must.Do(t, l.close())
	next := uint64(100)
	for n := range keptFiles + 2 {
		path := l.path
		if n > 0 {
			path = fmt.Sprintf("%s.%d", l.path, n)
		}
		info, err := os.Stat(path)
		if n > keptFiles {
			expect.That(t, os.IsNotExist(err), "%s: %v", path, err)
			continue
		}
		must.That(t, err == nil && info.Size() <= l.largest, "%s: %v", path, err)
		numbers := numbersIn(t, path)
		expect.Equal(t, numbers[len(numbers)-1], next-1, "%s ends with record", path)
		next = numbers[0]
	}
}

// A file of something else stays as it is: at a start, at each later opening, and where a full file would be renamed.
func TestOtherFilesStay(t *testing.T) {
	for name, content := range map[string]string{
		"key": strings.Repeat("1f", 32), "keystore": `{"address":"00","crypto":{}}`, "configuration": "{\n\"a\": 1\n}\n",
		"first line of another JSON": `{"a": 1,` + "\n}\n",
	} {
		for _, suffix := range []string{"", ".1", ".4"} {
			t.Run(name+suffix, func(t *testing.T) {
				l := &lines{path: filepath.Join(t.TempDir(), "events"), run: "run", largest: 100}
				other := l.path + suffix
				must.Do(t, os.WriteFile(other, []byte(content), 0o600))
				expect.Says(t, expect.Err(New(l.path, "test")), other+" holds something else", "New")
				for range 5 {
					l.add("STATE", "0x00", time.Now(), 0, fields{})
					l.flush()
				}
				expect.That(t, l.failed, "no failure was noted")
				must.Do(t, l.close())
				expect.Equal(t, string(must.Get(os.ReadFile(other))(t)), content, "the file has changed")
			})
		}
	}
	path := filepath.Join(t.TempDir(), "events")
	must.Do(t, os.WriteFile(path, []byte(`{"engine_run":1,"kin`), 0o600))
	expect.Error(t, expect.Err(New(path, "test")), nil, "a record that a crash has cut off")
}

// A decided block that is not imported is told with its error, after the result.
func TestFailedImport(t *testing.T) {
	s := must.Get(New(filepath.Join(t.TempDir(), "events"), "test"))(t)
	s.Write(&recording.Call{At: time.Now(), Input: recording.Committed{Number: 7, Took: time.Second}})
	must.Do(t, s.close())
	content := must.Get(os.ReadFile(s.path))(t)
	for i, line := range bytes.Split(bytes.TrimSpace(content), []byte("\n")) {
		var r struct {
			Kind, Number, Error string
			OK                  bool
		}
		must.Do(t, json.Unmarshal(line, &r))
		want := []string{"COMMIT_RESULT", "IMPORT_FAIL"}[i]
		expect.That(t, r.Kind == want && r.Number == "7" && !r.OK && (r.Error != "") == (want == "IMPORT_FAIL"),
			"record %d: %s", i, line)
	}
	expect.Equal(t, bytes.Count(content, []byte("\n")), 2, "records")
}

// Records that cannot be written leave a gap in the numbers, and those after it are written.
func TestLostRecordsLeaveAGap(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not there yet")
	l := &lines{path: filepath.Join(dir, "events"), run: "run", largest: maxFile}
	add := func() {
		l.add("STATE", "0x00", time.Now(), 0, fields{})
		l.flush()
	}
	add()
	add()
	must.That(t, l.failed, "no failure was noted")
	must.Do(t, os.Mkdir(dir, 0o700))
	add()
	l.skip(5) // as after a full queue
	add()
	must.Do(t, l.close())
	numbers := numbersIn(t, l.path)
	expect.That(t, fmt.Sprint(numbers) == "[2 8]", "records %v were written, want 2 and 8", numbers)
}

// A file that takes some records after an error is not sound again, so that a disk that is nearly full is reported
// once.
func TestFileIsSoundAfterEnoughRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not there yet")
	l := &lines{path: filepath.Join(dir, "events"), run: "run", largest: maxFile}
	add := func(text string) {
		l.add("STATE", "0x00", time.Now(), 0, fields{"text": text})
		l.flush()
	}
	half := strings.Repeat("x", maxBuffer/2)
	add("")
	must.Do(t, os.Mkdir(dir, 0o700))
	add(half)
	l.fail(1, errors.New("no space left"))
	add(half)
	expect.That(t, l.failed, "sound again after an error between two records")
	add(half)
	expect.That(t, !l.failed, "not sound after %d bytes", l.since)
	must.Do(t, l.close())
}
