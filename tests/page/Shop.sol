// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity ^0.8.24;

/// A till that takes exact coins.
contract Till {
    error TooLittle(uint256 given, uint256 price);

    event Sold(address indexed buyer, string article, uint256 price);

    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function sell(address buyer, string calldata article, uint256 price) external payable {
        if (msg.value < price) revert TooLittle(msg.value, price);
        emit Sold(buyer, article, price);
    }
}

/// A shop with one till.
contract Shop {
    Till public till;
    mapping(string => uint256) public prices;

    constructor() {
        till = new Till(msg.sender);
    }

    function setPrice(string calldata article, uint256 price) external {
        prices[article] = price;
    }

    function buy(string calldata article) external payable {
        till.sell{value: msg.value}(msg.sender, article, prices[article]);
    }
}
