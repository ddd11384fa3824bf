// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
	"gwon/internal/expect"
)

// oldFlags are all flags of a node of go-stablenet v1.0.1.
const oldFlags = `allow-insecure-unlock authrpc.addr authrpc.jwtsecret authrpc.port authrpc.vhosts blobpool.datacap
	blobpool.datadir blobpool.pricebump bloomfilter.size bootnodes cache cache.blocklogs cache.database cache.gc
	cache.noprefetch cache.preimages cache.snapshot cache.trie cache.trie.journal cache.trie.rejournal config crypto.kzg
	datadir datadir.ancient datadir.minfreedisk db.engine dev dev.gaslimit dev.period discovery.dns discovery.port
	discovery.v4 discv4 discovery.v5 discv5 docroot eth.requiredblocks ethstats exec exitwhensynced fdlimit gcmode
	goerli gpo.blocks gpo.ignoreprice gpo.maxprice gpo.percentile graphql graphql.corsdomain graphql.vhosts header
	history.state history.transactions holesky http http.addr http.api http.corsdomain http.port http.rpcprefix
	http.vhosts identity ipcdisable ipcpath jspath keystore light.egress light.ingress light.maxpeers light.nopruning
	light.nosyncserve light.serve lightkdf log.backtrace log.compress log.debug log.file log.format log.json log.maxage
	log.maxbackups log.maxsize log.rotate log.vmodule mainnet maxpeers maxpendpeers metrics metrics.addr
	metrics.expensive metrics.influxdb metrics.influxdb.bucket metrics.influxdb.database metrics.influxdb.endpoint
	metrics.influxdb.organization metrics.influxdb.password metrics.influxdb.tags metrics.influxdb.token
	metrics.influxdb.username metrics.influxdbv2 metrics.port mine miner.etherbase miner.extradata miner.gaslimit
	miner.gasprice miner.newpayload-timeout miner.recommit nat netrestrict networkid nocompaction nodekey nodekeyhex
	nodiscover nousb override.cancun override.verkle password pcscdpath port pprof pprof.addr pprof.blockprofilerate
	pprof.cpuprofile pprof.memprofilerate pprof.port preload remotedb rpc.allow-unprotected-txs
	rpc.batch-request-limit rpc.batch-response-max-size rpc.enabledeprecatedpersonal rpc.evmtimeout rpc.gascap
	rpc.txfeecap sepolia signer snapshot state.scheme sync.forcecycle sync.tdinterval syncmode synctarget testnet trace
	txlookuplimit txpool.accountqueue txpool.accountslots txpool.globalqueue txpool.globalslots txpool.journal
	txpool.lifetime txpool.locals txpool.nolocals txpool.pricebump txpool.pricelimit txpool.rejournal unlock usb v5disc
	verbosity vmdebug vmodule whitelist ws ws.addr ws.api ws.origins ws.port ws.rpcprefix`

// Every flag of go-stablenet is taken, or refused by a sentence that names what to use. spec: network 7.1, 7.2
func TestFlagsOfStablenet(t *testing.T) {
	known := make(map[string]bool)
	for _, f := range newApp().Flags {
		for _, name := range f.Names() {
			known[name] = true
		}
	}
	for _, name := range strings.Fields(oldFlags) {
		if err := movedFlag([]string{"--" + name, "1"}); err == nil && !known[name] ||
			err != nil && !strings.Contains(err.Error(), `run "gwon-dev node`) {
			t.Errorf("--%s: known %v, %v", name, known[name], err)
		}
	}
}

// The command lines of go-stablenet's guide and of the public benches are configurations of gwon, without a warning but
// for what has no meaning here. spec: network 7.2, 10
func TestCommandLinesOfStablenet(t *testing.T) {
	key, address := strings.Repeat("1", 64), "0x"+strings.Repeat("1", 40)
	for _, row := range []struct{ name, line string }{
		{"validator", "--datadir DIR --mine --port 30303 --nat extip:127.0.0.1 --nodekeyhex " + key + " --syncmode full " +
			"--maxpeers 50 --identity NAME --miner.extradata text --metrics --metrics.addr 127.0.0.1 --metrics.port 6060 " +
			"--verbosity 3 --bootnodes="},
		{"RPC operator", "--datadir DIR --http --http.addr 127.0.0.1 --http.port 8545 --http.api " +
			"eth,net,web3,txpool,istanbul --http.vhosts localhost --http.corsdomain * --http.rpcprefix / --ws --ws.addr " +
			"127.0.0.1 --ws.port 8546 --ws.api eth --ws.origins * --ws.rpcprefix / --rpc.gascap 50000000 --rpc.evmtimeout 5s " +
			"--rpc.txfeecap 0 --rpc.batch-request-limit 1000 --rpc.batch-response-max-size 25000000 " +
			"--rpc.allow-unprotected-txs --gcmode archive --state.scheme hash --history.state 90000 --history.transactions 0 " +
			"--txpool.nolocals --cache 1024 --authrpc.port 8551 --syncmode full --snapshot=false --db.engine leveldb"},
		{"fee payer", "--datadir DIR --http --rpc.enabledeprecatedpersonal --keystore DIR --unlock " + address +
			" --password DIR/none --allow-insecure-unlock"},
		{"developer", "--datadir DIR --nodiscover --nat none --port 0 --ipcdisable --nodekeyhex " + key + " --vmdebug " +
			"--http --http.api eth,debug,admin,personal --override.cancun 5"},
		{"single node", "--datadir DIR --mine --http --http.api eth,net,web3,txpool,istanbul --nodiscover --nat none"},
		{"bench of local networks", "--nodekeyhex " + key + " --unlock " + address + " --password DIR/none " +
			"--allow-insecure-unlock --miner.etherbase " + address + " --datadir DIR --port 30303 --networkid 8283 --http " +
			"--ws --rpc.enabledeprecatedpersonal --rpc.allow-unprotected-txs --mine"},
		{"bench of mixed networks", "--datadir DIR --state.scheme hash --db.engine pebble --mine --nodiscover --adopt " +
			"--identity gstable --sync.forcecycle 1s --sync.tdinterval 1s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			expect.Error(t, withFlags(t, func(ctx *cli.Context) error {
				_, _, err := settings.Load(ctx)
				return err
			}, strings.Fields(strings.ReplaceAll(row.line, "DIR", t.TempDir()))...), nil, "error")
		})
	}
}
