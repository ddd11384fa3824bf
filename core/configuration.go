// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// MaxSetting is the largest path or value of a setting in bytes. A longer one is replaced by its hash, and so is one
// that is not in printable ASCII.
const MaxSetting = 128

// Configuration is the canonical form of a chain configuration: its values as text by their path in a genesis file.
// Equal rules have one form. Absent, false and empty values are left out, and so are parameters of the first contracts:
// block 0 alone has them, in its hash. A transition is named by its block: transitions[100].epochLength.
type Configuration map[string]string

// Canonical returns the canonical form of a chain configuration.
func Canonical(config *gethparams.ChainConfig) (Configuration, error) {
	plain := *config
	plain.Transitions = nil
	c, err := flatten("", &plain)
	if err != nil {
		return nil, err
	}
	byBlock := slices.DeleteFunc(slices.Clone(config.Transitions), func(t gethparams.Transition) bool {
		return t.Block == nil || t.WBFTConfig == nil // changes nothing
	})
	slices.SortStableFunc(byBlock, func(a, b gethparams.Transition) int { return a.Block.Cmp(b.Block) })
	for _, t := range byBlock { // the last one of a block is in force
		path := fmt.Sprintf("transitions[%v].", t.Block)
		changes, err := flatten(path, t.WBFTConfig)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"requestTimeoutSeconds", "blockPeriodSeconds", "epochLength"} {
			if changes[path+name] == "0" {
				delete(changes, path+name) // unchanged (spec chain 1.4)
			}
		}
		delete(changes, path+"allowedFutureBlockTime") // no transition changes it
		maps.Copy(c, changes)
	}
	c.Normalize()
	return c, nil
}

// Normalize removes settings that no rule of an Anzeon chain reads, as if absent. The forks of Ethereum without a
// difficulty bomb or The DAO change nothing; above block 0 they are in the fork ID (spec chain 1.1, 1.5).
func (c Configuration) Normalize() {
	if c["anzeon.wbft.epochLength"] == "" {
		return
	}
	for _, path := range []string{
		"daoForkBlock", "muirGlacierBlock", "arrowGlacierBlock", "grayGlacierBlock", "anzeon.wbft.maxRequestTimeoutSeconds",
	} {
		if c[path] == "0" {
			delete(c, path)
		}
	}
	maps.DeleteFunc(c, func(path, _ string) bool {
		section, rest, _ := strings.Cut(path, ".")
		switch section {
		case "daoForkSupport":
			return c["daoForkBlock"] == ""
		case "boho":
			return c["bohoBlock"] == "" || !strings.HasPrefix(rest, "systemContracts.")
		}
		return section == "clique" || section == "blobSchedule" || section == "depositContractAddress"
	})
}

// flatten returns the values of a part of a configuration, by paths with a prefix.
func flatten(prefix string, part any) (Configuration, error) {
	text, err := json.Marshal(part)
	if err != nil {
		return nil, fmt.Errorf("encode chain configuration: %w", err)
	}
	c := make(Configuration)
	c.add(prefix, text)
	return c, nil
}

// add adds an encoded value, or all values of an object. The prefix ends with a full stop in an object.
func (c Configuration) add(path string, value json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) == nil { // nil for null
		for name, field := range fields {
			if name != "params" || !strings.HasPrefix(path, "anzeon.systemContracts.") {
				c.add(path+name+".", field)
			}
		}
		return
	}
	text := string(value)
	if unquoted := ""; json.Unmarshal(value, &unquoted) == nil {
		text = unquoted
	}
	switch text {
	case "", "false", "[]", common.Address{}.Hex():
	default:
		c[short(strings.TrimSuffix(path, "."))] = short(text)
	}
}

// short returns a text, or its hash instead of one that is no setting.
func short(text string) string {
	if IsSetting(text) {
		return text
	}
	return "hash " + crypto.Keccak256Hash([]byte(text)).Hex()
}

// IsSetting reports whether a text can be path or value of a setting.
func IsSetting(text string) bool {
	return len(text) <= MaxSetting && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// Hash returns the fingerprint of the configuration. Nodes with different ones have different rules, now or from a
// later block on, also if their genesis blocks are the same.
func (c Configuration) Hash() common.Hash {
	var text strings.Builder
	for _, path := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&text, "%s\n%s\n", path, c[path])
	}
	return crypto.Keccak256Hash([]byte(text.String()))
}

// Difference is a setting in which two configurations differ. An empty value is absent.
type Difference struct{ Path, Here, There string }

// Differences returns the settings that another configuration has otherwise, by path.
func (c Configuration) Differences(other Configuration) (all []Difference) {
	paths := maps.Clone(c)
	maps.Copy(paths, other)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if c[path] != other[path] {
			all = append(all, Difference{path, c[path], other[path]})
		}
	}
	return all
}

// Settled returns the differences that the blocks of a chain up to head rule out. Fork blocks, what the Boho fork
// brings, and transitions may differ as long as both configurations have them above the head (spec chain 1.5).
func (c Configuration) Settled(other Configuration, head uint64) []Difference {
	above := func(block string) bool {
		number, ok := new(big.Int).SetString(block, 10)
		return block == "" || head == 0 || ok && number.Cmp(new(big.Int).SetUint64(head)) > 0
	}
	return slices.DeleteFunc(c.Differences(other), func(d Difference) bool {
		transition, isTransition := strings.CutPrefix(d.Path, "transitions[")
		switch {
		case isTransition:
			block, _, _ := strings.Cut(transition, "]")
			return above(block)
		case strings.HasPrefix(d.Path, "boho."):
			return above(c["bohoBlock"]) && above(other["bohoBlock"])
		case strings.Contains(strings.TrimPrefix(d.Path, "anzeon."), "."):
			return false
		}
		return strings.HasSuffix(d.Path, "Block") && above(d.Here) && above(d.There)
	})
}

// shownDifferences is how many differences a text names.
const shownDifferences = 3

// DescribeDifferences names differences, with words for the places of the two configurations, such as "here" and "at
// the peer". The text is empty without a difference.
func DescribeDifferences(all []Difference, here, there string) string {
	var texts []string
	orAbsent := func(value string) string { return cmp.Or(value, "absent") }
	for _, d := range all[:min(len(all), shownDifferences)] {
		texts = append(texts, fmt.Sprintf("%s is %s %s and %s %s", d.Path, orAbsent(d.Here), here, orAbsent(d.There), there))
	}
	if more := len(all) - shownDifferences; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}
