// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// anyone takes every payload for the owner's, and every lock for true.
var anyone = Verifier{
	Author: func(Record) (common.Address, error) { return owner.Validator, nil },
	Lock:   func(Lock) (bool, error) { return true, nil },
}

// strangers does the same and knows no validators.
var strangers = Verifier{Author: anyone.Author, Lock: func(Lock) (bool, error) { return false, nil }}

// exported is a log in JSON, and back.
func exported(t testing.TB, l *Log) *Interchange {
	t.Helper()
	text := must.Get(json.Marshal(l.Export()))(t)
	return must.Get(ReadInterchange(text))(t)
}

// A log that is exported and imported elsewhere knows the same, after a restart too (EIP-3076 in spirit; spec wbft 9.1
// no. 3).
func TestExportAndImport(t *testing.T) {
	from := open(t, filepath.Join(t.TempDir(), "votes"))
	must.Do(t, from.SetOrigin(Origin{Since: 77, Lost: true}))
	must.Do(t, from.Write([]Record{vote(Prepare, 7, 0, 1), vote(Commit, 7, 0, 1), vote(RoundChange, 8, 1, 2)},
		[]Lock{{7, 0, []byte("certificate")}}))
	from.Prune(5)
	to := open(t, filepath.Join(t.TempDir(), "votes"))
	expect.Equal(t, must.Get(to.Import(exported(t, from), anyone))(t), Merged{Messages: 3, Locks: 1}, "done")
	for range 2 {
		expect.That(t, describe(stateOf(to)) == describe(stateOf(from)) && to.Floor() == 6 && *to.Origin() == *from.Origin(),
			"state %s, floor %d, origin %v", describe(stateOf(to)), to.Floor(), to.Origin())
		to = reopen(t, to)
	}
	must.Do(t, to.Write([]Record{vote(Commit, 9, 0, 1)}, nil)) // it goes on from there
	again := must.Get(to.Import(exported(t, from), anyone))(t)
	expect.That(t, again == (Merged{}) && to.Knows(9), "imported again: %+v", again)
	look := must.Get(Look(OS{}, to.path))(t)
	text, err := json.Marshal(look)
	expect.That(t, err == nil && strings.Contains(string(text), `"sequence":"9"`) && look.Owner() == owner,
		"looked at while it is open: %s, %v", text, err)
}

// Whatever is merged with whatever: what either has signed is not contradicted afterwards, locks do not go back, and no
// floor falls.
func TestImportForgetsNothing(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		signed := make(map[view]map[byte]bool)
		locks := make(map[uint64]uint64)
		floor := uint64(0)
		var logs [2]*Log
		for i := range logs {
			n++
			l := must.Get(OpenOn(unsynced{}, filepath.Join(dir, strconv.Itoa(n)), owner))(t)
			logs[i] = l
			for range rapid.IntRange(0, 12).Draw(t, "votes") {
				r := vote(rapid.Uint64Range(PrePrepare, RoundChange).Draw(t, "code"), rapid.Uint64Range(1, 4).Draw(t, "sequence"),
					rapid.Uint64Range(0, 1).Draw(t, "round"), rapid.ByteRange(1, 2).Draw(t, "digest"))
				if l.Write([]Record{r}, nil) == nil {
					if signed[r.view()] == nil {
						signed[r.view()] = make(map[byte]bool)
					}
					signed[r.view()][r.Digest[0]] = true
				}
				k := Lock{rapid.Uint64Range(1, 4).Draw(t, "sequence"), rapid.Uint64Range(0, 3).Draw(t, "round"), []byte("lock")}
				if l.Write(nil, []Lock{k}) == nil {
					locks[k.Sequence] = max(locks[k.Sequence], k.Round)
				}
			}
			if rapid.Bool().Draw(t, "prune") {
				l.Prune(rapid.Uint64Range(0, 2).Draw(t, "pruned"))
			}
			floor = max(floor, l.Floor())
		}
		text := must.Get(json.Marshal(logs[0].Export()))(t)
		x := must.Get(ReadInterchange(text))(t)
		v := anyone
		v.Floor = x.Data[0].Floor // with nothing signed above nothing explains it
		must.Get(logs[1].Import(x, v))(t)
		must.That(t, logs[1].Floor() >= floor, "floor %d after %d", logs[1].Floor(), floor)
		for _, l := range logs {
			must.Do(t, l.Close())
		}
		l := must.Get(OpenOn(unsynced{}, logs[1].path, owner))(t)
		defer func() { expect.Error(t, l.Close(), nil, "Close") }()
		for v, digests := range signed {
			for digest := byte(1); digest <= 2; digest++ {
				err := l.Write([]Record{vote(v.code, v.sequence, v.round, digest)}, nil)
				if err == nil && (!digests[digest] || len(digests) > 1) {
					t.Fatalf("signs %d in %v, signed was %v", digest, v, digests)
				}
			}
		}
		for sequence, round := range locks {
			must.That(t, round == 0 || l.Write(nil, []Lock{{sequence, round - 1, []byte("lock")}}) != nil,
				"the lock of sequence %d goes back below round %d", sequence, round)
		}
	})
}

