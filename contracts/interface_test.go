// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// counterpart names go-stablenet's contract with the same interface.
var counterpart = map[string]string{
	"govCouncil-g1":        "GovCouncil/v1",
	"govMasterMinter-g1":   "GovMasterMinter/v1",
	"govMinter-g1":         "GovMinter/v1",
	"govMinter-g2":         "GovMinter/v2",
	"govValidator-g1":      "GovValidator/v1",
	"nativeCoinAdapter-g1": "NativeCoinAdapter/v1",
}

// typeName spells a type as the specification does: tuples by their components.
func typeName(t abi.Type) string { return t.String() }

func describe(args abi.Arguments, indexed bool) []string {
	list := []string{}
	for _, a := range args {
		words := []string{typeName(a.Type)}
		if indexed && a.Indexed {
			words = append(words, "indexed")
		}
		if a.Name != "" {
			words = append(words, a.Name)
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

// Functions, events and errors equal those of go-stablenet's contracts, with selectors, mutability, arguments, topics
// and indexed fields (spec system-contracts, appendix).
func TestInterfaces(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/spec/interfaces.json"))(t)
	type function struct {
		Signature, Selector, Mutability string
		Inputs, Outputs                 []string
	}
	type event struct {
		Signature, Topic0 string
		Inputs            []string
	}
	type custom struct{ Signature, Selector string }
	var want map[string]struct {
		Functions []function
		Events    []event
		Errors    []custom
	}
	must.Do(t, json.Unmarshal(data, &want))
	have := len(All())
	must.That(t, have == len(want) && have == len(counterpart), "%d contracts, want %d", have, len(want))
	compare := func(t *testing.T, kind string, have, want map[string]string) {
		t.Helper()
		for _, key := range slices.Sorted(maps.Keys(want)) {
			expect.That(t, have[key] == want[key], "%s %s:\nhave %s\nwant %s", kind, key, have[key], want[key])
		}
		for _, key := range slices.Sorted(maps.Keys(have)) {
			_, ok := want[key]
			expect.That(t, ok, "%s %s is no part of the interface", kind, key)
		}
	}
	for _, c := range All() {
		t.Run(c.Name+"-"+c.Version, func(t *testing.T) {
			want, have := want[counterpart[c.Name+"-"+c.Version]], c.ABI()
			if have.Constructor.Type == abi.Constructor && len(have.Constructor.Inputs) > 0 || have.HasFallback() ||
				have.HasReceive() {
				t.Error("a constructor, fallback or receive function")
			}
			functions, wantFunctions := map[string]string{}, map[string]string{}
			for _, m := range have.Methods {
				functions[m.Sig] = fmt.Sprintln(hexutil.Encode(m.ID), m.StateMutability, describe(m.Inputs, false),
					describe(m.Outputs, false))
			}
			for _, f := range want.Functions {
				wantFunctions[f.Signature] = fmt.Sprintln(f.Selector, f.Mutability, f.Inputs, f.Outputs)
			}
			compare(t, "function", functions, wantFunctions)
			events, wantEvents := map[string]string{}, map[string]string{}
			for _, e := range have.Events {
				events[e.Sig] = fmt.Sprintln(e.ID, describe(e.Inputs, true))
			}
			for _, e := range want.Events {
				wantEvents[e.Signature] = fmt.Sprintln(e.Topic0, e.Inputs)
			}
			compare(t, "event", events, wantEvents)
			errors, wantErrors := map[string]string{}, map[string]string{}
			for _, e := range have.Errors {
				errors[e.Sig] = hexutil.Encode(e.ID[:4])
			}
			for _, e := range want.Errors {
				wantErrors[e.Signature] = e.Selector
			}
			compare(t, "error", errors, wantErrors)
		})
	}
}

// Lookup finds a contract by name and version, Code by hash; unknown input finds nothing.
func TestLookup(t *testing.T) {
	for _, c := range All() {
		found, ok := Lookup(c.Name, c.Version)
		expect.That(t, ok && found.Hash == c.Hash, "%s %s is not found", c.Name, c.Version)
		code, ok := Code(c.Hash)
		expect.That(t, ok && len(code) == len(c.Code), "the code of %s %s is not found", c.Name, c.Version)
	}
	for _, absent := range [][2]string{{"govMinter", "g3"}, {"govMinter", "v1"}, {"govCouncil", "g2"}, {"", ""}} {
		_, ok := Lookup(absent[0], absent[1])
		expect.That(t, !ok, "%q is found", absent)
	}
	_, ok := Code([32]byte{1})
	expect.That(t, !ok, "code with a hash that nothing has")
}

// The code of a released version does not change, because chains refer to it by name. New code gets a new name and
// another line here.
func TestReleasedCode(t *testing.T) {
	released := map[string]string{
		"govCouncil-g1":        "0xee1f8f0816b4eb68ddb5b7a1873ccef1d39d55b0b304e6ad63455701ed9d2e44",
		"govMasterMinter-g1":   "0xb70a24755b3c483c08bca23e64dbffe17185892dfc88b0a8f9bab50594a78af6",
		"govMinter-g1":         "0xa277bd8d4021d3430bff01f041b82d66ccb82ae9c360c98842987e7144fd16ad",
		"govMinter-g2":         "0x3adc98e4d9ab4dc47e63e777648f1f37e36986db101b43c510aae801cdcea009",
		"govValidator-g1":      "0x15e7798bfa74b90f025a8daadc736b1f2454fa976500894dd16e4d9f582de555",
		"nativeCoinAdapter-g1": "0xac85fb34cba22d5a50bac4bdb0069dcb0da5e38947a6fd1b062d123185d73e0f",
	}
	if len(released) != len(All()) {
		t.Errorf("%d contracts, %d released", len(All()), len(released))
	}
	for _, c := range All() {
		if name := c.Name + "-" + c.Version; released[name] != c.Hash.Hex() {
			t.Errorf("%s has the code %v, was released with %q", name, c.Hash, released[name])
		}
	}
}
