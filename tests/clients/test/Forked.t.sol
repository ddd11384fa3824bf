// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity ^0.8.20;

interface Coin {
    function totalSupply() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function symbol() external view returns (string memory);
}

/// Run with forge test --fork-url at a forked developer chain: what the network has is there.
contract ForkedTest {
    Coin constant coin = Coin(0x0000000000000000000000000000000000001000);

    function testCoinOfTheNetwork() public view {
        require(keccak256(bytes(coin.symbol())) == keccak256("WKRC"), "symbol");
        require(coin.totalSupply() >= 10 * 1e27, "supply");
        address rich = 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266;
        require(rich.balance >= 1e26 && coin.balanceOf(rich) == rich.balance, "balance");
        require(block.number > 1, "block");
    }
}
