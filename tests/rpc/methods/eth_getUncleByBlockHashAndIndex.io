// spec: rpc 4.1: eth_getUncleByBlockHashAndIndex
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockHashAndIndex","params":["${block}","0x0"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