// What is not of this key and chain, not whole or not understood is refused, and changes nothing.
func TestRefusedImports(t *testing.T) {
	from := open(t, filepath.Join(t.TempDir(), "votes"))
	must.Do(t, from.Write([]Record{vote(Prepare, 7, 0, 1)}, []Lock{{7, 0, []byte("lock")}}))
	to := open(t, filepath.Join(t.TempDir(), "votes"))
	by := func(author common.Address, err error) Verifier {
		return Verifier{Author: func(Record) (common.Address, error) { return author, err }, Lock: anyone.Lock}
	}
	falseLocks := Verifier{Author: anyone.Author, Lock: func(Lock) (bool, error) { return false, errors.New("forged") }}
	content := must.Get(os.ReadFile(to.path))(t)
	for name, c := range map[string]struct {
		change func(*Interchange)
		v      Verifier
		want   string
	}{
		"another validator": {func(x *Interchange) { x.Data[0].Validator[0] ^= 1 }, anyone, ErrForeign.Error()},
		"another chain":     {func(x *Interchange) { x.Metadata.Genesis[0] ^= 1 }, anyone, ErrForeign.Error()},
		"unknown message":   {func(x *Interchange) { x.Data[0].Messages[0].Message = "VOTE" }, anyone, "is no message"},
		"signed by another": {func(*Interchange) {}, by(common.Address{1}, nil), "is signed by"},
		"unreadable":        {func(*Interchange) {}, by(common.Address{}, errors.New("junk")), "junk"},
		"a false lock":      {func(*Interchange) {}, falseLocks, "lock 0, of sequence 7 and round 0: forged"},
		"nothing signed": {func(x *Interchange) { x.Data[0].Messages[0].Payload = nil }, anyone,
			"message 0, of sequence 7 and round 0, has no payload"},
		"signed elsewhere": {func(x *Interchange) {
			x.Data[0].Messages = append(x.Data[0].Messages, SignedMessage{Message: "COMMIT", Sequence: 8})
		}, anyone, "message 1, of sequence 8 and round 0, has no payload"},
		"signed in no round": {func(x *Interchange) {
			x.Data[0].Messages = append(x.Data[0].Messages,
				SignedMessage{Message: "PREPARE", Sequence: 7, Round: math.MaxUint64})
		}, anyone, "message 1, of sequence 7 and round 18446744073709551615, has no payload"},
	} {
		x := exported(t, from)
		c.change(x)
		expect.Says(t, expect.Err(to.Import(x, c.v)), c.want, "%s", name)
	}
	if now, err := os.ReadFile(to.path); err != nil || string(now) != string(content) || to.Knows(7) {
		t.Errorf("a refused import has changed the log: %v", err)
	}
	exported(t, open(t, filepath.Join(t.TempDir(), "empty"))) // what an empty log exports is read
	good := must.Get(json.Marshal(from.Export()))(t)
	for name, text := range map[string]string{
		"nothing": ``, "no JSON": `votes`, "another version": strings.Replace(string(good), `"1"`, `"2"`, 1),
		"no chain":        `{"metadata":{"interchange_format_version":"1"},"data":[{}]}`,
		"no validator":    strings.Replace(string(good), `"data":[`, `"data":[],"x":[`, 1),
		"an unknown part": strings.Replace(string(good), `"locks"`, `"bolts"`, 1),
		"two at once":     string(good) + string(good),
		"cut":             string(good[:len(good)-1]),
		"no floor":        strings.Replace(string(good), `"lowest_sequence":"0",`, ``, 1),
		"no time":         regexp.MustCompile(`"complete_since":"[0-9]*",`).ReplaceAllString(string(good), ``),
		"a time to come": regexp.MustCompile(`"complete_since":"[0-9]*"`).ReplaceAllString(string(good),
			`"complete_since":"18446744073709551615"`),
		"not said if any were lost": strings.Replace(string(good), `"earlier_votes_lost":false,`, ``, 1),
		"null if any were lost": strings.Replace(string(good), `"earlier_votes_lost":false`, `"earlier_votes_lost":null`,
			1),
		"null as floor": strings.Replace(string(good), `"lowest_sequence":"0"`, `"lowest_sequence":null`, 1),
		"no messages":   regexp.MustCompile(`"signed_messages":\[[^]]*\],`).ReplaceAllString(string(good), ``),
		"null as messages": regexp.MustCompile(`"signed_messages":\[[^]]*\]`).ReplaceAllString(string(good),
			`"signed_messages":null`),
		"no locks":      regexp.MustCompile(`,"locks":\[[^]]*\]`).ReplaceAllString(string(good), ``),
		"null as locks": regexp.MustCompile(`"locks":\[[^]]*\]`).ReplaceAllString(string(good), `"locks":null`),
		"locks twice": regexp.MustCompile(`("locks":\[[^]]*\])`).ReplaceAllString(string(good),
			`$1,"LOCKS":[]`),
		"a number without quotes": strings.Replace(string(good), `"lowest_sequence":"0"`, `"lowest_sequence":0`, 1),
		"a number below 0":        strings.Replace(string(good), `"lowest_sequence":"0"`, `"lowest_sequence":"-1"`, 1),
		"a number in hex":         strings.Replace(string(good), `"lowest_sequence":"0"`, `"lowest_sequence":"0x1"`, 1),
		"a list":                  `[]`,
		"a message that is none":  strings.Replace(string(good), `"signed_messages":[`, `"signed_messages":[5,`, 1),
		"a payload without hex":   strings.Replace(string(good), `"payload":"0x`, `"payload":"`, 1),
	} {
		if _, err := ReadInterchange([]byte(text)); err == nil || text == string(good) {
			t.Errorf("%s is read: %v", name, err)
		} else if regexp.MustCompile(`Go |struct|votelog|hexutil|uint64|EOF`).MatchString(err.Error()) {
			t.Errorf("%s is refused in the words of the program: %v", name, err)
		}
	}
}

