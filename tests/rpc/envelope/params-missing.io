// spec: rpc 2.4: params missing
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId"}
<< {"id":1,"jsonrpc":"2.0","result":"0x539"}
