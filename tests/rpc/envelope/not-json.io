// spec: rpc 2.4: body is not JSON
>> eth_chainId
<< {"error":{"code":-32700,"message":"parse error"},"id":null,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0",
<< {"error":{"code":-32700,"message":"parse error"},"id":null,"jsonrpc":"2.0"}
