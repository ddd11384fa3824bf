// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

/// @title Recovery of signers with the messages of the coin's interface
/// @dev Specification: system contracts, section 2.2.
library ECRecover {
    /// @dev Half the order of secp256k1: the largest s of the two signatures that a message has (EIP-2).
    uint256 private constant MAX_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// @dev Returns the signer of a hash. The signature is r, s and v, 65 bytes.
    function recover(bytes32 hash, bytes memory signature) internal pure returns (address signer) {
        require(signature.length == 65, "ECRecover: invalid signature length");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
        require(uint256(s) <= MAX_S, "ECRecover: invalid signature 's' value");
        require(v == 27 || v == 28, "ECRecover: invalid signature 'v' value");
        signer = ecrecover(hash, v, r, s);
        require(signer != address(0), "ECRecover: invalid signature");
    }
}
