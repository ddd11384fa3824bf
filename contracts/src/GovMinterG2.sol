// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {GovMinter} from "./GovMinter.sol";

/// @title Governance of minting and burning, second generation
/// @notice Keeps the coins of a burn that is not executed until their requester claims them.
contract GovMinterG2 is GovMinter {
    /// @notice Coins that a requester can claim: of burns that ended otherwise.
    mapping(address => uint256) public refundableBalance;

    /// @notice Coins of a burn that ended otherwise can be claimed.
    event BurnDepositRefunded(uint256 indexed proposalId, address indexed requester, uint256 amount);
    /// @notice Coins were claimed.
    event BurnRefundClaimed(address indexed requester, uint256 amount);

    /// @notice There is nothing to claim.
    error NoRefundAvailable();
    /// @notice The caller does not accept the coins.
    error RefundTransferFailed();

    /// @notice Sends the caller the coins it is owed.
    function claimBurnRefund() external {
        uint256 amount = refundableBalance[msg.sender];
        if (amount == 0) revert NoRefundAvailable();
        delete refundableBalance[msg.sender];
        (bool ok,) = msg.sender.call{value: amount}("");
        if (!ok) revert RefundTransferFailed();
        emit BurnRefundClaimed(msg.sender, amount);
    }

    function _mintable(uint256 allowance, uint256 reserved) internal pure override returns (uint256) {
        return allowance > reserved ? allowance - reserved : 0;
    }

    function _refund(uint256 proposalId, address requester, uint256 amount) internal override {
        refundableBalance[requester] += amount;
        emit BurnDepositRefunded(proposalId, requester, amount);
    }

    function _forgetBurn(uint256 proposalId) internal override {
        delete burnProposals[proposalId];
    }
}
