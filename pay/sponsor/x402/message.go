// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package x402

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/internal/tomltext"
)

const (
	// MaxBody bounds a request, in bytes.
	MaxBody = 64 << 10
	// Version is the version of the protocol.
	Version = 2
	// Scheme is the scheme that is served: the payment has the amount that is asked for.
	Scheme = "exact"
)

// Reasons of refusals. They are those of the protocol and of its packages for EVM chains, but for the last two.
const (
	ReasonVersion       = "invalid_x402_version"
	ReasonPayload       = "invalid_payload"
	ReasonRequirements  = "invalid_payment_requirements"
	ReasonScheme        = "unsupported_scheme"
	ReasonNetwork       = "invalid_network"
	ReasonMismatch      = "invalid_exact_evm_network_mismatch"
	ReasonTransfer      = "unsupported_payload_type"
	ReasonAsset         = "invalid_exact_evm_eip3009_not_supported"
	ReasonDomain        = "invalid_exact_evm_missing_eip712_domain"
	ReasonName          = "invalid_exact_evm_token_name_mismatch"
	ReasonTokenVersion  = "invalid_exact_evm_token_version_mismatch"
	ReasonRecipient     = "invalid_exact_evm_recipient_mismatch"
	ReasonAmount        = "invalid_exact_evm_payload_authorization_value_mismatch"
	ReasonValidAfter    = "invalid_exact_evm_payload_authorization_valid_after"
	ReasonValidBefore   = "invalid_exact_evm_payload_authorization_valid_before"
	ReasonParse         = "invalid_exact_evm_failed_to_parse_signature"
	ReasonSignature     = "invalid_exact_evm_signature"
	ReasonUsed          = "invalid_exact_evm_nonce_already_used"
	ReasonBalance       = "invalid_exact_evm_insufficient_balance"
	ReasonSimulation    = "invalid_exact_evm_transaction_simulation_failed"
	ReasonFailed        = "invalid_exact_evm_transaction_failed"
	ReasonNoTransfer    = "invalid_exact_evm_transfer_event_mismatch"
	ReasonPending       = "settlement_pending"
	ReasonVerifyError   = "unexpected_verify_error"
	ReasonSettleError   = "unexpected_settle_error"
	ReasonRefused       = "sponsor_refused_"     // and the rule of the sponsor
	ReasonAuthorization = "sponsor_unauthorized" // the API key is unknown, or asks too often
)

// Refusal is why a payment is not good.
type Refusal struct {
	Reason string
	Text   string // one sentence, with the figures
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Text }

func refuse(reason, format string, args ...any) *Refusal {
	return &Refusal{reason, fmt.Sprintf(format, args...)}
}

// VerifyResponse is the answer of POST /verify.
type VerifyResponse struct {
	IsValid bool   `json:"isValid"`
	Reason  string `json:"invalidReason,omitempty"`
	Text    string `json:"invalidMessage,omitempty"`
	Payer   string `json:"payer,omitempty"`
}

// SettleResponse is the answer of POST /settle. Transaction is empty without one.
type SettleResponse struct {
	Success     bool   `json:"success"`
	Reason      string `json:"errorReason,omitempty"`
	Text        string `json:"errorMessage,omitempty"`
	Payer       string `json:"payer,omitempty"`
	Transaction string `json:"transaction"`
	Network     string `json:"network"`
}

// Kind is a form of payment that is served.
type Kind struct {
	Version int            `json:"x402Version"`
	Scheme  string         `json:"scheme"`
	Network string         `json:"network"`
	Extra   map[string]any `json:"extra,omitempty"`
}

// SupportedResponse is the answer of GET /supported.
type SupportedResponse struct {
	Kinds      []Kind              `json:"kinds"`
	Extensions []string            `json:"extensions"`
	Signers    map[string][]string `json:"signers"`
}

// Requirements is what a shop asks for.
type Requirements struct {
	PayTo         common.Address
	Amount        *uint256.Int // wei
	Name, Version string       // of the coin in signatures
}

// Payment is a request to verify or to settle, well formed.
type Payment struct {
	Authorization
	Requirements
	Network string
}

