// spec: rpc 4.1: eth_getUncleCountByBlockNumber
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleCountByBlockNumber","params":["0x1"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x0"}
