// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {GovBase} from "./GovBase.sol";

/// @title Pause by governance
/// @notice What the two minter governances share about being paused. Where the flag is stored is theirs to say.
/// @dev Specification: system contracts, sections 4.2 and 5.2.
abstract contract EmergencyPause is GovBase {
    /// @notice Action: pause. No arguments.
    bytes32 public constant ACTION_PAUSE = keccak256("PAUSE");
    /// @notice Action: end the pause. No arguments.
    bytes32 public constant ACTION_UNPAUSE = keccak256("UNPAUSE");

    /// @notice The contract was paused. The number is that of its newest proposal.
    event EmergencyPaused(uint256 indexed proposalId);
    /// @notice The pause ended. The number is that of the contract's newest proposal.
    event EmergencyUnpaused(uint256 indexed proposalId);

    /// @notice The contract is paused.
    error ContractPaused();
    /// @notice The contract is not paused.
    error ContractNotPaused();

    modifier whenNotPaused() {
        if (_paused()) revert ContractPaused();
        _;
    }

    /// @notice Proposes to pause.
    /// @return The number of the proposal
    function proposePause() external onlyActiveMember whenNotPaused returns (uint256) {
        return _propose(ACTION_PAUSE, "");
    }

    /// @notice Proposes to end the pause.
    /// @return The number of the proposal
    function proposeUnpause() external onlyActiveMember returns (uint256) {
        if (!_paused()) revert ContractNotPaused();
        return _propose(ACTION_UNPAUSE, "");
    }

    function _paused() internal view virtual returns (bool);

    function _setPaused(bool paused) internal virtual;

    /// @dev Runs one of the two actions; false for any other.
    function _performPause(bytes32 actionType) internal returns (bool) {
        if (actionType == ACTION_PAUSE) {
            _setPaused(true);
            emit EmergencyPaused(currentProposalId);
            return true;
        }
        if (actionType == ACTION_UNPAUSE) {
            _setPaused(false);
            emit EmergencyUnpaused(currentProposalId);
            return true;
        }
        return false;
    }
}
