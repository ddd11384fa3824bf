// spec: rpc 2.5: -32700
>> {
<< {"error":{"code":-32700,"message":"parse error"},"id":null,"jsonrpc":"2.0"}
