// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// field returns one key of a JSON object, "absent" when it is not there.
func field(t *testing.T, object, key string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	must.Do(t, json.Unmarshal([]byte(object), &fields), object)
	if value, ok := fields[key]; ok {
		return string(value)
	}
	return "absent"
}

// Every method that replaces or extends upstream's is in effect when the services are registered after eth.New's. The
// order of registration is a contract.
func TestMethodsOfThisPackageWin(t *testing.T) {
	_, client := startNode(t, Options{Personal: true})
	self, missingArg := toJSON(t, testAddress(9)), "-32602 missing value for required argument 0"
	block := func(method, params string) string { return field(t, ask(t, client, method, params), "totalDifficulty") }
	expect.Equal(t, block("eth_getBlockByNumber", `["latest",false]`), `"0x7"`,
		"eth_getBlockByNumber is not ours: total difficulty")
	const tooShort = "-32000 typed transaction too short: give all bytes of the signed transaction, in hexadecimal " +
		"after 0x"
	withPayer := fmt.Sprintf(`[{"from":%s,"feePayer":%[1]s}]`, toJSON(t, testAddress(1)))
	for _, test := range []struct{ method, params, want string }{
		{"eth_coinbase", `[]`, self},
		{"eth_etherbase", `[]`, self},
		{"eth_mining", `[]`, "false"},
		{"eth_hashrate", `[]`, `"0x0"`},
		{"eth_getReceiptsByHash", `[]`, missingArg},
		{"eth_sendRawTransactions", `[[]]`, "null"},
		{"eth_sendRawTransaction", `["0x"]`, tooShort},
		{"eth_sendRawTransactionSync", `["0x"]`, tooShort},
		{"eth_blobBaseFee", `[]`, "-32601 the method eth_blobBaseFee does not exist/is not available"},
		{"eth_install", `["a",null]`, "-32601 the method eth_install does not exist/is not available"},
		{"eth_installLogs", `["a",{}]`, "-32601 the method eth_installLogs does not exist/is not available"},
		{"eth_changes", `["0x1"]`, "-32601 the method eth_changes does not exist/is not available"},
		{"eth_overflow", `["0x1"]`, "-32601 the method eth_overflow does not exist/is not available"},
		{"eth_subscribeSyncStatus", `[null]`, "-32601 the method eth_subscribeSyncStatus does not exist/is not available"},
		{"eth_fillTransaction", `[]`, missingArg},
		{"eth_signTransaction", withPayer, "-32000 " + typeMismatch(types.DynamicFeeTxType).Error()},
		{"eth_sendTransaction", withPayer, "-32000 " + typeMismatch(types.DynamicFeeTxType).Error()},
		{"eth_fillTransaction", withPayer, "-32000 " + errFillPayer.Error()},
		{"eth_resend", withPayer, "-32000 " + typeMismatch(types.DynamicFeeTxType).Error()},
		{"eth_signRawFeeDelegateTransaction", `[{}]`, "-32602 missing value for required argument 1"},
		{"eth_accounts", `[]`, toJSON(t, []common.Address{testAddress(1), testAddress(2)})},
		{"istanbul_nodeAddress", `[]`, self},
		{"istanbul_getValidators", `[]`, "[" + self + "]"},
		{"istanbul_getValidatorsAtHash", `[]`, missingArg},
		{"istanbul_isValidator", `[]`, "true"},
		{"istanbul_getCommitSignersFromBlockByHash", `[]`, missingArg},
		{"istanbul_getWbftExtraInfo", `[]`, missingArg},
		{"istanbul_gasTip", `[]`, `"0x191a20322000"`},
		{"istanbul_nextProposer", `[]`, self},
		{"istanbul_consensusStatus", `[]`, "null"},
		{"miner_start", `[]`, "null"},
		{"eth_mining", `[]`, "true"},
		{"miner_stop", `[]`, "null"},
		{"eth_mining", `[]`, "false"},
		{"miner_setGasPrice", `["0x1"]`, "false"},
		{"miner_setGasLimit", `["0x1000000"]`, "true"},
		{"miner_setRecommitInterval", `[1]`, "null"},
		{"miner_setEtherbase", `["0x00000000000000000000000000000000000000aa"]`, "true"},
		{"eth_coinbase", `[]`, `"0x00000000000000000000000000000000000000aa"`},
		{"eth_etherbase", `[]`, `"0x00000000000000000000000000000000000000aa"`},
		{"istanbul_nodeAddress", `[]`, self},
		{"admin_peerInfo", `["0200000000000000000000000000000000000000000000000000000000000000"]`, "null"},
		{"admin_peerInfo", `["02"]`, "-32602 invalid argument 0: wrong length, want 64 hex chars"},
		{"personal_listAccounts", `[]`, toJSON(t, []common.Address{testAddress(1), testAddress(2)})},
		{"personal_openWallet", `["x"]`, "-32601 the method personal_openWallet does not exist/is not available"},
	} {
		expect.Equal(t, ask(t, client, test.method, test.params), test.want, "%s%s", test.method, test.params)
	}
	peer := ask(t, client, "admin_peerInfo", `["0100000000000000000000000000000000000000000000000000000000000000"]`)
	expect.Equal(t, field(t, peer, "name"), `"neighbor"`, "peer %s", peer)
	status := ask(t, client, "istanbul_status", `[]`)
	// of this chain's genesis, which has no seals
	expect.That(t, strings.HasPrefix(status, "-32000 block 0: failed to extract WBFT extra: "), "status %s", status)
}

