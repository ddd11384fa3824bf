// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"pgregory.net/rapid"

	"gwon/internal/abivalue"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const paymentSettled = "PaymentSettled(address indexed merchant, bytes32 indexed orderId, uint256 amount, string note)"

// drawType draws a type in Solidity's words.
func drawType(t *rapid.T, depth int) string {
	kinds := []string{"uint256", "uint", "int", "uint8", "int64", "uint24", "int136", "bool", "address", "bytes32",
		"bytes4", "bytes", "string"}
	if depth < 3 {
		kinds = append(kinds, "list", "array", "tuple")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "list":
		return drawType(t, depth+1) + "[]"
	case "array":
		return fmt.Sprintf("%s[%d]", drawType(t, depth+1), rapid.IntRange(1, 3).Draw(t, "size"))
	case "tuple":
		parts := make([]string, rapid.IntRange(1, 3).Draw(t, "parts"))
		for i := range parts {
			parts[i] = drawType(t, depth+1) + rapid.SampledFrom([]string{"", " name", " _0"}).Draw(t, "name")
		}
		return rapid.SampledFrom([]string{"", "tuple"}).Draw(t, "word") + "(" + strings.Join(parts, ", ") + ")"
	default:
		return kind
	}
}

// drawValue draws a value of a type: as package abi packs it, and as it stands in JSON.
func drawValue(t *rapid.T, kind *abi.Type) (reflect.Value, any) {
	made := reflect.New(kind.GetType()).Elem()
	switch kind.T {
	case abi.IntTy, abi.UintTy:
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, kind.Size/8).Draw(t, "integer"))
		if kind.T == abi.IntTy {
			n.Rsh(n, 1)
			if rapid.Bool().Draw(t, "negative") {
				n.Not(n)
			}
		}
		switch {
		case made.CanInt():
			made.SetInt(n.Int64())
		case made.CanUint():
			made.SetUint(n.Uint64())
		default:
			made.Set(reflect.ValueOf(n))
		}
		return made, n.String()
	case abi.BoolTy:
		made.SetBool(rapid.Bool().Draw(t, "bool"))
		return made, made.Bool()
	case abi.StringTy:
		made.SetString(rapid.String().Draw(t, "string"))
		return made, made.String()
	case abi.AddressTy:
		address := common.BytesToAddress(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address"))
		made.Set(reflect.ValueOf(address))
		return made, address.Hex()
	case abi.BytesTy:
		content := rapid.SliceOfN(rapid.Byte(), 0, 70).Draw(t, "bytes")
		made.SetBytes(content)
		return made, hexutil.Encode(content)
	case abi.FixedBytesTy:
		content := rapid.SliceOfN(rapid.Byte(), kind.Size, kind.Size).Draw(t, "bytes")
		reflect.Copy(made, reflect.ValueOf(content))
		return made, hexutil.Encode(content)
	case abi.TupleTy:
		list := []any{}
		for i, part := range kind.TupleElems {
			value, plain := drawValue(t, part)
			made.Field(i).Set(value)
			list = append(list, plain)
		}
		return made, list
	}
	count := kind.Size
	if kind.T == abi.SliceTy {
		count = rapid.IntRange(0, 3).Draw(t, "count")
		made.Set(reflect.MakeSlice(kind.GetType(), count, count))
	}
	list := []any{}
	for i := range count {
		value, plain := drawValue(t, kind.Elem)
		made.Index(i).Set(value)
		list = append(list, plain)
	}
	return made, list
}

// newEventWebhook returns a webhook for events of a contract whose deliveries the function gets.
func newEventWebhook(t *testing.T, bodies func([]byte)) *Webhook {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		expect.Error(t, err, nil, "ReadAll")
		bodies(body)
	}))
	t.Cleanup(server.Close)
	return &Webhook{Label: "kiosk", URL: server.URL, Contracts: []common.Address{{0xc0}}, secret: []byte(testSecret)}
}

