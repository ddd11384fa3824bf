// spec: rpc 4.1: eth_getRawTransactionByHash
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByHash","params":["${mined}"]}
<< {"id":1,"jsonrpc":"2.0","result":"${mined tx}"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x"}
