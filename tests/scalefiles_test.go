// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const (
	scalingPage = "docs/operate/scaling.md"
	erpcFile    = "contrib/erpc/erpc.yaml"
)

// pageBlocks returns the fenced blocks of a page in this language.
func pageBlocks(t *testing.T, page, language string) (blocks []string) {
	t.Helper()
	for _, found := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```").FindAllStringSubmatch(readPage(t, page), -1) {
		if found[1] == language {
			blocks = append(blocks, found[2])
		}
	}
	must.That(t, len(blocks) != 0, "%s has no block of %s", page, language)
	return blocks
}

// The commands of the page work as they stand, but for ports and network. Its other blocks are in the shipped files.
// tests/clients/ponder/run.mjs runs the commands of ponder.
func TestScalingPage(t *testing.T) {
	for language, file := range map[string]string{
		"haproxy": haproxyConfig, "yaml": erpcFile,
	} {
		t.Run(language, func(t *testing.T) {
			shipped := readPage(t, file)
			for _, block := range pageBlocks(t, scalingPage, language) {
				expect.Contains(t, shipped, block, "%s does not have this block:\n%s", file, block)
			}
		})
	}
	t.Run("sh", runScalingCommands)
}

func runScalingCommands(t *testing.T) {
	program, c, dir := haproxyProgram(t), oneNode(t), workDir(t)
	config := filepath.Join(dir, "network.toml")
	peers := fmt.Sprintf("[Node.P2P]\nNoDiscovery = true\nStaticNodes = [%q]\n", c.node(0).Enode())
	must.Do(t, os.WriteFile(config, []byte(peers), 0o600))
	text := readPage(t, haproxyConfig)
	commands := pageBlocks(t, scalingPage, "sh")[0]
	for _, old := range []string{"8545", "18545", "28545", "38545"} {
		pattern := regexp.MustCompile(`\b` + old + `\b`)
		must.That(t, pattern.MatchString(text) && pattern.MatchString(commands),
			"%s or %s has no port %s", haproxyConfig, scalingPage, old)
		fresh := fmt.Sprint(freePort(t))
		text, commands = pattern.ReplaceAllString(text, fresh), pattern.ReplaceAllString(commands, fresh)
		if old == "8545" {
			continue
		}
		data, genesis := filepath.Join(dir, "data-"+fresh), filepath.Join(c.network.Dir, "genesis.json")
		_, stderr, err := gwon(t, dir, "--datadir", data, "init", genesis)
		must.That(t, err == nil, "init: %v: %s", err, stderr)
	}
	file := filepath.Join(dir, "haproxy.cfg")
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	commands = strings.ReplaceAll(commands, haproxyConfig, file)
	commands = regexp.MustCompile(`(?m)^haproxy `).ReplaceAllLiteralString(commands, program+" ")
	commands = strings.ReplaceAll(commands, "--port $((port + 1))", "--port 0")
	output := runCommands(t, dir, commands, []string{"NODES", "PROXY"}, "DATA="+filepath.Join(dir, "data"),
		"NETWORK=--config "+config+" --bootnodes= --nodiscover --nat none --cache 64")
	for _, want := range []string{`(?i)gwon-block: [1-9]`, `"result":"0x[1-9a-f]`} {
		expect.That(t, regexp.MustCompile(want).MatchString(output), "no %s in the output:\n%s", want, output)
	}
}

