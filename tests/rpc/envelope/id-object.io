// spec: rpc 2.4: id an object or a list
>> {"jsonrpc":"2.0","id":{},"method":"eth_chainId","params":[]}
<< {"error":{"code":-32600,"message":"invalid request"},"id":null,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":[1],"method":"eth_chainId","params":[]}
<< {"error":{"code":-32600,"message":"invalid request"},"id":null,"jsonrpc":"2.0"}