// Random events with random values arrive at a webhook with the same values, topics and data.
func TestEventsArriveWithTheirValues(t *testing.T) {
	var body []byte
	w := newEventWebhook(t, func(b []byte) { body = b })
	rapid.Check(t, func(rt *rapid.T) {
		var text []string
		for i := range rapid.IntRange(0, 5).Draw(rt, "parameters") {
			kind := drawType(rt, 0)
			indexed := rapid.SampledFrom([]string{"", " indexed"}).Draw(rt, "indexed")
			if strings.Count(strings.Join(text, ","), " indexed") == maxIndexed {
				indexed = ""
			}
			text = append(text, kind+indexed+fmt.Sprintf(" p%d", i))
		}
		filter := EventFilter{Signature: "event Happened(" + strings.Join(text, ",") + ");"}
		if err := filter.check(""); err != nil {
			rt.Fatalf("%s: %v", filter.Signature, err)
		}
		w.Event = []EventFilter{filter}
		log := types.Log{Address: w.Contracts[0], BlockNumber: 7, BlockTimestamp: 9, BlockHash: common.Hash{1}, Index: 3,
			Topics: []common.Hash{crypto.Keccak256Hash([]byte(filter.event.signature))}}
		var plain abi.Arguments
		var values, want []any
		for i := range filter.event.parameters {
			p := &filter.event.parameters[i]
			value, rendered := drawValue(rt, &p.Type)
			packed := must.Get((abi.Arguments{{Type: p.Type}}).Pack(value.Interface()))(rt)
			argument := map[string]any{"name": fmt.Sprintf("p%d", i), "type": p.Type.String(), "value": rendered}
			switch {
			case !p.Indexed:
				plain, values = append(plain, abi.Argument{Type: p.Type}), append(values, value.Interface())
			case abivalue.IsWord(&p.Type):
				log.Topics = append(log.Topics, common.BytesToHash(packed))
			default:
				hash := crypto.Keccak256Hash(packed)
				log.Topics = append(log.Topics, hash)
				argument["value"], argument["hashed"] = hash.Hex(), true
			}
			want = append(want, argument)
		}
		var err error
		log.Data = must.Get(plain.Pack(values...))(rt)
		n := must.Get(w.read(&log, &w.Event[0]))(rt)
		sent, err := encode(w.Label, testChain, []notice{n})
		if err == nil {
			err = w.post(t.Context(), http.DefaultClient, sent)
		}
		must.Do(rt, err)
		var got struct {
			Transfers []any
			Events    []struct {
				ID, Event, Undecoded string
				Topics               []common.Hash
				Data                 hexutil.Bytes
				Arguments            []any
			}
		}
		err = json.Unmarshal(body, &got)
		must.That(rt, err == nil && len(got.Events) == 1 && len(got.Transfers) == 0, "%v: %s", err, body)
		e := got.Events[0]
		if e.Undecoded != "" || !reflect.DeepEqual(e.Arguments, want) && len(want) > 0 || e.Event != filter.event.signature {
			rt.Fatalf("%s: arguments %v, want %v; %s", filter.Signature, e.Arguments, want, e.Undecoded)
		}
		must.That(rt, slices.Equal(e.Topics, log.Topics) && string(e.Data) == string(log.Data) &&
			e.ID == fmt.Sprintf("%v-3", log.BlockHash), "%s, log %+v", body, log)
	})
}

// settled returns a log of PaymentSettled.
func settled(t testing.TB, f *EventFilter, merchant common.Address, order common.Hash, amount int64) types.Log {
	t.Helper()
	arguments := abi.Arguments{{Type: f.event.parameters[2].Type}, {Type: f.event.parameters[3].Type}}
	data := must.Get(arguments.Pack(big.NewInt(amount), "table 4"))(t)
	return types.Log{Address: common.Address{0xc0}, BlockNumber: 1, Data: data,
		Topics: []common.Hash{f.event.topic, common.BytesToHash(merchant[:]), order}}
}

