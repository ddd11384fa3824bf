// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/params"
)

// A mark fits the network that it was made for and no other: neither one with a further validator, nor one of another
// chain ID, nor a public one.
func TestMark(t *testing.T) {
	network, err := Prepare(Options{
		Dir: filepath.Join(
			t.TempDir(),
			"net",
		), Validators: 4, Accounts: 5, ChainID: 828300, Period: time.Second, Contracts: params.G1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := network.Close(); err != nil {
			t.Error(err)
		}
	})
	var own []common.Address
	for _, n := range network.Nodes {
		own = append(own, n.Address)
	}
	dir := filepath.Join(network.Nodes[1].Dir, "gwon")
	chainID := big.NewInt(828300)
	mark, err := ReadMark(dir, chainID, own)
	if err != nil || mark == nil {
		t.Fatalf("own network: %v, %v", mark, err)
	}
	if mark.Node != "node2" || mark.Accounts != 5 || mark.Members != 4 || mark.Validators()[own[2]] != "node3" {
		t.Errorf("mark %+v", mark)
	}
	public := params.Networks()[0].Config().Anzeon.Init.Validators
	for _, test := range []struct {
		name       string
		chainID    *big.Int
		validators []common.Address
	}{
		{"further validator", chainID, append([]common.Address{{1}}, own...)},
		{"other chain ID", big.NewInt(1), own},
		{"public network", chainID, public},
		{"no validators", chainID, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if mark, err := ReadMark(dir, test.chainID, test.validators); err == nil || mark != nil {
				t.Errorf("%+v, %v", mark, err)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		if mark, err := ReadMark(t.TempDir(), chainID, own); err != nil || mark != nil {
			t.Errorf("%+v, %v", mark, err)
		}
	})
	for name, text := range map[string]string{
		"damaged": "{", "counts that contradict": `{"names":["a"],"signatures":[]}`,
		"signature": `{"names":["a"],"signatures":["0x12"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			other := t.TempDir()
			if err := os.WriteFile(filepath.Join(other, MarkFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadMark(other, chainID, own); err == nil || !strings.Contains(err.Error(), "remove it") {
				t.Errorf("error %v", err)
			}
		})
	}
}
