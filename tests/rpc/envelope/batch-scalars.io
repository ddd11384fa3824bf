// spec: rpc 2.4: a batch of scalars
>> [1,2]
<< [{"error":{"code":-32600,"message":"invalid request"},"id":null,"jsonrpc":"2.0"},{"error":{"code":-32600,"message":"invalid request"},"id":null,"jsonrpc":"2.0"}]
