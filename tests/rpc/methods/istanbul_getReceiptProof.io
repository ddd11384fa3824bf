// spec: rpc 9.7: istanbul_getReceiptProof
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getReceiptProof","params":["${mined}"]}
<< {"error":{"code":-32000,"message":"block 1 is the newest: its child, with which the proof is made, comes within seconds: ask again"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getReceiptProof","params":["0x00000000000000000000000000000000000000000000000000000000000000aa"]}
<< {"error":{"code":-32000,"message":"unknown transaction: check the hash, and ask a node that indexes all blocks"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getReceiptProof","params":["${mined}","0xffff"]}
<< {"error":{"code":-32000,"message":"trusted block: unknown block"},"id":1,"jsonrpc":"2.0"}
