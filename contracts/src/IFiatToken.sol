// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

/// @title The coin as its minters' governances see it
interface IFiatToken {
    /// @notice Makes coins.
    function mint(address to, uint256 amount) external returns (bool);

    /// @notice Destroys coins of the caller.
    function burn(uint256 amount) external;

    /// @notice Makes an account a minter, or sets what it may still mint.
    function configureMinter(address minter, uint256 minterAllowedAmount) external returns (bool);

    /// @notice Takes the role of a minter away.
    function removeMinter(address minter) external returns (bool);

    /// @notice Tells whether an account is a minter.
    function isMinter(address account) external view returns (bool);

    /// @notice Returns what a minter may still mint, in the coin's smallest unit.
    function minterAllowance(address minter) external view returns (uint256);
}
