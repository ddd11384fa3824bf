// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"crypto/ecdsa"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// sponsoredObjects is how many objects TestFieldsAreInForce draws.
const sponsoredObjects = 80

// drawn is a transaction object of a sender, as JSON has it.
type drawn map[string]any

// drawSponsored draws objects with every field on or off. approve is a call that costs gas by its access list.
func drawSponsored(from common.Address, feeCap, tip *big.Int) *rapid.Generator[drawn] {
	approve := append(hexutil.MustDecode("0x095ea7b3"), make([]byte, 64)...)
	approve[35], approve[67] = 0xbb, 5
	list := types.AccessList{
		{Address: common.Address{0xdd}, StorageKeys: []common.Hash{{1}, {2}}},
		{Address: common.Address{0xee}, StorageKeys: []common.Hash{}},
	}
	return rapid.Custom(func(r *rapid.T) drawn {
		object := drawn{"from": from}
		on := func(name string) bool { return rapid.Bool().Draw(r, name) }
		seldom := func(name string) bool { return rapid.IntRange(0, 19).Draw(r, name) == 13 }
		data, creates := on("data"), seldom("creates")
		if !creates {
			object["to"] = common.Address{0xaa}
		}
		if data && !creates {
			object["to"] = params.NativeCoinAdapterAddress
		}
		if (!data || creates) && on("value") {
			object["value"] = "0x5"
		}
		text := hexutil.Bytes(approve)
		if creates {
			text = hexutil.MustDecode("0x600160005500") // stores a word
		}
		if names := rapid.IntRange(1, 3).Draw(r, "names of data"); data {
			if names&1 != 0 {
				object["data"] = text
			}
			if names&2 != 0 {
				object["input"] = text
			}
		}
		for name, value := range map[string]any{
			"gas": hexutil.Uint64(200_000), "nonce": "0x0", "maxFeePerGas": (*hexutil.Big)(feeCap), "type": "0x2",
			"maxPriorityFeePerGas": (*hexutil.Big)(tip), "chainId": hexutil.Uint64(chainID), "accessList": list,
		} {
			if on(name) {
				object[name] = value
			}
		}
		for name, value := range map[string]any{
			"authorizationList": []any{}, "blobVersionedHashes": []common.Hash{{1}}, "maxFeePerBlobGas": "0x1", "blobs": []any{},
			"gasPrice": (*hexutil.Big)(feeCap), "feePayer": common.Address{0xfe}, "memo": "lunch", "gasLimit": "0x5208",
			"v": "0x0", "type": "0x4",
		} {
			if seldom(name) {
				object[name] = value
			}
		}
		if seldom("without from") {
			delete(object, "from")
		}
		return object
	})
}

// field returns a value of an object as its JSON text, in small letters.
func (d drawn) field(t *testing.T, name string) string {
	t.Helper()
	if name == "input" && d[name] == nil {
		name = "data"
	}
	text := must.Get(json.Marshal(d[name]))(t)
	return strings.ToLower(string(text))
}

