// spec: rpc 9.7: istanbul_getFinalityProof refuses
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getFinalityProof","params":["0xffff"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getFinalityProof","params":["0x0","0x1"]}
<< {"error":{"code":-32000,"message":"block is older than the trusted block: block 0, trusted block 1"},"id":1,"jsonrpc":"2.0"}
