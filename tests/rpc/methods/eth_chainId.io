// spec: rpc 4.1: eth_chainId
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x539"}