// TestFieldsAreInForce: whatever fields a transaction object has at a sponsor, it is refused by the name of one of
// them, which may be a gas limit far above the estimate, or it is mined with enough gas and with all of them. Calls
// with the same object work for a sender without coins.
// spec: transactions 1.2
func TestFieldsAreInForce(t *testing.T) {
	c := oneNode(t)
	payer, giver := c.network.Accounts[3], c.network.Accounts[2]
	p := startSponsor(t, writeSponsorConfig(t, c, workDir(t), payer.Key(), allPolicy+"access_list = true\n"))
	client := must.Get(gethrpc.DialContext(t.Context(), p.url))(t)
	defer client.Close()
	tip, feeCap := c.fees(t, 0)
	next := get[hexutil.Uint64](t, c, 0, "eth_getTransactionCount", giver.Address, "pending")
	keys := make([]*ecdsa.PrivateKey, sponsoredObjects)
	objects := make([]drawn, sponsoredObjects)
	for i := range objects {
		key, sender := emptyAccount(t)
		keys[i], objects[i] = key, drawSponsored(sender, feeCap, tip).Example(i)
		if objects[i]["value"] != nil {
			raw := transfer(t, giver.Key(), uint64(next), sender, big.NewInt(5), tip, feeCap)
			c.must(t, 0, new(common.Hash), "eth_sendRawTransaction", hexutil.Bytes(raw))
			next++
		}
	}
	c.await(t, "coins of the senders", func() (bool, string) {
		n := get[hexutil.Uint64](t, c, 0, "eth_getTransactionCount", giver.Address, "latest")
		return n == next, n.String()
	})
	var sent []int
	hashes := make([]common.Hash, sponsoredObjects)
	for i, object := range objects {
		if tx := fillThrough(t, client, object); tx != nil {
			signed := must.Get(types.SignTx(tx, types.LatestSignerForChainID(new(big.Int).SetUint64(chainID)), keys[i]))(t)
			raw := must.Get(signed.MarshalBinary())(t)
			if err := client.CallContext(t.Context(), &hashes[i], "eth_sendRawTransaction", hexutil.Bytes(raw)); err != nil {
				t.Errorf("object %v is filled and not sent: %v", object, err)
				continue
			}
			sent = append(sent, i)
		}
	}
	expect.That(t, len(sent) >= sponsoredObjects/4 && len(sent) <= sponsoredObjects*9/10,
		"%d of %d objects were sent", len(sent), sponsoredObjects)
	for _, i := range sent {
		receipt := awaitReceipt(t, c, client, hashes[i])
		expect.That(t, receipt.Status == 1 && receipt.FeePayer == payer.Address,
			"object %v: receipt %+v", objects[i], receipt)
		mined := get[map[string]json.RawMessage](t, c, 0, "eth_getTransactionByHash", receipt.FeeDelegatedTransactionHash)
		for name := range objects[i] {
			if name == "type" {
				continue
			}
			name = strings.Replace(name, "data", "input", 1)
			expect.Equal(t, strings.ToLower(string(mined[name])), objects[i].field(t, name),
				"%s was %s, is mined as %s", name, objects[i].field(t, name), mined[name])
		}
	}
	t.Logf("%d objects were mined, %d refused by name", len(sent), sponsoredObjects-len(sent))
	p.stop(t)
}

// fillThrough fills an object in at a sponsor, and makes the calls that wallets make with it. It returns nil for one
// that is refused by the name of a field.
func fillThrough(t *testing.T, client *gethrpc.Client, object drawn) *types.Transaction {
	t.Helper()
	var filled struct {
		Raw          hexutil.Bytes
		Capabilities struct{ Sponsored bool }
	}
	var judged struct {
		Sponsorable bool
		Data        struct{ Rule, Have string }
	}
	err := client.CallContext(t.Context(), &filled, "eth_fillTransaction", object)
	wrong := client.CallContext(t.Context(), &judged, "pm_isSponsorable", object)
	expect.That(t, wrong == nil, "object %v is not judged: %v", object, wrong)
	if err != nil {
		name, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "argument 0: "), " ")
		good := []string{"to", "value", "data", "input", "gas", "nonce", "maxFeePerGas", "chainId", "accessList"}
		_, given := object[name]
		if slices.Contains(good, name) || !given && name != "from" {
			t.Errorf("object %v is refused: %v", object, err)
		}
		if name != "from" && (judged.Sponsorable || judged.Data.Have != name && name != "type") {
			t.Errorf("object %v is refused by %s, and judged %+v", object, name, judged)
		}
		return nil
	}
	if object["gas"] != nil && judged.Data.Rule == "gas" && !judged.Sponsorable && !filled.Capabilities.Sponsored {
		return nil
	}
	expect.That(t, judged.Sponsorable && filled.Capabilities.Sponsored,
		"object %v is filled, and judged %+v", object, judged)
	for _, method := range []string{"eth_estimateGas", "eth_call", "eth_createAccessList"} {
		expect.Error(t, client.CallContext(t.Context(), new(json.RawMessage), method, object, "latest"), nil,
			"%s of %v", method, object)
	}
	tx := new(types.Transaction)
	must.Do(t, tx.UnmarshalBinary(filled.Raw))
	return tx
}

// sponsoredReceipt is what is read of a sponsor's receipt.
type sponsoredReceipt struct {
	Status                      hexutil.Uint64
	FeePayer                    common.Address
	FeeDelegatedTransactionHash common.Hash
}

// awaitReceipt waits for the receipt of a sender's hash.
func awaitReceipt(t *testing.T, c *cluster, client *gethrpc.Client, hash common.Hash) (receipt *sponsoredReceipt) {
	t.Helper()
	c.await(t, "the receipt of a sponsored transaction", func() (bool, string) {
		must.Do(t, client.CallContext(t.Context(), &receipt, "eth_getTransactionReceipt", hash))
		return receipt != nil, hash.Hex()
	})
	return receipt
}
