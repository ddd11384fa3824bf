// spec: rpc 2.6: eth_newBlockFilter
>> {"jsonrpc":"2.0","id":1,"method":"eth_newBlockFilter","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"<quantity>"}
