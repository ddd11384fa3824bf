// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {GovMinter} from "./GovMinter.sol";

/// @title Governance of minting and burning, first generation
/// @notice Sends the coins of a burn that is not executed back at once.
/// @dev It has no function to claim them. What a requester does not take is kept for the second generation to pay out.
contract GovMinterG1 is GovMinter {
    /// @dev Gas for a requester with code. It is bounded, so that no requester makes the end of a proposal expensive.
    uint256 private constant REFUND_GAS = 50_000;

    /// @dev Coins that a requester is owed, where the second generation has them.
    mapping(address requester => uint256) private _refundable;

    function _mintable(uint256 allowance, uint256 reserved) internal pure override returns (uint256) {
        return allowance - reserved;
    }

    function _refund(uint256, address requester, uint256 amount) internal override {
        (bool ok,) = requester.call{value: amount, gas: REFUND_GAS}("");
        if (!ok) _refundable[requester] += amount;
    }
}
