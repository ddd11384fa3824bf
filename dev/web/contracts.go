// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/inspect"
	"gwon/internal/txobject"
)

// interfaceAt returns the interface of a contract, nil where it is not known.
func (s *Server) interfaceAt(a common.Address, code []byte) *inspect.Interface {
	if known := s.o.Book.At(a); known != nil {
		return known
	}
	return s.o.Book.ByCode(code)
}

// contracts answers the system contracts and the own ones.
func (s *Server) contracts(r *http.Request) (any, error) {
	ctx := r.Context()
	type entry struct {
		Address common.Address `json:"address"`
		Name    string         `json:"name"`
		HasCode bool           `json:"hasCode"`
	}
	var system []entry
	for _, a := range inspect.SystemContracts() {
		var code hexutil.Bytes
		if err := s.call(ctx, &code, "eth_getCode", a, "latest"); err != nil {
			return nil, err
		}
		system = append(system, entry{a, s.o.Book.NameOf(a), len(code) > 0})
	}
	own, since, _, err := s.ownContracts(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"version": s.o.Contracts, "system": system, "own": own, "artifacts": len(s.o.Book.Artifacts()),
		"since": since,
	}, nil
}

// function is a function of a contract as a form.
type function struct {
	Signature string      `json:"signature"`
	Name      string      `json:"name"`
	Inputs    []parameter `json:"inputs"`
	Outputs   []parameter `json:"outputs"`
	Payable   bool        `json:"payable"`
}

type parameter struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func parameters(args abi.Arguments) []parameter {
	list := make([]parameter, len(args))
	for i, a := range args {
		list[i] = parameter{a.Name, a.Type.String()}
	}
	return list
}

// contractOf returns the interface of the contract at an address, or a problem.
func (s *Server) contractOf(ctx context.Context, address common.Address) (*inspect.Interface, error) {
	var code hexutil.Bytes
	if err := s.call(ctx, &code, "eth_getCode", address, "latest"); err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, notFound("There is no contract at %s.", address.Hex())
	}
	known := s.interfaceAt(address, code)
	if known == nil {
		return nil, notFound(
			"The interface of the contract at %s is not known. Start the network with --abi and the folder of its artifacts.",
			address.Hex(),
		)
	}
	return known, nil
}

// contract answers the functions of a contract.
func (s *Server) contract(r *http.Request) (any, error) {
	address, err := parseAddress(r.PathValue("address"))
	if err != nil {
		return nil, err
	}
	known, err := s.contractOf(r.Context(), address)
	if err != nil {
		return nil, err
	}
	reads, writes := []function{}, []function{}
	for _, m := range known.ABI.Methods {
		f := function{m.Sig, m.RawName, parameters(m.Inputs), parameters(m.Outputs), m.IsPayable()}
		if m.IsConstant() {
			reads = append(reads, f)
		} else {
			writes = append(writes, f)
		}
	}
	byName := func(x, y function) int {
		return cmp.Or(cmp.Compare(len(x.Inputs), len(y.Inputs)), cmp.Compare(x.Signature, y.Signature))
	}
	slices.SortFunc(reads, byName)
	slices.SortFunc(writes, func(x, y function) int { return cmp.Compare(x.Signature, y.Signature) })
	return map[string]any{
		"address": address, "name": known.Name, "system": s.o.Book.At(address) != nil, "read": reads, "write": writes,
	}, nil
}

// request is a call of a function by its form.
type request struct {
	Contract  string   `json:"contract"`
	Signature string   `json:"signature"`
	Arguments []string `json:"arguments"`
	From      string   `json:"from"`
	FeePayer  string   `json:"feePayer"` // empty: the sender pays its fee itself
	Value     string   `json:"value"`
}

// prepared is a request whose arguments are encoded.
type prepared struct {
	known    *inspect.Interface
	method   abi.Method
	contract common.Address
	input    []byte
	value    *big.Int
}

func (s *Server) prepare(ctx context.Context, body []byte) (*request, *prepared, error) {
	var q request
	if err := decodeBody(body, &q); err != nil {
		return nil, nil, err
	}
	p := &prepared{value: new(big.Int)}
	var err error
	if p.contract, err = parseAddress(q.Contract); err != nil {
		return nil, nil, err
	}
	if p.known, err = s.contractOf(ctx, p.contract); err != nil {
		return nil, nil, err
	}
	found := false
	for _, m := range p.known.ABI.Methods {
		if m.Sig == q.Signature {
			p.method, found = m, true
		}
	}
	if !found {
		return nil, nil, badRequest("%s has no function %.80q", p.known.Name, q.Signature)
	}
	if len(q.Arguments) != len(p.method.Inputs) {
		return nil, nil, badRequest("%s takes %d arguments, not %d", p.method.RawName, len(p.method.Inputs), len(q.Arguments))
	}
	values := make([]any, len(q.Arguments))
	for i, spec := range p.method.Inputs {
		if values[i], err = parseText(spec.Type, q.Arguments[i]); err != nil {
			name := spec.Name
			if name == "" {
				name = fmt.Sprintf("argument %d", i+1)
			}
			return nil, nil, badRequest("%s: %v", name, err)
		}
	}
	packed, err := p.method.Inputs.Pack(values...)
	if err != nil {
		return nil, nil, badRequest("the arguments do not fit the function: %v", err)
	}
	p.input = append(slices.Clone(p.method.ID), packed...)
	if strings.TrimSpace(q.Value) != "" {
		if p.value, err = parseNumber(q.Value); err != nil {
			return nil, nil, badRequest("value: %v", err)
		}
	}
	return &q, p, nil
}