// An import that the disk has no room for changes nothing.
func TestImportOnAFullDisk(t *testing.T) {
	from := open(t, filepath.Join(t.TempDir(), "votes"))
	must.Do(t, from.Write([]Record{vote(Prepare, 9, 0, 1)}, nil))
	l, d, fail := failing(t)
	fail["write votes.new"] = true
	_, err := l.Import(exported(t, from), anyone)
	expect.That(t, errors.Is(err, errDisk) && !l.Knows(9), "%v", err)
	must.Do(t, l.Write([]Record{vote(Prepare, 8, 0, 1)}, nil))
	clear(fail)
	_, err = l.Import(exported(t, from), anyone)
	expect.That(t, err == nil && l.Knows(9) && l.Knows(8) && l.Knows(7), "%v", err)
	must.Do(t, l.Write([]Record{vote(Prepare, 10, 0, 1)}, nil))
	must.Do(t, l.Close())
	l = openOn(t, d)
	defer l.Close() //nolint:errcheck // of memory
	for sequence := uint64(7); sequence <= 10; sequence++ {
		expect.That(t, l.Knows(sequence), "sequence %d is forgotten", sequence)
	}
}

// A lowest sequence that would keep the key from signing is taken when the chain that is here has come so far, or where
// there is none, when the file shows votes that go so far, or when the operator names it; a log that signs from there
// on anyway is not asked.
func TestImportOfAFloor(t *testing.T) {
	const signed = 7
	for name, c := range map[string]struct {
		floor, head, accepted uint64
		want                  string // in the error; "" for none
	}{
		"at the last vote":    {floor: 7},
		"above the last vote": {floor: 8},
		"above the next one": {floor: 9,
			want: "before block 9, and the last block that the file shows it to have signed for is 7"},
		"absurd":                    {floor: math.MaxUint64, want: "before block 18446744073709551615"},
		"accepted":                  {floor: 9, accepted: 9},
		"another one accepted":      {floor: 9, accepted: 10, want: "is not explained"},
		"the chain has come so far": {floor: 100, head: 99},
		"the chain has not": {floor: 101, head: 99,
			want: "before block 101, and the chain here is at block 99"},
		"the chain is behind the votes":   {floor: 8, head: 6, want: "the chain here is at block 6"},
		"and that is accepted":            {floor: 8, head: 6, accepted: 8},
		"nothing below it is let go of":   {floor: 0, head: 1},
		"absurd, with a chain":            {floor: math.MaxUint64, head: 99, want: "before block 18446744073709551615"},
		"known here already":              {floor: 5, head: 1},
		"a lock that is not verifiable":   {floor: 30, want: "is 7"},
		"a round without a payload below": {floor: 8},
	} {
		from, to := open(t, filepath.Join(t.TempDir(), "votes")), open(t, filepath.Join(t.TempDir(), "votes"))
		must.Do(t, from.Write([]Record{vote(Prepare, signed, 0, 1), vote(Prepare, signed, 1, 1)}, nil))
		to.Prune(4)
		x := exported(t, from)
		x.Data[0].Floor = c.floor
		v := anyone
		v.Head, v.Floor = c.head, c.accepted
		switch name {
		case "a lock that is not verifiable":
			v.Lock = strangers.Lock
			x.Data[0].Locks = []SignedLock{{Sequence: 30, Certificate: []byte("lock")}}
		case "a round without a payload below":
			x.Data[0].Messages[0].Payload = nil
		}
		_, err := to.Import(x, v)
		expect.That(t, errors.Is(err, ErrFloor) == (c.want != "") && (err == nil || strings.Contains(err.Error(), c.want)),
			"%s: %v, want %q", name, err, c.want)
		want := max(5, c.floor)
		if c.want != "" {
			want = 5
		}
		expect.That(t, to.Floor() == want && to.Knows(signed) == (c.want == ""),
			"%s: floor %d, want %d", name, to.Floor(), want)
	}
}

