// spec: rpc 4.1: eth_getBlockTransactionCountByNumber
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByNumber","params":["0x1"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByNumber","params":["0xffff"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