// The public profile has no keys, and the namespace personal is optional. spec: rpc 4.6, 9.7
func TestPublicProfile(t *testing.T) {
	_, client := startNode(t, Options{Public: true})
	for _, method := range []string{"eth_accounts", "eth_sign", "eth_signTransaction", "eth_sendTransaction", "eth_resend",
		"eth_pendingTransactions", "eth_signRawFeeDelegateTransaction", "personal_listAccounts", "personal_unlockAccount"} {
		want := fmt.Sprintf("-32601 the method %s does not exist/is not available", method)
		args := fmt.Sprintf(`[%s,"0x01"]`, toJSON(t, testAddress(1)))
		for _, params := range []string{`[]`, args} {
			expect.Equal(t, ask(t, client, method, params), want, "%s%s", method, params)
		}
	}
	for _, method := range []string{"eth_chainId", "eth_fillTransaction", "eth_sendRawTransaction", "istanbul_status"} {
		got := ask(t, client, method, `[]`)
		expect.That(t, !strings.HasPrefix(got, "-32601"), "%s is missing: %s", method, got)
	}
}

// Total difficulty is that of genesis, here 7, plus the number; null in the pending block. spec: rpc 7
func TestTotalDifficulty(t *testing.T) {
	n, client := startNode(t, Options{})
	blocks := n.extend(t, nil, nil, nil)
	for number := range 4 {
		hash := n.BlockChain().GetCanonicalHash(uint64(number))
		want := fmt.Sprintf(`"%#x"`, 7+number)
		for method, params := range map[string]string{
			"eth_getBlockByNumber":  fmt.Sprintf(`["%#x",true]`, number),
			"eth_getBlockByHash":    fmt.Sprintf(`[%q,false]`, hash),
			"eth_getHeaderByNumber": fmt.Sprintf(`["%#x"]`, number),
			"eth_getHeaderByHash":   fmt.Sprintf(`[%q]`, hash),
		} {
			t.Run(method, func(t *testing.T) {
				answer := ask(t, client, method, params)
				expect.Equal(t, field(t, answer, "totalDifficulty"), want, "%s%s: total difficulty", method, params)
				expect.Equal(t, field(t, answer, "hash"), toJSON(t, hash), "%s%s: hash", method, params)
			})
		}
	}
	expect.Equal(t, field(t, ask(t, client, "eth_getBlockByNumber", `["pending",false]`), "totalDifficulty"), "null",
		"pending block: total difficulty")
	for _, call := range [][2]string{
		{"eth_getBlockByNumber", `["0x4",false]`}, {"eth_getHeaderByNumber", `["0x4"]`},
		{"eth_getBlockByHash", `["` + common.Hash{1}.Hex() + `",false]`},
		{"eth_getHeaderByHash", `["` + common.Hash{1}.Hex() + `"]`},
	} {
		expect.Equal(t, ask(t, client, call[0], call[1]), "null", "%s of an unknown block", call[0])
	}
	must.Equal(t, n.BlockChain().CurrentBlock().Hash(), blocks[2].Hash(), "the head is not block 3")
}

