// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Use is what an object is for. It decides which fields the object may have.
type Use uint8

const (
	// Sponsored is a transaction of type 2 that its sender signs, and that a sponsor pays.
	Sponsored Use = 1 << iota
	// Call is a call at a sponsor, which has no effect. Fees are allowed there, because wallets give them.
	Call
	// Node is a transaction that a node fills in, signs or submits.
	Node
	// Simulated is a transaction that is tried and not sent. Those that nodes answer are taken as they are.
	Simulated
	// every is every use.
	every = Sponsored | Call | Node | Simulated
)

// uses are the fields of objects. Each of them is exact: encoding/json alone would take "GAS" for "gas".
var uses = map[string]Use{
	"from": every, "to": every, "value": every, "data": every, "input": every, "gas": every, "nonce": every,
	"maxFeePerGas": every, "maxPriorityFeePerGas": every, "chainId": every, "accessList": every, "type": every,
	"gasPrice": Call | Node | Simulated, "feePayer": Node | Simulated, "authorizationList": Node | Simulated,
	"v": Node | Simulated, "r": Node | Simulated, "s": Node | Simulated, "maxFeePerBlobGas": Node,
	"blobVersionedHashes": Node, "blobs": Node, "commitments": Node, "proofs": Node,
	// A transaction that a node has filled in has these as well, and goes back to it for the signature.
	"hash": Node | Simulated, "yParity": Node | Simulated, "fv": Node | Simulated, "fr": Node | Simulated,
	"fs": Node | Simulated,
	// And one of a block or the pool has these.
	"blockHash": Simulated, "blockNumber": Simulated, "blockTimestamp": Simulated, "transactionIndex": Simulated,
	"senderTransactionHash": Simulated,
}

// misnamed are names of other libraries for fields.
var misnamed = map[string]string{
	"gasLimit": "gas", "gas_price": "gasPrice", "recipient": "to", "sender": "from", "chainID": "chainId",
	"fee_payer": "feePayer", "authorizations": "authorizationList",
}

// FieldError refuses a field of an object.
type FieldError struct {
	Field  string // as it stands in the object, empty for what is no object
	Reason string // why, and what to give instead

	// Foreign reports that the use has no such field. It is false for a field with a value that cannot be.
	Foreign bool
}

// Error implements error. Long names are shortened.
func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.Reason
	}
	return Shortened(e.Field) + " " + e.Reason
}

// Shortened returns a name of a caller with at most 40 characters, as errors print it.
func Shortened(name string) string {
	const most = 40
	letters := []rune(name)
	if len(letters) > most {
		return string(letters[:most]) + "..."
	}
	return name
}

// Check refuses the fields that an object may not have for its use. Of several it names the first one by name. Values
// are not looked at, but null stands for a field that is left out.
func Check(object []byte, use Use) error {
	_, err := fieldsOf(object, use)
	return err
}

// fieldsOf returns the fields of an object that are given.
func fieldsOf(object []byte, use Use) (map[string]json.RawMessage, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(object, &given); err != nil {
		if errors.As(err, new(*json.SyntaxError)) {
			return nil, &FieldError{Reason: "the transaction object is no JSON: " + err.Error()}
		}
		return nil, &FieldError{Reason: "the transaction is no JSON object: give its fields in one"}
	}
	if given == nil {
		return nil, &FieldError{Reason: "the transaction is null: give an object with its fields"}
	}
	maps.DeleteFunc(given, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if uses[name]&use == 0 {
			return nil, &FieldError{name, whyForeign(name, use), true}
		}
	}
	return given, nil
}

// whyForeign explains why a use has no such field.
func whyForeign(name string, use Use) string {
	likely := misnamed[name]
	if likely == "" {
		for field := range uses {
			if strings.EqualFold(field, name) {
				likely = field
			}
		}
	}
	switch {
	case likely != "" && uses[likely]&use != 0:
		return fmt.Sprintf("is no field of a transaction: write %s", likely)
	case uses[name] == 0 || use == Node || use == Simulated:
		return "is no field of a transaction: leave it out"
	case name == "gasPrice":
		return "makes a transaction of type 0, which its sender pays: give maxFeePerGas and maxPriorityFeePerGas instead"
	case name == "feePayer":
		return "is chosen by the sponsor: leave it out"
	case slices.Contains([]string{"v", "r", "s", "yParity", "hash", "fv", "fr", "fs"}, name):
		return "belongs to a signed transaction: leave it out, or submit the signed bytes"
	}
	return "cannot be in a transaction of type 2, which is the only one with a fee payer: leave it out, or have the " +
		"sender pay"
}
