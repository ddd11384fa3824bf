// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package newnetwork

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/internal/txobject"
	"gwon/operator/governance"
	"gwon/params"
)

// Validator is the public part of a validator, as gwon validator show --json prints it, and where the others find it.
type Validator struct {
	KeyFile           string         `json:"keyFile"`       // on the machine of the operator, unused
	NodeID            string         `json:"nodePublicKey"` // 64 bytes, hex
	Address           common.Address `json:"address"`
	BLSPublicKey      hexutil.Bytes  `json:"blsPublicKey"`
	ProofOfPossession hexutil.Bytes  `json:"proofOfPossession"`
	Endpoint          string         `json:"endpoint"`  // HOST:PORT of peers
	Operator          common.Address `json:"operator"`  // member of the governances; the validator's address if zero
	SignedFor         *common.Hash   `json:"signedFor"` // genesis block of another network that the key has signed for
}

// configured returns the validator as the configuration of a network takes it.
func (v *Validator) configured() params.DevnetValidator {
	return params.DevnetValidator{Address: v.Address, BLSPublicKey: v.BLSPublicKey, Operator: v.Operator}
}

// ReadValidators reads validators, each a JSON object, one after the other or in lists. Errors name the number of the
// validator, from 1, and what is wrong.
func ReadValidators(from io.Reader) ([]Validator, error) {
	content, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	var list []Validator
	for in := json.NewDecoder(bytes.NewReader(content)); ; {
		var next json.RawMessage
		err := in.Decode(&next)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("want the output of gwon validator show --json for each validator: %w", atLine(content, err))
		}
		some := []json.RawMessage{next}
		if bytes.HasPrefix(next, []byte("[")) {
			if err := json.Unmarshal(next, &some); err != nil {
				return nil, err
			}
		}
		if len(list)+len(some) > params.MaxGovernanceMembers {
			return nil, fmt.Errorf("a network can start with at most %d validators", params.MaxGovernanceMembers)
		}
		for _, one := range some {
			var v Validator
			if err := txobject.CheckAddresses(one); err != nil {
				return nil, fmt.Errorf("validator %d: %w", len(list)+1, err)
			}
			if decode(one, &v) != nil {
				return nil, fmt.Errorf("validator %d: %w", len(list)+1, wrongForm(one))
			}
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("it names no validator: put the output of gwon validator show --json there for each")
	}
	seen := make(map[string]int)
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, fmt.Errorf("validator %d (%v): %w", i+1, list[i].Address, err)
		}
		for _, field := range []struct{ name, value, cure string }{
			{"nodePublicKey", list[i].NodeID, "each needs a key of its own: make one with gwon validator new"},
			{"endpoint", list[i].Endpoint, "each needs a host or a port of its own"},
			{"blsPublicKey", list[i].BLSPublicKey.String(), "take that of each from gwon validator show --json"},
		} {
			if other := seen[field.value]; other > 0 {
				return nil, fmt.Errorf("validators %d and %d have the same %s, %.40s: %s", other, i+1, field.name, field.value,
					field.cure)
			}
			seen[field.value] = i + 1
		}
	}
	return list, nil
}

// atLine adds the line to an error of the JSON syntax.
func atLine(content []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %w", 1+bytes.Count(content[:min(int(syntax.Offset), len(content))], []byte("\n")), err)
	}
	return err
}

// decode reads a validator and refuses unknown fields: what a misspelled operator leaves out stays for good.
func decode(one json.RawMessage, v *Validator) error {
	in := json.NewDecoder(bytes.NewReader(one))
	in.DisallowUnknownFields()
	return in.Decode(v)
}

// wrongForm names the first field of a validator that has the wrong form, or that does not exist.
func wrongForm(one json.RawMessage) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(one, &fields) != nil {
		return fmt.Errorf("%.40s is not the object that gwon validator show --json prints", one)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		alone, err := json.Marshal(map[string]json.RawMessage{name: fields[name]})
		if err == nil {
			err = decode(alone, new(Validator))
		}
		if err != nil && json.Unmarshal(alone, new(Validator)) == nil { // which passes over unknown fields
			return fmt.Errorf("there is no field %q: only endpoint and operator are added to gwon validator show --json", name)
		}
		if err != nil {
			source := map[string]string{"endpoint": `give "HOST:PORT", where others find this validator`,
				"operator": "give the address that gwon account new prints"}[name]
			return fmt.Errorf("the field %s cannot be %.80s: %s", name, fields[name],
				cmp.Or(source, "take it from gwon validator show --json"))
		}
	}
	return errors.New("it is not the object that gwon validator show --json prints")
}

// check verifies that the keys belong together and that the holder has the BLS key (spec wbft 2.1, 2.2).
func (v *Validator) check() error {
	id, err := hex.DecodeString(v.NodeID)
	if err != nil {
		return fmt.Errorf("nodePublicKey has to be 128 hexadecimal digits: %w", err)
	}
	key, err := crypto.UnmarshalPubkey(append([]byte{4}, id...))
	if err != nil {
		return fmt.Errorf("nodePublicKey %s is no public key: %w", v.NodeID, err)
	}
	if address := crypto.PubkeyToAddress(*key); address != v.Address {
		return fmt.Errorf("nodePublicKey is that of %v", address)
	}
	public, err := bls.ParsePublicKey(v.BLSPublicKey)
	if err != nil {
		return fmt.Errorf("blsPublicKey: %w", err)
	}
	if what := governance.DefaultAddresses().Keyless(v.Operator); what != "" {
		return fmt.Errorf("the operator %v could never vote: it is %s; give the address that gwon account new prints",
			v.Operator, what)
	}
	if !bls.VerifyPossession(public, v.ProofOfPossession) {
		return errors.New("proofOfPossession does not belong to blsPublicKey: take both from gwon validator show")
	}
	// Seals bind to keys: what a key seals here could prove blocks of the other network, and the reverse.
	used := ""
	if v.SignedFor != nil {
		used = fmt.Sprintf("with genesis block %v", v.SignedFor)
	}
	for _, network := range params.Networks() {
		if slices.Contains(network.Config().Anzeon.Init.Validators, v.Address) {
			used = network.Name
		}
	}
	if used != "" {
		return fmt.Errorf("the key has served the network %s, and seals prove blocks of each network that has the key: make "+
			"a new one with gwon validator new", used)
	}
	host, port, err := net.SplitHostPort(v.Endpoint)
	if err != nil || host == "" {
		return fmt.Errorf("endpoint %q: want \"endpoint\": \"HOST:PORT\", where others find this validator", v.Endpoint)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return fmt.Errorf("endpoint %q: the port has to be a number from 1 to 65535", v.Endpoint)
	}
	return nil
}

// enode returns the URL under which the other validators dial this one.
func (v *Validator) enode() string { return fmt.Sprintf("enode://%s@%s", v.NodeID, v.Endpoint) }
