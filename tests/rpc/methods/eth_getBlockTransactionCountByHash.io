// spec: rpc 4.1: eth_getBlockTransactionCountByHash
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByHash","params":["${block}"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
