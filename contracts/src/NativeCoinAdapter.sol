// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ECRecover} from "./ECRecover.sol";
import {IFiatToken} from "./IFiatToken.sol";
import {IAccountManager, ICoinManager, Native} from "./Managers.sol";

/// @title The chain's own coin as an ERC-20 token
/// @notice Balances are those of the accounts. The client moves the coins and writes the Transfer events.
/// @dev Specification: system contracts, section 2. Genesis writes the storage.
contract NativeCoinAdapter is IERC20Metadata, IFiatToken {
    /// @notice EIP-712 type hash of a permit (EIP-2612).
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    /// @notice EIP-712 type hash of a transfer with authorisation (EIP-3009).
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    /// @notice EIP-712 type hash of a receipt with authorisation (EIP-3009).
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    /// @notice EIP-712 type hash of the cancellation of an authorisation (EIP-3009).
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    /// @dev Precompiles of the chain beyond 0x01 to 0x0a (specification: chain, section 2.3).
    uint160 private constant LAST_UPSTREAM_PRECOMPILE = 0x0a;
    uint160 private constant SECP256R1 = 0x100;
    uint160 private constant BLS_POSSESSION = 0xb00001;

    /// @notice The account that makes minters.
    address public masterMinter;
    mapping(address account => bool) private _minters;
    mapping(address minter => uint256) private _minterAllowances;
    bytes32 private __legacyDomainSeparator;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) private _authorizationStates;
    mapping(address owner => uint256) private _nonces;
    address private _coinManager;
    address private _accountManager;
    /// @inheritdoc IERC20Metadata
    string public override name;
    /// @inheritdoc IERC20Metadata
    string public override symbol;
    /// @inheritdoc IERC20Metadata
    uint8 public override decimals;
    /// @notice The currency that the coin stands for.
    string public currency;
    mapping(address owner => mapping(address spender => uint256)) private _allowances;
    /// @notice Coins of the genesis block, plus what was minted, less what was burnt.
    uint256 public override totalSupply;

    /// @notice A minter made coins.
    event Mint(address indexed minter, address indexed to, uint256 amount);
    /// @notice A minter destroyed coins.
    event Burn(address indexed burner, uint256 amount);
    /// @notice A minter was made, or what it may mint was set.
    event MinterConfigured(address indexed minter, uint256 minterAllowedAmount);
    /// @notice A minter lost its role.
    event MinterRemoved(address indexed oldMinter);
    /// @notice Another account makes minters.
    event MasterMinterChanged(address indexed newMasterMinter);
    /// @notice An authorisation was used.
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    /// @notice An authorisation was cancelled.
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    modifier onlyMinter() {
        require(_minters[msg.sender], "NativeCoinAdapter: caller is not a minter");
        _;
    }

    modifier onlyMasterMinter() {
        require(msg.sender == masterMinter, "NativeCoinAdapter: caller is not the masterMinter");
        _;
    }

    modifier notBlacklisted(address account) {
        _requireNotBlacklisted(account);
        _;
    }

    // ------------------------------------------------------------------------------------------------ ERC-20

    /// @notice Returns the coins of an account.
    /// @param account The account
    /// @return The coins, in the smallest unit
    function balanceOf(address account) external view returns (uint256) {
        return account.balance;
    }

    /// @notice Sends coins.
    /// @param to Who gets them
    /// @param value How many, in the smallest unit
    /// @return true
    function transfer(address to, uint256 value)
        external
        notBlacklisted(msg.sender)
        notBlacklisted(to)
        returns (bool)
    {
        _transfer(msg.sender, to, value);
        return true;
    }

    /// @notice Sends coins of an account that allowed it. Every allowance is used up, the largest one too.
    /// @param from Whose coins
    /// @param to Who gets them
    /// @param value How many, in the smallest unit
    /// @return true
    function transferFrom(address from, address to, uint256 value)
        external
        notBlacklisted(msg.sender)
        notBlacklisted(from)
        notBlacklisted(to)
        returns (bool)
    {
        uint256 allowed = _allowances[from][msg.sender];
        require(value <= allowed, "NativeCoinAdapter: transfer amount exceeds allowance");
        _allowances[from][msg.sender] = allowed - value;
        _transfer(from, to, value);
        return true;
    }

    /// @notice Allows an account to send coins of the caller.
    /// @param spender The account
    /// @param value How many, in the smallest unit
    /// @return true
    function approve(address spender, uint256 value)
        external
        notBlacklisted(msg.sender)
        notBlacklisted(spender)
        returns (bool)
    {
        _approve(msg.sender, spender, value);
        return true;
    }

    /// @notice Allows an account to send more coins of the caller.
    /// @param spender The account
    /// @param increment How many more, in the smallest unit
    /// @return true
    function increaseAllowance(address spender, uint256 increment)
        external
        notBlacklisted(msg.sender)
        notBlacklisted(spender)
        returns (bool)
    {
        _approve(msg.sender, spender, _allowances[msg.sender][spender] + increment);
        return true;
    }

    /// @notice Allows an account to send fewer coins of the caller.
    /// @param spender The account
    /// @param decrement How many fewer, in the smallest unit
    /// @return true
    function decreaseAllowance(address spender, uint256 decrement)
        external
        notBlacklisted(msg.sender)
        notBlacklisted(spender)
        returns (bool)
    {
        uint256 allowed = _allowances[msg.sender][spender];
        require(decrement <= allowed, "NativeCoinAdapter: decreased allowance below zero");
        _approve(msg.sender, spender, allowed - decrement);
        return true;
    }

    /// @notice Returns how many coins of an account another one may send.
    /// @param owner Whose coins
    /// @param spender Who may send them
    /// @return How many, in the smallest unit
    function allowance(address owner, address spender) external view returns (uint256) {
        return _allowances[owner][spender];
    }

    // ------------------------------------------------------------------------------------------------ minters

    /// @notice Makes coins out of the caller's allowance.
    /// @param _to Who gets them: no precompile, no manager and not this contract, where they would be stuck
    /// @param _amount How many, in the smallest unit
    /// @return true
    function mint(address _to, uint256 _amount)
        external
        onlyMinter
        notBlacklisted(msg.sender)
        notBlacklisted(_to)
        returns (bool)
    {
        require(_to != address(0), "NativeCoinAdapter: mint to the zero address");
        require(!_isReserved(_to), "NativeCoinAdapter: mint to a reserved address");
        require(_amount > 0, "NativeCoinAdapter: mint amount not greater than 0");
        uint256 allowed = _minterAllowances[msg.sender];
        require(_amount <= allowed, "NativeCoinAdapter: mint amount exceeds minterAllowance");
        _minterAllowances[msg.sender] = allowed - _amount;
        (bool ok,) = _coinManager.call(abi.encodeCall(ICoinManager.mint, (_to, _amount)));
        require(ok, "NativeCoinAdapter: mint failed");
        totalSupply += _amount;
        emit Mint(msg.sender, _to, _amount);
        return true;
    }

    /// @notice Destroys coins of the caller, who is a minter.
    /// @param _amount How many, in the smallest unit
    function burn(uint256 _amount) external onlyMinter notBlacklisted(msg.sender) {
        require(_amount > 0, "NativeCoinAdapter: burn amount not greater than 0");
        require(msg.sender.balance >= _amount, "NativeCoinAdapter: burn amount exceeds balance");
        (bool ok,) = _coinManager.call(abi.encodeCall(ICoinManager.burn, (msg.sender, _amount)));
        require(ok, "NativeCoinAdapter: burn failed");
        totalSupply -= _amount;
        emit Burn(msg.sender, _amount);
    }

    /// @notice Makes an account a minter, or sets what it may still mint.
    /// @param minter The account
    /// @param minterAllowedAmount How many coins, in the smallest unit; it replaces what was left
    /// @return true
    function configureMinter(address minter, uint256 minterAllowedAmount) external onlyMasterMinter returns (bool) {
        _minters[minter] = true;
        _minterAllowances[minter] = minterAllowedAmount;
        emit MinterConfigured(minter, minterAllowedAmount);
        return true;
    }

    /// @notice Takes the role of a minter away.
    /// @param minter The account
    /// @return true
    function removeMinter(address minter) external onlyMasterMinter returns (bool) {
        _minters[minter] = false;
        _minterAllowances[minter] = 0;
        emit MinterRemoved(minter);
        return true;
    }

    /// @notice Lets another account make minters.
    /// @param _newMasterMinter The account
    function updateMasterMinter(address _newMasterMinter) external onlyMasterMinter {
        require(_newMasterMinter != address(0), "NativeCoinAdapter: new masterMinter is the zero address");
        masterMinter = _newMasterMinter;
        emit MasterMinterChanged(_newMasterMinter);
    }

    /// @notice Tells whether an account is a minter.
    /// @param account The account
    /// @return Whether it is
    function isMinter(address account) external view returns (bool) {
        return _minters[account];
    }

    /// @notice Returns what a minter may still mint.
    /// @param minter The account
    /// @return How many coins, in the smallest unit
    function minterAllowance(address minter) external view returns (uint256) {
        return _minterAllowances[minter];
    }

    // ------------------------------------------------------------------------------------------------ signatures

    /// @notice Returns the version of the signing domain.
    /// @return The version
    function version() external pure returns (string memory) {
        return "1";
    }

    /// @notice Returns the EIP-712 domain separator of this chain.
    /// @return The hash
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparator();
    }

    /// @notice Returns the nonce of an account's next permit.
    /// @param owner The account
    /// @return The nonce
    function nonces(address owner) external view returns (uint256) {
        return _nonces[owner];
    }

    /// @notice Allows an account to send coins of another one that signed for it (EIP-2612).
    /// @param owner Whose coins
    /// @param spender Who may send them
    /// @param value How many, in the smallest unit
    /// @param deadline Last time at which the permit can be used, in seconds; the largest number never ends
    /// @param v Part of the owner's signature
    /// @param r Part of the owner's signature
    /// @param s Part of the owner's signature
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
        notBlacklisted(owner)
        notBlacklisted(spender)
    {
        _permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// @notice Allows an account to send coins of another one that signed for it (EIP-2612).
    /// @param owner Whose coins
    /// @param spender Who may send them
    /// @param value How many, in the smallest unit
    /// @param deadline Last time at which the permit can be used, in seconds; the largest number never ends
    /// @param signature The owner's signature: r, s and v, or what a contract accepts (EIP-1271)
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes calldata signature)
        external
        notBlacklisted(owner)
        notBlacklisted(spender)
    {
        _permit(owner, spender, value, deadline, signature);
    }

    /// @notice Tells whether an authorisation was used or cancelled.
    /// @param authorizer Who signed it
    /// @param nonce Its number
    /// @return Whether it was
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return _authorizationStates[authorizer][nonce];
    }

    /// @notice Sends coins of an account that signed for it (EIP-3009).
    /// @param from Whose coins
    /// @param to Who gets them
    /// @param value How many, in the smallest unit
    /// @param validAfter Time after which it can be used, in seconds
    /// @param validBefore Time before which it can be used, in seconds
    /// @param nonce Number of the authorisation
    /// @param v Part of the signature
    /// @param r Part of the signature
    /// @param s Part of the signature
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external notBlacklisted(from) notBlacklisted(to) {
        Authorization memory a = Authorization(from, to, value, validAfter, validBefore, nonce);
        _useAuthorization(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, a, abi.encodePacked(r, s, v));
    }

    /// @notice Sends coins of an account that signed for it (EIP-3009).
    /// @param from Whose coins
    /// @param to Who gets them
    /// @param value How many, in the smallest unit
    /// @param validAfter Time after which it can be used, in seconds
    /// @param validBefore Time before which it can be used, in seconds
    /// @param nonce Number of the authorisation
    /// @param signature The signature: r, s and v, or what a contract accepts (EIP-1271)
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external notBlacklisted(from) notBlacklisted(to) {
        Authorization memory a = Authorization(from, to, value, validAfter, validBefore, nonce);
        _useAuthorization(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, a, signature);
    }

    /// @notice Takes coins of an account that signed for it (EIP-3009). Only the one who gets them can.
    /// @param from Whose coins
    /// @param to Who gets them: the caller
    /// @param value How many, in the smallest unit
    /// @param validAfter Time after which it can be used, in seconds
    /// @param validBefore Time before which it can be used, in seconds
    /// @param nonce Number of the authorisation
    /// @param v Part of the signature
    /// @param r Part of the signature
    /// @param s Part of the signature
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external notBlacklisted(from) notBlacklisted(to) {
        require(to == msg.sender, "NativeCoinAdapter: caller must be the payee");
        Authorization memory a = Authorization(from, to, value, validAfter, validBefore, nonce);
        _useAuthorization(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, a, abi.encodePacked(r, s, v));
    }

    /// @notice Takes coins of an account that signed for it (EIP-3009). Only the one who gets them can.
    /// @param from Whose coins
    /// @param to Who gets them: the caller
    /// @param value How many, in the smallest unit
    /// @param validAfter Time after which it can be used, in seconds
    /// @param validBefore Time before which it can be used, in seconds
    /// @param nonce Number of the authorisation
    /// @param signature The signature: r, s and v, or what a contract accepts (EIP-1271)
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external notBlacklisted(from) notBlacklisted(to) {
        require(to == msg.sender, "NativeCoinAdapter: caller must be the payee");
        Authorization memory a = Authorization(from, to, value, validAfter, validBefore, nonce);
        _useAuthorization(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, a, signature);
    }

    /// @notice Cancels an authorisation of an account that signed for it (EIP-3009).
    /// @param authorizer The account
    /// @param nonce Number of the authorisation
    /// @param v Part of the signature
    /// @param r Part of the signature
    /// @param s Part of the signature
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        _cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice Cancels an authorisation of an account that signed for it (EIP-3009).
    /// @param authorizer The account
    /// @param nonce Number of the authorisation
    /// @param signature The signature: r, s and v, or what a contract accepts (EIP-1271)
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        _cancelAuthorization(authorizer, nonce, signature);
    }

    // ------------------------------------------------------------------------------------------------ inside

    struct Authorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    function _requireNotBlacklisted(address account) private view {
        (bool ok, bool flag) =
            Native.readFlag(_accountManager, abi.encodeCall(IAccountManager.isBlacklisted, (account)));
        require(ok, "NativeCoinAdapter: failed to query blacklist status");
        require(!flag, "NativeCoinAdapter: account is blacklisted");
    }

    function _transfer(address from, address to, uint256 value) private {
        require(from != address(0), "NativeCoinAdapter: transfer from the zero address");
        require(to != address(0), "NativeCoinAdapter: transfer to the zero address");
        require(value <= from.balance, "NativeCoinAdapter: transfer amount exceeds balance");
        (bool ok,) = _coinManager.call(abi.encodeCall(ICoinManager.transfer, (from, to, value)));
        require(ok, "NativeCoinAdapter: transfer failed");
    }

    function _approve(address owner, address spender, uint256 value) private {
        require(owner != address(0), "NativeCoinAdapter: approve from the zero address");
        require(spender != address(0), "NativeCoinAdapter: approve to the zero address");
        _allowances[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function _permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) private {
        require(deadline == type(uint256).max || deadline >= block.timestamp, "NativeCoinAdapter: permit is expired");
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _nonces[owner]++, deadline));
        require(_isSignedBy(owner, structHash, signature), "NativeCoinAdapter: invalid signature (EIP2612)");
        _approve(owner, spender, value);
    }

    function _useAuthorization(bytes32 typeHash, Authorization memory a, bytes memory signature) private {
        require(block.timestamp > a.validAfter, "NativeCoinAdapter: authorization is not yet valid");
        require(block.timestamp < a.validBefore, "NativeCoinAdapter: authorization is expired");
        _requireUnused(a.from, a.nonce);
        bytes32 structHash = keccak256(abi.encode(typeHash, a));
        require(_isSignedBy(a.from, structHash, signature), "NativeCoinAdapter: invalid signature (EIP3009)");
        _authorizationStates[a.from][a.nonce] = true;
        emit AuthorizationUsed(a.from, a.nonce);
        _transfer(a.from, a.to, a.value);
    }

    function _cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) private {
        _requireUnused(authorizer, nonce);
        bytes32 structHash = keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce));
        require(_isSignedBy(authorizer, structHash, signature), "NativeCoinAdapter: invalid signature (EIP3009)");
        _authorizationStates[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _requireUnused(address authorizer, bytes32 nonce) private view {
        require(
            !_authorizationStates[authorizer][nonce], "NativeCoinAdapter: authorization is used or canceled"
        );
    }

    /// @dev Accounts with code are asked, those with a delegation too (EIP-1271, EIP-7702).
    function _isSignedBy(address signer, bytes32 structHash, bytes memory signature) private view returns (bool) {
        bytes32 hash = MessageHashUtils.toTypedDataHash(_domainSeparator(), structHash);
        if (signer.code.length > 0) return SignatureChecker.isValidERC1271SignatureNow(signer, hash, signature);
        return ECRecover.recover(hash, signature) == signer;
    }

    function _domainSeparator() private view returns (bytes32) {
        bytes32 nameHash = keccak256(bytes(name));
        return keccak256(abi.encode(DOMAIN_TYPEHASH, nameHash, keccak256("1"), block.chainid, address(this)));
    }

    /// @dev Addresses that nothing can send coins from.
    function _isReserved(address account) private view returns (bool) {
        uint160 number = uint160(account);
        return account == address(this) || account == _coinManager || account == _accountManager
            || number <= LAST_UPSTREAM_PRECOMPILE || number == SECP256R1 || number == BLS_POSSESSION;
    }
}
