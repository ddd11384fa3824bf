// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

/// @title The client's native coin manager
/// @dev Specification: chain, section 3.1. It has no code, so it is called at a low level.
interface ICoinManager {
    /// @notice Credits coins.
    function mint(address to, uint256 amount) external;

    /// @notice Debits coins.
    function burn(address from, uint256 amount) external;

    /// @notice Moves coins.
    function transfer(address from, address to, uint256 amount) external;
}

/// @title The client's account manager
/// @dev Specification: chain, section 3.2. It has no code, so it is called at a low level.
interface IAccountManager {
    /// @notice Sets the blacklisted flag of an account.
    function blacklist(address account) external;

    /// @notice Clears the blacklisted flag of an account.
    function unBlacklist(address account) external;

    /// @notice Sets the authorised flag of an account.
    function authorize(address account) external;

    /// @notice Clears the authorised flag of an account.
    function unAuthorize(address account) external;

    /// @notice Reads the blacklisted flag of an account.
    function isBlacklisted(address account) external view returns (bool);

    /// @notice Reads the authorised flag of an account.
    function isAuthorized(address account) external view returns (bool);
}

/// @title Calls of contracts without code
library Native {
    /// @dev Reads one flag. ok is false when the call failed or answered something else than a word.
    function readFlag(address target, bytes memory input) internal view returns (bool ok, bool flag) {
        bytes memory output;
        (ok, output) = target.staticcall(input);
        ok = ok && output.length == 32;
        flag = ok && abi.decode(output, (uint256)) == 1;
    }
}
