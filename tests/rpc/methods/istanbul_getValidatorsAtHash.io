// spec: rpc 6.2: istanbul_getValidatorsAtHash
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getValidatorsAtHash","params":["${block}"]}
<< {"id":1,"jsonrpc":"2.0","result":["<address>"]}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getValidatorsAtHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
