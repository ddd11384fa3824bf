// spec: rpc 4.1: eth_getUncleCountByBlockHash
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleCountByBlockHash","params":["${block}"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x0"}
