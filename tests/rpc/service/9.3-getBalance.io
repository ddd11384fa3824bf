// spec: rpc 9.3: eth_getBalance
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x00000000000000000000000000000000000000bb","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}","0xffff"]}
<< {"error":{"code":-32000,"message":"header not found"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xaa","latest"]}
<< {"error":{"code":-32602,"message":"invalid argument 0: hex string has length 2, want 40 for Address"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