// Logs that do not fit the event are delivered as they are, with the reason.
func TestUndecodedEventsAreDelivered(t *testing.T) {
	f := EventFilter{Signature: paymentSettled}
	must.Do(t, f.check(""))
	w := &Webhook{Contracts: []common.Address{{0xc0}}, Event: []EventFilter{f}}
	word := func(n uint64) []byte { return common.BigToHash(new(big.Int).SetUint64(n)).Bytes() }
	for _, test := range []struct {
		name   string
		change func(l *types.Log)
		want   string
	}{
		{"no data", func(l *types.Log) { l.Data = nil }, "ends early"},
		{"half the data", func(l *types.Log) { l.Data = l.Data[:70] }, "ends early"},
		{"a topic less", func(l *types.Log) { l.Topics = l.Topics[:2] }, "fewer topics"},
		{"a topic more", func(l *types.Log) { l.Topics = append(l.Topics, common.Hash{}) }, "more topics"},
		{"a topic that is no address", func(l *types.Log) { l.Topics[1][0] = 1 }, ""},
		{"text that is not UTF-8", func(l *types.Log) { l.Data[96] = 0xff }, "not UTF-8"},
		{"too much data", func(l *types.Log) { l.Data = make([]byte, maxData+32) }, "at most 65536 are decoded"},
		{"an offset beyond the data", func(l *types.Log) { copy(l.Data[32:], word(1<<40)) }, "ends early"},
		{"an offset of 256 bits", func(l *types.Log) { l.Data[32] = 0xff }, "ends early"},
		{"a length beyond the data", func(l *types.Log) { copy(l.Data[64:], word(33)) }, "ends early"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := settled(t, &f, common.Address{1}, common.Hash{2}, 5000)
			test.change(&l)
			n := must.Get(w.read(&l, &w.Event[0]))(t)
			e := n.(*Event)
			expect.That(t, strings.Contains(e.Undecoded, test.want) && (e.Undecoded == "") == (e.Arguments != nil) &&
				(test.want == "") == (e.Undecoded == ""), "%q, %v, want %q", e.Undecoded, e.Arguments, test.want)
			expect.That(t, slices.Equal(e.Topics, l.Topics) && string(e.Data) == string(l.Data), "topics or data differ")
		})
	}
}

// Offsets that lead to the same bytes again and again do not multiply the values.
func TestRepeatedBytesAreNotDecoded(t *testing.T) {
	f := EventFilter{Signature: "Bomb(uint256[][][] list)"}
	must.Do(t, f.check(""))
	const fan = 100
	var data []byte
	add := func(n int) { data = append(data, common.BigToHash(big.NewInt(int64(n))).Bytes()...) }
	add(32)
	for range 2 { // two levels of lists, all of whose entries are the list behind
		add(fan)
		for range fan {
			add(32 * fan)
		}
	}
	add(fan)
	for range fan {
		add(1)
	}
	must.That(t, len(data) <= maxData, "%d bytes", len(data))
	list, err := f.event.decode(&types.Log{Topics: []common.Hash{f.event.topic}, Data: data})
	expect.That(t, errors.Is(err, abivalue.ErrLayout) && list == nil, "%v, want %v", err, abivalue.ErrLayout)
}

// A node that answers something else than what it was asked for is not believed.
func TestUnaskedEventsAreRefused(t *testing.T) {
	merchant, order := common.Address{1}, common.Hash{2}
	f := EventFilter{Signature: paymentSettled, Where: map[string][]string{"merchant": {merchant.Hex()}}}
	must.Do(t, f.check(""))
	w := &Webhook{Contracts: []common.Address{{0xc0}}, Event: []EventFilter{f}}
	for name, change := range map[string]func(l *types.Log){
		"another contract": func(l *types.Log) { l.Address[0]++ },
		"another event":    func(l *types.Log) { l.Topics[0][0]++ },
		"another merchant": func(l *types.Log) { l.Topics[1][31]++ },
		"no merchant":      func(l *types.Log) { l.Topics = l.Topics[:1] },
		"no topics":        func(l *types.Log) { l.Topics = nil },
	} {
		t.Run(name, func(t *testing.T) {
			l := settled(t, &f, merchant, order, 1)
			must.Get(w.read(&l, &w.Event[0]))(t)
			change(&l)
			expect.Error(t, expect.Err(w.read(&l, &w.Event[0])), errUnasked, "read")
		})
	}
}

