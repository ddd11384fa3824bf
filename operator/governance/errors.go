// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/dial"
)

// Refusal is the error of a contract.
type Refusal struct {
	Contract string `json:"contract"`
	Name     string `json:"name"` // name of the contract's error; empty for a text
	Text     string `json:"text"`
}

func (r *Refusal) Error() string { return r.Contract + ": " + r.Text }

// errorTexts describes the errors of the contracts (spec system-contracts 1.5, 3.2, 4.2, 5.2, 6.2).
var errorTexts = map[string]string{
	"AlreadyAMember":        "that address is a member already",
	"AlreadyApproved":       "this member has voted on the proposal already",
	"DuplicateMember":       "a member is named twice",
	"IndexOutOfBounds":      "there is nothing at that position, or the list is empty or longer than is allowed",
	"InsufficientApprovals": "the proposal has too few approvals to be executed",
	"InvalidMaxProposals":   "a member can be allowed 1 to 50 open proposals",
	"InvalidMemberAddress":  "that is no address for a member",
	"InvalidMemberVersion":  "there is no such version of the list of members",
	"InvalidProposal":       "there is no such proposal",
	"InvalidProposalExpiry": "the contract was set up without a time in which proposals expire, so it takes none",
	"InvalidQuorum": "that quorum does not fit the number of members: one member needs 1, several need at " +
		"least 2 and at most all",
	"MemberIndexOverflow":     "the contract has as many members as it can have",
	"NotAMember":              "the sender, or the address to be removed, is no member",
	"NotProposer":             "only the proposer can cancel the proposal",
	"ProposalAlreadyInVoting": "the proposal cannot be canceled any more: others have voted on it",
	"ProposalNotExecutable":   "the proposal is not approved, or is over",
	"ProposalNotInVoting":     "the proposal is over, or is no longer being voted on",
	"ReentrantCall":           "the contract was called while it executed a proposal",
	"TooManyActiveProposals": "the sender has as many open proposals as a member can have: cancel one, close one that " +
		"has expired, or wait until one ends",
	"TooManyExecutionAttempts": "the proposal was tried too often",

	"AlreadyRegisteredBlsKey": "that BLS key belongs to another validator",
	"AlreadyValidatorExists":  "that validator belongs to another operator",
	"FailedToVerifyBlsKey":    "the proof of possession could not be checked on this chain",
	"InvalidBlsKey":           "the proof of possession is not one for that BLS key",
	"InvalidBlsKeyLength":     "a BLS public key has 48 bytes",
	"InvalidGasTip":           "the gas tip is outside of its bounds, 1 gwei to 20000000 gwei",
	"InvalidSignatureLength":  "a proof of possession has 96 bytes",
	"InvalidValidator": "that address cannot be a validator, or too few would be left: a set of four gets no " +
		"smaller, so add the new one first",
	"NoConfigurationChanging": "the validator is registered with that BLS key already",
	"SameGasTip":              "that is the gas tip already",

	"ContractNotPaused":         "the contract is not paused",
	"ContractPaused":            "the contract is paused: unpause it first",
	"InvalidAllowance":          "the allowance is 0 or above the maximum",
	"InvalidMinterAddress":      "that is no address for a minter",
	"InvalidTokenAddress":       "the contract has no token",
	"MinterAllowanceExceeded":   "the minter's allowance is exceeded",
	"MinterConfigurationFailed": "the token did not take the minter",
	"MinterRemovalFailed":       "the token did not remove the minter",
	"NotAMinter":                "that address is no minter",
	"TokenOperationFailed":      "the token refused",
	"TooManyMinters":            "there are too many minters",

	"BurnAmountMismatch":      "the coins sent along are not the amount to be burnt",
	"BurnFromMustBeProposer":  "members burn their own coins only",
	"DepositIdAlreadyUsed":    "coins were minted for that deposit already",
	"DepositIdInUse":          "there is an open proposal for that deposit",
	"InsufficientBurnBalance": "the contract holds too few coins of that account",
	"InsufficientMinterAllowance": "that is more than GovMinter may still mint: raise its allowance by gwon gov propose " +
		"minter, or wait until open proposals end",
	"InvalidAmount":           "the amount cannot be 0",
	"InvalidBankReference":    "a bank reference is needed",
	"InvalidBeneficiary":      "that is no address to mint to",
	"InvalidDepositId":        "a deposit ID is needed",
	"InvalidProofData":        "the proof data is empty or malformed",
	"InvalidTargetAddress":    "that is no address to burn from",
	"InvalidWithdrawalId":     "a withdrawal ID is needed",
	"MintFailed":              "the token did not mint",
	"NoRefundAvailable":       "there is nothing to be paid back to the sender",
	"ProofAlreadyUsed":        "exactly this was proposed before: another memo makes another proof",
	"RefundTransferFailed":    "the sender does not take the coins",
	"WithdrawalIdAlreadyUsed": "coins were burnt for that withdrawal already",
	"WithdrawalIdInUse":       "there is an open proposal for that withdrawal",

	"AddressAlreadyExists":           "an address is named twice",
	"AddressNotFound":                "no address is named",
	"AlreadyInAuthorizedAccountList": "an account is authorized already",
	"AlreadyInBlacklist":             "an account is on the blacklist already",
	"NotInAuthorizedAccountList":     "an account is not authorized",
	"NotInBlacklist":                 "an account is not on the blacklist",
	"ZeroAddressNotAllowed":          "the zero address is no account",
}

