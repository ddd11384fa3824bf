// spec: rpc 2.4: id null is executed and answered
>> {"jsonrpc":"2.0","id":null,"method":"eth_chainId","params":[]}
<< {"id":null,"jsonrpc":"2.0","result":"0x539"}
