// spec: rpc 2.6: eth_getFilterChanges
>> {"jsonrpc":"2.0","id":1,"method":"eth_newBlockFilter","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"<quantity>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterChanges","params":["${result}"]}
<< {"id":1,"jsonrpc":"2.0","result":[]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterChanges","params":["0x1"]}
<< {"error":{"code":-32000,"message":"filter not found"},"id":1,"jsonrpc":"2.0"}
