// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity ^0.8.24;

import {Counter} from "../contracts/Counter.sol";

interface Vm {
    function startBroadcast() external;
}

/// What forge script --broadcast sends: a contract and two calls.
contract Deploy {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external {
        vm.startBroadcast();
        Counter counter = new Counter();
        counter.add();
        counter.add();
    }
}
