// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"

	"gwon/rpc/explore"
)

// namespaces are those of all methods that a node can have. Those of gwon-dev node and the personal one are not
// in every node.
var namespaces = []string{
	"admin",
	"anvil",
	"debug",
	"eth",
	"evm",
	"gwon",
	"hardhat",
	"istanbul",
	"miner",
	"net",
	"personal",
	"rpc",
	"txpool",
	"web3",
}

// checkModules refuses a namespace that no node has: upstream leaves it out with a line in the log.
func (cfg *Config) checkModules() error {
	for _, list := range []struct {
		flag    string
		modules []string
	}{
		{utils.HTTPApiFlag.Name, cfg.Node.HTTPModules},
		{utils.WSApiFlag.Name, cfg.Node.WSModules},
	} {
		for _, module := range list.modules {
			if module = strings.TrimSpace(module); module == "" || slices.Contains(namespaces, module) {
				continue
			}
			if slices.Contains(explore.Modules(), module) {
				return fmt.Errorf("--%s: the namespace %s comes with --%s %s: give that instead", list.flag, module,
					RPCProfileFlag.Name, ProfileExplorer)
			}
			return fmt.Errorf("--%s: there is no namespace %q: choose from %s", list.flag, module,
				strings.Join(namespaces, ", "))
		}
	}
	return nil
}