// erpcKeys are the keys of erpc.yaml that eRPC documents (docs.erpc.cloud, read in November 2026), as far as the
// example uses them. eRPC refuses a file with any other key.
var erpcKeys = strings.Fields(`
	logLevel server.httpHostV4 server.httpPortV4 server.maxTimeout metrics.enabled metrics.hostV4 metrics.port
	database.evmJsonRpcCache.connectors.id database.evmJsonRpcCache.connectors.driver
	database.evmJsonRpcCache.connectors.memory.maxItems database.evmJsonRpcCache.connectors.memory.maxTotalSize
	database.evmJsonRpcCache.policies.network database.evmJsonRpcCache.policies.method
	database.evmJsonRpcCache.policies.finality database.evmJsonRpcCache.policies.empty
	database.evmJsonRpcCache.policies.connector database.evmJsonRpcCache.policies.ttl
	projects.id projects.networks.architecture projects.networks.evm.chainId
	projects.networks.directiveDefaults.enforceHighestBlock projects.networks.failsafe.matchMethod
	projects.networks.failsafe.timeout.duration projects.networks.failsafe.retry.maxAttempts
	projects.networks.failsafe.retry.delay projects.networks.failsafe.hedge.delay projects.networks.failsafe.hedge.maxCount
	projects.upstreams.id projects.upstreams.endpoint projects.upstreams.evm.chainId
	projects.upstreams.evm.statePollerInterval projects.upstreams.evm.getLogsAutoSplittingRangeThreshold`)

// leafKeys adds the keys of the scalars below a value, without indexes of lists.
func leafKeys(value any, path string, keys map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			leafKeys(below, strings.TrimPrefix(path+"."+key, "."), keys)
		}
	case []any:
		for _, below := range v {
			leafKeys(below, path, keys)
		}
	default:
		keys[path] = true
	}
}

// The example for eRPC has documented keys only, and what the page says of them: three followers of the testnet, final
// answers for good, answers about the head for less than a block, searches no longer than a public node allows.
func TestERPCFile(t *testing.T) {
	text := []byte(readPage(t, erpcFile))
	var tree any
	must.Do(t, yaml.Unmarshal(text, &tree))
	keys := make(map[string]bool)
	leafKeys(tree, "", keys)
	for key := range keys {
		expect.That(t, slices.Contains(erpcKeys, key), "key %s is not among those that eRPC documents", key)
	}
	type evm struct {
		ChainID int           `yaml:"chainId"`
		Poll    time.Duration `yaml:"statePollerInterval"`
		Logs    int           `yaml:"getLogsAutoSplittingRangeThreshold"`
	}
	var file struct {
		Database struct {
			Cache struct {
				Connectors []struct{ ID string }
				Policies   []struct{ Network, Finality, Empty, Connector, TTL string }
			} `yaml:"evmJsonRpcCache"`
		}
		Projects []struct {
			Networks []struct {
				Evm      evm
				Failsafe []struct {
					MatchMethod string `yaml:"matchMethod"`
					Retry       any
					Hedge       any
				}
			}
			Upstreams []struct {
				Endpoint string
				Evm      evm
			}
		}
	}
	must.Do(t, yaml.Unmarshal(text, &file))
	project, cache := file.Projects[0], file.Database.Cache
	must.That(t, len(project.Upstreams) == len(haproxyPorts) && len(project.Networks) == 1 &&
		project.Networks[0].Evm.ChainID == chainID, "projects %+v", file.Projects)
	for i, upstream := range project.Upstreams {
		want := evm{ChainID: chainID, Poll: time.Second, Logs: 10_000}
		expect.That(t, upstream.Endpoint == "http://"+haproxyPorts[i] && upstream.Evm == want, "upstream %+v", upstream)
	}
	for _, f := range project.Networks[0].Failsafe {
		if sends := f.MatchMethod == "eth_send*"; sends != (f.Retry == nil && f.Hedge == nil) {
			t.Errorf("retries and hedges of %s: %v, %v", f.MatchMethod, f.Retry, f.Hedge)
		}
	}
	times := make(map[string]string)
	for _, policy := range cache.Policies {
		times[policy.Finality] = policy.TTL
		expect.That(t, policy.Network == fmt.Sprintf("evm:%d", chainID) && policy.Empty == "ignore" &&
			policy.Connector == cache.Connectors[0].ID, "policy %+v", policy)
	}
	head, err := time.ParseDuration(times["realtime"])
	expect.That(t, err == nil && head < time.Second && times["finalized"] == "0" && len(times) == 3,
		"times of the cache %v, error %v", times, err)
}
