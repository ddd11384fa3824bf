// spec: rpc 4.1: eth_getTransactionCount
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["${sender}","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["${sender}","0xffff"]}
<< {"error":{"code":-32000,"message":"header not found"},"id":1,"jsonrpc":"2.0"}