// read calls a function without a transaction and answers its results.
func (s *Server) read(ctx context.Context, body []byte) (any, error) {
	q, p, err := s.prepare(ctx, body)
	if err != nil {
		return nil, err
	}
	call := map[string]any{"to": p.contract, "input": hexutil.Bytes(p.input)}
	if q.From != "" {
		if call["from"], err = parseAddress(q.From); err != nil {
			return nil, err
		}
	}
	var output hexutil.Bytes
	if err := s.o.Client.CallContext(ctx, &output, "eth_call", call, "latest"); err != nil {
		return map[string]any{"refused": s.refusal(p, err).Error()}, nil // no fault of the page's
	}
	decoded := s.o.Book.Decode(p.known, p.input, output)
	if decoded == nil || len(decoded.Result) != len(p.method.Outputs) {
		return nil, &problem{
			http.StatusBadGateway,
			fmt.Sprintf("the contract answers %d bytes that do not fit %s", len(output), p.method.RawName),
		}
	}
	return map[string]any{"result": decoded.Result}, nil
}

// refusal explains why a contract refused a call.
func (s *Server) refusal(p *prepared, err error) error {
	if withData, ok := errors.AsType[rpc.DataError](err); ok {
		if text, ok := withData.ErrorData().(string); ok {
			if data, decodeErr := hexutil.Decode(text); decodeErr == nil {
				return &problem{
					http.StatusUnprocessableEntity,
					"The contract refuses: " + s.inspect.Revert(p.known, data).Text + ".",
				}
			}
		}
	}
	return &problem{http.StatusUnprocessableEntity, "The node refuses: " + err.Error() + "."}
}

// signer returns the well-known account that an address is of.
func (s *Server) signer(text string) (*Account, common.Address, error) {
	address, err := parseAddress(text)
	if err != nil {
		return nil, address, err
	}
	for i, p := range s.people() {
		if p.Address == address {
			return &s.o.Accounts[i], address, nil
		}
	}
	return nil, address, badRequest("%s is no account of this network that the node can sign for", address.Hex())
}

// write signs and sends a call of a function, after a trial that finds out its gas.
func (s *Server) write(ctx context.Context, body []byte) (any, error) {
	q, p, err := s.prepare(ctx, body)
	if err != nil {
		return nil, err
	}
	account, from, err := s.signer(q.From)
	if err != nil {
		return nil, err
	}
	var payer *Account
	if q.FeePayer != "" {
		if payer, _, err = s.signer(q.FeePayer); err != nil {
			return nil, err
		}
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	client := ethclient.NewClient(s.o.Client)
	chainID, err := client.ChainID(ctx)
	if err != nil {
		return nil, s.refusal(p, err)
	}
	t := txobject.Transaction{Sender: from}
	t.To, t.Data, t.Value = &p.contract, p.input, p.value
	call := t.Call()
	call.Nonce = nil // it is looked up when the transaction is made
	if payer != nil {
		call.FeePayer = new(crypto.PubkeyToAddress(payer.Key.PublicKey))
	}
	var gas hexutil.Uint64
	if err := s.o.Client.CallContext(ctx, &gas, "eth_estimateGas", call, "pending"); err != nil {
		return nil, s.refusal(p, err)
	}
	tx, err := bind.NewBoundContract(p.contract, p.known.ABI, client, client, client).RawTransact(&bind.TransactOpts{
		Context: ctx, From: from, Value: p.value, GasLimit: uint64(gas) + uint64(gas)/4,
		Signer: func(_ common.Address, tx *types.Transaction) (*types.Transaction, error) {
			tx, err := types.SignTx(tx, types.LatestSignerForChainID(chainID), account.Key)
			if err != nil || payer == nil {
				return tx, err
			}
			if tx, err = types.WrapFeeDelegated(tx, *call.FeePayer); err != nil {
				return nil, err
			}
			return types.SignTx(tx, types.NewFeeDelegateSigner(chainID), payer.Key)
		},
	}, p.input)
	if err != nil {
		return nil, s.refusal(p, err)
	}
	return map[string]any{"transaction": tx.Hash()}, nil
}

// fund gives an account coins.
func (s *Server) fund(ctx context.Context, body []byte) (any, error) {
	var q struct {
		Address string `json:"address"`
	}
	if err := decodeBody(body, &q); err != nil {
		return nil, err
	}
	address, err := parseAddress(q.Address)
	if err != nil {
		return nil, err
	}
	if s.o.Fund == nil {
		return nil, &problem{http.StatusNotImplemented, "this network has no faucet"}
	}
	hash, err := s.o.Fund(ctx, address)
	if err != nil {
		return nil, &problem{http.StatusUnprocessableEntity, "The faucet refuses: " + err.Error() + "."}
	}
	return map[string]any{"transaction": hash}, nil
}

// event is a new block as the page is told of it: with the block before, whose late seals it brings.
func (s *Server) event(ctx context.Context, number uint64) ([]byte, error) {
	list, err := s.recent(ctx, number, number, 2)
	if err != nil {
		return nil, err
	}
	var pool struct {
		Pending hexutil.Uint64 `json:"pending"`
		Queued  hexutil.Uint64 `json:"queued"`
	}
	if err := s.call(ctx, &pool, "txpool_status"); err != nil {
		return nil, err
	}
	return encode(map[string]any{"blocks": list, "pending": uint64(pool.Pending), "queued": uint64(pool.Queued)})
}

// parseText reads a value of a form: lists and tuples as JSON, everything else as it is.
func parseText(t abi.Type, text string) (any, error) {
	switch t.T {
	case abi.SliceTy, abi.ArrayTy, abi.TupleTy:
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, fmt.Errorf("%s is given as JSON, as in [\"1\", \"2\"]", t)
		}
		return parseValue(t, value)
	case abi.StringTy:
		return text, nil
	}
	return parseValue(t, strings.TrimSpace(text))
}

