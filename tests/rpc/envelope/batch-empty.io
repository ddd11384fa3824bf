// spec: rpc 2.4: an empty batch
>> []
<< {"error":{"code":-32600,"message":"empty batch"},"id":null,"jsonrpc":"2.0"}
