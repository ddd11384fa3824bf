// spec: rpc 2.4: too many params
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[1]}
<< {"error":{"code":-32602,"message":"too many arguments, want at most 0"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}","latest",1]}
<< {"error":{"code":-32602,"message":"too many arguments, want at most 2"},"id":1,"jsonrpc":"2.0"}
