// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title Governance by proposals and votes of a member list with versions
/// @notice The part that the four governance contracts of the chain share. Each has its own members, quorum and proposals.
/// @dev Specification: system contracts, section 1. There is no constructor: genesis writes the storage. What differs from
/// the reference behind the same interface is told in docs/system-contracts.md.
abstract contract GovBase {
    using EnumerableSet for EnumerableSet.UintSet;

    /// @notice Where a proposal stands in its life.
    enum ProposalStatus {
        None,
        Voting,
        Approved,
        Executed,
        Cancelled,
        Expired,
        Failed,
        Rejected
    }

    /// @notice An address that is or was a member.
    /// @param isActive Whether it is a member now
    /// @param joinedAt Time of the block that made it one, in seconds; 0 for members of the genesis block
    struct Member {
        bool isActive;
        uint32 joinedAt;
    }

    /// @notice A proposal.
    /// @param actionType Which action it stands for
    /// @param memberVersion Version of the member list that votes on it
    /// @param votedBitmap Bit i is set when the member at position i of that list has voted, yes or no
    /// @param createdAt Time of the block that made it, in seconds
    /// @param executedAt Time of the block that executed it, in seconds; 0 before
    /// @param proposer Who made it
    /// @param requiredApprovals Number of yes votes that approve it
    /// @param approved Number of yes votes
    /// @param rejected Number of no votes
    /// @param status Where it stands
    /// @param callData ABI encoding of the action's arguments
    struct Proposal {
        bytes32 actionType;
        uint256 memberVersion;
        uint256 votedBitmap;
        uint256 createdAt;
        uint256 executedAt;
        address proposer;
        uint32 requiredApprovals;
        uint32 approved;
        uint32 rejected;
        ProposalStatus status;
        bytes callData;
    }

    /// @dev On whose behalf an approved proposal is executed.
    enum Attempt {
        ByVote, // a yes vote: the vote stands even when the action cannot run
        Retry, // executeProposal: a failure leaves the proposal approved
        Final // executeWithFailure: a failure ends the proposal
    }

    /// @notice Action: a new member. Arguments: (address member, uint32 quorum).
    bytes32 public constant ACTION_ADD_MEMBER = keccak256("ACTION_ADD_MEMBER");
    /// @notice Action: a member leaves. Arguments: (address member, uint32 quorum).
    bytes32 public constant ACTION_REMOVE_MEMBER = keccak256("ACTION_REMOVE_MEMBER");
    /// @notice Name of a member's replacement of itself, which needs no proposal.
    bytes32 public constant ACTION_CHANGE_MEMBER = keccak256("ACTION_CHANGE_MEMBER");
    /// @notice Action: another quorum. Arguments: (uint32 quorum).
    bytes32 public constant ACTION_CHANGE_QUORUM = keccak256("ACTION_CHANGE_QUORUM");
    /// @notice Action: another limit of active proposals. Arguments: (uint256 limit).
    bytes32 public constant ACTION_CHANGE_MAX_PROPOSALS = keccak256("ACTION_CHANGE_MAX_PROPOSALS");

    /// @notice Largest number of members.
    uint256 public constant MAX_MEMBER_INDEX = 255;
    /// @notice Number of failed attempts after which a proposal fails.
    uint256 public constant MAX_RETRY_COUNT = 3;
    /// @notice Version of the first member list.
    uint256 public constant INITIAL_MEMBER_VERSION = 1;

    /// @dev Bound of maxActiveProposalsPerMember.
    uint256 private constant MAX_ACTIVE_PROPOSALS = 50;

    /// @notice Seconds for which a proposal can be voted on and executed.
    uint256 public proposalExpiry;
    /// @notice Version of the member list that new proposals are voted on by.
    uint256 public memberVersion;
    /// @notice Number of the newest proposal; the first one is 1.
    uint256 public currentProposalId;
    /// @dev 1 while an action runs.
    uint256 private _executing;
    /// @notice Number of yes votes that approve a new proposal.
    uint32 public quorum;
    /// @notice What is known about an address as a member.
    mapping(address => Member) public members;
    /// @notice Members by version of the list and position from 0.
    mapping(uint256 => address[]) public versionedMemberList;
    /// @notice The record of a proposal; all zero for a number that was not given out.
    mapping(uint256 => Proposal) public proposals;
    /// @dev Position in a version of the list, from 1; 0 is no member.
    mapping(uint256 version => mapping(address account => uint32)) private _memberIndex;
    /// @dev Quorum by version of the member list.
    mapping(uint256 version => uint32) private _quorums;
    /// @notice Number of attempts to execute a proposal.
    mapping(uint256 => uint256) public proposalExecutionCount;
    /// @notice Number of a member's proposals that have not ended.
    mapping(address => uint256) public memberActiveProposalCount;
    /// @notice Number of proposals that a member may have at once.
    uint256 public maxActiveProposalsPerMember;

    /// @dev Proposals that count for a member. They go along when the member replaces its address.
    mapping(address account => EnumerableSet.UintSet) private _active;
    /// @dev For which address a proposal counts; zero for proposals of a contract that did not keep this.
    mapping(uint256 proposalId => address) private _countsFor;
    /// @dev Addresses that a member gave up for another one: they vote no more, in no version of the list.
    mapping(address account => bool) private _givenUp;
    uint256[34] private __gap;

    /// @notice A proposal was made.
    event ProposalCreated(
        uint256 indexed proposalId,
        address indexed proposer,
        bytes32 actionType,
        uint256 memberVersion,
        uint256 requiredApprovals,
        bytes callData
    );
    /// @notice A member voted.
    event ProposalVoted(
        uint256 indexed proposalId, address indexed voter, bool approval, uint256 approved, uint256 rejected
    );
    /// @notice A vote reached the quorum.
    event ProposalApproved(uint256 indexed proposalId, address indexed approver, uint256 approved, uint256 rejected);
    /// @notice A vote made the quorum impossible.
    event ProposalRejected(uint256 indexed proposalId, address indexed rejector, uint256 approved, uint256 rejected);
    /// @notice An approved proposal's action ran; success tells with which result.
    event ProposalExecuted(uint256 indexed proposalId, address indexed executor, bool success);
    /// @notice A proposal had no attempt left.
    event ProposalFailed(uint256 indexed proposalId, address indexed executor, bytes reason);
    /// @notice A proposal was found to be out of time.
    event ProposalExpired(uint256 indexed proposalId, address indexed executor);
    /// @notice A proposer withdrew its proposal.
    event ProposalCancelled(uint256 indexed proposalId, address indexed canceller);
    /// @notice A member joined.
    event MemberAdded(address indexed member, uint256 totalMembers, uint32 newQuorum);
    /// @notice A member left.
    event MemberRemoved(address indexed member, uint256 totalMembers, uint32 newQuorum);
    /// @notice A member replaced its own address.
    event MemberChanged(address indexed oldMember, address indexed newMember);
    /// @notice The quorum was set.
    event QuorumUpdated(uint32 oldQuorum, uint32 newQuorum);
    /// @notice The limit of active proposals was set.
    event MaxProposalsPerMemberUpdated(uint256 oldMax, uint256 newMax);

    /// @notice The address is a member already.
    error AlreadyAMember();
    /// @notice The member has voted on this proposal.
    error AlreadyApproved();
    /// @notice Part of the interface; never raised.
    error DuplicateMember();
    /// @notice There is no element at this position.
    error IndexOutOfBounds();
    /// @notice The proposal has fewer yes votes than it needs.
    error InsufficientApprovals();
    /// @notice The limit is not between 1 and 50.
    error InvalidMaxProposals();
    /// @notice The address cannot be a member.
    error InvalidMemberAddress();
    /// @notice There is no such version of the member list.
    error InvalidMemberVersion();
    /// @notice There is no such proposal.
    error InvalidProposal();
    /// @notice Proposals have no time to live.
    error InvalidProposalExpiry();
    /// @notice The quorum does not fit the number of members.
    error InvalidQuorum();
    /// @notice The list has no room for another member.
    error MemberIndexOverflow();
    /// @notice The address has no say here.
    error NotAMember();
    /// @notice Only the proposer can do this.
    error NotProposer();
    /// @notice Others have voted already.
    error ProposalAlreadyInVoting();
    /// @notice The proposal is not approved.
    error ProposalNotExecutable();
    /// @notice The proposal has ended, or is approved where voting is asked for.
    error ProposalNotInVoting();
    /// @notice An action is running.
    error ReentrantCall();
    /// @notice The member has as many proposals as it may have.
    error TooManyActiveProposals();
    /// @notice Part of the interface; never raised.
    error TooManyExecutionAttempts();

    /// @dev For members of the present list.
    modifier onlyActiveMember() {
        if (!members[msg.sender].isActive) revert NotAMember();
        _;
    }

    /// @dev For members of the list that a proposal was made under.
    modifier onlyVoter(uint256 proposalId) {
        _requireProposal(proposalId);
        if (_seat(proposals[proposalId].memberVersion, msg.sender) == 0 || _givenUp[msg.sender]) revert NotAMember();
        _;
    }

    // ------------------------------------------------------------------------------------------------ proposals of the base

    /// @notice Proposes a new member.
    /// @param newMember The address
    /// @param newQuorum The quorum from then on
    /// @return proposalId The number of the proposal
    function proposeAddMember(address newMember, uint32 newQuorum)
        external
        onlyActiveMember
        returns (uint256 proposalId)
    {
        _refuse(_refusalToAdd(newMember, newQuorum));
        return _propose(ACTION_ADD_MEMBER, abi.encode(newMember, newQuorum));
    }

    /// @notice Proposes that a member leaves.
    /// @param member The address
    /// @param newQuorum The quorum from then on
    /// @return proposalId The number of the proposal
    function proposeRemoveMember(address member, uint32 newQuorum)
        external
        onlyActiveMember
        returns (uint256 proposalId)
    {
        _refuse(_refusalToRemove(member, newQuorum));
        return _propose(ACTION_REMOVE_MEMBER, abi.encode(member, newQuorum));
    }

    /// @notice Proposes another quorum.
    /// @param newQuorum The quorum of later proposals
    /// @return proposalId The number of the proposal
    function proposeChangeQuorum(uint32 newQuorum) external onlyActiveMember returns (uint256 proposalId) {
        _refuse(_refusalOfQuorum(newQuorum));
        return _propose(ACTION_CHANGE_QUORUM, abi.encode(newQuorum));
    }

    /// @notice Proposes another limit of active proposals for each member.
    /// @param newMax The limit, 1 to 50
    /// @return proposalId The number of the proposal
    function proposeChangeMaxProposals(uint256 newMax) external onlyActiveMember returns (uint256 proposalId) {
        if (newMax == 0 || newMax > MAX_ACTIVE_PROPOSALS) revert InvalidMaxProposals();
        return _propose(ACTION_CHANGE_MAX_PROPOSALS, abi.encode(newMax));
    }

    /// @notice Replaces the caller by another address, at once and without a vote. Its active proposals count for the new
    /// address from then on, and the old one votes no more.
    /// @param newMember The address that takes the caller's place
    function changeMember(address newMember) external onlyActiveMember {
        address oldMember = msg.sender;
        if (newMember == address(0) || newMember == oldMember) revert InvalidMemberAddress();
        if (members[newMember].isActive) revert AlreadyAMember();
        uint256 version = memberVersion;
        uint32 seat = _memberIndex[version][oldMember];
        versionedMemberList[version][seat - 1] = newMember;
        _memberIndex[version][newMember] = seat;
        delete _memberIndex[version][oldMember];
        _activate(newMember);
        members[oldMember].isActive = false;
        _givenUp[oldMember] = true;
        _moveActive(oldMember, newMember);
        emit MemberChanged(oldMember, newMember);
        _onMemberChanged(oldMember, newMember);
    }

    // ------------------------------------------------------------------------------------------------ votes and execution

    /// @notice Votes yes. The vote that reaches the quorum runs the action.
    /// @param proposalId The proposal
    function approveProposal(uint256 proposalId) external onlyVoter(proposalId) {
        _vote(proposalId, true);
    }

    /// @notice Votes no.
    /// @param proposalId The proposal
    function disapproveProposal(uint256 proposalId) external onlyVoter(proposalId) {
        _vote(proposalId, false);
    }

    /// @notice Runs the action of an approved proposal. When it fails the proposal stays approved, up to three attempts.
    /// @param proposalId The proposal
    /// @return Whether the action succeeded
    function executeProposal(uint256 proposalId) external onlyVoter(proposalId) returns (bool) {
        return _execute(proposalId, Attempt.Retry);
    }

    /// @notice Runs the action of an approved proposal. When it fails the proposal has failed.
    /// @param proposalId The proposal
    /// @return Whether the action succeeded
    function executeWithFailure(uint256 proposalId) external onlyVoter(proposalId) returns (bool) {
        return _execute(proposalId, Attempt.Final);
    }

    /// @notice Withdraws the caller's proposal that nobody else has voted on.
    /// @param proposalId The proposal
    function cancelProposal(uint256 proposalId) external onlyVoter(proposalId) {
        Proposal storage proposal = proposals[proposalId];
        if (proposal.status != ProposalStatus.Voting) revert ProposalNotInVoting();
        if (proposal.proposer != msg.sender) revert NotProposer();
        if (proposal.approved > 1 || proposal.rejected > 0) revert ProposalAlreadyInVoting();
        _finalise(proposalId, ProposalStatus.Cancelled);
        emit ProposalCancelled(proposalId, msg.sender);
    }

    /// @notice Ends a proposal that is out of time.
    /// @param proposalId The proposal
    /// @return success Whether it ended; false when it has time left or had ended before
    function expireProposal(uint256 proposalId) external onlyVoter(proposalId) returns (bool success) {
        Proposal storage proposal = proposals[proposalId];
        if (!_isOpen(proposal.status) || !_isLate(proposal)) return false;
        _expire(proposalId);
        return true;
    }

    // ------------------------------------------------------------------------------------------------ views

    /// @notice Returns a proposal.
    /// @param proposalId The proposal
    /// @return The record
    function getProposal(uint256 proposalId) external view returns (Proposal memory) {
        _requireProposal(proposalId);
        return proposals[proposalId];
    }

    /// @notice Tells whether a proposal is being voted on.
    /// @param proposalId The proposal
    /// @return Whether it is
    function isProposalInVoting(uint256 proposalId) external view returns (bool) {
        _requireProposal(proposalId);
        Proposal storage proposal = proposals[proposalId];
        return proposal.status == ProposalStatus.Voting && !_isLate(proposal);
    }

    /// @notice Tells whether a proposal is approved and in time.
    /// @param proposalId The proposal
    /// @return Whether it is
    function isProposalExecutable(uint256 proposalId) external view returns (bool) {
        _requireProposal(proposalId);
        Proposal storage proposal = proposals[proposalId];
        return proposal.status == ProposalStatus.Approved && !_isLate(proposal)
            && proposal.approved >= proposal.requiredApprovals;
    }

    /// @notice Tells whether a proposal can be executed, or why not.
    /// @param proposalId The proposal
    /// @return result 0 it can, 1 there is none, 2 it is not approved, 3 it is out of time, 4 it has no attempt left
    /// @return attemptsLeft Number of attempts that are left, 0 unless it can be executed
    function canExecuteProposal(uint256 proposalId) external view returns (uint8 result, uint256 attemptsLeft) {
        if (!_exists(proposalId)) return (1, 0);
        Proposal storage proposal = proposals[proposalId];
        if (proposal.status != ProposalStatus.Approved) return (2, 0);
        if (_isLate(proposal)) return (3, 0);
        uint256 attempts = proposalExecutionCount[proposalId];
        if (attempts >= MAX_RETRY_COUNT) return (4, 0);
        return (0, MAX_RETRY_COUNT - attempts);
    }

    /// @notice Tells whether a member has voted on a proposal, yes or no.
    /// @param member The address
    /// @param proposalId The proposal
    /// @return Whether it has
    function hasApproved(address member, uint256 proposalId) external view returns (bool) {
        _requireProposal(proposalId);
        Proposal storage proposal = proposals[proposalId];
        uint32 seat = _memberIndex[proposal.memberVersion][member];
        return seat != 0 && proposal.votedBitmap & _bit(seat) != 0;
    }

    /// @notice Returns the number of members in a version of the list.
    /// @param targetVersion The version, from 1
    /// @return The number
    function getMemberCount(uint256 targetVersion) external view returns (uint256) {
        _requireVersion(targetVersion);
        return versionedMemberList[targetVersion].length;
    }

    /// @notice Returns a member of a version of the list.
    /// @param targetVersion The version, from 1
    /// @param index The position, from 0
    /// @return The address
    function getMemberAt(uint256 targetVersion, uint256 index) external view returns (address) {
        _requireVersion(targetVersion);
        if (index >= versionedMemberList[targetVersion].length) revert IndexOutOfBounds();
        return versionedMemberList[targetVersion][index];
    }

    /// @notice Tells whether an address is in a version of the list.
    /// @param account The address
    /// @param targetVersion The version, from 1
    /// @return Whether it is
    function isMember(address account, uint256 targetVersion) external view returns (bool) {
        _requireVersion(targetVersion);
        return _memberIndex[targetVersion][account] != 0;
    }

    /// @notice Returns the quorum of a version of the list.
    /// @param targetVersion The version, from 1
    /// @return The number of yes votes
    function getQuorum(uint256 targetVersion) external view returns (uint32) {
        _requireVersion(targetVersion);
        uint32 value = _quorums[targetVersion];
        if (value == 0) revert InvalidQuorum();
        return value;
    }

    /// @notice Returns the number of a member's active proposals.
    /// @param member The address
    /// @return The number
    function getMemberActiveProposalCount(address member) external view returns (uint256) {
        return memberActiveProposalCount[member];
    }

    /// @notice Tells whether an address has fewer active proposals than a member may have.
    /// @param member The address, member or not
    /// @return Whether it has
    function canCreateProposal(address member) external view returns (bool) {
        return memberActiveProposalCount[member] < maxActiveProposalsPerMember;
    }

    // ------------------------------------------------------------------------------------------------ for the contracts

    /// @dev Makes a proposal and votes yes for the proposer, which runs the action where the quorum is 1.
    function _propose(bytes32 actionType, bytes memory callData) internal returns (uint256 proposalId) {
        proposalId = _open(actionType, callData);
        _vote(proposalId, true);
    }

    /// @dev Makes a proposal. The caller has to vote for it once its own books are in order: the vote may run the action.
    function _open(bytes32 actionType, bytes memory callData) internal returns (uint256 proposalId) {
        if (proposalExpiry == 0) revert InvalidProposalExpiry();
        if (memberActiveProposalCount[msg.sender] >= maxActiveProposalsPerMember) revert TooManyActiveProposals();
        proposalId = ++currentProposalId;
        Proposal storage proposal = proposals[proposalId];
        proposal.actionType = actionType;
        proposal.memberVersion = memberVersion;
        proposal.createdAt = block.timestamp;
        proposal.proposer = msg.sender;
        proposal.requiredApprovals = quorum;
        proposal.status = ProposalStatus.Voting;
        proposal.callData = callData;
        memberActiveProposalCount[msg.sender]++;
        _active[msg.sender].add(proposalId);
        _countsFor[proposalId] = msg.sender;
        emit ProposalCreated(proposalId, msg.sender, actionType, memberVersion, quorum, callData);
    }

    /// @dev Votes in the caller's name.
    function _vote(uint256 proposalId, bool approval) internal {
        Proposal storage proposal = proposals[proposalId];
        if (!_isOpen(proposal.status)) revert ProposalNotInVoting();
        if (_isLate(proposal)) {
            _expire(proposalId);
            return;
        }
        uint256 version = proposal.memberVersion;
        uint256 bit = _bit(_memberIndex[version][msg.sender]);
        if (proposal.votedBitmap & bit != 0) revert AlreadyApproved();
        proposal.votedBitmap |= bit;
        if (approval) {
            proposal.approved++;
        } else {
            proposal.rejected++;
        }
        (uint32 approved, uint32 rejected) = (proposal.approved, proposal.rejected);
        emit ProposalVoted(proposalId, msg.sender, approval, approved, rejected);
        if (approval) {
            if (approved < proposal.requiredApprovals) return;
            if (proposal.status != ProposalStatus.Approved) {
                proposal.status = ProposalStatus.Approved;
                emit ProposalApproved(proposalId, msg.sender, approved, rejected);
            }
            _execute(proposalId, Attempt.ByVote);
        } else if (rejected > versionedMemberList[version].length - proposal.requiredApprovals) {
            _finalise(proposalId, ProposalStatus.Rejected);
            emit ProposalRejected(proposalId, msg.sender, approved, rejected);
        }
    }

    /// @dev Reverts with an error of four bytes unless it is zero.
    function _refuse(bytes4 refusal) internal pure {
        if (refusal == 0) return;
        assembly ("memory-safe") {
            mstore(0, refusal)
            revert(0, 4)
        }
    }

    /// @dev Tells why an action of the contract cannot run now.
    /// @return refusal The error to raise, or zero
    /// @return passing Whether waiting helps, so that nobody may end the proposal for this reason
    function _refusal(bytes32 actionType, bytes memory callData)
        internal
        view
        virtual
        returns (bytes4 refusal, bool passing);

    /// @dev Runs an action of the contract that nothing refuses.
    /// @return Whether it succeeded; false for an unknown action
    function _perform(bytes32 actionType, bytes memory callData) internal virtual returns (bool);

    /// @dev Tells why a member must stay for the sake of the contract, or zero.
    function _refusalToRelease(address member) internal view virtual returns (bytes4) {}

    /// @dev Called once when a proposal ends, with how it ended, before the event that tells so.
    function _onFinalised(uint256 proposalId, ProposalStatus status) internal virtual {}

    /// @dev Called after a member has left.
    function _onMemberRemoved(address member) internal virtual {}

    /// @dev Called after a member has replaced its address.
    function _onMemberChanged(address oldMember, address newMember) internal virtual {}

    // ------------------------------------------------------------------------------------------------ execution

    function _execute(uint256 proposalId, Attempt attempt) private returns (bool success) {
        if (_executing != 0) revert ReentrantCall();
        _executing = 1;
        success = _executeGuarded(proposalId, attempt);
        _executing = 0;
    }

    function _executeGuarded(uint256 proposalId, Attempt attempt) private returns (bool) {
        Proposal storage proposal = proposals[proposalId];
        if (proposal.status != ProposalStatus.Approved) revert ProposalNotExecutable();
        if (proposal.approved < proposal.requiredApprovals) revert InsufficientApprovals();
        if (_isLate(proposal)) {
            _expire(proposalId);
            return false;
        }
        if (proposalExecutionCount[proposalId] >= MAX_RETRY_COUNT) {
            _finalise(proposalId, ProposalStatus.Failed);
            emit ProposalFailed(proposalId, msg.sender, "Max retry count reached");
            return false;
        }
        (bytes4 refusal, bool passing) = _refusalOf(proposal.actionType, proposal.callData);
        if (refusal != 0) {
            if (attempt == Attempt.ByVote) return false;
            if (attempt == Attempt.Retry || passing) _refuse(refusal);
        }
        proposalExecutionCount[proposalId]++;
        bool success = refusal == 0 && _performAny(proposal.actionType, proposal.callData);
        if (success) {
            _finalise(proposalId, ProposalStatus.Executed);
        } else if (attempt == Attempt.Final) {
            _finalise(proposalId, ProposalStatus.Failed);
        }
        emit ProposalExecuted(proposalId, msg.sender, success);
        return success;
    }

    function _refusalOf(bytes32 actionType, bytes memory callData)
        private
        view
        returns (bytes4 refusal, bool passing)
    {
        if (actionType == ACTION_ADD_MEMBER) {
            (address newMember, uint32 newQuorum) = abi.decode(callData, (address, uint32));
            return (_refusalToAdd(newMember, newQuorum), false);
        }
        if (actionType == ACTION_REMOVE_MEMBER) {
            (address member, uint32 newQuorum) = abi.decode(callData, (address, uint32));
            return (_refusalToRemove(member, newQuorum), false);
        }
        if (actionType == ACTION_CHANGE_QUORUM) return (_refusalOfQuorum(abi.decode(callData, (uint32))), false);
        return _refusal(actionType, callData);
    }

    function _performAny(bytes32 actionType, bytes memory callData) private returns (bool) {
        if (actionType == ACTION_ADD_MEMBER) {
            (address newMember, uint32 newQuorum) = abi.decode(callData, (address, uint32));
            _addMember(newMember, newQuorum);
            return true;
        }
        if (actionType == ACTION_REMOVE_MEMBER) {
            (address member, uint32 newQuorum) = abi.decode(callData, (address, uint32));
            _removeMember(member, newQuorum);
            return true;
        }
        if (actionType == ACTION_CHANGE_QUORUM) {
            _setQuorum(abi.decode(callData, (uint32)));
            return true;
        }
        if (actionType == ACTION_CHANGE_MAX_PROPOSALS) {
            uint256 newMax = abi.decode(callData, (uint256));
            emit MaxProposalsPerMemberUpdated(maxActiveProposalsPerMember, newMax);
            maxActiveProposalsPerMember = newMax;
            return true;
        }
        return _perform(actionType, callData);
    }

    function _finalise(uint256 proposalId, ProposalStatus status) private {
        Proposal storage proposal = proposals[proposalId];
        proposal.status = status;
        if (status == ProposalStatus.Executed) proposal.executedAt = block.timestamp;
        address holder = _countsFor[proposalId];
        if (holder == address(0)) {
            holder = proposal.proposer;
        } else {
            delete _countsFor[proposalId];
            _active[holder].remove(proposalId);
        }
        if (memberActiveProposalCount[holder] > 0) memberActiveProposalCount[holder]--;
        _onFinalised(proposalId, status);
    }

    function _expire(uint256 proposalId) private {
        _finalise(proposalId, ProposalStatus.Expired);
        emit ProposalExpired(proposalId, msg.sender);
    }

    // ------------------------------------------------------------------------------------------------ members

    function _refusalToAdd(address newMember, uint32 newQuorum) private view returns (bytes4) {
        if (newMember == address(0)) return InvalidMemberAddress.selector;
        if (members[newMember].isActive) return AlreadyAMember.selector;
        uint256 count = versionedMemberList[memberVersion].length;
        if (count >= MAX_MEMBER_INDEX) return MemberIndexOverflow.selector;
        return _quorumFits(newQuorum, count + 1) ? bytes4(0) : InvalidQuorum.selector;
    }

    function _refusalToRemove(address member, uint32 newQuorum) private view returns (bytes4) {
        if (!members[member].isActive) return NotAMember.selector;
        uint256 count = versionedMemberList[memberVersion].length;
        if (count == 1 || !_quorumFits(newQuorum, count - 1)) return InvalidQuorum.selector;
        return _refusalToRelease(member);
    }

    function _refusalOfQuorum(uint32 newQuorum) private view returns (bytes4) {
        return _quorumFits(newQuorum, versionedMemberList[memberVersion].length) ? bytes4(0) : InvalidQuorum.selector;
    }

    /// @dev One member decides alone; of several, at least two have to agree.
    function _quorumFits(uint32 newQuorum, uint256 count) private pure returns (bool) {
        return count == 1 ? newQuorum == 1 : newQuorum >= 2 && newQuorum <= count;
    }

    function _addMember(address newMember, uint32 newQuorum) private {
        uint256 version = memberVersion + 1;
        address[] memory list = versionedMemberList[version - 1];
        for (uint256 i = 0; i < list.length; i++) {
            _appendMember(version, list[i]);
        }
        _appendMember(version, newMember);
        memberVersion = version;
        _activate(newMember);
        uint32 oldQuorum = quorum;
        quorum = newQuorum;
        _quorums[version] = newQuorum;
        emit MemberAdded(newMember, list.length + 1, newQuorum);
        emit QuorumUpdated(oldQuorum, newQuorum);
    }

    function _removeMember(address member, uint32 newQuorum) private {
        uint256 version = memberVersion + 1;
        address[] memory list = versionedMemberList[version - 1];
        for (uint256 i = 0; i < list.length; i++) {
            if (list[i] != member) _appendMember(version, list[i]);
        }
        memberVersion = version;
        members[member].isActive = false;
        uint32 oldQuorum = quorum;
        quorum = newQuorum;
        _quorums[version] = newQuorum;
        emit MemberRemoved(member, list.length - 1, newQuorum);
        emit QuorumUpdated(oldQuorum, newQuorum);
        _onMemberRemoved(member);
    }

    function _setQuorum(uint32 newQuorum) private {
        uint32 oldQuorum = quorum;
        quorum = newQuorum;
        _quorums[memberVersion] = newQuorum;
        emit QuorumUpdated(oldQuorum, newQuorum);
    }

    function _appendMember(uint256 version, address member) private {
        versionedMemberList[version].push(member);
        _memberIndex[version][member] = uint32(versionedMemberList[version].length);
    }

    function _activate(address member) private {
        members[member] = Member({isActive: true, joinedAt: uint32(block.timestamp)});
        _givenUp[member] = false;
    }

    function _moveActive(address from, address to) private {
        uint256[] memory ids = _active[from].values();
        for (uint256 i = 0; i < ids.length; i++) {
            _active[from].remove(ids[i]);
            _active[to].add(ids[i]);
            _countsFor[ids[i]] = to;
        }
        memberActiveProposalCount[from] -= ids.length;
        memberActiveProposalCount[to] += ids.length;
    }

    // ------------------------------------------------------------------------------------------------ small things

    function _exists(uint256 proposalId) private view returns (bool) {
        return proposalId != 0 && proposalId <= currentProposalId;
    }

    function _requireProposal(uint256 proposalId) private view {
        if (!_exists(proposalId)) revert InvalidProposal();
    }

    function _requireVersion(uint256 version) private view {
        if (version < INITIAL_MEMBER_VERSION || version > memberVersion) revert InvalidMemberVersion();
    }

    /// @dev Position from 1 in a version of the list, 0 when the list does not have the account there.
    function _seat(uint256 version, address account) private view returns (uint32) {
        uint32 seat = _memberIndex[version][account];
        address[] storage list = versionedMemberList[version];
        return seat != 0 && seat <= list.length && list[seat - 1] == account ? seat : 0;
    }

    function _bit(uint32 seat) private pure returns (uint256) {
        return 1 << (seat - 1);
    }

    /// @dev Whether a proposal in this status blocks what it names, and can still end in another way.
    function _isOpen(ProposalStatus status) internal pure returns (bool) {
        return status == ProposalStatus.Voting || status == ProposalStatus.Approved;
    }

    /// @dev The last second still counts.
    function _isLate(Proposal storage proposal) private view returns (bool) {
        return block.timestamp > proposal.createdAt + proposalExpiry;
    }
}
