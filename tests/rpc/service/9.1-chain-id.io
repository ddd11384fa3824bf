// spec: rpc 9.1: chain id and network id
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x539"}
>> {"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"1337"}
