// spec: rpc 2.4: body is a scalar
>> 5
<< {"error":{"code":-32600,"message":"invalid request"},"id":null,"jsonrpc":"2.0"}
