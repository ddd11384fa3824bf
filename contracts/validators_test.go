// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"crypto/ecdsa"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
)

// testKey returns the n-th key of the tests.
func testKey(t tester, n byte) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(common.LeftPadBytes([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// possession returns a BLS public key and the proof of possession of its secret.
func possession(t tester, n byte) (key, signature []byte) {
	t.Helper()
	secret, err := bls.DeriveKey(testKey(t, n))
	if err != nil {
		t.Fatal(err)
	}
	return secret.PublicKey().Bytes(), secret.ProofOfPossession()
}

// A member registers and changes its key and address. Validators and keys of other members cannot be taken (spec
// system-contracts 3.2).
func TestConfigureValidator(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		keyA, signedA := possession(t, 1)
		keyB, signedB := possession(t, 2)
		x, y := address(0x111), address(0x222)
		m2s := validatorOf(m2)
		configure := func(from, validator common.Address, key, signature []byte) outcome {
			return w.send(from, govValidator, "configureValidator", validator, key, signature)
		}
		w.failed("NotAMember", configure(outsider, x, keyA, signedA), "outsider")
		w.failed("InvalidValidator", configure(m1, common.Address{}, keyA, signedA), "zero")
		w.failed("AlreadyValidatorExists", configure(m1, m2s.Address, keyA, signedA), "validator of another")
		w.failed("InvalidBlsKeyLength", configure(m1, x, keyA[1:], signedA), "short key")
		w.failed("InvalidSignatureLength", configure(m1, x, keyA, signedA[1:]), "short signature")
		w.failed("FailedToVerifyBlsKey", configure(m1, x, make([]byte, 48), signedA), "no point")
		w.failed("InvalidBlsKey", configure(m1, x, keyA, signedB), "signature of another")

		// Another address: the old one is forgotten altogether.
		old := validatorOf(m1)
		w.succeeds(configure(m1, x, keyA, signedA), "other address")
		w.equal(false, govValidator, "isValidator", old.Address)
		w.equal(common.Address{}, govValidator, "validatorToOperator", old.Address)
		w.equal([]byte{}, govValidator, "validatorToBlsKey", old.Address)
		w.equal(common.Address{}, govValidator, "blsKeyToValidator", []byte(old.BLSPublicKey))
		w.equal(true, govValidator, "isValidator", x)
		w.equal(m1, govValidator, "validatorToOperator", x)
		w.equal(x, govValidator, "operatorToValidator", m1)
		w.equal(keyA, govValidator, "validatorToBlsKey", x)
		w.equal(x, govValidator, "blsKeyToValidator", keyA)
		w.equal(3, govValidator, "validatorCount")
		w.equal([]common.Address{validatorOf(m3).Address, m2s.Address, x}, govValidator, "validatorList")

		w.failed("NoConfigurationChanging", configure(m1, x, keyA, signedA), "the same")
		w.failed("AlreadyRegisteredBlsKey", configure(m2, m2s.Address, keyA, signedA), "key of another")
		w.failed("AlreadyRegisteredBlsKey", configure(m2, y, keyA, signedA), "key of another at another address")

		// Another key, then the same key at another address.
		w.succeeds(configure(m1, x, keyB, signedB), "other key")
		w.equal(common.Address{}, govValidator, "blsKeyToValidator", keyA)
		w.equal(keyB, govValidator, "validatorToBlsKey", x)
		w.succeeds(configure(m1, y, keyB, signedB), "same key, other address")
		w.equal(y, govValidator, "blsKeyToValidator", keyB)
		w.equal(false, govValidator, "isValidator", x)

		// A precompile that answers less than a word.
		w.setCode(address(0x777), answerShort)
		w.setToken(govValidator, address(0x777)) // slot 0x32 is the precompile here
		w.failed("FailedToVerifyBlsKey", configure(m1, x, keyA, signedA), "short answer")
	})
}

// A new member registers its validator. A member that replaces its address keeps the validator; a leaving member
// removes it (spec system-contracts 3.2).
func TestValidatorsOfMembers(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		key, signature := possession(t, 1)
		x := address(0x111)
		w.must(m1, govValidator, "proposeAddMember", m4, uint32(2))
		w.must(m2, govValidator, "approveProposal", id(1))
		w.equal(common.Address{}, govValidator, "operatorToValidator", m4)
		w.equal(3, govValidator, "validatorCount")

		// A member without a validator can be added and removed.
		w.must(m4, govValidator, "changeMember", m5)
		w.equal(common.Address{}, govValidator, "operatorToValidator", m5)
		w.must(m5, govValidator, "configureValidator", x, key, signature)
		w.equal(4, govValidator, "validatorCount")
		w.must(m5, govValidator, "changeMember", m4)
		w.equal(x, govValidator, "operatorToValidator", m4)
		w.equal(m4, govValidator, "validatorToOperator", x)
		w.equal(common.Address{}, govValidator, "operatorToValidator", m5)
		w.equal(key, govValidator, "validatorToBlsKey", x)

		w.must(m1, govValidator, "proposeAddMember", outsider, uint32(2))
		w.must(m2, govValidator, "approveProposal", id(2))
		w.must(m1, govValidator, "proposeRemoveMember", outsider, uint32(2)) // no validator, so nothing keeps it
		w.must(m2, govValidator, "approveProposal", id(3))
		w.equal(4, govValidator, "validatorCount")

		w.must(m1, govValidator, "proposeAddMember", m5, uint32(2))
		w.must(m2, govValidator, "approveProposal", id(4))
		key2, signature2 := possession(t, 2)
		w.must(m5, govValidator, "configureValidator", address(0x222), key2, signature2)
		w.must(m1, govValidator, "proposeRemoveMember", m4, uint32(2))
		w.must(m2, govValidator, "approveProposal", id(5))
		w.equal(false, govValidator, "isValidator", x)
		w.equal([]byte{}, govValidator, "validatorToBlsKey", x)
		w.equal(common.Address{}, govValidator, "blsKeyToValidator", key)
		w.equal(common.Address{}, govValidator, "validatorToOperator", x)
		w.equal(4, govValidator, "validatorCount")
	})
}

// A proposal of another version with a tip out of bounds is not executed.
func TestGasTipFromBeforeAnUpgrade(t *testing.T) {
	onBuilds(t, func(t *testing.T, b build) {
		w := funded(t, b, "g1", 2, 3)
		tip := big.NewInt(5e12)
		w.must(m1, govValidator, "proposeGasTip", tip)
		// callData is longer than 31 bytes, so its words stand at the hash of the slot.
		slot := new(big.Int).Add(mapSlot(common.BigToHash(id(1)), 7).Big(), big.NewInt(7))
		data := crypto.Keccak256Hash(common.BigToHash(slot).Bytes())
		if w.state.GetState(govValidator, data) != common.BigToHash(tip) {
			t.Fatal("the proposal's data is not where the specification says")
		}
		w.state.SetState(govValidator, data, common.BigToHash(big.NewInt(5)))
		w.must(m2, govValidator, "approveProposal", id(1))
		w.refuses("InvalidGasTip", m1, govValidator, "executeProposal", id(1))
		w.must(m1, govValidator, "executeWithFailure", id(1))
	})
}
