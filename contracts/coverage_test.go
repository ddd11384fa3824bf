// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/contracts"
)

// condition is a place in a source where code branches.
type condition struct {
	File          string
	Kind          string // statement or operator
	Line          int
	Start, Length int // bytes
}

// coverage is what the measured code was seen to do.
type coverage struct {
	sync.Mutex
	conditions []condition
	code       map[string][]byte                // by name of the artifact
	jumps      map[common.Hash]map[uint64]place // by hash of the code and program counter
	taken      map[place]map[bool]bool          // outcomes seen
}

// place is a range in a source file.
type place struct {
	file          string
	start, length int
}

var seen = sync.OnceValue(func() *coverage {
	c := &coverage{code: make(map[string][]byte), jumps: make(map[common.Hash]map[uint64]place),
		taken: make(map[place]map[bool]bool)}
	read := func(name string, into any) {
		data, err := os.ReadFile(filepath.Join("testdata", "coverage", name+".json"))
		if err != nil {
			panic(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			panic(err)
		}
	}
	read("conditions", &c.conditions)
	for _, contract := range contracts.All() {
		var content struct {
			Code     hexutil.Bytes
			Branches []struct {
				PC            uint64
				File          string
				Start, Length int
			}
		}
		name := contract.Name + "-" + contract.Version
		read(name, &content)
		places := make(map[uint64]place)
		for _, b := range content.Branches {
			places[b.PC] = place{b.File, b.Start, b.Length}
		}
		c.code[name] = content.Code
		c.jumps[crypto.Keccak256Hash(content.Code)] = places
	}
	return c
})

// measured is code without optimization, with the conditional jumps of the source.
func measured() build {
	c := seen()
	hashes := make(map[*byte]common.Hash) // by identity of the code: hashing at every instruction would take long
	hooks := &tracing.Hooks{OnOpcode: func(pc uint64, op byte, _, _ uint64, scope tracing.OpContext, _ []byte, _ int,
		_ error) {
		if vm.OpCode(op) != vm.JUMPI {
			return
		}
		code := scope.ContractCode()
		hash, ok := hashes[&code[0]]
		if !ok {
			hash = crypto.Keccak256Hash(code)
			hashes[&code[0]] = hash
		}
		at, ok := c.jumps[hash][pc]
		if !ok {
			return
		}
		stack := scope.StackData()
		jumps := !stack[len(stack)-2].IsZero()
		c.Lock()
		defer c.Unlock()
		if c.taken[at] == nil {
			c.taken[at] = make(map[bool]bool)
		}
		c.taken[at][jumps] = true
	}}
	code := func(contract contracts.Contract) []byte { return c.code[contract.Name+"-"+contract.Version] }
	return build{"measured", code, hooks}
}

// missing returns the outcomes that no test brought about, and the number of all.
func (c *coverage) missing() (list []string, total int) {
	for _, cond := range c.conditions {
		outcomes := c.taken[place{cond.File, cond.Start, cond.Length}]
		source, err := os.ReadFile(filepath.Join("src", cond.File))
		if err != nil {
			panic(err)
		}
		line := strings.TrimSpace(strings.Split(string(source), "\n")[cond.Line-1])
		for _, jump := range []bool{false, true} {
			total++
			if !outcomes[jump] {
				list = append(list, fmt.Sprintf("%s:%d: %s, jump %v: %s", cond.File, cond.Line, cond.Kind, jump, line))
			}
		}
	}
	slices.Sort(list)
	return list, total
}

// After a run of all tests, every condition of the contracts has taken both branches.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	whole := *nodeURL == "" && !testing.Short() && flag.Lookup("test.run").Value.String() == "" &&
		flag.Lookup("test.skip").Value.String() == ""
	if code == 0 && whole {
		missing, total := seen().missing()
		fmt.Printf("solidity branches: %d of %d outcomes seen\n", total-len(missing), total)
		if len(missing) > 0 {
			fmt.Printf("not seen:\n%s\n", strings.Join(missing, "\n"))
			code = 1
		}
	}
	os.Exit(code)
}
