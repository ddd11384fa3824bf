// spec: rpc 4.1: eth_getUncleByBlockNumberAndIndex
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockNumberAndIndex","params":["0x1","0x0"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
