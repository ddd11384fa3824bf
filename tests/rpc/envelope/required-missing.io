// spec: rpc 2.4: required param missing
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[]}
<< {"error":{"code":-32602,"message":"missing value for required argument 0"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest"]}
<< {"error":{"code":-32602,"message":"missing value for required argument 1"},"id":1,"jsonrpc":"2.0"}
