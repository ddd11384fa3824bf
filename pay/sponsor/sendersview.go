// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// byHash returns the handler of a method whose argument is a hash, that of the chain or the sender's.
func byHash(method string) handler {
	return func(s *Sponsor, ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
		var hash common.Hash
		if err := argument(params, 0, "a hash", &hash); err != nil {
			return nil, err
		}
		return s.lookUp(ctx, who, method, hash)
	}
}

// bySenderHash answers for nodes without these methods, from the books. Other hashes are for the node.
func bySenderHash(method, byHash string) handler {
	return func(s *Sponsor, ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
		var hash common.Hash
		if err := argument(params, 0, "a hash", &hash); err != nil {
			return nil, err
		}
		found, _, err := s.books.Find(hash)
		if err != nil {
			return nil, err
		}
		if found == nil || found.State == stateReleased {
			return s.pass(ctx, who, method, params)
		}
		object, _, err := s.onChain(ctx, who, byHash, hash)
		if object == nil || err != nil {
			return nil, err
		}
		return object, nil
	}
}

// lookUp asks the node for what a hash names. The answer for a sender's hash is about the transaction that the sender
// knows: wallets and libraries read no other type.
func (s *Sponsor) lookUp(ctx context.Context, who *caller, method string, hash common.Hash) (any, error) {
	object, onChain, err := s.onChain(ctx, who, method, hash)
	if object == nil || err != nil {
		return nil, err
	}
	if onChain == hash {
		return object, nil
	}
	return asSenderKnows(object, hash, onChain)
}

// onChain asks the node for what a hash names on the chain. A sender's hash is looked up in the books.
func (s *Sponsor) onChain(
	ctx context.Context, who *caller, method string, hash common.Hash,
) (object map[string]json.RawMessage, _ common.Hash, err error) {
	found, open, err := s.books.Find(hash)
	if err != nil {
		return nil, hash, err
	}
	onChain, payer := hash, (*common.Address)(nil)
	switch {
	case found == nil || found.State == stateReleased:
	case found.State == stateSettled:
		onChain = found.Hash
	default:
		payer = &open.Payer
		if signed, ok := s.signed.Get(hash); ok {
			onChain = signed.Hash
		}
	}
	err = s.passed.call(ctx, light, who.address, &object, method, onChain)
	if object == nil || err != nil || onChain == hash {
		return object, onChain, err
	}
	if object["senderTransactionHash"], err = json.Marshal(hash); err != nil {
		return nil, hash, err
	}
	if _, known := object["feePayer"]; !known && payer != nil {
		object["feePayer"], err = json.Marshal(payer)
	}
	return object, onChain, err
}

// asSenderKnows turns a transaction or receipt of type 0x16 into that of the sender's transaction of type 2. The hash
// on the chain is a further field.
func asSenderKnows(object map[string]json.RawMessage, hash, onChain common.Hash) (any, error) {
	changed := map[string]any{"type": hexutil.Uint64(types.DynamicFeeTxType), "feeDelegatedTransactionHash": onChain}
	for _, name := range []string{"hash", "transactionHash"} {
		if _, known := object[name]; known {
			changed[name] = hash
		}
	}
	for name, value := range changed {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		object[name] = text
	}
	return object, nil
}

// delegated is the type of a fee-delegated transaction in JSON.
const delegated = `"0x16"`

// readable returns the handler of a method whose answer is a block or a transaction of one. Transactions of type 0x16
// are in the form that their senders know: stock clients refuse a block with a type that they do not know.
func readable(method string) handler {
	return func(s *Sponsor, ctx context.Context, who *caller, params []json.RawMessage) (any, error) {
		var answer readableText
		if err := s.passTo(ctx, who, &answer, method, params); err != nil {
			return nil, err
		}
		return json.RawMessage(answer), nil
	}
}

// readableText is a block or a transaction as its senders know it.
type readableText json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (r *readableText) UnmarshalJSON(text []byte) (err error) {
	if bytes.Contains(text, []byte(delegated)) {
		if text, err = asSendersKnow(text); err != nil {
			return fmt.Errorf("read the node's answer: %w", err)
		}
	}
	*r = bytes.Clone(text)
	return nil
}

// asSendersKnow turns the transactions of type 0x16 of a block, or a transaction alone, into those of their senders.
func asSendersKnow(text json.RawMessage) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if list, isBlock := object["transactions"]; isBlock {
		var all []json.RawMessage
		if err := json.Unmarshal(list, &all); err != nil {
			return nil, err
		}
		for i, one := range all {
			if !bytes.HasPrefix(one, []byte("{")) {
				return text, nil // hashes
			}
			changed, err := asSendersKnow(one)
			if err != nil {
				return nil, err
			}
			all[i] = changed
		}
		list, err := json.Marshal(all)
		if err != nil {
			return nil, err
		}
		object["transactions"] = list
		return json.Marshal(object)
	}
	if string(object["type"]) != delegated {
		return text, nil
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	changed, err := asSenderKnows(object, *tx.SenderTransactionHash(), tx.Hash())
	if err != nil {
		return nil, err
	}
	return json.Marshal(changed)
}
