// spec: rpc 2.5: -32600
>> {}
<< {"error":{"code":-32600,"message":"invalid request"},"id":null,"jsonrpc":"2.0"}
