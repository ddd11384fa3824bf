// spec: rpc 2.5: -32000
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}","0xffff"]}
<< {"error":{"code":-32000,"message":"header not found"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getValidators","params":["0xffff"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
