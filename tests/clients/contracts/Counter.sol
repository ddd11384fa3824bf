// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity ^0.8.24;

/// Counts, tells of it, and can refuse.
contract Counter {
    event Counted(address indexed by, uint256 count);

    uint256 public count;

    function add() external {
        count++;
        emit Counted(msg.sender, count);
    }

    function refuse() external pure {
        revert("not today");
    }
}
