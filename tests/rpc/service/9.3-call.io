// spec: rpc 9.3: eth_call
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"${recipient}"},"latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x"}
