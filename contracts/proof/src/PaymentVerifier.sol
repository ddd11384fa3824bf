// SPDX-License-Identifier: LGPL-3.0-or-later
// Copyright 2026 The gwon Authors
pragma solidity 0.8.37;

/// Verifies that transactions of the WKRC network are final, on a chain with the precompiles of EIP-2537.
///
/// The contract knows the validators from one trusted epoch block on. Anybody brings later epoch blocks, and children of
/// blocks with receipts, each sealed by a quorum of validators that an earlier epoch block appoints. Points of the curve
/// are given uncompressed, as the precompiles take them: 64 bytes for each coordinate.
///
/// Trust has an end. Epochs are followed forward only. A set proves no block behind the epoch block that ends it, and
/// nothing at all when its own epoch block is older than `maxAge`: keys that validators had then may be lost. A contract
/// that is not advanced for that long proves nothing any more.
contract PaymentVerifier {
    struct Validator {
        address account;
        bytes32[4] key; // x and y
    }

    struct Seal {
        bytes sealers; // bitmap of positions in the seal's order, least significant bit first
        bytes32[8] signature; // x.c0, x.c1, y.c0, y.c1
    }

    struct Sealed {
        bytes header; // RLP
        uint16[] order; // the validator at a position of the seals, as its index in the list
        Seal prepared;
        Seal committed;
    }

    struct Inclusion {
        bytes header; // RLP, of the block with the transaction; its seals are not looked at
        uint64 index;
        bytes transaction;
        bytes[] transactionPath;
        bytes receipt;
        bytes[] receiptPath;
    }

    struct Transfer {
        address token;
        address from;
        address to;
        uint256 value;
    }

    struct Payment {
        uint64 number; // of the block
        uint64 time;
        bytes32 blockHash;
        bytes32 transactionHash;
        bool succeeded;
        Transfer[] transfers; // of ERC-20 tokens and of the coin, whose contract is 0x1000
    }

    struct Set {
        bytes32 list; // hash of the list of validators
        uint64 time; // of the epoch block that appoints them
        uint64 end; // the epoch block that ends them, zero for the newest
    }

    struct Header {
        uint64 number;
        uint64 time;
        address proposer;
        bytes reveal; // of the proposer, for the chain and the number
        bytes32 parent;
        bytes32 transactions;
        bytes32 receipts;
        bytes32 blockHash;
        bytes32 roundHash;
        bytes epoch; // epoch info, RLP
    }

    /// A part of RLP: its content, and whether it is a list.
    struct Item {
        uint256 start;
        uint256 end;
        bool isList;
    }

    error NotTrusted();
    error NotNewer();
    error Ended();
    error Expired();
    error OtherChain();
    error WrongValidators();
    error NotSealed();
    error NotParent();
    error NotAnEpoch();
    error NotInBlock();
    error Malformed();

    event Followed(uint64 indexed number, bytes32 indexed blockHash, bytes32 validators);

    /// The hash of the block that everything is proven from.
    bytes32 public immutable trusted;
    /// The chain whose blocks are proven. Keys that serve two chains seal blocks of both.
    uint256 public immutable chainId;
    /// The seconds for which an epoch block is trusted from its own time on.
    uint64 public immutable maxAge;
    /// The newest epoch block that is known.
    uint64 public newest;
    /// The validators that an epoch block appoints, by its number; an empty list for one that is not known.
    mapping(uint64 => Set) public sets;

    uint256 private constant MAX_VALIDATORS = 4096;
    bytes32 private constant TRANSFER = keccak256("Transfer(address,address,uint256)");
    bytes private constant DST = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
    // The field of BLS12-381 in 64 bytes, and half of it, above which a coordinate has the sign bit.
    bytes32 private constant P_HIGH = 0x000000000000000000000000000000001a0111ea397fe69a4b1ba7b6434bacd7;
    bytes32 private constant P_LOW = 0x64774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab;
    uint256 private constant HALF_HIGH = 0x0d0088f51cbff34d258dd3db21a5d66b;
    uint256 private constant HALF_LOW = 0xb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555;
    // The generator of the keys' group, negated.
    bytes32 private constant G_X_HIGH = 0x0000000000000000000000000000000017f1d3a73197d7942695638c4fa9ac0f;
    bytes32 private constant G_X_LOW = 0xc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb;
    bytes32 private constant G_Y_HIGH = 0x00000000000000000000000000000000114d1d6855d545a8aa7d76c8cf2e21f2;
    bytes32 private constant G_Y_LOW = 0x67816aef1db507c96655b9d5caac42364e6f38ba0ecb751bad54dcd6b939c2ca;

    /// `keys` are the uncompressed keys of the epoch info in `header`, in its order. Thirty days are a good `age`.
    constructor(uint256 chain, uint64 age, bytes memory header, bytes32 blockHash, bytes32[4][] memory keys) {
        Header memory h = readHeader(header);
        require(h.blockHash == blockHash, NotTrusted());
        (trusted, chainId, maxAge) = (blockHash, chain, age);
        if (h.number > 0) checkReveal(h);
        follow(h, keys);
    }

    /// Follows an epoch block that the validators in `list`, those of the newest known epoch block, have sealed.
    function advance(uint64 from, Validator[] memory list, Sealed memory sealed_, bytes32[4][] memory keys) external {
        require(from == newest, Ended());
        Header memory h = check(from, list, sealed_);
        sets[from].end = h.number;
        follow(h, keys);
    }

    /// Returns what a transaction did in the parent of a block that the validators in `list`, those of the known epoch
    /// block `from`, have sealed. It reverts for anything that is not proven.
    function verify(uint64 from, Validator[] memory list, Sealed memory sealed_, Inclusion memory shown)
        external
        view
        returns (Payment memory payment)
    {
        Header memory child = check(from, list, sealed_);
        Header memory h = readHeader(shown.header);
        require(h.number + 1 == child.number && h.blockHash == child.parent, NotParent());
        checkPath(h.transactions, shown.index, shown.transaction, shown.transactionPath);
        checkPath(h.receipts, shown.index, shown.receipt, shown.receiptPath);
        payment.number = h.number;
        payment.time = h.time;
        payment.blockHash = h.blockHash;
        payment.transactionHash = keccak256(shown.transaction);
        (payment.succeeded, payment.transfers) = readReceipt(shown.receipt);
    }

    // Headers

    /// Checks that a quorum of the validators of an epoch block has sealed a later header in both phases.
    function check(uint64 from, Validator[] memory list, Sealed memory s) private view returns (Header memory h) {
        Set memory set = sets[from];
        require(keccak256(abi.encode(list)) == set.list, WrongValidators());
        require(block.timestamp <= uint256(set.time) + maxAge, Expired());
        h = readHeader(s.header);
        require(h.number > from, NotNewer());
        require(set.end == 0 || h.number <= set.end, Ended());
        require(s.order.length == list.length, WrongValidators());
        bool[] memory seen = new bool[](list.length);
        for (uint256 i = 0; i < list.length; i++) {
            require(s.order[i] < list.length && !seen[s.order[i]], WrongValidators());
            seen[s.order[i]] = true;
        }
        checkSeal(list, s.order, s.prepared, keccak256(abi.encodePacked(h.roundHash, uint8(0))));
        checkSeal(list, s.order, s.committed, keccak256(abi.encodePacked(h.roundHash, uint8(1))));
        bool member = false;
        for (uint256 i = 0; i < list.length; i++) member = member || list[i].account == h.proposer;
        require(member, WrongValidators());
        checkReveal(h);
    }

    /// Checks that the proposer of a header has made its reveal for this chain. Seals cover reveal and proposer.
    function checkReveal(Header memory h) private view {
        bytes32 data = keccak256(bytes.concat(minimal(chainId), hex"01", minimal(h.number)));
        require(h.reveal.length == 65 && uint8(h.reveal[64]) < 2, OtherChain());
        bytes32 digest = keccak256(abi.encodePacked(data));
        address by = ecrecover(digest, 27 + uint8(h.reveal[64]), load(h.reveal, 0), load(h.reveal, 32));
        require(by != address(0) && by == h.proposer, OtherChain());
    }

    function follow(Header memory h, bytes32[4][] memory keys) private {
        bytes32 list = keccak256(abi.encode(appointed(h.epoch, keys)));
        sets[h.number] = Set(list, h.time, 0);
        newest = h.number;
        emit Followed(h.number, h.blockHash, list);
    }

    /// Returns the validators of epoch info with their uncompressed keys.
    function appointed(bytes memory info, bytes32[4][] memory keys) private view returns (Validator[] memory list) {
        Item[] memory parts = items(info, list_(info, 0, info.length), 3);
        require(parts.length == 3, NotAnEpoch());
        Item[] memory candidates = items(info, parts[0], MAX_VALIDATORS);
        Item[] memory chosen = items(info, parts[1], MAX_VALIDATORS);
        Item[] memory compressed = items(info, parts[2], MAX_VALIDATORS);
        require(chosen.length > 0 && chosen.length == compressed.length && keys.length == chosen.length, NotAnEpoch());
        list = new Validator[](chosen.length);
        bool[] memory seen = new bool[](candidates.length);
        for (uint256 i = 0; i < chosen.length; i++) {
            uint256 pos = integer(info, chosen[i]);
            require(pos < candidates.length && !seen[pos], NotAnEpoch());
            seen[pos] = true;
            Item[] memory candidate = items(info, candidates[pos], 2);
            list[i].account = address(uint160(uint256(word(info, candidate[0], 20))));
            checkKey(info, compressed[i], keys[i]);
            list[i].key = keys[i];
        }
    }

    /// Reads a header: a list of 16 items, whose extra data is a list of ten.
    function readHeader(bytes memory header) private pure returns (Header memory h) {
        Item[] memory fields = items(header, list_(header, 0, header.length), 16);
        require(fields.length == 16, Malformed());
        h.parent = word(header, fields[0], 32);
        h.proposer = address(uint160(uint256(word(header, fields[2], 20))));
        h.transactions = word(header, fields[4], 32);
        h.receipts = word(header, fields[5], 32);
        h.number = uint64(integer(header, fields[8]));
        h.time = uint64(integer(header, fields[11]));
        Item memory extra = fields[12];
        Item[] memory x = items(header, list_(header, extra.start, extra.end), 10);
        require(x.length == 10 && x[9].isList, Malformed());
        h.reveal = content(header, x[1]);
        // The items of extra data in front of round and seals, and behind them.
        bytes memory front = slice(header, list_(header, extra.start, extra.end).start, x[4].end);
        bytes memory round = slice(header, x[4].end, x[5].end);
        bytes memory back = slice(header, x[7].end, extra.end);
        bytes memory before = slice(header, list_(header, 0, header.length).start, fields[11].end);
        bytes memory behind = slice(header, extra.end, header.length);
        h.roundHash = stripped(before, front, round, back, behind);
        // The network hashes without seals where the difficulty is 1, which a genesis block need not have.
        h.blockHash = integer(header, fields[7]) == 1
            ? stripped(before, front, hex"80", back, behind)
            : keccak256(header);
        if (x[9].end > x[9].start) h.epoch = slice(header, x[8].end, x[9].end);
    }

    /// Returns the hash of a header without its seals, as they are made in a round.
    function stripped(
        bytes memory before,
        bytes memory front,
        bytes memory round,
        bytes memory back,
        bytes memory behind
    ) private pure returns (bytes32) {
        bytes memory extra = bytes.concat(front, round, hex"c0c0", back);
        extra = bytes.concat(prefix(extra.length, 0xc0), extra);
        extra = bytes.concat(prefix(extra.length, 0x80), extra);
        return keccak256(
            bytes.concat(prefix(before.length + extra.length + behind.length, 0xc0), before, extra, behind)
        );
    }

    // Seals

    function checkSeal(Validator[] memory list, uint16[] memory order, Seal memory seal, bytes32 digest) private view {
        bytes32[4] memory sum;
        uint256 count = 0;
        for (uint256 i = 0; i < 8 * seal.sealers.length; i++) {
            if ((uint8(seal.sealers[i / 8]) >> (i % 8)) & 1 == 0) continue;
            require(i < list.length, NotSealed());
            sum = count == 0 ? list[order[i]].key : addKeys(sum, list[order[i]].key);
            count++;
        }
        require(count >= list.length - (list.length - 1) / 3, NotSealed());
        require((sum[0] | sum[1] | sum[2] | sum[3]) != 0, NotSealed());
        bytes memory input = bytes.concat(
            abi.encodePacked(sum), hashToCurve(digest), abi.encodePacked(G_X_HIGH, G_X_LOW, G_Y_HIGH, G_Y_LOW),
            abi.encodePacked(seal.signature)
        );
        (bool ok, bytes memory output) = address(0x0f).staticcall(input);
        require(ok && output.length == 32 && abi.decode(output, (uint256)) == 1, NotSealed());
    }

    /// Returns the sum of two points. The precompile refuses what is not on the curve.
    function addKeys(bytes32[4] memory a, bytes32[4] memory b) private view returns (bytes32[4] memory) {
        (bool ok, bytes memory output) = address(0x0b).staticcall(abi.encodePacked(a, b));
        require(ok && output.length == 128, NotSealed());
        return abi.decode(output, (bytes32[4]));
    }

    /// Checks that a point is on the curve and is the one of a compressed key.
    function checkKey(bytes memory data, Item memory item, bytes32[4] memory key) private view {
        bytes32[4] memory none;
        addKeys(key, none);
        require(!item.isList && item.end - item.start == 48, NotAnEpoch());
        uint256 high = uint256(load(data, item.start)) >> 128;
        bool sign = uint256(key[2]) > HALF_HIGH || (uint256(key[2]) == HALF_HIGH && uint256(key[3]) > HALF_LOW);
        uint256 flags = (1 << 127) | (sign ? 1 << 125 : 0); // compressed, not infinite
        require(high == uint256(key[0]) | flags && load(data, item.start + 16) == key[1], NotAnEpoch());
    }

    /// Returns the point of the signatures' group for a message (RFC 9380 with the suite of the network).
    function hashToCurve(bytes32 message) private view returns (bytes memory) {
        bytes memory tail = bytes.concat(DST, bytes1(uint8(DST.length)));
        bytes32 first = sha256(bytes.concat(new bytes(64), message, hex"010000", tail));
        bytes32[8] memory b;
        b[0] = sha256(bytes.concat(first, hex"01", tail));
        for (uint256 i = 1; i < 8; i++) {
            b[i] = sha256(bytes.concat(first ^ b[i - 1], bytes1(uint8(i + 1)), tail));
        }
        bytes memory one = mapToCurve(reduce(b[0], b[1]), reduce(b[2], b[3]));
        bytes memory two = mapToCurve(reduce(b[4], b[5]), reduce(b[6], b[7]));
        (bool ok, bytes memory sum) = address(0x0d).staticcall(bytes.concat(one, two));
        require(ok && sum.length == 256, NotSealed());
        return sum;
    }

    function reduce(bytes32 high, bytes32 low) private view returns (bytes memory) {
        bytes memory input = abi.encodePacked(uint256(64), uint256(1), uint256(64), high, low, uint8(1), P_HIGH, P_LOW);
        (bool ok, bytes memory output) = address(0x05).staticcall(input);
        require(ok && output.length == 64, NotSealed());
        return output;
    }

    function mapToCurve(bytes memory c0, bytes memory c1) private view returns (bytes memory) {
        (bool ok, bytes memory output) = address(0x11).staticcall(bytes.concat(c0, c1));
        require(ok && output.length == 256, NotSealed());
        return output;
    }

    // Paths and receipts

    /// Checks that a root covers an item at an index, by exactly the nodes of the path.
    function checkPath(bytes32 root, uint64 index, bytes memory item, bytes[] memory path) private pure {
        bytes memory key = keyOf(index);
        uint256 pos = 0; // nibbles of the key that were used
        bytes32 want = root;
        for (uint256 i = 0; i < path.length; i++) {
            bytes memory node = path[i];
            require(keccak256(node) == want, NotInBlock());
            Item[] memory parts = items(node, list_(node, 0, node.length), 17);
            if (parts.length == 17) {
                require(pos < 2 * key.length, NotInBlock());
                want = word(node, parts[nibble(key, pos)], 32);
                pos++;
                continue;
            }
            require(parts.length == 2, NotInBlock());
            bytes memory part = content(node, parts[0]);
            require(part.length > 0 && uint8(part[0]) < 0x40, NotInBlock());
            for (uint256 n = uint8(part[0]) & 0x10 == 0 ? 2 : 1; n < 2 * part.length; n++) {
                require(pos < 2 * key.length && nibble(part, n) == nibble(key, pos), NotInBlock());
                pos++;
            }
            if (uint8(part[0]) & 0x20 == 0) {
                want = word(node, parts[1], 32);
                continue;
            }
            require(pos == 2 * key.length && i == path.length - 1 && item.length > 0, NotInBlock());
            require(keccak256(content(node, parts[1])) == keccak256(item), NotInBlock());
            return;
        }
        revert NotInBlock();
    }

    /// Returns the key of an index: its RLP.
    function keyOf(uint64 index) private pure returns (bytes memory) {
        bytes memory digits = minimal(index);
        if (index > 0 && index < 0x80) return digits;
        return bytes.concat(bytes1(uint8(0x80 + digits.length)), digits);
    }

    function nibble(bytes memory data, uint256 pos) private pure returns (uint8) {
        uint8 b = uint8(data[pos / 2]);
        return pos % 2 == 0 ? b >> 4 : b & 15;
    }

    function readReceipt(bytes memory receipt) private pure returns (bool succeeded, Transfer[] memory transfers) {
        uint256 start = uint8(receipt[0]) < 0xc0 ? 1 : 0;
        Item[] memory parts = items(receipt, list_(receipt, start, receipt.length), 4);
        require(parts.length == 4, Malformed());
        succeeded = integer(receipt, parts[0]) == 1;
        Item[] memory logs = items(receipt, parts[3], type(uint256).max);
        transfers = new Transfer[](logs.length);
        uint256 count = 0;
        for (uint256 i = 0; i < logs.length; i++) {
            Item[] memory log = items(receipt, logs[i], 3);
            Item[] memory topics = items(receipt, log[1], 4);
            bool right = topics.length == 3 && log[2].end - log[2].start == 32;
            if (!right || word(receipt, topics[0], 32) != TRANSFER) continue;
            transfers[count++] = Transfer(
                address(uint160(uint256(word(receipt, log[0], 20)))),
                address(uint160(uint256(word(receipt, topics[1], 32)))),
                address(uint160(uint256(word(receipt, topics[2], 32)))),
                uint256(word(receipt, log[2], 32))
            );
        }
        assembly ("memory-safe") {
            mstore(transfers, count)
        }
    }

    // RLP

    /// Returns the item that begins at a place and ends by a place.
    function next(bytes memory data, uint256 pos, uint256 end) private pure returns (Item memory item) {
        require(pos < end && end <= data.length, Malformed());
        uint8 first = uint8(data[pos]);
        if (first < 0x80) return Item(pos, pos + 1, false);
        item.isList = first >= 0xc0;
        uint256 size = first - (item.isList ? 0xc0 : 0x80);
        item.start = pos + 1;
        if (size > 55) {
            uint256 width = size - 55;
            require(width <= 4 && item.start + width <= end, Malformed());
            size = uint256(load(data, item.start)) >> (256 - 8 * width);
            item.start += width;
        }
        item.end = item.start + size;
        require(item.end <= end, Malformed());
    }

    /// Returns the list that fills a part of data.
    function list_(bytes memory data, uint256 pos, uint256 end) private pure returns (Item memory item) {
        item = next(data, pos, end);
        require(item.isList && item.end == end, Malformed());
    }

    /// Returns the items of a list, which must not be more than told.
    function items(bytes memory data, Item memory list, uint256 most) private pure returns (Item[] memory found) {
        require(list.isList, Malformed());
        uint256 count = 0;
        for (uint256 pos = list.start; pos < list.end; pos = next(data, pos, list.end).end) count++;
        require(count <= most, Malformed());
        found = new Item[](count);
        uint256 place = list.start;
        for (uint256 i = 0; i < count; i++) {
            found[i] = next(data, place, list.end);
            place = found[i].end;
        }
    }

    /// Returns a string of a number of bytes, at most 32, as an integer does: at the end.
    function word(bytes memory data, Item memory item, uint256 size) private pure returns (bytes32) {
        require(!item.isList && item.end - item.start == size, Malformed());
        return bytes32(uint256(load(data, item.start)) >> (256 - 8 * size));
    }

    function integer(bytes memory data, Item memory item) private pure returns (uint256) {
        uint256 size = item.end - item.start;
        require(!item.isList && size <= 8, Malformed());
        return size == 0 ? 0 : uint256(load(data, item.start)) >> (256 - 8 * size);
    }

    function content(bytes memory data, Item memory item) private pure returns (bytes memory) {
        require(!item.isList, Malformed());
        return slice(data, item.start, item.end);
    }

    /// Returns the 32 bytes from a place on. Behind the end of data they are whatever memory has.
    function load(bytes memory data, uint256 pos) private pure returns (bytes32 found) {
        assembly ("memory-safe") {
            found := mload(add(add(data, 32), pos))
        }
    }

    function slice(bytes memory data, uint256 start, uint256 end) private pure returns (bytes memory part) {
        require(start <= end && end <= data.length, Malformed());
        part = new bytes(end - start);
        assembly ("memory-safe") {
            mcopy(add(part, 32), add(add(data, 32), start), sub(end, start))
        }
    }

    function prefix(uint256 size, uint8 offset) private pure returns (bytes memory) {
        if (size < 56) return abi.encodePacked(offset + uint8(size));
        bytes memory digits = minimal(size);
        return bytes.concat(bytes1(offset + 55 + uint8(digits.length)), digits);
    }

    function minimal(uint256 n) private pure returns (bytes memory digits) {
        while (n > 0) {
            digits = bytes.concat(bytes1(uint8(n)), digits);
            n >>= 8;
        }
    }
}
