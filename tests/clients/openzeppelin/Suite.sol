// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity ^0.8.27;

import {VestingWallet} from "@openzeppelin/contracts/finance/VestingWallet.sol";
import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorSettings} from "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";
import {GovernorTimelockControl} from "@openzeppelin/contracts/governance/extensions/GovernorTimelockControl.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {GovernorVotesQuorumFraction} from "@openzeppelin/contracts/governance/extensions/GovernorVotesQuorumFraction.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

/// A token with permits and votes, whose clock is the time.
contract Token is ERC20, ERC20Permit, ERC20Votes {
    constructor() ERC20("Token", "TKN") ERC20Permit("Token") {
        _mint(msg.sender, 1_000_000 ether);
    }

    function clock() public view override returns (uint48) {
        return uint48(block.timestamp);
    }

    function CLOCK_MODE() public pure override returns (string memory) {
        return "mode=timestamp";
    }

    function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }
}

/// A vault of that token.
contract Vault is ERC4626 {
    constructor(IERC20 asset) ERC20("Vault", "VLT") ERC4626(asset) {}
}

/// A governor whose decisions go through a timelock: a day until the vote, a week of it, a tenth of the votes as quorum.
contract Council is
    Governor, GovernorSettings, GovernorCountingSimple, GovernorVotes, GovernorVotesQuorumFraction, GovernorTimelockControl
{
    constructor(IVotes token, TimelockController timelock)
        Governor("Council")
        GovernorSettings(1 days, 1 weeks, 1 ether)
        GovernorVotes(token)
        GovernorVotesQuorumFraction(10)
        GovernorTimelockControl(timelock)
    {}

    function state(uint256 id) public view override(Governor, GovernorTimelockControl) returns (ProposalState) {
        return super.state(id);
    }

    function proposalNeedsQueuing(uint256 id) public view override(Governor, GovernorTimelockControl) returns (bool) {
        return super.proposalNeedsQueuing(id);
    }

    function proposalThreshold() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.proposalThreshold();
    }

    function _queueOperations(uint256 id, address[] memory targets, uint256[] memory values, bytes[] memory calls, bytes32 text)
        internal
        override(Governor, GovernorTimelockControl)
        returns (uint48)
    {
        return super._queueOperations(id, targets, values, calls, text);
    }

    function _executeOperations(uint256 id, address[] memory targets, uint256[] memory values, bytes[] memory calls, bytes32 text)
        internal
        override(Governor, GovernorTimelockControl)
    {
        super._executeOperations(id, targets, values, calls, text);
    }

    function _cancel(address[] memory targets, uint256[] memory values, bytes[] memory calls, bytes32 text)
        internal
        override(Governor, GovernorTimelockControl)
        returns (uint256)
    {
        return super._cancel(targets, values, calls, text);
    }

    function _executor() internal view override(Governor, GovernorTimelockControl) returns (address) {
        return super._executor();
    }
}