// wireRequest is the body of a request. What is not judged is left out.
type wireRequest struct {
	Version      *int              `json:"x402Version"`
	Payload      *wirePayload      `json:"paymentPayload"`
	Requirements *wireRequirements `json:"paymentRequirements"`
}

type wirePayload struct {
	Version  *int              `json:"x402Version"`
	Accepted *wireRequirements `json:"accepted"`
	Payload  *struct {
		Signature     *string            `json:"signature"`
		Authorization *wireAuthorization `json:"authorization"`
	} `json:"payload"`
}

type wireRequirements struct {
	Scheme  string `json:"scheme"`
	Network string `json:"network"`
	Asset   string `json:"asset"`
	Amount  string `json:"amount"`
	PayTo   string `json:"payTo"`
	Extra   struct {
		Method  string `json:"assetTransferMethod"`
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"extra"`
}

type wireAuthorization struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Value       string `json:"value"`
	ValidAfter  string `json:"validAfter"`
	ValidBefore string `json:"validBefore"`
	Nonce       string `json:"nonce"`
}

// Parse reads a request about the coin at asset on a network, as "eip155:8283". The payment is nil where the request
// does not tell who pays.
func Parse(body []byte, network string, asset common.Address) (*Payment, *Refusal) {
	if len(body) > MaxBody {
		return nil, refuse(ReasonPayload, "the request has %d bytes: at most %d are read", len(body), MaxBody)
	}
	var w wireRequest
	decoder := json.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(&w)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text names a type of Go
		return nil, refuse(ReasonPayload, "%s is a %s: the specification of x402 says how it is written",
			cmp.Or(wrong.Field, "the request"), wrong.Value)
	}
	if err != nil {
		return nil, refuse(ReasonPayload, "the request is no JSON object of x402: %v", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, refuse(ReasonPayload, "the request goes on after its JSON object")
	}
	if w.Payload == nil || w.Requirements == nil {
		return nil, refuse(ReasonPayload, "the request lacks paymentPayload or paymentRequirements")
	}
	for _, version := range []*int{w.Version, w.Payload.Version} {
		if version == nil || *version != Version {
			return nil, refuse(ReasonVersion, "x402Version is %s: version %d alone is served", number(version), Version)
		}
	}
	if w.Payload.Payload == nil || w.Payload.Payload.Authorization == nil {
		return nil, refuse(ReasonTransfer, "paymentPayload.payload has no authorization of EIP-3009")
	}
	p := &Payment{Network: network}
	if refusal := p.Authorization.read(w.Payload.Payload.Authorization); refusal != nil {
		return nil, refusal
	}
	if w.Payload.Payload.Signature == nil {
		return p, refuse(ReasonParse, "paymentPayload.payload has no signature")
	}
	if refusal := p.Authorization.readSignature(*w.Payload.Payload.Signature); refusal != nil {
		return p, refusal
	}
	return p, p.readRequirements(w.Payload.Accepted, w.Requirements, asset)
}

func number(n *int) string {
	if n == nil {
		return "missing"
	}
	return fmt.Sprint(*n)
}

// quote repeats a value of a request, shortened.
func quote(text string) string { return strconv.Quote(tomltext.Shortened(text)) }

// readRequirements takes what the shop asks for, and compares it with what the customer has accepted.
func (p *Payment) readRequirements(accepted, w *wireRequirements, asset common.Address) *Refusal {
	if accepted == nil {
		return refuse(ReasonPayload, "paymentPayload.accepted is missing")
	}
	for _, scheme := range []string{w.Scheme, accepted.Scheme} {
		if scheme != Scheme {
			return refuse(ReasonScheme, "the scheme is %s: %q alone is served", quote(scheme), Scheme)
		}
	}
	if w.Network != p.Network {
		return refuse(ReasonNetwork, "the network is %s: this facilitator serves %q", quote(w.Network), p.Network)
	}
	if accepted.Network != w.Network {
		return refuse(ReasonMismatch, "the customer has accepted network %s: %q is required",
			quote(accepted.Network), w.Network)
	}
	if w.Extra.Method != "" && w.Extra.Method != "eip3009" {
		return refuse(ReasonTransfer, "assetTransferMethod is %s: \"eip3009\" alone is served", quote(w.Extra.Method))
	}
	coin, ok := address(w.Asset)
	if !ok {
		return refuse(ReasonRequirements, "the asset is %s: write the address of the coin, %v", quote(w.Asset), asset)
	}
	if coin != asset {
		return refuse(ReasonAsset, "the asset is %v: the coin at %v alone is served", coin, asset)
	}
	if p.Requirements.PayTo, ok = address(w.PayTo); !ok {
		return refuse(ReasonRequirements, "payTo is %s: write the address of who is paid", quote(w.PayTo))
	}
	if p.Requirements.Amount, ok = integer(w.Amount); !ok || p.Requirements.Amount.IsZero() {
		return refuse(ReasonRequirements, "the amount is %s: write wei in decimal digits, above 0", quote(w.Amount))
	}
	if p.PayTo == asset {
		return refuse(ReasonRequirements, "payTo is the contract of the coin: write the address of who is paid")
	}
	p.Requirements.Name, p.Requirements.Version = w.Extra.Name, w.Extra.Version
	if w.Extra.Name == "" || w.Extra.Version == "" {
		return refuse(ReasonDomain, "extra.name or extra.version is missing: /supported has both")
	}
	return nil
}

// Authorization is a signed authorization of EIP-3009. Amounts are wei, times are seconds since 1970.
type Authorization struct {
	From, To                       common.Address
	Value, ValidAfter, ValidBefore *uint256.Int
	Nonce                          common.Hash
	Signature                      [crypto.SignatureLength]byte // r, s and 0 or 1
}

func (a *Authorization) read(w *wireAuthorization) *Refusal {
	for _, f := range []struct {
		name, text string
		to         *common.Address
	}{{"from", w.From, &a.From}, {"to", w.To, &a.To}} {
		var ok bool
		if *f.to, ok = address(f.text); !ok {
			return refuse(ReasonPayload, "authorization.%s is %s: write 0x and 40 hexadecimal digits", f.name, quote(f.text))
		}
	}
	for _, f := range []struct {
		name, text string
		to         **uint256.Int
	}{
		{"value", w.Value, &a.Value},
		{"validAfter", w.ValidAfter, &a.ValidAfter},
		{"validBefore", w.ValidBefore, &a.ValidBefore},
	} {
		var ok bool
		if *f.to, ok = integer(f.text); !ok {
			return refuse(ReasonPayload, "authorization.%s is %s: write an integer of 256 bits in decimal digits",
				f.name, quote(f.text))
		}
	}
	nonce, err := hexutil.Decode(w.Nonce)
	if err != nil || len(nonce) != common.HashLength {
		return refuse(ReasonPayload, "authorization.nonce is %s: write 0x and 64 hexadecimal digits", quote(w.Nonce))
	}
	a.Nonce = common.Hash(nonce)
	return nil
}

func (a *Authorization) readSignature(text string) *Refusal {
	signature, err := hexutil.Decode(text)
	if err != nil || len(signature) != crypto.SignatureLength {
		return refuse(ReasonParse, "the signature is %s: write the 65 bytes of an account with a key", quote(text))
	}
	copy(a.Signature[:], signature)
	if a.Signature[64] >= 27 {
		a.Signature[64] -= 27
	}
	if a.Signature[64] > 1 {
		return refuse(ReasonSignature, "the last byte of the signature is %d: 27 and 28 are allowed", signature[64])
	}
	return nil
}

// address reads an address. The letter case is not judged.
func address(text string) (common.Address, bool) {
	b, err := hexutil.Decode(text)
	if err != nil || len(b) != common.AddressLength {
		return common.Address{}, false
	}
	return common.Address(b), true
}

var integerPattern = regexp.MustCompile(`^(0|[1-9][0-9]{0,77})$`)

func integer(text string) (*uint256.Int, bool) {
	if !integerPattern.MatchString(text) {
		return nil, false
	}
	n, err := uint256.FromDecimal(text)
	return n, err == nil
}