// Receipts are found by the hash of a canonical block only. spec: rpc 6.12
func TestReceiptsByHash(t *testing.T) {
	n, client := startNode(t, Options{})
	pay := payment(t, 1, 0, testTip, 3*testTip)
	blocks := n.extend(t, []*types.Transaction{pay}, nil)
	byHash := func(hash common.Hash) string {
		return ask(t, client, "eth_getReceiptsByHash", fmt.Sprintf(`[%q]`, hash))
	}
	got := byHash(blocks[0].Hash())
	expect.Equal(t, got, ask(t, client, "eth_getBlockReceipts", `["0x1"]`), "receipts")
	var receipts []struct{ TransactionHash common.Hash }
	err := json.Unmarshal([]byte(got), &receipts)
	expect.That(t, err == nil && len(receipts) == 1 && receipts[0].TransactionHash == pay.Hash(),
		"receipts %s (%v), want one of %v", got, err, pay.Hash())
	expect.Equal(t, byHash(blocks[1].Hash()), "[]", "receipts of an empty block")
	expect.Equal(t, byHash(common.Hash{1}), "null", "receipts of an unknown block")
	// A block that is stored but not canonical has none.
	side := types.NewBlockWithHeader(&types.Header{Number: big.NewInt(1), Difficulty: big.NewInt(1),
		Extra: []byte("side")})
	writeSideBlock(n, side)
	must.That(t, n.BlockChain().GetHeaderByHash(side.Hash()) != nil, "the side block is not stored")
	expect.Equal(t, byHash(side.Hash()), "null", "receipts of a side block")
	got = ask(t, client, "eth_getReceiptsByHash", `["latest"]`)
	expect.That(t, strings.HasPrefix(got, "-32602"), "a tag is no hash: %s", got)
}

// Canonical and wrapped bytes are accepted; a refused item has the zero hash. spec: rpc 6.13
func TestSendRawTransactions(t *testing.T) {
	n, client := startNode(t, Options{})
	typed := payment(t, 1, 0, testTip, 3*testTip)
	legacy := types.MustSignNewTx(testKey(2), types.NewLondonSigner(big.NewInt(8283)), &types.LegacyTx{
		GasPrice: big.NewInt(3 * testTip), Gas: 21000, To: &common.Address{5}, Value: big.NewInt(1),
	})
	inString := payment(t, 3, 0, testTip, 3*testTip)
	wrapped := must.Get(rlp.EncodeToBytes(inString))(t)
	poor := payment(t, 5, 0, testTip, 3*testTip)
	items := []hexutil.Bytes{encode(t, typed), {0x02}, encode(t, legacy), wrapped, encode(t, poor), {}, {0x80},
		append(wrapped, 0)}
	want := []common.Hash{typed.Hash(), {}, legacy.Hash(), inString.Hash(), {}, {}, {}, {}}
	if got := ask(t, client, "eth_sendRawTransactions", toJSON(t, []any{items})); got != toJSON(t, want) {
		t.Errorf("hashes %s\nwant %s", got, toJSON(t, want))
	}
	for _, tx := range []*types.Transaction{typed, legacy, inString} {
		expect.That(t, n.TxPool().Has(tx.Hash()), "%v is not in the pool", tx.Hash())
	}
	many := make([]hexutil.Bytes, maxRawTransactions+1)
	got := ask(t, client, "eth_sendRawTransactions", toJSON(t, []any{many}))
	expect.That(t, strings.HasPrefix(got, "-32000 1001 transactions given, at most 1000"), "too many: %s", got)
}

// Both forms of a typed transaction decode to the same one, and the decoder does not panic on any bytes.
func FuzzDecodeAnyForm(f *testing.F) {
	tx := payment(f, 1, 0, testTip, 3*testTip)
	wrapped := must.Get(rlp.EncodeToBytes(tx))(f)
	f.Add([]byte(encode(f, tx)))
	f.Add(wrapped)
	f.Add([]byte{0xb8})
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx, err := decodeAnyForm(raw)
		if err != nil || tx.Type() == types.LegacyTxType {
			return
		}
		again := must.Get(rlp.EncodeToBytes(tx))(t)
		other, err := decodeAnyForm(again)
		expect.That(t, err == nil && other.Hash() == tx.Hash(), "wrapped: %v (%v), canonical: %v", other, err, tx.Hash())
	})
}

