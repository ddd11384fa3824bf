// spec: rpc 2.4: jsonrpc missing or not "2.0"
>> {"id":7,"method":"eth_chainId"}
<< {"error":{"code":-32600,"message":"invalid request"},"id":7,"jsonrpc":"2.0"}
>> {"jsonrpc":"1.0","id":7,"method":"eth_chainId"}
<< {"error":{"code":-32600,"message":"invalid request"},"id":7,"jsonrpc":"2.0"}
