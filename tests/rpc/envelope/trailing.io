// spec: rpc 2.4: data after the first JSON value. go-stablenet ignores it, gwon refuses the body
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]} and more
<< {"error":{"code":-32700,"message":"parse error"},"id":null,"jsonrpc":"2.0"}