// Checks before the pool run in this order. spec: transactions 4.1
func TestSubmissionChecks(t *testing.T) {
	_, client := startNode(t, Options{})
	unprotected := types.MustSignNewTx(testKey(1), types.HomesteadSigner{}, &types.LegacyTx{
		GasPrice: big.NewInt(3 * testTip), Gas: 21000, To: &common.Address{5},
	})
	sender := payment(t, 1, 0, testTip, 3*testTip)
	delegated := must.Get(types.WrapFeeDelegated(sender, testAddress(2)))(t)
	delegated = must.Get(types.SignTx(delegated, types.NewFeeDelegateSigner(big.NewInt(8283)), testKey(2)))(t)
	var parts []rlp.RawValue
	must.Do(t, rlp.DecodeBytes(encode(t, delegated)[1:], &parts))
	parts[1] = rlp.RawValue{0x80}
	noPayer := must.Get(rlp.EncodeToBytes(parts))(t)
	// mainnet's chain ID, signed as the sender of each kind
	foreign := func(tx types.TxData) hexutil.Bytes {
		return encode(t, types.MustSignNewTx(testKey(1), types.LatestSignerForChainID(big.NewInt(1)), tx))
	}
	huge := types.NewTx(&types.DynamicFeeTx{
		ChainID: new(big.Int).Lsh(common.Big1, 200), GasTipCap: big.NewInt(testTip), GasFeeCap: big.NewInt(3 * testTip),
		Gas: 21000,
		To:  &common.Address{5}, R: common.Big1, S: common.Big1,
	})
	foreignSender := types.MustSignNewTx(testKey(1), types.LatestSignerForChainID(big.NewInt(1)), &types.DynamicFeeTx{
		GasTipCap: big.NewInt(testTip), GasFeeCap: big.NewInt(3 * testTip), Gas: 21000, To: &common.Address{5},
	})
	foreignDelegated := must.Get(types.WrapFeeDelegated(foreignSender, testAddress(2)))(t)
	const otherChain = "-32000 invalid sender: invalid chain id for signer: this chain has ID 8283, the transaction is " +
		"signed for 1: " +
		"sign it for chain ID 8283"
	for _, test := range []struct {
		name string
		raw  hexutil.Bytes
		want string
	}{
		{"legacy of another chain", foreign(&types.LegacyTx{
			GasPrice: big.NewInt(3 * testTip), Gas: 21000, To: &common.Address{5},
		}), otherChain},
		{"type 1 of another chain", foreign(&types.AccessListTx{
			GasPrice: big.NewInt(3 * testTip), Gas: 21000, To: &common.Address{5},
		}), otherChain},
		{"type 2 of another chain", encode(t, foreignSender), otherChain},
		{"type 0x16 of another chain", encode(t, foreignDelegated), otherChain},
		{"chain ID of 201 bits", encode(t, huge),
			"-32000 invalid sender: invalid chain id for signer: this chain has ID 8283, the " +
				"transaction names one of 201 bits: sign it for chain ID 8283"},
		{"empty", hexutil.Bytes{}, "-32000 typed transaction too short: give all bytes of the signed transaction, in " +
			"hexadecimal after 0x"},
		{"unknown type", hexutil.Bytes{0x12, 0x34},
			"-32000 transaction type not supported: it begins with 0x12, but the types here are " +
				"0x01, 0x02, 0x04 and 0x16, and legacy transactions, which begin with 0xc0 or above"},
		{"unprotected", encode(t, unprotected), "-32000 only replay-protected (EIP-155) transactions allowed over RPC"},
		{"no fee payer", append(hexutil.Bytes{types.FeeDelegateTxType}, noPayer...),
			"-32000 fee delegation: feePayer not set"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, method := range []string{"eth_sendRawTransaction", "eth_sendRawTransactionSync"} {
				expect.Equal(t, ask(t, client, method, toJSON(t, []any{test.raw})), test.want, "%s, %s", method, test.name)
			}
		})
	}
}

