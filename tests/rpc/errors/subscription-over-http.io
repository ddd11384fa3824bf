// spec: rpc 2.5: -32601 for a subscription over HTTP
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<< {"error":{"code":-32601,"message":"notifications not supported"},"id":1,"jsonrpc":"2.0"}