// A lock gives way to one of a higher round only if that one is known to be true; one of a lower round never takes its
// place.
func TestImportOfLocks(t *testing.T) {
	for name, c := range map[string]struct {
		here, given uint64 // rounds
		v           Verifier
		kept        uint64
		done        Merged
		err         error
	}{
		"higher, proven":   {1, 2, anyone, 2, Merged{Locks: 1}, nil},
		"higher, unproven": {1, 2, strangers, 1, Merged{}, ErrUnproven},
		"the same round":   {1, 1, strangers, 1, Merged{}, nil},
		"lower, proven":    {2, 1, anyone, 2, Merged{}, nil},
		"lower, unproven":  {2, 1, strangers, 2, Merged{}, nil},
	} {
		from, to := open(t, filepath.Join(t.TempDir(), "votes")), open(t, filepath.Join(t.TempDir(), "votes"))
		must.Do(t, from.Write(nil, []Lock{{7, c.given, []byte("given")}}))
		must.Do(t, to.Write(nil, []Lock{{7, c.here, []byte("here")}}))
		done, err := to.Import(exported(t, from), c.v)
		expect.That(t, errors.Is(err, c.err) && done == c.done, "%s: %+v, %v", name, done, err)
		certificate := "here"
		if c.done.Locks > 0 {
			certificate = "given"
		}
		k := to.Sequences()[0].Lock
		expect.That(t, k.Round == c.kept && string(k.Certificate) == certificate, "%s: the lock is %+v", name, k)
	}
	from, to := open(t, filepath.Join(t.TempDir(), "votes")), open(t, filepath.Join(t.TempDir(), "votes"))
	must.Do(t, from.Write(nil, []Lock{{7, 1, []byte("given")}}))
	done, err := to.Import(exported(t, from), strangers)
	expect.That(t, err == nil && done == (Merged{Locks: 1, Unproven: 1}), "a lock where there is none: %+v, %v", done, err)
}

// FuzzInterchange: any file is refused, or is read again as it is written.
func FuzzInterchange(f *testing.F) {
	const empty = `{"metadata": {"interchange_format_version": "1", "chain_id": "8283", "genesis_hash": "0x` +
		"1111111111111111111111111111111111111111111111111111111111111111" + `"}, "data": [{"validator": ` +
		`"0x2222222222222222222222222222222222222222", "lowest_sequence": "0", "complete_since": "0", ` +
		`"earlier_votes_lost": false, "signed_messages": [], "locks": []}]}`
	f.Add([]byte(empty))
	f.Add([]byte(`{"metadata": {}, "data": [{}]} {`))
	f.Fuzz(func(t *testing.T, content []byte) {
		x, err := ReadInterchange(content)
		if err != nil {
			return
		}
		written := must.Get(json.Marshal(x))(t)
		again, err := ReadInterchange(written)
		must.That(t, err == nil, "%s is read and not read again: %v", written, err)
		rewritten, err := json.Marshal(again)
		expect.That(t, err == nil && bytes.Equal(rewritten, written), "%s is read as %s, %v", written, rewritten, err)
	})
}