// Invalid bytes are refused with the text of package rlp, without names of Go types, and with the expected form.
// spec: rpc 8.1
func TestUndecodableTransactions(t *testing.T) {
	_, client := startNode(t, Options{})
	delegated := must.Get(types.WrapFeeDelegated(payment(t, 1, 0, testTip, 3*testTip), testAddress(2)))(t)
	whole, dynamic := encode(t, delegated), encode(t, payment(t, 1, 0, testTip, 3*testTip))
	const ending = ", complete and without further bytes"
	feeDelegated := shapes[types.FeeDelegateTxType] + ending
	for _, test := range []struct {
		name string
		raw  hexutil.Bytes
		want string
	}{
		{"type 2 behind 0x16", append(hexutil.Bytes{0x16}, dynamic[1:]...), "rlp: expected input list: " + feeDelegated},
		{"0x16 and one byte", hexutil.Bytes{0x16, 0x80}, "rlp: expected input list: " + feeDelegated},
		{"0x16 and an empty list", hexutil.Bytes{0x16, 0xc0}, "rlp: too few elements: " + feeDelegated},
		{"cut off", whole[:len(whole)-1], "rlp: value size exceeds available input length: " + feeDelegated},
		{"0x16 and a byte more", append(append(hexutil.Bytes{}, whole...), 0), "rlp: input contains more than one value: " +
			feeDelegated},
		{"0x16 alone", hexutil.Bytes{0x16}, "typed transaction too short: give all bytes"},
		{"type 1", hexutil.Bytes{0x01, 0xc0}, "rlp: too few elements: " + shapes[types.AccessListTxType] + ending},
		{"type 2", hexutil.Bytes{0x02, 0xc0}, "rlp: too few elements: " + shapes[types.DynamicFeeTxType] + ending},
		{"type 3", hexutil.Bytes{0x03, 0xc0}, "transaction type not supported: it begins with 0x03, "},
		{"type 0", hexutil.Bytes{0x00, 0xc0}, "transaction type not supported: it begins with 0x00, "},
		{"type 4", hexutil.Bytes{0x04, 0xc0}, "rlp: too few elements: " + shapes[types.SetCodeTxType] + ending},
		{"legacy", hexutil.Bytes{0xc1, 0x80}, "rlp: too few elements: " + shapes[types.LegacyTxType] + ending},
		{"a string", hexutil.Bytes{0x81, 0x80}, "rlp: expected input list: " + shapes[types.LegacyTxType] + ending},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, method := range []string{"eth_sendRawTransaction", "eth_sendRawTransactionSync"} {
				got := ask(t, client, method, toJSON(t, []any{test.raw}))
				expect.That(t, strings.HasPrefix(got, "-32000 "+test.want) && !strings.Contains(got, "types."),
					"%s, %s: %s, want %s", method, test.name, got, test.want)
			}
		})
	}
}

// A fee above the limit of the RPC is refused before all other faults of the transaction; 0 sets no limit. spec: rpc
// 10
func TestFeeCap(t *testing.T) {
	tx := payment(t, 1, 0, 1, 50_000_000_000_000) // 1.05 coins at most
	for limit, want := range map[float64]string{
		0: "", 1.05: "", 2: "", 1: "tx fee (1.05 ether) exceeds the configured cap (1.00 ether)",
	} {
		got := ""
		if err := checkFeeCap(tx, limit); err != nil {
			got = err.Error()
		}
		expect.Equal(t, got, want, "cap %v", limit)
	}
}

