// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// action is an effect of an executed proposal.
type action struct {
	name  string // name that is hashed
	args  abi.Arguments
	words func(args []any) string
}

func arguments(types ...string) abi.Arguments {
	var list abi.Arguments
	for _, name := range types {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			panic(fmt.Sprintf("type %s: %v", name, err)) // the names are in this file
		}
		list = append(list, abi.Argument{Type: typ})
	}
	return list
}

func addressOf(v any) string { return v.(common.Address).Hex() }

func listOf(v any) string {
	var list []string
	for _, a := range v.([]common.Address) {
		list = append(list, a.Hex())
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// actions maps action hashes to actions for each contract (spec system-contracts 1.3, 3.2, 4.2, 5.2, 6.2).
var actions = func() map[string]map[common.Hash]action {
	one := func(format string) func([]any) string {
		return func(args []any) string { return fmt.Sprintf(format, addressOf(args[0])) }
	}
	several := func(format string) func([]any) string {
		return func(args []any) string { return fmt.Sprintf(format, listOf(args[0])) }
	}
	fixed := func(text string) func([]any) string { return func([]any) string { return text } }
	shared := []action{
		{"ACTION_ADD_MEMBER", arguments("address", "uint32"), func(a []any) string {
			return fmt.Sprintf("add the member %s, with a quorum of %d from then on", addressOf(a[0]), a[1])
		}},
		{"ACTION_REMOVE_MEMBER", arguments("address", "uint32"), func(a []any) string {
			return fmt.Sprintf("remove the member %s, with a quorum of %d from then on", addressOf(a[0]), a[1])
		}},
		{"ACTION_CHANGE_QUORUM", arguments("uint32"),
			func(a []any) string { return fmt.Sprintf("set the quorum to %d", a[0]) }},
		{"ACTION_CHANGE_MAX_PROPOSALS", arguments("uint256"), func(a []any) string {
			return fmt.Sprintf("allow each member %v open proposals", a[0])
		}},
	}
	pauses := func(title string) []action {
		return []action{{"PAUSE", nil, fixed("pause " + title)}, {"UNPAUSE", nil, fixed("unpause " + title)}}
	}
	own := map[string][]action{
		Validator.Name: {{"SET_GAS_TIP", arguments("uint256"), func(a []any) string {
			return "set the gas tip to " + formatGwei(a[0].(*big.Int))
		}}},
		MasterMinter.Name: append(pauses(MasterMinter.title),
			action{"CONFIGURE_MINTER", arguments("address", "uint256"), func(a []any) string {
				return fmt.Sprintf("let %s mint %s, instead of what it may mint now", addressOf(a[0]), formatCoins(a[1].(*big.Int)))
			}},
			action{"REMOVE_MINTER", arguments("address"), one("let %s mint no more")},
			action{"UPDATE_MAX_MINTER_ALLOWANCE", arguments("uint256"), func(a []any) string {
				return fmt.Sprintf("let no minter be allowed more than %s", formatCoins(a[0].(*big.Int)))
			}}),
		Minter.Name: append(pauses(Minter.title),
			action{"MINT_WITH_DEPOSIT", arguments("address", "uint256", "string"), func(a []any) string {
				return fmt.Sprintf("mint %s to %s for the deposit %q", formatCoins(a[1].(*big.Int)), addressOf(a[0]), a[2])
			}},
			action{"BURN", arguments("address", "uint256", "string"), func(a []any) string {
				return fmt.Sprintf("burn %s of %s for the withdrawal %q", formatCoins(a[1].(*big.Int)), addressOf(a[0]), a[2])
			}}),
		Council.Name: {
			{"ADD_BLACKLIST", arguments("address"), one("put %s on the blacklist")},
			{"REMOVE_BLACKLIST", arguments("address"), one("take %s off the blacklist")},
			{"ADD_AUTHORIZED_ACCOUNT", arguments("address"), one("authorize %s")},
			{"REMOVE_AUTHORIZED_ACCOUNT", arguments("address"), one("authorize %s no more")},
			{"ADD_BLACKLIST_BATCH", arguments("address[]"), several("put these on the blacklist: %s")},
			{"REMOVE_BLACKLIST_BATCH", arguments("address[]"), several("take these off the blacklist: %s")},
			{"ADD_AUTHORIZED_ACCOUNT_BATCH", arguments("address[]"), several("authorize these: %s")},
			{"REMOVE_AUTHORIZED_ACCOUNT_BATCH", arguments("address[]"), several("authorize these no more: %s")},
		},
	}
	byContract := make(map[string]map[common.Hash]action)
	for name, list := range own {
		byContract[name] = make(map[common.Hash]action)
		for _, a := range append(list, shared...) {
			byContract[name][crypto.Keccak256Hash([]byte(a.name))] = a
		}
	}
	return byContract
}()

// describeAction returns the name of a proposal's action and its description.
func describeAction(k Contract, kind common.Hash, callData []byte) (name, words string) {
	a, ok := actions[k.Name][kind]
	if !ok {
		return kind.Hex(), fmt.Sprintf("do something that this program does not know: action %v with %#x", kind, callData)
	}
	name = strings.TrimPrefix(a.name, "ACTION_")
	if a.args == nil {
		return name, a.words(nil)
	}
	args, err := a.args.Unpack(callData)
	if err != nil {
		return name, fmt.Sprintf("do %s with malformed data (%v): %#x", name, err, callData)
	}
	return name, a.words(args)
}
