// spec: rpc 6.1: istanbul_getValidators
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getValidators","params":["latest"]}
<< {"id":1,"jsonrpc":"2.0","result":["<address>"]}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getValidators","params":["0xffff"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
