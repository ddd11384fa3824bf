// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// transferTopic is the topic of coin movements, the hash of Transfer(address,address,uint256).
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// Calls against block 0 of chain 8283 run Anzeon rules, although genesis has difficulty 0, which go-stablenet takes
// for a merged chain. Boho starts at block 100. spec: chain 2.2, 13 no. 21
func TestCallsAgainstGenesisOfDifficultyZero(t *testing.T) {
	genesis := testGenesis()
	genesis.Difficulty = new(big.Int)
	genesis.Mixhash = common.Hash{31: 0x77}
	genesis.Config.BohoBlock = big.NewInt(100)
	blacklisted, authorized := testAddress(3), testAddress(4)
	flag := func(addr common.Address, extra uint64) {
		account := genesis.Alloc[addr]
		account.Extra = extra
		genesis.Alloc[addr] = account
	}
	flag(blacklisted, types.AccountBlacklisted)
	flag(authorized, types.AccountAuthorized)
	program := common.HexToAddress("0xc0de")
	// Opcodes of Anzeon that London and the merge lack: PUSH0, TSTORE and TLOAD, MCOPY. The code copies the random value
	// through all of them and returns it.
	genesis.Alloc[program] = types.Account{Balance: new(big.Int), Nonce: 1, Code: common.FromHex(
		"44" + "5f" + "5d" + // PREVRANDAO PUSH0 TSTORE
			"5f" + "5c" + "5f" + "52" + // PUSH0 TLOAD PUSH0 MSTORE
			"6020" + "5f" + "6020" + "5e" + // MCOPY(32, 0, 32)
			"6020" + "6020" + "f3")} // return the copy
	noBlobs := common.HexToAddress("0xb10b")
	// BLOBBASEFEE STOP
	genesis.Alloc[noBlobs] = types.Account{Balance: new(big.Int), Nonce: 1, Code: common.FromHex("4a00")}
	node, client := startNodeOf(t, genesis, Options{})
	number, difficulty := node.Chain().CurrentBlock().Number, node.Chain().CurrentBlock().Difficulty
	must.That(t, number.Sign() == 0 && difficulty.Sign() == 0, "block %v with difficulty %v", number, difficulty)

	const manager = "0x0000000000000000000000000000000000b00003"
	isAuthorized := func(addr common.Address) string {
		return hexutil.Encode(append(common.FromHex("0xfe9fbb80"), common.LeftPadBytes(addr[:], 32)...))
	}
	call := func(from common.Address, to, data, value string) string {
		return fmt.Sprintf(`{"from":%q,"to":%q,"input":%q,"value":%q}`, from, to, data, value)
	}
	word := func(n int64) string { return toJSON(t, common.BigToHash(big.NewInt(n))) }
	zero, one, sender := "0x", "0x1", testAddress(1)
	for _, test := range []struct{ name, call, result string }{
		{"instructions and random value", call(sender, program.Hex(), zero, "0x0"), word(0x77)},
		{"no later instructions", call(sender, noBlobs.Hex(), zero, "0x0"), "-32000 invalid opcode: BLOBBASEFEE"},
		{"flag of an authorized account", call(sender, manager, isAuthorized(authorized), "0x0"), word(1)},
		{"flag of another account", call(sender, manager, isAuthorized(sender), "0x0"), word(0)},
		{"blacklisted sender", call(blacklisted, program.Hex(), zero, "0x0"), "-32000 err: blacklisted account: " +
			blacklisted.Hex() + " (supplied gas 50000000)"},
		{"value to the zero address", call(sender, common.Address{}.Hex(), zero, one),
			"-32000 transfer to zero address not allowed"},
		{"Boho's precompile is not there yet", call(sender, common.HexToAddress("0x100").Hex(), zero, one), `"0x"`},
	} {
		expect.Equal(t, ask(t, client, "eth_call", "["+test.call+`,"0x0"]`), test.result, "eth_call, %s", test.name)
	}

	// A query of the manager costs nothing beyond the call (spec chain 3.2): 21000 and the data. An estimate may be 1.5
	// % above.
	query := isAuthorized(authorized)
	gas := uint64(21000)
	for _, b := range hexutil.MustDecode(query) {
		if gas += 4; b != 0 {
			gas += 12
		}
	}
	var estimate hexutil.Uint64
	answer := ask(t, client, "eth_estimateGas", "["+call(sender, manager, query, "0x0")+`,"0x0"]`)
	err := json.Unmarshal([]byte(answer), &estimate)
	expect.That(t, err == nil && uint64(estimate) >= gas && uint64(estimate) <= gas*1015/1000,
		"eth_estimateGas: %s, want %d or little more", answer, gas)
	have := ask(t, client, "eth_estimateGas", "["+call(sender, common.Address{}.Hex(), zero, one)+`,"0x0"]`)
	expect.Equal(t, have, "-32000 transfer to zero address not allowed", "eth_estimateGas of value to the zero address")

	// A trace runs the same rules, and shows the log of a transfer (spec chain 5).
	tracer := `{"tracer":"callTracer","tracerConfig":{"withLog":true}}`
	trace := ask(t, client, "debug_traceCall", "["+call(sender, program.Hex(), zero, "0x0")+`,"0x0",`+tracer+"]")
	expect.Equal(t, field(t, trace, "output"), word(0x77), "debug_traceCall: output")
	trace = ask(t, client, "debug_traceCall",
		"["+call(sender, common.HexToAddress("0x99").Hex(), zero, one)+`,"0x0",`+tracer+"]")
	have, want := field(t, trace, "logs"), transferTopic
	expect.That(t, strings.Contains(have, want), "debug_traceCall: logs %s, want a transfer", have)
}
