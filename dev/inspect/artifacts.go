// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/core/vm"

	"gwon/internal/atomicfile"
)

// Limits of a folder of artifacts.
const (
	maxArtifacts    = 10_000  // files
	maxArtifactsSum = 1 << 30 // bytes of all files together
)

// artifact is the part of a file of Foundry or Hardhat that is read.
type artifact struct {
	ContractName string          `json:"contractName"` // Hardhat
	ABI          json.RawMessage `json:"abi"`
	Deployed     json.RawMessage `json:"deployedBytecode"`

	// Hardhat 2 and 3 have these beside the code, Foundry has them below it.
	Links      references `json:"deployedLinkReferences"`
	Immutables immutables `json:"immutableReferences"`
}

// position is a place in code that the compiler leaves open.
type position struct {
	Start  int `json:"start"`
	Length int `json:"length"`
}

type references map[string]map[string][]position // by source and library
type immutables map[string][]position

// deployedCode is the form of deployedBytecode in files of Foundry.
type deployedCode struct {
	Object     string     `json:"object"`
	Links      references `json:"linkReferences"`
	Immutables immutables `json:"immutableReferences"`
}

// Load reads the artifacts in the folders of a comma-separated list: "out" of Foundry, "artifacts" of Hardhat. It
// returns the number of contracts that were found. A folder that does not exist or holds no artifact is an error.
func (b *Book) Load(folders string) (int, error) {
	total := 0
	for folder := range strings.SplitSeq(folders, ",") {
		if folder = strings.TrimSpace(folder); folder == "" {
			continue
		}
		n, err := b.loadFolder(folder)
		if err != nil {
			return total, err
		}
		if n == 0 {
			return total, fmt.Errorf(
				"%s holds no artifact of Foundry or Hardhat: compile the contracts, or name another folder",
				folder,
			)
		}
		total += n
	}
	return total, nil
}

func (b *Book) loadFolder(folder string) (found int, err error) {
	files, size := 0, int64(0)
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "build-info" || !strings.HasSuffix(path, ".json") || !entry.Type().IsRegular() {
			if entry.IsDir() && entry.Name() == "build-info" {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files++
		size += info.Size()
		if files > maxArtifacts || size > maxArtifactsSum {
			return fmt.Errorf("more than %d files or %d MiB: name a smaller folder", maxArtifacts, maxArtifactsSum>>20)
		}
		if info.Size() > atomicfile.MaxFile {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		known, err := parseArtifact(path, text)
		if err != nil || known == nil {
			return err
		}
		b.add(known)
		found++
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read artifacts in %s: %w", folder, err)
	}
	return found, nil
}

// add takes an interface up, unless the same code is there.
func (b *Book) add(known *Interface) {
	size := len(known.code.code)
	same := func(i *Interface) bool { return bytes.Equal(i.code.code, known.code.code) }
	if slices.ContainsFunc(b.codes[size], same) {
		return
	}
	b.codes[size] = append(b.codes[size], known)
	b.all = append(b.all, known)
}

// parseArtifact reads a file of a folder of artifacts. It returns nil for interfaces, and for files of another kind.
func parseArtifact(path string, text []byte) (*Interface, error) {
	var file artifact
	if json.Unmarshal(text, &file) != nil || len(file.ABI) == 0 || len(file.Deployed) == 0 {
		return nil, nil
	}
	code := deployedCode{Links: file.Links, Immutables: file.Immutables}
	if json.Unmarshal(file.Deployed, &code.Object) != nil && json.Unmarshal(file.Deployed, &code) != nil {
		return nil, nil
	}
	if len(strings.TrimPrefix(code.Object, "0x")) == 0 {
		return nil, nil
	}
	parsed, err := abi.JSON(bytes.NewReader(file.ABI))
	if err != nil {
		return nil, fmt.Errorf("ABI in %s: %w", path, err)
	}
	shape, err := newPattern(code)
	if err != nil {
		return nil, fmt.Errorf("deployed code in %s: %w", path, err)
	}
	name := file.ContractName
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	return &Interface{Name: name, ABI: parsed, code: shape}, nil
}

// pattern is deployed code in which some bytes are only known at deployment: immutables and addresses of libraries.
type pattern struct {
	code []byte
	open []bool // by byte
}

// placeholder begins and ends the name of a library in unlinked code, which takes the place of 20 bytes.
const placeholder = "__"

func newPattern(c deployedCode) (*pattern, error) {
	digits := strings.TrimPrefix(c.Object, "0x")
	open := make([]bool, len(digits)/2)
	for {
		at := strings.Index(digits, placeholder)
		if at < 0 {
			break
		}
		const size = 40
		if at%2 != 0 || at+size > len(digits) {
			return nil, errors.New("a placeholder of a library is cut off")
		}
		digits = digits[:at] + strings.Repeat("0", size) + digits[at+size:]
		mark(open, position{at / 2, size / 2})
	}
	code, err := hex.DecodeString(digits)
	if err != nil {
		return nil, err
	}
	for _, libraries := range c.Links {
		for _, places := range libraries {
			for _, p := range places {
				mark(open, p)
			}
		}
	}
	for _, places := range c.Immutables {
		for _, p := range places {
			mark(open, p)
		}
	}
	// Hardhat 2 does not say where immutables are: words of zeros in an artifact.
	var zero [32]byte
	for i := 0; i+len(zero) < len(code); i++ {
		if code[i] == byte(vm.PUSH32) && bytes.Equal(code[i+1:i+1+len(zero)], zero[:]) {
			mark(open, position{i + 1, len(zero)})
		}
	}
	return &pattern{code, open}, nil
}

func mark(open []bool, p position) {
	for i := max(p.Start, 0); i < p.Start+p.Length && i < len(open); i++ {
		open[i] = true
	}
}

func (p *pattern) matches(code []byte) bool {
	if p == nil || len(code) != len(p.code) {
		return false
	}
	for i, b := range code {
		// The code of a library begins with its own address.
		inLibraryAddress := p.code[0] == byte(vm.PUSH20) && i > 0 && i <= 20
		if b != p.code[i] && !p.open[i] && !inLibraryAddress {
			return false
		}
	}
	return true
}