// Wanted values become the topics that contracts log.
func TestWantedValues(t *testing.T) {
	hash := crypto.Keccak256Hash([]byte("order 7")).Hex()
	for _, test := range []struct{ kind, text, want string }{
		{"address", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
			"0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8"},
		{"uint256", "5000", "0x0000000000000000000000000000000000000000000000000000000000001388"},
		{"uint8", "0xff", "0x00000000000000000000000000000000000000000000000000000000000000ff"},
		{"int8", "-128", "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff80"},
		{"bool", "true", "0x0000000000000000000000000000000000000000000000000000000000000001"},
		{"bytes4", "0x01020304", "0x0102030400000000000000000000000000000000000000000000000000000000"},
		{"bytes32", hash, hash},
		{"string", "order 7", hash},
		{"bytes", "0x6f726465722037", hash},
		{"uint256[]", hash, hash},
		{"address", "70997970C51812dc3A010C7d01b50e0d17dc79C8", ""},
		{"uint8", "256", ""},
		{"uint8", "-1", ""},
		{"int8", "128", ""},
		{"int8", "-129", ""},
		{"uint256", "", ""},
		{"uint256", "five", ""},
		{"bool", "yes", ""},
		{"bytes4", "0x010203", ""},
		{"bytes32", "order 7", ""},
		{"uint256[]", "0x01", ""},
	} {
		t.Run(test.kind+" "+test.text, func(t *testing.T) {
			f := EventFilter{Signature: "E(" + test.kind + " indexed p)", Where: map[string][]string{"p": {test.text}}}
			err := f.check("")
			if test.want == "" {
				expect.Says(t, err, `"`+test.text+`" is n`, "refusal")
				return
			}
			expect.That(t, err == nil && f.topics[0][0].Hex() == test.want, "%v, %v, want %s", err, f.topics, test.want)
		})
	}
}

