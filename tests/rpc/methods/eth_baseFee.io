// spec: rpc 7: eth_baseFee
>> {"jsonrpc":"2.0","id":1,"method":"eth_baseFee","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x12309ce54000"}
