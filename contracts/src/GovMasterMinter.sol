// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {EmergencyPause} from "./EmergencyPause.sol";
import {IFiatToken} from "./IFiatToken.sol";

/// @title Governance of the minters
/// @notice Master minter of the coin: makes accounts minters, sets what they may mint, and takes the role away.
/// @dev Specification: system contracts, section 4.
contract GovMasterMinter is EmergencyPause {
    /// @notice Action: configure a minter. Arguments: (address minter, uint256 allowance).
    bytes32 public constant ACTION_CONFIGURE_MINTER = keccak256("CONFIGURE_MINTER");
    /// @notice Action: remove a minter. Arguments: (address minter).
    bytes32 public constant ACTION_REMOVE_MINTER = keccak256("REMOVE_MINTER");
    /// @notice Action: another largest allowance. Arguments: (uint256).
    bytes32 public constant ACTION_UPDATE_MAX_MINTER_ALLOWANCE = keccak256("UPDATE_MAX_MINTER_ALLOWANCE");

    /// @notice The coin.
    address public fiatToken;
    /// @notice The largest allowance that a minter can be given.
    uint256 public maxMinterAllowance;
    /// @notice Whether this contract made an account a minter.
    mapping(address => bool) public isMinter;
    address[] private _minters;
    /// @dev Position in the list, from 1.
    mapping(address minter => uint256) private _minterIndex;
    /// @notice Whether the contract is paused.
    bool public emergencyPaused;

    /// @notice A minter was made, or got another allowance.
    event MinterConfigured(address indexed minter, uint256 allowance);
    /// @notice A minter was removed.
    event MinterRemoved(address indexed minter);
    /// @notice The largest allowance was set.
    event MaxMinterAllowanceUpdated(uint256 oldLimit, uint256 newLimit);

    /// @notice Part of the interface; never raised.
    error InvalidTokenAddress();
    /// @notice The zero address cannot be a minter.
    error InvalidMinterAddress();
    /// @notice The allowance is zero or above the largest one.
    error InvalidAllowance();
    /// @notice The account is not a minter.
    error NotAMinter();
    /// @notice The coin refused to configure the minter.
    error MinterConfigurationFailed();
    /// @notice The coin refused to remove the minter.
    error MinterRemovalFailed();
    /// @notice Part of the interface; never raised.
    error TooManyMinters();
    /// @notice Part of the interface; never raised.
    error MinterAllowanceExceeded();
    /// @notice Part of the interface; never raised.
    error TokenOperationFailed();

    // ------------------------------------------------------------------------------------------------ proposals

    /// @notice Proposes a minter, or another allowance of one.
    /// @param minter The account
    /// @param minterAllowedAmount What it may mint from then on, in the coin's smallest unit
    /// @return The number of the proposal
    function proposeConfigureMinter(address minter, uint256 minterAllowedAmount)
        external
        onlyActiveMember
        whenNotPaused
        returns (uint256)
    {
        _refuse(_refusalToConfigure(minter, minterAllowedAmount));
        return _propose(ACTION_CONFIGURE_MINTER, abi.encode(minter, minterAllowedAmount));
    }

    /// @notice Proposes to remove a minter.
    /// @param minter The account
    /// @return The number of the proposal
    function proposeRemoveMinter(address minter) external onlyActiveMember whenNotPaused returns (uint256) {
        _refuse(_refusalToRemoveMinter(minter));
        return _propose(ACTION_REMOVE_MINTER, abi.encode(minter));
    }

    /// @notice Proposes another largest allowance. Allowances that were given stay.
    /// @param newLimit The allowance in the coin's smallest unit
    /// @return The number of the proposal
    function proposeUpdateMaxMinterAllowance(uint256 newLimit) external onlyActiveMember returns (uint256) {
        if (newLimit == 0) revert InvalidAllowance();
        return _propose(ACTION_UPDATE_MAX_MINTER_ALLOWANCE, abi.encode(newLimit));
    }

    // ------------------------------------------------------------------------------------------------ views

    /// @notice Tells whether this contract made an account a minter.
    /// @param minter The account
    /// @return Whether it did
    function getMinterStatus(address minter) external view returns (bool) {
        return isMinter[minter];
    }

    /// @notice Tells whether the coin has an account for a minter.
    /// @param account The account
    /// @return Whether it has
    function getIsMinter(address account) external view returns (bool) {
        return IFiatToken(fiatToken).isMinter(account);
    }

    /// @notice Returns what a minter may still mint.
    /// @param _minter The account
    /// @return The amount in the coin's smallest unit
    function minterAllowance(address _minter) external view returns (uint256) {
        return _allowance(_minter);
    }

    /// @notice Returns what a minter may still mint.
    /// @param minter The account
    /// @return The amount in the coin's smallest unit
    function getMinterAllowance(address minter) external view returns (uint256) {
        return _allowance(minter);
    }

    /// @notice Returns the number of minters.
    /// @return The number
    function getMinterCount() external view returns (uint256) {
        return _minters.length;
    }

    /// @notice Returns a minter. Positions change when one is removed.
    /// @param index The position, from 0
    /// @return minter The account
    /// @return allowance What it may still mint
    function getMinterAt(uint256 index) external view returns (address minter, uint256 allowance) {
        if (index >= _minters.length) revert IndexOutOfBounds();
        minter = _minters[index];
        allowance = _allowance(minter);
    }

    /// @notice Returns the minters.
    /// @return minters The accounts
    /// @return allowances What each may still mint
    function getAllMinters() external view returns (address[] memory minters, uint256[] memory allowances) {
        minters = _minters;
        allowances = new uint256[](minters.length);
        for (uint256 i = 0; i < minters.length; i++) {
            allowances[i] = _allowance(minters[i]);
        }
    }

    /// @notice Returns the number of minters and the sum of what they may still mint.
    /// @return totalMinters The number
    /// @return totalAllowance The sum
    function getMinterStats() external view returns (uint256 totalMinters, uint256 totalAllowance) {
        totalMinters = _minters.length;
        for (uint256 i = 0; i < totalMinters; i++) {
            totalAllowance += _allowance(_minters[i]);
        }
    }

    /// @notice Tells whether a minter of this contract may still mint an amount.
    /// @param minter The account
    /// @param amount The amount
    /// @return Whether it may
    function canMint(address minter, uint256 amount) external view returns (bool) {
        return isMinter[minter] && amount <= _allowance(minter);
    }

    // ------------------------------------------------------------------------------------------------ execution

    function _refusal(bytes32 actionType, bytes memory callData) internal view override returns (bytes4, bool) {
        if (actionType == ACTION_CONFIGURE_MINTER) {
            (address minter, uint256 allowance) = abi.decode(callData, (address, uint256));
            return _orPaused(_refusalToConfigure(minter, allowance));
        }
        if (actionType == ACTION_REMOVE_MINTER) {
            return _orPaused(_refusalToRemoveMinter(abi.decode(callData, (address))));
        }
        if (actionType == ACTION_PAUSE && emergencyPaused) return (ContractPaused.selector, false);
        if (actionType == ACTION_UNPAUSE && !emergencyPaused) return (ContractNotPaused.selector, false);
        return (0, false);
    }

    /// @dev What is wrong for good comes before a pause, which passes.
    function _orPaused(bytes4 refusal) private view returns (bytes4, bool) {
        if (refusal != 0 || !emergencyPaused) return (refusal, false);
        return (ContractPaused.selector, true);
    }

    function _perform(bytes32 actionType, bytes memory callData) internal override returns (bool) {
        if (actionType == ACTION_CONFIGURE_MINTER) {
            (address minter, uint256 allowance) = abi.decode(callData, (address, uint256));
            return _configureMinter(minter, allowance);
        }
        if (actionType == ACTION_REMOVE_MINTER) return _removeMinter(abi.decode(callData, (address)));
        if (actionType == ACTION_UPDATE_MAX_MINTER_ALLOWANCE) {
            uint256 newLimit = abi.decode(callData, (uint256));
            emit MaxMinterAllowanceUpdated(maxMinterAllowance, newLimit);
            maxMinterAllowance = newLimit;
            return true;
        }
        return _performPause(actionType);
    }

    function _configureMinter(address minter, uint256 allowance) private returns (bool) {
        if (!isMinter[minter]) {
            _minters.push(minter);
            _minterIndex[minter] = _minters.length;
            isMinter[minter] = true;
        }
        if (!_callToken(abi.encodeCall(IFiatToken.configureMinter, (minter, allowance)))) {
            revert MinterConfigurationFailed();
        }
        emit MinterConfigured(minter, allowance);
        return true;
    }

    function _removeMinter(address minter) private returns (bool) {
        uint256 index = _minterIndex[minter];
        address last = _minters[_minters.length - 1];
        _minters[index - 1] = last;
        _minterIndex[last] = index;
        _minters.pop();
        delete _minterIndex[minter];
        delete isMinter[minter];
        if (!_callToken(abi.encodeCall(IFiatToken.removeMinter, (minter)))) revert MinterRemovalFailed();
        emit MinterRemoved(minter);
        return true;
    }

    /// @dev Calls the coin. Returns whether it answered yes.
    function _callToken(bytes memory input) private returns (bool) {
        (bool ok, bytes memory output) = fiatToken.call(input);
        return ok && output.length == 32 && abi.decode(output, (uint256)) == 1;
    }

    // ------------------------------------------------------------------------------------------------ checks

    function _refusalToConfigure(address minter, uint256 allowance) private view returns (bytes4) {
        if (minter == address(0)) return InvalidMinterAddress.selector;
        return allowance == 0 || allowance > maxMinterAllowance ? InvalidAllowance.selector : bytes4(0);
    }

    function _refusalToRemoveMinter(address minter) private view returns (bytes4) {
        if (minter == address(0)) return InvalidMinterAddress.selector;
        return isMinter[minter] ? bytes4(0) : NotAMinter.selector;
    }

    function _allowance(address minter) private view returns (uint256) {
        return IFiatToken(fiatToken).minterAllowance(minter);
    }

    function _paused() internal view override returns (bool) {
        return emergencyPaused;
    }

    function _setPaused(bool paused) internal override {
        emergencyPaused = paused;
    }
}
