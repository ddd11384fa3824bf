// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {EmergencyPause} from "./EmergencyPause.sol";
import {IFiatToken} from "./IFiatToken.sol";

/// @title Governance of minting and burning
/// @notice A minter of the coin: mints for money that was paid in, burns coins that its proposals bring along.
/// @dev Specification: system contracts, section 5. The two generations differ in how a deposit comes back.
abstract contract GovMinter is EmergencyPause {
    /// @notice A burn and the coins that came with its proposal.
    /// @param amount The coins, in the smallest unit
    /// @param requester Who brought them
    struct BurnProposal {
        uint256 amount;
        address requester;
    }

    /// @notice Action: mint. Arguments: (address beneficiary, uint256 amount, string depositId).
    bytes32 public constant ACTION_MINT_WITH_DEPOSIT = keccak256("MINT_WITH_DEPOSIT");
    /// @notice Action: burn. Arguments: (address from, uint256 amount, string withdrawalId).
    bytes32 public constant ACTION_BURN = keccak256("BURN");

    /// @notice The coin.
    address public fiatToken;
    /// @notice Whether a proof was used, by its Keccak-256 hash.
    mapping(bytes32 => bool) public usedProofHashes;
    /// @notice The newest proposal for a deposit.
    mapping(string => uint256) public depositIdToProposalId;
    /// @notice Whether coins were minted for a deposit.
    mapping(string => bool) public executedDepositIds;
    /// @notice The newest proposal for a withdrawal.
    mapping(string => uint256) public withdrawalIdToProposalId;
    /// @notice Whether coins were burnt for a withdrawal.
    mapping(string => bool) public executedWithdrawalIds;
    /// @notice The burn of a proposal.
    mapping(uint256 => BurnProposal) public burnProposals;
    /// @notice Sum of the mints that are proposed and have not ended.
    uint256 public reservedMintAmount;
    /// @notice What a proposal that has not ended is to mint.
    mapping(uint256 => uint256) public mintProposalAmounts;
    /// @notice Coins of a requester that wait here to be burnt.
    mapping(address => uint256) public burnBalance;
    /// @notice Whether the contract is paused.
    bool public emergencyPaused;

    /// @notice A mint was proposed.
    event DepositMintProposed(
        uint256 indexed proposalId,
        string indexed depositId,
        address indexed requester,
        address beneficiary,
        uint256 amount,
        string bankReference
    );
    /// @notice The coins for a burn arrived.
    event BurnPrepaid(address indexed user, uint256 amount);
    /// @notice Coins were burnt.
    event BurnExecuted(address indexed from, uint256 indexed amount, string withdrawalId);

    /// @notice Coins cannot be minted for the zero address.
    error InvalidBeneficiary();
    /// @notice The amount is zero.
    error InvalidAmount();
    /// @notice The proof names no deposit.
    error InvalidDepositId();
    /// @notice The proof names no reference of the bank.
    error InvalidBankReference();
    /// @notice Part of the interface; never raised.
    error InvalidTokenAddress();
    /// @notice Coins were minted for this deposit.
    error DepositIdAlreadyUsed();
    /// @notice A proposal for this deposit has not ended.
    error DepositIdInUse();
    /// @notice The same proof was used before.
    error ProofAlreadyUsed();
    /// @notice Coins of the zero address cannot be burnt.
    error InvalidTargetAddress();
    /// @notice The proof names no withdrawal.
    error InvalidWithdrawalId();
    /// @notice The coins to burn are not those of the caller.
    error BurnFromMustBeProposer();
    /// @notice Coins were burnt for this withdrawal.
    error WithdrawalIdAlreadyUsed();
    /// @notice A proposal for this withdrawal has not ended.
    error WithdrawalIdInUse();
    /// @notice Part of the interface; never raised.
    error InsufficientBurnBalance();
    /// @notice There is no proof.
    error InvalidProofData();
    /// @notice Part of the interface; never raised.
    error MintFailed();
    /// @notice The coin lets this contract mint less than is asked for.
    error InsufficientMinterAllowance();
    /// @notice The coins that came along are not the amount to burn.
    error BurnAmountMismatch();

    // ------------------------------------------------------------------------------------------------ proposals

    /// @notice Proposes to mint coins for money that was paid in.
    /// @param proofData ABI encoding of (address beneficiary, uint256 amount, uint256 timestamp, string depositId,
    /// string bankReference, string memo); the amount is in the coin's smallest unit
    /// @return The number of the proposal
    function proposeMint(bytes calldata proofData) external onlyActiveMember whenNotPaused returns (uint256) {
        if (proofData.length == 0) revert InvalidProofData();
        (address beneficiary, uint256 amount,, string memory depositId, string memory bankReference,) =
            abi.decode(proofData, (address, uint256, uint256, string, string, string));
        if (beneficiary == address(0)) revert InvalidBeneficiary();
        if (amount == 0) revert InvalidAmount();
        if (bytes(depositId).length == 0) revert InvalidDepositId();
        if (bytes(bankReference).length == 0) revert InvalidBankReference();
        if (amount > _mintable(IFiatToken(fiatToken).minterAllowance(address(this)), reservedMintAmount)) {
            revert InsufficientMinterAllowance();
        }
        if (executedDepositIds[depositId]) revert DepositIdAlreadyUsed();
        if (_isOpen(proposals[depositIdToProposalId[depositId]].status)) revert DepositIdInUse();
        _useProof(proofData);
        uint256 proposalId = _open(ACTION_MINT_WITH_DEPOSIT, abi.encode(beneficiary, amount, depositId));
        reservedMintAmount += amount;
        mintProposalAmounts[proposalId] = amount;
        depositIdToProposalId[depositId] = proposalId;
        _vote(proposalId, true);
        emit DepositMintProposed(proposalId, depositId, msg.sender, beneficiary, amount, bankReference);
        return proposalId;
    }

    /// @notice Proposes to burn the coins that are sent along.
    /// @param proofData ABI encoding of (address from, uint256 amount, uint256 timestamp, string withdrawalId,
    /// string referenceId, string memo); from is the caller, the amount what is sent along
    /// @return The number of the proposal
    function proposeBurn(bytes calldata proofData) external payable onlyActiveMember whenNotPaused returns (uint256) {
        if (proofData.length == 0) revert InvalidProofData();
        (address from, uint256 amount,, string memory withdrawalId, string memory referenceId,) =
            abi.decode(proofData, (address, uint256, uint256, string, string, string));
        if (from == address(0)) revert InvalidTargetAddress();
        if (amount == 0) revert InvalidAmount();
        if (bytes(withdrawalId).length == 0) revert InvalidWithdrawalId();
        if (bytes(referenceId).length == 0) revert InvalidBankReference();
        if (from != msg.sender) revert BurnFromMustBeProposer();
        if (msg.value != amount) revert BurnAmountMismatch();
        if (executedWithdrawalIds[withdrawalId]) revert WithdrawalIdAlreadyUsed();
        if (_isOpen(proposals[withdrawalIdToProposalId[withdrawalId]].status)) revert WithdrawalIdInUse();
        _useProof(proofData);
        burnBalance[from] += amount;
        emit BurnPrepaid(from, amount);
        uint256 proposalId = _open(ACTION_BURN, abi.encode(from, amount, withdrawalId));
        withdrawalIdToProposalId[withdrawalId] = proposalId;
        burnProposals[proposalId] = BurnProposal({amount: amount, requester: from});
        _vote(proposalId, true);
        return proposalId;
    }

    // ------------------------------------------------------------------------------------------------ execution

    /// @dev What may still be proposed to be minted, of what the coin allows and what is proposed already.
    function _mintable(uint256 allowance, uint256 reserved) internal pure virtual returns (uint256);

    /// @dev Sees to it that a requester gets coins back that stay unburnt.
    function _refund(uint256 proposalId, address requester, uint256 amount) internal virtual;

    /// @dev Called when the burn of a proposal is over.
    function _forgetBurn(uint256 proposalId) internal virtual {}

    function _refusal(bytes32 actionType, bytes memory) internal view override returns (bytes4, bool) {
        bool moves = actionType == ACTION_MINT_WITH_DEPOSIT || actionType == ACTION_BURN;
        return moves && emergencyPaused ? (ContractPaused.selector, true) : (bytes4(0), false);
    }

    function _perform(bytes32 actionType, bytes memory callData) internal override returns (bool) {
        if (actionType == ACTION_MINT_WITH_DEPOSIT) {
            (address beneficiary, uint256 amount, string memory depositId) =
                abi.decode(callData, (address, uint256, string));
            (bool ok, bytes memory output) = fiatToken.call(abi.encodeCall(IFiatToken.mint, (beneficiary, amount)));
            if (!ok || output.length != 32 || abi.decode(output, (uint256)) != 1) return false;
            executedDepositIds[depositId] = true;
            return true;
        }
        if (actionType == ACTION_BURN) {
            (address from, uint256 amount, string memory withdrawalId) =
                abi.decode(callData, (address, uint256, string));
            (bool ok,) = fiatToken.call(abi.encodeCall(IFiatToken.burn, (amount)));
            if (!ok || fiatToken.code.length == 0) return false;
            burnBalance[from] -= amount;
            executedWithdrawalIds[withdrawalId] = true;
            emit BurnExecuted(from, amount, withdrawalId);
            return true;
        }
        return _performPause(actionType);
    }

    function _onFinalised(uint256 proposalId, ProposalStatus status) internal override {
        uint256 reserved = mintProposalAmounts[proposalId];
        if (reserved != 0) {
            reservedMintAmount -= reserved;
            delete mintProposalAmounts[proposalId];
        }
        BurnProposal memory burn = burnProposals[proposalId];
        if (burn.amount == 0) return;
        _forgetBurn(proposalId);
        if (status == ProposalStatus.Executed) return;
        burnBalance[burn.requester] -= burn.amount;
        _refund(proposalId, burn.requester, burn.amount);
    }

    function _useProof(bytes calldata proofData) private {
        bytes32 hash = keccak256(proofData);
        if (usedProofHashes[hash]) revert ProofAlreadyUsed();
        usedProofHashes[hash] = true;
    }

    function _paused() internal view override returns (bool) {
        return emergencyPaused;
    }

    function _setPaused(bool paused) internal override {
        emergencyPaused = paused;
    }
}
