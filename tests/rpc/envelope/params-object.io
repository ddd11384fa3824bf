// spec: rpc 2.4: params an object or a scalar
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}
<< {"error":{"code":-32602,"message":"non-array args"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":5}
<< {"error":{"code":-32602,"message":"non-array args"},"id":1,"jsonrpc":"2.0"}
