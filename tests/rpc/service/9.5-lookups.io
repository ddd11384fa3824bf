// spec: rpc 9.5: null for what is unknown
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0xffff",false]}
<< {"id":1,"jsonrpc":"2.0","result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001",false]}
<< {"id":1,"jsonrpc":"2.0","result":null}
