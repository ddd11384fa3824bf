// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {GovBase} from "./GovBase.sol";

/// @title Governance of the validators and of the gas tip
/// @notice Each member may run one validator with one BLS key. The client reads the list at the end of every epoch and the
/// gas tip at every block.
/// @dev Specification: system contracts, section 3.
contract GovValidator is GovBase {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @notice Action: another gas tip. Arguments: (uint256), in wei.
    bytes32 public constant ACTION_SET_GAS_TIP = keccak256("SET_GAS_TIP");
    /// @notice Bytes of a BLS public key.
    uint256 public constant BLS_PUBLIC_KEY_LENGTH = 48;
    /// @notice Bytes of a BLS signature.
    uint256 public constant BLS_SIGNATURE_LENGTH = 96;

    /// @dev The smallest number of validators that goes on without one of them. A network that has it keeps it.
    uint256 private constant FAULT_TOLERANT = 4;
    /// @dev Bounds of a proposed gas tip in wei: 1 gwei, below which getGasTipGwei shows nothing, and the highest base fee.
    /// Above that the votes for a lower tip would be hard to pay for.
    uint256 private constant MIN_GAS_TIP = 1 gwei;
    uint256 private constant MAX_GAS_TIP = 20_000_000 gwei;

    /// @notice The client's contract that verifies proofs of possession.
    address public blsPoP;
    EnumerableSet.AddressSet private _validators;
    /// @notice The member that runs a validator.
    mapping(address => address) public validatorToOperator;
    /// @notice The validator that a member runs.
    mapping(address => address) public operatorToValidator;
    /// @notice The BLS public key of a validator.
    mapping(address => bytes) public validatorToBlsKey;
    /// @notice The validator with a BLS public key.
    mapping(bytes => address) public blsKeyToValidator;
    /// @notice What a proposer gets for each unit of gas, in wei.
    uint256 public gasTip;

    /// @notice The gas tip was set.
    event GasTipUpdated(uint256 oldTip, uint256 newTip, address indexed updater);

    /// @notice The address cannot be a validator, or its member cannot leave: too few validators would remain.
    error InvalidValidator();
    /// @notice Another member runs this validator.
    error AlreadyValidatorExists();
    /// @notice The validator has this key already.
    error NoConfigurationChanging();
    /// @notice A BLS public key has 48 bytes.
    error InvalidBlsKeyLength();
    /// @notice A BLS signature has 96 bytes.
    error InvalidSignatureLength();
    /// @notice Another validator has this key.
    error AlreadyRegisteredBlsKey();
    /// @notice The key or the signature is not a point that can be verified.
    error FailedToVerifyBlsKey();
    /// @notice The signature does not prove possession of the key.
    error InvalidBlsKey();
    /// @notice The gas tip is out of bounds.
    error InvalidGasTip();
    /// @notice The gas tip is this one already.
    error SameGasTip();

    /// @notice Registers the caller's validator, or changes its key or address. It needs no vote and takes effect with the
    /// next epoch.
    /// @param _newValidator The address that signs blocks
    /// @param _blsKey Its BLS public key, 48 bytes
    /// @param _blsSig The signature of the key over itself, 96 bytes
    function configureValidator(address _newValidator, bytes calldata _blsKey, bytes calldata _blsSig)
        external
        onlyActiveMember
    {
        if (_newValidator == address(0)) revert InvalidValidator();
        address operator = validatorToOperator[_newValidator];
        if (operator != address(0) && operator != msg.sender) revert AlreadyValidatorExists();
        _requirePossession(_blsKey, _blsSig);
        address current = operatorToValidator[msg.sender];
        address holder = blsKeyToValidator[_blsKey];
        if (holder != address(0) && holder != current) revert AlreadyRegisteredBlsKey();
        if (current == _newValidator) {
            if (holder == current) revert NoConfigurationChanging();
            delete blsKeyToValidator[validatorToBlsKey[current]];
        } else {
            if (current != address(0)) _release(msg.sender, current);
            _validators.add(_newValidator);
            validatorToOperator[_newValidator] = msg.sender;
            operatorToValidator[msg.sender] = _newValidator;
        }
        validatorToBlsKey[_newValidator] = _blsKey;
        blsKeyToValidator[_blsKey] = _newValidator;
    }

    /// @notice Proposes another gas tip.
    /// @param _newTip The tip in wei, from 1 gwei to 20 million gwei
    /// @return The number of the proposal
    function proposeGasTip(uint256 _newTip) external onlyActiveMember returns (uint256) {
        if (_newTip == gasTip) revert SameGasTip();
        _refuse(_refusalOfTip(_newTip));
        return _propose(ACTION_SET_GAS_TIP, abi.encode(_newTip));
    }

    /// @notice Returns the gas tip in gwei, rounded down.
    /// @return The tip
    function getGasTipGwei() external view returns (uint256) {
        return gasTip / 1 gwei;
    }

    /// @notice Tells whether an address is a validator.
    /// @param _validator The address
    /// @return Whether it is
    function isValidator(address _validator) external view returns (bool) {
        return _validators.contains(_validator);
    }

    /// @notice Returns the validators. Their order changes when one leaves.
    /// @return The addresses
    function validatorList() external view returns (address[] memory) {
        return _validators.values();
    }

    /// @notice Returns the number of validators.
    /// @return The number
    function validatorCount() external view returns (uint256) {
        return _validators.length();
    }

    function _refusalOfTip(uint256 newTip) private pure returns (bytes4) {
        return newTip < MIN_GAS_TIP || newTip > MAX_GAS_TIP ? InvalidGasTip.selector : bytes4(0);
    }

    function _refusal(bytes32 actionType, bytes memory callData) internal pure override returns (bytes4, bool) {
        if (actionType != ACTION_SET_GAS_TIP) return (0, false);
        return (_refusalOfTip(abi.decode(callData, (uint256))), false);
    }

    function _perform(bytes32 actionType, bytes memory callData) internal override returns (bool) {
        if (actionType != ACTION_SET_GAS_TIP) return false;
        uint256 newTip = abi.decode(callData, (uint256));
        emit GasTipUpdated(gasTip, newTip, msg.sender);
        gasTip = newTip;
        return true;
    }

    /// @dev The last validator stays, and so do the last four.
    function _refusalToRelease(address member) internal view override returns (bytes4) {
        if (operatorToValidator[member] == address(0)) return 0;
        uint256 count = _validators.length();
        return count == 1 || count == FAULT_TOLERANT ? InvalidValidator.selector : bytes4(0);
    }

    function _onMemberRemoved(address member) internal override {
        address validator = operatorToValidator[member];
        if (validator != address(0)) _release(member, validator);
    }

    function _onMemberChanged(address oldMember, address newMember) internal override {
        address validator = operatorToValidator[oldMember];
        if (validator == address(0)) return;
        delete operatorToValidator[oldMember];
        operatorToValidator[newMember] = validator;
        validatorToOperator[validator] = newMember;
    }

    /// @dev Forgets a validator and its key.
    function _release(address operator, address validator) private {
        _validators.remove(validator);
        delete blsKeyToValidator[validatorToBlsKey[validator]];
        delete validatorToBlsKey[validator];
        delete validatorToOperator[validator];
        delete operatorToValidator[operator];
    }

    function _requirePossession(bytes calldata blsKey, bytes calldata blsSig) private view {
        if (blsKey.length != BLS_PUBLIC_KEY_LENGTH) revert InvalidBlsKeyLength();
        if (blsSig.length != BLS_SIGNATURE_LENGTH) revert InvalidSignatureLength();
        (bool ok, bytes memory output) = blsPoP.staticcall(bytes.concat(blsKey, blsSig));
        if (!ok || output.length != 32) revert FailedToVerifyBlsKey();
        if (abi.decode(output, (uint256)) != 1) revert InvalidBlsKey();
    }
}
