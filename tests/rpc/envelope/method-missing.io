// spec: rpc 2.4: method missing or empty
>> {"jsonrpc":"2.0","id":7}
<< {"error":{"code":-32600,"message":"invalid request"},"id":7,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":7,"method":""}
<< {"error":{"code":-32600,"message":"invalid request"},"id":7,"jsonrpc":"2.0"}