// Events that cannot be followed are refused with the reason, and ABIs are read as compilers write them.
func TestEventFilters(t *testing.T) {
	directory := t.TempDir()
	const list = `[{"type":"function","name":"Paid","inputs":[]},
		{"type":"event","name":"Paid","inputs":[{"name":"to","type":"address","indexed":true},
			{"name":"items","type":"tuple[]","components":[{"name":"","type":"uint8"},{"name":"a b","type":"string"}]}]},
		{"type":"event","name":"Twice","inputs":[{"name":"a","type":"uint256"}]},
		{"type":"event","name":"Twice","inputs":[{"name":"a","type":"bytes"}]},
		{"type":"event","name":"Hidden","anonymous":true,"inputs":[]},
		{"type":"event","name":"Fixed","inputs":[{"name":"a","type":"fixed128x18"}]}]`
	for name, text := range map[string]string{
		"list.json": list, "artifact.json": `{"abi":` + list + `}`, "broken.json": "{", "other.json": "7",
	} {
		must.Do(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600))
	}
	for _, test := range []struct {
		name   string
		filter EventFilter
		want   string // signature, or
		fault  string
	}{
		{"a signature", EventFilter{Signature: paymentSettled}, "PaymentSettled(address,bytes32,uint256,string)", ""},
		{"with the word event", EventFilter{Signature: " event A( uint a ) ; "}, "A(uint256)", ""},
		{"no parameters", EventFilter{Signature: "A()"}, "A()", ""},
		{"tuples", EventFilter{Signature: "A((uint8,(bool b)[2])[] indexed x, tuple(int) y)"},
			"A((uint8,(bool)[2])[],(int256))",
			""},
		{"a list of entries", EventFilter{ABI: "list.json", Name: "Paid"}, "Paid(address,(uint8,string)[])", ""},
		{"an artifact", EventFilter{ABI: "artifact.json", Name: "Paid"}, "Paid(address,(uint8,string)[])", ""},
		{"one of two", EventFilter{ABI: "list.json", Name: "Twice(bytes)"}, "Twice(bytes)", ""},
		{"neither", EventFilter{}, "", "give signature, or abi and name"},
		{"both", EventFilter{Signature: "A()", ABI: "list.json", Name: "Paid"}, "", "give signature, or abi and name"},
		{"no name", EventFilter{ABI: "list.json"}, "", "give signature, or abi and name"},
		{"two of a name", EventFilter{ABI: "list.json", Name: "Twice"}, "", "2 events Twice: give one with its types"},
		{"an unknown event", EventFilter{ABI: "list.json", Name: "Gone"}, "", `has no event "Gone"`},
		{"an anonymous event", EventFilter{ABI: "list.json", Name: "Hidden"}, "", "is anonymous"},
		{"fixed-point numbers", EventFilter{ABI: "list.json", Name: "Fixed"}, "", "fixed-point numbers are not decoded"},
		{"a missing file", EventFilter{ABI: "gone.json", Name: "A"}, "", "abi: "},
		{"a broken file", EventFilter{ABI: "broken.json", Name: "A"}, "", "broken.json"},
		{"a file without a list", EventFilter{ABI: "other.json", Name: "A"}, "", "is no list of entries"},
		{"no parentheses", EventFilter{Signature: "Paid"}, "", "a parenthesis is wanted"},
		{"no name", EventFilter{Signature: "(uint256)"}, "", "the name of an event is wanted"},
		{"no end", EventFilter{Signature: "A(uint256"}, "", "a comma is wanted"},
		{"something behind", EventFilter{Signature: "A() returns"}, "", "the end is wanted"},
		{"anonymous", EventFilter{Signature: "A() anonymous"}, "", "is anonymous"},
		{"an unknown type", EventFilter{Signature: "A(money m)"}, "", "money"},
		{"a strange width", EventFilter{Signature: "A(uint7 m)"}, "", "there is no type uint7"},
		{"an empty array", EventFilter{Signature: "A(uint8[0] m)"}, "", "an array of 0 elements"},
		{"a large array", EventFilter{Signature: "A(uint8[99999999] m)"}, "", "an array of 99999999 elements"},
		{"a large array of arrays", EventFilter{Signature: "A(uint8[1000][1000] m)"}, "", "a type of 1000000 values"},
		{"an empty tuple", EventFilter{Signature: "A(() m)"}, "", ""},
		{"many dimensions", EventFilter{Signature: "A(uint8" + strings.Repeat("[]", 9) + " m)"}, "", "dimensions"},
		{"deep tuples", EventFilter{Signature: "A(" + strings.Repeat("(", 20) + "uint8" + strings.Repeat(")", 21)}, "",
			"nested more than 8 deep"},
		{"many parameters", EventFilter{Signature: "A(" + strings.Repeat("uint8,", 32) + "uint8)"}, "", "33 parameters"},
		{"four indexed", EventFilter{Signature: "A(uint8 indexed,uint8 indexed,uint8 indexed,uint8 indexed)"}, "",
			"4 indexed parameters"},
		{"a name twice", EventFilter{Signature: "A(uint8 a,uint8 a)"}, "", `two parameters are named "a"`},
		{"a long signature", EventFilter{Signature: strings.Repeat("A", maxSignature+1)}, "", "bytes, at most 4096"},
		{"values of a parameter that is not indexed", EventFilter{Signature: paymentSettled,
			Where: map[string][]string{"amount": {"1"}}}, "", `no indexed parameter "amount"`},
		{"values of no name", EventFilter{Signature: "A(uint8 indexed)", Where: map[string][]string{"": {"1"}}}, "",
			`no indexed parameter ""`},
		{"no values", EventFilter{Signature: paymentSettled, Where: map[string][]string{"merchant": {}}}, "", "has 0 values"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.filter.check(directory)
			if test.want != "" && (err != nil || test.filter.event.signature != test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
			if test.want == "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("%v, want %s", err, test.fault)
			}
		})
	}
}

// Whatever a signature, topics and data are, decoding ends, and what is decoded has a bounded size.
func FuzzEvents(f *testing.F) {
	f.Add(paymentSettled, []byte{31: 1}, make([]byte, 128))
	f.Add("A((uint8,string[2])[][] x, bytes indexed y)", []byte{}, make([]byte, 320))
	f.Fuzz(func(t *testing.T, signature string, topics, data []byte) {
		filter := EventFilter{Signature: signature}
		if filter.check("") != nil {
			return
		}
		l := types.Log{Topics: []common.Hash{filter.event.topic}, Data: data}
		for part := range slices.Chunk(topics, common.HashLength) {
			l.Topics = append(l.Topics, common.BytesToHash(part))
		}
		e := filter.event.notice(Place{}, &l)
		encoded := must.Get(json.Marshal(e))(t)
		most := 100_000 + 40*len(data) + 200*len(topics) + 2*len(signature)*maxParameters
		must.That(t, len(encoded) <= most, "%d bytes of JSON, want at most %d", len(encoded), most)
	})
}

