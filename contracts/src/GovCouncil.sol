// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {GovBase} from "./GovBase.sol";
import {IAccountManager, Native} from "./Managers.sol";

/// @title Governance of blacklisted and authorised accounts
/// @notice Keeps the two lists and sets the flags of the accounts through the client's account manager.
/// @dev Specification: system contracts, section 6. The events carry the number of the newest proposal.
contract GovCouncil is GovBase {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @notice Action: blacklist. Arguments: (address).
    bytes32 public constant ACTION_ADD_BLACKLIST = keccak256("ADD_BLACKLIST");
    /// @notice Action: take off the blacklist. Arguments: (address).
    bytes32 public constant ACTION_REMOVE_BLACKLIST = keccak256("REMOVE_BLACKLIST");
    /// @notice Action: authorise. Arguments: (address).
    bytes32 public constant ACTION_ADD_AUTHORIZED_ACCOUNT = keccak256("ADD_AUTHORIZED_ACCOUNT");
    /// @notice Action: end an authorisation. Arguments: (address).
    bytes32 public constant ACTION_REMOVE_AUTHORIZED_ACCOUNT = keccak256("REMOVE_AUTHORIZED_ACCOUNT");
    /// @notice Action: blacklist several. Arguments: (address[]).
    bytes32 public constant ACTION_ADD_BLACKLIST_BATCH = keccak256("ADD_BLACKLIST_BATCH");
    /// @notice Action: take several off the blacklist. Arguments: (address[]).
    bytes32 public constant ACTION_REMOVE_BLACKLIST_BATCH = keccak256("REMOVE_BLACKLIST_BATCH");
    /// @notice Action: authorise several. Arguments: (address[]).
    bytes32 public constant ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH = keccak256("ADD_AUTHORIZED_ACCOUNT_BATCH");
    /// @notice Action: end several authorisations. Arguments: (address[]).
    bytes32 public constant ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH = keccak256("REMOVE_AUTHORIZED_ACCOUNT_BATCH");

    /// @dev Largest number of accounts in a batch: what a block has ample room for.
    uint256 private constant MAX_BATCH = 100;

    /// @dev One of the two lists, and what the client and the log call its changes.
    struct Listing {
        bool authorised; // else the blacklist
        bool adding; // else taking off
    }

    EnumerableSet.AddressSet private _blacklist;
    EnumerableSet.AddressSet private _authorised;
    address private _accountManager;

    /// @notice An account was blacklisted.
    event AddressBlacklisted(address indexed account, uint256 indexed proposalId);
    /// @notice An account was taken off the blacklist.
    event AddressUnblacklisted(address indexed account, uint256 indexed proposalId);
    /// @notice An account was authorised.
    event AuthorizedAccountAdded(address indexed account, uint256 indexed proposalId);
    /// @notice An authorisation ended.
    event AuthorizedAccountRemoved(address indexed account, uint256 indexed proposalId);
    /// @notice An account was left as it was.
    event ProposalExecutionSkipped(address indexed account, uint256 indexed proposalId, string reason);

    /// @notice The account is on the blacklist.
    error AlreadyInBlacklist();
    /// @notice The account is not on the blacklist.
    error NotInBlacklist();
    /// @notice The account is authorised.
    error AlreadyInAuthorizedAccountList();
    /// @notice The account is not authorised.
    error NotInAuthorizedAccountList();
    /// @notice The zero address has no flags.
    error ZeroAddressNotAllowed();
    /// @notice A batch names an account twice.
    error AddressAlreadyExists();
    /// @notice A batch names no account.
    error AddressNotFound();

    // ------------------------------------------------------------------------------------------------ proposals

    /// @notice Proposes to blacklist an account.
    /// @param account The account
    /// @return proposalId The number of the proposal
    function proposeAddBlacklist(address account) external onlyActiveMember returns (uint256 proposalId) {
        return _proposeOne(ACTION_ADD_BLACKLIST, account);
    }

    /// @notice Proposes to take an account off the blacklist.
    /// @param account The account
    /// @return proposalId The number of the proposal
    function proposeRemoveBlacklist(address account) external onlyActiveMember returns (uint256 proposalId) {
        return _proposeOne(ACTION_REMOVE_BLACKLIST, account);
    }

    /// @notice Proposes to blacklist accounts.
    /// @param accounts 1 to 100 different accounts
    /// @return proposalId The number of the proposal
    function proposeAddBlacklistBatch(address[] calldata accounts)
        external
        onlyActiveMember
        returns (uint256 proposalId)
    {
        return _proposeBatch(ACTION_ADD_BLACKLIST_BATCH, accounts);
    }

    /// @notice Proposes to take accounts off the blacklist.
    /// @param accounts 1 to 100 different accounts
    /// @return proposalId The number of the proposal
    function proposeRemoveBlacklistBatch(address[] calldata accounts)
        external
        onlyActiveMember
        returns (uint256 proposalId)
    {
        return _proposeBatch(ACTION_REMOVE_BLACKLIST_BATCH, accounts);
    }

    /// @notice Proposes to authorise an account.
    /// @param account The account
    /// @return proposalId The number of the proposal
    function proposeAddAuthorizedAccount(address account) external onlyActiveMember returns (uint256 proposalId) {
        return _proposeOne(ACTION_ADD_AUTHORIZED_ACCOUNT, account);
    }

    /// @notice Proposes to end an authorisation.
    /// @param account The account
    /// @return proposalId The number of the proposal
    function proposeRemoveAuthorizedAccount(address account) external onlyActiveMember returns (uint256 proposalId) {
        return _proposeOne(ACTION_REMOVE_AUTHORIZED_ACCOUNT, account);
    }

    /// @notice Proposes to authorise accounts.
    /// @param accounts 1 to 100 different accounts
    /// @return proposalId The number of the proposal
    function proposeAddAuthorizedAccountBatch(address[] calldata accounts)
        external
        onlyActiveMember
        returns (uint256 proposalId)
    {
        return _proposeBatch(ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH, accounts);
    }

    /// @notice Proposes to end authorisations.
    /// @param accounts 1 to 100 different accounts
    /// @return proposalId The number of the proposal
    function proposeRemoveAuthorizedAccountBatch(address[] calldata accounts)
        external
        onlyActiveMember
        returns (uint256 proposalId)
    {
        return _proposeBatch(ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH, accounts);
    }

    // ------------------------------------------------------------------------------------------------ views

    /// @notice Tells whether an account carries the blacklisted flag.
    /// @param account The account
    /// @return Whether it does
    function isBlacklisted(address account) external view returns (bool) {
        if (account == address(0)) revert ZeroAddressNotAllowed();
        (bool ok, bool flag) =
            Native.readFlag(_accountManager, abi.encodeCall(IAccountManager.isBlacklisted, (account)));
        require(ok, "GovCouncil: isBlacklisted call failed");
        return flag;
    }

    /// @notice Tells whether an account carries the authorised flag.
    /// @param account The account
    /// @return Whether it does
    function isAuthorizedAccount(address account) external view returns (bool) {
        if (account == address(0)) revert ZeroAddressNotAllowed();
        (bool ok, bool flag) =
            Native.readFlag(_accountManager, abi.encodeCall(IAccountManager.isAuthorized, (account)));
        require(ok, "GovCouncil: isAuthorized call failed");
        return flag;
    }

    /// @notice Returns the number of accounts on the blacklist.
    /// @return The number
    function getBlacklistCount() external view returns (uint256) {
        return _blacklist.length();
    }

    /// @notice Returns an account of the blacklist. Positions change when accounts are taken off.
    /// @param index The position, from 0
    /// @return The account
    function getBlacklistedAddress(uint256 index) external view returns (address) {
        return _at(_blacklist, index);
    }

    /// @notice Returns a part of the blacklist.
    /// @param startIndex The first position, from 0
    /// @param endIndex The last position
    /// @return The accounts
    function getBlacklistRange(uint256 startIndex, uint256 endIndex) external view returns (address[] memory) {
        return _range(_blacklist, startIndex, endIndex);
    }

    /// @notice Returns the blacklist.
    /// @return The accounts
    function getAllBlacklisted() external view returns (address[] memory) {
        return _blacklist.values();
    }

    /// @notice Returns the number of authorised accounts.
    /// @return The number
    function getAuthorizedAccountCount() external view returns (uint256) {
        return _authorised.length();
    }

    /// @notice Returns an authorised account. Positions change when authorisations end.
    /// @param index The position, from 0
    /// @return The account
    function getAuthorizedAccountAddress(uint256 index) external view returns (address) {
        return _at(_authorised, index);
    }

    /// @notice Returns a part of the authorised accounts.
    /// @param startIndex The first position, from 0
    /// @param endIndex The last position
    /// @return The accounts
    function getAuthorizedAccountRange(uint256 startIndex, uint256 endIndex) external view returns (address[] memory) {
        return _range(_authorised, startIndex, endIndex);
    }

    /// @notice Returns the authorised accounts.
    /// @return The accounts
    function getAllAuthorizedAccounts() external view returns (address[] memory) {
        return _authorised.values();
    }

    // ------------------------------------------------------------------------------------------------ execution

    /// @dev Nothing stops an action here: what cannot be done is told by an event.
    function _refusal(bytes32, bytes memory) internal pure override returns (bytes4, bool) {
        return (0, false);
    }

    function _perform(bytes32 actionType, bytes memory callData) internal override returns (bool effect) {
        (bool known, bool batch, Listing memory change) = _meaning(actionType);
        if (!known) return false;
        if (!batch) return _apply(change, abi.decode(callData, (address)));
        address[] memory accounts = abi.decode(callData, (address[]));
        for (uint256 i = 0; i < accounts.length; i++) {
            if (_apply(change, accounts[i])) effect = true;
        }
    }

    function _meaning(bytes32 actionType) private pure returns (bool known, bool batch, Listing memory change) {
        if (actionType == ACTION_ADD_BLACKLIST) return (true, false, Listing(false, true));
        if (actionType == ACTION_REMOVE_BLACKLIST) return (true, false, Listing(false, false));
        if (actionType == ACTION_ADD_AUTHORIZED_ACCOUNT) return (true, false, Listing(true, true));
        if (actionType == ACTION_REMOVE_AUTHORIZED_ACCOUNT) return (true, false, Listing(true, false));
        if (actionType == ACTION_ADD_BLACKLIST_BATCH) return (true, true, Listing(false, true));
        if (actionType == ACTION_REMOVE_BLACKLIST_BATCH) return (true, true, Listing(false, false));
        if (actionType == ACTION_ADD_AUTHORIZED_ACCOUNT_BATCH) return (true, true, Listing(true, true));
        if (actionType == ACTION_REMOVE_AUTHORIZED_ACCOUNT_BATCH) return (true, true, Listing(true, false));
    }

    /// @dev Changes one account. Returns whether it did.
    function _apply(Listing memory change, address account) private returns (bool) {
        EnumerableSet.AddressSet storage set = change.authorised ? _authorised : _blacklist;
        if (set.contains(account) == change.adding) {
            emit ProposalExecutionSkipped(account, currentProposalId, _noChange(change));
            return false;
        }
        (string memory method, bytes memory input) = _managerCall(change, account);
        (bool ok,) = _accountManager.call(input);
        if (!ok) {
            string memory reason = string.concat("GovCouncil: ", method, " call failed");
            emit ProposalExecutionSkipped(account, currentProposalId, reason);
            return false;
        }
        if (change.adding) {
            set.add(account);
            if (change.authorised) emit AuthorizedAccountAdded(account, currentProposalId);
            else emit AddressBlacklisted(account, currentProposalId);
        } else {
            set.remove(account);
            if (change.authorised) emit AuthorizedAccountRemoved(account, currentProposalId);
            else emit AddressUnblacklisted(account, currentProposalId);
        }
        return true;
    }

    function _noChange(Listing memory change) private pure returns (string memory) {
        if (change.authorised) return change.adding ? "ALREADY_AUTHORIZED" : "NOT_AUTHORIZED";
        return change.adding ? "ALREADY_BLACKLISTED" : "NOT_IN_BLACKLIST";
    }

    function _managerCall(Listing memory change, address account)
        private
        pure
        returns (string memory method, bytes memory input)
    {
        if (change.authorised) {
            return change.adding
                ? ("authorize", abi.encodeCall(IAccountManager.authorize, (account)))
                : ("unAuthorize", abi.encodeCall(IAccountManager.unAuthorize, (account)));
        }
        return change.adding
            ? ("blacklist", abi.encodeCall(IAccountManager.blacklist, (account)))
            : ("unBlacklist", abi.encodeCall(IAccountManager.unBlacklist, (account)));
    }

    // ------------------------------------------------------------------------------------------------ checks

    function _proposeOne(bytes32 actionType, address account) private returns (uint256) {
        _check(actionType, account);
        return _propose(actionType, abi.encode(account));
    }

    function _proposeBatch(bytes32 actionType, address[] calldata accounts) private returns (uint256) {
        if (accounts.length == 0) revert AddressNotFound();
        if (accounts.length > MAX_BATCH) revert IndexOutOfBounds();
        for (uint256 i = 0; i < accounts.length; i++) {
            _check(actionType, accounts[i]);
            for (uint256 k = 0; k < i; k++) {
                if (accounts[k] == accounts[i]) revert AddressAlreadyExists();
            }
        }
        return _propose(actionType, abi.encode(accounts));
    }

    function _check(bytes32 actionType, address account) private view {
        (,, Listing memory change) = _meaning(actionType);
        if (change.adding && account == address(0)) revert ZeroAddressNotAllowed();
        if (change.authorised) {
            bool listed = _authorised.contains(account);
            if (change.adding && listed) revert AlreadyInAuthorizedAccountList();
            if (!change.adding && !listed) revert NotInAuthorizedAccountList();
        } else {
            bool listed = _blacklist.contains(account);
            if (change.adding && listed) revert AlreadyInBlacklist();
            if (!change.adding && !listed) revert NotInBlacklist();
        }
    }

    function _at(EnumerableSet.AddressSet storage set, uint256 index) private view returns (address) {
        if (index >= set.length()) revert IndexOutOfBounds();
        return set.at(index);
    }

    function _range(EnumerableSet.AddressSet storage set, uint256 startIndex, uint256 endIndex)
        private
        view
        returns (address[] memory part)
    {
        if (startIndex > endIndex || endIndex >= set.length()) revert IndexOutOfBounds();
        part = new address[](endIndex - startIndex + 1);
        for (uint256 i = 0; i < part.length; i++) {
            part[i] = set.at(startIndex + i);
        }
    }
}
