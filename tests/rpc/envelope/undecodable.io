// spec: rpc 2.4: undecodable param
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["00000000000000000000000000000000000000aa"]}
<< {"error":{"code":-32602,"message":"invalid argument 0: cannot unmarshal hex string without 0x prefix as Address"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xaa"]}
<< {"error":{"code":-32602,"message":"invalid argument 0: hex string has length 2, want 40 for Address"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}","0x01"]}
<< {"error":{"code":-32602,"message":"invalid argument 1: hex number with leading zero digits: a block is latest, earliest, pending, safe, finalized or a number like 0x1b4, or a block hash"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}","head"]}
<< {"error":{"code":-32602,"message":"invalid argument 1: hex string without 0x prefix: a block is latest, earliest, pending, safe, finalized or a number like 0x1b4, or a block hash"},"id":1,"jsonrpc":"2.0"}