// Events of two contracts arrive in order, whatever node and receiver do; those that the filters leave out do not.
func TestDeliversEveryEventInOrder(t *testing.T) {
	for name, row := range map[string]struct {
		where  map[string][]string
		chain  func(*chain)
		refuse int
		lies   int
	}{
		"all":                               {},
		"of one merchant":                   {where: map[string][]string{"merchant": {account(3).Hex()}}},
		"of two merchants":                  {where: map[string][]string{"merchant": {account(3).Hex(), account(5).Hex()}}},
		"a node with a small limit":         {chain: func(c *chain) { c.limit = 9 }},
		"a lagging node among two":          {chain: func(c *chain) { c.lag = 20 }},
		"a receiver that was down":          {refuse: 2},
		"a receiver that loses its answers": {lies: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newKiosks(t, 7, 200)
			if row.chain != nil {
				row.chain(c)
			}
			r, config := newReceiver(t, c.serve(t).URL, Webhook{
				Start: "0", Contracts: []common.Address{kiosk(0), kiosk(1)},
				Event: []EventFilter{{Signature: paymentSettled, Where: row.where}},
			})
			r.refuse, r.lies = row.refuse, row.lies
			var merchants []common.Address
			for _, text := range row.where["merchant"] {
				merchants = append(merchants, common.HexToAddress(text))
			}
			runUntil(t, config, r, c.wantedEvents(merchants...))
		})
	}
}

// A webhook has proofs when it asks for them, of blocks that have a child. A node that refuses is asked again, and its
// reason is delivered then.
func TestProofsAreDelivered(t *testing.T) {
	for _, test := range []struct {
		name    string
		proofs  proofs
		want    string // reason
		refused int
	}{
		{"a node that proves", proofs{}, "", 0},
		{"a node that lags behind for two rounds", proofs{refuse: 2, fault: errors.New("unknown transaction")}, "", 2},
		{"a node that refuses", proofs{refuse: 99, fault: errors.New("the receipts are not stored")},
			"the receipts are not stored", 4},
		{"a node without the method", proofs{refuse: 99, fault: missingMethod{}}, "does not exist", 1},
		{"a large proof", proofs{padding: maxProof}, "at most 1048576 are delivered", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newChain(3, 1)
			for len(c.wanted(In, account(4))) == 0 {
				c.grow()
			}
			want := c.wanted(In, account(4))
			for len(c.wanted(In, account(4))) == len(want) {
				c.grow() // the newest block has no proof yet
			}
			p := test.proofs
			r, config := newReceiver(t, c.serveWith(t, &p).URL, Webhook{
				Start: "0", Addresses: []common.Address{account(4)}, Proof: true, Trusted: "0",
			})
			runUntil(t, config, r, want)
			expect.That(t, p.refused == test.refused, "refused %d times, want %d", p.refused, test.refused)
			for _, place := range r.places {
				if test.want == "" && string(place.Proof) != fmt.Sprintf(`{"of":"%v","trusted":"0x0"}`, place.Transaction) ||
					!strings.Contains(place.ProofError, test.want) || (place.Proof == nil) == (test.want == "") {
					t.Errorf("%s: %.200s, %s", place.ID, place.Proof, place.ProofError)
				}
			}
		})
	}
}

type missingMethod struct{}

func (missingMethod) Error() string  { return "the method istanbul_getReceiptProof does not exist" }
func (missingMethod) ErrorCode() int { return rpc.CodeNoMethod }

// proofs answers for istanbul.
type proofs struct {
	refuse, refused int
	fault           error
	padding         int
}

func (p *proofs) GetReceiptProof(_ context.Context, hash common.Hash, trusted string) (any, error) {
	if p.refuse > 0 {
		p.refuse--
		p.refused++
		return nil, p.fault
	}
	answer := map[string]string{"of": hash.Hex(), "trusted": trusted}
	if p.padding > 0 {
		answer["padding"] = strings.Repeat("x", p.padding)
	}
	return answer, nil
}
