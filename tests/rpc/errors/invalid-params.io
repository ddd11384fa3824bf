// spec: rpc 2.5: -32602
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[5]}
<< {"error":{"code":-32602,"message":"invalid argument 0: cannot unmarshal non-string as Address"},"id":1,"jsonrpc":"2.0"}