// Accounts are created, imported, unlocked and locked, and sign messages. spec: rpc 4.6
func TestPersonal(t *testing.T) {
	n, client := startNode(t, Options{Personal: true})
	own, message := testAddress(1), "0x68656c6c6f"
	params := func(v ...any) string { return toJSON(t, v) }

	// Accounts come from nothing and from a key.
	var made common.Address
	err := client.Call(&made, "personal_newAccount", "secret")
	must.That(t, err == nil && n.keys.HasAddress(made), "new account %v: %v", made, err)
	key := strings.Repeat("03", 32)
	for _, test := range []struct{ key, want string }{
		{key, toJSON(t, testAddress(3))}, {"0x" + key, "-32000 account already exists"},
		{"zz", "-32000 invalid hex character 'z' in private key"}, {"03", "-32000 invalid length, need 256 bits"},
	} {
		expect.Equal(t, ask(t, client, "personal_importRawKey", params(test.key, "pw")), test.want, "import of %q", test.key)
	}

	// Signatures recover to the account, whether it is locked or not.
	var signature hexutil.Bytes
	err = client.Call(&signature, "personal_sign", message, own, "pw")
	must.That(t, err == nil && len(signature) == 65, "signature %v: %v", signature, err)
	if got := ask(t, client, "personal_ecRecover", params(message, signature)); got != toJSON(t, own) {
		t.Errorf("recovered %s, want %v", got, own)
	}
	wrongV := append(hexutil.Bytes{}, signature...)
	wrongV[64] = 1
	for _, test := range []struct{ method, params, want string }{
		{"personal_ecRecover", params(message, signature[:64]), "-32000 signature must be 65 bytes long"},
		{"personal_ecRecover", params(message, wrongV), "-32000 invalid Ethereum signature (V is not 27 or 28)"},
		{"personal_sign", params(message, own, "bad"), "-32000 could not decrypt key with given password"},
		{"personal_sign", params(message, testAddress(4), "pw"), "-32000 unknown account"},
		{"eth_sign", params(own, message), "-32000 authentication needed: password or unlock"},
		{"personal_unlockAccount", params(own, "bad"), "-32000 could not decrypt key with given password"},
		{"personal_unlockAccount", params(own, "pw", uint64(1)<<40),
			"-32000 unlock duration too large: at most 9223372036 seconds, or 0 until the node stops"},
		{"personal_unlockAccount", params(own, "pw", 60), "true"},
		{"eth_sign", params(own, message), toJSON(t, signature)},
		{"personal_unlockAccount", params(own, "pw", nil), "true"},
		{"personal_lockAccount", params(own), "true"},
	} {
		expect.Equal(t, ask(t, client, test.method, test.params), test.want, "%s%s", test.method, test.params)
	}

	var wallets []struct {
		URL, Status string
		Accounts    []struct{ Address common.Address }
	}
	err = client.Call(&wallets, "personal_listWallets")
	must.That(t, err == nil && len(wallets) == 4, "wallets %v (%v), want 4", wallets, err)
	for _, wallet := range wallets {
		expect.That(t, strings.HasPrefix(wallet.URL, "keystore://") && wallet.Status == "Locked" && len(wallet.Accounts) == 1,
			"wallet %+v", wallet)
	}

	// Nothing is unlocked while strangers may reach the node.
	n.noUnlock = true
	got := ask(t, client, "personal_unlockAccount", params(testAddress(2), "pw"))
	expect.Equal(t, got, "-32000 account unlock with HTTP access is forbidden", "unlocking with HTTP open")
	expect.Refused(t, expect.Err(n.keys.SignHash(accounts.Account{Address: testAddress(2)}, make([]byte, 32))),
		"the account was unlocked")
}

// Transactions are sent with a pass phrase, with and without a fee payer. spec: rpc 4.6, transactions 5.4
func TestPersonalSend(t *testing.T) {
	n, client := startNode(t, Options{Personal: true})
	send := func(args, passphrase string) string {
		return ask(t, client, "personal_sendTransaction", fmt.Sprintf(`[%s,%q]`, args, passphrase))
	}
	inPool := func(answer string) *types.Transaction {
		t.Helper()
		var hash common.Hash
		must.That(t, json.Unmarshal([]byte(answer), &hash) == nil, "no hash: %s", answer)
		tx := n.TxPool().Get(hash)
		must.That(t, tx != nil, "%v is not in the pool", hash)
		return tx
	}
	own := payment(t, 2, 0, testTip, 3*testTip)
	args := fmt.Sprintf(`{"from":%s,"to":%s,"value":"0x1"}`, toJSON(t, testAddress(2)), toJSON(t, own.To()))
	for nonce := range uint64(2) {
		tx := inPool(send(args, "pw"))
		sender, err := types.Sender(types.NewAnzeonSigner(big.NewInt(8283)), tx)
		if err != nil || sender != testAddress(2) || tx.Nonce() != nonce {
			t.Errorf("sender %v, nonce %d (%v), want %v and %d", sender, tx.Nonce(), err, testAddress(2), nonce)
		}
	}
	for _, test := range []struct{ args, passphrase, want string }{
		{args, "bad", "-32000 could not decrypt key with given password"},
		{delegatedArgs(t, nil), "bad", "-32000 could not decrypt key with given password"},
		{delegatedArgs(t, map[string]any{"s": nil}), "pw", "-32000 " + typeMismatch(types.DynamicFeeTxType).Error()},
		{`{"to":"0x00000000000000000000000000000000000000aa"}`, "pw",
			"-32000 from is missing: it names the account that signs"},
		{fmt.Sprintf(`{"from":%s}`, toJSON(t, testAddress(4))), "pw", "-32000 unknown account"},
	} {
		expect.Equal(t, send(test.args, test.passphrase), test.want, "%s with %q", test.args, test.passphrase)
	}
	plain := delegatedArgs(t, map[string]any{"feePayer": nil, "from": testAddress(2), "nonce": "0x9", "v": nil, "r": nil,
		"s": nil})
	got := ask(t, client, "personal_signTransaction", `[`+plain+`,"pw"]`)
	expect.That(t, strings.HasPrefix(got, `{"raw":"0x02`), "signing without a fee payer: %s", got)
}
