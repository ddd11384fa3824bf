// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity ^0.8.24;

import {Counter} from "../contracts/Counter.sol";

interface Vm {
    function envBytes32(string calldata name) external view returns (bytes32);
    function startBroadcast() external;
}

/// What forge script --broadcast sends through the CREATE2 proxy: a contract at an address known beforehand, and a call of it.
contract Salted {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external {
        bytes32 salt = vm.envBytes32("SALT");
        vm.startBroadcast();
        new Counter{salt: salt}().add();
    }
}
