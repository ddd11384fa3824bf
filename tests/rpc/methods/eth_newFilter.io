// spec: rpc 2.6: eth_newFilter
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"address":"0x0000000000000000000000000000000000001000"}]}
<< {"id":1,"jsonrpc":"2.0","result":"<quantity>"}