// Explain returns the description of a system contract's error, "" for an unknown one.
func Explain(name string) string { return errorTexts[name] }

// contractErrors maps selectors to the error names of all contracts.
var contractErrors = sync.OnceValue(func() map[[4]byte]string {
	names := make(map[[4]byte]string)
	for _, contract := range interfaces() {
		for name, e := range contract.Errors {
			names[[4]byte(e.ID[:4])] = name
		}
	}
	return names
})

// decodeRefusal decodes the data of a revert.
func decodeRefusal(k Contract, data []byte) *Refusal {
	r := &Refusal{Contract: k.title}
	if len(data) < 4 {
		r.Text = "it refuses without a reason (the function may not exist in this version of the contract)"
		return r
	}
	if name, ok := contractErrors()[[4]byte(data[:4])]; ok {
		r.Name, r.Text = name, fmt.Sprintf("%s (%s)", errorTexts[name], name)
		return r
	}
	if text, err := abi.UnpackRevert(data); err == nil {
		r.Text = strconv.Quote(text) // quoted, because it may contain control characters
		if bytes.Equal(data[:4], panicSelector) {
			r.Text = "an internal check failed: " + text
		}
		return r
	}
	r.Text = "it refuses with an error that this program does not know: " + hexutil.Encode(data)
	return r
}

// panicSelector is the selector of errors that the compiler's checks revert with.
var panicSelector = []byte{0x4e, 0x48, 0x7b, 0x71}

// sentence converts a node's error into a Refusal if a contract reverted.
func sentence(k Contract, err error) error {
	if withData, ok := errors.AsType[rpc.DataError](err); ok {
		if text, ok := withData.ErrorData().(string); ok {
			if data, decodeErr := hexutil.Decode(text); decodeErr == nil {
				return decodeRefusal(k, data)
			}
		}
	}
	if answer, ok := errors.AsType[rpc.Error](err); ok && answer.Error() == dial.Reverted {
		return decodeRefusal(k, nil)
	}
	if found := blacklistedAccount.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("the account %s is on the blacklist: it can neither send nor receive anything", found[1])
	}
	return err
}

// blacklistedAccount matches a node's error about a blacklisted account (spec chain 6).
var blacklistedAccount = regexp.MustCompile(`blacklisted account:? (0x[0-9a-fA-F]{40})`)