// parseValue converts a JSON value to the Go value that the encoder takes for a type.
func parseValue(t abi.Type, value any) (any, error) {
	switch t.T {
	case abi.SliceTy, abi.ArrayTy:
		list, ok := value.([]any)
		if !ok || t.T == abi.ArrayTy && len(list) != t.Size {
			return nil, fmt.Errorf("%v is no list for %s", value, t)
		}
		return parseList(t, list)
	case abi.TupleTy:
		return parseTuple(t, value)
	}
	text := fmt.Sprint(value)
	switch t.T {
	case abi.AddressTy:
		return parseAddress(text)
	case abi.BoolTy:
		switch strings.ToLower(text) {
		case "true", "yes", "1":
			return true, nil
		case "false", "no", "0":
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither true nor false", text)
	case abi.StringTy:
		return text, nil
	case abi.BytesTy:
		data, err := hexutil.Decode(text)
		if text == "" || err != nil {
			return nil, fmt.Errorf("%q is no hexadecimal text with 0x", text)
		}
		return data, nil
	case abi.FixedBytesTy:
		data, err := hexutil.Decode(text)
		if err != nil || len(data) != t.Size {
			return nil, fmt.Errorf("%q is not 0x and %d bytes in hexadecimal", text, t.Size)
		}
		array := reflect.New(t.GetType()).Elem()
		reflect.Copy(array, reflect.ValueOf(data))
		return array.Interface(), nil
	case abi.IntTy, abi.UintTy:
		return parseInteger(t, text)
	}
	return nil, fmt.Errorf("values of type %s cannot be given here", t)
}

func parseList(t abi.Type, list []any) (any, error) {
	values := reflect.New(t.GetType()).Elem()
	if t.T == abi.SliceTy {
		values = reflect.MakeSlice(t.GetType(), len(list), len(list))
	}
	for i, e := range list {
		v, err := parseValue(*t.Elem, e)
		if err != nil {
			return nil, err
		}
		values.Index(i).Set(reflect.ValueOf(v))
	}
	return values.Interface(), nil
}

// parseTuple takes a list in the order of the fields, or an object by their names.
func parseTuple(t abi.Type, value any) (any, error) {
	fields := reflect.New(t.TupleType).Elem()
	for i, elem := range t.TupleElems {
		var part any
		switch v := value.(type) {
		case []any:
			if len(v) != len(t.TupleElems) {
				return nil, fmt.Errorf("a tuple of %d values is expected", len(t.TupleElems))
			}
			part = v[i]
		case map[string]any:
			named, ok := v[t.TupleRawNames[i]]
			if !ok {
				return nil, fmt.Errorf("the field %s is missing", t.TupleRawNames[i])
			}
			part = named
		default:
			return nil, fmt.Errorf("%v is no tuple: give a JSON list or object", value)
		}
		v, err := parseValue(*elem, part)
		if err != nil {
			return nil, err
		}
		fields.Field(i).Set(reflect.ValueOf(v))
	}
	return fields.Interface(), nil
}

// parseInteger converts a number to the Go type of its width, and refuses what does not fit.
func parseInteger(t abi.Type, text string) (any, error) {
	n, err := parseNumber(text)
	if err != nil {
		return nil, err
	}
	lowest, highest := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Size))
	if t.T == abi.IntTy {
		highest.Rsh(highest, 1)
		lowest.Neg(highest)
	}
	if n.Cmp(lowest) < 0 || n.Cmp(highest) >= 0 {
		return nil, fmt.Errorf("%v does not fit %s", n, t)
	}
	if t.GetType() == reflect.TypeFor[*big.Int]() {
		return n, nil
	}
	value := reflect.New(t.GetType()).Elem()
	if t.T == abi.IntTy {
		value.SetInt(n.Int64())
	} else {
		value.SetUint(n.Uint64())
	}
	return value.Interface(), nil
}
