// spec: rpc 4.1: eth_getRawTransactionByBlockNumberAndIndex
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByBlockNumberAndIndex","params":["0x1","0x0"]}
<< {"id":1,"jsonrpc":"2.0","result":"${mined tx}"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByBlockNumberAndIndex","params":["0x1","0x9"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x"}
