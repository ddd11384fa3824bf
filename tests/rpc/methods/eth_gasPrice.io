// spec: rpc 7: eth_gasPrice
>> {"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x2b4abd176000"}
