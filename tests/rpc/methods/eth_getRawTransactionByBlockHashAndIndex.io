// spec: rpc 4.1: eth_getRawTransactionByBlockHashAndIndex
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByBlockHashAndIndex","params":["${block}","0x0"]}
<< {"id":1,"jsonrpc":"2.0","result":"${mined tx}"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByBlockHashAndIndex","params":["${block}","0x9"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x"}
