// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"gwon/params"
)

// managerFunctions are those of the native managers, which have no code and no artifact (spec chain 3.1, 3.2).
var managerFunctions = []struct {
	address   common.Address
	name      string
	functions []managerFunction
}{
	{params.CoinManagerAddress, "coin manager", []managerFunction{
		{"mint", []string{"to", "amount"}, false}, {"burn", []string{"from", "amount"}, false},
		{"transfer", []string{"from", "to", "amount"}, false},
	}},
	{params.AccountManagerAddress, "account manager", []managerFunction{
		{"blacklist", []string{"account"}, false}, {"unBlacklist", []string{"account"}, false},
		{"isBlacklisted", []string{"account"}, true}, {"authorize", []string{"account"}, false},
		{"unAuthorize", []string{"account"}, false}, {"isAuthorized", []string{"account"}, true},
	}},
}

// managerFunction is a function whose arguments are addresses, but for an amount.
type managerFunction struct {
	name    string
	inputs  []string
	queries bool // returns a bool
}

func (f managerFunction) json() string {
	inputs := make([]string, len(f.inputs))
	for i, name := range f.inputs {
		kind := "address"
		if name == "amount" {
			kind = "uint256"
		}
		inputs[i] = fmt.Sprintf(`{"name":%q,"type":%q}`, name, kind)
	}
	output := ""
	if f.queries {
		output = `{"name":"","type":"bool"}`
	}
	return fmt.Sprintf(`{"type":"function","name":%q,"stateMutability":"nonpayable","inputs":[%s],"outputs":[%s]}`,
		f.name, strings.Join(inputs, ","), output)
}

// addManagers names the native managers and gives them their functions.
func (b *Book) addManagers() {
	for _, m := range managerFunctions {
		list := make([]string, len(m.functions))
		for i, f := range m.functions {
			list[i] = f.json()
		}
		parsed, err := abi.JSON(strings.NewReader("[" + strings.Join(list, ",") + "]"))
		if err != nil {
			panic(fmt.Sprintf("interface of the %s: %v", m.name, err)) // the functions are in this file
		}
		b.names[m.address] = m.name
		b.addresses[m.address] = &Interface{Name: m.name, ABI: parsed, coins: true}
	}
}

// isManager reports whether an address is that of a native manager. A trace has one more frame below a call of it,
// which stands for the change of the state.
func isManager(a *common.Address) bool {
	return a != nil && (*a == params.CoinManagerAddress || *a == params.AccountManagerAddress)
}
